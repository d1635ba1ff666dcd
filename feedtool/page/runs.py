"""The runs that a page lists: newest first, by account, text and state."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import check
from feedtool.ledger import Ledger, Run
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.ledger.row_history import count_said
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from feedtool.model.text import LanguageChoice, tr
from feedtool.page.access import User
from feedtool.page.checks import COPIES as COPIES_OF_CHECK
from feedtool.page.checks import copy_name, refuse_unwritten
from feedtool.page.deliveries import account_of
from feedtool.page.grid import NOT_CHOSEN, Grid, GridWriter, add_results
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession, language, now
from feedtool.page.uploads import NotHere
from feedtool.report.file import write_report
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.annotated_copy import write_copies_of
from feedtool.runs.codes import all_codes
from feedtool.runs.config import EVERY
from feedtool.runs.corrections import results_to_correct, write_rows_to_correct
from feedtool.runs.history import RunState, run_states
from feedtool.runs.outputs import Outputs
from feedtool.runs.row_results import NOT_TAKEN, note_sent_again, results_of_run, rows_to_correct
from feedtool.runs.run_record import RunOptions
from feedtool.runs.workspace import (
    Workspace,
    checked_sheets_of,
    kept_inputs,
    options_of,
    read_options_again,
    unfinished,
)

SHOWN = 50
"""Runs on a page."""
AT_ONCE = 500
"""Runs that are read in a query, if few of them match the search."""
MOST = 5_000
"""Most runs that are read for a page; it may then show fewer, with a link to older runs."""


class RunSearch(NamedTuple):
    """A search among the runs."""

    text: str = ""
    """A part of a file's name, a sender, a seller or an account; case is ignored."""
    is_open: bool = False
    """True for unfinished runs only."""
    before: int | None = None
    """For runs with a lower number only: the next page."""
    seller: SellerKey | None = None
    """For runs of this seller only."""


class FoundRuns(NamedTuple):
    """A page of runs."""

    states: list[RunState]
    older: int | None
    """The `before` of the next page; None on the last page."""


def found_runs(session: PageSession, user: User, search: RunSearch) -> FoundRuns:
    with session.workspace() as workspace:
        numbers, older = _numbers(session, user, search, workspace)
        states = run_states(workspace.ledger, numbers, session.clocks(workspace))
        return FoundRuns(with_page_counts(states, workspace), older)


def with_page_counts(states: Sequence[RunState], workspace: Workspace) -> list[RunState]:
    counts = page_counts({state.run.run_id: state.counts for state in states}, workspace)
    return [state._replace(counts=counts[state.run.run_id]) for state in states]


def page_counts(
    every: Mapping[int, Mapping[Status, int]], workspace: Workspace
) -> dict[int, dict[Status, int]]:
    """Count the rows of runs by status: rows that were not chosen apart from Held ones."""
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
    """The present and former sellers of accounts that a user sees; None for all."""
    if EVERY in user.rights.profiles:
        return None
    now = {key for name, key in session.accounts.sellers.items() if user.sees(name)}
    return now | workspace.ledger.sellers.of_profiles(user.rights.profiles)


def _numbers(
    session: PageSession, user: User, search: RunSearch, workspace: Workspace
) -> tuple[list[int], int | None]:
    """The numbers of the runs of a page, and the `before` of the next page."""
    matches: list[int] = []
    looked, last = 0, None
    for batch in _batches(session, user, search, workspace):
        for run in batch:
            if _matches(session, user, search, run):
                if len(matches) == SHOWN:
                    return matches, matches[-1]
                matches.append(run.run_id)
        looked, last = looked + len(batch), batch[-1].run_id if batch else last
        if looked >= MOST:
            return matches, last
    return matches, None


def _batches(
    session: PageSession, user: User, search: RunSearch, workspace: Workspace
) -> Iterator[list[Run]]:
    """Yield the runs to search, the newest first: a small batch, then larger ones."""
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
    """Read runs, the newest first, without unreadable ones, which `feedtool runs` reports."""
    with suppress(ValueError):
        return ledger.pages.runs(numbers)[::-1]
    runs: list[Run] = []
    for number in numbers:
        with suppress(UsageProblem):
            runs += filter(None, [ledger.run(number)])
    return runs


def _matches(session: PageSession, user: User, search: RunSearch, run: Run) -> bool:
    try:
        options = RunOptions.from_json(run.options)
    except UsageProblem:
        return False
    account = account_of(session, run, options)
    is_of = search.seller in {None, seller_key(run.service, run.seller)}
    files = (name for name, _ in options.snapshots.inputs)
    searched = "\n".join((account, run.seller, options.who, *files)).casefold()
    is_found = search.text.casefold() in searched
    return is_of and is_found and user.sees(account)


# The answers to a run for the browser.


ANSWERS = "answers "
"""The beginning of the keys of jobs."""
VIEW = "answers"
"""The view of a grid with the answers."""


