"""What would be sent of a file: a dry run that is kept, and exactly that is sent.

The plan is the file that `submit --dry-run --save-plan` writes, and is sent as `submit --plan`
sends it: not at all, if the file, the account, its settings or the rows are not as they were.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from feedtool.areas.legacy.purge import Confirm, Purge
from feedtool.areas.offers.changes.effects import Effects, describe
from feedtool.areas.offers.changes.selection import ChosenRows, SelectionOptions
from feedtool.areas.registry import load as load_areas
from feedtool.check import ReadOptions
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status, by_row, worst_status
from feedtool.model.text import MessageText, kept_text, plural, text_of_kept, tr
from feedtool.page.checks import chosen
from feedtool.page.deliveries import end
from feedtool.page.grid import ALL, Grid, RowFilter, add_results, as_shown, of_code, of_status
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession, now
from feedtool.page.uploads import Choices, FileUpload
from feedtool.report.packages import package_lines
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.annotated_copy import Outputs
from feedtool.runs.codes import guards
from feedtool.runs.deliver import note_pass
from feedtool.runs.plan_file import Account, PlanUnfit, Preview, SavedPlan, load, preview_of
from feedtool.runs.plan_file import Account as Identity
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
"""The beginning of the keys of jobs, and the name of the view of a grid."""
VIEW = "plan"
FILE, FACTS = "plan.jsonl", "plan.json"
KEPT = "kept"
"""The folder of the recipes by which a file is read."""
BIGGEST = 12
"""Changes that the page lists."""
SHOWN = frozenset({"changed", "removed"})


class PlanFacts(msgspec.Struct, frozen=True):
    """What a page shows of a plan; texts are kept ones."""

    digest: str
    seller: str
    """Whose it is; empty where the account names nobody."""
    service: str
    """The address of its service; empty where the account names none."""
    last_run: int
    """The newest run of its seller when it was made, or 0."""
    counted_at: datetime | None
    """The last time that rows of the seller had been counted."""
    lines: tuple[str, ...]
    """What would be sent, and what that does to the offers."""
    statuses: dict[str, int]
    """The rows by what would become of them: Valid ones are sent."""
    changes: tuple[Mapping[str, Any], ...]
    """The biggest changes of offers."""
    changed_only: bool = False
    """True if rows that change nothing are left out."""
    blocked: str = ""
    """Why no row is sent although some might be; empty where they are, or could not be."""
    reading: str = ""
    choices: Choices = Choices()
    """Those of the file, with which it was made."""

    @property
    def _of(self) -> SellerKey:
        return seller_key(self.service, self.seller)

    def is_overtaken(self, workspace: Workspace) -> bool:
        """True if a run of its seller has begun or ended since.

        The accepted prices and stocks, which it was compared with, may be others now.
        """
        return workspace.ledger.pages.last_of(self._of) != (self.last_run, self.counted_at)

    def run(self, workspace: Workspace) -> int | None:
        """The run that has sent it, which can only be the seller's next one."""
        number = workspace.ledger.pages.next_of(self._of, self.last_run)
        run = None if number is None else workspace.ledger.run(number)
        return number if run and run.options.get("plan") == self.digest else None

    @property
    def texts(self) -> list[str]:
        """The lines as messages."""
        return list(map(text_of_kept, self.lines))

    @property
    def is_unchanged(self) -> bool:
        """True if all rows are as the service has them."""
        return self.statuses.keys() == {Status.UNCHANGED}

    @property
    def sent(self) -> int:
        """The number of rows that would be sent."""
        return self.statuses.get(Status.VALID, 0)


class HeldRows(NamedTuple):
    """The rows that a guard holds, or would hold if they were not released."""

    code: str
    rows: int
    message: str
    reason: str = ""
    """Why they are sent all the same; empty where they are not."""
    who: str = ""
    """Who says so."""


class Blocked(NamedTuple):
    """Why nothing of a file is sent, and the rows that it is for."""

    text: MessageText
    link: MessageText
    """What leads to the rows."""
    sheet: int
    """The number of the first sheet that has some."""
    which: str
    """Those of the sheet, as a filter of its grid."""


