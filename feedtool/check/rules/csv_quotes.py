"""The quotation marks of a CSV do not fit its fields; the rows were read all the same.

A mark stands inside a field that is not quoted (`24" screen`), or text follows a closing mark
(`"24" screen`). Or a quoted field goes on over lines that each look like a row: if a mark was
forgotten, these rows are missing. Where marks show for certain that rows would be missing, the file
is refused as `csv-unterminated-quote`.

Example: `A-1,24" screen,99.00`, which should be `A-1,"24"" screen",99.00`.

To mend it, look at the lines that the message names; export the file from a spreadsheet program.
"""

from feedtool.feeds.rule import code, notices
from feedtool.model.nouns import Severity

CODE = code(__name__, __doc__, Severity.WARNING)
check_sheet = notices(CODE, 'close each mark, or double it if it is text: "24"" screen"')
