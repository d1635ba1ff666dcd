"""The words of the service, and ours for a row or a package: what `feedtool explain` says of each.

Source: specification, "States and transitions" and "Errors"; of reports the field's knowledge.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Word(NamedTuple):
    """A word that is explained."""

    kind: str
    """What it is said of."""
    page: str
    """The first line is its summary."""


ROW, PACKAGE, BOTH = "status of a row", "state of a package", "status of a row or a package"
PHASE, REPORT, ERROR = "step of a package", "word of a report", "error of the service"
RESULT = "result code of the service"
_WORDS = {
    # Rows, and packages in the same words.
    "Valid": (ROW, "Nothing is wrong with the row, and nothing was sent."),
    "Invalid": (ROW, "Not sent: the checks found something wrong, which the message tells."),
    "Integrated": (
        BOTH,
        """The service has taken the row; of a package: it is done, and its rows have their results.

Nothing needs to be done. A result code 8000 or 9000 only confirms it.""",
    ),
    "Rejected": (
        BOTH,
        """The service has refused the row, or the package as a whole; the message says why.

To mend it, look at the code beside it (`feedtool explain CODE`), correct the row, and send it
again: `feedtool results RUN --failed-only` writes a workbook of just these rows.""",
    ),
    "Duplicated": (
        ROW,
        """The service has refused the row, since its reference occurs more than once in a package.

To mend it, keep one row for each reference, and send it again.""",
    ),
    "Refused": (
        ROW,
        """The service has refused the product; the messages of its report say why.

To mend it, correct the fields that the messages name, and send the row again.""",
    ),
    "Pending": (
        ROW,
        """Not answered yet, or not sent when the run stopped: the message says which.

To go on, `feedtool resume` sends what is left, and `feedtool results RUN` fetches the answers.""",
    ),
    "Unchanged": (ROW, "Not sent: the service has accepted the same before (`--changed-only`)."),
    "Held": (
        ROW,
        """Not sent: a guard takes the row for a mistake, or all rows were to be sent or none.

To send it, correct it; or `--release` and the guard's code sends it as it is.""",
    ),
    "Skipped": (
        ROW,
        """Not sent: the row is a total, or repeats the header.

To send it all the same, `--as-row` and its number takes it.""",
    ),
    "Superseded": (ROW, "Not sent any more: a later run has sent the same reference."),
    "Unknown": (
        ROW,
        """The service no longer says what became of the row; the message tells why.

To find out, look for the offer: `feedtool export offers` brings what the service has.""",
    ),
    # The specification's states of a package.
    "WaitingForCompletion": (
        PACKAGE,
        "The package takes rows, and is not committed; the service keeps it for 6 hours.",
    ),
    "Ready": (PACKAGE, "The package is committed, and the service will work on it by itself."),
    "IntegrationPending": (PACKAGE, "The service is working on the package; results come later."),
    # Our own steps (`ledger.Phase`), which stand where the service has said no state yet.
    "planned": (PHASE, "The service knows nothing of the package yet."),
    "cleared": (PHASE, "Its references are in no other open package: it may be created."),
    "checked": (PHASE, "The request was looked at, and can be sent."),
    "creating": (PHASE, "The package is being created."),
    "filling": (PHASE, "Its rows are being uploaded."),
    "probing": (PHASE, "An upload went wrong: the package is looked at before the next one."),
    "filled": (PHASE, "Every upload has had its answer, or is in doubt."),
    "settled": (PHASE, "All is uploaded, and the service waits for the commit."),
    "committing": (PHASE, "The commit is being sent; from here on there is no way back."),
    "committed": (PHASE, "The service works on the package."),
    "read": (PHASE, "Its results are read."),
    "looking": (PHASE, "Rows without a result are looked up among the seller's offers."),
    "submitting": (PHASE, "A batch of products, or a legacy zip, is being sent."),
    "submitted": (PHASE, "The service has the batch or the zip; its report is awaited."),
    "closed": (PHASE, "Nothing more is to be done for the package."),
    # What the reports of products say.
    "Validated": (REPORT, "The product is right so far, and is not integrated yet."),
    "Creation": (REPORT, "The product sheet is new."),
    "Modification": (REPORT, "The product sheet was there, and was completed."),
    "Identical": (REPORT, "The product sheet had all of it already: nothing was changed."),
    "QuotaExceeded": (
        REPORT,
        """No more products may be created for now.

To go on, wait; `quota_pause` in the profile says how long feedtool itself waits.""",
    ),
    # The specification's errors of requests.
    "ER400-179": (ERROR, "A name in `fields` does not exist."),
    "ER400-2108": (ERROR, "A category reference is not 2, 4 or 6 letters and digits."),
    "ER400-9250": (ERROR, "A field is null or empty."),
    "ER400-7480": (ERROR, "A required field is missing, for example the GTIN."),
    "ER400-8614": (ERROR, "A product reference has more than letters, digits, `-` and `.`."),
}

WORDS: Mapping[str, Word] = MappingProxyType({name: Word(*said) for name, said in _WORDS.items()})
"""By the word as it is written."""
