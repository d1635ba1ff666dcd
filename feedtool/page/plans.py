"""The plan of a file: a dry run that is kept, and then sent exactly.

The plan is the file that `submit --dry-run --save-plan` writes, and is sent like `submit --plan`:
not at all, if the file, the account, its settings or the rows have changed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from feedtool.areas.registry import load as load_areas
from feedtool.check import ReadOptions
from feedtool.feeds.memory import Effects
from feedtool.feeds.selection import ChosenRows, SelectionOptions
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status, by_row, worst_status
from feedtool.model.text import MessageText, kept_text, plural, text_of_kept, tr
from feedtool.page.checks import options_for
from feedtool.page.deliveries import send_notices
from feedtool.page.grid import (
    ALL,
    Grid,
    RowFilter,
    add_results,
    of_code,
    of_status,
    with_page_status,
)
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession, now
from feedtool.page.uploads import Choices, FileUpload
from feedtool.report.packages import package_lines
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.codes import guards
from feedtool.runs.deliver import note_pass
from feedtool.runs.outputs import Outputs
from feedtool.runs.plan_file import Account, PlanUnfit, load
from feedtool.runs.preview import Preview, preview_of
from feedtool.runs.purge import Purge
from feedtool.runs.selection import refuse_absent
from feedtool.runs.submit import (
    ALL_OR_NOTHING,
    PlanBasis,
    plan_only,
    run_of_plan,
    submit,
    with_recording,
)
from feedtool.runs.workspace import Workspace, seller_lock
from feedtool.sheets.atomic_write import atomic_write

PLAN = "plan "
"""The beginning of the keys of jobs."""
VIEW = "plan"
FILE, FACTS = "plan.jsonl", "plan.json"
KEPT = "kept"
"""The folder of the recipes of a file."""
BIGGEST = 12
"""Most changes that the page lists."""
SHOWN = frozenset({"changed", "removed"})


class PlanFacts(msgspec.Struct, frozen=True):
    """The facts of a plan for the page; texts come from `kept_text`."""

    digest: str
    seller: str
    """The plan's seller; empty if the account names none."""
    service: str
    """The address of its service; empty if the account names none."""
    last_run: int
    """The newest run of its seller when the plan was made, or 0."""
    counted_at: datetime | None
    """The last time that rows of the seller had been counted."""
    lines: tuple[str, ...]
    """The packages that would be sent, and their effect on offers."""
    statuses: dict[str, int]
    """The rows by planned status: Valid ones are sent."""
    changes: tuple[Mapping[str, Any], ...]
    """The biggest changes of offers."""
    changed_only: bool = False
    """True if rows that change nothing are left out."""
    blocked: str = ""
    """The reason why the plan sends no row although some could be sent; else empty."""
    reading: str = ""
    choices: Choices = Choices()
    """The choices for the file when the plan was made."""

    @property
    def _of(self) -> SellerKey:
        return seller_key(self.service, self.seller)

    def is_overtaken(self, workspace: Workspace) -> bool:
        """True if a run of its seller has begun or ended since.

        The accepted prices and stocks, with which it was compared, may have changed.
        """
        return workspace.ledger.pages.last_of(self._of) != (self.last_run, self.counted_at)

    def run(self, workspace: Workspace) -> int | None:
        """The run that has sent the plan, which can only be the seller's next one."""
        number = workspace.ledger.pages.next_of(self._of, self.last_run)
        run = None if number is None else workspace.ledger.run(number)
        return number if run and run.options.get("plan") == self.digest else None

    @property
    def texts(self) -> list[str]:
        return list(map(text_of_kept, self.lines))

    @property
    def is_unchanged(self) -> bool:
        return self.statuses.keys() == {Status.UNCHANGED}

    @property
    def sent(self) -> int:
        return self.statuses.get(Status.VALID, 0)


