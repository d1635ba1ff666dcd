"""Take files in, check them, and send copies."""

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, cast

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import RequestEntityTooLarge

from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import tr
from feedtool.page.attachments import facts_in
from feedtool.page.bringing import add_named, as_list, copy_named, index_of_sheet
from feedtool.page.checks import (
    check_key,
    copies_of,
    grid_of,
    is_checked,
    problems_gone,
    start_check,
    start_copy,
)
from feedtool.page.columns import needs_columns
from feedtool.page.grid import CHECK as CHECK_VIEW
from feedtool.page.jobs import Job
from feedtool.page.plans import PLAN, with_run
from feedtool.page.recipes import read_as_before
from feedtool.page.routes.grid import add_grid_routes
from feedtool.page.session import language, now, page_session, require, require_seen, say, user
from feedtool.page.uploads import FileUpload, NotHere

# Shared by the routes of several modules.


SOON = 0.8
"""Seconds that an answer may wait for a job."""


def file_of(id_: str) -> FileUpload:
    """An upload that the user may see; NotHere for any other id."""
    file = page_session().uploads.file(id_)
    require_seen(file.account)
    return file


def changeable_file(id_: str) -> FileUpload:
    """An upload for which the user may make choices and bring files.

    UsageProblem while it is being checked.
    """
    file = file_of(id_)
    require("check", file.account)
    jobs = map(page_session().jobs.of, (check_key(file), f"{PLAN}{id_}"))
    if any(job and not job.is_over for job in jobs):
        raise UsageProblem(tr("this file is being checked"), tr("wait until that is done"))
    return file


def waiting_page(job: Job, title: str, progress: str) -> ResponseReturnValue | None:
    """Return a page that waits for a job, with status 202; None if the job is soon over.

    `progress` is the address of `job_part`. Raises the error of the job.
    """
    job.wait(SOON)
    if not job.is_over:
        page = flask.render_template("working.html", title=title, job=job, address=progress)
        return page, HTTPStatus.ACCEPTED
    if job.error:
        raise job.error
    return None


def job_part(job: Job | None) -> str:
    """The part of a page with a job's progress; an unknown job counts as over."""
    return flask.render_template("progress.html", job=job)


def file_download(place: Path) -> ResponseReturnValue:
    return flask.send_file(place, as_attachment=True, download_name=place.name, max_age=0)


def reason_for(code: str, entered: str | None) -> str:
    """The reason for releasing a guard's rows; UsageProblem without one."""
    if reason := (entered or "").strip():
        return reason
    raise UsageProblem(
        tr("“{code}” holds rows, and no reason says why they are sent", code=code),
        tr("write a few words beside it"),
    )


def visible_accounts() -> list[str]:
    return [name for name in page_session().accounts.names if user().sees(name)]


def hint_of(error: FeedtoolError) -> str:
    """An error's hint without commands and options; advice to ask someone if nothing is left."""
    shown = say()(error.hint)
    return shown or (tr("ask the person who keeps the configuration") if error.hint else "")


def missing_settings(accounts: Iterable[str]) -> dict[str, str]:
    reasons = {name: page_session().accounts.lack(name) for name in accounts}
    return {name: reason for name, reason in reasons.items() if reason}


def chosen_account(request: Mapping[str, str]) -> str:
    """The account that a form names; by default the usual one.

    Raises:
        NotHere: the user sees no account of this name, even if it exists.
        UsageProblem: the account does not exist.
    """
    account = request.get("account") or page_session().accounts.usual
    require_seen(account)
    if account not in page_session().accounts.names:
        raise UsageProblem(tr("there is no account of this name"), tr("choose one of the list"))
    return account


blueprint = flask.Blueprint("files", __name__)
add_grid_routes(blueprint, "/files/<id_>", lambda id_: grid_of(page_session(), file_of(id_)))

RECENT = 10
"""Files that the first page lists."""
AT_ONCE = 100
"""Most files of one form: each is open until all have come."""


@blueprint.get("/")
def start() -> str:
    files = (file for file in page_session().uploads.files() if not file.export)
    recent = [file for file in files if user().sees(file.account)][:RECENT]
    recent = [with_run(page_session(), file) for file in recent]
    with page_session().workspace() as workspace:
        counted = workspace.ledger.counts.of({file.run for file in recent if file.run})
    open_runs = {run for run, count in counted.items() if not count.is_finished}
    return flask.render_template(
        "start.html", recent=recent, open_runs=open_runs, accounts=visible_accounts()
    )


@blueprint.put("/files/<path:name>")
def put(name: str) -> ResponseReturnValue:
    return _created(_take_in(name, _body(), flask.request.args))


@blueprint.put("/files/<id_>/named/<path:name>")
def put_named(id_: str, name: str) -> ResponseReturnValue:
    return _created(add_named(page_session(), changeable_file(id_), name, _body()))


