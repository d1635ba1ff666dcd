"""List and move the watched folder's files. No decisions."""

import os
import secrets
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from enum import Enum
from pathlib import Path, PurePosixPath

from msgspec import Struct

from feedtool.ledger.claims import Claim, ClaimState
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.text import Translator, tr
from feedtool.places import Entry
from feedtool.places.folder import entries_of, entry_of
from feedtool.places.incoming import MARKER, REASON, SUMMARY, lock_files
from feedtool.report.plain import clean
from feedtool.runs.corrections import place_of
from feedtool.sheets.atomic_write import atomic_write

PARTS = ("inbox", "processing", "done", "error", "results")
NAME_FILE = ".feedtool-folder"
"""Holds the folder's name: two machines may know it under different paths."""
NAME_LENGTH = 32
TRIES = 10_000
RESULT = ".result.xlsx"
"""The answer's ending, also for a zip or an Offers.xml."""
UNPLACED = ".feedtool-*.tmp"
"""Temporary files of `atomic_write`."""
HANDOVER = "lent"
"""The ending of copies of the data used to judge a file, for another machine."""
LONGEST_NAME = 255
"""Most bytes of a name in nearly all file systems."""


class CannotMove(UsageProblem):
    """A file cannot be moved, for example because another program has it open."""


class Folder:
    """A watched folder."""

    def __init__(self, root: Path) -> None:
        # The ledger keeps the answers' places; a process with another working folder may go on.
        self.root = root.absolute()
        self.inbox, self.processing, self.done, self.error, self.results = (
            self.root / part for part in PARTS
        )
        self.outbox = self.root / "outbox"
        """Created with the first export."""

    def create(self) -> bool:
        """Create a watched folder; False if it exists. UsageProblem if it cannot be created."""
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
        """Create missing subfolders, and return the folder's name in the ledger.

        UsageProblem without an inbox: a mistyped name, or a share that is not connected, must not
        become an empty folder.
        """
        try:
            if not self.inbox.is_dir():
                raise UsageProblem(
                    tr(
                        "{root} is not a watched folder: there is no {inbox}",
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
            # A process that creates the file just now writes the name at once.
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

    def is_unchanged(self, entry: Entry) -> bool:
        """True if a file was not changed, opened or taken since it was listed."""
        path = self.inbox / entry.path
        with suppress(OSError):
            is_same = entry_of(entry.name, path.lstat()) == entry
            names = (path.with_name(lock.name) for lock in lock_files(entry.path))
            return is_same and not any(map(os.path.lexists, names))
        return False

    def source_of(self, claim: Claim) -> Path:
        return self.inbox / claim.place

    def place_of(self, claim: Claim) -> Path:
        return self.processing / claim.lane / f"{claim.name}{Path(claim.source).suffix}"

    def handover_of(self, claim: Claim) -> Path:
        """The hidden copy of the data used to judge a claimed file, if more than itself."""
        return self.processing / claim.lane / f".{claim.claim}.{HANDOVER}"

    def handovers(self, claim: Claim) -> Sequence[Path]:
        """All copies for a claimed file: an excerpt, recipes, the files that these join."""
        return sorted((self.processing / claim.lane).glob(f".{claim.claim}.*{HANDOVER}"))

    def remove_handovers(self, claim: Claim) -> None:
        for place in self.handovers(claim):
            remove(place)

    def sweep(self, lane: PurePosixPath | str) -> None:
        """Remove a killed watcher's temporary files; the holder of the seller's lock may."""
        for part in (self.processing, self.results, self.error):
            for left in (part / lane).glob(UNPLACED):
                remove(left)

    def answer_of(self, claim: Claim, ending: str) -> Path:
        return self.results / claim.lane / f"{claim.name}{ending}"

    def error_place(self, lane: PurePosixPath | str, name: str) -> Path:
        """The place of a refused file; a name that is too long for its reason is cut."""
        stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
        if not has_room(suffix, "-9999" + REASON):
            stem, suffix = name, ""
        while not has_room(stem + suffix, "-9999" + REASON):
            stem = stem[:-1]
        return free_place(self.error / lane / (stem + suffix))

    def is_free(self, lane: str, name: str, suffix: str) -> bool:
        """True if no file that is being sent, and no answer, has this name."""
        stem = self.results / lane / name
        endings = (SUMMARY, f".result{suffix}", RESULT)
        places = [stem.with_name(f"{name}{ending}") for ending in endings]
        places += [place_of(places[-1]), self.processing / lane / f"{name}{suffix}"]
        return not any(place.exists() for place in places)

    def take_in(self, claim: Claim) -> None:
        """Move a file from the inbox to processing, unless another process was faster."""
        source = self.source_of(claim)
        if move(source, self.place_of(claim)):
            remove_marker(source)

    def explain(self, place: Path, reason: str, say: Translator) -> None:
        """Write the reason of a file in `error/`, before the file is there."""
        make_folder(place.parent)
        lines = map(clean, say(reason).splitlines())
        with atomic_write(place.with_name(place.name + REASON)) as temporary:
            temporary.write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def remove_reason(self, place: Path) -> None:
        """Remove the reason of a file that did not move, unless another watcher just moved it."""
        if not place.exists():
            remove(place.with_name(place.name + REASON))

    def relative(self, place: Path) -> str:
        """A place relative to the folder, as the ledger keeps it; other places unchanged."""
        is_here = place.is_relative_to(self.root)
        return place.relative_to(self.root).as_posix() if is_here else str(place)


def remove(place: Path) -> None:
    """Remove one of feedtool's files, if it exists and the system allows it."""
    with suppress(OSError):
        place.unlink(missing_ok=True)


def remove_marker(source: Path) -> None:
    """Remove the marker of a moved file; it would mark the next file of this name as whole."""
    remove(source.with_name(source.name + MARKER))


def move(source: Path, target: Path) -> bool:
    """Move a file atomically; False if it is gone. CannotMove if the system refuses."""
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


def free_place(place: Path) -> Path:
    """The place, or one beside it that is free."""
    result, number = place, 1
    while os.path.lexists(result):
        number += 1
        result = place.with_name(f"{place.stem}-{number}{place.suffix}")
    return result


def make_folder(folder: Path) -> None:
    """Create a folder if it is missing; CannotMove if the system refuses."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotMove(
            tr("{folder} cannot be made: {why}.", folder=folder, why=reason_of(error)),
            tr("See that nothing else has its name, and that feedtool may write there."),
        ) from error


def has_room(name: str, *endings: str) -> bool:
    return all(len(os.fsencode(name + ending)) <= LONGEST_NAME for ending in endings)


# Decide the account and kind of a file of the inbox, and the next step of a claimed one.


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
    """The next step of a claim; None if it is at its end."""
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


class InboxRoute(Struct, frozen=True):
    """A subfolder of the inbox, with the profile and kind that it names."""

    path: str
    """Relative to the inbox, with `/`; empty for the inbox itself."""
    profile: str | None
    kind: str | None


def route_of(
    place: PurePosixPath, profiles: Collection[str], kinds: Collection[str]
) -> InboxRoute | None:
    """The route of a file: PROFILE, KIND or PROFILE/KIND; None for any other folder."""
    folder = place.parent.as_posix()
    match place.parent.parts:
        case ():
            return InboxRoute("", None, None)
        case (name,):
            if profile := _matching(name, profiles):
                return InboxRoute(folder, profile, None)
            if kind := _matching(name, kinds):
                return InboxRoute(folder, None, kind)
        case (first, second):
            profile, kind = _matching(first, profiles), _matching(second, kinds)
            if profile and kind:
                return InboxRoute(folder, profile, kind)
    return None


def _matching(part: str, names: Collection[str]) -> str | None:
    """The name that a folder means: network shares and people may change its capitals.

    There may be hundreds of names, so an exact match is tried first.
    """
    if part in names:
        return part
    return {name.casefold(): name for name in names}.get(part.casefold())
