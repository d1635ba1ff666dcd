"""Events of a delivery, held back until their causes are in the ledger."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.delivery.deadlines import ServiceClock, soon
from feedtool.delivery.steps import READ_REPORTS, Step
from feedtool.feeds.direct import Direct
from feedtool.feeds.feed import Routes
from feedtool.ledger import Package, Phase, Stage
from feedtool.model.text import MessageText, joined, tr
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import Answer
from feedtool.service.fetch import unreachable


class Event(NamedTuple):
    """A change of a package; `text` describes it on one line."""

    kind: str
    """created, upload, state, committed, results, closed, waiting, deadline, trouble, or
    unreachable: the first of several calls in a row that never left."""
    text: str
    path: str
    package: int
    """Its number within the file, 1-based."""
    package_id: str | None
    state: str | None
    """The service's last state of the package."""
    done: int
    """Answered uploads; from kind `results` on, rows with a result."""
    total: int
    """Uploads, or rows."""


class EventBuffer(Struct):
    """The events that are not passed on yet, and their counts."""

    on_event: Callable[[Event], None]
    paths: Mapping[int, str]
    """The paths of the run's files, by key."""
    failures: int
    """Calls in a row without an answer that end the run."""
    routes: Routes
    results: Counter[int] = field(default_factory=Counter)
    """The number of rows with a result, by package."""
    events: list[Event] = field(default_factory=list)
    warned: set[str] = field(default_factory=set)
    """The texts of deadlines that have had their warning."""

    def answer(
        self, step: Step, answer: Answer, before: Package, after: Package, now: datetime
    ) -> None:
        """Add the event of an answer; `now` is local time."""
        kind, detail = answer.kind, answer.detail
        if kind is AnswerKind.NOT_SENT and before.failures < after.failures == 1:
            self._add("unreachable", unreachable(detail, now, self.failures), after)
        elif (step, kind) == (Step.COMMIT, AnswerKind.REFUSED):
            self._add("waiting", tr("its uploads are still settling"), after)
        elif kind is not AnswerKind.DONE:
            what = "waiting" if kind is AnswerKind.WAIT else "trouble"
            words = (MessageText((str(word),)) for word in (step, kind))
            self._add(what, joined((*words, detail), ": "), after)
        elif after.phase is Phase.CLOSED:
            self._add("closed", self._end(after), after)
        elif _is_news(step, before, after):
            self._add(*_describe(step, after, self.results[after.key]), after)

    def quota_used_up(self, until: datetime, package: Package) -> None:
        """Add that a quota is used up: no such package is sent for a while."""
        text = tr("a quota is used up, nothing more is sent before {until:%H:%M} UTC", until=until)
        self._add("waiting", text, package)

    def held(self, package: Package) -> None:
        text = tr("held back until its offers' products are answered")
        self._add("waiting", text, package)

    def deadlines(self, packages: Iterable[Package], clock: ServiceClock) -> None:
        """Add a warning of each near loss, once, so that people can react."""
        for package in packages:
            if loss := soon(package, clock, self.routes):
                text = joined((package.package_id, loss), ": ")
                if text not in self.warned:
                    self.warned.add(text)
                    self._add("deadline", text, package)

    def flush(self) -> None:
        """Pass the events on, now that their causes are in the ledger."""
        events, self.events = self.events, []
        for event in events:
            self.on_event(event)

    def _add(self, kind: str, text: str, package: Package) -> None:
        filling = {Phase.PLANNED, Phase.CREATING, Phase.FILLING, Phase.PROBING}
        counts_uploads = package.phase in filling or kind == "upload"
        what = joined(filter(None, (package.package_type, package.channel)))
        self.events.append(
            Event(
                kind=kind,
                text=tr(
                    "package {number} ({what}): {text}",
                    number=package.number,
                    what=what,
                    text=text,
                ),
                path=self.paths.get(package.file, ""),
                package=package.number,
                package_id=package.package_id,
                state=package.state,
                done=_sent(package) if counts_uploads else self.results[package.key],
                total=len(package.uploads) if counts_uploads else package.rows,
            )
        )

    def _end(self, package: Package) -> str:
        travel = self.routes[package.package_type].travel
        has_no_state = travel.has_log and package.package_id is None
        is_direct = isinstance(travel.protocol, Direct)
        if travel.has_reports or has_no_state or is_direct:
            # A single request may have several rows.
            numbers = {"results": self.results[package.key], "rows": package.rows}
            if is_direct:
                return tr("closed: results of {results} of {rows} requests", **numbers)
            return tr("closed: results of {results} of {rows} rows", **numbers)
        closed = tr("closed as {state}", state=package.state)
        return joined((closed, package.message.text), ": ") if package.message else closed


def _describe(step: Step, package: Package, results: int) -> tuple[str, str]:
    """The kind and the text of a step's event."""
    state = tr("the service says {state}", state=package.state)
    count = tr("results of {results} of {rows} rows", results=results, rows=package.rows)
    report_found = tr("its report was found: {package_id}", package_id=package.package_id)
    report = report_found if package.package_id else tr("no report names it: it is sent once more")
    texts = {
        Step.CREATE: ("created", tr("created as {package_id}", package_id=package.package_id)),
        Step.UPLOAD: (
            "upload",
            tr("upload {sent} of {uploads}", sent=_sent(package), uploads=len(package.uploads)),
        ),
        Step.GET_PACKAGE: ("state", state),
        Step.COMMIT: ("committed", tr("committed")),
        Step.GET_RESULTS: ("results", count),
        Step.CLOSE: ("closed", tr("looking again: some results are missing")),
        Step.LOOKUP: ("results", tr("looking up the offers of rows without a result")),
        Step.SUBMIT: ("committed", tr("submitted as {package_id}", package_id=package.package_id)),
        Step.FIND_REPORT: ("state", report),
        Step.GET_REPORT: ("results", count),
        Step.GET_LOG: ("results", state if package.phase is Phase.SUBMITTED else count),
        Step.CHECK: ("state", tr("it can be sent")),
        Step.CALL: ("committed", tr("sent")),
        Step.CONFIRM: ("state", tr("its effect does not show: it is sent once more")),
        Step.FOLLOW: ("state", state),
    }
    return texts[step]


def _is_news(step: Step, before: Package, after: Package) -> bool:
    """True if the package has made progress."""
    if step in READ_REPORTS:
        return (before.phase, before.since) != (after.phase, after.since)
    if step is Step.GET_LOG:
        return before.state != after.state or after.phase is not Phase.SUBMITTED
    if step in {Step.CHECK, Step.CONFIRM}:
        return before.phase is not after.phase
    return step not in {Step.GET_PACKAGE, Step.FOLLOW} or before.state != after.state


def _sent(package: Package) -> int:
    return len(package.uploads) - package.staged(Stage.PLANNED) - package.staged(Stage.SENDING)
