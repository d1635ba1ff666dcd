"""A column that this kind of feed does not know.

Its cells are kept in the annotated copy and are not sent. One warning names all such columns and
the nearest known header of each, or the kind of feed that has it: a comment travels in a legacy zip
alone.

Example: `Prise`; did you mean `Price`?

To mend it, rename the header if the column is meant to be sent, or give the profile's `[columns]`
table a line for it.
"""

from collections.abc import Iterator

from feedtool.feeds.rule import SheetFacts, code
from feedtool.model.nouns import Issue, Severity

CODE = code(__name__, __doc__, Severity.WARNING)


def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
    """One warning for all of them."""
    if not sheet.unknown:
        return
    names = [
        f"“{header}” in {column}" + _meaning(nearest, sheet.elsewhere.get(header))
        for column, header, nearest in sheet.unknown
    ]
    yield Issue(
        CODE,
        f"not sent: {', '.join(names)}",
        "nothing needs to be done if it is not meant to be sent here"
        if all(header in sheet.elsewhere for _, header, _ in sheet.unknown)
        else "rename the header, or map it in the profile's [columns] table",
        value=sheet.unknown[0][1],
    )


def _meaning(nearest: str | None, kind: str | None) -> str:
    if kind:  # as an Offers.xml that is sent as JSON packages brings them along
        return f" (a column of {kind})"
    return f" (did you mean {nearest}?)" if nearest else ""
