"""Reads and checks files, and writes the annotated copies that were asked for."""

from collections.abc import Sequence

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.outputs import Outputs


def validate(inputs: Sequence[Input], reading: ReadOptions, outputs: Outputs) -> list[SheetResult]:
    """The result of each sheet; nothing is planned or sent."""
    sheets = check(inputs, reading, load())
    results = [SheetResult(sheet) for sheet in sheets]
    if outputs.targets:
        from feedtool.runs.annotated_copy import refuse_places, write_copies_of

        if len(inputs) == 1:  # of several, one place that is taken is no reason to stop
            refuse_places(inputs, sheets, outputs, reading)
        write_copies_of(inputs, results, outputs, reading)
    return results
