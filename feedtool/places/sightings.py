"""Which files of a folder are whole: what is seen of them, look by look. Pure.

Neither a network share nor a server sends events, and no system tells when whoever writes a file is
done. So a file is whole when nothing of it has changed for a while, or its writer has put a marker
beside it, and when it is a package that opens as one. Times are seconds of the watcher's own clock,
which only goes forward; those of files are only compared with themselves and each other, since a
server's may be wrong.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from msgspec import Struct

from feedtool.model.text import tr
from feedtool.places.contract import Entry

UNFINISHED = (".part", ".tmp", ".filepart", ".crdownload")
"""What programs call a file that they are still writing."""
MARKER = ".done"
"""`offers.csv.done` says that `offers.csv` is whole."""
LOCKS = ("~${}", ".~lock.{}#")
"""What Excel and LibreOffice put beside a workbook that is open."""
PATIENCE = 3
"""Settle times after which a package that does not open is taken all the same: whoever reads it
says what is wrong with it."""
SHORTEST = 0.01
"""Seconds between two looks at least."""


class Sighting(Struct, frozen=True):
    """A file, and since when it is seen as it is."""

    entry: Entry
    since: float


Seen = Mapping[PurePosixPath, Sighting]


def look(before: Seen, listing: Iterable[Entry], now: float) -> dict[PurePosixPath, Sighting]:
    """The sightings after one more look."""
    new = {entry.path: Sighting(entry, now) for entry in listing}
    same = {
        path: before[path]
        for path, sighting in new.items()
        if path in before and before[path].entry == sighting.entry
    }
    return new | same


def is_no_input(name: str) -> bool:
    """True for a file that is hidden, a lock, a marker, or unfinished by its name."""
    is_marker = name.casefold().endswith(MARKER)
    return name.startswith((".", "~$")) or is_marker or _is_unfinished(name)


def waiting(seen: Seen) -> list[Sighting]:
    """All that is to be sent sooner or later, the oldest first."""
    inputs = [item for item in seen.values() if not is_no_input(item.entry.path.name)]
    return sorted(inputs, key=lambda item: (item.entry.modified_ns, item.entry.path))


def unfinished(seen: Seen) -> list[PurePosixPath]:
    """The paths that are named as programs name a file that they are still writing."""
    return sorted(path for path in seen if _is_unfinished(path.name))


def quiet(seen: Seen, now: float, settle: float) -> list[Sighting]:
    """Those that rest, or are marked, and that nobody has open; the oldest first."""
    return [
        sighting
        for sighting in waiting(seen)
        if (now - sighting.since >= settle or _is_marked(seen, sighting.entry))
        and not _lock_of(seen, sighting.entry.path)
    ]


def pause(seen: Seen, now: float, settle: float, longest: float) -> float:
    """Seconds until the next look: until a file that is seen has rested, if that is sooner."""
    rests = [now - sighting.since for sighting in waiting(seen)]
    ends = [times * settle - rest for rest in rests for times in (1, PATIENCE)]
    return min([longest, *(max(end, SHORTEST) for end in ends if end > 0)])


def waiting_reason(seen: Seen, sighting: Sighting, now: float, settle: float) -> str | None:
    """Why a file is not taken; None where nothing is wrong with it and its turn has not come."""
    if lock := _lock_of(seen, sighting.entry.path):
        return tr("it is open in another program, as {lock} beside it says", lock=lock.name)
    return None if is_overdue(sighting, now, settle) else tr("it is still being written")


def is_overdue(sighting: Sighting, now: float, settle: float) -> bool:
    """True for a file that has rested for so long that it is taken even if it does not open."""
    return now - sighting.since >= PATIENCE * settle


def _is_unfinished(name: str) -> bool:
    return name.casefold().endswith(UNFINISHED)


def _is_marked(seen: Seen, entry: Entry) -> bool:
    """By a marker that came with it: one that is older was left by another file of its name."""
    marker = seen.get(entry.path.with_name(entry.path.name + MARKER))
    return marker is not None and marker.entry.modified_ns >= entry.modified_ns


def locks(path: PurePosixPath) -> Iterable[PurePosixPath]:
    """The lock files that may stand beside a file while somebody has it open."""
    return (path.with_name(lock.format(path.name)) for lock in LOCKS)


def _lock_of(seen: Seen, path: PurePosixPath) -> PurePosixPath | None:
    return next((lock for lock in locks(path) if lock in seen), None)
