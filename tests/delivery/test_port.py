"""The real thing: a ledger on disk, threads, real time, and the service on a port."""

import socket
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from feedtool.areas.offers.sandbox.records import applied_requests
from feedtool.areas.registry import load, sandbox_parts
from feedtool.delivery import plan
from feedtool.delivery.engine import deliver
from feedtool.ledger import Ledger
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Status
from feedtool.sandbox.server import serving
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.delivery.conftest import upsert


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "state" / "ledger.db") as opened:
        yield opened


def planned(ledger: Ledger, rows: int) -> tuple[int, int]:
    run = ledger.start_run(now=now(), seller="S1", service="x")
    stream = plan.uploads((upsert(row) for row in range(3, rows + 3)), load().routes)
    return run, ledger.add_file(run, stream, path="a", sha256="", kind="k")


def test_a_thousand_rows(ledger: Ledger) -> None:
    run, file = planned(ledger, 1000)
    with (
        serving(sandbox_parts()) as server,
        Client(server.base, "S1", StaticToken("sandbox")) as client,
    ):
        deliver(ledger, run, client, load().routes, now=now, sleep=time.sleep)
        assert len(list(applied_requests(server.sandbox))) == 1000
    assert Counter(v.status for v in ledger.verdicts(file)) == {Status.INTEGRATED: 1000}


def test_nobody_listens(ledger: Ledger) -> None:
    run, _ = planned(ledger, 1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/v2"
    slept: list[float] = []
    moment = [datetime(2025, 3, 4, 12, tzinfo=UTC)]
    told: list[tuple[str, str]] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        moment[0] = datetime.fromtimestamp(moment[0].timestamp() + seconds, UTC)

    with (
        Client(base, "S1", StaticToken("sandbox")) as client,
        pytest.raises(Interrupted, match=r"reached: 127\.0\.0\.1:\d+ refused the connection$"),
    ):
        deliver(
            ledger,
            run,
            client,
            load().routes,
            now=lambda: moment[0],
            sleep=sleep,
            jitter=lambda: 1.0,
            pool=1,
            on_event=lambda event: told.append((event.kind, event.text)),
        )
    assert slept == [2.0, 4.0, 8.0, 16.0, 32.0]
    assert [kind for kind, _ in told] == ["unreachable"] + ["trouble"] * 5
    assert told[0][1].endswith("refused the connection; trying again until about 12:01:02 UTC")
    assert f"{moment[0]:%H:%M:%S}" == "12:01:02"