def has_grid(session: PageSession, run: int) -> bool:
    return _place(session, run).is_file()


def grid_of_run(session: PageSession, run: int) -> Grid:
    """The grid of a run; GridUnusable if it is not made yet."""
    return Grid(_place(session, run))


def start_answers(session: PageSession, state: RunState) -> Job:
    run = state.run.run_id
    return session.jobs.start(f"{ANSWERS}{run}", "check", partial(_write_grid, session, run))


def _write_grid(session: PageSession, run: int, _: Job) -> None:
    place = _place(session, run)
    if place.is_file():
        return
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    making = place.with_name("making.sqlite")
    with session.workspace() as workspace, GridWriter(making) as writer:
        options = options_of(run, workspace)
        reading = replace(read_options_again(options, workspace), see=writer.see, with_items=False)
        writer.conclude(check(kept_inputs(options, workspace), reading, load()))
        results = enumerate(results_of(run, workspace))
        add_results(making, VIEW, {number: result.every_verdict() for number, result in results})
    making.replace(place)


def results_of(run: int, workspace: Workspace) -> Sequence[SheetResult]:
    """The results of each sheet of a run, by the ledger's present state."""
    options = options_of(run, workspace)
    results = results_of_run(checked_sheets_of(options, workspace), workspace.ledger, run, None)
    note_sent_again(results, run, workspace)
    return results


def folder_of_run(session: PageSession, run: int) -> Path:
    return session.uploads.folder("runs") / str(run)


def _place(session: PageSession, run: int) -> Path:
    return folder_of_run(session, run) / "grid.sqlite"


COPY = "run-copy "
"""The beginning of the keys of jobs."""
COPIES = {**COPIES_OF_CHECK, "marked": tr("The workbook with the answer beside each row")}
"""The downloads of a run."""


def start_copy(session: PageSession, run: int, sort: str, number: int) -> tuple[Job, Path]:
    """Start making a copy of a run's file by its number, from 0 on; return the job and the place.

    A report covers all files. NotHere for an unknown file or sort of copy.
    """
    with session.workspace() as workspace:
        inputs = kept_inputs(options_of(run, workspace), workspace)
    if number >= len(inputs):
        raise NotHere
    speaks, file = language(), inputs[number]
    folder = folder_of_run(session, run) / "copies" / speaks / str(number)
    place = folder / copy_name(file, sort)

    def make(job: Job) -> None:
        if not place.exists():
            job.report(tr("Writing the copy"))
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with session.workspace() as workspace:
                _WRITERS[sort](run, file.name, place, LanguageChoice(speaks, speaks), workspace)

    return session.jobs.start(f"{COPY}{run} {speaks} {sort} {number}", "check", make), place


def copies_of_run(session: PageSession, run: int, grid: Grid) -> dict[str, dict[str, str]]:
    """The copies of each file of a run, each with its description."""
    files, to_correct = {sheet.file for sheet in grid.sheets}, set[str]()
    statuses = (grid.statuses(sheet.number, VIEW) for sheet in grid.sheets)
    if not NOT_TAKEN.isdisjoint(chain.from_iterable(statuses)):  # else the ledger is not needed
        with session.workspace() as workspace:
            results = results_of(run, workspace)
            to_correct = {sheet.checked.file for sheet in results if any(rows_to_correct(sheet))}
    read = {sheet.file for sheet in grid.sheets if not sheet.error}
    is_there = {"marked": read, "failed": to_correct}
    return {
        file: {sort: words for sort, words in COPIES.items() if file in is_there.get(sort, files)}
        for file in files
    }


def _write_marked(
    run: int, name: str, place: Path, speaks: LanguageChoice, workspace: Workspace
) -> None:
    options = options_of(run, workspace)
    results = results_of(run, workspace)
    outputs = Outputs({name: place}, language=speaks)
    write_copies_of(kept_inputs(options, workspace), results, outputs, options.reading)
    refuse_unwritten([result for result in results if result.checked.file == name], place)


def _write_failed(
    run: int, name: str, place: Path, speaks: LanguageChoice, workspace: Workspace
) -> None:
    options = options_of(run, workspace)
    reading, results = read_options_again(options, workspace), results_to_correct(run, workspace)
    file = next(file for file in kept_inputs(options, workspace) if file.name == name)
    if not write_rows_to_correct(file, results, place, reading, speaks):
        raise NotHere(tr("no row of this file is to be corrected"))


def _write_report(
    run: int, name: str, place: Path, speaks: LanguageChoice, workspace: Workspace
) -> None:
    del name
    write_report(place, results_of(run, workspace), all_codes(speaks.default), now())


_WRITERS: dict[str, Callable[[int, str, Path, LanguageChoice, Workspace], None]] = {
    "marked": _write_marked,
    "failed": _write_failed,
    **dict.fromkeys(("html", "csv", "json"), _write_report),
}
