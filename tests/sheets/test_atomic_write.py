"""A file takes its place whole, or nothing happens."""

import errno
from pathlib import Path

import pytest

from feedtool.sheets.atomic_write import atomic_write, cannot_write


def write_half(target: Path) -> None:
    with atomic_write(target) as path:
        path.write_bytes(b"half")
        raise KeyError


def test_the_file_is_there_only_when_the_block_ends_well(tmp_path: Path) -> None:
    target = tmp_path / "result"
    target.write_bytes(b"old")
    with pytest.raises(KeyError):
        write_half(target)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("result", b"old")]
    with atomic_write(target) as path:
        path.write_bytes(b"new")
        assert target.read_bytes() == b"old"
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("result", b"new")]


class Locked(PermissionError):
    winerror = 32


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
def test_what_a_refusal_of_the_system_means(error: OSError, said: str) -> None:
    problem = cannot_write(Path("out/result.xlsx"), error)
    assert said in problem.message
    assert "result.xlsx" in problem.message
    assert problem.hint
