"""Files are taken from where others put them: seen to be whole, fetched, kept, and moved away.

    inbox/        where they arrive
    done/DATE/    those that are kept; a folder of the inbox is one of these

Whoever is killed between two steps leaves a file where it was. It is seen, fetched and kept again,
and whoever keeps it keeps the same content once. So two may look at one place.
"""

from collections.abc import Callable
from datetime import date
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from feedtool.model.errors import FileProblem
from feedtool.model.spool import temporary_folder
from feedtool.places.answers import names_for
from feedtool.places.contract import Entry, Moved, Place
from feedtool.places.folder import opens
from feedtool.places.sightings import MARKER, Seen, Sighting, is_overdue, look, quiet

INBOX, DONE = "inbox", "done"
LONGEST_SUFFIX = 16

Keep = Callable[[Path, Entry], None]
"""Keeps a file's content, by a local copy that is then gone; called again, it keeps it once.

FileProblem where the file itself is at fault, which then stays where it is.
"""


class Arrivals(NamedTuple):
    """The result of a look at a place."""

    seen: Seen
    """For the next look."""
    taken: list[str]
    """The names of the files that are kept and moved away."""
    refused: list[tuple[str, FileProblem]]
    """Those that stay, and why."""


def take_arrivals(
    place: Place,
    seen: Seen,
    now: float,
    settle: float,
    keep: Keep,
    day: date,
    lane: str = "",
) -> Arrivals:
    """Take the files that are whole, the oldest first; what is wrong with one stops no other.

    `seen` is that of the look before; `now` and `settle` are seconds of a clock that only goes
    forward; `lane` is a folder of the inbox. Raises what the place and `keep` raise, but for
    FileProblem: what is taken by then is taken.
    """
    seen = look(seen, place.listing(f"{INBOX}/{lane}".rstrip("/")), now)
    taken, refused = [], []
    for sighting in quiet(seen, now, settle):
        name = sighting.entry.name
        try:
            if _keep(place, sighting, keep, is_due=is_overdue(sighting, now, settle)):
                if sighting.entry.path.with_name(sighting.entry.path.name + MARKER) in seen:
                    # First: left behind it would say of the next file that it is whole.
                    place.delete(name + MARKER)
                _move_away(place, sighting.entry, day)
                taken.append(name)
        except FileProblem as error:
            refused.append((name, error))
    left = {path: sighting for path, sighting in seen.items() if str(path) not in taken}
    return Arrivals(left, taken, refused)


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
        keep(local, entry)
    return True


def _move_away(place: Place, entry: Entry, day: date) -> None:
    """Move a file to where no other one is; one that has changed stays, to be taken anew."""
    path = entry.path.relative_to(INBOX)
    for name in names_for(path.name, day):
        target = PurePosixPath(DONE, str(day), path.parent, name + path.suffix)
        if place.move(entry, str(target)) is not Moved.TAKEN:
            return
