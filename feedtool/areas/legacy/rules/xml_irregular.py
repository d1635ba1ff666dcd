"""An Offers.xml has something otherwise than the format demands, and was read nevertheless.

What can only mean one thing is read, such as capital booleans, elements in another order or an
attribute that is missing; what the format does not know is left out. The message says what it is,
how often it occurs, and in which lines first. So does what is not followed: a purge, which has to
be asked for on the command line, and publication pools that name several channels.

Example: `PurgeAndReplace="False"` is read as `false`.

To mend it, correct the program that makes the file, since the service may be less patient.
"""

from feedtool.feeds.rule import code, notices
from feedtool.model.nouns import Severity

CODE = code(__name__, __doc__, Severity.WARNING)
check_sheet = notices(CODE, "correct the program that makes the file")
