"""What other runs of a seller have left open, and will lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.delivery.deadlines import Clock, warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from feedtool.ledger import Ledger


def left_open(ledger: Ledger, run_id: int, clock: Clock) -> Iterator[str]:
    """A warning for each of their packages of which something is lost soon, or was.

    Args:
        ledger: Where the runs are.
        run_id: The run of which it is not asked.
        clock: That of their service.
    """
    this = ledger.run(run_id)
    if this is None:
        return
    for other in ledger.unfinished(this.seller):
        run = ledger.run(other)
        if run is None or other == run_id or run.service != this.service:
            continue
        for told in warnings(ledger.read_packages(other), clock):
            yield f"run {other}: {told}; go on with it: feedtool resume {other}"
