"""A column that no feed knows.

Its cells are kept in the annotated copy and are not sent. One warning names all such columns and
the nearest known header of each.

Example: `Prise`; did you mean `Price`?

To mend it, rename the header if the column is meant to be sent, or give the profile's `[columns]`
table a line for it.
"""

from collections.abc import Iterator

from feedtool.model import Fault, Severity
from feedtool.rules import SheetFacts, code

CODE = code(__name__, __doc__, Severity.WARNING)


def check_sheet(sheet: SheetFacts) -> Iterator[Fault]:
    """One warning for all of them."""
    if not sheet.unknown:
        return
    names = [
        f"“{header}” in {column}" + (f" (did you mean {nearest}?)" if nearest else "")
        for column, header, nearest in sheet.unknown
    ]
    yield Fault(
        CODE,
        f"not sent: {', '.join(names)}",
        "rename the header, or map it in the profile's [columns] table",
        value=sheet.unknown[0][1],
    )
