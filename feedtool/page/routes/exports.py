"""Export lists of the service: to look at, or to edit and to send."""

from inspect import cleandoc

import flask
from flask.typing import ResponseReturnValue

from feedtool.areas.registry import load
from feedtool.feeds.export import Export
from feedtool.model.errors import NothingToDo
from feedtool.model.text import text_of_kept, tr
from feedtool.page.exports import EXPORT, ExportForm, ExportRequest, archive_of, start_export
from feedtool.page.routes.files import (
    chosen_account,
    file_download,
    file_of,
    hint_of,
    job_part,
    visible_accounts,
    waiting_page,
)
from feedtool.page.session import language, page_session, require, say, user
from feedtool.page.uploads import ExportFacts, FileUpload, NotHere

blueprint = flask.Blueprint("exports", __name__)

RECENT = 10
"""Exports that the first page lists."""


@blueprint.get("/exports")
def every() -> str:
    """Show all kinds of exports, by area, and the latest exports."""
    areas = [
        (area.title, [(kind.kind, paragraphs_of(kind)[0]) for kind in exports])
        for area in load().areas
        if (exports := area.exports())
    ]
    exported = (file for file in page_session().uploads.files() if file.export)
    recent = [file for file in exported if user().sees(file.account)][:RECENT]
    return flask.render_template("exports.html", areas=areas, recent=recent)


@blueprint.get("/exports/<kind>")
def form(kind: str) -> str:
    """Show the form of an export; the address may fill some of its fields."""
    return _page(ExportForm(_kind(kind), flask.request.args), chosen_account(flask.request.args))


@blueprint.post("/exports/<kind>")
def start(kind: str) -> ResponseReturnValue:
    """Begin an export, or show the form's errors."""
    account = chosen_account(flask.request.form)
    require("check", account)
    with page_session().accounts.reading(account) as reading:
        checked = ExportForm(_kind(kind), flask.request.form).checked(reading, language())
    if checked.errors:
        return _page(checked, account), 422
    facts = checked.kind, account, user().name, language()
    request = ExportRequest(*facts, checked.ending, checked.values, checked.since, checked.use)
    id_ = start_export(page_session(), request)
    return flask.redirect(flask.url_for("exports.page", kind=kind, export=id_), 303)


@blueprint.get("/exports/<kind>/<export>")
def page(kind: str, export: str) -> ResponseReturnValue:
    """Show an export's result, or its progress until then."""
    if job := page_session().jobs.of(EXPORT + export):
        title = tr("Exporting {kind}", kind=_kind(kind).kind)
        address = flask.url_for("exports.progress", kind=kind, export=export)
        try:
            if waiting := waiting_page(job, title, address):
                return waiting
        except NothingToDo as nothing:
            back = flask.url_for("exports.form", kind=kind)
            return flask.render_template(
                "error.html", message=nothing.message, hint=hint_of(nothing), back=back
            )
    file, facts = _exported(export)
    notes = [
        (text_of_kept(text), text_of_kept(hint), is_loss) for text, hint, is_loss in facts.notes
    ]
    feed = load().feeds.get(facts.sent_as)
    archive = archive_of(page_session().uploads, file)
    return flask.render_template(
        "export.html", file=file, facts=facts, notes=notes, feed=feed, archive=archive
    )


@blueprint.get("/exports/<kind>/<export>/progress")
def progress(kind: str, export: str) -> str:
    del kind
    return job_part(page_session().jobs.of(EXPORT + export))


@blueprint.get("/exports/<kind>/<export>/file")
def download(kind: str, export: str) -> ResponseReturnValue:
    del kind
    return file_download(page_session().uploads.input(_exported(export)[0]).path)


@blueprint.get("/exports/<kind>/<export>/documents")
def documents(kind: str, export: str) -> ResponseReturnValue:
    """Download a zip of the sheet and the files beside it."""
    del kind
    archive = archive_of(page_session().uploads, _exported(export)[0])
    if archive is None:
        raise NotHere
    return file_download(archive)


def paragraphs_of(kind: Export) -> list[str]:
    texts = cleandoc(kind.help).split("\n\n")
    return [say().message(" ".join(text.split())) for text in texts]


def _page(filled: ExportForm, account: str) -> str:
    return flask.render_template(
        "export_form.html",
        form=filled,
        paragraphs=paragraphs_of(filled.kind),
        accounts=visible_accounts(),
        account=account,
    )


def _kind(name: str) -> Export:
    """The export of a kind; NotHere for an unknown one."""
    if kind := load().exports.get(name):
        return kind
    raise NotHere


def _exported(id_: str) -> tuple[FileUpload, ExportFacts]:
    """An exported file and its facts; NotHere for any other file."""
    file = file_of(id_)
    if file.export is None:
        raise NotHere
    return file, file.export
