"""The sheet's own note of its size is wrong.

Some exporting programs note a smaller or larger area than the sheet has. feedtool reads every
cell that is there, whatever the note says.

Example: the note says `A1:B2`, and there are cells down to L400.

Nothing needs to be done; saving the file in a spreadsheet program corrects the note.
"""

from feedtool.feeds.rule import code, notices
from feedtool.model.nouns import Severity

CODE = code(__name__, __doc__, Severity.WARNING)
check_sheet = notices(CODE, "")
