import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox, StateUnreadableError
from feedtool.sandbox.server import FastClock
from feedtool.sandbox.state import State, latest_moment
from feedtool.sandbox.transport import SandboxTransport
from tests.areas.offers.sandbox.records import applied_requests
from tests.forked import Child
from tests.sandbox.desk import HEADERS, START, Desk

ROOT = Path(__file__).parents[2]


def test_only_its_owner_can_read_a_state_file(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "deep" / "state.db"
    with new_desk(state=path) as desk:
        desk.create()
        modes = {file.name: oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(("state.db", "state.db-wal", "state.db-shm"), "0o600")


def test_a_state_lives_on(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "state.db"
    with new_desk(state=path) as desk:
        package_id = desk.committed("Upsert", [desk.offer("A")])
    with new_desk(state=path) as desk:
        desk.wait(200)
        assert desk.state(package_id) == "Integrated"
        assert [entry.reference for entry in applied_requests(desk.sandbox)] == ["A"]


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)


FOREIGN: dict[str, tuple[Callable[[Path], object], str | None]] = {
    "text": (lambda path: path.write_bytes(b"not a database at all" * 100), None),
    "a zip": (lambda path: path.write_bytes(b"PK\3\4"), None),
    "another program's": (lambda path: change(path, "CREATE TABLE theirs(n)"), "another program"),
}


@pytest.mark.parametrize(("write", "why"), FOREIGN.values(), ids=FOREIGN)
def test_another_file_is_refused_untouched(
    tmp_path: Path, write: Callable[[Path], object], why: str | None
) -> None:
    path = tmp_path / "state.db"
    write(path)
    before = path.read_bytes()
    with pytest.raises(StateUnreadableError, match=why):
        Sandbox(sandbox_parts(), path)
    assert path.read_bytes() == before


def test_a_state_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    Sandbox(sandbox_parts(), path).close()
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(StateUnreadableError, match="layout 99"):
        Sandbox(sandbox_parts(), path)


CREATE_SOME = """
import sys
from pathlib import Path
from tests.sandbox.desk import Desk
with Desk(state=Path(sys.argv[1])) as desk:
    for _ in range(6):
        desk.create()
"""


def test_processes_may_share_a_state(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "state.db"
    run = partial(Child, "tests.ledger.lines:run_lines", CREATE_SOME, str(path), folder=ROOT)
    with run() as one, run() as other:
        assert [worker.wait(60) for worker in (one, other)] == [0, 0]
    with new_desk(state=path) as desk:
        assert len({package["packageId"] for package in desk.pages("/offer-packages")}) == 12


class Real:
    """Real time, as far as these tests know."""

    passed = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed)


@pytest.fixture
def state() -> Iterator[State]:
    with closing(State(None, [])) as state:
        yield state


def request_at(state: State, now: datetime) -> None:
    """A request of this time."""
    with state.transaction() as db:
        latest_moment(db, now)


@pytest.mark.parametrize(
    ("speed", "passed", "expected"), [(100, 0, 0), (100, 1, 100), (1, 60, 60), (0.5, 60, 30)]
)
def test_a_fast_clock(state: State, speed: float, passed: float, expected: float) -> None:
    real = Real()
    clock = FastClock(state, speed, real.now, lambda: real.passed)
    real.passed = passed
    assert clock.now() == START + timedelta(seconds=expected)


@pytest.mark.parametrize(("seen", "begins"), [(-60, 0), (0, 0), (3600, 3600)])
def test_a_fast_clock_goes_on_where_the_state_has_been(
    state: State, seen: float, begins: float
) -> None:
    request_at(state, START + timedelta(seconds=seen))
    assert FastClock(state, 100, Real().now).now() >= START + timedelta(seconds=begins)


def test_sleeping_moves_a_leaping_clock_at_once() -> None:
    real = Real()
    with closing(SandboxTransport((), real=real.now)) as clock:
        assert clock.now() == START
        clock.sleep(40.5)
        assert clock.now() == START + timedelta(seconds=40.5)
        real.passed = 2
        assert clock.now() == START + timedelta(seconds=42.5)


@given(
    st.lists(
        st.tuples(st.sampled_from(["real", "sleep", "see"]), st.floats(-100, 1000, allow_nan=False))
    )
)
def test_a_leaping_clock_never_runs_backwards(events: list[tuple[str, float]]) -> None:
    real = Real()
    with closing(SandboxTransport((), real=real.now)) as clock:
        state = clock.sandbox.state
        moments = [clock.now()]
        request_at(state, moments[0])  # every time that a clock gives is that of a request
        for event, seconds in events:
            if event == "real":  # also when somebody sets the machine's clock back
                real.passed += seconds
            elif event == "sleep":
                before = clock.now()
                clock.sleep(max(0, seconds))
                assert abs((clock.now() - before).total_seconds() - max(0, seconds)) < 1e-5
            else:
                request_at(state, START + timedelta(seconds=seconds))
            moments.append(clock.now())
            request_at(state, moments[-1])
    assert moments == sorted(moments)


def client_of(transport: SandboxTransport) -> httpx.Client:
    return httpx.Client(base_url=transport.base, transport=transport, headers=HEADERS)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("v2/offer-packages", 200),
        *((path, 404) for path in ("v1/offer-packages", "offer-packages", "v2", "")),
    ],
)
def test_the_version_is_part_of_the_address(path: str, status: int) -> None:
    with closing(SandboxTransport(sandbox_parts())) as transport:
        assert client_of(transport).get(f"http://sandbox.invalid/{path}").status_code == status


def test_transports_may_share_a_state(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "state.db"
    one, other = SandboxTransport(sandbox_parts(), path), SandboxTransport(sandbox_parts(), path)
    client, ready = client_of(one), {"state": "Ready"}
    kind, channel = {"packageType": "Upsert"}, {"SalesChannelId": "PRIMARY"}
    created = client.post("/offer-packages", json=kind, headers=channel)
    location = created.headers["Content-Location"]
    rows = [new_desk.offer("A")]
    assert client.post(f"{location}/offer-requests", json=rows).status_code == 201
    assert client.patch(location, json=ready).status_code == 400
    one.sleep(41)
    assert client.patch(location, json=ready).status_code == 204
    other.sleep(101)
    assert client.get(location).json()["state"] == "Integrated"
    one.close()
    other.close()
