"""A plan that was seen is sent: exactly that, or nothing."""

from functools import partial

import msgspec
from msgspec.structs import replace

from feedtool.areas.legacy.purge import Confirm, Purge
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.page.checks import chosen
from feedtool.page.deliveries import end
from feedtool.page.desk import PageSession
from feedtool.page.jobs import Job
from feedtool.page.plans import FILE, KEPT, basis_of, kept_plan
from feedtool.page.shelf import FileUpload
from feedtool.runs.outputs import Outputs
from feedtool.runs.passes import note_pass
from feedtool.runs.plan_conditions import Account as Identity
from feedtool.runs.plan_file import PlanUnfit, SavedPlan, load
from feedtool.runs.planned import run_of_plan
from feedtool.runs.submit import submit
from feedtool.runs.workspace import Workspace, seller_lock

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
