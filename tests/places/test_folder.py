"""Behaviour of folders alone: refusals of the system, an absent disk."""

from pathlib import Path

import pytest

from feedtool.places import Moved, PlaceRefused
from feedtool.places.folder import FolderPlace, entry_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (root := tmp_path / "root").mkdir()
    return root


def test_a_missing_folder_is_not_created(tmp_path: Path) -> None:
    absent, file = FolderPlace(tmp_path / "share"), tmp_path / "file"
    file.touch()
    for use in (
        lambda: absent.listing(""),
        lambda: absent.find("a"),
        lambda: absent.put("a", file),
        lambda: absent.fetch("a", file),
        lambda: absent.delete("a"),
    ):
        with pytest.raises(PlaceRefused, match=r"There is no folder .*share") as caught:
            use()
        assert "disk is there" in caught.value.hint
    assert not (tmp_path / "share").exists()


def test_only_plain_files_are_listed(root: Path) -> None:
    (root / "folder").mkdir()
    (root / "file").touch()
    (root / "link").symlink_to("file")
    place = FolderPlace(root)
    assert [entry.name for entry in place.listing("")] == ["file"]
    assert place.find("link") is place.find("folder") is None


def test_refusals_of_the_system_are_reported(root: Path) -> None:
    (root / "file").write_bytes(b"1")
    place = FolderPlace(root)
    entry = entry_of("file", (root / "file").lstat())
    for use in (
        lambda: place.listing("file"),
        lambda: place.put("file/below", root / "file"),
        lambda: place.move(entry, "file/below"),
    ):
        with pytest.raises(PlaceRefused, match=r"cannot be used: (Not a directory|File exists)"):
            use()
    assert place.move(entry, "moved") is Moved.DONE
    assert [path.name for path in root.iterdir()] == ["moved"]
