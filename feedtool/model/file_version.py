"""The version of a file, which shows if somebody changed it while it was read.

A file is read several times: a CSV for its encoding, its separator and its rows, a workbook part by
part, and both again for the annotated copy. A file that is overwritten meanwhile gives a mixture
that may look sound. A copy would cost the file's size on disk; so a reading counts only if the path
led to the same file, size and time of change before and after it, and else is repeated. The
annotated copy replaces a file only if its source is still the judged version.
"""

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from feedtool.model.errors import FileProblem
from feedtool.model.text import tr

Result = TypeVar("Result")

TRIES = 3
"""Readings of a file that is changed each time."""


class FileChanging(FileProblem):
    """The file is being written while it is read."""

    code = "file-changing"


class Version(NamedTuple):
    """A file at one moment; equal versions have equal content."""

    device: int
    number: int
    """The system's own number of the file: it differs if another file replaces it."""
    size: int
    modified_ns: int


def version_of(path: Path) -> Version | None:
    """The present version of a file; None if it is missing, a folder or a pipe."""
    try:
        status = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return Version(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def read_unchanged(path: Path, name: str, read: Callable[[Version | None], Result]) -> Result:
    """The result of `read` for a file that nobody changes meanwhile.

    `read` reads all of it, given its version, and may be called again; messages show `name`.
    FileChanging if it was changed each time; errors of `read` about a changed file are dropped.
    """
    for _ in range(TRIES):
        version = version_of(path)
        with suppress(FileChanging), unchanged(path, name, version) as confirm:
            result = read(version)
            confirm()
            return result
    raise FileChanging(
        tr(
            "{name} is being written: it has changed each of the {tries} times that it was read.",
            name=name,
            tries=TRIES,
        ),
        tr("Wait until the program that writes it is done, and try again."),
    )


@contextmanager
def unchanged(path: Path, name: str, version: Version | None) -> Iterator[Callable[[], None]]:
    """Read a file of this version; the given function checks that it still is.

    FileChanging if it was changed before that check, or before an error of the reading.
    """

    def confirm() -> None:
        if version_of(path) != version:
            raise FileChanging(
                tr(
                    "{name} was changed after it was read, so no annotated copy of it is written.",
                    name=name,
                ),
                tr("Wait until the program that writes it is done, and run the command again."),
            )

    try:
        yield confirm
    except Exception:
        confirm()
        raise
