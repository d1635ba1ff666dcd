"""Forget old runs: remove them from the ledger, with the snapshots that no other run needs."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from time import perf_counter
from typing import NamedTuple, TextIO, TypeVar

from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.feeds.delivery import Submitted
from feedtool.feeds.direct import Direct
from feedtool.ledger.forgetting import (
    ROWS_AT_ONCE,
    RUNS_AT_ONCE,
    Forgetting,
    KeepReason,
    OldRuns,
    find_old_runs,
    parts_of,
)
from feedtool.ledger.lock import Held, hold
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import MessageText, Translator, tr
from feedtool.report.as_json import Fields, write_lines
from feedtool.runs.sellers import seller_name, write_table
from feedtool.runs.workspace import Workspace, unfinished

_T = TypeVar("_T")

LEAST = timedelta(days=7)
"""Younger runs are needed: the service has results for 3 days, equal content is refused."""
IN_USE = timedelta(days=1)
"""A snapshot that was kept within this time may belong to a run that is about to begin."""
FORGET = "forget"
"""The command, and the name of its lock: only one at a time forgets runs of a ledger."""
HEADINGS = (tr("Seller"), tr("Runs"), tr("Rows"), tr("Oldest"), tr("Newest"), tr("Stays"))
STAYS = {
    KeepReason.OPEN: tr("it is not finished"),
    KeepReason.HELD: tr("guards hold rows of it"),
    KeepReason.UNDELIVERED: tr("its file or its answers are not at their place yet"),
}


class Forgotten(NamedTuple):
    """The runs that were forgotten, or would be."""

    sellers: Sequence[OldRuns]
    snapshots: int
    """The number of deleted snapshots; before forgetting, of those that no other run needs."""

    @property
    def runs(self) -> int:
        return sum(len(old.runs) for old in self.sellers)

    @property
    def rows(self) -> int:
        """The number of requests that the runs sent."""
        return sum(old.rows for old in self.sellers)


class ForgettingPace(Struct, frozen=True):
    """The pace of a long removal that leaves the ledger to others."""

    sleep: Callable[[float], None]
    stopping: Callable[[], FeedtoolError | None] = lambda: None
    rows: int = ROWS_AT_ONCE
    """The number of rows that are removed in a transaction."""

    def step(self, work: Callable[[], _T]) -> _T:
        """Do a piece of work, then leave the ledger to others for the same time.

        Raise the error of `stopping` before the work.
        """
        if reason := self.stopping():
            raise reason
        begun = perf_counter()
        done = work()
        self.sleep(perf_counter() - begun)
        return done


def remembered_types() -> frozenset[str]:
    """Return the package types whose later requests are all compared with earlier ones."""
    routes = load().routes.items()
    return frozenset(name for name, feed in routes if _is_remembered(feed.travel.protocol))


def _is_remembered(delivery: object) -> bool:
    if isinstance(delivery, Direct):
        return bool(delivery.again or delivery.doubt)
    return isinstance(delivery, Submitted) and bool(delivery.replaces)


def refuse_young(older_than: timedelta) -> None:
    """Raise UsageProblem for runs that are too young to be forgotten."""
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
    """Return the runs before a time that would be forgotten. Nothing is changed."""
    old_runs = _find(workspace, before)
    forgetting = Forgetting(workspace.ledger.engine, remembered_types())
    return Forgotten(old_runs, len(forgetting.snapshots(_runs_of(old_runs))))


def forget(
    workspace: Workspace,
    before: datetime,
    now: datetime,
    pace: ForgettingPace,
    *,
    keep_counts: bool,
) -> Forgotten:
    """Forget the runs that began before a time, if nothing needs them.

    It may be stopped at any moment, and continues at the next call. With `keep_counts` the number
    of rows by result stays known. Errors: UsageProblem if it runs already, and that of `stopping`.
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
        old_runs = _find(workspace, before)
        deleted = _forget(workspace, _runs_of(old_runs), now, pace, keep_counts=keep_counts)
        Forgetting(engine, ()).remove_others(before, keep_counts=keep_counts)
    return Forgotten(old_runs, deleted)


def _forget(
    workspace: Workspace,
    run_ids: Sequence[int],
    now: datetime,
    pace: ForgettingPace,
    *,
    keep_counts: bool,
) -> int:
    """Forget some runs, and return the number of deleted snapshots."""
    ledger, begun = workspace.ledger, list[int]()
    forgetting = Forgetting(ledger.engine, remembered_types())
    for account in forgetting.accounts(run_ids):
        load().memory.project(ledger.engine, *account)  # so their accepted rows stay known
    for runs in parts_of(run_ids, RUNS_AT_ONCE):
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


def _runs_of(old_runs: Iterable[OldRuns]) -> list[int]:
    return [run for old in old_runs for run in old.runs]


# The report.


def write_forgotten(forgotten: Forgotten, out: TextIO, form: str, say: Translator) -> None:
    """Write a table with a line for each seller; or JSON, one object."""
    if form != "text":
        write_lines([_fields(forgotten)], out)
        return
    write_table(HEADINGS, map(_texts, forgotten.sellers), out, say)


def _texts(old: OldRuns) -> tuple[MessageText | str, ...]:
    stays: MessageText | str = ""
    if old.stays:
        run, reason = old.stays
        stays = tr("from run {run} on: {reason}", run=run, reason=STAYS[reason])
    return (
        seller_name(old.profile, old.key),
        tr("{runs:,}", runs=len(old.runs)),
        tr("{rows:,}", rows=old.rows),
        f"{old.first:%Y-%m-%d}" if old.first else "",
        f"{old.last:%Y-%m-%d}" if old.last else "",
        stays,
    )


def _fields(forgotten: Forgotten) -> Fields:
    return {
        "runs": forgotten.runs,
        "rows": forgotten.rows,
        "snapshots": forgotten.snapshots,
        "sellers": [
            {
                "seller": old.key[1],
                "service": old.key[0],
                "profile": old.profile or None,
                "runs": [str(run) for run in old.runs],
                "rows": old.rows,
                "from": old.first and old.first.isoformat(),
                "to": old.last and old.last.isoformat(),
                "stays": old.stays and {"run": str(old.stays[0]), "reason": str(old.stays[1])},
            }
            for old in forgotten.sellers
        ],
    }
