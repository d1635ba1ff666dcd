"""Choose the rows of a file, show the plan, and send exactly that."""

from collections.abc import Mapping

import flask
import msgspec
from flask.typing import ResponseReturnValue

from feedtool.areas.registry import load
from feedtool.feeds.selection import ReleasedGuard
from feedtool.model.errors import UsageProblem
from feedtool.model.row_ranges import RowRanges
from feedtool.model.text import tr
from feedtool.page.checks import grid_of, is_checked, start_check
from feedtool.page.plans import (
    PLAN,
    SEND,
    VIEW,
    PurgeToConfirm,
    SentBefore,
    blocked_by,
    can_purge,
    held_rows,
    missing_setting,
    plan_of,
    refuse_absent_rows,
    run_of,
    start_plan,
    start_sending,
    with_run,
)
from feedtool.page.routes.files import SOON, file_of, job_part, reason_for, waiting_page
from feedtool.page.session import page_session, require, user
from feedtool.page.uploads import Choices, FileUpload
from feedtool.runs.selection import NoSuchRows

blueprint = flask.Blueprint("plan", __name__)


@blueprint.get("/files/<id_>/plan")
def page(id_: str) -> ResponseReturnValue:
    return _page(file_of(id_), None)


@blueprint.get("/files/<id_>/plan/progress")
def progress(id_: str) -> str:
    return job_part(page_session().jobs.of(PLAN + file_of(id_).id))


@blueprint.post("/files/<id_>/plan")
def choose(id_: str) -> ResponseReturnValue:
    """Keep other choices, which need a new plan."""
    file = file_of(id_)
    require("check", file.account)
    choices = _choices(file.choices, flask.request.form)
    if set(choices.releases) - set(file.choices.releases):
        require("release", file.account)
    if is_checked(page_session(), file):
        with grid_of(page_session(), file) as grid:
            refuse_absent_rows(grid, file, choices)
    is_read_anew = choices.purges != file.choices.purges
    page_session().uploads.choose(file, choices, is_read_anew=is_read_anew)
    return flask.redirect(flask.url_for("plan.page", id_=id_), 303)


@blueprint.post("/files/<id_>/send")
def send(id_: str) -> ResponseReturnValue:
    """Send the plan that the user has seen."""
    file, form = file_of(id_), flask.request.form
    require("send", file.account)
    removals = form.get("removals", None, int)
    job = start_sending(page_session(), file, form.get("plan", ""), user().name, removals)
    job.wait(SOON)
    return flask.redirect(flask.url_for("plan.sending", id_=id_), 303)


@blueprint.get("/files/<id_>/sending")
def sending(id_: str) -> ResponseReturnValue:
    """Redirect to the run, once it has begun."""
    file = file_of(id_)
    job = page_session().jobs.of(SEND + id_)
    if job is None and (run := run_of(page_session(), file)):  # another page has begun it
        return flask.redirect(flask.url_for("runs.page", run=run), 303)
    if job is None or (job.is_over and job.run is None and job.error is None):
        return flask.redirect(flask.url_for("plan.page", id_=id_), 303)
    job.wait(SOON)
    if job.run is not None:
        return flask.redirect(flask.url_for("runs.page", run=job.run), 303)
    if isinstance(job.error, SentBefore):
        return flask.redirect(flask.url_for("runs.page", run=job.error.run), 303)
    if isinstance(job.error, PurgeToConfirm):
        return _page(file, job.error)
    title = tr("Sending {file}", file=file.name)
    address = flask.url_for("plan.sending_progress", id_=id_)
    waiting = waiting_page(job, title, address)
    return waiting or flask.redirect(flask.url_for("plan.page", id_=id_), 303)


@blueprint.get("/files/<id_>/sending/progress")
def sending_progress(id_: str) -> str:
    return job_part(page_session().jobs.of(SEND + file_of(id_).id))


def _page(file: FileUpload, purge: PurgeToConfirm | None) -> ResponseReturnValue:
    file = with_run(page_session(), file)
    if not is_checked(page_session(), file):
        title = tr("Checking {file}", file=file.name)
        address = flask.url_for("files.progress", id_=file.id)
        if waiting := waiting_page(start_check(page_session(), file), title, address):
            return waiting
    if plan_of(page_session(), file) is None:
        title = tr("Finding out what would be sent of {file}", file=file.name)
        address = flask.url_for("plan.progress", id_=file.id)
        try:
            if waiting := waiting_page(start_plan(page_session(), file), title, address):
                return waiting
        except UsageProblem as error:
            _take_back(file, error)
            raise
    plan = plan_of(page_session(), file)
    if plan is None:  # other choices were made meanwhile, in another tab
        return flask.redirect(flask.url_for("plan.page", id_=file.id))
    changes = load().memory.changes
    with grid_of(page_session(), file) as grid:
        return flask.render_template(
            "plan.html",
            file=file,
            grid=grid,
            plan=plan,
            blocked=blocked_by(grid, plan),
            lack=missing_setting(page_session(), file, grid),
            view=VIEW,
            purge=purge,
            held=held_rows(grid, file),
            can_purge=can_purge(grid),
            columns=[column for column in changes.columns if not column.is_optional],
            words=changes.words,
        )


def _take_back(file: FileUpload, error: UsageProblem) -> None:
    """Reset choices that no plan can follow, so that the file's page works again."""
    choices = file.choices
    if choices.purges:
        choices = msgspec.structs.replace(choices, purges=False)
    if isinstance(error, NoSuchRows):
        choices = msgspec.structs.replace(choices, rows={})
    if choices != file.choices:
        is_read_anew = choices.purges != file.choices.purges
        page_session().uploads.choose(file, choices, is_read_anew=is_read_anew)


def _choices(before: Choices, form: Mapping[str, str]) -> Choices:
    """The choices of a form; choices of reading the file stay."""
    which, sheet = form.get("which", "all"), form.get("sheet", "")
    rows = {sheet: str(RowRanges(form.get("rows", "")))} if which == "rows" else {}
    if rows and not rows[sheet]:
        raise UsageProblem(tr("no rows were chosen"), tr("write rows like 2-5,9 or 40-"))
    if rows and "purges" in form:
        raise UsageProblem(
            tr("the offers of all other rows would be removed"),
            tr("choose all rows, or do not remove the other offers"),
        )
    purges = "purges" in form
    return msgspec.structs.replace(
        before,
        rows=rows,
        # A purge sends all rows, changed or not.
        changed_only=before.changed_only if purges else "changed_only" in form,
        releases=_releases(before, form),
        all_or_nothing="all_or_nothing" in form,
        purges=purges,
    )


def _releases(before: Choices, form: Mapping[str, str]) -> tuple[ReleasedGuard, ...]:
    """The released guards, each with user and reason. UsageProblem without a reason."""
    kept = {(guard.code, guard.reason): guard for guard in before.releases}
    releases = []
    for name in form:
        if name.startswith("release "):
            code = name.removeprefix("release ")
            reason = reason_for(code, form.get(f"reason {code}"))
            releases.append(kept.get((code, reason), ReleasedGuard(code, user().name, reason)))
    return tuple(releases)
