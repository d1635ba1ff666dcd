"""Check files, plan the requests, and send them.

A run is recorded completely before its first request leaves, so it can be resumed after any stop.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.catalog.lookup import CatalogRecorder
from feedtool.check import Input, ReadOptions, check
from feedtool.delivery.deadlines import warnings_of_others
from feedtool.delivery.plan import Plan
from feedtool.feeds.delivery import Meaning
from feedtool.feeds.memory import Effects, OpenAccepted
from feedtool.feeds.selection import EVERY_ROW, SelectionOptions
from feedtool.ledger import Ledger
from feedtool.ledger.lock import who
from feedtool.model.errors import FeedtoolError, NotAuthorised, UsageProblem
from feedtool.model.sheet import INVALID, CheckedSheet
from feedtool.model.text import tr
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.annotated_copy import digest_of, refuse_places, write_copies_of
from feedtool.runs.deliver import (
    OnEvent,
    Submission,
    add_corrections,
    deliver_run,
    ignore,
    write_copies,
)
from feedtool.runs.kept_recipes import RecordedRecipes
from feedtool.runs.outputs import Outputs
from feedtool.runs.plan_file import (
    Account,
    Conditions,
    Hashes,
    PlanFile,
    PlanVerifier,
    PlanWriter,
    SavedPlan,
    conditions_of,
)
from feedtool.runs.purge import Confirm, check_nothing_open, check_one_zip, measure, refuse
from feedtool.runs.request_files import write_requests
from feedtool.runs.row_results import not_begun, results_of_plan, results_of_run
from feedtool.runs.run_record import RecordedFiles, RunOptions, RunSnapshots, refuse_names
from feedtool.runs.selection import accepted_rows, as_condition, select_rows, select_unknown
from feedtool.runs.workspace import (
    Session,
    UnchangedInput,
    Workspace,
    ask_of,
    clock_of,
    record,
    seller_lock,
)

if TYPE_CHECKING:
    from feedtool.runs.preview import Preview

ALL_OR_NOTHING = tr("not sent, since not all rows of all files are valid (--all-or-nothing)")
OTHERS_HELD = tr("not sent, since other rows are held, and all are sent or none")


def plan_only(
    inputs: Sequence[Input],
    reading: ReadOptions,
    outputs: Outputs,
    *,
    requests: Path | None = None,
    is_all_or_nothing: bool = False,
    plan_file: PlanFile | None = None,
    preview: "Preview | None" = None,
    select: Callable[[Sequence[CheckedSheet]], None] = lambda _: None,
) -> list[SheetResult]:
    """Return the results of a dry run: everything up to the plan; nothing is sent.

    `requests` is the folder for bodies, `select` selects the rows to send, `preview` gets the plan.
    """
    if plan_file:
        plan_file.begin([(file.name, digest_of(file.path)) for file in inputs])
    sheets = _checked_sheets(inputs, reading)
    select(sheets)
    checked = _CheckedFiles(inputs, sheets, reading, outputs, plan_file, is_all_or_nothing)
    plan = checked.plan()
    if requests:
        write_requests(requests, plan, reading.dialect)
    results = checked.results(plan)
    if preview:
        preview.add(plan)
        preview.attach(results)
    return results


def submit(
    inputs: Sequence[Input],
    reading: ReadOptions,
    outputs: Outputs,
    session: Session,
    workspace: Workspace,
    *,
    requests: Path | None = None,
    is_all_or_nothing: bool = False,
    wait: bool = True,
    on_event: OnEvent = ignore,
    on_begun: Callable[[int], None] = lambda _: None,
    confirm: Confirm = refuse,
    claim: int | None = None,
    plan_file: PlanFile | None = None,
    selection: SelectionOptions = EVERY_ROW,
    words: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Submission:
    """Check files, send the valid rows, wait, and write the annotated copies.

    `on_begun` gets the run's number once it is recorded completely. `confirm` is called before a
    purge; a `claim` is the watcher's; `words`: see `RunOptions`.
    """
    refuse_names(inputs, outputs)
    snapshots = [workspace.keep(file) for file in inputs]
    if plan_file:
        plan_file.begin([(kept.file.name, kept.sha256) for kept in snapshots])
    files = [kept.file for kept in snapshots]
    consulted = CatalogRecorder(reading.catalog)
    judged = _judging_options(consulted, reading, session, workspace, plan_file)
    sheets = _checked_sheets(files, judged, has_channel=session.has_channel)
    _expire_personal_files(sheets, snapshots, judged, session, workspace)
    refuse_places(inputs, sheets, outputs, reading)
    checked = _CheckedFiles(files, sheets, judged, outputs, plan_file, is_all_or_nothing)
    if checked.blocked_reason() or all(sheet.error for sheet in sheets):
        plan = checked.plan()
        return Submission(checked.results(plan) if plan.blocked else [*map(SheetResult, sheets)])
    if claim is not None and (stopped := session.stopping()):
        raise stopped  # without a run nothing stays claimed
    with seller_lock(session, workspace, "submit"):
        select_rows(workspace, sheets, reading, selection, (session.address, session.seller))
        if (plan := checked.plan()).blocked:
            return Submission(checked.results(plan))
        if requests:
            write_requests(requests, plan, reading.dialect)
        try:
            removals = _confirmed_removals(sheets, reading, session, workspace, confirm)
            warnings = _open_elsewhere(sheets, session, workspace)
        except NotAuthorised as error:  # no run is recorded yet
            return Submission(not_begun(sheets, error), error)
        options = _options(checked, snapshots, session, consulted, workspace)
        options = replace(options, selection=selection, removals=removals, words=dict(words))
        run, open_runs = _begin(plan, options, session, workspace, claim)
        on_begun(run)
        stopped = None
        if _has_items(sheets) or workspace.ledger.irrevocable(run):  # else no request is needed
            stopped = deliver_run(run, reading, session, workspace, wait=wait, on_event=on_event)
        results = results_of_run(sheets, workspace.ledger, run, stopped)
        _write_answers(run, results, files, options, stopped, session.now(), workspace)
    return Submission(results, stopped, [*open_runs, *warnings])


def _judging_options(
    consulted: CatalogRecorder,
    reading: ReadOptions,
    session: Session,
    workspace: Workspace,
    plan_file: PlanFile | None,
) -> ReadOptions:
    """Return the reading options, with the catalogue and service that judge the rows.

    A plan was made without the service, so it is sent without asking it.
    """
    ask = None if plan_file else ask_of(session)
    return replace(workspace.with_recording(reading), catalog=consulted, ask=ask)


def _expire_personal_files(
    sheets: Sequence[CheckedSheet],
    snapshots: Sequence[UnchangedInput],
    judged: ReadOptions,
    session: Session,
    workspace: Workspace,
) -> None:
    """Let snapshots with personal data expire, and the files that cells name."""
    areas = load()
    names = {sheet.file for sheet in sheets if areas.is_personal([sheet.kind])}
    if not names:
        return
    located = judged.locate
    attachments = located.kept.values() if isinstance(located, RecordedFiles) else ()
    inputs = (kept.sha256 for kept in snapshots if kept.file.name in names)
    workspace.expire((*inputs, *attachments), judged.dialect, session.wall())


class _CheckedFiles(Struct, frozen=True):
    """The files of a command, checked, before the decision to send them."""

    files: Sequence[Input]
    sheets: Sequence[CheckedSheet]
    reading: ReadOptions
    outputs: Outputs
    plan_file: PlanFile | None
    is_all_or_nothing: bool

    def blocked_reason(self) -> str:
        """Return the reason why no row is sent though some could be; else an empty text."""
        if all(sheet.error for sheet in self.sheets):
            return ""
        if self.is_all_or_nothing and not all(sheet.is_clean() for sheet in self.sheets):
            return ALL_OR_NOTHING
        is_whole = self.is_all_or_nothing or self.reading.purges
        return OTHERS_HELD if is_whole and any(sheet.selected.held for sheet in self.sheets) else ""

    def plan(self) -> Plan:
        """Return the plan of the selected rows; the plan file, if any, verifies it."""
        plan = Plan(self.sheets, load().feeds, self.reading.dialect.limits, self.blocked_reason())
        if self.plan_file:
            self.plan_file.verify(plan)
        return plan

    def results(self, plan: Plan) -> list[SheetResult]:
        """Return the results if nothing is sent, and write them into the copies."""
        results = results_of_plan(plan)
        write_copies_of(self.files, results, self.outputs, self.reading)
        return results


def _options(
    checked: _CheckedFiles,
    snapshots: Sequence[UnchangedInput],
    session: Session,
    consulted: CatalogRecorder,
    workspace: Workspace,
) -> RunOptions:
    """Return the options of the command, with the snapshots of its inputs and of its check."""
    inputs = [(kept.file.name, kept.sha256) for kept in snapshots if kept.sha256]
    excerpt, names, sheets = consulted.excerpt(), dict(inputs), checked.sheets
    recipes, located = checked.reading.recipes, checked.reading.locate
    checked_sha256 = workspace.keep_sheets([sheet for sheet in sheets if sheet.file in names])
    if load().is_personal(sheet.kind for sheet in sheets):
        workspace.expire([checked_sha256], checked.reading.dialect, session.wall())
    return RunOptions(
        checked.reading,
        checked.outputs,
        RunSnapshots(
            inputs,
            checked=checked_sha256,
            catalog=workspace.keep_excerpt(excerpt) if excerpt else None,
            recipes=recipes.kept(sheets) if isinstance(recipes, RecordedRecipes) else (),
            files=located.kept if isinstance(located, RecordedFiles) else {},
        ),
        session.profile,
        session.is_sandbox,
        [(sheet.file, sheet.sheet) for sheet in sheets if sheet.error is None],
        who=session.who or who(),
        invalid=sum(sheet.rows.marks.count(INVALID) for sheet in sheets),
        plan=checked.plan_file.digest if checked.plan_file else None,
        kinds=[(sheet.file, sheet.sheet, sheet.kind) for sheet in sheets if sheet.kind],
    )


def _confirmed_removals(
    sheets: Sequence[CheckedSheet],
    reading: ReadOptions,
    session: Session,
    workspace: Workspace,
    confirm: Confirm,
) -> int | None:
    """Return the number of offers that a confirmed purge will remove; None without a purge."""
    if not reading.purges:
        return None
    foreign = _open_elsewhere(sheets, session, workspace, is_working=True)
    check_nothing_open(workspace.ledger, session.seller, foreign)
    purge = measure(sheets, session)
    confirm(purge)
    return purge.removed


def _begin(
    plan: Plan, options: RunOptions, session: Session, workspace: Workspace, claim: int | None
) -> tuple[int, list[str]]:
    """Begin a run: record all of its rows. Return it, and the warnings of other open runs."""
    run = workspace.ledger.start_run(
        now=session.wall(),
        seller=session.seller,
        service=session.address,
        language=session.language,
        options=options.as_json(),
        claim=claim,
    )
    record(workspace, run, plan, options, session.wall())
    clock = clock_of(session, workspace)
    return run, [*warnings_of_others(workspace.ledger, run, clock, load().routes)]


def _write_answers(
    run: int,
    results: Sequence[SheetResult],
    files: Sequence[Input],
    options: RunOptions,
    stopped: FeedtoolError | None,
    now: datetime,
    workspace: Workspace,
) -> None:
    """Write the annotated copies, unless nothing has begun, and the rows to correct."""
    if stopped is None or (any(map(_has_begun, results)) and not options.outputs.only_whole):
        write_copies(run, files, results, options, now, workspace)
    add_corrections(run, results, options, now, workspace)


def _checked_sheets(
    inputs: Sequence[Input], reading: ReadOptions, *, has_channel: bool = True
) -> list[CheckedSheet]:
    """Return the sheets to send; UsageProblem if they do not fit the options."""
    sheets, feeds = check(inputs, reading, load()), load().feeds
    kinds = {sheet.kind for sheet in sheets if sheet.kind}
    of_channels = [kind for kind in kinds if feeds[kind].sheet.has_channel]
    if of_channels and not has_channel:
        raise UsageProblem(
            tr("--channel is missing"),
            tr(
                "it names the sales channel that {kinds} are for; products need none",
                kinds=", ".join(sorted(of_channels)),
            ),
        )
    if reading.purges:
        check_one_zip(sheets, reading.dialect.limits.legacy)
    return sheets


def _has_begun(result: SheetResult) -> bool:
    """True if any request of a sheet has reached the service."""
    is_sent = any(act.calls for act in result.acts or ())
    return is_sent or any(package.package_id for package in result.packages)


def _has_items(sheets: Iterable[CheckedSheet]) -> bool:
    return any(True for sheet in sheets for _ in sheet.valid_items())


def _open_elsewhere(
    sheets: Iterable[CheckedSheet],
    session: Session,
    workspace: Workspace,
    *,
    is_working: bool = False,
) -> list[str]:
    """Return a warning for each open package of the seller that was not begun here.

    The calls come before a run is recorded, so that a wrong token leaves no run behind:
    NotAuthorised. With `is_working` also for packages that are being integrated.
    """
    from feedtool.delivery.foreign_packages import OPEN, foreign_packages

    meanings = OPEN | {Meaning.WORKING} if is_working else OPEN
    if not _has_items(sheets):
        return []
    return foreign_packages(workspace.ledger, session.client, load().routes, meanings)


# The basis of a plan.


Show = Callable[[Mapping[str, Effects]], None]
"""Shows the effects of a plan on each channel, before it is saved or sent."""


def with_recording(reading: ReadOptions, folder: Path) -> ReadOptions:
    """Return the reading options so that each recipe that a plan uses is kept in a folder."""
    from feedtool.ledger.snapshots import Snapshots

    kept = Snapshots(folder)
    return replace(reading, recipes=RecordedRecipes(reading.recipes, kept.keep, kept.path_of))


class PlanBasis(Struct, frozen=True):
    """All that decides about the requests of a plan, except the files."""

    reading: ReadOptions
    selection: SelectionOptions
    account: Account
    is_all_or_nothing: bool = False
    recipe: str | None = None
    """The recipe that was named, if any."""

    @property
    def is_account_known(self) -> bool:
        return self.account.service is not None and self.account.seller is not None

    def conditions(self, inputs: Hashes) -> Conditions:
        """Return the conditions that must be the same when the plan is sent."""
        selection = self.selection
        options: dict[str, str | bool | None] = {
            "all_or_nothing": self.is_all_or_nothing,
            "changed_only": selection.changed_only,
            "prefer_update": selection.prefer_update,
            "recipe": self.recipe,
            "rows": as_condition(selection.rows),
            **dict.fromkeys((f"release {guard.code}" for guard in selection.released), True),
        }
        return conditions_of(inputs, self.reading, self.account, **options)

    def select(self, workspace: Workspace | None) -> Callable[[Sequence[CheckedSheet]], None]:
        """Return a function that selects the rows to send, by the ledger if it is known."""
        if workspace is None or not self.is_account_known:
            return partial(select_unknown, reading=self.reading, selection=self.selection)
        return partial(
            select_rows,
            workspace,
            reading=self.reading,
            selection=self.selection,
            account=self._address_and_seller(),
        )

    def accepted(self, workspace: Workspace | None) -> OpenAccepted:
        """Return an opener of the accepted rows in the ledger; it gives None if unknown."""
        if workspace is None or not self.is_account_known:
            return lambda: None
        return partial(accepted_rows, workspace, self._address_and_seller())

    def writer(
        self,
        inputs: Sequence[Input],
        place: Path,
        known: OpenAccepted,
        show: Show,
        now: datetime,
        words: Mapping[str, Any],
    ) -> PlanWriter:
        """Return a plan to save; `reading` must be made by `with_recording`.

        `words` are the options to be typed again when it is sent, by click's names.
        """
        return PlanWriter(
            self.conditions,
            known,
            show,
            place,
            lambda: [(file.name, digest_of(file.path)) for file in inputs],
            words,
            now,
            cast("RecordedRecipes", self.reading.recipes),
        )

    def verifier(self, plan: SavedPlan, known: OpenAccepted, show: Show) -> PlanVerifier:
        return PlanVerifier(self.conditions, known, show, plan)

    def _address_and_seller(self) -> tuple[str, str]:
        return self.account.service or "", self.account.seller or ""


def run_of_plan(plan: SavedPlan, ledger: Ledger) -> int | None:
    """The last run that has sent a plan: to send it again may undo what has happened since."""
    runs = ledger.pages.runs(ledger.pages.with_option_text(plan.digest))
    return max((run.run_id for run in runs if run.options.get("plan") == plan.digest), default=None)