def blocked_by(grid: Grid, plan: PlanFacts) -> Blocked | None:
    """What blocks a plan; None where nothing does."""
    if not plan.blocked:
        return None
    numbers = range(len(grid.sheets))
    if text_of_kept(plan.blocked) != ALL_OR_NOTHING:
        codes = {at: [it.code for it in grid.groups(at, VIEW)] for at in numbers}
        held = ((at, code) for at, of_sheet in codes.items() for code in of_sheet)
        sheet, code = next((at, code) for at, code in held if code in guards())
        text = tr("Nothing is sent: rows are held back, and all are to be sent or none.")
        return Blocked(text, tr("Show the rows that are held back"), sheet, of_code(code))
    invalid = {at: grid.statuses(at, VIEW).get(Status.INVALID, 0) for at in numbers}
    if count := sum(invalid.values()):
        text = plural(
            "Nothing is sent: {count:,} row is not valid, and all are to be sent or none.",
            "Nothing is sent: {count:,} rows are not valid, and all are to be sent or none.",
            count,
        )
        sheet = next(at for at in numbers if invalid[at])
        link = tr("Show the rows that are not valid")
        return Blocked(text, link, sheet, of_status(Status.INVALID))
    text = tr("Nothing is sent: a sheet cannot be read, and all are to be sent or none.")
    sheet = next(at for at in numbers if grid.sheets[at].error)
    return Blocked(text, tr("Show the sheet"), sheet, ALL)


def refuse_absent_rows(grid: Grid, file: FileUpload, choices: Choices) -> None:
    """NoSuchRows where rows were chosen that a sheet of the file does not have."""
    for entry in chosen_rows(file, choices):
        for sheet in grid.sheets:
            if entry.sheet in {None, sheet.sheet}:
                refuse_absent(entry, grid.rows_of(RowFilter(sheet.number)))


def chosen_rows(file: FileUpload, choices: Choices) -> tuple[ChosenRows, ...]:
    """The rows that alone are sent; none: all."""
    every = choices.rows.items()
    return tuple(ChosenRows(file.name, sheet or None, rows) for sheet, rows in every)


def held_rows(grid: Grid, file: FileUpload) -> list[HeldRows]:
    """What guards hold of a file, by guard, and what is released of it."""
    released = file.choices.releases
    groups = chain.from_iterable(grid.groups(sheet.number, VIEW) for sheet in grid.sheets)
    held = [HeldRows(it.code, it.rows, it.message) for it in groups if it.code in guards()]
    return held + [HeldRows(it.code, 0, "", it.reason, it.who) for it in released]


def can_purge(grid: Grid) -> bool:
    """True if a file may replace all that the service has."""
    feeds = load_areas().feeds
    return any(sheet.kind in feeds and feeds[sheet.kind].travel.purge_type for sheet in grid.sheets)


def lack_of(session: PageSession, file: FileUpload, grid: Grid) -> str:
    """Why nothing of a file can be sent from its account; empty where it can."""
    feeds = load_areas().feeds
    has_channel = any(feeds[it.kind].sheet.has_channel for it in grid.sheets if it.kind in feeds)
    return session.accounts.lack(file.account, needs_channel=has_channel)


def start_plan(session: PageSession, file: FileUpload) -> Job:
    """The job that makes the plan of a file, begun if it is not at work."""
    return session.jobs.start(PLAN + file.id, "check", partial(_make, session, file))


def plan_of(session: PageSession, file: FileUpload) -> PlanFacts | None:
    """The plan by the choices in force, unless a run has overtaken it since."""
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
    """A file with its run, also where the page ended before it noted that.

    It is noted then: a plan that is made anew would no longer lead to the run.
    """
    run = None if file.run else run_of(session, file)
    return session.uploads.save(replace(file, run=run)) if run else file


def kept_plan(session: PageSession, file: FileUpload) -> PlanFacts | None:
    """The plan that was made with the choices that are in force; None where there is none."""
    try:
        kept = (session.uploads.folder(file.id) / FACTS).read_bytes()
        plan = msgspec.json.decode(kept, type=PlanFacts)
    except (OSError, ValueError):  # not there yet, or half written when the power went
        return None
    return plan if (plan.reading, plan.choices) == (file.reading, file.choices) else None


def selection_of(file: FileUpload, usual: SelectionOptions) -> SelectionOptions:
    """Which rows of a file are sent: as its account says, and as was chosen."""
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
    """What the plan of a file is made on."""
    return PlanBasis(reading, selection_of(file, usual), account, file.choices.all_or_nothing)


def _make(session: PageSession, file: FileUpload, job: Job) -> None:
    job.tell(tr("Finding out what would be sent"))
    folder, read = session.uploads.folder(file.id), [session.uploads.input(file)]
    lines: list[str] = []

    def show(effects: Mapping[str, Effects]) -> None:
        lines.extend(describe(_of_offers(effects)))

    with session.accounts.planning(file.account) as account, session.workspace() as workspace:
        service, seller = account.identity.service or "", account.identity.seller or ""
        last_run, counted_at = workspace.ledger.pages.last_of(seller_key(service, seller))
        reading = with_recording(chosen(session, account.reading, file), folder / KEPT)
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
                **_told(results, lines, preview),
                changed_only=changed_only,
                reading=file.reading,
                choices=file.choices,
            )
    present = session.uploads.file(file.id)
    if (present.choices, present.reading) != (file.choices, file.reading):
        _make(session, present, job)  # nobody is to see what was chosen before
        return
    every = {number: result.every_verdict() for number, result in enumerate(results)}
    add_results(session.uploads.grid(file), VIEW, every)
    with atomic_write(folder / FACTS, is_private=True) as place:
        place.write_bytes(msgspec.json.encode(facts))


