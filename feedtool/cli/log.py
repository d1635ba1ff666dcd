"""`--log FILE`: what a command did, a JSON object a line, each with its time.

    started    the command, its profile
    progress   how far a package is
    said       what was said on stderr: its label, such as `warning` or `error`, and the text
    summary    the counts of one sheet, by the names of `--format json`
    ended      the exit code

The file is opened for each line, so that it may be moved away at any time, and several processes
write into one. No option's value is in it but the profile's name.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from feedtool.cli import errors
from feedtool.delivery.events import Event
from feedtool.model.errors import UsageProblem
from feedtool.report.fields import dumped
from feedtool.report.outcome import Outcome


class Log:
    """Lines at the end of a file."""

    def __init__(self, place: Path, now: Callable[[], datetime]) -> None:
        """UsageProblem where nothing can be written there."""
        self._place, self._now = place, now
        self._has_failed = False
        self._lock = threading.Lock()
        try:
            self._append(b"")
        except OSError as error:
            raise UsageProblem(
                f"the log {place} cannot be written: {error.strerror}",
                "name another file with --log",
            ) from error

    def write(self, what: str, /, **fields: Any) -> None:
        """One event. What cannot be written is told once, and never stops a run."""
        at = self._now().isoformat(timespec="milliseconds")
        line = dumped({"at": at, "type": what, **fields}).encode("utf-8", "replace") + b"\n"
        try:
            self._append(line)
        except OSError as error:
            with self._lock:
                is_first, self._has_failed = not self._has_failed, True
            if is_first:
                errors.say("warning", f"the log {self._place} is not written: {error.strerror}")

    def _append(self, line: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = os.open(self._place, flags, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    def event(self, event: Event) -> None:
        """How far a package is."""
        told = event._asdict()
        names = {"path": "file", "package_id": "packageId"}
        self.write("progress", **{names.get(name, name): value for name, value in told.items()})

    def said(self, label: str, text: str) -> None:
        """What was said on stderr."""
        self.write("said", label=label, text=text)

    def summaries(self, outcomes: Sequence[Outcome]) -> None:
        """What came of each sheet."""
        from feedtool.report.fields import summary_fields

        for outcome in outcomes:
            self.write("summary", **summary_fields(outcome))


@contextmanager
def logged(
    place: Path | None, command: str, profile: str | None, now: Callable[[], datetime]
) -> Iterator[Log | None]:
    """A log of a command, where one is wanted; it also hears what is said until the end."""
    if place is None:
        yield None
        return
    log = Log(place, now)
    log.write("started", command=command, profile=profile, pid=os.getpid())
    errors.heard_by(log.said, lambda code: log.write("ended", exitCode=code))
    yield log
