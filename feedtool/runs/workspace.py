"""What outlives a command: the ledger, the snapshots, and what they say is left to do."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feedtool.areas.offers.changes.guards import EarlierFile, predecessor
from feedtool.areas.offers.changes.selection import SelectionOptions, select
from feedtool.areas.products.catalog.lookup import from_excerpt
from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.delivery.plan import Plan
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.file_version import FileChanging, version_of
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import temporary_folder
from feedtool.runs.kept_sheets import read_sheets, write_sheets
from feedtool.runs.run_options import RunOptions

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.areas.offers.changes.accepted import AcceptedOffers
    from feedtool.ledger import Ledger
    from feedtool.ledger.snapshots import Snapshots

UNWRITTEN = ""
"""In the place of a hash: what a run is to write there is not written yet."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """What outlives a command."""

    ledger: "Ledger"
    snapshots: "Snapshots"
    folder: Path
    """Where copies go that cannot be written where they belong."""

    def keep(self, file: Input) -> "Kept":
        """A file as it is now; what cannot be read is told where it is read."""
        try:
            sha256 = self.snapshots.keep(file.path)
            return Kept(Input(file.name, self.snapshots.path_of(sha256)), sha256)
        except FileChanging as error:  # it may rest when it is read, and was not kept as it is then
            return Kept(replace(file, problem=error), None)
        except FileProblem:
            return Kept(file, None)

    def keep_excerpt(self, excerpt: bytes) -> str:
        """What was judged by, beside the files that were; its SHA-256."""
        with temporary_folder() as folder:
            path = folder / "catalogue.json"
            path.write_bytes(excerpt)
            return self.snapshots.keep(path)

    def keep_sheets(self, sheets: Sequence[CheckedSheet]) -> str:
        """What checking found, beside the files; its SHA-256."""
        with temporary_folder() as folder:
            path = folder / "checked.jsonl.gz"
            write_sheets(sheets, path)
            return self.snapshots.keep(path)

    def spares(self, run: int, target: Path) -> Iterator[Path]:
        """Other places for a copy: beside it, then with the ledger."""
        yield target.with_name(f"{target.stem}.run-{run}{target.suffix}")
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, exist_ok=True)
        yield self.folder / f"{target.stem}.run-{run}{target.suffix}"


class Kept(NamedTuple):
    """An input that stays as it is, whatever becomes of the user's file."""

    file: Input
    sha256: str | None
    """None where it could not be read."""


def options_of(run: int, workspace: Workspace) -> RunOptions:
    """What the command of a run was told. UsageProblem where there is no such run.

    A sheet whose headers leave its kind open is of the kind that it had in the run.
    """
    begun = workspace.ledger.run(run)
    if begun is None:
        raise UsageProblem(f"there is no run {run}", "`feedtool runs` lists them")
    options = RunOptions.from_json(begun.options)
    kinds = {(file.path, file.sheet): file.kind for file in workspace.ledger.files(run)}
    kinds |= {(name, sheet): kind for name, sheet, kind in options.kinds}
    settled = replace(options.asked, settle=lambda file, sheet, _: kinds.get((file, sheet)))
    return replace(options, asked=settled)


def unfinished(workspace: Workspace) -> list[int]:
    """The runs to go on with, oldest first.

    Those with a package that is not closed, those that were killed before all of their rows were
    in the ledger, and those that were killed before their answers were written.
    """
    open_ones = set(workspace.ledger.unfinished())
    runs = reversed(workspace.ledger.run_ids())
    return [run for run in runs if run in open_ones or _is_left(run, workspace)]


def has_to_ask(run: int, workspace: Workspace) -> bool:
    """True if anything of a run is still to be sent to the service, or to be fetched from it."""
    is_whole = options_of(run, workspace).is_whole(workspace.ledger.files(run))
    return not is_whole or run in workspace.ledger.unfinished()


def _is_left(run: int, workspace: Workspace) -> bool:
    try:
        options = options_of(run, workspace)
    except UsageProblem:
        return False  # all of its packages are closed, and `feedtool runs` tells what is wrong
    if options.abandoned:
        return False
    if not options.is_whole(workspace.ledger.files(run)):
        return True
    return any(
        workspace.ledger.output(str(target.absolute())) == UNWRITTEN
        and not any(
            workspace.ledger.output(str(spare.absolute()))
            for spare in workspace.spares(run, target)
        )
        for target in options.wanted()
    )


