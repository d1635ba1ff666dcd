"""Check an upload, and make copies of it."""

import os
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from typing import IO

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.check.read_options import See
from feedtool.model.cells import Block
from feedtool.model.errors import FeedtoolError
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import LanguageChoice, MessageText, tr
from feedtool.page.attachments import NamedFiles
from feedtool.page.bringing import write_sheet
from feedtool.page.grid import PROBLEMS, Grid, GridUnusable, GridWriter, RowFilter
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession, language, now
from feedtool.page.uploads import FileUpload, NotHere
from feedtool.report.file import write_report
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.codes import all_codes
from feedtool.runs.corrections import write_rows_to_correct
from feedtool.runs.held import read_as_then
from feedtool.runs.outputs import Outputs, has_workbook_copy
from feedtool.runs.row_results import results_of_check
from feedtool.runs.validate import validate

# Check a large file in another process.


LARGE = 2 << 20
"""Bytes from which on a file is checked in a process: some ten thousand rows."""
_PATIENCE = 5
"""Seconds for the process to clean up."""
DONE = None
"""The message of success; before it come counts of rows, and instead of it an error."""


class CheckEnded(FeedtoolError):
    """The process of a check was ended from outside, for example for lack of memory."""


class _NoListener(Exception):
    """The page does not read from the process any longer."""


def check_elsewhere(command: Sequence[str], file: str, job: Job) -> None:
    """Check a file in a process, and count its rows. Raises the errors of checking, too."""
    # Ctrl-C is for the page alone, which ends the process.
    with Popen(  # noqa: S603  # our own
        [*command, file], stdin=DEVNULL, stdout=PIPE, start_new_session=True
    ) as process:
        if process.stdout is None:
            raise AssertionError(command)
        try:
            for rows in _messages(process.stdout):
                job.count(rows)
        except BaseException:
            process.stdout.close()  # the process notices this
            try:
                process.wait(_PATIENCE)
            except TimeoutExpired:
                process.kill()
            raise


def _messages(pipe: IO[bytes]) -> Iterator[int]:
    """Yield the counts of rows. Raises the error of the check."""
    while True:
        try:
            message = pickle.load(pipe)  # noqa: S301  # our own process wrote it
        except Exception as error:
            raise CheckEnded(
                tr("the check was ended from outside"),
                tr("check the file again; see whether the machine has memory left"),
            ) from error
        if message is DONE:
            return
        if isinstance(message, BaseException):
            raise message
        yield message


class _PipedJob(Job):
    """A job that sends its counts of rows to another process."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(threading.Event())
        self._pipe = pipe

    def count(self, rows: int) -> None:
        self.send(rows)

    def send(self, message: object) -> None:
        """Send a message. Raises _NoListener if the other process has stopped reading."""
        try:
            self._pipe.write(pickle.dumps(message))
        except OSError as error:
            raise _NoListener from error


def check_for_another(check: Callable[[Job], None]) -> None:
    """Check, and send counts of rows and errors to `check_elsewhere` on stdout."""
    # Other output must not get in between.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as pipe:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        job = _PipedJob(pipe)
        try:
            check(job)
            job.send(DONE)
        except _NoListener:
            return
        except Exception as error:  # noqa: BLE001  # raised again in the other process
            if not isinstance(error, FeedtoolError):
                error.add_note(traceback.format_exc())
            job.send(error)


CHECK, COPY = "check ", "copy "
"""The beginnings of the keys of jobs."""
COPIES = {
    "marked": tr("The workbook with what is wrong beside each row"),
    "failed": tr("A workbook of the rows to correct"),
    "html": tr("The report as a web page"),
    "csv": tr("The report as a table"),
    "json": tr("The report for programs"),
}
"""The downloads after a check."""


def start_check(session: PageSession, file: FileUpload) -> Job:
    return session.jobs.start(check_key(file), "check", partial(check_file, session, file))


def check_key(file: FileUpload) -> str:
    return f"{CHECK}{file.id} {file.reading}"


def check_file(session: PageSession, file: FileUpload, job: Job) -> None:
    """Check a file, and write its grid for the browser.

    If other choices are made meanwhile, another check does that, and this grid is unused.
    """
    if session.uploads.file(file.id).reading != file.reading:
        return
    job.report(tr("Reading the file"))
    path = session.uploads.input(file).path
    if session.checking and path.is_file() and path.stat().st_size >= LARGE:
        check_elsewhere(session.checking, file.id, job)
        return
    place = session.uploads.grid(file)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with session.accounts.reading(file.account) as base, GridWriter(place) as writer:
        write_sheet(session, file, base.dialect)
        options = replace(
            options_for(session, base, file), see=_counted(writer, job), with_items=False
        )
        sheets = check([session.uploads.input(file)], options, load())
        files = options.locate
        if not isinstance(files, NamedFiles) or files.keep_facts():
            writer.conclude(sheets)
            return
    check_file(session, file, job)  # again, with the ambiguous names


def options_for(session: PageSession, base: ReadOptions, file: FileUpload) -> ReadOptions:
    """The options to read a file: its account's, with the choices for the file."""
    choices = file.choices
    if before := choices.as_in:
        with session.workspace() as workspace:
            return read_as_then(before.run, before.name, file.name, workspace, base)
    # No cell opens a file of the server.
    files = NamedFiles(session.uploads.named(file), session.uploads.named_facts(file))
    recipes = session.accounts.recipes(file.account)
    if choices.has_recipe:
        recipes = replace(recipes, recipe=str(session.uploads.recipe(file)))
    return replace(
        base,
        kind=choices.kind or base.kind,
        sheets=choices.sheets or base.sheets,
        as_rows=choices.as_rows,
        purges=choices.purges,
        recipes=recipes,
        locate=files,
    )


