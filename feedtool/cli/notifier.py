"""`--hook`, `--webhook` and `--log`, from the options of a command."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from feedtool import __version__
from feedtool.cli.console import CONSOLE, echo
from feedtool.cli.options import SOURCES, chosen
from feedtool.cli.options_account import Notifying
from feedtool.model.errors import FeedtoolError, UsageProblem, reason_of
from feedtool.model.text import tr
from feedtool.report.as_json import dumped, notice_fields, stopped_fields, summary_fields
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.notify import Notifier, Target, Warn, as_body, targets_of


def targets_of_profile(ctx: click.Context, profile: str | None) -> dict[str, Target]:
    """The targets of the command line or the environment, else those of a profile."""
    settings = chosen(ctx).config.profiles.get(profile or "")
    targets = {name: ctx.params.get(name) for name in ("hook", "webhook")}
    for name in targets:
        is_set = ctx.get_parameter_source(name) in SOURCES[:2]
        if settings and name in settings.account and not is_set:
            targets[name] = settings.account[name]
    return targets_of(targets["hook"], targets["webhook"])


class Log:
    """A file to which events are appended, one JSON object a line.

    The file is opened for each line, so that it may be moved away at any time, and several
    processes can write to it. Of the options it contains only the profile's name.

        started    the command, its profile
        progress   how far a package is
        said       a line on stderr: its label, such as `warning` or `error`, and the text
        summary    the counts of one sheet, by the names of `--format json`
        ended      the exit code
    """

    def __init__(self, place: Path, warn: Warn) -> None:
        """UsageProblem if the file cannot be written."""
        self._place, self._warn, self._has_failed = place, warn, False
        try:
            self._append(b"")
        except OSError as error:
            raise UsageProblem(
                tr("the log {place} cannot be written: {why}", place=place, why=reason_of(error)),
                tr("name another file with --log"),
            ) from error

    def write(self, what: str, /, **fields: Any) -> None:
        """Append an event. The first failure is a warning; none stops a run."""
        moment = CONSOLE.clock.now().isoformat(timespec="milliseconds")
        line = dumped({"at": moment, "type": what, **fields}).encode("utf-8", "replace") + b"\n"
        try:
            self._append(line)
        except OSError as error:
            if not self._has_failed:
                self._warn(
                    tr(
                        "the log {place} is not written: {why}",
                        place=self._place,
                        why=reason_of(error),
                    )
                )
            self._has_failed = True

    def _append(self, line: bytes) -> None:
        descriptor = os.open(self._place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)


class RunNotices(Struct, frozen=True):
    """Sends the notices of one account's runs to its targets and the log."""

    command: str
    profile: str | None
    targets: Mapping[str, Target]
    notifier: Notifier
    log: Log | None = None

    def run(
        self,
        results: Sequence[SheetResult],
        code: int,
        stopped: FeedtoolError | None = None,
        seller: str | None = None,
    ) -> None:
        """Send the summary of a run in the background."""
        if self.log:
            for result in results:
                self.log.write("summary", **summary_fields(result))
        if self.targets:
            files = [notice_fields(result) for result in results]
            self._send("run", code, seller, stopped=stopped_fields(stopped), files=files)

    def refused(self, file: str, error: FeedtoolError, seller: str | None = None) -> None:
        """Send the reason why a file of a watched folder is refused."""
        self._send("refused", error.exit, seller, file=file, error=stopped_fields(error))

    def on_event(self, event: Any) -> None:
        """Log how far a package is."""
        if self.log:
            names = {"path": "file", "package_id": "packageId"}
            fields = {names.get(name, name): value for name, value in event._asdict().items()}
            self.log.write("progress", **fields)

    def _send(self, event: str, code: int, seller: str | None, **more: Any) -> None:
        """Send a notice; its fields contain no secrets."""
        fields = {
            "event": event,
            "at": CONSOLE.clock.now().isoformat(timespec="seconds"),
            "command": self.command,
            "tool": f"feedtool {__version__}",
            "profile": self.profile,
            "seller": seller or None,
            "exitCode": int(code),
            **more,
        }
        self.notifier.send(self.targets, as_body(fields))


@contextmanager
def run_notices(command: str, profile: str | None, notifying: Notifying) -> Iterator[RunNotices]:
    """The notices to the options' targets; UsageProblem for a target that is invalid.

    At the end it waits for them, at most the seconds of `--notify-wait`.
    """
    warn = partial(echo, "warning")
    log = None
    if notifying.log:  # it also gets the lines on stderr until the end
        log = Log(notifying.log, warn)
        log.write("started", command=command, profile=profile, pid=os.getpid())
        CONSOLE.listeners.append(
            (
                lambda label, text: log.write("said", label=label, text=text),
                lambda code: log.write("ended", exitCode=code),
            )
        )
    notifier = Notifier(warn)
    try:
        targets = targets_of(notifying.hook, notifying.webhook)
        yield RunNotices(command, profile, targets, notifier, log)
    finally:
        notifier.close(notifying.notify_wait)
