"""What the commands that send have in common: the way there, the books, stopping, progress."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from feedtool.cli.connect import to_account, to_sandbox
from feedtool.cli.errors import say, tell
from feedtool.cli.output import tell_outcomes
from feedtool.cli.signals import stopping
from feedtool.report.outcome import Outcome
from feedtool.runs.deliver import Submission
from feedtool.runs.session import Session

Tell = Callable[[Any], None]


@contextmanager
def sending(home: Path, given: dict[str, Any], form: str) -> Iterator[tuple[Session, Tell]]:
    """A way to the service that stops gently, and how events are told meanwhile."""
    is_sandbox = bool(given["sandbox"])
    way = to_sandbox(home, given) if is_sandbox else to_account(given, needs_channel=False)
    with way as service, stopping() as stop:
        on_event, close = _progress(form)
        try:
            yield (
                replace(
                    service,
                    # Where time is virtual there is nothing to wake from.
                    sleep=service.sleep if is_sandbox else stop.sleep,
                    stopping=stop.reason,
                    profile=given["profile"],
                    is_sandbox=is_sandbox,
                ),
                on_event,
            )
        finally:
            close()


def tell_submission(
    submission: Submission,
    form: str,
    report: Path | None,
    targets: Iterable[Path] = (),
    *,
    is_verbose: bool,
) -> int:
    """Tells what came of a delivery, even where something stopped it; the exit code."""
    for warning in submission.warnings:
        say("warning", warning)
    if submission.stopped:
        tell(submission.stopped)
    _tell_of_copies(submission.outcomes, targets)
    return tell_outcomes(
        submission.outcomes, form, report, is_verbose=is_verbose, stopped=submission.stopped
    )


def _tell_of_copies(outcomes: Sequence[Outcome], targets: Iterable[Path]) -> None:
    """An answer of an earlier run must not be taken for this one's, nor be looked for in vain."""
    written = {outcome.annotated for outcome in outcomes}
    displaced = {one.displaced.message: one for one in outcomes if one.displaced}
    for message, outcome in displaced.items():
        say("warning", f"{message} The annotated copy is {outcome.annotated} instead.")
    if displaced:
        return  # what stands there has just been told of
    for target in targets:
        if target not in written and target.exists():
            say("warning", f"{target} was not renewed: it is from an earlier run")


def _progress(form: str) -> tuple[Tell, Callable[[], None]]:
    """How events are told while the delivery goes on: as JSON lines, or for people."""
    from feedtool.cli.progress import on_stderr
    from feedtool.report import progress_events

    if form == "jsonl":
        told = progress_events(sys.stdout)
        return lambda event: told(event.text, event.done, event.total, event.path), lambda: None
    lines = on_stderr(time.monotonic)
    return lines.tell, lines.close
