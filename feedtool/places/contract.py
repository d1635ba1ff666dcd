"""What a place is to whoever puts files there and takes them away."""

from enum import Enum
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from feedtool.model.errors import CannotWrite


class Entry(NamedTuple):
    """A file as a listing shows it; two that are equal have the same content."""

    name: str
    """In the place, its folders before it: `inbox/offers.csv`."""
    size: int
    version: str
    """Another one whenever the content is: an ETag, or what the system tells of a file."""
    modified_ns: int
    """By the clock of whoever keeps it, to be compared with those of other entries alone."""

    @property
    def path(self) -> PurePosixPath:
        """The name, in its parts."""
        return PurePosixPath(self.name)


class Moved(Enum):
    """What came of a move."""

    DONE = "the file is at the target"
    GONE = "this file is not there any more, or another one is in its place"
    TAKEN = "another file is at the target"


class PlaceRefused(CannotWrite):
    """A place does not let us do what we were told to: no fault of the file that it is about."""


class Place(Protocol):
    """A folder, a prefix of a bucket, or a folder of a server; for one thread at a time.

    Each method raises PlaceRefused where the place is not there or does not let us in, and
    Interrupted where it cannot be reached, or not just now. Each may be called again after a crash
    at any point of it. Folders that a name needs are made.
    """

    url: str
    """As people may see it: without secrets."""

    def listing(self, folder: str) -> list[Entry]:
        """The plain files in a folder and those below it, in no order; none of hidden folders.

        PlaceRefused where there is no such folder; in a bucket, which has none, it is empty.
        """
        ...

    def find(self, name: str) -> Entry | None:
        """A file as it is now; None where there is none."""
        ...

    def fetch(self, name: str, target: Path) -> Entry:
        """Write a file's content to a local one, and tell which it was; FileProblem if it is gone.

        FileChanging where it is changed meanwhile.
        """
        ...

    def put(self, name: str, source: Path) -> bool:
        """Put a local file there, whole or not at all; False where the name is taken."""
        ...

    def move(self, entry: Entry, target: str) -> Moved:
        """Give a file another name, if it is still the one that was listed."""
        ...

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        ...

    def close(self) -> None:
        """End connections; the next call opens them anew."""
        ...