class HeldRows(NamedTuple):
    """The rows that a guard holds, or would hold without a release."""

    code: str
    rows: int
    message: str
    reason: str = ""
    """The reason of a release; empty without one."""
    who: str = ""
    """The user who released the rows."""


class Blocked(NamedTuple):
    """The reason why nothing of a file is sent, and the rows that cause it."""

    text: MessageText
    link: MessageText
    """The text of the link to the rows."""
    sheet: int
    """The number of the first sheet with such rows."""
    which: str
    """The filter of the sheet's grid for these rows."""


def blocked_by(grid: Grid, plan: PlanFacts) -> Blocked | None:
    """The reason that blocks a plan; else None."""
    if not plan.blocked:
        return None
    numbers = range(len(grid.sheets))
    if text_of_kept(plan.blocked) != ALL_OR_NOTHING:
        codes = {number: [group.code for group in grid.groups(number, VIEW)] for number in numbers}
        held = ((number, code) for number, of_sheet in codes.items() for code in of_sheet)
        sheet, code = next((number, code) for number, code in held if code in guards())
        text = tr("Nothing is sent: rows are held back, and all are to be sent or none.")
        return Blocked(text, tr("Show the rows that are held back"), sheet, of_code(code))
    invalid = {number: grid.statuses(number, VIEW).get(Status.INVALID, 0) for number in numbers}
    if count := sum(invalid.values()):
        text = plural(
            "Nothing is sent: {count:,} row is not valid, and all are to be sent or none.",
            "Nothing is sent: {count:,} rows are not valid, and all are to be sent or none.",
            count,
        )
        sheet = next(number for number in numbers if invalid[number])
        link = tr("Show the rows that are not valid")
        return Blocked(text, link, sheet, of_status(Status.INVALID))
    text = tr("Nothing is sent: a sheet cannot be read, and all are to be sent or none.")
    sheet = next(number for number in numbers if grid.sheets[number].error)
    return Blocked(text, tr("Show the sheet"), sheet, ALL)


def refuse_absent_rows(grid: Grid, file: FileUpload, choices: Choices) -> None:
    """Raise NoSuchRows for chosen rows that a sheet of the file does not have."""
    for entry in chosen_rows(file, choices):
        for sheet in grid.sheets:
            if entry.sheet in {None, sheet.sheet}:
                refuse_absent(entry, grid.rows_of(RowFilter(sheet.number)))


def chosen_rows(file: FileUpload, choices: Choices) -> tuple[ChosenRows, ...]:
    """The only rows to send; empty: all."""
    every = choices.rows.items()
    return tuple(ChosenRows(file.name, sheet or None, rows) for sheet, rows in every)


def held_rows(grid: Grid, file: FileUpload) -> list[HeldRows]:
    """The rows of a file that guards hold, by guard, and those that are released."""
    released = file.choices.releases
    groups = chain.from_iterable(grid.groups(sheet.number, VIEW) for sheet in grid.sheets)
    held = [
        HeldRows(group.code, group.rows, group.message)
        for group in groups
        if group.code in guards()
    ]
    return held + [
        HeldRows(release.code, 0, "", release.reason, release.who) for release in released
    ]


def can_purge(grid: Grid) -> bool:
    feeds = load_areas().feeds
    return any(sheet.kind in feeds and feeds[sheet.kind].travel.purge_type for sheet in grid.sheets)


def missing_setting(session: PageSession, file: FileUpload, grid: Grid) -> str:
    """The reason why a file's account cannot send it; else empty."""
    feeds = load_areas().feeds
    kinds = (feeds[sheet.kind] for sheet in grid.sheets if sheet.kind in feeds)
    has_channel = any(kind.sheet.has_channel for kind in kinds)
    return session.accounts.lack(file.account, needs_channel=has_channel)


def start_plan(session: PageSession, file: FileUpload) -> Job:
    return session.jobs.start(PLAN + file.id, "check", partial(_make, session, file))


