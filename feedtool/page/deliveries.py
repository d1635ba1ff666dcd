"""Deliveries that the page does: plans that are sent, and runs that are gone on with."""

from functools import partial

from feedtool.page.desk import Desk
from feedtool.page.jobs import Job
from feedtool.runs.deliver import Submission, resume
from feedtool.runs.row_results import exit_code
from feedtool.runs.run_record import RunOptions
from feedtool.runs.seller_account import SellerAccount
from feedtool.runs.workspace import has_to_ask

RESUME = "resume "
"""The beginning of the keys of jobs."""


def account_of(at: Desk, options: RunOptions) -> str:
    """The name of the account of a run; empty for one that no profile reaches."""
    if options.profile in at.accounts.names:
        return str(options.profile)
    sandboxes = filter(at.accounts.is_sandbox, at.accounts.names)
    return next(sandboxes, "") if options.is_sandbox else ""


def start_resume(at: Desk, run: int, account: str) -> Job:
    """The job that goes on with a run."""
    return at.jobs.start(f"{RESUME}{run}", "delivery", partial(_resume, at, run, account))


def _resume(at: Desk, run: int, account: str, job: Job) -> None:
    job.begin_run(run)
    with at.accounts.open(account) as opened:
        if has_to_ask(run, opened.workspace):
            end(resume(run, opened.session, opened.workspace), opened)


def end(submission: Submission, opened: SellerAccount) -> None:
    """Tells whoever is to hear of a run; raises what has stopped it."""
    opened.on_answered(submission.outcomes, exit_code(submission.outcomes, submission.stopped))
    if submission.stopped:
        raise submission.stopped
