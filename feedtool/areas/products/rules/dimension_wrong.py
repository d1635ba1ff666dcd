"""The sheet's own note of its size is wrong.

Some exporting programs note a smaller or larger area than the sheet has. feedtool reads every
cell that is there, whatever the note says.

Example: the note says `A1:B2`, and there are cells down to L400.

Nothing needs to be done; saving the file in a spreadsheet program corrects the note.
"""

from collections.abc import Iterator

from feedtool.feeds.rule import SheetFacts, code
from feedtool.model.nouns import Fault, Severity

CODE = code(__name__, __doc__, Severity.WARNING)


def check_sheet(sheet: SheetFacts) -> Iterator[Fault]:
    """Passes on what reading noticed, once however often the sheet was gone through."""
    for notice in dict.fromkeys(sheet.notices.get(CODE.name, ())):
        yield Fault(CODE, notice, "")
