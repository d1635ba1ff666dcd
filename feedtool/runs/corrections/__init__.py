"""The workbook of the rows to correct: of a template's shape, ready to be sent as it is.

Its cells are those of the file that was sent, from its snapshot; beside them stands what was said
of the rows, from the ledger, and the column `feedtool row`, which names the row that each is of.

Reading order: `rows` takes the rows out of the snapshot, `columns` finds their columns, `sheet`
puts both together for one sheet, `write` makes the workbook of all of them.
"""

from feedtool.runs.corrections.write import (
    Failed,
    has_any,
    is_to_correct,
    place_of,
    places,
    write_failed,
)

__all__ = [
    "Failed",
    "has_any",
    "is_to_correct",
    "place_of",
    "places",
    "write_failed",
]
