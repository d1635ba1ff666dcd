"""What a delivery tells while it is under way, kept until it is in the ledger."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from feedtool.delivery.deadlines import Clock, soon
from feedtool.delivery.steps import READ_REPORTS, Step
from feedtool.feeds.delivery import Direct, Routes
from feedtool.ledger import Package, Phase, Stage
from feedtool.service.answers import AnswerKind
from feedtool.service.fetch import unreachable


class Event(NamedTuple):
    """Something happened to a package; `text` says it all on one line."""

    kind: str
    """created, upload, state, committed, results, closed, waiting, deadline, trouble, or
    unreachable: the first of several calls in a row that never left."""
    text: str
    path: str
    """The file, as it was named."""
    package: int
    """Its number within the file, 1-based."""
    package_id: str | None
    state: str | None
    """The last that the service said."""
    done: int
    """Uploads answered; from kind `results` on, rows that have a result."""
    total: int
    """Uploads, or rows."""


KIND_OF_STEP = {
    Step.CREATE: "created",
    Step.UPLOAD: "upload",
    Step.GET_PACKAGE: "state",
    Step.COMMIT: "committed",
    Step.GET_RESULTS: "results",
    Step.CLOSE: "closed",
    Step.LOOKUP: "results",
    Step.SUBMIT: "committed",
    Step.FIND_REPORT: "state",
    Step.GET_REPORT: "results",
    Step.GET_LOG: "results",
    Step.CHECK: "state",
    Step.CALL: "committed",
    Step.CONFIRM: "state",
    Step.FOLLOW: "state",
}


@dataclass
class EventBuffer:
    """The events that are not told yet, and what they tell of."""

    on_event: Callable[[Event], None]
    paths: Mapping[int, str]
    """Of the run's files, by key."""
    failures: int
    """So many calls in a row without an answer end the run."""
    routes: Routes
    results: Counter[int] = field(default_factory=Counter)
    """Rows that have a result, by package."""
    events: list[Event] = field(default_factory=list)
    warned: set[str] = field(default_factory=set)
    """The deadlines that were warned of."""

    def answer(
        self,
        step: Step,
        kind: AnswerKind,
        detail: str,
        before: Package,
        after: Package,
        now: datetime,
    ) -> None:
        """Add what an answer came to; `now` by our clock."""
        if kind is AnswerKind.NOT_SENT and before.failures < after.failures == 1:
            self._add("unreachable", unreachable(detail, now, self.failures), after)
        elif (step, kind) == (Step.COMMIT, AnswerKind.REFUSED):
            self._add("waiting", "its uploads are still settling", after)
        elif kind is not AnswerKind.DONE:
            what = "waiting" if kind is AnswerKind.WAIT else "trouble"
            self._add(what, f"{step}: {kind}: {detail}", after)
        elif after.phase is Phase.CLOSED:
            self._add("closed", self._end(after), after)
        elif _is_news(step, before, after):
            self._add(KIND_OF_STEP[step], _describe(step, after, self.results[after.key]), after)

    def rest(self, until: datetime, package: Package) -> None:
        """Add that a quota is used up: nothing of its kind is sent for a while."""
        text = f"a quota is used up, nothing more is sent before {until:%H:%M} UTC"
        self._add("waiting", text, package)

    def held(self, package: Package, noun: str) -> None:
        """Add that what its offers need has had no answer yet."""
        self._add("waiting", f"held back until its offers' {noun}s are answered", package)

    def deadlines(self, packages: Iterable[Package], clock: Clock) -> None:
        """Add, once, what is lost before long: whoever reads it may see to the service."""
        for package in packages:
            what = soon(package, clock, self.routes)
            text = f"{package.package_id}: {what}"
            if what and text not in self.warned:
                self.warned.add(text)
                self._add("deadline", text, package)

    def flush(self) -> None:
        """Tell the events: what they are of is in the ledger."""
        events, self.events = self.events, []
        for event in events:
            self.on_event(event)

    def _add(self, kind: str, text: str, package: Package) -> None:
        results, path = self.results[package.key], self.paths.get(package.file, "")
        is_filled = package.phase in {Phase.PLANNED, Phase.CREATING, Phase.FILLING, Phase.PROBING}
        counts_uploads = is_filled or kind == "upload"
        what = ", ".join(filter(None, (package.package_type, package.channel)))
        event = Event(
            kind=kind,
            text=f"package {package.number} ({what}): {text}",
            path=path,
            package=package.number,
            package_id=package.package_id,
            state=package.state,
            done=_sent(package) if counts_uploads else results,
            total=len(package.uploads) if counts_uploads else package.rows,
        )
        self.events.append(event)

    def _end(self, package: Package) -> str:
        route = self.routes[package.package_type]
        has_no_state = route.has_log and package.package_id is None
        if route.has_reports or has_no_state or isinstance(route.protocol, Direct):
            return f"closed: results of {self.results[package.key]} of {package.rows} rows"
        reason = f": {package.message.text}" if package.message else ""
        return f"closed as {package.state}{reason}"


def _describe(step: Step, package: Package, results: int) -> str:
    says = f"the service says {package.state}"
    found = f"results of {results} of {package.rows} rows"
    texts = {
        Step.CREATE: f"created as {package.package_id}",
        Step.UPLOAD: f"upload {_sent(package)} of {len(package.uploads)}",
        Step.GET_PACKAGE: says,
        Step.COMMIT: "committed",
        Step.GET_RESULTS: found,
        Step.CLOSE: "looking again: some results are missing",
        Step.LOOKUP: "looking up the offers of rows without a result",
        Step.SUBMIT: f"submitted as {package.package_id}",
        Step.FIND_REPORT: "no report names it: it is sent once more"
        if package.package_id is None
        else f"its report was found: {package.package_id}",
        Step.GET_REPORT: found,
        Step.GET_LOG: says if package.phase is Phase.SUBMITTED else found,
        Step.CHECK: "it can be sent",
        Step.CALL: "sent",
        Step.CONFIRM: "its effect does not show: it is sent once more",
        Step.FOLLOW: says,
    }
    return texts[step]


def _is_news(step: Step, before: Package, after: Package) -> bool:
    """Whether what was looked at has come on."""
    if step in READ_REPORTS:
        return (before.phase, before.since) != (after.phase, after.since)
    if step is Step.GET_LOG:
        return before.state != after.state or after.phase is not Phase.SUBMITTED
    if step in {Step.CHECK, Step.CONFIRM}:
        return before.phase is not after.phase
    return step not in {Step.GET_PACKAGE, Step.FOLLOW} or before.state != after.state


def _sent(package: Package) -> int:
    return len(package.uploads) - package.staged(Stage.PLANNED) - package.staged(Stage.SENDING)