def _counted(writer: GridWriter, job: Job) -> See:
    """Return the writer's `see`, which counts rows for the job, too."""

    def see(checked: CheckedSheet, number: int) -> Callable[[Block], None]:
        add = writer.see(checked, number)

        def see_block(block: Block) -> None:
            add(block)
            job.count(len(block.rows))

        return see_block

    return see


def is_checked(session: PageSession, file: FileUpload) -> bool:
    return session.uploads.grid(file).is_file()


def grid_of(session: PageSession, file: FileUpload) -> Grid:
    """The grid of a file; GridUnusable if it is not checked."""
    return Grid(session.uploads.grid(file))


def copies_of(grid: Grid) -> dict[str, str]:
    """The copies of a checked file, each with its description."""
    is_there = {
        "marked": any(not sheet.error for sheet in grid.sheets),
        "failed": any(sheet.counts.get("invalid") for sheet in grid.sheets),
    }
    return {sort: words for sort, words in COPIES.items() if is_there.get(sort, True)}


def copy_name(file: Input, sort: str) -> str:
    """The name of a copy; NotHere for an unknown sort."""
    if sort not in COPIES:
        raise NotHere
    name = Path(file.name)
    if sort == "failed":
        return f"{name.stem}.failed.xlsx"
    if sort != "marked":
        return f"{name.stem}.report.{sort}"
    # A file that cannot be annotated becomes a workbook.
    suffix = ".xlsx" if has_workbook_copy(file.path) else name.suffix
    return f"{name.stem}.result{suffix}"


def start_copy(session: PageSession, file: FileUpload, sort: str) -> tuple[Job, Path]:
    """Start making a copy in the language of the request; return the job and the place."""
    speaks = language()
    place = session.uploads.copies(file) / speaks / copy_name(session.uploads.input(file), sort)

    def make(job: Job) -> None:
        if not place.exists():
            job.report(tr("Checking every row"))
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_copy(session, file, sort, place, LanguageChoice(speaks, speaks))

    key = f"{COPY}{file.id} {file.reading} {speaks} {sort}"
    return session.jobs.start(key, "check", make), place


def _write_copy(
    session: PageSession, file: FileUpload, sort: str, place: Path, speaks: LanguageChoice
) -> None:
    read = session.uploads.input(file)
    with session.accounts.reading(file.account) as base:
        reading = options_for(session, base, file)
        if sort == "failed":
            results = results_of_check(check([read], reading, load()))
            if not write_rows_to_correct(read, results, place, reading, speaks):
                raise NotHere(tr("no row of this file is to be corrected"))
        elif sort == "marked":
            results = validate([read], reading, Outputs({file.name: place}, language=speaks))
            refuse_unwritten(results, place)
        else:
            results = validate([read], reading, Outputs({}, language=speaks))
            write_report(place, results, all_codes(speaks.default), now())


def refuse_unwritten(results: Sequence[SheetResult], place: Path) -> None:
    """Raise the reason why the annotated copy is not in its place, if it is not."""
    for result in results:
        if result.copy_failed:
            raise result.copy_failed
    if not place.exists():
        raise next(filter(None, (result.checked.error for result in results)))


# Count the problems that a corrected file has solved.


MOST_COMPARED = 5_000
"""Most rows with problems that are compared."""
READ_AT_ONCE = 500

ProblemKey = tuple[str, str | None, str]
"""The row's reference, else its number; the field, if the problem has one; the code."""


def problems_gone(session: PageSession, file: FileUpload) -> MessageText | None:
    """Return `29 of 32 problems are gone, 1 is new`; None without problems to compare."""
    if not file.replaces:
        return None
    try:
        with (
            grid_of(session, session.uploads.file(file.replaces)) as former,
            grid_of(session, file) as present,
        ):
            before, after = set(_problems(former)), set(_problems(present))
    except (NotHere, GridUnusable):
        return None
    if not before:
        return None
    gone, new = len(before - after), len(after - before)
    text = tr("{gone:,} of {before:,} problems are gone.", gone=gone, before=len(before))
    return tr("{text} {new:,} are new.", text=text, new=new) if new else text


def _problems(grid: Grid) -> Iterator[ProblemKey]:
    for sheet in grid.sheets:
        rows = RowFilter(sheet.number, which=PROBLEMS)
        slots = [column.index for column in sheet.columns]
        slot = slots.index(sheet.reference) if sheet.reference in slots else None
        for start in range(0, MOST_COMPARED, READ_AT_ONCE):
            read = grid.rows(rows, start, READ_AT_ONCE)
            for row in read:
                reference = row.cells[slot] if slot is not None and slot < len(row.cells) else ""
                name = reference or str(row.row)
                yield from ((name, problem.field, problem.code) for problem in row.problems)
            if len(read) < READ_AT_ONCE:
                break
