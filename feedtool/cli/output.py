"""The results of a command on stdout and in a report file, and its progress on stderr."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from feedtool.cli.console import CONSOLE, discard_stdout, echo, echo_error, wants_colour
from feedtool.cli.options import Reporting
from feedtool.model.errors import FeedtoolError, UsageProblem, reason_of
from feedtool.model.text import MessageText, tr
from feedtool.report.as_json import progress_events, write_json, write_jsonl
from feedtool.report.codes import Codes
from feedtool.report.explained_row import write_columns, write_rows
from feedtool.report.file import write_report
from feedtool.report.plain import clean
from feedtool.report.sheet_result import SheetResult, exit_code
from feedtool.report.text import write_text
from feedtool.runs.codes import all_codes

if TYPE_CHECKING:
    from feedtool.delivery.events import Event
    from feedtool.runs.deliver import Submission


def echo_results(
    results: Sequence[SheetResult],
    reporting: Reporting,
    stopped: FeedtoolError | None = None,
    *,
    is_only_failed: bool = False,
) -> int:
    """Show the results and write their report; return the exit code."""
    stamps = (result.checked.language for result in results)
    codes = all_codes(CONSOLE.language.of(next(filter(None, stamps), None)))
    CONSOLE.say = codes.say
    unwritten = None
    try:
        _write(results, reporting, codes, is_only_failed=is_only_failed)
    except BrokenPipeError:  # the reader has seen enough, as in `| head`
        discard_stdout()
    except OSError as error:
        discard_stdout()
        unwritten = UsageProblem(
            tr("stdout cannot be written: {why}", why=reason_of(error)),
            tr("make room, or send it elsewhere"),
        )
    for failed in dict.fromkeys(result.copy_failed for result in results):
        if failed:
            echo_error(failed)
    if report := reporting.report:
        write_report(report, results, codes, CONSOLE.clock.now())
        echo("report", str(report))
    if unwritten:
        raise unwritten
    return exit_code(results, stopped)


def echo_submission(
    submission: "Submission",
    reporting: Reporting,
    targets: Iterable[Path] = (),
    *,
    is_only_failed: bool = False,
) -> int:
    """Show the results of a delivery, also of a stopped one; return the exit code."""
    results, stopped = submission.outcomes, submission.stopped
    for warning in submission.warnings:
        echo("warning", warning)
    if stopped:
        echo_error(stopped)
    warn_of_copies(results, targets)
    return echo_results(results, reporting, stopped, is_only_failed=is_only_failed)


def warn_of_copies(results: Sequence[SheetResult], targets: Iterable[Path]) -> None:
    """Warn of copies that are elsewhere or not renewed, so that none is taken for this run's."""
    written = {result.annotated for result in results}
    displaced = {result.displaced.message: result for result in results if result.displaced}
    for message, result in displaced.items():
        echo(
            "warning",
            tr(
                "{message} The annotated copy is {copy} instead.",
                message=message,
                copy=result.annotated,
            ),
        )
    if displaced:
        return  # the warning above names the copy
    for target in targets:
        if target not in written and target.exists():
            echo(
                "warning", tr("{target} was not renewed: it is from an earlier run", target=target)
            )


def _write(
    results: Sequence[SheetResult], reporting: Reporting, codes: Codes, *, is_only_failed: bool
) -> None:
    out, form = sys.stdout, reporting.form
    if isinstance(out, TextIOWrapper):
        # JSON is always UTF-8; a terminal shows a question mark for a letter that it lacks.
        encoding = None if form == "text" else "utf-8"
        out.reconfigure(encoding=encoding, errors="replace", newline="\n")
    if form == "json":
        write_json(results, out, codes.say)
    elif form == "jsonl":
        write_jsonl(results, out, codes.say)
    else:
        write_columns(results, out, codes.say)
        write_rows(results, out, codes.say)
        if not reporting.verbose:  # --explain-row shows that row alone
            results = [
                result for result in results if result.checked.explained is None or result.annotated
            ]
        # A pipe gets each problem on one line, whatever its length.
        width = _columns() if out.isatty() else None
        if results:
            write_text(
                results,
                out,
                codes,
                is_only_failed=is_only_failed,
                is_colour=wants_colour(out),
                is_verbose=reporting.verbose,
                width=width,
            )
    out.flush()


