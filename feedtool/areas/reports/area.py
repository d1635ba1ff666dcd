"""Reports, as the area declares itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Its lists, which few commands bring."""
    from feedtool.areas.reports.export import EXPORTS

    return EXPORTS


AREA = Area("reports", tr("Reports"), exports=exports)
"""Reports of sales that the service makes for accounting and for authorities."""
