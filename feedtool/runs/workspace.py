"""What outlives a command (the ledger, the snapshots), and the service as it has reached it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.products.catalog.lookup import from_excerpt
from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.delivery.plan import Plan
from feedtool.model.call import AskService, Call, Reply, Sender
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.file_version import FileChanging, version_of
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import temporary_folder
from feedtool.model.text import tr
from feedtool.runs.kept_files import KeptFiles, RecordedFiles
from feedtool.runs.kept_recipes import KeptRecipes, RecordedRecipes
from feedtool.runs.known_run import kept_run
from feedtool.runs.run_record import RunOptions, read_sheets, write_sheets

if TYPE_CHECKING:
    from feedtool.delivery.deadlines import ServiceClock
    from feedtool.ledger import Ledger
    from feedtool.ledger.snapshots import Snapshots
    from feedtool.model.errors import FeedtoolError
    from feedtool.service.fetch import FetchContext


UNWRITTEN = ""
"""In the place of a hash: what a run is to write there is not written yet."""


class Workspace(Struct, frozen=True):
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

    def keep_used(self, path: Path) -> str:
        """A file that others were judged by, as it is now; its SHA-256."""
        return self.snapshots.keep(path)

    def recorded(self, asked: ReadOptions) -> ReadOptions:
        """How to read, so that each recipe that is used is kept, and each file that rows name."""
        path_of = self.snapshots.path_of
        recipes = RecordedRecipes(asked.recipes, self.keep_used, path_of)
        files = RecordedFiles(self.keep_used, path_of, allowed=asked.locate)
        return replace(asked, recipes=recipes, locate=files)

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
    """The options of a run, its sheets of the kinds that they had. UsageProblem as `kept_run`."""
    options = RunOptions.from_json(kept_run(workspace.ledger, run).options)
    kinds = {(file.path, file.sheet): file.kind for file in workspace.ledger.files(run)}
    kinds |= {(name, sheet): kind for name, sheet, kind in options.kinds}
    settled = replace(
        options.asked,
        settle=lambda file, sheet, _: kinds.get((file, sheet)),
        recipes=KeptRecipes(options.snapshots.recipes, workspace.snapshots.path_of),
        locate=KeptFiles(options.snapshots.files, workspace.snapshots.path_of),
    )
    return replace(options, asked=settled)


def unfinished(workspace: Workspace) -> list[int]:
    """The runs whose packages, rows or answers are not all there yet, oldest first."""
    open_ones = set(workspace.ledger.unfinished())
    runs = sorted(open_ones.union(workspace.ledger.pages.may_go_on()))
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
    return [
        Input(name, workspace.snapshots.path_of(sha256))
        for name, sha256 in options.snapshots.inputs
    ]


def checked_sheets_of(options: RunOptions, workspace: Workspace) -> list[CheckedSheet]:
    """What checking found when a run was begun, or finds again if it was not kept, or elsewhere.

    FileProblem where a snapshot of the files themselves is gone, or was changed.
    """
    sheets: list[CheckedSheet] = []
    if options.snapshots.checked is not None:
        with suppress(FileProblem):
            sheets = read_sheets(workspace.snapshots.path_of(options.snapshots.checked))
    versions = {file.name: version_of(file.path) for file in kept_inputs(options, workspace)}
    for sheet in sheets:
        sheet.version = versions.get(sheet.file)
    return sheets or check_again(options, workspace)


def check_again(options: RunOptions, workspace: Workspace) -> list[CheckedSheet]:
    """A run's files, judged as they were then; FileProblem where a snapshot is gone."""
    return check(kept_inputs(options, workspace), read_options_again(options, workspace), load())


def read_options_again(options: RunOptions, workspace: Workspace) -> ReadOptions:
    """How a run's files were read, with what judged them; FileProblem where that is gone."""
    if not options.snapshots.catalog:
        return options.asked
    kept = workspace.snapshots.path_of(options.snapshots.catalog)
    return replace(options.asked, catalog=from_excerpt(kept.read_bytes()))


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
                sha256=dict(options.snapshots.inputs)[sheet.file],
                kind=sheet.kind or "",
                sheet=sheet.sheet,
                size=None if sheet.is_cut_short else sheet.size,
                withheld=sheet.not_sent(),
            )
    workspace.ledger.counts.note(run, now)


class Session(Struct, frozen=True):
    """A way to the service, and its time."""

    client: Sender
    seller: str
    address: str
    language: str
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    pool: int = 4
    page: int | None = None
    """Results a page is asked for; None leaves it to the session."""
    stopping: "Callable[[], FeedtoolError | None]" = lambda: None
    """Why no step is to be begun any more, once that is so."""
    profile: str | None = None
    """The account's name in the configuration, if it was reached by that."""
    is_sandbox: bool = False
    has_channel: bool = True
    """True if a channel was named for the rows that name none."""
    ahead: Callable[[], timedelta] = timedelta
    """What `now` is ahead of real time: in the embedded sandbox nothing waits, time leaps."""
    holds_lock: bool = False
    """True if the seller's lock is held already, by whoever runs one file after the other."""
    who: str = ""
    """On whose behalf it is, if that is not the user of this process."""

    def wall(self) -> datetime:
        """Real time, for people; `now` is for what is compared with the service's own."""
        return self.now() - self.ahead()


def locked(session: Session, workspace: Workspace, command: str) -> AbstractContextManager[None]:
    """The seller's lock, unless it is held already."""
    if session.holds_lock:
        return nullcontext()
    from feedtool.ledger.lock import hold

    engine = workspace.ledger.engine
    return hold(engine, session.seller, session.address, command=command, now=session.wall())


def clock_of(session: Session, workspace: Workspace) -> "ServiceClock":
    """The time at the service, for what it will delete."""
    from feedtool.delivery.deadlines import ServiceClock

    return ServiceClock(session.now(), workspace.ledger.skew(session.address), session.ahead())


def fetch_context_of(session: Session, **more: Any) -> "FetchContext":
    """For lists of the service that are read to their end; `more` by the names there."""
    from feedtool.service.fetch import FetchContext

    how = {"pool": session.pool, "stopping": session.stopping, "ahead": session.ahead}
    return FetchContext(session.now, session.sleep, **{**how, **more})


T = TypeVar("T")


def ask_of(session: Session) -> AskService:
    """Asks the service for something while files are read, before anything is sent."""
    from feedtool.service.fetch import read_list

    def ask(name: str, call: Call, read: Callable[[Reply], T]) -> T:
        answers: list[T] = []
        hint = tr("look at the base address (its version segment included); nothing was sent")
        read_list(
            name,
            call,
            lambda reply, _: answers.append(read(reply)),
            session.client,
            fetch_context_of(session),
            hint,
        )
        return answers[-1]

    return ask
