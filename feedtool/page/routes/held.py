"""List the rows that guards hold in all runs; send them all the same, or drop them."""

from itertools import chain, islice
from typing import NamedTuple

import flask
import msgspec
from flask.typing import ResponseReturnValue

from feedtool.ledger import Run
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import RowResult
from feedtool.model.text import tr
from feedtool.page.checks import start_check
from feedtool.page.deliveries import account_of
from feedtool.page.routes.files import SOON, reason_for
from feedtool.page.session import PageSession, now, page_session, require, say, user
from feedtool.page.uploads import Choices, FileUpload, NotHere, RunFile
from feedtool.runs.held import HeldGroup, held_group, held_groups, release_of
from feedtool.runs.held import drop as drop_held
from feedtool.runs.run_record import RunOptions

SHOWN_GROUPS, SHOWN_ROWS = 50, 5

blueprint = flask.Blueprint("held", __name__)


class HeldLines(NamedTuple):
    """The rows that a guard holds in a run, for the page."""

    group: HeldGroup
    account: str
    """The name of the run's account; empty if no profile reaches it."""
    rows: list[RowResult]
    """The first rows."""

    @property
    def others(self) -> int:
        return self.group.rows - len({result.row for result in self.rows})


@blueprint.get("/held")
def every() -> str:
    """Show the held rows of accounts that the user sees, the newest run first, by guard."""
    session, viewer = page_session(), user()
    with session.workspace() as workspace:
        groups = held_groups(workspace, lambda run: viewer.sees(account_of_run(session, run)))
        lines = [
            HeldLines(
                group,
                account_of_run(session, group.run),
                [*islice(chain.from_iterable(sheet.rows for sheet in group.sheets), SHOWN_ROWS)],
            )
            for group in islice(groups, SHOWN_GROUPS)
        ]
    return flask.render_template("held.html", lines=lines)


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
    file = _upload_held(run, name, code, reason)
    start_check(page_session(), file).wait(SOON)
    return flask.redirect(flask.url_for("plan.page", id_=file.id), 303)


def _run() -> int:
    """The run of the form; only if the user may release rows of its account."""
    number = flask.request.form.get("run", 0, int)
    with page_session().workspace() as workspace:
        run = workspace.ledger.run(number)
    if run is None:
        raise NotHere
    require("release", account_of_run(page_session(), run))
    return number


def account_of_run(session: PageSession, run: Run) -> str:
    """The name of a run's account; empty if no profile reaches it."""
    return account_of(session, run, RunOptions.from_json(run.options))


def _upload_held(run: int, name: str, code: str, reason: str) -> FileUpload:
    """Upload the file of a run again, with a choice of exactly the rows that a guard holds.

    Raises:
        UsageProblem: the guard holds none of its rows any more, or no profile reaches its account.
        FileProblem: the file is no longer kept.
    """
    session, who = page_session(), user().name
    with session.workspace() as workspace:
        group = held_group(run, name, code, workspace)
        if group is None:
            raise UsageProblem(tr("nothing of this is held any more"), tr("look at the list again"))
        account = account_of_run(session, group.run)
        if not account:
            raise UsageProblem(
                tr("no profile reaches the account of run {run}", run=run),
                tr("ask the person who keeps the configuration"),
            )
        with session.accounts.reading(account) as reading:
            released = release_of(group, workspace, reading, who, reason)
        before, selection = say()(tr("as in run {run}", run=run)), released.selection
        choices = Choices(
            changed_only=selection.changed_only,
            rows={entry.sheet or "": entry.rows for entry in selection.rows},
            releases=tuple(
                guard._replace(reason=guard.reason or before) for guard in selection.released
            ),
            as_in=RunFile(run, name),
        )
        with released.file.path.open("rb") as content:
            file = session.uploads.take_in(
                name, content, limit=session.body_limit, account=account, who=who, at=now()
            )
    return session.uploads.save(msgspec.structs.replace(file, choices=choices))
