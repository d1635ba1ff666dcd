"""The methods of a place, where files are put, listed and taken away."""

from enum import Enum
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from feedtool.model.errors import CannotWrite


class Entry(NamedTuple):
    """A file in a listing; equal entries have the same content."""

    name: str
    """The path within the place: `inbox/offers.csv`."""
    size: int
    version: str
    """Changes with the content: an ETag, or the system's number and time of the file."""
    modified_ns: int
    """By the clock of the place, which may be wrong: compare it only with that of other entries."""

    @property
    def path(self) -> PurePosixPath:
        return PurePosixPath(self.name)


class Moved(Enum):
    """The result of a move."""

    DONE = "the file is at the target"
    GONE = "this file is not there any more, or another one is in its place"
    TAKEN = "another file is at the target"


class PlaceRefused(CannotWrite):
    """A place refuses an operation; the file itself is not at fault."""


class Place(Protocol):
    """A folder, a prefix of a bucket, or a folder of a server; for one thread at a time.

    Each method raises PlaceRefused if the place does not exist or does not let feedtool in, and
    Interrupted if it cannot be reached, or not now. Each may be called again after a crash at any
    point of it. Methods that write make the folders of a name.
    """

    url: str
    """The address without secrets, for people."""

    def listing(self, folder: str) -> list[Entry]:
        """Return the plain files in a folder and below it, unsorted, without hidden folders.

        PlaceRefused if there is no such folder; a bucket, which has no folders, returns [].
        """

    def find(self, name: str) -> Entry | None:
        """Return the present entry of a plain file, or None."""

    def fetch(self, name: str, target: Path) -> Entry:
        """Write a file's content to a local one, and return the entry that was read.

        FileProblem if the file is gone, FileChanging if it changes while it is read.
        """

    def put(self, name: str, source: Path) -> bool:
        """Put a local file there, complete or not at all; False if the name is taken."""

    def move(self, entry: Entry, target: str) -> Moved:
        """Rename a file, if it still is the one that was listed."""

    def delete(self, name: str) -> None: ...

    def close(self) -> None:
        """End connections; the next call connects again."""
