"""Grids of many rows, made without a sheet."""

from array import array
from collections.abc import Iterator
from pathlib import Path

import msgspec
import orjson

from feedtool.model.cells import letters
from feedtool.model.nouns import Status
from feedtool.page.grid.facts import CHECK, GridColumn, GridSheet
from feedtool.page.grid.tables import INDEX, PACKED, POSITION, create
from feedtool.page.grid.view import GridEntry, add_view

EVERY, GUILTY = 1000, 4
"""Each so many-th row is wrong, in this column."""
NEAR = 3_000
"""Number of rows before and behind those."""
WORDS = (Status.VALID, Status.INVALID)


def write_made_grid(path: Path, rows: int, columns: int) -> Path:
    """Writes a grid whose cells name their places, such as `r7c2`.

    Of a million rows only those near the first, the middle, and the last one can be read.
    """
    sheet = GridSheet(
        0,
        "made.csv",
        kind="offers-upsert",
        header_row=1,
        rows=rows,
        columns=tuple(
            GridColumn(number, letters(number), f"Column {number}", f"key{number}", 10)
            for number in range(columns)
        ),
        slots=tuple(range(columns)),
        reference=0,
        counts={"rows": rows, "valid": rows - rows // EVERY, "invalid": rows // EVERY},
    )
    db = create(path)
    db.execute(INDEX)
    db.executemany("INSERT INTO packs VALUES (?, ?)", _packs(rows, columns))
    facts = msgspec.json.encode(sheet).decode()
    numbers = array(POSITION, range(2, rows + 2))
    db.execute("INSERT INTO sheets VALUES (0, ?, ?)", (facts, numbers))
    wrong = range(EVERY - 1, rows, EVERY)
    states = bytearray(b"\1" * rows)
    states[EVERY - 1 :: EVERY] = b"\2" * len(wrong)
    entries = (
        GridEntry(at, at + 2, GUILTY, "", "number-range", "error", None, "it is out of bounds", "")
        for at in wrong
    )
    add_view(db, 0, CHECK, WORDS, states, entries)
    db.execute("COMMIT")
    db.close()
    return path


def _packs(rows: int, columns: int) -> Iterator[tuple[int, bytes]]:
    """The rows, packed. A pack is made of a pattern, since there are many."""
    marks = [f"R{number}" for number in range(PACKED)]
    pattern = orjson.dumps(
        [[mark, 0, *(f"r{mark}c{column}" for column in range(columns))] for mark in marks]
    ).decode()
    for at in range(PACKED):
        pattern = pattern.replace(f'"R{at}"', f"%({at}n)d").replace(f"rR{at}c", f"r%({at}p)dc")
    for first in range(0, rows, PACKED):
        if min(first, abs(first - rows // 2), rows - first) > NEAR:
            continue
        values = {f"{index}n": first + index + 2 for index in range(PACKED)}
        values |= {f"{at}p": first + at for at in range(PACKED)}
        yield first // PACKED, (pattern % values).encode()
