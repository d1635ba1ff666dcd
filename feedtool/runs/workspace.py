"""The ledger and snapshots that outlive a command, and the session with the service."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.catalog.lookup import from_excerpt
from feedtool.check import Input, ReadOptions, check
from feedtool.delivery.deadlines import ServiceClock
from feedtool.delivery.plan import Plan
from feedtool.ledger import Ledger
from feedtool.ledger.lock import hold
from feedtool.model.call import AskService, Call, Reply, Sender
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FeedtoolError, FileProblem, UsageProblem
from feedtool.model.file_version import FileChanging, version_of
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import tr
from feedtool.runs.history import kept_run
from feedtool.runs.kept_recipes import KeptRecipes, RecordedRecipes
from feedtool.runs.run_record import KeptFiles, RecordedFiles, RunOptions, read_sheets, write_sheets

if TYPE_CHECKING:
    from feedtool.ledger.snapshots import Snapshots
    from feedtool.service.fetch import FetchContext


UNWRITTEN = ""
"""The hash of an output that is not written yet."""


class Workspace(Struct, frozen=True):
    """The ledger and snapshots that outlive a command."""

    ledger: Ledger
    snapshots: "Snapshots"
    folder: Path
    """The folder for copies that cannot be written to their own places."""

    def keep(self, file: Input) -> "UnchangedInput":
        """Keep a file unchanged; the reading reports an unreadable one."""
        try:
            sha256 = self.snapshots.keep(file.path)
            return UnchangedInput(Input(file.name, self.snapshots.path_of(sha256)), sha256)
        except FileChanging as error:
            # It may no longer change when it is read, but then it was not kept.
            return UnchangedInput(replace(file, problem=error), None)
        except FileProblem:
            return UnchangedInput(file, None)

    def keep_used(self, path: Path) -> str:
        """Keep a file that decides about others; return its SHA-256."""
        return self.snapshots.keep(path)

    def expire(
        self, digests: Iterable[str | None], settings: AccountSettings, now: datetime
    ) -> None:
        """Let snapshots expire after the number of days that the settings keep personal data."""
        days = settings.keep_personal
        until = (now + timedelta(days=days)).date() if days else None
        for digest in filter(None, digests):
            self.snapshots.expire(digest, until)

    def with_recording(self, reading: ReadOptions) -> ReadOptions:
        """Return the reading options so that each recipe, and each file that rows name, is kept."""
        path_of = self.snapshots.path_of
        recipes = RecordedRecipes(reading.recipes, self.keep_used, path_of)
        files = RecordedFiles(self.keep_used, path_of, allowed=reading.locate)
        return replace(reading, recipes=recipes, locate=files)

    def keep_excerpt(self, excerpt: bytes) -> str:
        """Keep the part of the catalogue that judged the files; return its SHA-256."""
        with temporary_folder() as folder:
            path = folder / "catalogue.json"
            path.write_bytes(excerpt)
            return self.snapshots.keep(path)

    def keep_sheets(self, sheets: Sequence[CheckedSheet]) -> str:
        """Keep the results of a check; return their SHA-256."""
        with temporary_folder() as folder:
            path = folder / "checked.jsonl.gz"
            write_sheets(sheets, path)
            return self.snapshots.keep(path)

    def fallbacks(self, run: int, target: Path) -> Iterator[Path]:
        """Yield other places for a copy: beside it, then with the ledger."""
        yield target.with_name(f"{target.stem}.run-{run}{target.suffix}")
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, exist_ok=True)
        yield self.folder / f"{target.stem}.run-{run}{target.suffix}"


class UnchangedInput(NamedTuple):
    """An input that does not change with the user's file."""

    file: Input
    sha256: str | None
    """None if it could not be read."""


def options_of(run: int, workspace: Workspace) -> RunOptions:
    """Return the options of a run, its sheets with their former kinds. Raises as `kept_run`."""
    options = RunOptions.from_json(kept_run(workspace.ledger, run).options)
    kinds = {(file.path, file.sheet): file.kind for file in workspace.ledger.files(run)}
    kinds |= {(name, sheet): kind for name, sheet, kind in options.kinds}
    settled = replace(
        options.reading,
        settle=lambda file, sheet, _: kinds.get((file, sheet)),
        recipes=KeptRecipes(options.snapshots.recipes, workspace.snapshots.path_of),
        locate=KeptFiles(options.snapshots.files, workspace.snapshots.path_of),
    )
    return replace(options, reading=settled)


def unfinished(workspace: Workspace) -> list[int]:
    """Return the runs whose packages, rows or answers are incomplete, oldest first."""
    open_runs = set(workspace.ledger.unfinished())
    runs = sorted(open_runs.union(workspace.ledger.pages.may_go_on()))
    return [run for run in runs if run in open_runs or _is_incomplete(run, workspace)]


