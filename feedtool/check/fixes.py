"""Corrections of a checked sheet: propose them, and find those that did not help."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct, field

from feedtool.check.read_options import ReadOptions
from feedtool.check.rules import TOO_MANY_COLUMNS, BeyondHeader, all_rules
from feedtool.feeds.area import Areas
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.fixes import FIXES
from feedtool.feeds.columns.number import Number
from feedtool.feeds.fix import Fix, FlawedCell, NewValue
from feedtool.model.cells import STAMP_LANGUAGE, Block, Cell, Cells, Header, Kind, index_of, shown
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import CellFix, Problem, Severity
from feedtool.model.sheet import INVALID, VALID, CheckedSheet
from feedtool.model.text import nearest, tr
from feedtool.sheets import Sheet

SAFE = "safe"
"""The name for all fixes that decide nothing."""


def empty_note(flawed: FlawedCell) -> NewValue | None:
    """Empty the cell; not in a CSV, where such a cell shows that its row is shifted."""
    return None if flawed.is_csv else ""


OWN = Fix("beyond", tr("empty the cells beyond the last header"), (TOO_MANY_COLUMNS,), empty_note)


def all_fixes(areas: Areas) -> tuple[Fix, ...]:
    """Return the fixes of all sheets, then of these areas; the first fix for a cell wins."""
    return (*FIXES, OWN, *areas.fixes)


def chosen_fixes(names: Iterable[str], areas: Areas) -> frozenset[str]:
    """Return the names of the safe fixes and of the fixes in `names`.

    Raises:
        UsageProblem: a name is unknown, or two fixes contradict each other.
    """
    known = {fix.name: fix for fix in all_fixes(areas)}
    renamed = {fix.old_name: name for name, fix in known.items() if fix.old_name}
    chosen = {name for name, fix in known.items() if fix.is_safe}
    for name in (renamed.get(name, name) for name in names):
        if name != SAFE and name not in known:
            near = nearest(name, known)
            choices = ", ".join(name for name, fix in known.items() if not fix.is_safe)
            raise UsageProblem(
                tr("there is no fix “{name}”", name=name),
                tr("did you mean {choice}?", choice=near)
                if near
                else tr("fixes to choose: {choices}", choices=choices),
            )
        chosen.add(name)
    separators = [name for name in sorted(chosen - {SAFE}) if known[name].decimal]
    if len(separators) > 1:
        raise UsageProblem(
            tr("the fixes {fixes} contradict each other", fixes=" and ".join(separators)),
            tr("choose one of them"),
        )
    return frozenset(chosen)


class Proposal(Struct):
    """The possible corrections of a sheet."""

    fixes: list[CellFix] = field(default_factory=list)
    """The corrections by chosen fixes."""
    offered: Counter[str] = field(default_factory=Counter)
    """The number of cells that each of the other fixes could correct, by its name."""


def propose(
    checked: CheckedSheet,
    sheet: Sheet,
    options: ReadOptions,
    areas: Areas,
    chosen: Collection[str],
    severities: Collection[Severity] = tuple(Severity),
) -> Proposal:
    """Return the corrections of a checked sheet; `sheet` is its source. Raises FileProblem.

    A value that a recipe computes is not fixed: it has no column in the sheet.
    """
    by_code: dict[str, list[Fix]] = {}
    fixes = all_fixes(areas)
    for fix in fixes:
        for code in fix.codes:
            by_code.setdefault(code.name, []).append(fix)
    proposal, header = Proposal(), checked.header
    problems = _fixable(checked, header, by_code, severities) if header else {}
    if not problems or header is None:
        return proposal
    decimals = (fix.decimal for fix in fixes if fix.name in chosen and fix.decimal)
    columns = _Columns(header, options, next(decimals, None))
    cells = list(_flawed_cells(sheet, header, problems, columns))
    fixed: set[tuple[int, str]] = set()
    for problem, cell, filled in cells:
        row, column = problem.row or 0, problem.column or ""
        flawed = FlawedCell(cell, columns.reader(column), filled, is_csv=not checked.sheet)
        for fix in by_code[problem.code] if (row, column) not in fixed else ():
            if fix.fields is not None and problem.field not in fix.fields:
                continue
            new = fix.fix(flawed)
            if new is None or new == cell.text:
                continue
            if fix.name not in chosen:
                proposal.offered[fix.name] += 1
                continue
            of_problem = (problem.header, problem.field, problem.code)
            proposal.fixes.append(CellFix(row, column, *of_problem, fix.name, shown(cell), new))
            fixed.add((row, column))
            break
    return proposal


def _fixable(
    checked: CheckedSheet, header: Header, codes: Collection[str], severities: Collection[Severity]
) -> dict[int, list[Problem]]:
    """Return the problems of the sheet's own cells for which there are fixes, by row."""
    problems: dict[int, list[Problem]] = {}
    for problem in checked.problems():
        is_known = problem.code in codes and problem.severity in severities
        if problem.row and problem.column and is_known:
            column = header.columns.get(index_of(problem.column))
            if (column.key if column else None) == problem.field:
                problems.setdefault(problem.row, []).append(problem)
    return problems


