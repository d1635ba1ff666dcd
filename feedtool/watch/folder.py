"""The watched folder's files and their places: listing, looking, moving. No decisions."""

import os
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from feedtool.ledger.claims import Claim
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import Translator, tr
from feedtool.places import Entry
from feedtool.places.answers import SUMMARY
from feedtool.places.arrivals import REASON
from feedtool.places.folder import entries_of, entry_of
from feedtool.places.sightings import MARKER, lock_files
from feedtool.report.plain import clean
from feedtool.runs.corrections import place_of
from feedtool.sheets.atomic_write import atomic_write

PARTS = ("inbox", "processing", "done", "error", "results")
NAME_FILE = ".feedtool-folder"
"""Holds the folder's own name: two machines may know it under different paths."""
NAME_LENGTH = 32
TRIES = 10_000
RESULT = ".result.xlsx"
"""Also of what is no workbook, if it is a zip or an Offers.xml."""
UNPLACED = ".feedtool-*.tmp"
"""A file that has not taken its place yet: see `atomic_write`."""
HANDOVER = "lent"
"""The ending of what a file was judged by, for another machine that goes on with it."""
LONGEST_NAME = 255
"""Bytes that a name has at most in nearly all file systems."""


class CannotMove(UsageProblem):
    """A file cannot be moved, as when another program has it open."""


