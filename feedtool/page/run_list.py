"""The runs that a page lists: newest first, by account, text and state."""

from collections.abc import Iterator
from typing import NamedTuple

from feedtool.ledger import Run
from feedtool.model.errors import UsageProblem
from feedtool.page.deliveries import account_of
from feedtool.page.desk import Desk
from feedtool.page.users import User
from feedtool.runs.history import RunState, every_run
from feedtool.runs.run_record import RunOptions
from feedtool.runs.workspace import Workspace, unfinished

SHOWN = 50
"""Runs on a page."""


class RunSearch(NamedTuple):
    """What is looked for among the runs."""

    text: str = ""
    """In any case: of a file's name, of who has sent it, of a seller or an account."""
    is_open: bool = False
    """True if only those are wanted that are not finished."""
    before: int | None = None
    """Only those with a lower number: the next page."""


def found_runs(at: Desk, user: User, search: RunSearch) -> list[RunState]:
    """The runs of a page, and one more where another page follows."""
    with at.workspace() as workspace:
        clock_of = at.clocks(workspace)
        numbers = _numbers(at, user, search, workspace)
        return every_run(workspace.ledger, clock_of, SHOWN + 1, run_ids=numbers)


def _numbers(at: Desk, user: User, search: RunSearch, workspace: Workspace) -> Iterator[int]:
    ledger, wanted = workspace.ledger, search.text.casefold()
    numbers = unfinished(workspace)[::-1] if search.is_open else ledger.run_ids()
    for number in numbers:
        run = ledger.run(number) if search.before is None or number < search.before else None
        if run is None:
            continue
        try:
            options = RunOptions.from_json(run.options)
        except UsageProblem:
            continue  # `feedtool runs` says what is wrong with it
        account = account_of(at, run, options)
        if user.sees(account) and wanted in _searched(run, options, account):
            yield number


def _searched(run: Run, options: RunOptions, account: str) -> str:
    """All that a run is found by."""
    files = (name for name, _ in options.inputs)
    return "\n".join((account, run.seller, options.who, *files)).casefold()
