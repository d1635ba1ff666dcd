"""All programs' files hold the same cells, for feedtool, for lxml and for openpyxl."""

from pathlib import Path

import pytest
from openpyxl import load_workbook

from benchmarks.cells import PROGRAMS, ROWS_AT_A_TIME, WAYS, filled, write
from benchmarks.corpus import COLUMNS
from tests.pairs import sample

ROWS = ROWS_AT_A_TIME + 3


LIKE_OTHERS = {"PhpSpreadsheet", "XlsxWriter, constant memory", "exceljs"}
"""Programs that write all as another one does, or in parts as others do."""


@pytest.mark.parametrize(
    "program",
    sample(sorted(PROGRAMS, key=LIKE_OTHERS.__contains__), len(PROGRAMS) - len(LIKE_OTHERS)),
)
def test_every_program_writes_the_same_cells(tmp_path: Path, program: str) -> None:
    path = tmp_path / "cells.xlsx"
    write(path, PROGRAMS[program], ROWS)
    assert {way: count(path) for way, count in WAYS.items()} == dict.fromkeys(
        WAYS, (ROWS + 1) * len(COLUMNS)
    )
    read = list(load_workbook(path).worksheets[0].values)
    assert read == [COLUMNS, *(tuple(filled(number).values()) for number in range(1, ROWS + 1))]
