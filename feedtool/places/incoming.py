"""Take files from a place: see that they are complete, fetch them, keep them, and move them away.

    inbox/        files arrive here
    done/DATE/    files that are kept; a folder of the inbox is a folder here too
    error/        files that are refused, each with its reason beside it

A process that is killed between two steps leaves the file in the inbox. The next look fetches and
keeps it again, and the receiver keeps the same content once. So two processes may look at one
place.
"""

import filecmp
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from itertools import count
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec import Struct

from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FileProblem
from feedtool.model.text import tr
from feedtool.places.contract import Entry, Moved, Place
from feedtool.places.folder import seems_complete

# Find the complete files of a folder by looking at it again and again.


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


def are_taken(seen: Seen, seconds: float, settle: float, poll: float) -> bool:
    """True if no file is left that could be whole soon, after so many seconds of watching."""
    return not waiting(seen) or seconds > PATIENCE * settle + poll


def is_overdue(observation: FileObservation, now: float, settle: float) -> bool:
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


# Put the answers to a file where its sender looks for them.


SUMMARY = ".summary.json"
"""The longest ending of an answer's name."""


def names_for(source: str, day: date) -> Iterator[str]:
    """Yield names for a file and its answers, without the ending: `a`, `a.DAY`, and so on."""
    stem = PurePosixPath(source).stem
    yield stem
    yield f"{stem}.{day}"
    yield from (f"{stem}.{day}-{number}" for number in count(2))


def put_answers(place: Place, source: str, answers: Mapping[str, Path], day: date) -> list[str]:
    """Put the answers under the first name that is free for all of them, and return their names.

    `source` is the name of the file that is answered, `offers.csv`; `answers` are local files by
    their endings, `.result.xlsx`; SUMMARY goes last.
    """
    order = sorted(answers, key=lambda ending: ending == SUMMARY)
    for name in names_for(source, day):
        targets = {f"{name}{ending}": answers[ending] for ending in order}
        if all(is_free_or_same(place, target, local) for target, local in targets.items()) and all(
            place.put(target, local) or is_free_or_same(place, target, local)
            for target, local in targets.items()
        ):
            break
    return list(targets)


def is_free_or_same(place: Place, target: str, local: Path) -> bool:
    """True if a name is free, or has this content already, from a process that was killed."""
    existing = place.find(target)
    if existing is None or existing.size != local.stat().st_size:
        return existing is None
    with temporary_folder() as folder:
        try:
            place.fetch(target, fetched := folder / "answer")
        except FileProblem:  # somebody has just taken it away
            return True
        return filecmp.cmp(fetched, local, shallow=False)


INBOX, DONE, ERROR = "inbox", "done", "error"
REASON = ".reason.txt"
"""The ending of the file beside one in `error/` that gives the reason."""
LONGEST_SUFFIX = 16

Keep = Callable[[Path], None]
"""Keeps the content of a local copy, which is deleted afterwards; the same content is kept once."""
Receiver = Callable[[Entry], Keep | None]
"""Returns the function that keeps a file; None leaves the file in the inbox for now.

Both raise FileProblem if the file itself is at fault.
"""


class Arrivals(NamedTuple):
    """The result of a look at a place."""

    seen: Seen
    """Observations for the next look."""
    taken: list[Entry]
    """The files that are kept and moved away."""
    refused: list[tuple[Entry, FileProblem]]
    """Files that stay, and their problems: see `refuse`."""


def take_arrivals(
    place: Place, seen: Seen, now: float, settle: float, receiver: Receiver, day: date
) -> Arrivals:
    """Take the files that are complete, the oldest first; a faulty file does not stop the others.

    `seen` is the result of the previous look; `now` and `settle` are seconds of a clock that only
    goes forward. Errors of the place and the receiver pass through, except FileProblem; files that
    were taken before an error stay taken.
    """
    seen = observe(seen, place.listing(INBOX), now)
    taken, refused = [], []
    for observation in settled(seen, now, settle):
        entry = observation.entry
        try:
            keep = receiver(entry)
            is_due = is_overdue(observation, now, settle)
            if keep and _keep(place, entry, keep, is_due=is_due):
                if entry.path.with_name(entry.path.name + MARKER) in seen:
                    # Before the file: a marker left behind would mark the next file as complete.
                    place.delete(entry.name + MARKER)
                _move_away(place, entry, day)
                taken.append(entry)
        except FileProblem as error:
            refused.append((entry, error))
    moved = {entry.path for entry in taken}
    return Arrivals({path: seen[path] for path in seen if path not in moved}, taken, refused)


def refuse(place: Place, entry: Entry, reason: str, day: date) -> str:
    """Write the reason into `error/`, move the file beside it, and return its new name."""
    path = entry.path.relative_to(INBOX)
    with temporary_folder() as folder:
        (local := folder / "reason").write_text(f"{reason}\n", "utf-8")
        for name in names_for(path.name, day):
            target = str(PurePosixPath(ERROR, path.parent, name + path.suffix))
            beside = target + REASON
            is_written = place.put(beside, local) or is_free_or_same(place, beside, local)
            if is_written and place.move(entry, target) is not Moved.TAKEN:
                break
    return target


def _keep(place: Place, entry: Entry, keep: Keep, *, is_due: bool) -> bool:
    """Keep a file; False if it is not complete after all, or gone."""
    suffix = entry.path.suffix[:LONGEST_SUFFIX]
    with temporary_folder() as folder:
        local = folder / f"file{suffix}"
        try:
            fetched = place.fetch(entry.name, local)
        except FileProblem:  # another process was faster, or the file is being changed
            return False
        if fetched != entry or not (is_due or seems_complete(local)):
            return False
        keep(local)
    return True


def _move_away(place: Place, entry: Entry, day: date) -> None:
    """Move a file to a free name in `done/`; a file that has changed stays for the next look."""
    path = entry.path.relative_to(INBOX)
    for name in names_for(path.name, day):
        target = PurePosixPath(DONE, str(day), path.parent, name + path.suffix)
        if place.move(entry, str(target)) is not Moved.TAKEN:
            return
