import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, select
from sqlalchemy.event import listen

from feedtool.ledger import Ledger, tables
from feedtool.ledger.database import IN_MEMORY, reading, writing
from feedtool.ledger.lock import (
    DEAD_AFTER,
    DEAD_SOON,
    NAME_LENGTH,
    Held,
    Holder,
    at_work,
    hold,
    holders,
)
from feedtool.ledger.records import seller_key
from feedtool.model.errors import Exit, Interrupted, UsageProblem
from tests.ledger.cluster import PATIENCE
from tests.ledger.conftest import NOW, SERVICE, Opening, Process, Server

HOLDING = f"""
from feedtool.ledger.lock import hold
engine = open_engine(place)
with hold(engine, "S1", "{SERVICE}", command="submit", now=now):
    say("held"); listen()
say("free"); listen()
"""
"""Another process that holds the lock until it gets a line."""
KEYS = [seller_key(SERVICE, seller) for seller in ("S1", "S2", "S3")]


@pytest.fixture
def engine(ledger: Ledger) -> Engine:
    return ledger.engine


@pytest.fixture
def other(place: Path | str, engine: Engine) -> Iterator[Process]:
    with Process(HOLDING, str(place)) as process:
        assert process.heard() == "held"
        yield process
    del engine


def held(
    engine: Engine, seller: str = "S1", service: str = SERVICE, **more: Any
) -> AbstractContextManager[None]:
    return hold(engine, seller, service, command="watch", now=NOW, **more)


def test_a_lock_is_held_by_one_process_and_a_waiting_one_gets_it(
    engine: Engine, other: Process
) -> None:
    # The refusal names the holder.
    with pytest.raises(Held) as caught, held(engine):
        pass
    me, holder = Holder.here("submit", NOW), caught.value.holder
    assert holder is not None
    assert me.host.startswith(holder.host)
    assert holder == replace(me, pid=other.pid, host=holder.host)
    assert caught.value.exit is Exit.USAGE
    who = f"by process {other.pid} on {holder.host} since 2026-03-02 09:00 UTC"
    told = f"is held for seller S1 {who} (feedtool submit, of {me.user})"
    assert told in caught.value.message
    assert "wait until it is done" in caught.value.hint
    # Everybody sees who holds it.
    with held(engine, "S2"):
        found = holders(engine, KEYS)
        assert {key[1]: it and (it.pid, it.command) for key, it in found.items()} == {
            "S1": (other.pid, "submit"),
            "S2": (os.getpid(), "watch"),
        }
        assert {(it.pid, it.command) for it in at_work(engine)} == {
            (other.pid, "submit"),
            (os.getpid(), "watch"),
        }
    assert [key[1] for key in holders(engine, KEYS)] == ["S1"]
    assert holders(engine, KEYS[1:]) == {}
    # Waiting ends.
    answers = [True, True, False]
    wait = held(engine, wait=lambda _: answers.pop(0))
    with pytest.raises(Held, match=f"process {other.pid} "), wait:
        pass
    assert answers == []
    # A waiting process gets the lock once it is free.
    met: list[Holder | None] = []
    until = time.monotonic() + PATIENCE

    def go_on(held: Held) -> bool:
        other.tell()
        met.append(held.holder)
        time.sleep(0.01)
        return time.monotonic() < until

    with held(engine, wait=go_on):
        assert other.heard() == "free"
    assert [holder.pid for holder in met if holder][:1] == [other.pid]


def test_a_killed_holder_is_not_shown_and_its_lock_is_free(engine: Engine, other: Process) -> None:
    other.kill()
    until = time.monotonic() + PATIENCE
    while holders(engine, KEYS) and time.monotonic() < until:
        time.sleep(0.01)  # a server takes a moment to find out
    assert holders(engine, KEYS) == {}
    assert at_work(engine) == set()
    with held(engine):
        pass


FREE = {
    **{("S1", same): False for same in (SERVICE, f"{SERVICE}/", SERVICE.upper())},
    ("S1", "https://other.example/v2"): True,
    **{(other, SERVICE): True for other in ("S2", "s1")},
}
"""True if the lock of a seller and a service is free while that of S1 is held."""


def is_free(engine: Engine, seller: str, service: str) -> bool:
    """True if the lock can be had; this process is as much another as any."""
    try:
        with held(engine, seller, service):
            return True
    except Held:
        return False


def test_each_seller_of_each_service_has_its_own(engine: Engine) -> None:
    with held(engine):
        assert {key: is_free(engine, *key) for key in FREE} == FREE


def test_a_lock_is_free_again_after_an_error(engine: Engine) -> None:
    broken = RuntimeError("in between")
    for _ in range(3):
        with pytest.raises(RuntimeError, match="in between"), held(engine):
            raise broken


def test_a_lock_is_released_before_its_connection_is_closed(
    postgresql: str, opening: Opening
) -> None:
    """The server notices a closed connection only later, and would keep its locks until then."""
    engine, seen = opening(postgresql), []
    listen(engine, "close_detached", lambda _: seen.append(holders(engine, KEYS)))
    with held(engine):
        assert [key[1] for key in holders(engine, KEYS)] == ["S1"]
    assert seen == [{}]


def test_a_ledger_in_memory_needs_no_lock(opening: Opening) -> None:
    opened = opening(IN_MEMORY)
    with held(opened), held(opened):
        pass


