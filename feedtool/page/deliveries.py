"""Deliveries of the page: plans that are sent, and runs that are resumed."""

from functools import partial

from feedtool.ledger import Run
from feedtool.ledger.records import seller_key
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession
from feedtool.report.sheet_result import exit_code
from feedtool.runs.deliver import Submission, note_pass, resume
from feedtool.runs.run_record import RunOptions
from feedtool.runs.sellers import SellerAccount
from feedtool.runs.workspace import needs_service

RESUME = "resume "
"""The beginning of the keys of jobs."""


def account_of(session: PageSession, run: Run, options: RunOptions) -> str:
    """The name of a run's account; empty if no account reaches it."""
    accounts, profile = session.accounts, options.profile
    if profile and profile in accounts.names and accounts.is_sandbox(profile) == options.is_sandbox:
        return profile
    if options.is_sandbox:
        return next(filter(accounts.is_sandbox, accounts.names), "")
    return "" if profile else accounts.of_seller(run.service, run.seller)


def start_resume(session: PageSession, run: int, account: str) -> Job:
    return session.jobs.start(f"{RESUME}{run}", "delivery", partial(_resume, session, run, account))


def _resume(session: PageSession, run: int, account: str, job: Job) -> None:
    job.begin_run(run)
    with session.accounts.open(account) as opened:
        record = opened.workspace.ledger.run(run)
        if record is None or seller_key(record.service, record.seller) != opened.key:
            raise UsageProblem(
                tr("run {run} was begun for another seller than its account now has", run=run),
                tr("ask the person who keeps the configuration"),
            )
        if needs_service(run, opened.workspace):
            with note_pass(opened.session, opened.workspace) as passing:
                submission = passing.end(resume(run, opened.session, opened.workspace))
            send_notices(submission, opened)


def send_notices(submission: Submission, opened: SellerAccount) -> None:
    """Send the notices of a run; raise the error that has stopped it."""
    opened.on_answered(submission.outcomes, exit_code(submission.outcomes, submission.stopped))
    if submission.stopped:
        raise submission.stopped
