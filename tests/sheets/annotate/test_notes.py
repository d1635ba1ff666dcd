"""The cells of an answer are made once, and are each row's own nevertheless."""

from collections.abc import Mapping

import pytest

from feedtool.sheets.annotate.cell_formats import COLOURS, LOOKS, FormatIndexes, Style
from feedtool.sheets.annotate.notes import Note, NoteCells, SheetNotes

PLACES: Mapping[Style, int] = {style: place for place, style in enumerate(LOOKS)}
TEXT, MESSAGE, CODE, GOOD, BAD = (PLACES[it] for it in ("text", "message", "code", "good", "bad"))


def cells_of(*notes: Note, is_styled: bool = True) -> NoteCells:
    """The cells of notes below a heading in row 1, which is taken already."""
    styles = FormatIndexes(PLACES, dict.fromkeys(COLOURS, 0))
    sheet = SheetNotes("Offers", 1, ("s", "m", "c"), notes)
    cells = NoteCells(sheet, (3, 1, 2), styles, is_styled=is_styled)
    cells.answer(1, b"")
    return cells


def cell(ref: str, style: int, text: str, prefix: str = "") -> bytes:
    return (
        f'<{prefix}c r="{ref}" s="{style}" t="inlineStr">'
        f"<{prefix}is><{prefix}t>{text}</{prefix}t></{prefix}is></{prefix}c>"
    ).encode()


def test_rows_with_the_same_texts_differ_in_their_number_and_their_colour() -> None:
    same = {row: Note(row, "S", "M", "C", outcome="good") for row in (2, 3)}
    cells = cells_of(*same.values(), Note(4, "S", "M", "C", outcome="bad"))
    for row, colour in ((2, GOOD), (3, GOOD), (4, BAD)):
        assert cells.answer(row, b"").row(row) == [
            (1, cell(f"B{row}", MESSAGE, "M")),
            (2, cell(f"C{row}", CODE, "C")),
            (3, cell(f"D{row}", colour, "S")),
        ]


def test_rows_of_one_answer_in_both_ways_of_writing() -> None:
    cells = cells_of(Note(2, "S", "", "C"), Note(3, "S", "", "C"))
    answer = cells.answer(2, b"x:")
    assert b"2".join(answer.pieces) == b"".join(markup for _, markup in answer.row(2))
    assert cells.answer(3, b"y:").row(3) == [
        (2, cell("C3", CODE, "C", "y:")),
        (3, cell("D3", TEXT, "S", "y:")),
    ]


@pytest.mark.parametrize("count", [1, 3000])
def test_any_number_of_different_answers(count: int) -> None:
    rows = range(2, count + 2)
    cells = cells_of(*(Note(row, "", f"M{row}\nN", "") for row in rows), is_styled=False)
    for row in rows:
        assert cells.answer(row, b"").row(row) == [(1, cell(f"B{row}", TEXT, f"M{row}; N"))]
    assert cells.digest.count == count + 1


def test_a_row_without_a_text_is_ignored() -> None:
    cells = cells_of(Note(2, "", "", ""))
    assert [cells.answer(row, b"").row(row) for row in (2, 3)] == [[], []]
    assert cells.digest.count == 1
