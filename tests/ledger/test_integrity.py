"""A ledger is checked and copied while others write."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from feedtool.ledger.database import open_engine
from feedtool.ledger.integrity import back_up, check
from feedtool.ledger.migrations import VERSION
from feedtool.model.errors import UsageProblem
from tests.ledger.conftest import Opening


def begin(ledger: sqlite3.Connection, seller: str) -> None:
    ledger.execute("BEGIN IMMEDIATE")
    ledger.execute("INSERT INTO runs VALUES (NULL, '2026', ?, '', 'en', '{}')", [seller])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a ledger that nobody uses."""
    path = tmp_path / "ledger #1?.sqlite"
    open_engine(path).dispose()
    return path


def damage(path: Path, first: int, last: int) -> None:
    """Overwrite the pages of a ledger from one to another."""
    content = bytearray(path.read_bytes())
    content[first * 4096 : last * 4096] = b"\xff" * (last - first) * 4096
    path.write_bytes(content)


def test_a_sound_ledger_passes_the_check(place: Path | str, opening: Opening) -> None:
    opening(place)
    look = check(place)
    assert (look.version, look.is_file) == (VERSION, isinstance(place, Path))


def test_a_check_neither_creates_nor_migrates(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as ledger:
        ledger.execute("UPDATE schema_version SET version = 9")
    content = path.read_bytes()
    assert check(path).version == 9
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("DROP TABLE budgets", "A development state of feedtool made it"),
        ("UPDATE schema_version SET version = 99", "made by a newer feedtool"),
        ("DROP TABLE schema_version", "is a database, but no ledger"),
    ],
)
def test_other_tables_are_refused(path: Path, change: str, reason: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as ledger:
        ledger.execute(change)
    with pytest.raises(UsageProblem, match=reason):
        check(path)


@pytest.mark.parametrize(("first", "last"), [(1, 2), (20, 22), (0, 1)])
def test_a_damaged_ledger_is_neither_whole_nor_copied(path: Path, first: int, last: int) -> None:
    damage(path, first, last)
    content, copy = path.read_bytes(), path.with_name("copy")
    for attempt in (check, lambda place: back_up(place, copy)):
        with pytest.raises(UsageProblem) as refused:
            attempt(path)
        if first:
            assert "damaged" in refused.value.message
            assert "`feedtool ledger backup`" in refused.value.hint
    assert path.read_bytes() == content


@pytest.mark.parametrize("missing", ["none.sqlite", "", "sqlite://"])
def test_a_check_creates_no_ledger(tmp_path: Path, missing: str) -> None:
    place = missing if "://" in missing else tmp_path / missing
    with pytest.raises(UsageProblem, match="There is no ledger"):
        check(place)
    assert not [*tmp_path.iterdir()]


def test_a_copy_has_one_moment_while_others_write(path: Path) -> None:
    copy = path.with_name("copy")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        begin(other, "before")
        other.execute("COMMIT")
        begin(other, "not yet")
        check(path)
        back_up(path, copy)
    assert check(copy).version == VERSION
    with closing(sqlite3.connect(copy)) as copied:
        assert copied.execute("SELECT seller FROM runs").fetchall() == [("before",)]
    assert [entry.name for entry in path.parent.glob("copy*")] == ["copy"]


def test_postgresql_has_its_own_program_for_copies(
    place: Path | str, opening: Opening, tmp_path: Path
) -> None:
    opening(place)
    if isinstance(place, Path):
        back_up(place, tmp_path / "copy")
        return
    with pytest.raises(UsageProblem, match="is in PostgreSQL: copy it with its own `pg_dump`"):
        back_up(place, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
