"""The properties of a category have changed since the template was made.

A template is stamped with a fingerprint of the properties that it was made for. The local
catalogue has others now; the rows are checked by these. The message says which are new, which are
gone, and which are needed otherwise or have other choices, another unit or other values.

Example: the category `011B01` has a new mandatory property, for which the sheet has no column.

To mend it, make the template anew with `feedtool template products --category CODE`, and copy the
rows into it; or add the columns that the message names.
"""

from collections.abc import Iterator

from feedtool.areas.products.catalog import Catalog, Necessity
from feedtool.areas.products.catalog.fingerprint import fingerprint_of, read
from feedtool.areas.products.columns.common import UNDERSTOOD_KEYS
from feedtool.areas.products.columns.properties import (
    STAMP_FINGERPRINT,
    STAMP_LANGUAGE,
    STAMP_TRAITS,
    categories_of,
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
    stamped = [text.partition(":") for text in stamped_list(columns.stamp, STAMP_FINGERPRINT)]
    for code_, fingerprint in {
        name.strip(): text for name, colon, text in stamped if colon
    }.items():
        known = catalog.fingerprint(code_)
        if known is not None and known != fingerprint.strip():
            yield Issue(
                CODE,
                f"the properties of {code_} have changed since this template was made: "
                f"{_changes(columns, code_, catalog)}",
                f"make it anew with `feedtool template products --category {code_}`",
                None,
                code_,
            )


def _changes(columns: SheetColumns, code_: str, catalog: Catalog) -> str:
    """Which properties are new, gone or otherwise, and in what."""
    lists = [
        f"{title} {', '.join(names[:NAMED])}" + (" …" if len(names) > NAMED else "")
        for title, names in _changed(columns, code_, catalog)
        if names
    ]
    return "; ".join(lists) or "what is possible or needed in its columns"


def _changed(
    columns: SheetColumns, code_: str, catalog: Catalog
) -> Iterator[tuple[str, list[str]]]:
    """Names of properties, by what of them has changed."""
    properties = catalog.properties(code_) or ()
    was = read(stamped_list(columns.stamp, f"{STAMP_TRAITS}.{code_}"))
    # One that the template had a column of may be removed.
    added = [item for item in properties if item.reference not in columns.fields | was.keys()]
    yield (
        "without a column are",
        [f"{item.name}, mandatory" if item.is_mandatory else item.name for item in added],
    )
    # The properties that the template was made for, or where it is silent, has columns of.
    if was:
        gone = was.keys() - {item.reference for item in properties}
    else:
        codes = categories_of(columns.stamp)
        known = {item.reference for other in codes for item in catalog.properties(other) or ()}
        gone = {*columns.fields} - known - UNDERSTOOD_KEYS
    yield "no longer there are", sorted(gone)
    now = [
        (item, was[item.reference], fingerprint_of(item))
        for item in properties
        if item.reference in was
    ]
    for necessity in Necessity:
        needed = [item for item, old, new in now if old.necessity != new.necessity]
        names = [item.name for item in needed if item.necessity is necessity]
        yield f"{necessity.lower()} now are", names
    yield "other choices have", [item.name for item, old, new in now if old.choices != new.choices]
    yield (
        "another unit or other values have",
        [
            item.name + (f", in {item.unit}" if item.unit else "")
            for item, old, new in now
            if old.form != new.form
        ],
    )
