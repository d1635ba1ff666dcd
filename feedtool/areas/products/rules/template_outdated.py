"""The properties of a category have changed since the template was made.

A template is stamped with a fingerprint of the properties that it was made for. The local
catalogue has others now; the rows are checked by these. The message says which are new, which are
gone, and which are needed otherwise or have other choices, another unit or other values.

Example: the category `011B01` has a new mandatory property, for which the sheet has no column.

To mend it, make the template anew with `feedtool template products --category CODE`, and copy the
rows into it; or add the columns that the message names.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from feedtool.areas.products.catalog import Catalog, Necessity, Property, traits
from feedtool.areas.products.catalog.traits import Traits, traits_of
from feedtool.areas.products.feeds import (
    STAMP_FINGERPRINT,
    STAMP_LANGUAGE,
    STAMP_TRAITS,
    categories_of,
    is_common,
)
from feedtool.feeds.feed import SheetColumns, stamped_list
from feedtool.feeds.rule import SheetFacts, code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)
KINDS = ("products",)

NAMED = 12


def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
    """A warning for each category whose fingerprint is another one."""
    columns = sheet.columns
    language = columns.stamp.get(STAMP_LANGUAGE)
    catalog = columns.context.catalog(language)
    # Units and choices are translated: what is of another language has another fingerprint.
    if catalog is None or catalog.language != (language or catalog.language):
        return
    for code_, stamped in _stamped(columns).items():
        known = catalog.fingerprint(code_)
        if known is not None and known != stamped:
            yield Issue(
                CODE,
                f"the properties of {code_} have changed since this template was made: "
                f"{_changes(columns, code_, catalog)}",
                f"make it anew with `feedtool template products --category {code_}`",
                None,
                code_,
            )


def _stamped(columns: SheetColumns) -> dict[str, str]:
    pairs = stamped_list(columns.stamp, STAMP_FINGERPRINT)
    return {
        code_.strip(): fingerprint.strip()
        for code_, separator, fingerprint in (pair.partition(":") for pair in pairs)
        if separator
    }


def _changes(columns: SheetColumns, code_: str, catalog: Catalog) -> str:
    """Which properties are new, gone or otherwise, and in what."""
    properties = catalog.properties(code_) or ()
    was = traits.read(stamped_list(columns.stamp, f"{STAMP_TRAITS}.{code_}"))
    told = [
        f"{title} {', '.join(some[:NAMED])}" + (" …" if len(some) > NAMED else "")
        for title, some in (
            ("without a column are", [_told(item) for item in _new(columns, properties, was)]),
            ("no longer there are", _gone(columns, code_, catalog, was)),
            *_otherwise(properties, was),
        )
        if some
    ]
    return "; ".join(told) or "what is possible or needed in its columns"


def _new(
    columns: SheetColumns, properties: Iterable[Property], was: Mapping[str, Traits]
) -> list[Property]:
    """Properties that have no column, and had none in the template: one may be removed."""
    return [
        item
        for item in properties
        if item.reference not in columns.fields and item.reference not in was
    ]


def _gone(
    columns: SheetColumns, code_: str, catalog: Catalog, was: Mapping[str, Traits]
) -> list[str]:
    """References: those that the template was made for, or where it is silent, has columns of."""
    if was:
        return sorted(was.keys() - set(_references(code_, catalog)))
    others = {
        item for other in categories_of(columns.stamp) for item in _references(other, catalog)
    }
    return sorted(key for key in columns.fields - others if not is_common(key))


def _otherwise(
    properties: Sequence[Property], was: Mapping[str, Traits]
) -> Iterator[tuple[str, list[str]]]:
    """Properties that were there already, by what of them has changed."""
    now = [
        (item, was[item.reference], traits_of(item)) for item in properties if item.reference in was
    ]
    for necessity in Necessity:
        changed = [
            _name(item)
            for item, old, new in now
            if old.necessity != new.necessity and item.necessity is necessity
        ]
        yield f"{necessity.lower()} now are", changed
    yield (
        "other choices have",
        [_name(item) for item, old, new in now if old.choices != new.choices],
    )
    yield (
        "another unit or other values have",
        [
            _name(item) + (f", in {item.unit}" if item.unit else "")
            for item, old, new in now
            if old.form != new.form
        ],
    )


def _references(code_: str, catalog: Catalog) -> Iterator[str]:
    return (item.reference for item in catalog.properties(code_) or ())


def _told(item: Property) -> str:
    return f"{_name(item)}, mandatory" if item.is_mandatory else _name(item)


def _name(item: Property) -> str:
    return f"{item.label} ({item.reference})" if item.label else item.reference