class Folder:
    """A watched folder."""

    def __init__(self, root: Path) -> None:
        # As the ledger keeps the answers' places: whoever goes on may stand elsewhere.
        self.root = root.absolute()
        self.inbox, self.processing, self.done, self.error, self.results = (
            self.root / part for part in PARTS
        )
        self.outbox = self.root / "outbox"
        """Made with the first export."""

    def create(self) -> bool:
        """Make a watched folder; False where there is one. UsageProblem where it cannot be made."""
        if self.inbox.is_dir():
            return False
        try:
            self.root.mkdir(exist_ok=True)
            self.inbox.mkdir()
        except FileNotFoundError as error:
            raise UsageProblem(
                tr(
                    "{root} cannot be made: there is no {parent}",
                    root=self.root,
                    parent=self.root.parent,
                ),
                tr("see that the name is right, and that its disk is there"),
            ) from error
        except OSError as error:
            raise self._cannot_watch(error) from error
        return True

    def prepare(self) -> str:
        """The folder's name in the ledger, after what is absent beside the inbox was made.

        UsageProblem where there is no inbox: a name that was mistyped, or a share that is not
        there, is not to become an empty folder.
        """
        try:
            if not self.inbox.is_dir():
                raise UsageProblem(
                    tr(
                        "{root} is no watched folder: there is no {inbox}",
                        root=self.root,
                        inbox=self.inbox,
                    ),
                    tr(
                        "see that the name is right, and that its disk is there; --create makes "
                        "{parts} "
                        "in it",
                        parts=", ".join(PARTS),
                    ),
                )
            for part in PARTS:
                (self.root / part).mkdir(exist_ok=True)
            return self._name()
        except OSError as error:
            raise self._cannot_watch(error) from error

    def _cannot_watch(self, error: OSError) -> UsageProblem:
        return UsageProblem(
            tr("{root} cannot be watched: {why}", root=self.root, why=reason_of(error)),
            tr("feedtool needs to write there; name another folder, or allow it"),
        )

    def _name(self) -> str:
        place = self.root / NAME_FILE
        with suppress(FileExistsError), place.open("xb", buffering=0) as file:
            file.write(secrets.token_hex(NAME_LENGTH // 2).encode())
        for _ in range(TRIES):
            # Whoever makes it at this moment writes it at once.
            if len(name := place.read_text("ascii").strip()) == NAME_LENGTH:
                return name
            time.sleep(0)
        raise UsageProblem(
            tr("{place} does not hold the folder's name", place=place),
            tr("remove it while no watcher is running"),
        )

    def listing(self) -> list[Entry]:
        """All plain files of the inbox and its subfolders; no links, which may lead anywhere."""
        try:
            return list(entries_of(self.inbox, PurePosixPath()))
        except OSError as error:
            raise UsageProblem(
                tr("{inbox} cannot be read: {why}", inbox=self.inbox, why=reason_of(error)),
                tr("see that it is there, and that feedtool may read it"),
            ) from error

    def is_as_it_was(self, entry: Entry) -> bool:
        """True if nobody has changed, opened or taken a file since it was listed."""
        path = self.inbox / entry.path
        with suppress(OSError):
            is_same = entry_of(entry.name, path.lstat()) == entry
            names = (path.with_name(lock.name) for lock in lock_files(entry.path))
            return is_same and not any(map(os.path.lexists, names))
        return False

    def source_of(self, claim: Claim) -> Path:
        """Where a claimed file was dropped."""
        return self.inbox / claim.place

    def place_of(self, claim: Claim) -> Path:
        """Where a claimed file is while it is being sent."""
        return self.processing / claim.lane / f"{claim.name}{Path(claim.source).suffix}"

    def handover_of(self, claim: Claim) -> Path:
        """What a claimed file was judged by, where that was more than itself: hidden beside it."""
        return self.processing / claim.lane / f".{claim.claim}.{HANDOVER}"

    def handovers(self, claim: Claim) -> Sequence[Path]:
        """All that a claimed file was judged by: an excerpt, recipes, the files that they join."""
        return sorted((self.processing / claim.lane).glob(f".{claim.claim}.*{HANDOVER}"))

    def remove_handovers(self, claim: Claim) -> None:
        """Remove what a claimed file was judged by."""
        for place in self.handovers(claim):
            remove(place)

    def sweep(self, lane: PurePosixPath | str) -> None:
        """Remove what a killed watcher was writing; whoever holds the seller's lock may do so."""
        for part in (self.processing, self.results, self.error):
            for left in (part / lane).glob(UNPLACED):
                remove(left)

    def answer_of(self, claim: Claim, ending: str) -> Path:
        """Where an answer to a claimed file goes."""
        return self.results / claim.lane / f"{claim.name}{ending}"

    def error_place(self, lane: PurePosixPath | str, name: str) -> Path:
        """Where a file goes that was not sent; a name with no room for its reason is cut."""
        stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
        if not has_room(suffix, "-9999" + REASON):
            stem, suffix = name, ""
        while not has_room(stem + suffix, "-9999" + REASON):
            stem = stem[:-1]
        return free(self.error / lane / (stem + suffix))

    def is_free(self, lane: str, name: str, suffix: str) -> bool:
        """True if no file that is being sent, and no answer, has this name."""
        stem = self.results / lane / name
        endings = (SUMMARY, f".result{suffix}", RESULT)
        places = [stem.with_name(f"{name}{ending}") for ending in endings]
        places += [place_of(places[-1]), self.processing / lane / f"{name}{suffix}"]
        return not any(place.exists() for place in places)

    def take_in(self, claim: Claim) -> None:
        """From the inbox to processing, unless somebody else was faster."""
        source = self.source_of(claim)
        if move(source, self.place_of(claim)):
            unmark(source)

    def explain(self, place: Path, reason: str, say: Translator) -> None:
        """Write why a file is in `error/`, before it is there."""
        make_folder(place.parent)
        lines = map(clean, say(reason).splitlines())
        with atomic_write(place.with_name(place.name + REASON)) as temporary:
            temporary.write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def take_reason_back(self, place: Path) -> None:
        """Remove the reason of a file that has not come; unless another watcher just brought it."""
        if not place.exists():
            remove(place.with_name(place.name + REASON))

    def relative(self, place: Path) -> str:
        """A place in the folder, as it is kept; one elsewhere as it is."""
        is_here = place.is_relative_to(self.root)
        return place.relative_to(self.root).as_posix() if is_here else str(place)


def remove(place: Path) -> None:
    """Remove a file of ours, if it is there and the system lets us."""
    with suppress(OSError):
        place.unlink(missing_ok=True)


def unmark(source: Path) -> None:
    """Remove the marker of a file that has gone: it would say of the next one that it is whole."""
    remove(source.with_name(source.name + MARKER))


def move(source: Path, target: Path) -> bool:
    """One atomic step; False where there is no such file any more. CannotMove: it is refused."""
    try:
        make_folder(target.parent)
        source.rename(target)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise CannotMove(
            tr(
                "{source} cannot be moved to {parent}: {why}.",
                source=source,
                parent=target.parent,
                why=reason_of(error),
            ),
            tr("Close it where it is open, and see that feedtool may write in both folders."),
        ) from error
    return True


def free(place: Path) -> Path:
    """The place, or one beside it that no file has yet."""
    result, number = place, 1
    while os.path.lexists(result):
        number += 1
        result = place.with_name(f"{place.stem}-{number}{place.suffix}")
    return result


def make_folder(folder: Path) -> None:
    """Make a folder where it is absent; CannotMove where the system refuses."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotMove(
            tr("{folder} cannot be made: {why}.", folder=folder, why=reason_of(error)),
            tr("See that nothing else has its name, and that feedtool may write there."),
        ) from error


def has_room(name: str, *endings: str) -> bool:
    """True if a name with each of these endings is no longer than names may be."""
    return all(len(os.fsencode(name + ending)) <= LONGEST_NAME for ending in endings)