@blueprint.post("/files")
def post() -> ResponseReturnValue:
    """Take in a form's sheet and the files that it names, for browsers without scripts."""
    files = _files_of_form()
    first = files.pop(index_of_sheet([name for name, _ in files]))
    fields = flask.request.form.to_dict() | ({"more": "1"} if files else {})
    return _redirect_to(_add_all_named(_take_in(*first, fields), files))


@blueprint.post("/files/<id_>/named")
def post_named(id_: str) -> ResponseReturnValue:
    """Take in files that cells of an upload name, for browsers without scripts."""
    return _redirect_to(_add_all_named(changeable_file(id_), _files_of_form()))


@blueprint.get("/files/<id_>")
def page(id_: str) -> ResponseReturnValue:
    """Show the problems of a file, and the next steps."""
    file = with_run(page_session(), file_of(id_))
    if not is_checked(page_session(), file):
        title = tr("Checking {file}", file=file.name)
        address = flask.url_for("files.progress", id_=id_)
        if waiting := waiting_page(start_check(page_session(), file), title, address):
            return waiting
    grid = grid_of(page_session(), file)
    if needs_columns(grid, file.choices):
        return flask.redirect(flask.url_for("columns.page", id_=id_), 303)
    can_send = any(sheet.counts.get("valid") for sheet in grid.sheets)
    with grid:
        return flask.render_template(
            "check.html",
            file=file,
            grid=grid,
            view=CHECK_VIEW,
            can_send=can_send,
            gone=problems_gone(page_session(), file),
            named=facts_in(page_session().uploads.named_facts(file)),
            copies=copies_of(grid),
        )


@blueprint.get("/files/<id_>/progress")
def progress(id_: str) -> str:
    return job_part(page_session().jobs.of(check_key(file_of(id_))))


@blueprint.get("/files/<id_>/copies/<what>")
def download(id_: str, what: str) -> ResponseReturnValue:
    """Download a copy with the problems: the marked workbook, the rows to correct, a report."""
    file = file_of(id_)
    job, place = start_copy(page_session(), file, what)
    title = tr("Writing {file}", file=place.name)
    address = flask.url_for("files.copy_progress", id_=id_, what=what)
    return waiting_page(job, title, address) or file_download(place)


@blueprint.get("/files/<id_>/copies/<what>/progress")
def copy_progress(id_: str, what: str) -> str:
    return job_part(start_copy(page_session(), file_of(id_), what)[0])


def _body() -> BinaryIO:
    return cast("BinaryIO", flask.request.stream)


def _created(file: FileUpload) -> ResponseReturnValue:
    """Answer with the id of a new upload, its page, and the address for files that it names."""
    named_address = flask.url_for("files.put_named", id_=file.id, name="NAME")
    address = flask.url_for("files.page", id_=file.id)
    return flask.jsonify(id=file.id, address=address, named=named_address), 201


def _redirect_to(file: FileUpload) -> ResponseReturnValue:
    return flask.redirect(flask.url_for("files.page", id_=file.id), 303)


def _files_of_form() -> list[tuple[str, BinaryIO]]:
    """The names and the contents of the files of a form; UsageProblem for none, or too many."""
    others = ("account", "replaces")  # fields of the form that are no files
    flask.request.max_form_parts = AT_ONCE + len(others)
    try:
        parts = flask.request.files.getlist("file")
    except RequestEntityTooLarge as error:
        raise UsageProblem(
            tr("these are more than {count} files at once", count=AT_ONCE),
            tr("put them into a ZIP, and bring that"),
        ) from error
    files = [(part.filename, cast("BinaryIO", part.stream)) for part in parts if part.filename]
    if not files:
        raise UsageProblem(tr("no file was chosen"), tr("choose one, then press the button"))
    return files


def _add_all_named(file: FileUpload, files: Sequence[tuple[str, BinaryIO]]) -> FileUpload:
    for name, content in files:
        file = add_named(page_session(), file, name, content)
    return file


def _take_in(name: str, content: BinaryIO, fields: Mapping[str, str]) -> FileUpload:
    """Keep a file, and check it unless more files come with it.

    `fields` are those of the form or of the address: account, replaces, more.
    """
    account = chosen_account(fields)
    require("check", account)
    file = page_session().uploads.take_in(
        name,
        content,
        limit=page_session().body_limit,
        account=account,
        who=user().name,
        at=now(),
        replaces=file_of(replaces).id if (replaces := fields.get("replaces", "")) else "",
    )
    file = as_list(page_session(), file, language())
    if file.replaces and not file.listed:
        file = _read_like_predecessor(file)
    if "more" not in fields:
        start_check(page_session(), file).wait(SOON)
    return file


def _read_like_predecessor(file: FileUpload) -> FileUpload:
    """Read a corrected file like its predecessor, if that still exists."""
    try:
        before = file_of(file.replaces)
    except NotHere:
        return file
    if before.account != file.account:
        return file
    copy_named(page_session(), file, before)
    return read_as_before(page_session(), file, before)
