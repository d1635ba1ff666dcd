"""Which single requests are held back: those of rows that a guard names, until it is released."""

from collections.abc import Callable, Collection, Sequence

from feedtool.areas.registry import load
from feedtool.feeds.direct import Direct
from feedtool.model.nouns import Code, Issue, Item, Message, RowResult, Severity, Status
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import Spool
from feedtool.model.text import tr

SentBefore = Callable[[Item], int | None]
"""Gives the run in which the same request was sent; None where it never was."""


TakenBefore = Callable[[Item], tuple[int, str] | None]
"""Gives the last run in which another request of a reference was taken, and its product."""


def hold_single_requests(
    sheets: Sequence[CheckedSheet],
    released: Collection[str],
    sent_before: SentBefore = lambda _: None,
) -> list[CheckedSheet]:
    """Hold what guards name in sheets whose requests are single calls; returns the other sheets."""
    others = []
    for sheet in sheets:
        if sheet.error or not load().is_single(sheet.kind):
            others.append(sheet)
        else:
            _hold(sheet, released, sent_before)
    return others


def _hold(sheet: CheckedSheet, released: Collection[str], sent_before: SentBefore) -> None:
    """A request goes with all of its rows, or with none."""
    by_row: dict[int, list[Issue]] = {}
    for row, issue in sheet.guarded:
        by_row.setdefault(row, []).append(issue)
    sent, held = Spool(Item), list[RowResult]()
    for item in sheet.valid_items():
        rows = (item.row, *item.further_rows)
        issues = [issue for row in rows for issue in by_row.get(row, ())]
        if (again := _again(item)) and (run := sent_before(item)):
            issues.append(_sent_again(again, run))
        messages = dict.fromkeys(
            _message(issue) for issue in issues if issue.code.name not in released
        )
        if messages:
            result = RowResult(0, item.reference, Status.HELD, (*messages,), item.channel)
            held += [result._replace(row=row) for row in rows]
        else:
            sent.append(item)
    _withhold(sheet, sent, held)


def hold_replacing(
    sheets: Sequence[CheckedSheet],
    released: Collection[str],
    taken_before: TakenBefore,
    *,
    changed_only: bool,
) -> list[CheckedSheet]:
    """Hold requests that replace another one, leave out what was taken just so; the other sheets.

    What was taken just so is left out with `changed_only` alone, since to send it does no harm.
    """
    others = []
    for sheet in sheets:
        feed = load().feeds.get(sheet.kind or "")
        guard = getattr(feed.delivery, "replaces", None) if feed and not sheet.error else None
        if guard is None:
            others.append(sheet)
            continue
        sent, withheld = Spool(Item), list[RowResult]()
        for item in sheet.valid_items():
            run, product = taken_before(item) or (0, item.product)
            result = RowResult(item.row, item.reference, Status.UNCHANGED, (), item.channel)
            if product != item.product and guard.name not in released:
                messages = (_message(_replacing(guard, run)),)
                withheld.append(result._replace(status=Status.HELD, messages=messages))
            elif run and product == item.product and changed_only:
                withheld.append(result)
            else:
                sent.append(item)
        _withhold(sheet, sent, withheld)
    return others


def _withhold(sheet: CheckedSheet, sent: Spool[Item], withheld: Sequence[RowResult]) -> None:
    if withheld:
        sheet.sent, sheet.withheld = sent, Spool(RowResult)
        sheet.held = sum(result.status is Status.HELD for result in withheld)
        sheet.withheld.extend(sorted(withheld, key=lambda result: result.row), 0)


def _again(item: Item) -> Code | None:
    """The guard against a second request of its type, where there is one."""
    delivery = load().routes[item.package_type].delivery
    return delivery.again if isinstance(delivery, Direct) else None


def _sent_again(code: Code, run: int) -> Issue:
    hint = tr("if it is meant: submit it with --release {code}", code=code.name)
    return Issue(code, tr("the same was sent in run {run}", run=run), hint)


def _replacing(code: Code, run: int) -> Issue:
    hint = tr("if it is meant: submit it with --release {code}", code=code.name)
    return Issue(code, tr("it replaces another one, which was taken in run {run}", run=run), hint)


def _message(issue: Issue) -> Message:
    """The message of a row that is held; the cell is marked as one to look at."""
    text = tr("{message} ({hint})", message=issue.message, hint=issue.hint)
    return Message(issue.code.name, text, issue.field or "", Severity.WARNING)
