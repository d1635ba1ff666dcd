"""Fix problems of files in copies of them, and prove each correction by checking again.

At the end no fix has anything more to fix, or none would prove right: so fixing the result again
changes nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check, open_input
from feedtool.check.fixes import Proposal, chosen_fixes, failed_fixes, propose
from feedtool.check.kinds import KindUnclear
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.nouns import CellFix
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import tr
from feedtool.report.sheet_result import FixedCells, SheetResult
from feedtool.runs.annotated_copy import refuse_places, write_copies_of
from feedtool.runs.outputs import Outputs

MOST_ROUNDS = 10
"""The most rounds of fixes, each for problems that the one before uncovered."""
Key = tuple[str, str | None]
"""The names of a file and its sheet."""
Cells = Mapping[tuple[int, str], CellFix]
"""Fixes by row and column."""


def validate_and_fix(
    inputs: Sequence[Input],
    reading: ReadOptions,
    outputs: Outputs,
    names: Iterable[str],
    *,
    always: bool = False,
) -> list[SheetResult]:
    """Fix the problems of files in copies, and return the result of each sheet after its fixes.

    `names` are fixes beside the safe ones. A file without a fix gets no copy, unless `always`.
    UsageProblem for an unknown fix, or a file that has no cells.
    """
    chosen = chosen_fixes(names, load())
    for file in inputs:
        with suppress(OSError):  # the reading reports it
            if file.path.is_file() and load().format_of(file.path):
                raise UsageProblem(
                    tr("{name} has no cells that --fix could fix", name=file.name),
                    tr("make a workbook of it with feedtool convert, and fix that"),
                )
    reading = replace(reading, settle=_ask_once(reading), with_items=True)
    sheets = check(inputs, reading, load())
    if len(inputs) == 1:
        refuse_places(inputs, sheets, outputs, reading)
    valid = {_key(sheet): sheet.counts().valid for sheet in sheets}
    with temporary_folder() as folder:
        fixing = _Fixing(inputs, reading, sheets, folder)
        for _ in range(MOST_ROUNDS):
            if not fixing.improve(chosen):
                break
    results = [
        SheetResult(sheet, fixed=fixing.result(sheet, valid.get(_key(sheet), 0)))
        for sheet in fixing.sheets
    ]
    written = {
        name: target
        for name, target in outputs.targets.items()
        if always or any(fixing.made.get(key) for key in fixing.made if key[0] == name)
    }
    write_copies_of(inputs, results, replace(outputs, targets=written), reading)
    for result in results:
        result.copy_failed = result.copy_failed or fixing.failed.get(result.checked.file)
    return results


class _Fixing:
    """The files of a command, with their fixes so far."""

    def __init__(
        self,
        inputs: Sequence[Input],
        reading: ReadOptions,
        sheets: Sequence[CheckedSheet],
        folder: Path,
    ) -> None:
        self.sheets = sheets
        """The sheets with all fixes so far."""
        self.made: dict[Key, Cells] = {}
        self.offered: dict[Key, Mapping[str, int]] = {}
        self.failed: dict[str, FeedtoolError] = {}
        """The reason why a copy of a file cannot be written, by file."""
        self._inputs, self._reading, self._folder = inputs, reading, folder
        self._current = inputs
        self._copies = 0

    def result(self, sheet: CheckedSheet, valid: int) -> FixedCells:
        """Return the fixes of a sheet that had `valid` valid rows."""
        key = _key(sheet)
        cells = sorted(self.made.get(key, {}).values(), key=lambda fix: (fix.row, fix.column))
        return FixedCells(cells, self.offered.get(key, {}), valid)

    def improve(self, chosen: frozenset[str]) -> bool:
        """Make the fixes that prove right together; False without any."""
        before = {_key(sheet): sheet for sheet in self.sheets}
        proposals = {key: self._propose(sheet, chosen) for key, sheet in before.items()}
        self.offered = {key: proposal.offered for key, proposal in proposals.items()}
        pending = {key: proposal.fixes for key, proposal in proposals.items() if proposal.fixes}
        while pending:
            made = {key: _merged(self.made.get(key, {}), pending.get(key, ())) for key in before}
            trial = [self._copy(file, made) for file in self._inputs]
            after = check(trial, self._reading, load())
            sheets_after = {_key(sheet): sheet for sheet in after}
            wrong = {
                key: set(fixes)
                if key not in sheets_after or key[0] in self.failed
                else failed_fixes(before[key], sheets_after[key], fixes, load())
                for key, fixes in pending.items()
            }
            if not any(wrong.values()):
                self.sheets, self.made, self._current = after, made, trial
                return True
            left = {
                key: [fix for fix in fixes if fix not in wrong[key]]
                for key, fixes in pending.items()
            }
            pending = {key: fixes for key, fixes in left.items() if fixes}
        return False

    def _propose(self, sheet: CheckedSheet, chosen: frozenset[str]) -> Proposal:
        if sheet.error or sheet.file in self.failed:
            return Proposal()
        file = next(file for file in self._current if file.name == sheet.file)
        with open_input(file, self._reading, load()) as source:
            of_file = source.sheet(sheet.sheet or source.sheets[0].name)
            return propose(sheet, of_file, self._reading, load(), chosen)

    def _copy(self, file: Input, made: Mapping[Key, Cells]) -> Input:
        """Return the file, with a copy to read that has these fixes, if there are any."""
        results = [
            SheetResult(sheet, fixed=FixedCells(list(made.get(_key(sheet), {}).values())))
            for sheet in self.sheets
            if sheet.file == file.name and not sheet.error
        ]
        if not any(result.fixed and result.fixed.cells for result in results):
            return file
        self._copies += 1
        is_csv = not any(result.checked.sheet for result in results)
        place = self._folder / f"{self._copies}{'.csv' if is_csv else '.xlsx'}"
        write_copies_of([file], results, Outputs({file.name: place}), self._reading)
        if results[0].copy_failed:
            self.failed[file.name] = results[0].copy_failed
            return file
        return replace(file, copy=place)


def _merged(made: Cells, fixes: Iterable[CellFix]) -> Cells:
    """Add fixes to those of a sheet; a cell that was fixed before keeps its oldest value."""
    cells = dict(made)
    for fix in fixes:
        earlier = cells.get((fix.row, fix.column))
        cells[fix.row, fix.column] = fix._replace(old=earlier.old) if earlier else fix
    return cells


def _key(sheet: CheckedSheet) -> Key:
    return sheet.file, sheet.sheet


def _ask_once(reading: ReadOptions) -> Callable[[str, str | None, KindUnclear], str | None]:
    """Return the question about an unclear sheet; its answer counts for all later readings."""
    answers: dict[Key, str | None] = {}

    def settle(file: str, sheet: str | None, unclear: KindUnclear) -> str | None:
        if (file, sheet) not in answers:
            answers[file, sheet] = reading.settle(file, sheet, unclear)
        return answers[file, sheet]

    return settle
