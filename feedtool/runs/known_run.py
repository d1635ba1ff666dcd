"""Find the run of a number, or the reason why it is missing."""

from datetime import datetime
from typing import TYPE_CHECKING

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

if TYPE_CHECKING:  # its library takes longer to import than a small file to check
    from feedtool.ledger import Ledger, Run

LISTED = tr("`feedtool runs` lists them")


def known_run(ledger: "Ledger", run_id: int) -> "Run":
    """Return a run of the ledger, forgotten or not; UsageProblem for an unknown number."""
    run = ledger.run(run_id)
    if run is None:
        raise UsageProblem(tr("there is no run {run}", run=run_id), LISTED)
    return run


def kept_run(ledger: "Ledger", run_id: int) -> "Run":
    """Return a run that is complete; UsageProblem as `known_run`, and if it was forgotten."""
    run = known_run(ledger, run_id)
    if "forgotten" in run.options:
        raise forgotten_problem(run)
    return run


def forgotten_problem(run: "Run") -> UsageProblem:
    """Return the error of a run that was forgotten."""
    return UsageProblem(
        tr(
            "run {run} was forgotten on {day}: its rows and answers are not kept any more",
            run=run.run_id,
            day=f"{datetime.fromisoformat(run.options['forgotten']):%Y-%m-%d}",
        ),
        tr(
            "its answers are in the annotated copy that was written then; `feedtool export` shows"
            " what is in force"
        ),
    )
