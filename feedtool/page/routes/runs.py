"""Runs: how far they are, what the service has answered, and going on with them."""

from collections.abc import Mapping
from contextlib import nullcontext

import flask
from flask.typing import ResponseReturnValue

from feedtool.ledger.records import FORGOTTEN, SellerKey, seller_key
from feedtool.model.errors import FileProblem
from feedtool.model.text import tr
from feedtool.page.deliveries import account_of, start_resume
from feedtool.page.grid import Grid
from feedtool.page.jobs import progress_of
from feedtool.page.routes.files import SOON, awaited, job_part, sent_file
from feedtool.page.routes.grid import add_grid_routes
from feedtool.page.runs import (
    ANSWERS,
    MOST,
    VIEW,
    RunSearch,
    as_shown,
    copies_of_run,
    found_runs,
    grid_of_run,
    has_grid,
    made_copy,
    start_answers,
)
from feedtool.page.session import page_session, require, require_seen, user
from feedtool.page.uploads import NotHere
from feedtool.runs.history import RunState, forgotten_problem, run_state
from feedtool.runs.run_record import RunOptions

blueprint = flask.Blueprint("runs", __name__)


@blueprint.get("/runs")
def every() -> str:
    """The runs that the user may see, newest first, as they are looked for."""
    asked = flask.request.args
    search = RunSearch(asked.get("q", ""), "open" in asked, asked.get("before", None, int))
    search = search._replace(seller=_seller_of(asked))
    found = found_runs(page_session(), user(), search)
    return flask.render_template(
        "runs.html", states=found.states, search=search, after=found.older, most=MOST
    )


def _seller_of(asked: Mapping[str, str]) -> SellerKey | None:
    """The seller whose runs alone are asked for."""
    return seller_key(asked.get("service", ""), asked["seller"]) if asked.get("seller") else None


@blueprint.get("/runs/<int:run>")
def page(run: int) -> ResponseReturnValue:
    """One run: how far it is, and the answers once all are there."""
    state, is_gone = _state(run), False
    if state.is_finished and not has_grid(page_session(), run):
        title = tr("Reading the answers of run {run}", run=run)
        address = flask.url_for("runs.answers", run=run)
        try:
            if waiting := awaited(start_answers(page_session(), state), title, address):
                return waiting
        except FileProblem:
            is_gone = True
    with (
        nullcontext()
        if is_gone or not state.is_finished
        else grid_of_run(page_session(), run) as grid
    ):
        return flask.render_template(
            "run.html",
            state=state,
            progress=progress_of(state),
            job=page_session().jobs.of_run(run),
            has_stopped=False,
            is_gone=is_gone,
            grid=grid,
            account=_account_of(state),
            replaces=next((it.id for it in page_session().uploads.files() if it.run == run), None),
            view=VIEW,
            copies=copies_of_run(page_session(), run, grid) if grid else {},
        )


@blueprint.get("/runs/<int:run>/progress")
def progress(run: int) -> str:
    """How far a run is, out of the ledger: whoever works on it."""
    state, job = _state(run), page_session().jobs.of_run(run)
    # A page that was shown while somebody worked has neither the reason nor the way to go on.
    has_stopped = "working" in flask.request.args and (job is None or job.is_over)
    return flask.render_template(
        "run_progress.html", progress=progress_of(state), job=job, has_stopped=has_stopped
    )


@blueprint.get("/runs/<int:run>/answers")
def answers(run: int) -> str:
    """How far the reading of its answers is."""
    _state(run)
    return job_part(page_session().jobs.of(f"{ANSWERS}{run}"))


@blueprint.get("/runs/<int:run>/copies/<what>")
def download(run: int, what: str) -> ResponseReturnValue:
    """A copy of a file of the run."""
    _state(run)
    number = flask.request.args.get("file", 0, int)
    job, place = made_copy(page_session(), run, what, number)
    address = flask.url_for("runs.copy_progress", run=run, what=what, file=number)
    return awaited(job, tr("Writing {file}", file=place.name), address) or sent_file(place)


@blueprint.get("/runs/<int:run>/copies/<what>/progress")
def copy_progress(run: int, what: str) -> str:
    """How far a copy is."""
    _state(run)
    return job_part(made_copy(page_session(), run, what, flask.request.args.get("file", 0, int))[0])


@blueprint.post("/runs/<int:run>/resume")
def resume(run: int) -> ResponseReturnValue:
    """Goes on with a run."""
    account = _account_of(_state(run))
    require("send", account)
    start_resume(page_session(), run, account).wait(SOON)
    return flask.redirect(flask.url_for("runs.page", run=run), 303)


def _grid(run: int) -> Grid:
    _state(run)
    return grid_of_run(page_session(), run)


add_grid_routes(blueprint, "/runs/<int:run>", _grid)


def _state(run: int) -> RunState:
    """A run that the user may see; NotHere where there is none (any more), or not for him."""
    with page_session().workspace() as workspace:
        begun = workspace.ledger.run(run)
        if begun is None:
            raise NotHere(tr("There is nothing at this address."))
        require_seen(account_of(page_session(), begun, RunOptions.from_json(begun.options)))
        if FORGOTTEN in begun.options:
            hint = tr("Its answers are in the annotated copy that was written then.")
            raise NotHere(forgotten_problem(begun).message, hint)
        state = run_state(workspace.ledger, run, page_session().clocks(workspace))
        return as_shown([state], workspace)[0]


def _account_of(state: RunState) -> str:
    return account_of(page_session(), state.run, state.options)
