"""Rows of all runs that guards hold, until they are sent anyway, sent corrected, or dropped."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.check.rewritten_references import REFERENCE_REWRITTEN
from feedtool.feeds.delivery import Submitted
from feedtool.feeds.direct import Direct
from feedtool.feeds.rule import guard_issue, held_message
from feedtool.feeds.selection import ChosenRows, ReleasedGuard, SelectionOptions
from feedtool.ledger import Run
from feedtool.ledger.records import ABANDONED
from feedtool.ledger.row_history import HeldCode
from feedtool.model.disk_list import Spool
from feedtool.model.nouns import Issue, Item, RowResult, Status
from feedtool.model.row_ranges import ranges_of
from feedtool.model.settings import Locate
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import tr
from feedtool.runs.kept_recipes import KeptRecipes
from feedtool.runs.workspace import Workspace, options_of


class HeldSheet(NamedTuple):
    """The rows of a sheet that a guard holds."""

    sheet: str | None
    rows: Sequence[RowResult]
    """One for each channel, with the messages of the guard, in the order of rows."""


class HeldGroup(NamedTuple):
    """The rows of a file of a run that one guard holds, and no later run has sent."""

    run: Run
    file: str
    code: str
    sheets: Sequence[HeldSheet]

    @property
    def rows(self) -> int:
        return sum(len({result.row for result in sheet.rows}) for sheet in self.sheets)


class Release(NamedTuple):
    """The arguments of `submit` that send the rows of a group anyway."""

    file: Input
    reading: ReadOptions
    selection: SelectionOptions


def held_groups(
    workspace: Workspace, is_wanted: Callable[[Run], bool] = lambda _: True
) -> Iterator[HeldGroup]:
    """Yield the held rows of all runs that pass `is_wanted` and are not given up, the newest first.

    Codes whose rows were all sent since are settled, so that nobody looks at them again.
    """
    held = workspace.ledger.held
    for run_id, codes in groupby(held.open_codes(), key=attrgetter("run_id")):
        run = workspace.ledger.run(run_id)
        if run and ABANDONED not in run.options and is_wanted(run):
            yield from _groups_of(run, [*codes], workspace)


def held_group(run_id: int, file: str, code: str, workspace: Workspace) -> HeldGroup | None:
    """Return the rows of a file of a run that the guard of a code holds, or None."""
    run, codes = workspace.ledger.run(run_id), workspace.ledger.held.open_codes(run_id)
    matches = [held for held in codes if (held.path, held.code) == (file, code)]
    return next(_groups_of(run, matches, workspace), None) if run else None


def _groups_of(run: Run, codes: Sequence[HeldCode], workspace: Workspace) -> Iterator[HeldGroup]:
    groups: dict[tuple[str, str], list[HeldSheet]] = {}
    sent: list[HeldCode] = []
    for held in codes:
        if rows := _left_of(held, run, workspace):
            groups.setdefault((held.path, held.code), []).append(HeldSheet(held.sheet, rows))
        else:
            sent.append(held)
    if sent:
        workspace.ledger.held.settle(sent)
    for (file, code), sheets in groups.items():
        yield HeldGroup(run, file, code, sheets)


def _left_of(held: HeldCode, run: Run, workspace: Workspace) -> list[RowResult]:
    """Return the rows whose reference no later run has sent, with their guard's messages alone."""
    rows = [*workspace.ledger.held.rows(held)]
    later = {
        (channel, reference)
        for channel in {result.channel for result in rows}
        for reference in workspace.ledger.sent_later(
            run, channel, {result.reference for result in rows if result.channel == channel}
        )
    }
    return [
        result._replace(
            messages=tuple(message for message in result.messages if message.code == held.code)
        )
        for result in rows
        if (result.channel, result.reference) not in later
    ]


def drop(run_id: int, code: str, workspace: Workspace, now: datetime) -> bool:
    """Drop the rows that the guard of a code holds in a run, for ever; False without any."""
    return workspace.ledger.held.drop(run_id, code, now)


def release_of(
    group: HeldGroup, workspace: Workspace, reading: ReadOptions, who: str = "", reason: str = ""
) -> Release:
    """Return the release of a group's rows, and of no other row of the file.

    They are read as in their run, and judged by the catalogue of `reading`. `who` confirms them,
    and `reason`, are kept with the guards released in their own run. FileProblem if the file is no
    longer kept.
    """
    options = options_of(group.run.run_id, workspace)
    released = (*options.released, ReleasedGuard(group.code, who, reason))
    rows = (
        ChosenRows(
            group.file, sheet.sheet, ranges_of(sorted({result.row for result in sheet.rows}))
        )
        for sheet in group.sheets
    )
    return Release(
        Input(group.file, workspace.snapshots.path_of(dict(options.snapshots.inputs)[group.file])),
        read_as_then(group.run.run_id, group.file, group.file, workspace, reading),
        replace(options.selection, released=released, rows=tuple(rows)),
    )


def read_as_then(
    run_id: int, file: str, name: str, workspace: Workspace, reading: ReadOptions
) -> ReadOptions:
    """Return the options by which a file of a run was read, for another name or folder of it.

    It is judged by the catalogue of `reading`.
    """
    options = options_of(run_id, workspace)
    read_then = options.reading
    recipes = [kept._replace(file=name) for kept in options.snapshots.recipes if kept.file == file]
    return replace(
        read_then,
        catalog=reading.catalog,
        recipes=KeptRecipes(recipes, workspace.snapshots.path_of),
        settle=lambda _, sheet, unclear: read_then.settle(file, sheet, unclear),
        locate=partial(_locate_as_then, read_then.locate, Path(file).parent, Path(name).parent),
    )


def _locate_as_then(locate: Locate, then: Path, now: Path, path: Path) -> Path:
    """Return the place of a path that a cell names, when its sheet was in the folder `then`."""
    return locate(then / (path.relative_to(now) if path.is_relative_to(now) else path))


# Hold requests that guards of areas name, until a release; find those that change nothing.


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
        message = tr("the result of the one that run {run} sent is not known", run=run)
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
