"""The version of a file: is it still the one that was read, or has somebody changed it?

A file is read several times: a CSV for its encoding, its separator and its rows, a workbook part by
part, and both again for the annotated copy. A file that is overwritten meanwhile gives a mixture
that may look sound. A copy would cost the file's size on disk; so a reading counts only if the path
led to the same file, size and time of change before and after it, and else is repeated. The
annotated copy does not take its place unless its source is still what was judged.
"""

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from feedtool.model.errors import FileProblem
from feedtool.model.text import tr

T = TypeVar("T")

TRIES = 3
"""The most readings of a file that is changed each time."""


class FileChanging(FileProblem):
    """The file is being written while it is read."""

    code = "file-changing"


class Version(NamedTuple):
    """A file at a moment; two that are equal have the same content."""

    device: int
    number: int
    """The system's own number of the file: another one has taken its place when it changes."""
    size: int
    modified_ns: int


def version_of(path: Path) -> Version | None:
    """The version of a file as it is now; None where there is none, or a folder or a pipe."""
    try:
        seen = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    return Version(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)


def read_unchanged(path: Path, name: str, read: Callable[[Version | None], T]) -> T:
    """The result of `read` for a file that nobody changes meanwhile.

    Args:
        path: The file.
        name: Its name in messages.
        read: Reads all of it, given its version; may be called again, from the beginning.

    Raises:
        FileChanging: It was changed each time. What `read` raises of a changed file does not count.
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
    """Reading a file of which this was the version; gives what confirms that it still is.

    Raises:
        FileChanging: It is not, when that is to be confirmed, or when reading it fails.
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
