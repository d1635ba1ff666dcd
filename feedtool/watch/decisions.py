"""Which files of the inbox are whole, whose they are, and their next step. Pure.

A network share sends no events, and no system tells when whoever writes a file is done. So a file
is whole when nothing of it has changed for a while, or its writer has put a marker beside it, and
when it is a package that opens as one. Times are seconds of the watcher's own clock, which only
goes forward; those of files are only compared with themselves and each other, since a share's may
be wrong.

Every step may be the last before a crash, and is decided from what is found, not from what was
done before: the one who goes on is another process as often as the same.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from itertools import count
from pathlib import PurePosixPath

from feedtool.ledger.claims import ClaimState

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


@dataclass(frozen=True, slots=True)
class Entry:
    """A file as a listing shows it."""

    place: PurePosixPath
    """In the inbox."""
    size: int
    modified_ns: int
    number: int
    """The system's own number of the file: another one has taken its place when it changes."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A file, and since when it is seen as it is."""

    entry: Entry
    since: float


Seen = Mapping[PurePosixPath, Sighting]


def look(before: Seen, listing: Iterable[Entry], now: float) -> dict[PurePosixPath, Sighting]:
    """The sightings after one more look."""
    new = {entry.place: Sighting(entry, now) for entry in listing}
    same = {
        place: before[place]
        for place, sighting in new.items()
        if place in before and before[place].entry == sighting.entry
    }
    return new | same


def is_no_input(name: str) -> bool:
    """True for a file that is hidden, a lock, a marker, or unfinished by its name."""
    is_marker = name.casefold().endswith(MARKER)
    return name.startswith((".", "~$")) or is_marker or _is_unfinished(name)


def waiting(seen: Seen) -> list[Sighting]:
    """All that is to be sent sooner or later, the oldest first."""
    inputs = [item for item in seen.values() if not is_no_input(item.entry.place.name)]
    return sorted(inputs, key=lambda item: (item.entry.modified_ns, item.entry.place))


def unfinished(seen: Seen) -> list[PurePosixPath]:
    """The places that are named as programs name a file that they are still writing."""
    return sorted(place for place in seen if _is_unfinished(place.name))


def quiet(seen: Seen, now: float, settle: float) -> list[Sighting]:
    """Those that rest, or are marked, and that nobody has open; the oldest first."""
    return [
        sighting
        for sighting in waiting(seen)
        if (now - sighting.since >= settle or _is_marked(seen, sighting.entry))
        and not _lock_of(seen, sighting.entry.place)
    ]


def pause(seen: Seen, now: float, settle: float, longest: float) -> float:
    """Seconds until the next look: until a file that is seen has rested, if that is sooner."""
    rests = [now - sighting.since for sighting in waiting(seen)]
    ends = [times * settle - rest for rest in rests for times in (1, PATIENCE)]
    return min([longest, *(max(end, SHORTEST) for end in ends if end > 0)])


def waiting_reason(seen: Seen, sighting: Sighting, now: float, settle: float) -> str | None:
    """Why a file is not taken; None where nothing is wrong with it and its turn has not come."""
    if lock := _lock_of(seen, sighting.entry.place):
        return f"it is open in another program, as {lock.name} beside it says"
    return None if is_overdue(sighting, now, settle) else "it is still being written"


def is_overdue(sighting: Sighting, now: float, settle: float) -> bool:
    """True for a file that has rested for so long that it is taken even if it does not open."""
    return now - sighting.since >= PATIENCE * settle


def _is_unfinished(name: str) -> bool:
    return name.casefold().endswith(UNFINISHED)


def _is_marked(seen: Seen, entry: Entry) -> bool:
    """By a marker that came with it: one that is older was left by another file of its name."""
    marker = seen.get(entry.place.with_name(entry.place.name + MARKER))
    return marker is not None and marker.entry.modified_ns >= entry.modified_ns


def locks(place: PurePosixPath) -> Iterable[PurePosixPath]:
    """The lock files that may stand beside a file while somebody has it open."""
    return (place.with_name(lock.format(place.name)) for lock in LOCKS)


def _lock_of(seen: Seen, place: PurePosixPath) -> PurePosixPath | None:
    return next((lock for lock in locks(place) if lock in seen), None)


class ClaimStep(Enum):
    """A step of a claim."""

    TAKE_IN = "move it from the inbox to processing"
    SEND = "send it"
    GO_ON = "go on with its run"
    FILE_AWAY = "move it from processing to its target"
    END = "nothing is left but to say so"
    FORGET = "somebody else has taken it, or it is to be sent as if it were new"


def next_step(
    state: ClaimState, *, has_run: bool, is_in_processing: bool, is_in_inbox: bool
) -> ClaimStep | None:
    """The next step of a claim; None where it is at its end."""
    if state is ClaimState.ENDED:
        return None
    if state is ClaimState.TAKEN:
        if has_run:  # it is sent from its snapshot, wherever the file is
            return ClaimStep.GO_ON
        if is_in_processing:  # what is in the inbox then is another one of the same name
            return ClaimStep.SEND
        return ClaimStep.TAKE_IN if is_in_inbox else ClaimStep.FORGET
    if is_in_processing:
        return ClaimStep.FILE_AWAY
    return ClaimStep.END if has_run else ClaimStep.FORGET


@dataclass(frozen=True, slots=True)
class InboxRoute:
    """A subfolder of the inbox, and what it stands for."""

    path: str
    """With `/`; empty for the inbox itself."""
    profile: str | None
    kind: str | None


def route_of(
    place: PurePosixPath, profiles: Collection[str], kinds: Collection[str]
) -> InboxRoute | None:
    """The route of a file: PROFILE, KIND or PROFILE/KIND; None for any other folder."""
    folder, parts = place.parent.as_posix(), place.parent.parts
    # Network shares and people change capitals as they please.
    of_profiles, of_kinds = (
        {name.casefold(): name for name in names} for names in (profiles, kinds)
    )
    match [part.casefold() for part in parts]:
        case []:
            return InboxRoute("", None, None)
        case [name] if name in of_profiles:
            return InboxRoute(folder, of_profiles[name], None)
        case [name] if name in of_kinds:
            return InboxRoute(folder, None, of_kinds[name])
        case [profile, kind] if profile in of_profiles and kind in of_kinds:
            return InboxRoute(folder, of_profiles[profile], of_kinds[kind])
    return None


def names_for(source: str, day: date) -> Iterator[str]:
    """The names that a file and its answers may have, without the ending: `a`, then `a.DAY`."""
    stem = PurePosixPath(source).stem
    yield stem
    yield f"{stem}.{day}"
    yield from (f"{stem}.{day}-{number}" for number in count(2))
