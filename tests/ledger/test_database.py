import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DataError, IntegrityError

from feedtool.ledger import tables
from feedtool.ledger.database import COMPILED, open_engine, reading, writing
from feedtool.ledger.migrations import VERSION
from feedtool.model.errors import Interrupted, LedgerAway, UsageProblem
from tests.ledger.conftest import MOSTLY_SQLITE, Opening, Process, Server, on_both

SECRET = "s3cr3t"

AILMENTS = (
    *("53100", "53200", "53300", "57014", "57P01", "55P03", "40001", "40P01", "25006", "42501"),
    *("42P01", "08006", "58030", "XX001"),
)
"""Errors of a server: no room, no memory, no connection; cancelled, shut down, no lock,
serialization, deadlock, read-only, no rights, no table; connection or I/O failed, damaged.
"""

notes = sa.Table(
    "notes",
    sa.MetaData(),
    sa.Column("note", sa.Integer, primary_key=True),
    sa.Column("text", sa.Text),
)


def add(engine: sa.Engine, *texts: str) -> None:
    with writing(engine) as db:
        db.execute(sa.insert(notes), [{"text": one} for one in texts])


COUNTING = sa.select(sa.func.count()).select_from(notes)


def count(engine: sa.Engine) -> int:
    with reading(engine) as db:
        return int(db.execute(COUNTING).scalar_one())


def version(engine: sa.Engine) -> list[int]:
    with reading(engine) as db:
        return list(db.execute(sa.select(tables.schema_version.c.version)).scalars())


@pytest.fixture
def noted(opening: Opening) -> Opening:
    """Opens ledgers, and gives them one table more."""

    def open_noted(place: Path | str) -> sa.Engine:
        opened = opening(place)
        with writing(opened) as db:
            notes.create(db, checkfirst=True)
        return opened

    return open_noted


@pytest.fixture
def postgresql(new_database: str) -> str:
    """A PostgreSQL database without tables."""
    return new_database


@pytest.fixture
def engine(place: Path | str, noted: Opening) -> sa.Engine:
    return noted(place)


# Opening.


def test_statements_compiled_for_one_file_serve_another(tmp_path: Path, noted: Opening) -> None:
    assert count(noted(tmp_path / "one.sqlite")) == 0
    compiled = len(COMPILED)
    assert count(noted(tmp_path / "other.sqlite")) == 0
    assert len(COMPILED) == compiled


def test_processes_that_open_a_new_ledger_at_once(place: Path | str, opening: Opening) -> None:
    lines = """
say("ready"); listen()
open_engine(place)
say("open")
"""
    several = [Process(lines, place) for _ in range(2)]
    assert [one.heard() for one in several] == ["ready"] * 2
    for one in several:
        one.tell()
    assert [one.ended() for one in several] == [(0, "open\n", "")] * 2
    assert version(opening(place)) == [VERSION]


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_server_that_is_away_is_no_mistake_in_the_url(
    server: Server, postgresql: str, opening: Opening, *, is_closed: bool
) -> None:
    server.allow(postgresql, connections=not is_closed)
    url = make_url(postgresql)
    away = postgresql if is_closed else "postgresql://feedtool@127.0.0.1:1/feedtool"
    with pytest.raises(LedgerAway, match="cannot be opened"):
        opening(away)
    server.allow(postgresql, connections=True)
    for mistaken in (url.set(username="nobody"), url.set(database="nothing")):
        with pytest.raises(UsageProblem, match="does not exist") as caught:
            opening(mistaken.render_as_string(hide_password=False))
        assert not isinstance(caught.value, LedgerAway)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_damaged_ledger_is_reported(tmp_path: Path, opening: Opening, *, is_open: bool) -> None:
    path = tmp_path / "ledger.db"
    engine = opening(path)
    engine.dispose()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    if is_open:
        with pytest.raises(Interrupted) as told, reading(engine) as db:
            db.execute(sa.text("SELECT * FROM runs")).all()
        assert "The ledger cannot be read: it is damaged." in told.value.message
    else:
        content = path.read_bytes()
        for left in (100, 0):
            path.write_bytes(content[:left] + b"\xff" * (len(content) - left))
            with pytest.raises(UsageProblem) as refused:
                opening(path)
            assert f"The ledger {path} cannot be opened: it is damaged." in refused.value.message
            assert "keep its files as they are" in refused.value.hint


