"""A seller at the sandbox, whose runs are begun, gone on with and told of."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.check import Input, ReadOptions
from feedtool.ledger import Ledger
from feedtool.ledger.database import IN_MEMORY
from feedtool.ledger.snapshots import Snapshots
from feedtool.runs.deliver import Submission
from feedtool.runs.outputs import Outputs
from feedtool.runs.submit import submit
from feedtool.runs.workspace import Session, Workspace
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.delivery.conftest import quick
from tests.ledger.empty import ledger_in_memory

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ADDRESS = "http://sandbox.invalid/v2"


class Desk:
    """A seller at the sandbox, with a ledger in memory, or at a place."""

    def __init__(
        self, folder: Path, place: Path | str = IN_MEMORY, *, is_known: bool = True
    ) -> None:
        self.transport = SandboxTransport(sandbox_parts(), settings=quick(), real=lambda: START)
        self._opened = ExitStack()
        opening: AbstractContextManager[Ledger]
        opening = ledger_in_memory() if place == IN_MEMORY else Ledger(place)
        self.ledger = self._opened.enter_context(opening)
        self.workspace = Workspace(self.ledger, Snapshots(folder / "snapshots"), folder / "results")
        token = StaticToken("sandbox" if is_known else "wrong")
        client = Client(ADDRESS, "seller", token, language="en", transport=self.transport)
        now, sleep = self.transport.now, self.transport.sleep
        self.session = Session(client, "seller", ADDRESS, "en", now, sleep, pool=1)

    def close(self) -> None:
        self.transport.close()
        self._opened.close()

    def submit(self, *paths: Path, outputs: Outputs | None = None, **how: bool) -> Submission:
        inputs = [Input(path.name, path) for path in paths]
        return submit(
            inputs,
            ReadOptions(),
            outputs or Outputs(),
            self.session,
            self.workspace,
            is_all_or_nothing=how.get("is_all_or_nothing", False),
            wait=how.get("wait", True),
        )


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home")
    yield made
    made.close()


def statuses(submission: Submission) -> list[list[tuple[int, str]]]:
    return [
        [(verdict.row, verdict.status.value) for verdict in outcome.every_verdict()]
        for outcome in submission.outcomes
    ]
