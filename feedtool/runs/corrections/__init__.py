"""The workbook of the rows to correct: of a template's shape, ready to be sent as it is.

Its cells are those of the file that was sent, from its snapshot; beside them stand the messages
about the rows, from the ledger, and the column `feedtool row`, which names the row that each is of.

Reading order: `rows` takes the rows out of the snapshot, `columns` finds their columns, `sheet`
puts both together for one sheet, `workbook` writes all of them.
"""

from feedtool.runs.corrections.workbook import (
    is_to_correct,
    place_of,
    places,
    write_corrections,
    write_failed,
)

__all__ = ["is_to_correct", "place_of", "places", "write_corrections", "write_failed"]
