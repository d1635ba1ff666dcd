"""The runs that a page lists: newest first, by account, text and state."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from feedtool.ledger import Ledger, Run
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.ledger.withheld import count_said
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from feedtool.page.deliveries import account_of
from feedtool.page.desk import PageSession
from feedtool.page.grid import NOT_CHOSEN
from feedtool.page.users import User
from feedtool.runs.history import RunState, run_states
from feedtool.runs.page_rights import EVERY
from feedtool.runs.run_record import RunOptions
from feedtool.runs.workspace import Workspace, unfinished

SHOWN = 50
"""Runs on a page."""
AT_ONCE = 500
"""Runs that are looked at in a query, where few of them are like what is looked for."""
MOST = 5_000
"""Runs that are looked at for a page; it may then show fewer, and leads to those before them."""


class RunSearch(NamedTuple):
    """What is looked for among the runs."""

    text: str = ""
    """In any case: of a file's name, of who has sent it, of a seller or an account."""
    is_open: bool = False
    """True if only those are wanted that are not finished."""
    before: int | None = None
    """Only those with a lower number: the next page."""
    seller: SellerKey | None = None
    """The seller whose runs alone are wanted."""


class FoundRuns(NamedTuple):
    """A page of runs."""

    states: list[RunState]
    older: int | None
    """What the next page is `before`; None where there is none."""


def found_runs(session: PageSession, user: User, search: RunSearch) -> FoundRuns:
    """The runs of a page."""
    with session.workspace() as workspace:
        numbers, older = _numbers(session, user, search, workspace)
        states = run_states(workspace.ledger, numbers, session.clocks(workspace))
        return FoundRuns(as_shown(states, workspace), older)


def as_shown(states: Sequence[RunState], workspace: Workspace) -> list[RunState]:
    """Runs whose rows are counted in the words of the page."""
    counts = counts_shown({state.run.run_id: state.counts for state in states}, workspace)
    return [state._replace(counts=counts[state.run.run_id]) for state in states]


def counts_shown(
    every: Mapping[int, Mapping[Status, int]], workspace: Workspace
) -> dict[int, dict[Status, int]]:
    """The rows of runs by status: those that were not chosen are counted apart from Held ones."""
    held = [run for run, counts in every.items() if Status.HELD in counts]
    unchosen = count_said(workspace.ledger.engine, held, NOT_CHOSEN) if held else {}
    shown = {}
    for run, counts in every.items():
        count = unchosen.get(run, 0)
        apart = Counter(counts) - Counter({Status.HELD: count})
        shown[run] = dict(sorted((apart + Counter({Status.NOT_CHOSEN: count})).items()))
    return shown


def visible_sellers(
    session: PageSession, user: User, workspace: Workspace
) -> set[SellerKey] | None:
    """The sellers of accounts that a user sees, or that were theirs; None for all."""
    if EVERY in user.rights.profiles:
        return None
    now = {key for name, key in session.accounts.sellers.items() if user.sees(name)}
    return now | workspace.ledger.sellers.of_profiles(user.rights.profiles)


def _numbers(
    session: PageSession, user: User, search: RunSearch, workspace: Workspace
) -> tuple[list[int], int | None]:
    """The numbers of the runs of a page, and what the next one is before."""
    found: list[int] = []
    looked, last = 0, None
    for batch in _batches(session, user, search, workspace):
        for run in batch:
            if _is_wanted(session, user, search, run):
                if len(found) == SHOWN:
                    return found, found[-1]
                found.append(run.run_id)
        looked, last = looked + len(batch), batch[-1].run_id if batch else last
        if looked >= MOST:
            return found, last
    return found, None


def _batches(
    session: PageSession, user: User, search: RunSearch, workspace: Workspace
) -> Iterator[list[Run]]:
    """The runs among which a page is looked for, the newest first: few, then more at a time."""
    pages, before, size = workspace.ledger.pages, search.before, SHOWN + 1
    sellers = {search.seller} if search.seller else visible_sellers(session, user, workspace)
    left = unfinished(workspace)[::-1] if search.is_open else None
    while True:
        if left is None:
            numbers = pages.numbers(size, before=before, of=sellers)
        else:
            numbers = [number for number in left if before is None or number < before][:size]
        if not numbers:
            return
        yield _readable(workspace.ledger, numbers)
        before, size = numbers[-1], AT_ONCE


def _readable(ledger: Ledger, numbers: Sequence[int]) -> list[Run]:
    """Runs, the newest first; of those that cannot be read `feedtool runs` says what is wrong."""
    with suppress(ValueError):
        return ledger.pages.runs(numbers)[::-1]
    runs: list[Run] = []
    for number in numbers:
        with suppress(UsageProblem):
            runs += filter(None, [ledger.run(number)])
    return runs


def _is_wanted(session: PageSession, user: User, search: RunSearch, run: Run) -> bool:
    try:
        options = RunOptions.from_json(run.options)
    except UsageProblem:
        return False
    account = account_of(session, run, options)
    is_of = search.seller in {None, seller_key(run.service, run.seller)}
    is_found = search.text.casefold() in _searched(run, options, account)
    return is_of and is_found and user.sees(account)


def _searched(run: Run, options: RunOptions, account: str) -> str:
    """All that a run is found by."""
    files = (name for name, _ in options.snapshots.inputs)
    return "\n".join((account, run.seller, options.who, *files)).casefold()
