"""Files come in, are checked, and their copies go out."""

from collections.abc import Mapping
from typing import BinaryIO, cast

import flask
from flask.typing import ResponseReturnValue

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.page.checks import COPIES, check_key, grid_of, is_checked, made_copy, start_check
from feedtool.page.columns import needs_columns
from feedtool.page.desk import desk, now, require, user
from feedtool.page.grid import CHECK as CHECK_VIEW
from feedtool.page.mended import mended
from feedtool.page.recipes import read_as_before
from feedtool.page.routes.grid import add_grid_routes
from feedtool.page.routes.parts import (
    SOON,
    awaited,
    chosen_account,
    file_of,
    job_part,
    seen_accounts,
    sent_file,
)
from feedtool.page.shelf import NotHere, ShelfFile

blueprint = flask.Blueprint("files", __name__)
add_grid_routes(blueprint, "/files/<id_>", lambda id_: grid_of(desk(), file_of(id_)))

RECENT = 10
"""Files that the first page lists."""


@blueprint.get("/")
def start() -> str:
    """The first page: bring a file, or go on with one."""
    files = (file for file in desk().shelf.files() if not file.export)
    recent = [file for file in files if user().sees(file.account)][:RECENT]
    return flask.render_template("start.html", recent=recent, accounts=seen_accounts())


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
    file = file_of(id_)
    if not is_checked(desk(), file):
        title = tr("Checking {file}", file=file.name)
        address = flask.url_for("files.progress", id_=id_)
        if waiting := awaited(start_check(desk(), file), title, address):
            return waiting
    grid = grid_of(desk(), file)
    if needs_columns(grid, file.choices):
        return flask.redirect(flask.url_for("columns.page", id_=id_), 303)
    can_send = any(sheet.counts.get("valid") for sheet in grid.sheets)
    facts = {"can_send": can_send, "mended": mended(desk(), file), "copies": COPIES}
    with grid:
        return flask.render_template("check.html", file=file, grid=grid, view=CHECK_VIEW, **facts)


@blueprint.get("/files/<id_>/progress")
def progress(id_: str) -> str:
    """How far the check of a file is."""
    return job_part(desk().jobs.of(check_key(file_of(id_))))


@blueprint.get("/files/<id_>/copies/<what>")
def download(id_: str, what: str) -> ResponseReturnValue:
    """A copy of a file with what is wrong: the marked workbook, the rows to correct, a report."""
    file = file_of(id_)
    job, place = made_copy(desk(), file, what)
    title = tr("Writing {file}", file=place.name)
    address = flask.url_for("files.copy_progress", id_=id_, what=what)
    return awaited(job, title, address) or sent_file(place)


@blueprint.get("/files/<id_>/copies/<what>/progress")
def copy_progress(id_: str, what: str) -> str:
    """How far a copy is."""
    return job_part(made_copy(desk(), file_of(id_), what)[0])


def _take_in(name: str, content: BinaryIO, facts: Mapping[str, str]) -> ShelfFile:
    """Keeps a file, and has it checked."""
    account = chosen_account(facts)
    require("check", account)
    file = desk().shelf.take_in(
        name,
        content,
        limit=desk().body_limit,
        account=account,
        who=user().name,
        at=now(),
        replaces=file_of(replaces).id if (replaces := facts.get("replaces", "")) else "",
    )
    if file.replaces:
        file = _read_as_before(file)
    start_check(desk(), file).wait(SOON)
    return file


def _read_as_before(file: ShelfFile) -> ShelfFile:
    """A corrected file, read as the one whose place it takes, if that is still there."""
    try:
        before = file_of(file.replaces)
    except NotHere:
        return file
    return read_as_before(desk(), file, before) if before.account == file.account else file
