"""Rows of all runs that guards hold, until they are sent anyway, sent corrected, or dropped."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.areas.offers.changes.selection import ChosenRows, ReleasedGuard, SelectionOptions
from feedtool.check import Input, ReadOptions
from feedtool.ledger import Run
from feedtool.ledger.records import ABANDONED
from feedtool.ledger.withheld import HeldCode
from feedtool.model.nouns import RowResult
from feedtool.model.row_ranges import ranges_of
from feedtool.model.settings import Locate
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
