"""Files read by one process and by two.

A process of its own does it, since one with threads, as a test's may be, is not forked. It prints
for each file, or for those that are checked together, whether two processes have read it, and what
each way of reading found. Nearly all keys are on disk, and the pieces of a sheet are small. The
word `killed` has the other process die with each of the files behind it.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check, two_processes
from feedtool.check.sheet import SheetReader
from feedtool.model import disk_list
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import AccountSettings
from feedtool.sheets.read import csv_source
from feedtool.sheets.read.package import ZipPackage

KILLED = "killed"
RECORDS = 200
"""Records of a CSV in a piece."""
PIECE = 1 << 15
"""Bytes of a sheet's XML in a piece."""


def findings(paths: list[Path], processes: int) -> list[Any]:
    """All that is known of the sheets of files that are checked together."""
    settings = AccountSettings(reading=ReadingLimits(processes=processes))
    options = ReadOptions(settings, with_values=True)
    sheets = check([Input(path.name, path) for path in paths], options, load())
    return [
        [
            *(repr(sheet.error), repr(sheet.counts()), sheet.rows.marks.__bytes__().hex()),
            *(
                [repr(entry) for entry in entries]
                for entries in (
                    *(sheet.problems(), sheet.valid_items(), sheet.rows.refused),
                    *(sheet.rows.skipped, sheet.rows.filled or ()),
                )
            ),
        ]
        for sheet in sheets
    ]


def killed(reader: SheetReader) -> two_processes.Findings:
    """End the other process, instead of reading a part."""
    del reader
    os._exit(1)


def main(files: list[str]) -> int:
    """Print a line of JSON for each file, and return the exit code."""
    two_processes.WORTH, two_processes.TURN, disk_list.HELD_TEXTS = 1, 1, 64
    csv_source._RECORDS = RECORDS  # noqa: SLF001
    ZipPackage.stream.__defaults__ = (PIECE,)
    calls = []
    read_by_two = two_processes.read_by_two

    def counted(reader: SheetReader) -> None:
        calls.append(reader)
        read_by_two(reader)

    two_processes.read_by_two = counted
    for together in files:
        if together == KILLED:
            two_processes._part = killed  # noqa: SLF001  # where a process may die
            continue
        paths = [Path(file) for file in together.split(os.pathsep)]
        calls.clear()
        by_two = findings(paths, 2)
        is_by_two = bool(calls)
        sys.stdout.write(json.dumps([is_by_two, findings(paths, 1), by_two]) + "\n")
    return 0
