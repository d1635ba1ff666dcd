"""Files are taken from where others put them: seen to be whole, fetched, kept, and moved away.

    inbox/        where they arrive
    done/DATE/    those that are kept; a folder of the inbox is one of these
    error/        those that are not, each with its reason beside it

Whoever is killed between two steps leaves a file where it was. It is seen, fetched and kept again,
and whoever keeps it keeps the same content once. So two may look at one place.
"""

from collections.abc import Callable
from datetime import date
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from feedtool.model.errors import FileProblem
from feedtool.model.spool import temporary_folder
from feedtool.places.answers import may_be, names_for
from feedtool.places.contract import Entry, Moved, Place
from feedtool.places.folder import opens
from feedtool.places.sightings import MARKER, Seen, Sighting, is_overdue, look, quiet

INBOX, DONE, ERROR = "inbox", "done", "error"
REASON = ".reason.txt"
"""Beside a file in `error/`: why it is there."""
LONGEST_SUFFIX = 16

Keep = Callable[[Path], None]
"""Keeps a file's content, by a local copy that is then gone; called again, it keeps it once."""
Receiver = Callable[[Entry], Keep | None]
"""How a file is kept; None where that cannot be now, so that it stays.

Both raise FileProblem where the file itself is at fault.
"""


class Arrivals(NamedTuple):
    """The result of a look at a place."""

    seen: Seen
    """For the next look."""
    taken: list[Entry]
    """The files that are kept and moved away."""
    refused: list[tuple[Entry, FileProblem]]
    """Those that stay, and why: see `refuse`."""


def take_arrivals(
    place: Place, seen: Seen, now: float, settle: float, receiver: Receiver, day: date
) -> Arrivals:
    """Take the files that are whole, the oldest first; what is wrong with one stops no other.

    `seen` is that of the look before; `now` and `settle` are seconds of a clock that only goes
    forward. Raises what the place and the receiver raise, but for FileProblem: what is taken by
    then is taken.
    """
    seen = look(seen, place.listing(INBOX), now)
    taken, refused = [], []
    for sighting in quiet(seen, now, settle):
        entry = sighting.entry
        try:
            keep = receiver(entry)
            if keep and _keep(place, sighting, keep, is_due=is_overdue(sighting, now, settle)):
                if entry.path.with_name(entry.path.name + MARKER) in seen:
                    # First: left behind it would say of the next file that it is whole.
                    place.delete(entry.name + MARKER)
                _move_away(place, entry, day)
                taken.append(entry)
        except FileProblem as error:
            refused.append((entry, error))
    gone = {entry.path for entry in taken}
    return Arrivals({path: seen[path] for path in seen if path not in gone}, taken, refused)


def refuse(place: Place, entry: Entry, reason: str, day: date) -> str:
    """Move a file to `error/`, its reason beside it before it is there; its name there."""
    path = entry.path.relative_to(INBOX)
    with temporary_folder() as folder:
        (local := folder / "reason").write_text(f"{reason}\n", "utf-8")
        for name in names_for(path.name, day):
            target = str(PurePosixPath(ERROR, path.parent, name + path.suffix))
            beside = target + REASON
            is_ours = place.put(beside, local) or may_be(place, beside, local)
            if is_ours and place.move(entry, target) is not Moved.TAKEN:
                break
    return target


def _keep(place: Place, sighting: Sighting, keep: Keep, *, is_due: bool) -> bool:
    """Keep a file; False where it is not whole after all, or not there any more."""
    entry = sighting.entry
    suffix = entry.path.suffix[:LONGEST_SUFFIX]
    with temporary_folder() as folder:
        local = folder / f"file{suffix}"
        try:
            fetched = place.fetch(entry.name, local)
        except FileProblem:  # somebody else was faster, or it is changed just now
            return False
        if fetched != entry or not (is_due or opens(local)):
            return False
        keep(local)
    return True


def _move_away(place: Place, entry: Entry, day: date) -> None:
    """Move a file to where no other one is; one that has changed stays, to be taken anew."""
    path = entry.path.relative_to(INBOX)
    for name in names_for(path.name, day):
        target = PurePosixPath(DONE, str(day), path.parent, name + path.suffix)
        if place.move(entry, str(target)) is not Moved.TAKEN:
            return
