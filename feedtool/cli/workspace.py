"""Where what was sent is written down: the ledger and the snapshots of the user's files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from feedtool.runs.workspace import Workspace


@contextmanager
def books(home: Path, ledger: str | None) -> Iterator[Workspace]:
    """Those of the state folder; `ledger` is the URL of a database that several machines share."""
    from feedtool.ledger import Ledger
    from feedtool.ledger.snapshots import Snapshots

    with Ledger(ledger or home / "ledger.sqlite") as opened:
        yield Workspace(opened, Snapshots(home / "snapshots"), home / "results")
