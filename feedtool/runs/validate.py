"""Read and check files, and write the requested annotated copies."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check, open_input
from feedtool.check.fixes import all_fixes, chosen_fixes, propose
from feedtool.model.errors import FileProblem
from feedtool.model.nouns import Severity
from feedtool.report.sheet_result import FixableCells, SheetResult
from feedtool.runs.outputs import Outputs


def note_fixable(
    results: Sequence[SheetResult], inputs: Sequence[Input], reading: ReadOptions
) -> None:
    """Note in the results how many errors `--fix` can fix; the files are read again for it."""
    areas, files = load(), {file.name: file for file in inputs}
    fixes = {fix.name: fix for fix in all_fixes(areas)}
    codes = {code.name for fix in fixes.values() for code in fix.codes}
    for result in results:
        checked, file = result.checked, files[result.checked.file]
        errors = (
            problem.code for problem in checked.problems() if problem.severity is Severity.ERROR
        )
        if checked.error or codes.isdisjoint(errors) or areas.format_of(file.path):
            continue
        with suppress(FileProblem, OSError), open_input(file, reading, areas) as source:
            sheet, safe = (
                source.sheet(checked.sheet or source.sheets[0].name),
                chosen_fixes((), areas),
            )
            proposal = propose(checked, sheet, reading, areas, safe, (Severity.ERROR,))
            counts = Counter(fix.fix for fix in proposal.fixes) + proposal.offered
            result.fixable = [
                FixableCells(fix.option, fix.summary, counts[name])
                for name, fix in fixes.items()
                if counts[name]
            ]


def validate(inputs: Sequence[Input], reading: ReadOptions, outputs: Outputs) -> list[SheetResult]:
    """Return the result of each sheet; nothing is planned or sent."""
    sheets = check(inputs, reading, load())
    results = [SheetResult(sheet) for sheet in sheets]
    if outputs.targets:
        from feedtool.runs.annotated_copy import refuse_places, write_copies_of

        if len(inputs) == 1:  # with several files, one unusable place does not stop the others
            refuse_places(inputs, sheets, outputs, reading)
        write_copies_of(inputs, results, outputs, reading)
    return results
