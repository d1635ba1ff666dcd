"""What several routes need: a file or run that the user may see, and pages that wait."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from pathlib import Path

import flask
from flask.typing import ResponseReturnValue

from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import tr
from feedtool.page.checks import check_key
from feedtool.page.desk import page_session, require, require_seen, say, user
from feedtool.page.jobs import Job
from feedtool.page.plans import PLAN
from feedtool.page.shelf import FileUpload

SOON = 0.8
"""Seconds that an answer may wait for a job."""


def file_of(id_: str) -> FileUpload:
    """A file of the shelf that the user may see; NotHere where there is none."""
    file = page_session().uploads.file(id_)
    require_seen(file.account)
    return file


def changeable(id_: str) -> FileUpload:
    """A file that the user may choose for, and bring files for.

    UsageProblem while it is being checked.
    """
    file = file_of(id_)
    require("check", file.account)
    jobs = map(page_session().jobs.of, (check_key(file), f"{PLAN}{id_}"))
    if any(job and not job.is_over for job in jobs):
        raise UsageProblem(tr("this file is being checked"), tr("wait until that is done"))
    return file


def awaited(job: Job, title: str, progress: str) -> ResponseReturnValue | None:
    """The page that waits for a job, with its status 202; None where it is over after a moment.

    `progress` is the address of `job_part`.

    Raises:
        FeedtoolError: what the job has failed for.
    """
    job.wait(SOON)
    if not job.is_over:
        page = flask.render_template("working.html", title=title, job=job, address=progress)
        return page, HTTPStatus.ACCEPTED
    if job.error:
        raise job.error
    return None


def job_part(job: Job | None) -> str:
    """The part of a page that says how far a job is; one that nobody knows is over."""
    return flask.render_template("progress.html", job=job)


def sent_file(place: Path) -> ResponseReturnValue:
    """A file to be saved, under its own name."""
    return flask.send_file(place, as_attachment=True, download_name=place.name, max_age=0)


def reason_for(code: str, given: str | None) -> str:
    """The reason why what a guard holds is sent all the same; UsageProblem without one."""
    if reason := (given or "").strip():
        return reason
    raise UsageProblem(
        tr("“{code}” holds rows, and no reason says why they are sent", code=code),
        tr("write a few words beside it"),
    )


def seen_accounts() -> list[str]:
    """The accounts that the user sees."""
    return [name for name in page_session().accounts.names if user().sees(name)]


def hint_of(error: FeedtoolError) -> str:
    """What to do of what can be done here; whom to ask, where that is nothing."""
    usable = say()(error.hint)
    return usable or (tr("ask whoever keeps the configuration") if error.hint else "")


def lacks_of(accounts: Iterable[str]) -> dict[str, str]:
    """Why nothing can be sent from some accounts, by their names; the others are not among them."""
    lacks = {name: page_session().accounts.lack(name) for name in accounts}
    return {name: lack for name, lack in lacks.items() if lack}


def chosen_account(given: Mapping[str, str]) -> str:
    """The account that a form names, else the usual one.

    Raises:
        NotHere: the user sees none of this name, whether or not there is one.
        UsageProblem: there is none.
    """
    account = given.get("account") or page_session().accounts.usual
    require_seen(account)
    if account not in page_session().accounts.names:
        raise UsageProblem(tr("there is no account of this name"), tr("choose one of the list"))
    return account
