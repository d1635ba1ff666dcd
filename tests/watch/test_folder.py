"""The parts of a watched folder, what is in their way, and what is no such folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.model.errors import Exit, UsageProblem
from feedtool.watch import folder
from feedtool.watch.folder import Folder
from tests.conftest import offer, table
from tests.watch.conftest import DAY, SENT, World


def test_a_file_that_cannot_be_moved_waits_and_stops_no_other(world: World) -> None:
    """First nothing goes into the folder for processing, then nothing into that for the end."""
    world.drop_each("a.csv", "b.csv")
    sent = ["SKU-1", "SKU-2"]
    for part, stays, then in (("processing", "inbox", []), ("done", "processing", sent)):
        world.told.clear()
        place = world.folder.root / part
        place.rmdir()
        place.write_text("in its way")
        world.watch()
        assert world.sent() == then
        assert {f"{stays}/a.csv", f"{stays}/b.csv"} < set(world.files())
        waiting = world.messages_of("waiting")
        assert len(waiting) == 2
        assert all("cannot be made" in text for text in waiting)
        place.unlink()
    assert world.watch() is Exit.NOTHING
    assert {f"{DAY}/a.csv", f"{DAY}/b.csv"} < set(world.files())
    assert world.sent() == sent
    assert world.claimed() == []


def test_a_file_that_cannot_be_refused_stays_and_stops_no_other(world: World) -> None:
    """There is no place for the one file, and none for the reason of the other."""
    world.drop_each("nobody/a.csv", "other/b.csv", "c.csv")
    (world.folder.error / "nobody").write_text("in its way")
    (world.folder.error / "other" / "b.csv.reason.txt").mkdir(parents=True)
    assert world.watch() is Exit.OK
    assert {"inbox/nobody/a.csv", "inbox/other/b.csv", f"{DAY}/c.csv"} < set(world.files())
    assert [label for label, _ in world.told] == ["error", "error", "answered"]


def test_a_marker_goes_with_its_file(world: World) -> None:
    for name in ("a.csv", "b.csv"):  # the second is refused, since its content was sent before
        world.drop(name, offer(1))
        world.send(f"{name}.done", content=b"")
    assert world.files() == [SENT[0], "error/b.csv", "error/b.csv.reason.txt", *SENT[1:]]


def test_links_and_files_that_are_no_input_stay(world: World) -> None:
    place = world.root / "a.csv"
    place.write_text(table([offer(1)]))
    (world.folder.inbox / "link.csv").symlink_to(place)
    world.drop("a.csv.part", offer(2))
    world.drop("~$offers.xlsx", content=b"\x03Ana")  # its workbook has gone
    assert world.watch() is Exit.NOTHING
    assert world.files() == ["inbox/a.csv.part", "inbox/link.csv", "inbox/~$offers.xlsx"]


def test_a_folder_has_one_name(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Folder(world.folder.root).prepare() == world.name
    other = Folder(world.root / "other")
    assert other.create()
    assert other.prepare() != world.name
    assert not other.create()
    monkeypatch.setattr(folder, "TRIES", 3)
    (world.folder.root / ".feedtool-folder").write_text("")
    with pytest.raises(UsageProblem, match="does not hold the folder's name"):
        world.folder.prepare()


NO_FOLDERS = [
    ("mistyped", Folder.prepare, "is not a watched folder: there is no "),
    ("there", Folder.prepare, "is not a watched folder: there is no "),
    ("file", Folder.create, "cannot be watched: "),
    ("mistyped/feeds", Folder.create, "cannot be made: there is no "),
]


@pytest.mark.parametrize(("place", "step", "message"), NO_FOLDERS)
def test_a_wrong_folder_is_not_created(
    tmp_path: Path, place: str, step: Callable[[Folder], object], message: str
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("a file")
    with pytest.raises(UsageProblem, match=message):
        step(Folder(tmp_path / place))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "there"]


def test_an_inbox_that_is_gone(world: World) -> None:
    world.folder.inbox.rmdir()
    with pytest.raises(UsageProblem, match="cannot be read"):
        world.watch()