@on_both("change", ["DROP TABLE budgets", "ALTER TABLE parcels DROP COLUMN size"])
def test_a_ledger_of_a_state_in_between_is_refused(
    place: Path | str, opening: Opening, change: str
) -> None:
    with opening(place).begin() as db:
        db.exec_driver_sql(change)
    with pytest.raises(UsageProblem, match="A development state of feedtool made it") as caught:
        opening(place)
    assert f"of version {VERSION}, and has no " in caught.value.message
    assert "Nothing was written" in caught.value.hint


def test_a_database_that_is_no_ledger_is_left_alone(
    postgresql: str, noted: Opening, opening: Opening
) -> None:
    database = make_url(postgresql).database
    aside = f"{postgresql}&options=-csearch_path%3Dfeedtool"
    with pytest.raises(UsageProblem, match="cannot be opened"):
        opening(aside)
    with noted(postgresql).begin() as db:
        for name in tables.metadata.tables:
            db.exec_driver_sql(f'DROP TABLE "{name}" CASCADE')
        db.exec_driver_sql("CREATE SCHEMA feedtool")
    with pytest.raises(UsageProblem, match=f"/{database}.* is a database, but no ledger") as caught:
        opening(postgresql)
    assert "search_path" in caught.value.hint
    assert version(opening(aside)) == [VERSION]


@MOSTLY_SQLITE
def test_an_empty_table_of_that_name_makes_no_ledger(
    place: Path | str, engine: sa.Engine, opening: Opening
) -> None:
    with writing(engine) as db:
        db.execute(sa.delete(tables.schema_version))
    with pytest.raises(UsageProblem, match="is a database, but no ledger"):
        opening(place)


def test_a_database_in_another_encoding_is_refused(server: Server) -> None:
    latin = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    refused = pytest.raises(UsageProblem, match="encoding is LATIN1")
    with server.database(latin) as url, refused as caught:
        open_engine(url)
    assert "ENCODING 'UTF8'" in caught.value.hint


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (f"postgresql://u:{SECRET}@127.0.0.1:1/db", "onnection refused"),
        (f"postgres://u@127.0.0.1:1/db?password={SECRET}&connect_timeout=3", "onnection refused"),
        (f"postgresql://u:{SECRET}@127.0.0.1:1/db?nonsense={SECRET}", "nonsense"),
        (f"postgresql://u:{SECRET}@/db?host=/nowhere", "/nowhere"),
        (f"postgresql://u:{SECRET}@h:port/db", "not the URL of a database"),
        (f"postgresql:///u:{SECRET}@h:1:2://", "cannot be opened"),
        (f" postgresql://u:{SECRET}@h/db", "not the URL of a database"),
        (f"postgresql+psycopg2://u:{SECRET}@h/db", "SQLite or in PostgreSQL"),
        (f"mysql://u:{SECRET}@h/db", "SQLite or in PostgreSQL"),
        ("sqlite:///file:ledger.db?uri=true", "SQLite or in PostgreSQL"),
    ],
)
def test_an_address_that_will_not_do_keeps_its_password(url: str, why: str) -> None:
    with pytest.raises(UsageProblem, match=why) as caught:
        open_engine(url)
    assert caught.value.hint
    assert SECRET not in f"{caught.value.message} {caught.value.hint}"


def test_a_missing_driver_is_reported() -> None:
    lines = """
sys.modules["psycopg"] = None
try:
    open_engine(place)
except FeedtoolError as error:
    say(error.message + " " + error.hint)
"""
    code, said, complained = Process(lines, f"postgresql://u:{SECRET}@h/db").ended()
    assert (code, complained) == (0, "")
    words = ("psycopg is not installed", "feedtool[postgresql]", SECRET)
    assert [word in said for word in words] == [True, True, False]


# Transactions.


