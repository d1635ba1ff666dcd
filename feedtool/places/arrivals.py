"""Take files from a place: see that they are complete, fetch them, keep them, and move them away.

    inbox/        files arrive here
    done/DATE/    files that are kept; a folder of the inbox is a folder here too
    error/        files that are refused, each with its reason beside it

A process that is killed between two steps leaves the file in the inbox. The next look fetches and
keeps it again, and the receiver keeps the same content once. So two processes may look at one
place.
"""

from collections.abc import Callable
from datetime import date
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from feedtool.model.errors import FileProblem
from feedtool.model.spool import temporary_folder
from feedtool.places.answers import is_free_or_same, names_for
from feedtool.places.contract import Entry, Moved, Place
from feedtool.places.folder import seems_complete
from feedtool.places.sightings import MARKER, Seen, is_overdue, observe, settled

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
