"""`--hook`, `--webhook` and `--log`: who is told what came of a run, and where it is written."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from click.core import ParameterSource

from feedtool.cli import options
from feedtool.cli.errors import say
from feedtool.cli.log import Log, logged
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.report.notice import Occasion, refusal_notice, run_notice
from feedtool.report.outcome import Outcome
from feedtool.runs.notify import TIMEOUTS, Around, Notifier, Target, as_body, targets_of

if TYPE_CHECKING:
    import click

    from feedtool.model.call import Reply


@dataclass(frozen=True, slots=True)
class Office:
    """Who is told of the runs of one account."""

    command: str
    profile: str | None
    targets: Mapping[str, Target]
    notifier: Notifier
    log: Log | None = None

    def run(
        self,
        outcomes: Sequence[Outcome],
        code: int,
        stopped: FeedtoolError | None = None,
        seller: str | None = None,
    ) -> None:
        """Tell what came of a run; returns at once."""
        if self.log:
            self.log.summaries(outcomes)
        if self.targets:
            notice = run_notice(self._occasion(seller), outcomes, Exit(code), stopped)
            self.notifier.tell(self.targets, as_body(notice))

    def refused(self, file: str, error: FeedtoolError, seller: str | None = None) -> None:
        """Tell of a file that is not sent."""
        if self.targets:
            notice = refusal_notice(self._occasion(seller), file, error)
            self.notifier.tell(self.targets, as_body(notice))

    def on_event(self, event: Any) -> None:
        """How far a package is: only the log is told."""
        if self.log:
            self.log.event(event)

    def _occasion(self, seller: str | None) -> Occasion:
        return Occasion(self.command, self.profile, seller or None, now())


@contextmanager
def office(command: str, given: Mapping[str, Any]) -> Iterator[Office]:
    """Who is told, by the options; at the end there is a wait with a bound.

    Raises:
        UsageProblem: What is named can never be told, or the log cannot be written.
    """
    with (
        logged(given["log"], command, given["profile"], now) as log,
        notifying(given["notify_wait"]) as notifier,
    ):
        yield Office(command, given["profile"], told_by(given), notifier, log)


@contextmanager
def notifying(within: float) -> Iterator[Notifier]:
    """Whoever is told is told in the background, and waited for at the end."""
    notifier = Notifier(Around(random.random), lambda text: say("warning", text))
    try:
        yield notifier
    finally:
        notifier.close(within)


def told_by(given: Mapping[str, Any]) -> dict[str, Target]:
    """Whom the options name. UsageProblem for what cannot be."""
    return targets_of(given["hook"], given["webhook"], _post)


def named_for(ctx: "click.Context", profile: str | None) -> dict[str, Any]:
    """Whom a profile names that the command line did not choose."""
    account = options.chosen(ctx).config.profiles.get(profile or "")
    strong = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    return {
        name: account.account[name]
        if account and name in account.account and ctx.get_parameter_source(name) not in strong
        else ctx.params.get(name)
        for name in ("hook", "webhook")
    }


def _post(url: str, body: bytes) -> "Reply":
    from feedtool.service.client import post_json

    return post_json(url, body, TIMEOUTS)


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


OnEvent = Callable[[Any], None]


def both(one: OnEvent, other: OnEvent) -> OnEvent:
    """Tells two."""

    def tell(event: Any) -> None:
        one(event)
        other(event)

    return tell
