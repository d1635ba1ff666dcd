"""How a command tells what it found: on stdout, and in a report file."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool.cli.errors import echo, echo_error, wants_colour
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.row_results import exit_code

if TYPE_CHECKING:
    from feedtool.runs.deliver import Submission


def echo_results(
    outcomes: Sequence[SheetResult],
    form: str,
    report: Path | None,
    *,
    is_verbose: bool,
    stopped: FeedtoolError | None = None,
) -> int:
    """Tells the outcomes in the form that was asked for.

    Returns:
        The exit code; the form never changes it.
    """
    from feedtool.report import write_report
    from feedtool.runs.codes import all_codes

    failed_to_tell = None
    try:
        _write(outcomes, form, is_verbose=is_verbose)
    except BrokenPipeError:  # the reader has seen enough, as in `| head`
        _leave_stdout()
    except OSError as error:
        _leave_stdout()
        failed_to_tell = UsageProblem(
            f"stdout cannot be written: {error.strerror}", "make room, or send it elsewhere"
        )
    for failed in dict.fromkeys(outcome.copy_failed for outcome in outcomes):
        if failed:
            echo_error(failed)
    if report:
        write_report(report, outcomes, all_codes())
        echo("report", str(report))
    if failed_to_tell:
        raise failed_to_tell
    return exit_code(outcomes, stopped)


def echo_submission(
    submission: "Submission",
    form: str,
    report: Path | None,
    targets: Iterable[Path] = (),
    *,
    is_verbose: bool,
) -> int:
    """Tells what came of a delivery, even where something stopped it; the exit code."""
    for warning in submission.warnings:
        echo("warning", warning)
    if submission.stopped:
        echo_error(submission.stopped)
    _tell_of_copies(submission.outcomes, targets)
    return echo_results(
        submission.outcomes, form, report, is_verbose=is_verbose, stopped=submission.stopped
    )


def _tell_of_copies(outcomes: Sequence[SheetResult], targets: Iterable[Path]) -> None:
    """An answer of an earlier run must not be taken for this one's, nor be looked for in vain."""
    written = {outcome.annotated for outcome in outcomes}
    displaced = {one.displaced.message: one for one in outcomes if one.displaced}
    for message, outcome in displaced.items():
        echo("warning", f"{message} The annotated copy is {outcome.annotated} instead.")
    if displaced:
        return  # what stands there has just been told of
    for target in targets:
        if target not in written and target.exists():
            echo("warning", f"{target} was not renewed: it is from an earlier run")


def _leave_stdout() -> None:
    """Sends the rest nowhere, so that nothing fails once more when Python ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(outcomes: Sequence[SheetResult], form: str, *, is_verbose: bool) -> None:
    from feedtool.report import write_columns, write_json, write_jsonl, write_text
    from feedtool.runs.codes import all_codes

    if isinstance(sys.stdout, TextIOWrapper):
        # JSON is UTF-8 everywhere; a terminal that lacks a letter shows a question mark for it.
        sys.stdout.reconfigure(
            encoding=None if form == "text" else "utf-8", errors="replace", newline="\n"
        )
    if form == "json":
        write_json(outcomes, sys.stdout)
    elif form == "jsonl":
        write_jsonl(outcomes, sys.stdout)
    else:
        write_columns(outcomes, sys.stdout)
        # A pipe gets each problem on one line, whatever its length.
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        write_text(
            outcomes,
            sys.stdout,
            all_codes(),
            is_colour=wants_colour(sys.stdout),
            is_verbose=is_verbose,
            width=width,
        )
    sys.stdout.flush()
