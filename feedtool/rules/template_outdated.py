"""The properties of a category have changed since the template was made.

A template is stamped with a fingerprint of the properties that it was made for. The local
catalogue has others now; the rows are checked by these. The message says what is new and what is
gone.

Example: the category `011B01` has a new mandatory property, for which the sheet has no column.

To mend it, make the template anew with `feedtool template products --category CODE`, and copy the
rows into it; or add the columns that the message names.
"""

from collections.abc import Iterator

from feedtool.catalog import Catalog, Property
from feedtool.feeds import SheetColumns
from feedtool.feeds.products import (
    STAMP_FINGERPRINT,
    STAMP_LANGUAGE,
    categories_of,
    is_common,
    listed,
)
from feedtool.model import Fault, Severity
from feedtool.rules import SheetFacts, code

CODE = code(__name__, __doc__, Severity.WARNING)
KINDS = ("products",)

NAMED = 12


def check_sheet(sheet: SheetFacts) -> Iterator[Fault]:
    """A warning for each category whose fingerprint is another one."""
    columns = sheet.columns
    language = columns.stamp.get(STAMP_LANGUAGE)
    catalog = columns.dialect.catalog(language)
    # Units and choices are translated: what is of another language has another fingerprint.
    if catalog is None or catalog.language != (language or catalog.language):
        return
    for code_, stamped in _stamped(columns).items():
        known = catalog.fingerprint(code_)
        if known is not None and known != stamped:
            yield Fault(
                CODE,
                f"the properties of {code_} have changed since this template was made: "
                f"{_changes(columns, code_, catalog)}",
                f"make it anew with `feedtool template products --category {code_}`",
                None,
                code_,
            )


def _stamped(columns: SheetColumns) -> dict[str, str]:
    pairs = listed(columns.stamp, STAMP_FINGERPRINT)
    return {
        code_.strip(): fingerprint.strip()
        for code_, separator, fingerprint in (pair.partition(":") for pair in pairs)
        if separator
    }


def _changes(columns: SheetColumns, code_: str, catalog: Catalog) -> str:
    """What can be told of it: the template keeps its columns, and no more."""
    properties = catalog.properties(code_) or ()
    new = [_told(one) for one in properties if one.reference not in columns.fields]
    others = {one for other in categories_of(columns.stamp) for one in _references(other, catalog)}
    gone = sorted(key for key in columns.fields - others if not is_common(key))
    told = [
        f"{title} {', '.join(some[:NAMED])}" + (" …" if len(some) > NAMED else "")
        for title, some in (("without a column are", new), ("no longer there are", gone))
        if some
    ]
    return "; ".join(told) or "what is possible or needed in its columns"


def _references(code_: str, catalog: Catalog) -> Iterator[str]:
    return (one.reference for one in catalog.properties(code_) or ())


def _told(one: Property) -> str:
    name = f"{one.label} ({one.reference})" if one.label else one.reference
    return f"{name}, mandatory" if one.is_mandatory else name