def _of_offers(effects: Mapping[str, Effects]) -> Mapping[str, Effects]:
    """Those on a channel; of others the plan's own lines say more."""
    return {channel: effect for channel, effect in effects.items() if channel}


def _told(
    results: Sequence[SheetResult], effects: Sequence[str], preview: Preview
) -> dict[str, Any]:
    """The fields of a plan that tell what it would do."""
    preview.attach(results)
    lines = [line for result in results for line in package_lines(result) if line]
    statuses: Counter[str] = Counter()
    for result in results:
        statuses.update(map(worst_status, by_row(map(as_shown, result.every_verdict()))))
    every = chain.from_iterable(result.changes or () for result in results)
    changes = (change for change in every if change["change"] in SHOWN)
    return {
        "lines": tuple(map(kept_text, [*lines, *effects])),
        "statuses": dict(statuses),
        "changes": tuple(islice(changes, BIGGEST)),
        "blocked": kept_text(next((result.blocked for result in results), "")),
    }


# A plan that was seen is sent.


SEND = "send "
"""The beginning of the keys of jobs."""


class PlanChanged(UsageProblem):
    """What would be sent is no longer what was seen; nothing is sent."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            tr("what would be sent is no longer what you saw: {reason}", reason=reason),
            tr("nothing was sent; look at it once more, and send it then"),
        )


class SentBefore(UsageProblem):
    """The plan was sent; to send it again would put back what has changed since."""

    def __init__(self, run: int) -> None:
        super().__init__(tr("this plan was sent before, by run {run}", run=run))
        self.run = run


class PurgeToConfirm(UsageProblem):
    """Offers would be removed, and nobody has said how many."""

    def __init__(self, purge: Purge) -> None:
        super().__init__(purge.text, tr("type the number of offers that will be removed"))
        self.removed = purge.removed


def start_sending(
    session: PageSession, file: FileUpload, digest: str, who: str, removals: int | None
) -> Job:
    """The job that sends the plan of this digest, begun if none is at work on the file."""
    work = partial(_send, session, file, digest, who, removals)
    return session.jobs.start(SEND + file.id, "delivery", work)


def _send(
    session: PageSession, file: FileUpload, digest: str, who: str, removals: int | None, job: Job
) -> None:
    job.tell(tr("Reading the file once more, to send what the plan says"))
    folder = session.uploads.folder(file.id)
    facts = kept_plan(session, file)
    if facts is None or facts.digest != digest:
        raise PlanChanged(tr("something else was chosen, or brought, since"))
    plan = load(folder / FILE)

    def begun(run: int) -> None:
        session.uploads.save(msgspec.structs.replace(file, run=run))
        job.begin_run(run)

    # The lock is taken first: of two pages one would send the plan after the other has.
    with (
        session.accounts.open(file.account) as account,
        seller_lock(account.session, account.workspace, "page"),
        note_pass(account.session, account.workspace) as passing,
    ):
        _refuse_sent(plan, account.workspace)
        if facts.is_overtaken(account.workspace):
            raise PlanChanged(tr("rows of this seller were sent since"))
        reading = chosen(session, account.reading, file)
        delivery_session = replace(account.session, who=who, holds_lock=True)
        identity = Identity(
            delivery_session.address,
            delivery_session.seller,
            delivery_session.profile,
            delivery_session.is_sandbox,
        )
        basis = basis_of(file, reading, account.selection, identity)
        try:
            submission = submit(
                [session.uploads.input(file)],
                replace(reading, recipes=plan.recipes(folder / KEPT, [file.name])),
                Outputs(no_failed=True),
                delivery_session,
                account.workspace,
                is_all_or_nothing=basis.is_all_or_nothing,
                confirm=_confirming(removals),
                plan_file=basis.verifier(plan, basis.accepted(account.workspace), lambda _: None),
                selection=basis.selection,
                on_begun=begun,
            )
        except PlanUnfit as error:
            # What was seen is seen anew.
            session.uploads.choose(file, file.choices, is_read_anew=True)
            raise PlanChanged(error.reason) from error
        end(passing.end(submission), account)


def _refuse_sent(plan: SavedPlan, workspace: Workspace) -> None:
    """SentBefore where a run has sent the plan."""
    if run := run_of_plan(plan, workspace.ledger):
        raise SentBefore(run)


def _confirming(removals: int | None) -> Confirm:
    """Confirms a purge of just so many offers."""

    def confirm(purge: Purge) -> None:
        if purge.removed != removals:
            raise PurgeToConfirm(purge)

    return confirm
