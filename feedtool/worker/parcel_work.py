"""Send a seller's parcels one after the other: the watcher's work, with parcels for an inbox.

A due parcel is written from the store into its own subfolder (lane) of this machine's private
folder, and taken to its end there. All machines share the claims. So a parcel that another machine
has begun goes on here: from the store if it has a run; else nothing of it was sent, and its file is
written out again.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from feedtool.ledger.claims import Claim, ClaimState
from feedtool.ledger.parcels import FOLDER, Parcel, ParcelAnswer
from feedtool.model.errors import Exit, FeedtoolError, FileProblem
from feedtool.model.text import tr
from feedtool.places import Entry
from feedtool.runs.sellers import SellerAccount
from feedtool.sheets.atomic_write import atomic_write
from feedtool.watch.folder import PARTS, Folder, InboxRoute, make_folder
from feedtool.watch.processor import FileProcessor, Work
from feedtool.watch.reporting import AnsweredFile, reason_lines
from feedtool.watch.session import Environment


class ParcelFolders:
    """The parcels of a pass, by their subfolders (lanes) of this machine's folder."""

    def __init__(self, folder: Folder, parcels: Sequence[Parcel]) -> None:
        self._folder = folder
        self.parcels: Mapping[str, Parcel] = {parcel.lane: parcel for parcel in parcels}

    def route_of(self, place: PurePosixPath) -> InboxRoute | None:
        """The route of a parcel's file; None if the parcel is not in this pass."""
        parcel = self.parcels.get(place.parent.as_posix())
        if parcel is None:
            return None
        return InboxRoute(parcel.lane, parcel.profile, parcel.kind or None)

    def entry_of(self, parcel: Parcel) -> Entry:
        """Describe a parcel like a file of an inbox."""
        place = PurePosixPath(parcel.lane) / parcel.name
        arrived = int(parcel.arrived_at.timestamp() * 1e9)
        return Entry(str(place), parcel.size, parcel.sha256, arrived)


class ParcelProcessor(FileProcessor):
    """Brings parcels to their end, and notes each result with its parcel."""

    def __init__(self, environment: Environment, folders: ParcelFolders) -> None:
        super().__init__(environment)
        self._folders = folders

    def refuse(
        self, place: PurePosixPath, error: FeedtoolError, account: SellerAccount | None = None
    ) -> Exit | None:
        """Refuse an unclaimed parcel like a file of the inbox."""
        code = super().refuse(place, error, account)
        if code is not None and account:
            self._note_refusal(self._folders.parcels[place.parent.as_posix()], error, account)
        return code

    def refuse_unreadable(self, parcel: Parcel, error: FileProblem, account: SellerAccount) -> None:
        """Refuse a parcel whose content the store has lost."""
        self._note_refusal(parcel, error, account)
        shown = f"{parcel.profile}/{parcel.name}"
        self._refused(shown, self._folder.inbox / parcel.lane / parcel.name, error, account)

    def _note_refusal(self, parcel: Parcel, error: FeedtoolError, account: SellerAccount) -> None:
        answer = ParcelAnswer(int(error.exit), None, reason_lines(error))
        account.workspace.ledger.parcels.answer(parcel.parcel, answer, self._now())

    def _give_back(self, claim: Claim, account: SellerAccount) -> None:
        super()._give_back(claim, account)
        account.workspace.ledger.parcels.put_back(int(claim.lane))

    def _settle(
        self,
        claim: Claim,
        state: ClaimState,
        target: Path,
        code: Exit,
        account: SellerAccount,
        reason: str | None = None,
    ) -> None:
        """End the claim together with its parcel; the file is not needed any more."""
        del state, target
        answer = ParcelAnswer(int(code), claim.run_id, reason)
        account.workspace.ledger.parcels.settle(claim, answer, self._now())

    def _shown(self, claim: Claim) -> str:
        return f"{self._folders.parcels[claim.lane].profile}/{claim.source}"

    def _summarised(self, claim: Claim) -> AnsweredFile:
        """Take the parcel's time: the answers may be written again without the claim."""
        arrived_at = self._folders.parcels[claim.lane].arrived_at
        return AnsweredFile(claim.source, claim.sha256, claim.run_id, arrived_at)

    def _target_shown(self, shown: str, target: Path) -> str:
        del target
        return shown

    def _answers_shown(self, claim: Claim, written: Sequence[Path | None]) -> str:
        del written
        return tr("run {run}", run=claim.run_id)

    def _way_of(self, claim: Claim, kind: str) -> str:
        return tr(
            "bring it with `feedtool enqueue {name} --as {kind}`", name=claim.source, kind=kind
        )


class ParcelWork(Work):
    """A pass over a seller's parcels: first the begun ones, then the due ones."""

    def __init__(
        self,
        environment: Environment,
        folders: ParcelFolders,
        due: Sequence[Parcel],
        is_over: Callable[[], bool],
        on_answered: Callable[[], None],
    ) -> None:
        """`is_over` is True when no more may begin; `on_answered` is called after each."""
        self._parcels = ParcelProcessor(environment, folders)
        super().__init__(environment, self._parcels)
        self._folders, self._is_over, self._on_answered = folders, is_over, on_answered
        self.profiles = {parcel.profile for parcel in folders.parcels.values() if parcel.begun_at}
        for parcel in due:
            entry = folders.entry_of(parcel)
            if route := folders.route_of(entry.path):
                self.whole.append((entry, route))

    def _results(self, stack: ExitStack) -> Iterator[Exit | None]:
        for code in super()._results(stack):
            yield code
            self._on_answered()

    def _has_to_end(self) -> bool:
        return super()._has_to_end() or self._is_over()

    def _under_way(self, account: SellerAccount) -> list[Claim]:
        return account.claims.under_way(FOLDER, list(self._folders.parcels))

    def _is_ready(self, entry: Entry, account: SellerAccount) -> bool:
        """True once a parcel is begun and its file is written out.

        False if it was dropped, held or answered meanwhile.
        """
        parcel = self._folders.parcels[entry.path.parent.as_posix()]
        workspace, folder = account.workspace, self._environment.folder
        if account.key != parcel.key:
            self._echo_other_account(parcel)
            return False
        if not workspace.ledger.parcels.begin(parcel.parcel, self._environment.now()):
            return False
        clear_lane(folder, parcel.lane)
        try:
            kept = workspace.snapshots.path_of(parcel.sha256)
        except FileProblem as error:
            self._parcels.refuse_unreadable(parcel, error, account)
            return False
        place = folder.inbox / entry.path
        make_folder(place.parent)
        with atomic_write(place) as temporary:
            shutil.copyfile(kept, temporary)
        return True

    def _echo_other_account(self, parcel: Parcel) -> None:
        """Report that a profile now names another account, which must not send the file."""
        text = tr(
            "{name} was brought for another account than {profile} has now, and "
            "waits until {profile} has that account again; or drop it: feedtool "
            "queue drop {parcel}",
            name=parcel.name,
            profile=parcel.profile,
            parcel=parcel.parcel,
        )
        self._environment.log.once(f"account of {parcel.parcel}", "error", text)


def clear_lane(folder: Folder, lane: str) -> None:
    """Remove the rest of a parcel's file and of its answers."""
    for part in PARTS:
        shutil.rmtree(folder.root / part / lane, ignore_errors=True)
