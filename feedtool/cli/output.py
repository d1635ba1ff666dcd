"""How a command tells what it found: on stdout, and in a report file."""

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from feedtool.cli.errors import say, tell, wants_colour
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.report.outcome import Outcome
from feedtool.runs.row_results import exit_code


def tell_outcomes(
    outcomes: Sequence[Outcome],
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
            tell(failed)
    if report:
        write_report(report, outcomes, all_codes())
        say("report", str(report))
    if failed_to_tell:
        raise failed_to_tell
    return exit_code(outcomes, stopped)


def _leave_stdout() -> None:
    """Sends the rest nowhere, so that nothing fails once more when Python ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(outcomes: Sequence[Outcome], form: str, *, is_verbose: bool) -> None:
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
