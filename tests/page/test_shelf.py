"""Files on the shelf: their names, their limits, and how long they stay."""

import io
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from feedtool.model.errors import UsageProblem
from feedtool.page.shelf import Choices, FileTooLarge, NotHere, Shelf, ShelfFile, plain_name

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


def put(shelf: Shelf, name: str = "a.csv", content: bytes = b"x", at: datetime = NOON) -> ShelfFile:
    return shelf.take_in(name, io.BytesIO(content), limit=10, account="sandbox", who="me", at=at)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("offers.xlsx", "offers.xlsx"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\anna\\Été 2026.xlsx", "Été 2026.xlsx"),
        ("a\0b\n.csv", "ab<U+000A>.csv"),
        (f"{'é' * 200}.xlsx", f"{'é' * 87}.xlsx"),
        (".hidden", "hidden"),
        ("x. ", "x"),
    ],
)
def test_a_name_has_no_folder_and_fits(given: str, name: str) -> None:
    assert plain_name(given) == name


@pytest.mark.parametrize("given", ["", "/", "..", "\\", " . ", f"a.{'x' * 200}"])
def test_a_file_needs_a_name(given: str) -> None:
    with pytest.raises(UsageProblem):
        plain_name(given)


def test_a_file_is_kept_as_it_came_for_its_owner_alone(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "page")
    file = put(shelf)
    path = shelf.input(file).path
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"x", 0o600)
    assert shelf.file(file.id) == file


def test_of_a_file_that_is_too_large_nothing_is_kept(tmp_path: Path) -> None:
    with pytest.raises(FileTooLarge):
        put(Shelf(tmp_path), content=b"12345678901")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("id_", ["", "..", "0123456789abcdef", "../0123456789abc"])
def test_what_is_not_there(tmp_path: Path, id_: str) -> None:
    with pytest.raises(NotHere):
        Shelf(tmp_path).file(id_)


@pytest.mark.parametrize(("is_read_anew", "left"), [(False, {"grid.sqlite"}), (True, set())])
def test_other_choices_remove_what_those_before_have_made(
    tmp_path: Path, *, is_read_anew: bool, left: set[str]
) -> None:
    shelf = Shelf(tmp_path)
    file = put(shelf)
    made = {"grid.sqlite", "plan.json", "plan.jsonl"}
    for name in made:
        (shelf.folder(file.id) / name).touch()
    changed = shelf.choose(file, Choices(rows={"": "2-5"}), is_read_anew=is_read_anew)
    assert {name for name in made if (shelf.folder(file.id) / name).exists()} == left
    assert shelf.file(file.id) == changed


def test_old_files_go_and_others_stay(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    old, new = put(shelf, at=NOON - timedelta(days=31)), put(shelf)
    coming = ("a" * 16, "b" * 16)  # another page takes the first of them in
    for name, days in {coming[0]: 0, coming[1]: 31, "runs/1": 31, "runs/2": 29}.items():
        (tmp_path / name).mkdir(parents=True)
        at = (NOON - timedelta(days=days)).timestamp()
        os.utime(tmp_path / name, (at, at))
    shelf.sweep(NOON - timedelta(days=30))
    assert {entry.name for entry in tmp_path.iterdir()} == {new.id, "runs", coming[0]}
    assert [entry.name for entry in (tmp_path / "runs").iterdir()] == ["2"]
    assert [file.id for file in shelf.files()] == [new.id]
    assert old.id != new.id