def plan_of(session: PageSession, file: FileUpload) -> PlanFacts | None:
    """The plan for the present choices, unless a run has overtaken it."""
    plan = kept_plan(session, file)
    if plan is None:
        return None
    with session.workspace() as workspace:
        return None if plan.is_overtaken(workspace) else plan


def run_of(session: PageSession, file: FileUpload) -> int | None:
    """The run that has sent the plan of a file, by the ledger."""
    plan = kept_plan(session, file)
    if plan is None:
        return None
    with session.workspace() as workspace:
        return plan.run(workspace)


def with_run(session: PageSession, file: FileUpload) -> FileUpload:
    """Return a file with its run, even if the page ended before it noted the run.

    The run is noted now: a new plan would no longer lead to it.
    """
    run = None if file.run else run_of(session, file)
    return session.uploads.save(replace(file, run=run)) if run else file


def kept_plan(session: PageSession, file: FileUpload) -> PlanFacts | None:
    """The plan that was made with the present choices; else None."""
    try:
        kept = (session.uploads.folder(file.id) / FACTS).read_bytes()
        plan = msgspec.json.decode(kept, type=PlanFacts)
    except (OSError, ValueError):  # not written yet, or only half, by a crash
        return None
    return plan if (plan.reading, plan.choices) == (file.reading, file.choices) else None


def selection_of(file: FileUpload, usual: SelectionOptions) -> SelectionOptions:
    """The selection of rows to send, by the account's settings and the choices."""
    choices = file.choices
    return replace(
        usual,
        changed_only=usual.changed_only if choices.changed_only is None else choices.changed_only,
        released=choices.releases,
        rows=chosen_rows(file, choices),
    )


def basis_of(
    file: FileUpload, reading: ReadOptions, usual: SelectionOptions, account: Account
) -> PlanBasis:
    return PlanBasis(reading, selection_of(file, usual), account, file.choices.all_or_nothing)


def _make(session: PageSession, file: FileUpload, job: Job) -> None:
    job.report(tr("Finding out what would be sent"))
    folder, read = session.uploads.folder(file.id), [session.uploads.input(file)]
    lines: list[str] = []

    def show(effects: Mapping[str, Effects]) -> None:
        for channel, effect in effects.items():
            if channel:  # the plan's lines say more about effects without a channel
                lines.extend(effect.describe(channel))

    with session.accounts.planning(file.account) as account, session.workspace() as workspace:
        service, seller = account.identity.service or "", account.identity.seller or ""
        last_run, counted_at = workspace.ledger.pages.last_of(seller_key(service, seller))
        reading = with_recording(options_for(session, account.reading, file), folder / KEPT)
        basis = basis_of(file, reading, account.selection, account.identity)
        known = basis.accepted(workspace)
        with preview_of(known) as preview:
            results = plan_only(
                read,
                reading,
                Outputs(),
                is_all_or_nothing=basis.is_all_or_nothing,
                plan_file=basis.writer(read, folder / FILE, known, show, now(), words={}),
                preview=preview,
                select=basis.select(workspace),
            )
            changed_only = basis.selection.changed_only and not reading.purges
            facts = PlanFacts(
                load(folder / FILE).digest,
                seller,
                service,
                last_run,
                counted_at,
                **_described(results, lines, preview),
                changed_only=changed_only,
                reading=file.reading,
                choices=file.choices,
            )
    present = session.uploads.file(file.id)
    if (present.choices, present.reading) != (file.choices, file.reading):
        _make(session, present, job)  # a plan for earlier choices must not be shown
        return
    every = {number: result.every_verdict() for number, result in enumerate(results)}
    add_results(session.uploads.grid(file), VIEW, every)
    with atomic_write(folder / FACTS, is_private=True) as place:
        place.write_bytes(msgspec.json.encode(facts))


