"""Choose the meaning of a file's columns, the sheets to read, and their kind."""

from collections.abc import Iterator
from contextlib import contextmanager

import flask
import msgspec
from flask.typing import ResponseReturnValue
from msgspec.structs import replace
from werkzeug.datastructures import MultiDict

from feedtool.areas.registry import load
from feedtool.check import ReadOptions
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import tr
from feedtool.page.checks import grid_of, is_checked, options_for
from feedtool.page.columns import (
    ColumnsView,
    FileReading,
    ProposedSheet,
    judge,
    left_out,
    proposed,
    reading_of,
)
from feedtool.page.recipes import drop_recipe, keep, recipe_in_force, take_back, use_recipe
from feedtool.page.routes.files import changeable_file, file_of
from feedtool.page.session import NotAllowed, language, page_session, require, user
from feedtool.page.uploads import FileUpload

blueprint = flask.Blueprint("columns", __name__)


@blueprint.get("/files/<id_>/columns")
def page(id_: str) -> str:
    """Show each column of a sheet, and its field."""
    file = file_of(id_)
    with _opened(file) as (options, reading):
        try:
            sheet = _proposed(file, options, reading, flask.request.args)
        except FeedtoolError as error:
            return _rendered(file, reading._replace(trouble=reading.trouble or error), None)
        return _rendered(file, reading, ColumnsView(judge(sheet, sheet.usual), language()))


@blueprint.post("/files/<id_>/columns")
def say(id_: str) -> ResponseReturnValue:
    """Take the answers about columns; show the form again with errors and open questions."""
    file, form = changeable_file(id_), flask.request.form
    with _opened(file) as (options, reading):
        sheet = _proposed(file, options, reading, form)
        judged = judge(sheet, form)
        if not judged.is_whole:
            columns = ColumnsView(judged, language(), is_said=True)
            return _rendered(file, reading, columns), 422
        sheets = (sheet.proposal.sheet,) if len(reading.sheets) > 1 else ()
        choices = msgspec.structs.replace(
            file.choices, kind=sheet.proposal.feed.kind, sheets=tuple(filter(None, sheets))
        )
        use_recipe(page_session(), file, judged.recipe_text, choices)
    endpoint = "columns.recipe" if "every" in form else "files.page"
    return flask.redirect(flask.url_for(endpoint, id_=id_), 303)


@blueprint.post("/files/<id_>/reading")
def read(id_: str) -> ResponseReturnValue:
    """Take the choices of sheets, kind, and rows that are no totals."""
    file, form = changeable_file(id_), flask.request.form
    kind, sheets = _kind(form), tuple(form.getlist("sheet"))
    before = file.choices
    is_same = (kind, sheets) == (before.kind, before.sheets)
    choices = msgspec.structs.replace(
        before,
        kind=kind,
        sheets=sheets,
        has_recipe=before.has_recipe and is_same,
        as_in=before.as_in if is_same else None,
        as_rows=tuple(sorted({int(row) for row in form.getlist("row") if row.isdecimal()})),
    )
    file = page_session().uploads.choose(file, choices, is_read_anew=True)
    with _opened(file) as (_, reading):
        endpoint = "columns.page" if reading.trouble else "files.page"
    return flask.redirect(flask.url_for(endpoint, id_=id_), 303)


@blueprint.get("/files/<id_>/recipe")
def recipe(id_: str) -> str:
    """Show the recipe of a file, which can be kept for all such files, or taken back."""
    file = file_of(id_)
    return flask.render_template(
        "recipe.html", file=file, in_force=recipe_in_force(page_session(), file)
    )


@blueprint.post("/files/<id_>/recipe/keep")
def keep_recipe(id_: str) -> ResponseReturnValue:
    """Keep the recipe for every file of the account with the same columns."""
    file = changeable_file(id_)
    _require_for_all(file, is_of_all=recipe_in_force(page_session(), file).is_of_all)
    keep(page_session(), file)
    return flask.redirect(flask.url_for("columns.recipe", id_=id_), 303)


@blueprint.post("/files/<id_>/recipe/take-back")
def take_recipe_back(id_: str) -> ResponseReturnValue:
    """Take back the recipe for other files; this one is still read by it."""
    file = changeable_file(id_)
    in_force = recipe_in_force(page_session(), file)
    _require_for_all(file, is_of_all=in_force.is_of_all)
    if in_force.place:
        take_back(in_force.place)
        page_session().uploads.choose(file, file.choices, is_read_anew=True)
    endpoint = "columns.recipe" if file.choices.has_recipe else "columns.page"
    return flask.redirect(flask.url_for(endpoint, id_=id_), 303)


@blueprint.post("/files/<id_>/recipe/forget")
def forget(id_: str) -> ResponseReturnValue:
    drop_recipe(page_session(), changeable_file(id_))
    return flask.redirect(flask.url_for("columns.page", id_=id_), 303)


def _require_for_all(file: FileUpload, *, is_of_all: bool) -> None:
    """Raise NotAllowed if the user may not change the reading of other files."""
    require("send", file.account)
    if is_of_all and not all(map(user().sees, page_session().accounts.names)):
        raise NotAllowed(
            tr("a recipe that is kept here is used for accounts that you do not see, too"),
            tr(
                "ask the person who keeps the configuration to name a folder of recipes "
                "in the profile"
            ),
        )


@contextmanager
def _opened(file: FileUpload) -> Iterator[tuple[ReadOptions, FileReading]]:
    """Open a file: the options of reading it, and the result."""
    with page_session().accounts.reading(file.account) as base:
        options = options_for(page_session(), base, file)
        yield options, reading_of(page_session().uploads.input(file), options)


def _proposed(
    file: FileUpload, options: ReadOptions, reading: FileReading, request: "MultiDict[str, str]"
) -> ProposedSheet:
    """The proposal for the sheet and the kind of a request, else for the present ones."""
    sheet = request.get("sheet") or next(iter(file.choices.sheets), None)
    kind = _kind(request) or file.choices.kind or reading.kind_of(sheet)
    if file.choices.has_recipe and kind != file.choices.kind:
        options = replace(options, recipes=page_session().accounts.recipes(file.account))
    options = replace(options, kind=kind, sheets=(sheet,) if sheet else ())
    return proposed(page_session().uploads.input(file), options, reading.header_of(sheet, kind))


def _kind(request: "MultiDict[str, str]") -> str | None:
    """The kind that a request names, if any; UsageProblem for an unknown one."""
    kind = request.get("kind") or None
    if kind not in {None, *load().feeds}:
        raise UsageProblem(tr("there is no kind of feed “{kind}”", kind=kind))
    return kind


def _rendered(file: FileUpload, reading: FileReading, columns: ColumnsView | None) -> str:
    rows = list(file.choices.as_rows)
    if is_checked(page_session(), file):
        with grid_of(page_session(), file) as grid:
            rows = left_out(grid, file.choices)
    return flask.render_template(
        "columns.html",
        file=file,
        reading=reading,
        columns=columns,
        rows=rows,
        feeds=load().feeds,
    )
