"""Old runs go from the ledger, and from the snapshots, with all that nothing needs any more."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from time import perf_counter
from typing import NamedTuple, TextIO, TypeVar

from msgspec import Struct

from feedtool.areas.offers.changes.projection import project
from feedtool.areas.registry import load
from feedtool.feeds.delivery import Submitted
from feedtool.feeds.direct import Direct
from feedtool.ledger.forgetting import ROWS_AT_ONCE, RUNS_AT_ONCE, Forgetting
from feedtool.ledger.lock import Held, hold
from feedtool.ledger.old_runs import KeepReason, OldRuns, find_old_runs, parts_of
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import MessageText, Translator, tr
from feedtool.report.as_json import Fields, write_lines
from feedtool.runs.sellers import seller_name, write_table
from feedtool.runs.workspace import Workspace, unfinished

T = TypeVar("T")

LEAST = timedelta(days=7)
"""For so long runs are needed: the service has results for 3 days, the same content is refused."""
IN_USE = timedelta(days=1)
"""A snapshot that was kept in this time may be of a run that is about to begin."""
FORGET = "forget"
"""The command, and what its lock is named by: one at a time forgets runs of a ledger."""
HEADINGS = (tr("Seller"), tr("Runs"), tr("Rows"), tr("Oldest"), tr("Newest"), tr("Stays"))
STAYS = {
    KeepReason.OPEN: tr("it is not finished"),
    KeepReason.HELD: tr("guards hold rows of it"),
    KeepReason.UNDELIVERED: tr("its file or its answers are not at their place yet"),
}


class Forgotten(NamedTuple):
    """What was forgotten, or would be."""

    sellers: Sequence[OldRuns]
    snapshots: int
    """Those that were deleted; before, those that no other run needs."""

    @property
    def runs(self) -> int:
        """The number of runs."""
        return sum(len(of.runs) for of in self.sellers)

    @property
    def rows(self) -> int:
        """The number of requests that they have sent."""
        return sum(of.rows for of in self.sellers)


class ForgettingPace(Struct, frozen=True):
    """The way to go on for long without being in anybody's way."""

    sleep: Callable[[float], None]
    stopping: Callable[[], FeedtoolError | None] = lambda: None
    rows: int = ROWS_AT_ONCE
    """Rows that are removed in a transaction."""

    def step(self, work: Callable[[], T]) -> T:
        """Do a piece of work, then leave the ledger to others for as long as that took.

        Raises what stops it, before it begins.
        """
        if reason := self.stopping():
            raise reason
        begun = perf_counter()
        done = work()
        self.sleep(perf_counter() - begun)
        return done


def remembered_types() -> frozenset[str]:
    """The package types of which every later request is compared with the earlier ones."""
    routes = load().routes.items()
    return frozenset(name for name, feed in routes if _is_remembered(feed.travel.protocol))


def _is_remembered(delivery: object) -> bool:
    if isinstance(delivery, Direct):
        return bool(delivery.again or delivery.doubt)
    return isinstance(delivery, Submitted) and bool(delivery.replaces)


def refuse_young(older_than: timedelta) -> None:
    """Raises UsageProblem for runs that are too young to be forgotten."""
    if older_than < LEAST:
        raise UsageProblem(
            tr("runs are kept for at least {days} days", days=LEAST.days),
            tr(
                "until then their answers may still come, and the same file is known again;"
                " write --older-than {days}d, or more",
                days=LEAST.days,
            ),
        )


def to_forget(workspace: Workspace, before: datetime) -> Forgotten:
    """What would be forgotten of the runs that began before a time. Nothing is changed."""
    found = _find(workspace, before)
    forgetting = Forgetting(workspace.ledger.engine, remembered_types())
    return Forgotten(found, len(forgetting.snapshots(_runs_of(found))))


