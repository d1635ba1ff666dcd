"""The room that a ledger's file takes is given back where that is worth it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from feedtool.ledger.database import shrink
from feedtool.model.errors import Interrupted
from tests.ledger.conftest import Opening


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def engine(opening: Opening, path: Path) -> Engine:
    return opening(path)


def free(path: Path, size: int, kept: int = 0) -> None:
    """Fill the file with this number of bytes, and free them again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TABLE filling (content)")
        for bytes_ in (size, kept):
            db.execute("INSERT INTO filling VALUES (zeroblob(?))", [bytes_])
        db.execute("DELETE FROM filling WHERE length(content) = ?", [size])


@pytest.mark.parametrize(
    ("size", "kept", "is_worth_it"),
    [
        (5_000_000, 0, True),
        (5_000_000, 10_000_000, True),
        (5_000_000, 20_000_000, False),
        (500_000, 0, False),
    ],
)
def test_a_file_with_much_free_space_is_shrunk(
    engine: Engine, path: Path, size: int, kept: int, *, is_worth_it: bool
) -> None:
    free(path, size, kept)
    before = path.stat().st_size
    shrunk = shrink(engine)
    assert (shrunk is not None) == is_worth_it
    after = path.stat().st_size
    assert (after < before - 4_900_000) == is_worth_it
    if shrunk:
        assert shrunk.after == after
        assert shrunk.before >= after + size
        assert shrink(engine) is None


def test_shrinking_does_not_disturb_a_writer(engine: Engine, path: Path) -> None:
    free(path, 5_000_000)
    event.listen(engine, "checkout", lambda db, *_: db.execute("PRAGMA busy_timeout = 0"))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            Interrupted, match=r"was not made smaller: database is locked\."
        ) as told:
            shrink(engine)
        assert "run it again" in told.value.hint
        other.execute("COMMIT")
    assert shrink(engine)


def test_readers_keep_their_view_during_shrinking(engine: Engine, path: Path) -> None:
    free(path, 5_000_000)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        assert other.execute("SELECT count(*) FROM runs").fetchall() == [(0,)]
        event.listen(engine, "checkout", lambda db, *_: db.execute("PRAGMA busy_timeout = 0"))
        assert shrink(engine)
        assert other.execute("SELECT count(*) FROM filling").fetchall() == [(1,)]


def test_a_server_sees_to_its_own(opening: Opening, postgresql: str) -> None:
    assert shrink(opening(postgresql)) is None
    assert shrink(opening("sqlite://")) is None
