"""`--hook`, `--webhook` and `--log`, from the options of a command."""

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from feedtool.cli.errors import echo, listen
from feedtool.cli.options import chosen
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.report.as_json import Occasion, refusal_notice, run_notice, summary_fields
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.notify import Log, Notifier, Target, Timing, as_body, targets_of


@dataclass(frozen=True, slots=True)
class RunNotices:
    """Those who hear of the runs of one account."""

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
        """Send the summary of a run; returns at once."""
        if self.log:
            for result in results:
                self.log.write("summary", **summary_fields(result))
        if self.targets:
            self._send(run_notice(self._occasion(seller), results, Exit(code), stopped))

    def refused(self, file: str, error: FeedtoolError, seller: str | None = None) -> None:
        """Send why a file is refused."""
        if self.targets:
            self._send(refusal_notice(self._occasion(seller), file, error))

    def on_event(self, event: Any) -> None:
        """Log how far a package is."""
        if self.log:
            names = {"path": "file", "package_id": "packageId"}
            fields = {names.get(name, name): value for name, value in event._asdict().items()}
            self.log.write("progress", **fields)

    def _send(self, notice: Mapping[str, Any]) -> None:
        self.notifier.send(self.targets, as_body(notice))

    def _occasion(self, seller: str | None) -> Occasion:
        return Occasion(self.command, self.profile, seller or None, _now())


@contextmanager
def run_notices(command: str, given: Mapping[str, Any]) -> Iterator[RunNotices]:
    """Those whom the options name; at the end there is a wait with a bound.

    Raises:
        UsageProblem: A target that can never be reached, or a log that cannot be written.
    """
    profile, warn = given["profile"], partial(echo, "warning")
    log = None
    if given["log"]:  # it also gets the lines on stderr until the end
        log = Log(given["log"], _now, warn)
        log.write("started", command=command, profile=profile, pid=os.getpid())
        listen(
            lambda label, text: log.write("said", label=label, text=text),
            lambda code: log.write("ended", exitCode=code),
        )
    notifier = Notifier(Timing(random.random), warn)
    try:
        yield RunNotices(command, profile, targets_named(given), notifier, log)
    finally:
        notifier.close(given["notify_wait"])


def targets_named(given: Mapping[str, Any]) -> dict[str, Target]:
    """The targets that the options name. UsageProblem for what cannot be."""
    return targets_of(given["hook"], given["webhook"])


def targets_of_profile(ctx: click.Context, profile: str | None) -> dict[str, Target]:
    """The targets that a profile names, where the command line did not choose others."""
    named = chosen(ctx).config.profiles.get(profile or "")
    account = named.account if named else {}
    strong = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    return targets_named(
        {
            name: account[name]
            if name in account and ctx.get_parameter_source(name) not in strong
            else ctx.params.get(name)
            for name in ("hook", "webhook")
        }
    )


def _now() -> datetime:
    return datetime.now(UTC)
