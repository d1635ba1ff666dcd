"""The file names no encoding and is not UTF-8, so the profile's fallback was taken.

The message shows what was decoded. If letters with accents look right there, all is well.

Example: a CSV that Excel saved as plain “CSV”, where `é` is the single byte E9.

To mend it, save the file as “CSV UTF-8”, or set `csv_fallback` in the profile.
"""

from feedtool.feeds.rule import code, notices
from feedtool.model.nouns import Severity

CODE = code(__name__, __doc__, Severity.WARNING)
check_sheet = notices(CODE, "look whether accents are right; save as CSV UTF-8 to be sure")