def test_opening_waits_for_no_writer_and_a_reader_sees_one_moment(
    engine: sa.Engine, place: Path | str, opening: Opening
) -> None:
    with writing(engine) as db:
        db.execute(sa.insert(notes).values(note=1, text="not yet"))
        other = opening(place)
        assert count(other) == 0
    assert count(other) == 1
    # A reader sees no later commit.
    with reading(other) as db:
        before = db.execute(COUNTING).scalar_one()
        with writing(engine) as meanwhile:
            meanwhile.execute(sa.insert(notes).values(note=2, text="meanwhile"))
        assert (before, db.execute(COUNTING).scalar_one()) == (1, 1)
    assert count(other) == 2
    # Errors hold no texts of a seller.
    with pytest.raises(IntegrityError) as caught, writing(engine) as db:
        db.execute(sa.insert(notes), [{"note": 3, "text": SECRET}] * 2)
    assert SECRET not in str(caught.value)


@MOSTLY_SQLITE  # a server outlives its clients
def test_committed_rows_survive_a_kill(engine: sa.Engine, place: Path | str) -> None:
    lines = """
from sqlalchemy import text
engine = open_engine(place)
with writing(engine) as db:
    db.execute(text("INSERT INTO notes (note, text) VALUES (1, 'kept')"))
with writing(engine) as db:
    db.execute(text("INSERT INTO notes (note, text) VALUES (2, 'lost')"))
    say("written"); listen()
"""
    with Process(lines, place) as other:
        assert other.heard() == "written"
    with writing(engine) as db:
        assert db.execute(sa.select(notes.c.text)).scalars().all() == ["kept"]


def test_every_commit_is_brought_to_the_disk(
    server: Server, postgresql: str, opening: Opening
) -> None:
    database = make_url(postgresql).database
    for given, kept in (("off", "on"), ("remote_apply", "remote_apply")):
        server.execute(f"ALTER DATABASE {database} SET synchronous_commit = {given}")
        opened = opening(postgresql)
        with writing(opened) as db:
            assert db.execute(sa.text("SHOW synchronous_commit")).scalar() == kept


# What goes wrong.


AILING = [
    *((state, Interrupted) for state in AILMENTS),
    ("23505", IntegrityError),
    ("22003", DataError),
]


def test_faults_of_a_server_and_bugs_are_distinguished(postgresql: str, opening: Opening) -> None:
    opened = opening(postgresql)
    for state, kind in AILING:
        with pytest.raises(kind, match="it ails") as caught, writing(opened) as db:
            db.exec_driver_sql(f"DO $$ BEGIN RAISE 'it ails' USING ERRCODE = '{state}'; END $$")
        if kind is Interrupted:
            assert "ledger cannot be written: it ails" in str(caught.value), state
            assert "see to the server" in getattr(caught.value, "hint", ""), state


def test_a_lost_connection_is_made_again(server: Server, postgresql: str, noted: Opening) -> None:
    opened = noted(postgresql)
    server.end_connections(postgresql)
    assert version(opened) == [VERSION]
    with pytest.raises(Interrupted, match="cannot be written"):
        _lose(opened, server, postgresql)
    assert count(opened) == 0
    # So it is once a server that was gone has come back.
    server.allow(postgresql, connections=False)
    server.end_connections(postgresql)
    with pytest.raises(Interrupted, match="cannot be read"):
        version(opened)
    with pytest.raises(Interrupted, match="cannot be written"), writing(opened):
        pass
    server.allow(postgresql, connections=True)
    assert version(opened) == [VERSION]


