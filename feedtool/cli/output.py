"""The results of a command on stdout, and in a report file."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool.cli.errors import discard_stdout, echo, echo_error, wants_colour
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.report import write_columns, write_json, write_jsonl, write_report, write_text
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.codes import all_codes
from feedtool.runs.row_results import exit_code

if TYPE_CHECKING:
    from feedtool.runs.deliver import Submission


def echo_results(
    results: Sequence[SheetResult],
    form: str,
    report: Path | None,
    *,
    is_verbose: bool,
    stopped: FeedtoolError | None = None,
) -> int:
    """Shows the results in a form, and writes the report; the exit code, whatever the form."""
    unwritten = None
    try:
        _write(results, form, is_verbose=is_verbose)
    except BrokenPipeError:  # the reader has seen enough, as in `| head`
        discard_stdout()
    except OSError as error:
        discard_stdout()
        unwritten = UsageProblem(
            f"stdout cannot be written: {error.strerror}", "make room, or send it elsewhere"
        )
    for failed in dict.fromkeys(result.copy_failed for result in results):
        if failed:
            echo_error(failed)
    if report:
        write_report(report, results, all_codes())
        echo("report", str(report))
    if unwritten:
        raise unwritten
    return exit_code(results, stopped)


def echo_submission(
    submission: "Submission",
    form: str,
    report: Path | None,
    targets: Iterable[Path] = (),
    *,
    is_verbose: bool,
) -> int:
    """Shows what a delivery came to, even where something stopped it; the exit code."""
    results, stopped = submission.outcomes, submission.stopped
    for warning in submission.warnings:
        echo("warning", warning)
    if stopped:
        echo_error(stopped)
    _warn_of_copies(results, targets)
    return echo_results(results, form, report, is_verbose=is_verbose, stopped=stopped)


def _warn_of_copies(results: Sequence[SheetResult], targets: Iterable[Path]) -> None:
    """An answer of an earlier run must not be taken for this one's, nor be looked for in vain."""
    written = {result.annotated for result in results}
    displaced = {result.displaced.message: result for result in results if result.displaced}
    for message, result in displaced.items():
        echo("warning", f"{message} The annotated copy is {result.annotated} instead.")
    if displaced:
        return  # the line above says what stands there
    for target in targets:
        if target not in written and target.exists():
            echo("warning", f"{target} was not renewed: it is from an earlier run")


def _write(results: Sequence[SheetResult], form: str, *, is_verbose: bool) -> None:
    out = sys.stdout
    if isinstance(out, TextIOWrapper):
        # JSON is UTF-8 everywhere; a terminal that lacks a letter shows a question mark for it.
        encoding = None if form == "text" else "utf-8"
        out.reconfigure(encoding=encoding, errors="replace", newline="\n")
    if form == "json":
        write_json(results, out)
    elif form == "jsonl":
        write_jsonl(results, out)
    else:
        write_columns(results, out)
        # A pipe gets each problem on one line, whatever its length.
        width = shutil.get_terminal_size().columns if out.isatty() else None
        is_colour = wants_colour(out)
        write_text(
            results, out, all_codes(), is_colour=is_colour, is_verbose=is_verbose, width=width
        )
    out.flush()
