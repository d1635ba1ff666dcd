"""The watched folder's files and their places: listing, looking, moving. No decisions."""

import os
import secrets
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path, PurePosixPath

from feedtool.ledger.claims import Claim
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.report.plain import clean
from feedtool.runs.corrections import place_of
from feedtool.sheets.atomic_write import atomic_write
from feedtool.watch.settling import MARKER, Entry, locks

PARTS = ("inbox", "processing", "done", "error", "results")
NAME_FILE = ".feedtool-folder"
"""Holds the folder's own name: two machines may know it under different paths."""
NAME_LENGTH = 32
TRIES = 10_000
PACKAGES = (".xlsx", ".xlsm", ".zip")
RESULT = ".result.xlsx"
"""Also of what is no workbook, if it is a zip or an Offers.xml."""
UNPLACED = ".feedtool-*.tmp"
"""A file that has not taken its place yet: see `placed`."""
REASON = ".reason.txt"
"""Beside a file in `error/`: why it is there."""
SUMMARY = ".summary.json"
"""The longest ending of what is written of a file."""
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

    def create(self) -> bool:
        """Make a watched folder where there is none; whether anything was absent.

        Raises:
            UsageProblem: It cannot be made; what it is to be in has to be there.
        """
        if self.inbox.is_dir():
            return False
        try:
            self.root.mkdir(exist_ok=True)
            self.inbox.mkdir()
        except FileNotFoundError as error:
            raise UsageProblem(
                f"{self.root} cannot be made: there is no {self.root.parent}",
                "see that the name is right, and that its disk is there",
            ) from error
        except OSError as error:
            raise self._cannot(error) from error
        return True

    def prepare(self) -> str:
        """Make what is absent beside the inbox. Returns the name of the folder in the ledger.

        Raises:
            UsageProblem: There is no inbox, or the folder cannot be written. A name that was
                mistyped, or a share that is not there, is not to become an empty folder that is
                watched for nothing.
        """
        try:
            if not self.inbox.is_dir():
                raise UsageProblem(
                    f"{self.root} is no watched folder: there is no {self.inbox}",
                    "see that the name is right, and that its disk is there;"
                    f" --create makes {', '.join(PARTS)} in it",
                )
            for part in PARTS:
                (self.root / part).mkdir(exist_ok=True)
            return self._name()
        except OSError as error:
            raise self._cannot(error) from error

    def _cannot(self, error: OSError) -> UsageProblem:
        return UsageProblem(
            f"{self.root} cannot be watched: {error.strerror}",
            "feedtool needs to write there; name another folder, or allow it",
        )

    def _name(self) -> str:
        place = self.root / NAME_FILE
        with suppress(FileExistsError), place.open("xb", buffering=0) as file:
            file.write(secrets.token_hex(NAME_LENGTH // 2).encode())
        for _ in range(TRIES):
            # Whoever makes it at this moment writes it at once.
            if len(found := place.read_text("ascii").strip()) == NAME_LENGTH:
                return found
            time.sleep(0)
        raise UsageProblem(
            f"{place} does not hold the folder's name", "remove it while no watcher is running"
        )

    def listing(self) -> list[Entry]:
        """All plain files of the inbox and its subfolders; no links, which may lead anywhere.

        Raises:
            OSError: The inbox cannot be read.
        """
        return list(_entries(self.inbox, PurePosixPath()))

    def opens(self, place: PurePosixPath) -> bool:
        """Is a file no package, or one that opens? Not while it is empty, or cannot be read."""
        path = self.inbox / place
        try:
            with path.open("rb") as file:
                start = file.read(4)
                # Some programs make room first, and write the beginning later.
                is_hollow = not start.strip(b"\0")
                if not start or (is_hollow and path.suffix.casefold() in PACKAGES):
                    return False
                return not start.startswith(b"PK") or zipfile.is_zipfile(file)
        except OSError:
            return False

    def is_as_it_was(self, entry: Entry) -> bool:
        """Has nobody changed, opened or taken a file since it was listed?"""
        path = self.inbox / entry.place
        try:
            seen = path.stat(follow_symlinks=False)
        except OSError:
            return False
        return _entry(entry.place, seen) == entry and not any(
            os.path.lexists(path.with_name(lock.name)) for lock in locks(entry.place)
        )

    def source_of(self, claim: Claim) -> Path:
        """Where a claimed file was dropped."""
        return self.inbox / claim.lane / claim.source

    def place_of(self, claim: Claim) -> Path:
        """Where a claimed file is while it is being sent."""
        return self.processing / claim.lane / f"{claim.name}{Path(claim.source).suffix}"

    def lent_of(self, claim: Claim) -> Path:
        """What a claimed file was judged by, where that was more than itself: hidden beside it."""
        return self.processing / claim.lane / f".{claim.claim}.lent"

    def sweep(self, lane: PurePosixPath | str) -> None:
        """Remove what a killed watcher was writing; whoever holds the seller's lock may do so."""
        for part in (self.processing, self.results, self.error):
            for left in (part / lane).glob(UNPLACED):
                with suppress(OSError):
                    left.unlink()

    def drop_lent(self, claim: Claim) -> None:
        """Remove what was put beside a claimed file: nobody has to go on with it any more."""
        with suppress(OSError):
            self.lent_of(claim).unlink(missing_ok=True)

    def answer_of(self, claim: Claim, ending: str) -> Path:
        """Where an answer to a claimed file goes."""
        return self.results / claim.lane / f"{claim.name}{ending}"

    def failed_of(self, claim: Claim) -> Path:
        """Where the rows to correct of a claimed file go, whatever kind of file it is."""
        return place_of(self.answer_of(claim, RESULT))

    def done_place(self, claim: Claim, day: date) -> Path:
        """Where a claimed file goes once it is answered."""
        return free(self.done / str(day) / claim.lane / self.place_of(claim).name)

    def error_place(self, lane: PurePosixPath | str, name: str) -> Path:
        """Where a file goes that was not sent; a name with no room for its reason is cut."""
        return free(self.error / lane / _with_room(name))

    def is_free(self, lane: str, name: str, suffix: str) -> bool:
        """Has no file that is being sent, and no answer, this name?"""
        results = self.results / lane
        endings = (SUMMARY, f".result{suffix}", RESULT)
        places = [results / f"{name}{ending}" for ending in endings]
        places += [
            place_of(results / f"{name}{RESULT}"),
            self.processing / lane / f"{name}{suffix}",
        ]
        return not any(place.exists() for place in places)

    def take_in(self, claim: Claim) -> None:
        """From the inbox to processing, unless somebody else was faster."""
        source = self.source_of(claim)
        if move(source, self.place_of(claim)):
            unmark(source)

    def put_back(self, claim: Claim) -> None:
        """From processing to the inbox."""
        move(self.place_of(claim), free(self.source_of(claim)))

    def explain(self, place: Path, error: FeedtoolError, more: str = "") -> None:
        """Write why a file is in `error/`, before it is there."""
        make(place.parent)
        told = [clean(line) for line in (error.message, error.hint, more) if line]
        with atomic_write(place.with_name(place.name + REASON)) as temporary:
            temporary.write_text("".join(f"{line}\n" for line in told), "utf-8")

    def take_reason_back(self, place: Path) -> None:
        """Remove the reason of a file that has not come; unless another watcher just brought it."""
        if not place.exists():
            with suppress(OSError):
                place.with_name(place.name + REASON).unlink(missing_ok=True)

    def relative(self, place: Path) -> str:
        """A place in the folder, as it is kept; one elsewhere as it is."""
        is_here = place.is_relative_to(self.root)
        return place.relative_to(self.root).as_posix() if is_here else str(place)


def unmark(source: Path) -> None:
    """Remove the marker of a file that has gone: it would say of the next one that it is whole."""
    with suppress(OSError):
        source.with_name(source.name + MARKER).unlink(missing_ok=True)


def move(source: Path, target: Path) -> bool:
    """One atomic step, or none where there is no such file (any more).

    Raises:
        CannotMove: The system refuses.
    """
    try:
        make(target.parent)
        source.rename(target)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise CannotMove(
            f"{source} cannot be moved to {target.parent}: {error.strerror}.",
            "Close it where it is open, and see that feedtool may write in both folders.",
        ) from error
    return True


def free(place: Path) -> Path:
    """The place, or one beside it that no file has yet."""
    found, number = place, 1
    while os.path.lexists(found):
        number += 1
        found = place.with_name(f"{place.stem}-{number}{place.suffix}")
    return found


def make(folder: Path) -> None:
    """Make a folder where it is absent.

    Raises:
        CannotMove: The system refuses.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotMove(
            f"{folder} cannot be made: {error.strerror}.",
            "See that nothing else has its name, and that feedtool may write there.",
        ) from error


def has_room(name: str, *endings: str) -> bool:
    """Is a name with an ending of ours no longer than names may be?"""
    return all(len(os.fsencode(name + ending)) <= LONGEST_NAME for ending in endings)


def _with_room(name: str) -> str:
    """A file's name, its stem cut where a number and the ending of a reason do not fit behind."""
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    if not has_room(suffix, "-9999" + REASON):
        stem, suffix = name, ""
    while not has_room(stem + suffix, "-9999" + REASON):
        stem = stem[:-1]
    return stem + suffix


def _entries(folder: Path, place: PurePosixPath) -> Iterator[Entry]:
    with os.scandir(folder) as found:
        for entry in found:
            # What goes away while it is looked at was not there.
            with suppress(FileNotFoundError):
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    yield from _entries(Path(entry.path), place / entry.name)
                elif entry.is_file(follow_symlinks=False):
                    yield _entry(place / entry.name, Path(entry.path).stat(follow_symlinks=False))


def _entry(place: PurePosixPath, seen: os.stat_result) -> Entry:
    return Entry(place, seen.st_size, seen.st_mtime_ns, seen.st_ino)
