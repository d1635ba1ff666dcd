"""Sellers' passes, queued in a PostgreSQL."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from feedtool.ledger import Ledger
from feedtool.ledger.database import open_engine, reading
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.worker import queue as queues
from feedtool.worker.queue import PassQueue, QueuedPass
from tests.ledger.conftest import Server

KEY, OTHER = ("https://service.example/v2", "S1"), ("https://service.example/v2", "S2")
SOON = datetime.now(UTC) + timedelta(hours=1)
LATE = SOON + timedelta(hours=1)


@pytest.fixture
def queue(postgresql: str) -> Iterator[PassQueue]:
    with Ledger(postgresql) as ledger, PassQueue(ledger.engine) as opened:
        yield opened


def test_a_sellers_pass_is_queued_once(queue: PassQueue) -> None:
    for key in (KEY, OTHER, KEY):
        queue.put(key)
    first, second = queue.listed()
    assert first == QueuedPass(first.job, KEY, is_running=False, priority=0, due=None)
    assert second.key == OTHER


TWICE = (
    ((None, 0), (None, 0), (None, 0)),
    ((None, 0), (SOON, 0), (None, 0)),
    ((SOON, 0), (None, 0), (None, 0)),
    ((LATE, 0), (SOON, 0), (SOON, 0)),
    ((SOON, 0), (LATE, 0), (SOON, 0)),
    ((None, 0), (None, 3), (None, 3)),
    ((None, 3), (None, 0), (None, 3)),
    ((SOON, 3), (None, 0), (None, 3)),
    ((None, 0), (SOON, 3), (None, 3)),
)
"""Time and priority of a seller's pass, and of another one, and those that it is queued with."""


def test_the_sooner_due_and_the_higher_priority_win(queue: PassQueue) -> None:
    keys = [(KEY[0], f"S{number}") for number in range(len(TWICE))]
    for nth in (0, 1):
        for key, settings in zip(keys, TWICE, strict=True):
            queue.put(key, *settings[nth])
    queued = {entry.key: (entry.due, entry.priority) for entry in queue.listed()}
    assert queued == {key: expected for key, (*_, expected) in zip(keys, TWICE, strict=True)}
    assert len(queue.listed()) == len(keys)


def test_the_queue_is_beside_the_ledger(postgresql: str, queue: PassQueue) -> None:
    engine = open_engine(postgresql)
    query = "SELECT table_name FROM information_schema.tables WHERE table_schema = :name"
    with reading(engine) as db:
        tables = set(db.scalars(text(query), {"name": queue.schema}))
        ledgers = set(db.scalars(text(query), {"name": "public"}))
    engine.dispose()
    assert queue.schema.startswith("public_queue_")
    assert "procrastinate_jobs" in tables
    assert not {name for name in ledgers if "procrastinate" in name}


def test_several_that_begin_at_once_make_one_queue(new_database: str) -> None:
    def begin(seller: str) -> str:
        engine = open_engine(new_database)
        with PassQueue(engine) as queue:
            queue.put((KEY[0], seller))
        engine.dispose()
        return queue.schema

    with ThreadPoolExecutor(4) as threads:
        schemas = set(threads.map(begin, "abcd"))
    assert len(schemas) == 1
    with Ledger(new_database) as ledger, PassQueue(ledger.engine) as queue:
        assert {entry.key[1] for entry in queue.listed()} == set("abcd")


def test_two_ledgers_of_a_database_have_two_queues(new_database: str) -> None:
    one, other = (f"{new_database}&options=-csearch_path%3D{name}" for name in ("one", "other"))
    engine = open_engine(new_database)
    with engine.begin() as db:
        for name in ("one", "other"):
            db.execute(text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    with (
        Ledger(one) as first,
        Ledger(other) as second,
        PassQueue(first.engine) as queue,
        PassQueue(second.engine) as another,
    ):
        queue.put(KEY)
        assert (len(queue.listed()), len(another.listed())) == (1, 0)


def test_a_missing_right_to_create_a_schema_is_reported(new_database: str) -> None:
    with Ledger(new_database) as ledger, ledger.engine.begin() as db:
        name = ledger.engine.url.database
        db.execute(text("CREATE ROLE clerk LOGIN"))
        db.execute(text("GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk"))
    try:
        clerk = new_database.replace("postgres@", "clerk@")
        with Ledger(clerk) as ledger, pytest.raises(UsageProblem) as caught:
            PassQueue(ledger.engine)
        assert str(name) in caught.value.message
        assert "GRANT CREATE ON DATABASE" in caught.value.hint
    finally:
        with Ledger(new_database) as ledger, ledger.engine.begin() as db:
            db.execute(text("DROP OWNED BY clerk"))
            db.execute(text("DROP ROLE clerk"))


def test_an_absent_server_is_reported(
    postgresql: str, queue: PassQueue, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.put(KEY)
    server.end_connections(postgresql)
    queue.put(OTHER)  # on new connections
    monkeypatch.setattr(queues, "PATIENCE", 0.1)
    with Ledger(postgresql) as ledger, PassQueue(ledger.engine) as impatient:
        server.allow(postgresql, connections=False)
        server.end_connections(postgresql)
        with pytest.raises(Interrupted, match=r"The queue in .* cannot be used"):
            impatient.put(KEY)
    server.allow(postgresql, connections=True)


def test_a_ledger_of_only_this_machine_is_refused() -> None:
    with Ledger() as ledger, pytest.raises(UsageProblem, match="share a ledger on PostgreSQL"):
        PassQueue(ledger.engine)
