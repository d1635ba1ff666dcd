"""Hold requests that guards of areas name, until a release; find those that change nothing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from feedtool.areas.offers.changes.selection import SelectionOptions
from feedtool.areas.registry import load
from feedtool.check.rewritten_references import REFERENCE_REWRITTEN
from feedtool.feeds.delivery import Submitted
from feedtool.feeds.direct import Direct
from feedtool.feeds.rule import guard_issue, held_message
from feedtool.model.nouns import Issue, Item, RowResult, Status
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import Spool
from feedtool.model.text import tr

SentBefore = Callable[[Item], int | None]
"""Returns the run in which the same request was sent, or None."""
DoubtfulBefore = Callable[[Item], int | None]
"""Returns the run of the last request of a reference, if its outcome is Unknown."""
KnownReferences = Callable[[Iterable[str]], set[str]]
"""Returns the references that were sent before."""
TakenBefore = Callable[[Item], tuple[int, str] | None]
"""Returns the last run in which a request of a reference was taken, and its product."""


def hold_guarded(
    sheets: Sequence[CheckedSheet],
    options: SelectionOptions,
    sent_before: SentBefore = lambda _: None,
    taken_before: TakenBefore = lambda _: None,
    doubtful_before: DoubtfulBefore = lambda _: None,
    known_references: KnownReferences = lambda _: set(),
) -> list[CheckedSheet]:
    """Hold rows in the sheets whose feeds have guards; return the other sheets.

    A request goes with all of its rows, or with none. One that was taken unchanged is left out only
    with `changed_only`, since sending it again does no harm. A reference that was sent before is
    the seller's, even if it looks rewritten.
    """
    others = []
    for sheet in sheets:
        feed = load().feeds.get(sheet.kind or "")
        protocol = feed.travel.protocol if feed and not sheet.error else None
        is_whole = isinstance(protocol, Direct) or (
            isinstance(protocol, Submitted) and protocol.replaces is not None
        )
        if is_whole or sheet.rows.guarded:
            _hold(sheet, options, sent_before, taken_before, doubtful_before, known_references)
        if not is_whole:
            others.append(sheet)
    return others


def _issues_of_earlier(
    protocol: Direct[Any], item: Item, sent_before: SentBefore, doubtful: DoubtfulBefore
) -> Iterator[Issue]:
    """Yield the reasons to hold a request because of earlier requests."""
    if protocol.again and (run := sent_before(item)):
        yield guard_issue(protocol.again, tr("the same was sent in run {run}", run=run))
    if protocol.doubt and (run := doubtful(item)):
        message = tr("it is not known what became of the one that run {run} sent", run=run)
        yield guard_issue(protocol.doubt, message)


def _hold(
    sheet: CheckedSheet,
    options: SelectionOptions,
    sent_before: SentBefore,
    taken: TakenBefore,
    doubtful: DoubtfulBefore,
    known_references: KnownReferences,
) -> None:
    by_row: dict[int, list[Issue]] = {}
    for row, issue in sheet.rows.guarded:
        by_row.setdefault(row, []).append(issue)
    rewritten = {row for row, issue in sheet.rows.guarded if issue.code is REFERENCE_REWRITTEN}
    names = {item.reference for item in sheet.valid_items() if item.row in rewritten}
    known = known_references(names) if names else set()
    if names and names <= known:  # then the problem is not reported either
        sheet.rows.problems_by_source = [
            problems
            for problems in sheet.rows.problems_by_source
            if {problem.code for problem in islice(problems, 2)} != {REFERENCE_REWRITTEN.name}
        ]
    sent, withheld = Spool(Item), dict[tuple[int, str], RowResult]()
    for item in sheet.valid_items():
        rows = (item.row, *item.further_rows)
        issues = [
            issue
            for row in rows
            for issue in by_row.get(row, ())
            if issue.code is not REFERENCE_REWRITTEN or item.reference not in known
        ]
        is_unchanged = False
        protocol = load().routes[item.package_type].travel.protocol
        if isinstance(protocol, Direct):
            issues += _issues_of_earlier(protocol, item, sent_before, doubtful)
        elif isinstance(protocol, Submitted) and protocol.replaces and (earlier := taken(item)):
            run, product = earlier
            is_unchanged = product == item.product and options.changed_only
            if product != item.product:
                message = tr("it replaces another one, which was taken in run {run}", run=run)
                issues.append(guard_issue(protocol.replaces, message))
        messages = dict.fromkeys(
            held_message(issue) for issue in issues if not options.releases(issue.code.name)
        )
        if messages or is_unchanged:
            status = Status.HELD if messages else Status.UNCHANGED
            result = RowResult(0, item.reference, status, (*messages,), item.channel)
            for row in rows:  # several requests of a row are withheld for one reason
                withheld.setdefault((row, item.channel), result._replace(row=row))
        else:
            sent.append(item)
    if withheld:
        results = Spool(RowResult)
        results.extend([withheld[key] for key in sorted(withheld)], 0)
        sheet.selected.held = sum(result.status is Status.HELD for result in withheld.values())
        sheet.selected.withhold(sent, results)
