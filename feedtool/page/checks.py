"""The check of a file on the shelf, and the copies that are made of it."""

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
from feedtool.check import ReadOptions, check
from feedtool.check.read_options import See
from feedtool.model.cells import Block
from feedtool.model.errors import FeedtoolError
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import LanguageChoice, tr
from feedtool.page.attachments import NamedFiles
from feedtool.page.bringing import write_sheet
from feedtool.page.grid import Grid, GridWriter
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession, language, now
from feedtool.page.uploads import FileUpload, NotHere
from feedtool.report.file import write_report
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.annotated_copy import Outputs, has_workbook_copy
from feedtool.runs.codes import all_codes
from feedtool.runs.corrections import write_rows_to_correct
from feedtool.runs.held import read_as_then
from feedtool.runs.row_results import results_of_check
from feedtool.runs.validate import validate

# A large file is checked by a process of its own.


LARGE = 2 << 20
"""Bytes of a file that is worth a process: some ten thousand rows."""
_PATIENCE = 5
"""Seconds in which the process may clean up."""
DONE = None
"""What it tells at its good end; before it counts of rows, or else what went wrong."""


class CheckEnded(FeedtoolError):
    """The process of a check was ended, as by a lack of memory."""


class _Unheard(Exception):
    """Nobody listens to the process any longer."""


def check_elsewhere(command: Sequence[str], file: str, job: Job) -> None:
    """Has a file checked by a process, and counts its rows. Raises what checking raises, too."""
    # Ctrl-C is for the page alone, which ends the process.
    with Popen(  # noqa: S603  # our own
        [*command, file], stdin=DEVNULL, stdout=PIPE, start_new_session=True
    ) as process:
        if process.stdout is None:
            raise AssertionError(command)
        try:
            for rows in _told(process.stdout):
                job.count(rows)
        except BaseException:
            process.stdout.close()  # by which it notices
            try:
                process.wait(_PATIENCE)
            except TimeoutExpired:
                process.kill()
            raise


def _told(pipe: IO[bytes]) -> Iterator[int]:
    """The counts of rows. Raises what went wrong."""
    while True:
        try:
            told = pickle.load(pipe)  # noqa: S301  # our own process wrote it
        except Exception as error:
            raise CheckEnded(
                tr("the check was ended from outside"),
                tr("check the file again; see whether the machine has memory left"),
            ) from error
        if told is DONE:
            return
        if isinstance(told, BaseException):
            raise told
        yield told


