"""A spool is a list, whether its entries are in memory or on disk."""

import errno
import os
import subprocess
import sys
import tempfile
import tracemalloc
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.model import disk_list
from feedtool.model.disk_list import HELD, Spool, remove_left_folders, temporary_folder
from feedtool.model.errors import CannotWrite


class Entry(NamedTuple):
    number: int
    text: str | None


def spool(count: int) -> Spool[Entry]:
    made: Spool[Entry] = Spool(Entry)
    for number in range(count):
        made.append(Entry(number, f"text {number}"))
    return made


@pytest.mark.parametrize("count", [0, 1, HELD - 1, HELD, HELD + 1, 3 * HELD + 7])
def test_entries_can_be_read_repeatedly(count: int) -> None:
    made = spool(count)
    assert len(made) == count
    for _ in range(2):
        entries = list(made)
        assert entries == [Entry(number, f"text {number}") for number in range(count)]
        assert all(isinstance(entry, Entry) for entry in entries)


FEW = 64


@mock.patch.object(disk_list, "HELD", FEW)
@given(st.lists(st.integers(1, 3), max_size=6))
def test_several_readers_do_not_disturb_each_other(steps: list[int]) -> None:
    made = spool(2 * FEW + 3)
    readers = [iter(made) for _ in range(3)]
    seen: list[list[int]] = [[], [], []]
    for step in steps:
        for reader, numbers in zip(readers, seen, strict=True):
            numbers += [entry.number for entry in islice(reader, step * FEW // 4)]
    for reader, numbers in zip(readers, seen, strict=True):
        numbers += [entry.number for entry in reader]
        assert numbers == list(range(2 * FEW + 3))


def test_one_may_append_after_reading() -> None:
    made = spool(HELD)
    assert sum(1 for _ in made) == HELD
    made.append(Entry(HELD, None))
    assert [entry.number for entry in made] == list(range(HELD + 1))


def test_long_texts_are_not_held() -> None:
    made: Spool[Entry] = Spool(Entry)
    tracemalloc.start()
    try:
        for number in range(100):
            made.append(Entry(number, f"{number}" + "a" * (1 << 20)))
        assert [entry.number for entry in made] == list(range(100))
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


# No room.


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_no_room_names_the_folder_and_the_variable(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/small")
    told = r"^temporary files cannot be written in /small: "
    with pytest.raises(CannotWrite, match=told) as caught, temporary_folder():
        raise OSError(number, os.strerror(number))
    assert "TMPDIR" in caught.value.hint


def test_errors_other_than_a_full_disk_pass_unchanged() -> None:
    with pytest.raises(PermissionError), temporary_folder():
        raise OSError(errno.EACCES, "Permission denied", "/somewhere/else")


def test_no_folder_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere"])
    with pytest.raises(CannotWrite, match="temporary files cannot be written in "):
        spool(HELD)


KILLED = """
import os
from feedtool.model.disk_list import temporary_folder
with temporary_folder() as folder:
    (folder / "copy").write_bytes(b"left")
    os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
def test_next_process_removes_folders_of_a_killed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)})  # noqa: PLW1510, S603  # it kills itself
    (left,) = tmp_path.iterdir()
    others = [tmp_path / "feedtool-x", tmp_path / "x.tmp", tmp_path / "feedtool-file.tmp"]
    others[0].mkdir()
    others[1].mkdir()
    others[2].touch()
    with temporary_folder() as used:
        for path in (left, used, *others):
            os.utime(path, (0, 0))
        remove_left_folders.cache_clear()
        with temporary_folder() as young:
            assert {*tmp_path.iterdir()} == {used, young, *others}
    assert {*tmp_path.iterdir()} == {*others}


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
def test_without_locks_folders_are_made_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))  # so does NFS

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("fcntl.flock", refuse)
    with temporary_folder() as used:
        os.utime(used, (0, 0))
        remove_left_folders.cache_clear()
        with temporary_folder() as young:
            assert {*tmp_path.iterdir()} == {used, young}