LINE_INTERVAL = 10.0
"""Seconds between two lines of progress if stderr is no terminal."""

COUNTED = ("upload", "results")
"""Kinds of events that are counted, since there are many, one after the other."""

WARNINGS = ("deadline", "unreachable")
"""Kinds of events that are warnings: never left out nor drawn over."""

OnEvent = Callable[["Event"], None]

BAR = 20
"""Columns of the progress bar."""


class ProgressRate:
    """The rate of uploads or results, and the time left."""

    _step: tuple[object, ...] = ()
    _begun = (0.0, 0)

    def describe(self, event: "Event", now: float) -> MessageText | str:
        """`312/500, 41.0/s, 5 s left`; empty for an event that is not counted."""
        if event.kind not in COUNTED or not event.total:
            return ""
        step = (event.path, event.package, event.kind, event.total)
        if step != self._step:
            self._step, self._begun = step, (now, event.done)
        seconds, done = now - self._begun[0], event.done - self._begun[1]
        counted = tr("{done:,}/{total:,}", done=event.done, total=event.total)
        if seconds <= 0 or done <= 0:
            return counted
        rate = done / seconds
        minutes, rest = divmod(round((event.total - event.done) / rate), 60)
        left = tr("{minutes} min {rest} s", minutes=minutes, rest=rest)
        return tr(
            "{counted}, {rate:,.1f}/s, {left} left",
            counted=counted,
            rate=rate,
            left=left if minutes else tr("{rest} s", rest=rest),
        )


class ProgressLines:
    """Shows events; on a terminal, `width` columns wide, each replaces the line before."""

    def __init__(
        self,
        out: TextIO,
        monotonic: Callable[[], float],
        *,
        is_terminal: bool,
        width: Callable[[], int] = lambda: 80,
    ) -> None:
        self._out, self._width, self._is_terminal = out, width, is_terminal
        self._monotonic, self._shown_at = monotonic, monotonic()
        self._drawn = 0
        self._rate = ProgressRate()

    def show(self, event: "Event") -> None:
        """Draw each event on a terminal; elsewhere write one in a while."""
        say = CONSOLE.say
        if event.kind in WARNINGS:
            self.close()
            label = say.label(tr("warning"))
            self._write(f"{label} {clean(say(event.text))}\n")
            return
        now = self._monotonic()
        text, rate = clean(say(event.text)), say(self._rate.describe(event, now))
        if self._is_terminal:
            if rate:
                filled = BAR * min(event.done, event.total) // event.total
                text = f"[{'#' * filled}{'-' * (BAR - filled)}] {rate}  {text}"
            text = text[: self._width() - 1]  # a longer line could not be replaced
            self._write("\r" + text.ljust(self._drawn))
            self._drawn = len(text)
        elif now - self._shown_at >= LINE_INTERVAL:
            self._shown_at = now
            self._write(f"{text} ({rate})\n" if rate else f"{text}\n")

    def close(self) -> None:
        """Clear the terminal's line for further output."""
        if self._drawn:
            self._write("\r" + " " * self._drawn + "\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def _columns() -> int:
    return shutil.get_terminal_size().columns


@contextmanager
def progress_of(form: str, also: OnEvent = lambda _: None) -> Iterator[OnEvent]:
    """A listener that shows events as JSON lines on stdout, or for people on stderr.

    `also` is called with each event afterwards.
    """
    is_terminal, write = sys.stderr.isatty(), progress_events(sys.stdout)
    lines = ProgressLines(
        sys.stderr, CONSOLE.clock.monotonic, is_terminal=is_terminal, width=_columns
    )

    def show(event: "Event") -> None:
        if form == "jsonl":
            write(event.text, event.done, event.total, event.path)
        elif not CONSOLE.is_quiet:
            lines.show(event)
        also(event)

    try:
        yield show
    finally:
        lines.close()


Count = Callable[[str, int, int | None], None]


@contextmanager
def counting(form: str) -> Iterator[Count]:
    """A listener for progress in reading from the service: text, number done, total or None."""
    from feedtool.delivery.events import Event

    with progress_of(form) as show:

        def count(text: str, done: int, total: int | None = None) -> None:
            if form == "jsonl":
                progress_events(sys.stdout)(text, done, total, "")
            else:
                show(Event(COUNTED[0], text, "", 0, None, None, done, total or 0))

        yield count
