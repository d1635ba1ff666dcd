"""Files on the shelf: their names, their limits, and how long they stay."""

import io
import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from feedtool.model.errors import UsageProblem
from feedtool.page.uploads import Choices, FileTooLarge, FileUpload, NotHere, Uploads, plain_name

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def put(
    shelf: Uploads, name: str = "a.csv", content: bytes = b"x", at: datetime = NOON
) -> FileUpload:
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


def test_a_file_is_kept_unchanged_and_private(tmp_path: Path) -> None:
    shelf = Uploads(tmp_path / "page")
    file = put(shelf)
    path = shelf.input(file).path
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"x", 0o600)
    assert shelf.file(file.id) == file
    assert stat.S_IMODE((tmp_path / "page").stat().st_mode) == 0o700


def test_a_too_large_file_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(FileTooLarge):
        put(Uploads(tmp_path), content=b"12345678901")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("id_", ["", "..", "0123456789abcdef", "../0123456789abc"])
def test_an_unknown_file_is_not_found(tmp_path: Path, id_: str) -> None:
    with pytest.raises(NotHere):
        Uploads(tmp_path).file(id_)


@pytest.mark.parametrize("is_read_anew", [False, True])
def test_changed_choices_remove_earlier_plans_and_grids(
    tmp_path: Path, *, is_read_anew: bool
) -> None:
    shelf = Uploads(tmp_path)
    file = put(shelf)
    folder = shelf.folder(file.id)
    plan, grid = {folder / "plan.json", folder / "plan.jsonl"}, shelf.grid(file)
    grid.parent.mkdir()
    for made in (*plan, grid):
        made.touch()
    changed = shelf.choose(file, Choices(rows={"": "2-5"}), is_read_anew=is_read_anew)
    assert {made for made in (*plan, grid) if made.exists()} == ({grid} - {is_read_anew and grid})
    assert (shelf.grid(changed) != grid) == is_read_anew
    assert shelf.file(file.id) == changed


def test_each_choice_has_its_own_grid(tmp_path: Path) -> None:
    """An earlier check does not know of a recipe that was changed under the same name."""
    shelf = Uploads(tmp_path)
    file = put(shelf)
    places = {shelf.grid(shelf.choose(file, file.choices, is_read_anew=True)) for _ in range(3)}
    assert len({shelf.grid(file), *places}) == 4


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "half of it": lambda whole: whole[: len(whole) // 2],
    "another sort of thing": lambda _: b"null",
    "no UTF-8": lambda whole: whole.replace(b"a.csv", b"\xff.csv"),
    "another file's": lambda whole: whole.replace(b'"id":"', b'"id":"x'),
    "a path for a name": lambda whole: whole.replace(b"a.csv", b"../facts.json"),
    "no name": lambda whole: whole.replace(b"a.csv", b""),
    "a time of nowhere": lambda whole: whole.replace(b"00Z", b"00"),
}
"""Facts of a file damaged by a power cut, or by hand."""


@pytest.mark.parametrize("how", BROKEN)
def test_a_file_with_broken_facts_hides_no_other(tmp_path: Path, how: str) -> None:
    shelf = Uploads(tmp_path)
    broken, whole = put(shelf), put(shelf)
    facts = shelf.folder(broken.id) / "facts.json"
    facts.write_bytes(BROKEN[how](facts.read_bytes()))
    assert shelf.files() == [whole]
    with pytest.raises(NotHere, match="the stored data of this file cannot be read"):
        shelf.file(broken.id)


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_is_as_old_as_its_folder(tmp_path: Path, how: str) -> None:
    shelf = Uploads(tmp_path)
    broken = put(shelf)
    facts = shelf.folder(broken.id) / "facts.json"
    facts.write_bytes(BROKEN[how](facts.read_bytes()))
    os.utime(shelf.folder(broken.id), (NOON.timestamp(),) * 2)
    assert list(shelf.old_folders(NOON, NOON + DAY)) == []
    after = NOON + timedelta(seconds=1)
    assert [old.name for old in shelf.old_folders(after, NOON + DAY)] == [broken.id]
