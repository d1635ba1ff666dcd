"""Files come in, are checked, and their copies go out."""

from pathlib import Path
from typing import Any, BinaryIO, cast

import flask
from flask.typing import ResponseReturnValue

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.page.checks import CHECK, COPIES, check, copy_name, grid_of, made_copy, needs_columns
from feedtool.page.desk import Desk, desk, now, require, require_seen, user
from feedtool.page.jobs import Job
from feedtool.page.mended import mended
from feedtool.page.shelf import ShelfFile

blueprint = flask.Blueprint("files", __name__)

RECENT = 10
"""Files that the first page lists."""
SOON = 0.8
"""Seconds that an answer may wait for a job."""


@blueprint.get("/")
def start() -> str:
    """The first page: bring a file, or go on with one."""
    at = desk()
    recent = [file for file in at.shelf.files() if user().sees(file.account)][:RECENT]
    return flask.render_template("start.html", recent=recent, accounts=_accounts(at))


@blueprint.put("/files/<path:name>")
def put(name: str) -> ResponseReturnValue:
    """Takes in a file that is the body of the request; answers with the address of its page."""
    file = _take_in(name, cast("BinaryIO", flask.request.stream), flask.request.args)
    answer = flask.jsonify(id=file.id, address=flask.url_for("files.page", id_=file.id))
    return answer, 201


@blueprint.post("/files")
def post() -> ResponseReturnValue:
    """Takes in the file of a form, for browsers without scripts."""
    given = flask.request.files.get("file")
    if given is None or not given.filename:
        raise UsageProblem(tr("no file was chosen"), tr("choose one, then press the button"))
    file = _take_in(given.filename, cast("BinaryIO", given.stream), flask.request.form)
    return flask.redirect(flask.url_for("files.page", id_=file.id), 303)


@blueprint.get("/files/<id_>")
def page(id_: str) -> ResponseReturnValue:
    """What is wrong with a file, and what can be done next."""
    at, file = desk(), file_of(id_)
    grid = grid_of(at, file)
    if grid is None:
        job = _checked(at, file)
        if not job.is_over:
            title = tr("Checking {file}", file=file.name)
            return working(title, job, flask.url_for("files.progress", id_=id_))
        if job.error:
            raise job.error
        grid = grid_of(at, file)
    if grid is None or needs_columns(grid, file):
        return flask.redirect(flask.url_for("columns.page", id_=id_), 303)
    return flask.render_template(
        "check.html", file=file, grid=grid, mended=mended(at, file), copies=COPIES
    )


@blueprint.get("/files/<id_>/progress")
def progress(id_: str) -> ResponseReturnValue:
    """How far the check of a file is."""
    file_of(id_)
    return progress_of(desk().jobs.of(CHECK + id_))


@blueprint.get("/files/<id_>/copies/<what>")
def download(id_: str, what: str) -> ResponseReturnValue:
    """A copy of a file with what is wrong: the marked workbook, the rows to correct, a report."""
    at, file = desk(), file_of(id_)
    job, place = made_copy(at, file, what)
    job.wait(SOON)
    if not job.is_over:
        title = tr("Writing {file}", file=copy_name(file, what))
        return working(title, job, flask.url_for("files.copy_progress", id_=id_, what=what))
    if job.error:
        raise job.error
    return sent_file(place)


@blueprint.get("/files/<id_>/copies/<what>/progress")
def copy_progress(id_: str, what: str) -> ResponseReturnValue:
    """How far a copy is."""
    file = file_of(id_)
    return progress_of(made_copy(desk(), file, what)[0])


def file_of(id_: str) -> ShelfFile:
    """A file of the shelf that the user may see; NotHere where there is none."""
    file = desk().shelf.file(id_)
    require_seen(file.account)
    return file


def working(title: str, job: Job, address: str) -> str:
    """The page that waits for a job; `address` is that of its progress."""
    return flask.render_template("working.html", title=title, job=job, address=address)


def progress_of(job: Job | None) -> ResponseReturnValue:
    """The part of a page that says how far a job is; 204 of one that nobody knows."""
    if job is None:
        return '<div data-over=""></div>'
    return flask.render_template("progress.html", job=job)


def sent_file(place: Path) -> flask.Response:
    """A file to be saved, under its own name."""
    return flask.send_file(place, as_attachment=True, download_name=place.name, max_age=0)


def _accounts(at: Desk) -> list[str]:
    return [name for name in at.accounts.names if user().sees(name)]


def _take_in(name: str, content: BinaryIO, facts: Any) -> ShelfFile:
    at, account = desk(), facts.get("account") or desk().accounts.usual
    require("check", account)
    if account not in at.accounts.names:
        raise UsageProblem(tr("there is no account of this name"), tr("choose one of the list"))
    file = at.shelf.take_in(
        name,
        content,
        limit=at.body_limit,
        account=account,
        who=user().name,
        at=now(),
        replaces=facts.get("replaces", ""),
    )
    _checked(at, file)
    return file


def _checked(at: Desk, file: ShelfFile) -> Job:
    job = at.jobs.start(CHECK + file.id, "check", lambda job: check(at, file, job))
    job.wait(SOON)
    return job
