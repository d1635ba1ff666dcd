"""Show runs, their progress and their answers, and resume them."""

from contextlib import nullcontext

import flask
from flask.typing import ResponseReturnValue

from feedtool.ledger.records import FORGOTTEN, seller_key
from feedtool.model.errors import FileProblem
from feedtool.model.text import tr
from feedtool.page.deliveries import account_of, start_resume
from feedtool.page.grid import Grid
from feedtool.page.jobs import progress_of
from feedtool.page.routes.files import SOON, file_download, job_part, waiting_page
from feedtool.page.routes.grid import add_grid_routes
from feedtool.page.runs import (
    ANSWERS,
    MOST,
    VIEW,
    RunSearch,
    copies_of_run,
    found_runs,
    grid_of_run,
    has_grid,
    start_answers,
    start_copy,
    with_page_counts,
)
from feedtool.page.session import page_session, require, require_seen, user
from feedtool.page.uploads import NotHere
from feedtool.runs.history import RunState, forgotten_problem, run_state
from feedtool.runs.run_record import RunOptions

blueprint = flask.Blueprint("runs", __name__)


@blueprint.get("/runs")
def every() -> str:
    """List the runs of a search that the user may see, the newest first."""
    parameters = flask.request.args
    seller = parameters.get("seller")
    search = RunSearch(
        parameters.get("q", ""),
        "open" in parameters,
        parameters.get("before", None, int),
        seller_key(parameters.get("service", ""), seller) if seller else None,
    )
    runs = found_runs(page_session(), user(), search)
    return flask.render_template(
        "runs.html", states=runs.states, search=search, after=runs.older, most=MOST
    )


@blueprint.get("/runs/<int:run>")
def page(run: int) -> ResponseReturnValue:
    """Show a run: its progress, and all answers once it is finished."""
    state, is_gone = _state(run), False
    if state.is_finished and not has_grid(page_session(), run):
        title = tr("Reading the answers of run {run}", run=run)
        address = flask.url_for("runs.answers", run=run)
        try:
            if waiting := waiting_page(start_answers(page_session(), state), title, address):
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
            replaces=next(
                (file.id for file in page_session().uploads.files() if file.run == run), None
            ),
            view=VIEW,
            copies=copies_of_run(page_session(), run, grid) if grid else {},
        )


@blueprint.get("/runs/<int:run>/progress")
def progress(run: int) -> str:
    """Show the progress of a run from the ledger: any process may work on it."""
    state, job = _state(run), page_session().jobs.of_run(run)
    # A page from the time of work shows neither the reason of a stop nor a way to resume.
    has_stopped = "working" in flask.request.args and (job is None or job.is_over)
    return flask.render_template(
        "run_progress.html", progress=progress_of(state), job=job, has_stopped=has_stopped
    )


@blueprint.get("/runs/<int:run>/answers")
def answers(run: int) -> str:
    """Show the progress of reading a run's answers."""
    _state(run)
    return job_part(page_session().jobs.of(f"{ANSWERS}{run}"))


@blueprint.get("/runs/<int:run>/copies/<what>")
def download(run: int, what: str) -> ResponseReturnValue:
    _state(run)
    number = flask.request.args.get("file", 0, int)
    job, place = start_copy(page_session(), run, what, number)
    address = flask.url_for("runs.copy_progress", run=run, what=what, file=number)
    return waiting_page(job, tr("Writing {file}", file=place.name), address) or file_download(place)


@blueprint.get("/runs/<int:run>/copies/<what>/progress")
def copy_progress(run: int, what: str) -> str:
    _state(run)
    return job_part(
        start_copy(page_session(), run, what, flask.request.args.get("file", 0, int))[0]
    )


@blueprint.post("/runs/<int:run>/resume")
def resume(run: int) -> ResponseReturnValue:
    account = _account_of(_state(run))
    require("send", account)
    start_resume(page_session(), run, account).wait(SOON)
    return flask.redirect(flask.url_for("runs.page", run=run), 303)


def _grid(run: int) -> Grid:
    _state(run)
    return grid_of_run(page_session(), run)


add_grid_routes(blueprint, "/runs/<int:run>", _grid)


def _state(run: int) -> RunState:
    """The state of a run; NotHere if it is missing, forgotten, or not for the user."""
    with page_session().workspace() as workspace:
        begun = workspace.ledger.run(run)
        if begun is None:
            raise NotHere
        require_seen(account_of(page_session(), begun, RunOptions.from_json(begun.options)))
        if FORGOTTEN in begun.options:
            hint = tr("Its answers are in the annotated copy that was written then.")
            raise NotHere(forgotten_problem(begun).message, hint)
        state = run_state(workspace.ledger, run, page_session().clocks(workspace))
        return with_page_counts([state], workspace)[0]


def _account_of(state: RunState) -> str:
    return account_of(page_session(), state.run, state.options)