def _lose(engine: sa.Engine, server: Server, url: str) -> None:
    """Have the connection end in the middle of a transaction."""
    with writing(engine) as db:
        db.execute(sa.insert(notes).values(text="lost"))
        server.end_connections(url)
        db.execute(sa.insert(notes).values(text="lost too"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def test_a_full_disk(path: Path, noted: Opening) -> None:
    opened = noted(path)
    with writing(opened) as db:
        pages = db.exec_driver_sql("PRAGMA page_count").scalar_one()
        # Of this connection, which is the only one.
        db.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(Interrupted, match="is full") as caught:
        add(opened, "long" * 10_000)
    assert "make room" in caught.value.hint
    assert count(opened) == 0
    add(opened, "short")


def test_a_file_that_is_damaged(path: Path, noted: Opening, opening: Opening) -> None:
    opened = noted(path)
    add(opened, *["long" * 1000] * 20)
    opened.dispose()
    with path.open("r+b") as file:
        file.seek(-60_000, os.SEEK_END)
        file.write(b"\xff" * 60_000)
    opened = opening(path)
    with pytest.raises(Interrupted, match="cannot be read"), reading(opened) as db:
        db.execute(sa.select(notes.c.text)).all()


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feedtool.ledger.database.PRAGMAS", ("PRAGMA busy_timeout = 1",))
    monkeypatch.setattr("feedtool.ledger.database.WAIT_FOR_LOCK_MS", 1)


@pytest.mark.usefixtures("_hasty")
def test_a_file_that_another_keeps_for_itself(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(UsageProblem, match="has locked it") as caught:
            open_engine(path)
    assert caught.value.hint.startswith("close it there, or wait")


@pytest.mark.usefixtures("_hasty")
def test_the_process_that_locks_a_ledger_is_named(path: Path, opening: Opening) -> None:
    opened = opening(path)
    lines = """
import sqlite3
other = sqlite3.connect(place, isolation_level=None)
other.execute("BEGIN IMMEDIATE")
say("locked"); listen()
"""
    with Process(lines, path) as other:
        assert other.heard() == "locked"
        told = rf"cannot be written: \S+ \(process {other.pid}\) has locked it"
        with pytest.raises(Interrupted, match=told) as caught, writing(opened) as db:
            notes.create(db)
    assert "make room" not in caught.value.hint
    assert "close it there, or wait until it is done" in caught.value.hint


@pytest.mark.parametrize("is_made_anew", [False, True])
def test_a_ledger_that_is_deleted_while_it_is_in_use(
    tmp_path: Path, noted: Opening, opening: Opening, *, is_made_anew: bool
) -> None:
    path = tmp_path / "state" / "ledger.db"
    opened = noted(path)
    shutil.rmtree(path.parent)
    if is_made_anew:
        opening(path).dispose()
    for _ in range(2):
        with pytest.raises(Interrupted, match=r"ledger\.db is gone: ") as caught:
            add(opened, "text")
    assert "may be in force without a record" in caught.value.hint


# Files.


def test_a_ledger_stays_where_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening: Opening
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("a?b=c #%41 é.db", "with space.db", Path("path.db"), "text.db"):
        for place in (name, f"sqlite:///{name}") if "?" not in str(name) else (name,):
            monkeypatch.chdir(tmp_path)
            opened = opening(place)
            opened.dispose()
            monkeypatch.chdir(elsewhere)
            assert version(opened) == [VERSION]
        assert (tmp_path / name).stat().st_size > 0
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("prefix", ["", "sqlite:///"])
def test_only_the_owner_can_read_a_ledger(tmp_path: Path, prefix: str, noted: Opening) -> None:
    folder = tmp_path / "state"
    path = folder / "ledger.db"
    for _ in range(2):
        opened = noted(f"{prefix}{path}")
        add(opened, "mine")
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}
        assert modes == dict.fromkeys(("ledger.db", "ledger.db-wal", "ledger.db-shm"), 0o600)
        # As one made under another's rules: it is closed to others when it is opened again.
        opened.dispose()
        path.chmod(0o644)
        path.with_name("ledger.db-wal").write_bytes(b"")
        path.with_name("ledger.db-wal").chmod(0o644)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_umask_of_the_user_opens_no_file(tmp_path: Path) -> None:
    lines = """
os.umask(0)
engine = open_engine(place)
say(" ".join(oct(one.stat().st_mode & 0o777) for one in Path(place).parent.iterdir()))
"""
    code, said, complained = Process(lines, tmp_path / "state" / "ledger.db").ended()
    assert (code, complained) == (0, "")
    assert set(said.split()) == {"0o600"}
