"""The copies of a run's files to download: as `feedtool results` writes them, in any language."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path

from feedtool.check import Input
from feedtool.model.text import LanguageChoice, tr
from feedtool.page.answers import VIEW, folder_of_run, results_of
from feedtool.page.checks import marked_name, refuse_unwritten
from feedtool.page.desk import PageSession, language, now
from feedtool.page.grid import Grid
from feedtool.page.jobs import Job
from feedtool.page.shelf import NotHere
from feedtool.report.file import write_report
from feedtool.runs.annotated_copy import write_copies_of
from feedtool.runs.codes import all_codes
from feedtool.runs.corrections import results_to_correct, write_rows_to_correct
from feedtool.runs.outputs import Outputs
from feedtool.runs.row_results import NOT_TAKEN, rows_to_correct
from feedtool.runs.workspace import Workspace, kept_inputs, options_of, read_options_again

COPY = "run-copy "
"""The beginning of the keys of jobs."""
COPIES = {
    "marked": tr("The workbook with the answer beside each row"),
    "failed": tr("A workbook of the rows to correct"),
    "html": tr("The report as a web page"),
    "csv": tr("The report as a table"),
    "json": tr("The report for programs"),
}
"""What can be downloaded of a run."""


def made_copy(session: PageSession, run: int, sort: str, number: int) -> tuple[Job, Path]:
    """A copy of the so many-th file of a run, or of all, and the job that makes it.

    NotHere where there is no such file, or no such copy.
    """
    with session.workspace() as workspace:
        inputs = kept_inputs(options_of(run, workspace), workspace)
    if sort not in COPIES or number >= len(inputs):
        raise NotHere(tr("There is nothing at this address."))
    speaks, file = language(), inputs[number]
    folder = folder_of_run(session, run) / "copies" / speaks / str(number)
    place = folder / _copy_name(file, sort)

    def make(job: Job) -> None:
        if not place.exists():
            job.tell(tr("Writing the copy"))
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with session.workspace() as workspace:
                _WRITERS[sort](run, file.name, place, LanguageChoice(speaks, speaks), workspace)

    return session.jobs.start(f"{COPY}{run} {speaks} {sort} {number}", "check", make), place


def copies_of_run(session: PageSession, run: int, grid: Grid) -> dict[str, dict[str, str]]:
    """The copies that there are of each file of a run, each with its words."""
    files, to_correct = {sheet.file for sheet in grid.sheets}, set[str]()
    statuses = (grid.statuses(sheet.number, VIEW) for sheet in grid.sheets)
    if not NOT_TAKEN.isdisjoint(chain.from_iterable(statuses)):  # else the ledger is not asked
        with session.workspace() as workspace:
            results = results_of(run, workspace)
            to_correct = {sheet.checked.file for sheet in results if any(rows_to_correct(sheet))}
    read = {sheet.file for sheet in grid.sheets if not sheet.error}
    is_there = {"marked": read, "failed": to_correct}
    return {
        file: {sort: words for sort, words in COPIES.items() if file in is_there.get(sort, files)}
        for file in files
    }


def _copy_name(file: Input, sort: str) -> str:
    name = Path(file.name)
    match sort:
        case "marked":
            return marked_name(name, file.path)
        case "failed":
            return f"{name.stem}.failed.xlsx"
    return f"{name.stem}.report.{sort}"


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