def test_looking_at_holders_takes_no_lock(engine: Engine) -> None:
    for _ in range(3):
        with held(engine):
            assert [*holders(engine, KEYS)] == KEYS[:1]
            with pytest.raises(Held), held(engine):
                pass


def test_a_ledger_in_memory_shows_no_holders(opening: Opening) -> None:
    opened = opening(IN_MEMORY)
    with held(opened):
        assert (holders(opened, KEYS), at_work(opened)) == ({}, set())


# On a file.


@pytest.fixture
def opened(tmp_path: Path, opening: Opening) -> Engine:
    return opening(tmp_path / "ledger.db")


def test_all_names_of_a_file_share_one_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening: Opening, opened: Engine
) -> None:
    path = tmp_path / "ledger.db"
    (tmp_path / "link.db").symlink_to(path)
    (tmp_path / "folder").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    for place in ("link.db", "folder/ledger.db", f"sqlite:///{path}", "sqlite:///ledger.db"):
        same = opening(place)
        with held(opened), pytest.raises(Held), held(same):
            pass


def test_its_file_is_its_owners_and_empty_when_free(tmp_path: Path, opened: Engine) -> None:
    with held(opened):
        (path,) = tmp_path.glob("ledger.db.*.lock")
        assert path.stat().st_mode & 0o777 == 0o600
        assert Holder.from_text(path.read_text()) == Holder.here("watch", NOW)
        assert "S1" not in path.read_text() + path.name
    assert path.read_text() == ""


@pytest.mark.parametrize("left", ["", "{", "[]", '{"pid": 1}', "\0\xff"])
def test_any_content_of_the_lock_file_is_accepted(
    tmp_path: Path, left: str, opened: Engine
) -> None:
    with held(opened):
        (path,) = tmp_path.glob("*.lock")
        path.write_bytes(left.encode("latin-1"))
        with pytest.raises(Held, match="by another process") as caught, held(opened):
            pass
        assert caught.value.holder is None
    with held(opened):
        assert Holder.from_text(path.read_text()) is not None


def test_an_impossible_lock_is_reported(tmp_path: Path, opened: Engine) -> None:
    with held(opened):
        (path,) = tmp_path.glob("*.lock")
    path.unlink()
    path.mkdir()
    with pytest.raises(UsageProblem, match="cannot be locked") as caught, held(opened):
        pass
    assert "--home" in caught.value.hint


# On a server.


def test_no_write_succeeds_once_the_server_has_released_the_lock(
    server: Server, postgresql: str, opening: Opening
) -> None:
    opened, second = opening(postgresql), opening(postgresql)
    with held(opened):
        server.end_connections(postgresql, "application_name LIKE 'feedtool % %'")
        with held(second):
            with pytest.raises(Interrupted, match="let go of the lock"), writing(opened):
                pass
            with reading(opened) as db:
                assert db.execute(select(tables.schema_version)).all()
            with writing(second):
                pass
    # The server notices a moment later that a connection was closed.
    with held(opened, wait=lambda _: True), writing(opened):
        pass


def test_a_server_that_is_gone(server: Server, postgresql: str, opening: Opening) -> None:
    opened = opening(postgresql)
    opened.dispose()
    server.allow(postgresql, connections=False)
    with pytest.raises(Interrupted, match="cannot be locked"), held(opened):
        pass


@pytest.mark.parametrize(("settings", "seconds"), [(DEAD_AFTER, 60), (DEAD_SOON, 10)])
def test_the_server_releases_locks_of_a_lost_machine_in_time(
    settings: dict[str, str], seconds: int
) -> None:
    names = ("idle", "interval", "count")
    idle, interval, count = (int(settings[f"tcp_keepalives_{name}"]) for name in names)
    silent, unanswered = idle + interval * count, int(settings["tcp_user_timeout"]) / 1000
    assert max(silent, unanswered) <= seconds


def test_ledgers_of_one_database_have_locks_of_their_own(postgresql: str, opening: Opening) -> None:
    opened = opening(postgresql)
    with writing(opened) as db:
        db.exec_driver_sql("CREATE SCHEMA aside")
    aside = opening(f"{postgresql}&options=-csearch_path%3Daside")
    with held(opened), held(aside):
        pass


# Who holds it.

ANN = Holder(4711, "host", "ann", "submit", NOW)
THERE = NOW.astimezone(timezone(timedelta(hours=5)))


@pytest.mark.parametrize(
    ("holder", "read"),
    [
        (ANN, ANN),
        (replace(ANN, user="ann lee", command="é"), replace(ANN, user="ann_lee", command="_")),
        (replace(ANN, since=THERE), ANN),
        (Holder(1, "h" * 90, "u", "c", NOW), Holder(1, "h" * 31, "u", "c", NOW)),
        (Holder(1, "h", "u" * 90, "c", NOW), None),
    ],
)
def test_a_written_holder_is_read_unchanged(holder: Holder, read: Holder | None) -> None:
    text = holder.as_text()
    assert text.isascii()
    assert Holder.from_text(text[:NAME_LENGTH]) == read


@pytest.mark.parametrize("name", [None, "", "psql", "feedtool", "feedtool 1 now submit u h"])
def test_others_are_no_holders(name: str | None) -> None:
    assert Holder.from_text(name) is None
