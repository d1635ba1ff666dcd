"""All programs' files hold the same cells, for feedtool, for lxml and for openpyxl."""

from pathlib import Path

import pytest
from openpyxl import load_workbook

from benchmarks.cells import PROGRAMS, ROWS_AT_A_TIME, WAYS, filled, write
from benchmarks.corpus import COLUMNS

ROWS = ROWS_AT_A_TIME + 3


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_writes_the_same_cells(tmp_path: Path, program: str) -> None:
    path = tmp_path / "cells.xlsx"
    write(path, PROGRAMS[program], ROWS)
    assert {way: count(path) for way, count in WAYS.items()} == dict.fromkeys(
        WAYS, (ROWS + 1) * len(COLUMNS)
    )
    read = list(load_workbook(path).worksheets[0].values)
    assert read == [COLUMNS, *(tuple(filled(number).values()) for number in range(1, ROWS + 1))]