class _Columns:
    """The types of a sheet's columns, and the decimal separator of its numbers."""

    def __init__(self, header: Header, options: ReadOptions, decimal: str | None) -> None:
        context, language = options.context, header.stamp.get(STAMP_LANGUAGE)
        opened = cache(context.catalog)  # once, and only if a column needs it
        self._context = context._replace(catalog=lambda _: opened(language))
        self._header, self._decimal = header, decimal
        self._numbers = {
            index: ColumnReader(column.type, self._context)
            for index, column in header.columns.items()
            if isinstance(column.type, Number)
        }

    def see(self, block: Block) -> None:
        """Collect the decimal separators of numbers of a block."""
        for index, reader in self._numbers.items():
            if index < block.width:
                reader.read(block.column(index), block.decode)

    def reader(self, column: str) -> ColumnReader:
        """Return a reader of the column with these letters, once all blocks were seen."""
        separators = {sign for reader in self._numbers.values() for sign in reader.evidence}
        agreed = separators.pop() if len(separators) == 1 else None
        known = self._header.columns.get(index_of(column))
        return ColumnReader(
            known.type if known else BeyondHeader(), self._context, self._decimal or agreed
        )


def _flawed_cells(
    sheet: Sheet, header: Header, problems: Mapping[int, Sequence[Problem]], columns: _Columns
) -> Iterator[tuple[Problem, Cell, frozenset[str]]]:
    """Yield each problem with its cell, and the keys of filled cells in its row."""
    for block in sheet.blocks(header.after):
        columns.see(block)
        cells = Cells(block)
        for position, row in enumerate(block.rows):
            if row not in problems:
                continue
            filled = frozenset(
                column.key
                for index, column in header.columns.items()
                if cells.at(position, index).kind is not Kind.BLANK
            )
            for problem in problems[row]:
                yield problem, cells.at(position, index_of(problem.column or "")), filled


def failed_fixes(
    before: CheckedSheet, after: CheckedSheet, fixes: Sequence[CellFix], areas: Areas
) -> set[CellFix]:
    """Return the corrections that did not remove their problem, or caused an error.

    `after` is the sheet with all corrections. A row with a new error loses all its corrections,
    unless it is clear which one is the cause. An error is not new if a rule could not find it
    before because a cell had no value.
    """
    if after.error:
        return set(fixes)
    rows = {fix.row for fix in fixes}
    old, new = (
        {
            (problem.row, problem.column, problem.code): problem.severity
            for problem in checked.problems()
            if problem.row in rows
        }
        for checked in (before, after)
    )
    marks = bytes(after.rows.marks)
    gone = {row for row in rows if row >= len(marks) or marks[row] not in (VALID, INVALID)}
    places = {(fix.row, fix.column): (fix.row, fix.column, fix.code) for fix in fixes}
    blind = {row for (row, _), place in places.items() if old.get(place) is Severity.ERROR}
    seen_late = {rule.code.name for rule in all_rules(areas) if rule.check}
    harmed = {
        (row, column)
        for (row, column, code), severity in new.items()
        if severity is Severity.ERROR
        if (row, column, code) not in old
        if (row, column) in places or row not in blind or code not in seen_late
    }
    guilty = {
        fix
        for fix in fixes
        if (fix.row, fix.column, fix.code) in new or (fix.row, fix.column) in harmed
    }
    suspects = ({row for row, _ in harmed} | gone) - {fix.row for fix in guilty}
    return guilty | {fix for fix in fixes if fix.row in suspects}