def kept_inputs(options: RunOptions, workspace: Workspace) -> list[Input]:
    """A run's files as they were. FileProblem where a snapshot is gone, or was changed."""
    return [Input(name, workspace.snapshots.path_of(sha256)) for name, sha256 in options.inputs]


def checked_sheets_of(options: RunOptions, workspace: Workspace) -> list[CheckedSheet]:
    """What checking found when a run was begun.

    Where that is not kept, as in an older run or on another machine, the files are checked again.

    Raises:
        FileProblem: Nor are they there as they were.
    """
    sheets: list[CheckedSheet] = []
    if options.checked is not None:
        with suppress(FileProblem):
            sheets = read_sheets(workspace.snapshots.path_of(options.checked))
    versions = {file.name: version_of(file.path) for file in kept_inputs(options, workspace)}
    for sheet in sheets:
        sheet.version = versions.get(sheet.file)
    return sheets or check_again(options, workspace)


def check_again(options: RunOptions, workspace: Workspace) -> list[CheckedSheet]:
    """A run's files, judged as they were when they were sent, whatever the cache holds by now.

    Raises:
        FileProblem: A snapshot, of a file or of what it was judged by, is gone or was changed.
    """
    return check(kept_inputs(options, workspace), read_options_again(options, workspace), load())


def read_options_again(options: RunOptions, workspace: Workspace) -> ReadOptions:
    """How a run's files were read, with what they were judged by.

    Raises:
        FileProblem: The snapshot of that is gone or was changed.
    """
    if not options.catalog:
        return options.asked
    kept = workspace.snapshots.path_of(options.catalog)
    return replace(options.asked, catalog=from_excerpt(kept.read_bytes()))


def select_rows(
    workspace: Workspace,
    sheets: Sequence[CheckedSheet],
    asked: ReadOptions,
    selection: SelectionOptions,
    account: tuple[str, str],
    run: int | None = None,
) -> None:
    """Decides which rows are sent, by what the ledger knows of an account.

    Args:
        workspace: The ledger's.
        sheets: All of a command; what is withheld is noted in them.
        asked: How they were read.
        selection: What is asked for. A purge is sent whole, whatever has changed.
        account: The service's address, and the seller.
        run: The run that it is for, if it has begun.
    """
    if asked.purges:
        selection = replace(selection, changed_only=False, prefer_update=False)

    def earlier(sheet: CheckedSheet) -> EarlierFile | None:
        files = workspace.ledger.earlier(*account, sheet.kind or "", run)
        return predecessor(sheet.file, ((file.path, file.run_id, file.size) for file in files))

    known = accepted_offers(workspace, account, run)
    select(sheets, known, selection, asked.dialect, earlier)


def accepted_offers(
    workspace: Workspace, account: tuple[str, str], run: int | None = None
) -> "AcceptedOffers":
    """What the service has accepted of an account, read for a run, or before it has begun."""
    from feedtool.areas.offers.changes.accepted import AcceptedOffers
    from feedtool.areas.offers.changes.projection import project

    project(workspace.ledger.engine, *account)
    last = _cut_short(workspace, *account, run)
    return AcceptedOffers(workspace.ledger.engine, *account, last)


def _cut_short(workspace: Workspace, service: str, seller: str, but: int | None) -> int:
    """The last run that was killed before all of its rows were in the ledger; 0 for none."""
    from feedtool.ledger.records import ABANDONED

    return next(
        (
            run
            for run, options, files in workspace.ledger.begun(service, seller)
            if run != but and len(options.get("sheets", ())) > files and ABANDONED not in options
        ),
        0,
    )


def record(workspace: Workspace, run: int, plan: Plan, options: RunOptions, now: datetime) -> None:
    """Writes down what is to be written, and the sheets' rows before any of them is sent.

    What is there already stays: whoever was killed in the midst of it goes on.
    """
    for target in options.wanted():
        workspace.ledger.add_output(run, str(target.absolute()), UNWRITTEN, now)
    there = {(file.path, file.sheet) for file in workspace.ledger.files(run)}
    for sheet in plan.sent:
        if (sheet.file, sheet.sheet) not in there:
            workspace.ledger.add_file(
                run,
                plan.uploads(sheet),
                path=sheet.file,
                sha256=dict(options.inputs)[sheet.file],
                kind=sheet.kind or "",
                sheet=sheet.sheet,
                size=None if sheet.is_cut_short else sheet.size,
                withheld=sheet.not_sent(),
            )