def _described(
    results: Sequence[SheetResult], effects: Sequence[str], preview: Preview
) -> dict[str, Any]:
    """The fields of a plan that describe its effect."""
    preview.attach(results)
    lines = [line for result in results for line in package_lines(result) if line]
    statuses: Counter[str] = Counter()
    for result in results:
        statuses.update(map(worst_status, by_row(map(with_page_status, result.every_verdict()))))
    every = chain.from_iterable(result.changes or () for result in results)
    changes = (change for change in every if change["change"] in SHOWN)
    return {
        "lines": tuple(map(kept_text, [*lines, *effects])),
        "statuses": dict(statuses),
        "changes": tuple(islice(changes, BIGGEST)),
        "blocked": kept_text(next((result.blocked for result in results), "")),
    }


# Send exactly the plan that the user has seen, or nothing.


SEND = "send "
"""The beginning of the keys of jobs."""


class PlanChanged(UsageProblem):
    """The plan has changed since the user saw it; nothing is sent."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            tr("the rows to send have changed since you saw them: {reason}", reason=reason),
            tr("nothing was sent; look at it once more, and send it then"),
        )


class SentBefore(UsageProblem):
    """The plan was sent before; sending it again would undo later changes."""

    def __init__(self, run: int) -> None:
        super().__init__(tr("this plan was sent before, by run {run}", run=run))
        self.run = run


class PurgeToConfirm(UsageProblem):
    """Offers would be removed, and the user has not confirmed their number."""

    def __init__(self, purge: Purge) -> None:
        super().__init__(purge.text, tr("type the number of offers that will be removed"))
        self.removed = purge.removed


def start_sending(
    session: PageSession, file: FileUpload, digest: str, who: str, removals: int | None
) -> Job:
    work = partial(_send, session, file, digest, who, removals)
    return session.jobs.start(SEND + file.id, "delivery", work)


def _send(
    session: PageSession, file: FileUpload, digest: str, who: str, removals: int | None, job: Job
) -> None:
    job.report(tr("Reading the file once more, to send what the plan says"))
    folder = session.uploads.folder(file.id)
    facts = kept_plan(session, file)
    if facts is None or facts.digest != digest:
        raise PlanChanged(tr("something else was chosen, or brought, since"))
    plan = load(folder / FILE)

    def begun(run: int) -> None:
        session.uploads.save(msgspec.structs.replace(file, run=run))
        job.begin_run(run)

    # The lock comes first: else two pages could send the plan one after the other.
    with (
        session.accounts.open(file.account) as account,
        seller_lock(account.session, account.workspace, "page"),
        note_pass(account.session, account.workspace) as passing,
    ):
        if sent_by := run_of_plan(plan, account.workspace.ledger):
            raise SentBefore(sent_by)
        if facts.is_overtaken(account.workspace):
            raise PlanChanged(tr("rows of this seller were sent since"))
        reading = options_for(session, account.reading, file)
        reached = account.session
        identity = Account(reached.address, reached.seller, reached.profile, reached.is_sandbox)
        basis = basis_of(file, reading, account.selection, identity)
        try:
            submission = submit(
                [session.uploads.input(file)],
                replace(reading, recipes=plan.recipes(folder / KEPT, [file.name])),
                Outputs(no_failed=True),
                replace(reached, who=who, holds_lock=True),
                account.workspace,
                is_all_or_nothing=basis.is_all_or_nothing,
                confirm=partial(_refuse_other_number, removals),
                plan_file=basis.verifier(plan, basis.accepted(account.workspace), lambda _: None),
                selection=basis.selection,
                on_begun=begun,
            )
        except PlanUnfit as error:
            # The file is checked again for a new plan.
            session.uploads.choose(file, file.choices, is_read_anew=True)
            raise PlanChanged(error.reason) from error
        send_notices(passing.end(submission), account)


def _refuse_other_number(removals: int | None, purge: Purge) -> None:
    """Raise PurgeToConfirm if the user has not confirmed exactly as many removals."""
    if purge.removed != removals:
        raise PurgeToConfirm(purge)
