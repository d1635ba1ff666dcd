"""The folder of the user's state: ledger, snapshots, catalogue and sandbox."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool.model.errors import UsageProblem

if TYPE_CHECKING:
    from feedtool.runs.workspace import Workspace


def home_path(given: Path | None) -> Path:
    """The place where the user's state belongs."""
    from platformdirs import user_state_path

    return given or user_state_path("feedtool", appauthor=False)


def home_folder(given: Path | None) -> Path:
    """The folder of the user's state, made if need be, readable by the user alone."""
    folder, hint = home_path(given), "choose another one with --home"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = f"the state folder {folder} cannot be made: {error.strerror}"
        raise UsageProblem(reason, hint) from error
    if not os.access(folder, os.W_OK):
        raise UsageProblem(f"the state folder {folder} cannot be written", hint)
    return folder


@contextmanager
def open_workspace(home: Path, ledger: str | None) -> Iterator["Workspace"]:
    """The records of the state folder; `ledger` is the URL of a database that machines share."""
    from feedtool.ledger import Ledger
    from feedtool.ledger.snapshots import Snapshots
    from feedtool.runs.workspace import Workspace

    with Ledger(ledger or home / "ledger.sqlite") as opened:
        yield Workspace(opened, Snapshots(home / "snapshots"), home / "results")