def forget(
    workspace: Workspace,
    before: datetime,
    now: datetime,
    pace: ForgettingPace,
    *,
    keep_counts: bool,
) -> Forgotten:
    """Forget the runs that began before a time, as far as nothing needs them.

    It may end at any moment, and goes on when it is called again. With `keep_counts` it stays known
    how many rows had which result. Raises what stops it.
    """
    engine = workspace.ledger.engine
    with ExitStack() as stack:
        try:
            stack.enter_context(hold(engine, "", FORGET, command=FORGET, now=now))
        except Held as held:
            raise UsageProblem(
                tr(
                    "old runs are being forgotten already, by {holder}",
                    holder=held.holder or tr("another process"),
                ),
                tr("wait until it is done, or end it"),
            ) from held
        found = _find(workspace, before)
        deleted = _forget(workspace, _runs_of(found), now, pace, keep_counts=keep_counts)
        Forgetting(engine, ()).remove_others(before, keep_counts=keep_counts)
    return Forgotten(found, deleted)


def _forget(
    workspace: Workspace,
    found: Sequence[int],
    now: datetime,
    pace: ForgettingPace,
    *,
    keep_counts: bool,
) -> int:
    """Forget some runs; how many snapshots were deleted."""
    ledger, begun = workspace.ledger, list[int]()
    forgetting = Forgetting(ledger.engine, remembered_types())
    for account in forgetting.accounts(found):
        project(ledger.engine, *account)  # what was accepted of them stays known
    for runs in parts_of(found, RUNS_AT_ONCE):
        if keep_counts:
            ledger.counts.of(runs)
        begun += pace.step(partial(forgetting.begin, runs, now))
    for runs in parts_of(begun, RUNS_AT_ONCE):
        while pace.step(partial(forgetting.remove, runs, pace.rows)):
            pass
    digests = sorted(forgetting.snapshots(begun))
    discard = partial(workspace.snapshots.discard, since=now - IN_USE)
    deleted = sum(pace.step(partial(discard, digest)) for digest in digests)
    for runs in parts_of(begun, RUNS_AT_ONCE):
        pace.step(partial(forgetting.end, runs, keep_counts=keep_counts))
    return deleted


def _find(workspace: Workspace, before: datetime) -> list[OldRuns]:
    return find_old_runs(workspace.ledger.engine, before, unfinished(workspace))


def _runs_of(found: Iterable[OldRuns]) -> list[int]:
    return [run for of in found for run in of.runs]


# As it is shown.


def write_forgotten(forgotten: Forgotten, out: TextIO, form: str, say: Translator) -> None:
    """A table with a line for each seller; or JSON, one object with them."""
    if form != "text":
        write_lines([_fields(forgotten)], out)
        return
    write_table(HEADINGS, map(_texts, forgotten.sellers), out, say)


def _texts(of: OldRuns) -> tuple[MessageText | str, ...]:
    return (
        seller_name(of.profile, of.key),
        tr("{runs:,}", runs=len(of.runs)),
        tr("{rows:,}", rows=of.rows),
        f"{of.first:%Y-%m-%d}" if of.first else "",
        f"{of.last:%Y-%m-%d}" if of.last else "",
        _why_it_stays(of),
    )


def _why_it_stays(of: OldRuns) -> MessageText | str:
    if of.stays is None:
        return ""
    run, reason = of.stays
    return tr("from run {run} on: {reason}", run=run, reason=STAYS[reason])


def _fields(forgotten: Forgotten) -> Fields:
    return {
        "runs": forgotten.runs,
        "rows": forgotten.rows,
        "snapshots": forgotten.snapshots,
        "sellers": [
            {
                "seller": of.key[1],
                "service": of.key[0],
                "profile": of.profile or None,
                "runs": [str(run) for run in of.runs],
                "rows": of.rows,
                "from": of.first and of.first.isoformat(),
                "to": of.last and of.last.isoformat(),
                "stays": of.stays and {"run": str(of.stays[0]), "reason": str(of.stays[1])},
            }
            for of in forgotten.sellers
        ],
    }
