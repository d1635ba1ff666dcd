"""A file takes its place whole, or nothing happens."""

import errno
import os
import stat
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from feedtool.sheets.atomic_write import atomic_write, cannot_write

private_write = partial(atomic_write, is_private=True)


def write_half(target: Path) -> None:
    with atomic_write(target) as path:
        path.write_bytes(b"half")
        raise KeyError


def test_the_file_appears_only_if_the_block_succeeds(tmp_path: Path) -> None:
    target = tmp_path / "result"
    target.write_bytes(b"old")
    with pytest.raises(KeyError):
        write_half(target)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("result", b"old")]
    with atomic_write(target) as path:
        path.write_bytes(b"new")
        assert target.read_bytes() == b"old"
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("result", b"new")]


@pytest.mark.parametrize(
    ("rights", "opening", "wanted"),
    [
        (None, atomic_write, 0o644),
        (None, private_write, 0o600),
        (0o640, private_write, 0o640),
        (0o600, atomic_write, 0o600),
    ],
)
def test_rights_of_a_written_file(
    tmp_path: Path, rights: int | None, opening: Any, wanted: int
) -> None:
    target, found = tmp_path / "result", list[int]()
    if rights:
        target.touch(rights)
        target.chmod(rights)
    before = os.umask(0o022)
    try:
        with opening(target) as path:
            found.append(stat.S_IMODE(path.stat().st_mode))
    finally:
        os.umask(before)
    assert [*found, stat.S_IMODE(target.stat().st_mode)] == [wanted, wanted]


class Locked(PermissionError):
    winerror = 32


def test_a_folder_without_write_access(tmp_path: Path) -> None:
    problem = cannot_write(tmp_path / "x.csv", FileNotFoundError(errno.ENOENT, "No such file"))
    assert f"x.csv cannot be written: no file can be made in {tmp_path}." in problem.message
    assert problem.hint == "Write elsewhere with --out."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "the disk is full"),
        (Locked(errno.EACCES, "The process cannot access the file"), "another program has it open"),
        (PermissionError(errno.EACCES, "Permission denied"), "Permission denied"),
        (OSError(errno.EROFS, "Read-only file system"), "Read-only file system"),
        (FileNotFoundError(errno.ENOENT, "No such file"), "there is no folder"),
        (OSError("odd"), "odd"),
    ],
)
def test_refusals_of_the_system_are_explained(error: OSError, said: str) -> None:
    problem = cannot_write(Path("out/result.xlsx"), error)
    assert said in problem.message
    assert "result.xlsx" in problem.message
    assert problem.hint