def needs_service(run: int, workspace: Workspace) -> bool:
    """True if requests or answers of a run are still to be exchanged with the service."""
    is_whole = options_of(run, workspace).is_whole(workspace.ledger.files(run))
    return not is_whole or run in workspace.ledger.unfinished()


def _is_incomplete(run: int, workspace: Workspace) -> bool:
    try:
        options = options_of(run, workspace)
    except UsageProblem:
        return False  # all of its packages are closed, and `feedtool runs` reports the problem
    if options.abandoned:
        return False
    if not options.is_whole(workspace.ledger.files(run)):
        return True
    return any(
        workspace.ledger.output(str(target.absolute())) == UNWRITTEN
        and not any(
            workspace.ledger.output(str(fallback.absolute()))
            for fallback in workspace.fallbacks(run, target)
        )
        for target in options.copy_places()
    )


def kept_inputs(options: RunOptions, workspace: Workspace) -> list[Input]:
    """Return a run's unchanged files; FileProblem if a snapshot is gone, or was changed."""
    return [
        Input(name, workspace.snapshots.path_of(sha256))
        for name, sha256 in options.snapshots.inputs
    ]


def checked_sheets_of(options: RunOptions, workspace: Workspace) -> list[CheckedSheet]:
    """Return the results of a run's check; without usable ones its files are checked again.

    FileProblem if a snapshot of the files themselves is gone, or was changed.
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
    """Check a run's files again, with the same catalogue; FileProblem if a snapshot is gone."""
    return check(kept_inputs(options, workspace), read_options_again(options, workspace), load())


def read_options_again(options: RunOptions, workspace: Workspace) -> ReadOptions:
    """Return the reading options of a run, with its catalogue; FileProblem if that is gone."""
    if not options.snapshots.catalog:
        return options.reading
    kept = workspace.snapshots.path_of(options.snapshots.catalog)
    return replace(options.reading, catalog=from_excerpt(kept.read_bytes()))


def record(workspace: Workspace, run: int, plan: Plan, options: RunOptions, now: datetime) -> None:
    """Record the outputs to write, and the rows of sheets before any of them is sent.

    Existing records stay: after a crash the recording continues.
    """
    for target in options.copy_places():
        workspace.ledger.add_output(run, str(target.absolute()), UNWRITTEN, now)
    recorded = {(file.path, file.sheet) for file in workspace.ledger.files(run)}
    for sheet in plan.sent:
        if (sheet.file, sheet.sheet) not in recorded:
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
    """A connection to the service, and its time."""

    client: Sender
    seller: str
    address: str
    language: str
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    pool: int = 4
    page: int | None = None
    """The number of results to request for a page; None leaves it to the session."""
    stopping: Callable[[], FeedtoolError | None] = lambda: None
    """Returns the reason to begin no further step, if there is one."""
    profile: str | None = None
    """The account's name in the configuration, if it was named."""
    is_sandbox: bool = False
    has_channel: bool = True
    """True if a channel was named for the rows that name none."""
    ahead: Callable[[], timedelta] = timedelta
    """The time by which `now` is ahead of real time: in the embedded sandbox waiting is skipped."""
    holds_lock: bool = False
    """True if the caller, who runs one file after the other, holds the seller's lock."""
    who: str = ""
    """The user on whose behalf it runs, if not that of this process."""

    def wall(self) -> datetime:
        """Return the real time, for people; `now` is for comparison with times of the service."""
        return self.now() - self.ahead()


def seller_lock(
    session: Session, workspace: Workspace, command: str
) -> AbstractContextManager[None]:
    """Hold the seller's lock, unless it is held already."""
    if session.holds_lock:
        return nullcontext()
    engine = workspace.ledger.engine
    return hold(engine, session.seller, session.address, command=command, now=session.wall())


def clock_of(session: Session, workspace: Workspace) -> ServiceClock:
    return ServiceClock(session.now(), workspace.ledger.skew(session.address), session.ahead())


def fetch_context_of(session: Session, **more: Any) -> "FetchContext":
    """Return the context to read lists of the service; `more` are further fields of it."""
    from feedtool.service.fetch import FetchContext

    how = {"pool": session.pool, "stopping": session.stopping, "ahead": session.ahead}
    return FetchContext(session.now, session.sleep, **{**how, **more})


_T = TypeVar("_T")


def ask_of(session: Session) -> AskService:
    """Return a function that asks the service while files are read, before anything is sent."""
    from feedtool.service.fetch import read_list

    def ask(name: str, call: Call, read: Callable[[Reply], _T]) -> _T:
        answers: list[_T] = []
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
