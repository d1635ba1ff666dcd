"""Find the complete files of a folder by looking at it again and again. Pure.

Network shares and servers send no events, and no system reports that a program has finished a file.
So a file is complete if it has not changed for a while, or its writer has put a marker beside it,
and if it opens, where it is a package. Times are seconds of the watcher's own clock, which only
goes forward; times of files are only compared with each other, since a server's clock may be wrong.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from msgspec import Struct

from feedtool.model.text import tr
from feedtool.places.contract import Entry

UNFINISHED = (".part", ".tmp", ".filepart", ".crdownload")
"""Endings that programs give to a file that they are still writing."""
MARKER = ".done"
"""`offers.csv.done` marks `offers.csv` as complete."""
LOCKS = ("~${}", ".~lock.{}#")
"""Names of the files that Excel and LibreOffice put beside a workbook that is open."""
PATIENCE = 3
"""Settle times after which a package that does not open is taken anyway; its reader reports the
fault."""
SHORTEST = 0.01
"""The least seconds between two looks."""


class FileObservation(Struct, frozen=True):
    """A file, and the time of the first look that saw it in this state."""

    entry: Entry
    since: float


Seen = Mapping[PurePosixPath, FileObservation]


def observe(
    before: Seen, listing: Iterable[Entry], now: float
) -> dict[PurePosixPath, FileObservation]:
    """Return the observations after one more look."""
    new = {entry.path: FileObservation(entry, now) for entry in listing}
    same = {
        path: before[path]
        for path, observation in new.items()
        if path in before and before[path].entry == observation.entry
    }
    return new | same


def is_no_input(name: str) -> bool:
    """True for a file that is hidden, a lock, a marker, or unfinished by its name."""
    is_marker = name.casefold().endswith(MARKER)
    return name.startswith((".", "~$")) or is_marker or _is_unfinished(name)


def waiting(seen: Seen) -> list[FileObservation]:
    """Return the files that are or will be inputs, the oldest first."""
    inputs = [item for item in seen.values() if not is_no_input(item.entry.path.name)]
    return sorted(inputs, key=lambda item: (item.entry.modified_ns, item.entry.path))


def unfinished(seen: Seen) -> list[PurePosixPath]:
    return sorted(path for path in seen if _is_unfinished(path.name))


def settled(seen: Seen, now: float, settle: float) -> list[FileObservation]:
    """Return the unchanged or marked files that no program has open, the oldest first."""
    return [
        observation
        for observation in waiting(seen)
        if (now - observation.since >= settle or _is_marked(seen, observation.entry))
        and not _lock_of(seen, observation.entry.path)
    ]


def pause(seen: Seen, now: float, settle: float, longest: float) -> float:
    """Return the seconds until the next look: until the next file has settled, or `longest`."""
    ages = [now - observation.since for observation in waiting(seen)]
    ends = [times * settle - age for age in ages for times in (1, PATIENCE)]
    return min([longest, *(max(end, SHORTEST) for end in ends if end > 0)])


def waiting_reason(
    seen: Seen, observation: FileObservation, now: float, settle: float
) -> str | None:
    """Return the reason why a file is not taken, or None if it is about to be."""
    if lock := _lock_of(seen, observation.entry.path):
        return tr("it is open in another program, as {lock} beside it says", lock=lock.name)
    return None if is_overdue(observation, now, settle) else tr("it is still being written")


def is_overdue(observation: FileObservation, now: float, settle: float) -> bool:
    """True if a file was unchanged for so long that it is taken even if it does not open."""
    return now - observation.since >= PATIENCE * settle


def _is_unfinished(name: str) -> bool:
    return name.casefold().endswith(UNFINISHED)


def _is_marked(seen: Seen, entry: Entry) -> bool:
    """True with a marker at least as new as the file; an older one belonged to another file."""
    marker = seen.get(entry.path.with_name(entry.path.name + MARKER))
    return marker is not None and marker.entry.modified_ns >= entry.modified_ns


def lock_files(path: PurePosixPath) -> Iterable[PurePosixPath]:
    return (path.with_name(lock.format(path.name)) for lock in LOCKS)


def _lock_of(seen: Seen, path: PurePosixPath) -> PurePosixPath | None:
    return next((lock for lock in lock_files(path) if lock in seen), None)
