"""What other runs of a seller have left open, and will lose."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from feedtool.delivery.deadlines import in_real_time, warnings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from feedtool.ledger import Ledger


def left_open(
    ledger: Ledger, run_id: int, now: datetime, ahead: timedelta = timedelta(0)
) -> Iterator[str]:
    """A warning for each of their packages of which something is lost soon, or was.

    Args:
        ledger: Where the runs are.
        run_id: The run of which it is not asked.
        now: Real time.
        ahead: What the clock of the ledger's times is ahead of it.
    """
    this = ledger.run(run_id)
    if this is None:
        return
    at = now + ledger.skew(this.service)
    for other in ledger.unfinished(this.seller):
        run = ledger.run(other)
        if run is None or other == run_id or run.service != this.service:
            continue
        packages = [in_real_time(one, ahead) for one in ledger.read_packages(other)]
        for told in warnings(packages, at):
            yield f"run {other}: {told}; go on with it: feedtool resume {other}"
