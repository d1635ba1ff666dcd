"""List the rows that guards hold in all runs; send them all the same, or drop them."""

import flask
from flask.typing import ResponseReturnValue

from feedtool.model.text import tr
from feedtool.page.checks import start_check
from feedtool.page.held import account_of_run, held_lines, upload_held
from feedtool.page.routes.files import SOON, reason_for
from feedtool.page.session import now, page_session, require, say, user
from feedtool.page.uploads import NotHere
from feedtool.runs.held import drop as drop_held

blueprint = flask.Blueprint("held", __name__)


@blueprint.get("/held")
def every() -> str:
    """Show all held rows, by run and guard."""
    return flask.render_template("held.html", lines=held_lines(page_session(), user()))


@blueprint.post("/held/drop")
def drop() -> ResponseReturnValue:
    """Drop the rows that a guard holds in a run: they are never sent."""
    run, code = _run(), flask.request.form.get("code", "")
    with page_session().workspace() as workspace:
        drop_held(run, code, workspace, now())
    return flask.redirect(flask.url_for("held.every"), 303)


@blueprint.post("/held/release")
def release() -> ResponseReturnValue:
    """Show the plan of exactly the rows that a guard holds."""
    form = flask.request.form
    run, code = _run(), form.get("code", "")
    reason, name = reason_for(code, form.get("reason")), form.get("file", "")
    file = upload_held(page_session(), run, name, code, reason, user().name, say())
    start_check(page_session(), file).wait(SOON)
    return flask.redirect(flask.url_for("plan.page", id_=file.id), 303)


def _run() -> int:
    """The run of the form; only if the user may release rows of its account."""
    number = flask.request.form.get("run", 0, int)
    with page_session().workspace() as workspace:
        run = workspace.ledger.run(number)
    if run is None:
        raise NotHere(tr("There is nothing at this address."))
    require("release", account_of_run(page_session(), run))
    return number