class _ToldJob(Job):
    """A job that tells another process how many rows it has read."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(threading.Event())
        self._pipe = pipe

    def count(self, rows: int) -> None:
        """Tells of more rows."""
        self.say(rows)

    def say(self, told: object) -> None:
        """Tells something. Raises _Unheard where nobody listens."""
        try:
            self._pipe.write(pickle.dumps(told))
        except OSError as error:
            raise _Unheard from error


def check_for_another(check: Callable[[Job], None]) -> None:
    """Checks, and tells `check_elsewhere` on stdout how far it is, and what went wrong."""
    # What else is printed must not get in between.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as pipe:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        job = _ToldJob(pipe)
        try:
            check(job)
            job.say(DONE)
        except _Unheard:
            return
        except Exception as error:  # noqa: BLE001  # it is raised again, where somebody is told
            if not isinstance(error, FeedtoolError):
                error.add_note(traceback.format_exc())
            job.say(error)


CHECK, COPY = "check ", "copy "
"""The beginnings of the keys of jobs."""
COPIES = {
    "marked": tr("The workbook with what is wrong beside each row"),
    "failed": tr("A workbook of the rows to correct"),
    "html": tr("The report as a web page"),
    "csv": tr("The report as a table"),
    "json": tr("The report for programs"),
}
"""What can be downloaded after a check."""


def start_check(session: PageSession, file: FileUpload) -> Job:
    """The job that checks a file as it is read now, begun if it is not at work."""
    return session.jobs.start(check_key(file), "check", partial(check_file, session, file))


def check_key(file: FileUpload) -> str:
    """The key of the job that checks a file as it is read now."""
    return f"{CHECK}{file.id} {file.reading}"


def check_file(session: PageSession, file: FileUpload, job: Job) -> None:
    """Reads and judges a file, and keeps what the browser shows of it as it was read then.

    If it is to be read otherwise meanwhile, that is a check of its own, and nobody looks at this.
    """
    if session.uploads.file(file.id).reading != file.reading:
        return
    job.tell(tr("Reading the file"))
    path = session.uploads.input(file).path
    if session.checking and path.is_file() and path.stat().st_size >= LARGE:
        check_elsewhere(session.checking, file.id, job)
        return
    place = session.uploads.grid(file)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with session.accounts.reading(file.account) as base, GridWriter(place) as writer:
        write_sheet(session, file, base.dialect)
        options = replace(chosen(session, base, file), see=_counted(writer, job), with_items=False)
        sheets = check([session.uploads.input(file)], options, load())
        named = options.locate
        if not isinstance(named, NamedFiles) or named.keep_facts():
            writer.conclude(sheets)
            return
    check_file(session, file, job)  # by what the cells at its end have told


def chosen(session: PageSession, base: ReadOptions, file: FileUpload) -> ReadOptions:
    """How a file is read, as an account reads files, and as was chosen for this one."""
    choices = file.choices
    if before := choices.as_in:
        with session.workspace() as workspace:
            return read_as_then(before.run, before.name, file.name, workspace, base)
    # No cell opens a file of the server.
    named = NamedFiles(session.uploads.named(file), session.uploads.named_facts(file))
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
        locate=named,
    )


def _counted(writer: GridWriter, job: Job) -> See:
    """What the writer sees, while the job tells how many rows that are."""

    def see(checked: CheckedSheet, number: int) -> Callable[[Block], None]:
        add = writer.see(checked, number)

        def see_block(block: Block) -> None:
            add(block)
            job.count(len(block.rows))

        return see_block

    return see


def is_checked(session: PageSession, file: FileUpload) -> bool:
    """True if there is something of a file that the browser can show."""
    return session.uploads.grid(file).is_file()


def grid_of(session: PageSession, file: FileUpload) -> Grid:
    """What the browser shows of a file; GridUnusable where it is not checked."""
    return Grid(session.uploads.grid(file))


def copies_of(grid: Grid) -> dict[str, str]:
    """The copies that there are of a checked file, each with its words."""
    is_there = {
        "marked": any(not sheet.error for sheet in grid.sheets),
        "failed": any(sheet.counts.get("invalid") for sheet in grid.sheets),
    }
    return {sort: words for sort, words in COPIES.items() if is_there.get(sort, True)}


def copy_name(session: PageSession, file: FileUpload, sort: str) -> str:
    """The name of a copy; NotHere where there is none of the sort."""
    if sort not in COPIES:
        raise NotHere(tr("There is nothing at this address."))
    name = Path(file.name)
    if sort == "failed":
        return f"{name.stem}.failed.xlsx"
    if sort != "marked":
        return f"{name.stem}.report.{sort}"
    return marked_name(name, session.uploads.input(file).path)


def marked_name(name: Path, path: Path) -> str:
    """The name of the annotated copy, which is a workbook where the file at `path` is none."""
    suffix = ".xlsx" if has_workbook_copy(path) else name.suffix
    return f"{name.stem}.result{suffix}"


def made_copy(session: PageSession, file: FileUpload, sort: str) -> tuple[Job, Path]:
    """A copy in the language of the request, and the job that makes it."""
    speaks = language()
    place = session.uploads.copies(file) / speaks / copy_name(session, file, sort)

    def make(job: Job) -> None:
        if not place.exists():
            job.tell(tr("Checking every row"))
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write = _write_failed if sort == "failed" else partial(_make_copy, sort)
            write(session, file, place, LanguageChoice(speaks, speaks))

    key = f"{COPY}{file.id} {file.reading} {speaks} {sort}"
    return session.jobs.start(key, "check", make), place


def _make_copy(
    what: str, session: PageSession, file: FileUpload, place: Path, speaks: LanguageChoice
) -> None:
    read = [session.uploads.input(file)]
    with session.accounts.reading(file.account) as base:
        targets = {file.name: place} if what == "marked" else {}
        results = validate(read, chosen(session, base, file), Outputs(targets, language=speaks))
        if what != "marked":
            write_report(place, results, all_codes(speaks.default), now())
        else:
            refuse_unwritten(results, place)


def refuse_unwritten(results: Sequence[SheetResult], place: Path) -> None:
    """Raise why the annotated copy of a file is not in its place, if it is not."""
    for result in results:
        if result.copy_failed:
            raise result.copy_failed
    if not place.exists():
        raise next(filter(None, (result.checked.error for result in results)))


def _write_failed(
    session: PageSession, file: FileUpload, place: Path, speaks: LanguageChoice
) -> None:
    with session.accounts.reading(file.account) as base:
        read, reading = session.uploads.input(file), chosen(session, base, file)
        results = results_of_check(check([read], reading, load()))
        if not write_rows_to_correct(read, results, place, reading, speaks):
            raise NotHere(tr("no row of this file is to be corrected"))
