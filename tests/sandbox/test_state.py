import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
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
from tests.sandbox.desk import Desk

ROOT = Path(__file__).parents[2]


def test_a_state_file_is_its_owners_alone(tmp_path: Path, new_desk: type[Desk]) -> None:
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


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"PK\3\4"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    with pytest.raises(StateUnreadableError):
        Sandbox(sandbox_parts(), path)
    assert path.read_bytes() == content


def test_a_state_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    Sandbox(sandbox_parts(), path).close()
    change(path, "PRAGMA user_version = 99")
    with pytest.raises(StateUnreadableError, match="layout 99"):
        Sandbox(sandbox_parts(), path)


def test_the_database_of_another_program_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    change(path, "CREATE TABLE theirs(n)")
    before = path.read_bytes()
    with pytest.raises(StateUnreadableError, match="another program"):
        Sandbox(sandbox_parts(), path)
    assert path.read_bytes() == before


def change(path: Path, statement: str) -> None:
    db = sqlite3.connect(path)
    db.execute(statement)
    db.close()


CREATE_SOME = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import HttpRequest, Sandbox
headers = {"Authorization": "Bearer sandbox", "SellerId": "S1", "SalesChannelId": "PRIMARY",
           "Content-Type": "application/json"}
request = HttpRequest("POST", "/offer-packages", "", headers, b'{"packageType": "Upsert"}')
with Sandbox(sandbox_parts(), Path(sys.argv[1])) as sandbox:
    for _ in range(50):
        answer = sandbox.handle(request, datetime(2026, 3, 2, 9, tzinfo=timezone.utc))
        assert answer.status == 201, answer
"""


def test_processes_may_share_a_state(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "state.db"
    command = [sys.executable, "-c", CREATE_SOME, str(path)]
    workers = [subprocess.Popen(command, cwd=ROOT) for _ in range(3)]  # noqa: S603 - our own code
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    with new_desk(state=path) as desk:
        assert len({package["packageId"] for package in desk.pages("/offer-packages")}) == 150


START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Real:
    """Real time, as far as these tests know."""

    def __init__(self) -> None:
        self.passed = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed)

    def elapsed(self) -> float:
        return self.passed


@pytest.fixture
def state() -> Iterator[State]:
    state = State(None, [])
    yield state
    state.close()


def see(state: State, seconds: float) -> None:
    """A request so many seconds after the start."""
    with state.transaction() as db:
        latest_moment(db, START + timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("speed", "passed", "expected"), [(100, 0, 0), (100, 1, 100), (1, 60, 60), (0.5, 60, 30)]
)
def test_a_fast_clock(state: State, speed: float, passed: float, expected: float) -> None:
    real = Real()
    clock = FastClock(state, speed, real.now, real.elapsed)
    real.passed = passed
    assert clock.now() == START + timedelta(seconds=expected)


@pytest.mark.parametrize(("seen", "begins"), [(-60, 0), (0, 0), (3600, 3600)])
def test_a_fast_clock_goes_on_where_the_state_has_been(
    state: State, seen: float, begins: float
) -> None:
    see(state, seen)
    assert FastClock(state, 100, Real().now).now() >= START + timedelta(seconds=begins)


def test_sleeping_moves_a_leaping_clock_at_once() -> None:
    real = Real()
    clock = SandboxTransport((), real=real.now)
    assert clock.now() == START
    clock.sleep(40.5)
    assert clock.now() == START + timedelta(seconds=40.5)
    real.passed = 2
    assert clock.now() == START + timedelta(seconds=42.5)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["real", "sleep", "see"]),
            st.floats(-100, 1000, allow_nan=False),
        )
    )
)
def test_a_leaping_clock_never_runs_backwards(events: list[tuple[str, float]]) -> None:
    real = Real()
    clock = SandboxTransport((), real=real.now)
    state = clock.sandbox.state
    moments = [clock.now()]
    see_now(state, moments[0])
    for event, seconds in events:
        if event == "real":  # also when somebody sets the machine's clock back
            real.passed += seconds
        elif event == "sleep":
            before = clock.now()
            clock.sleep(max(0, seconds))
            assert abs((clock.now() - before).total_seconds() - max(0, seconds)) < 1e-5
        else:
            see(state, seconds)
        moments.append(clock.now())
        see_now(state, moments[-1])
    clock.close()
    assert moments == sorted(moments)


def see_now(state: State, now: datetime) -> None:
    """Every time that a clock gives is that of a request."""
    with state.transaction() as db:
        latest_moment(db, now)


HEADERS = {"Authorization": "Bearer sandbox", "SellerId": "S1"}


def client_of(transport: SandboxTransport) -> httpx.Client:
    return httpx.Client(base_url=transport.base, transport=transport, headers=HEADERS)


@pytest.fixture
def transport() -> Iterator[SandboxTransport]:
    transport = SandboxTransport(sandbox_parts())
    yield transport
    transport.close()


def commit(client: httpx.Client, transport: SandboxTransport, rows: list[object]) -> str:
    created = client.post(
        "/offer-packages", json={"packageType": "Upsert"}, headers={"SalesChannelId": "PRIMARY"}
    )
    location = created.headers["Content-Location"]
    assert client.post(f"{location}/offer-requests", json=rows).status_code == 201
    assert client.patch(location, json={"state": "Ready"}).status_code == 400
    transport.sleep(41)
    assert client.patch(location, json={"state": "Ready"}).status_code == 204
    return str(location)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("v2/offer-packages", 200),
        *((path, 404) for path in ("v1/offer-packages", "offer-packages", "v2", "")),
    ],
)
def test_the_version_is_part_of_the_address(
    transport: SandboxTransport, path: str, status: int
) -> None:
    assert client_of(transport).get(f"http://sandbox.invalid/{path}").status_code == status


def test_transports_may_share_a_state(tmp_path: Path, new_desk: type[Desk]) -> None:
    path = tmp_path / "state.db"
    one, other = SandboxTransport(sandbox_parts(), path), SandboxTransport(sandbox_parts(), path)
    location = commit(client_of(one), one, [new_desk.offer("A")])
    other.sleep(101)
    assert client_of(one).get(location).json()["state"] == "Integrated"
    one.close()
    other.close()
