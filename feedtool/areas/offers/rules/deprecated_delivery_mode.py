"""A delivery mode that is about to disappear.

Standard and Express are still taken and will be removed with the next major version of the
service (specification, "Versioning" 2).

Example: a sheet with the column `deliveryModes.Standard.cost`.

To mend it, move the amounts to the columns of another mode, such as TrackedHomeDelivery.
"""

from collections.abc import Iterator

from feedtool.feeds.rule import SheetFacts, code
from feedtool.model.nouns import Issue, Severity
from feedtool.model.settings import DEPRECATED_MODES

CODE = code(__name__, __doc__, Severity.WARNING)
KINDS = ("offers-upsert", "offers-update", "offers-delete")


def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
    """A warning for each deprecated mode that the header has."""
    for mode in sheet.columns.modes:
        if mode.code in DEPRECATED_MODES:
            yield Issue(
                CODE,
                f"the delivery mode {mode.code} is about to be removed from the service",
                "use another mode, such as TrackedHomeDelivery",
                mode.cost,
            )
