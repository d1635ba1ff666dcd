"""Losses of a conversion, reported to people."""

import pytest

from feedtool.model.nouns import Loss
from feedtool.report.file import MOST, loss_lines


def loss(row: int | None, field: str | None = "comment", value: str | None = "a") -> Loss:
    return Loss(row, None, field, value, "no place for it")


TOLD = {
    "one": ([loss(2)], "comment “a”: no place for it (row 2)"),
    "several": ([loss(2), loss(3), loss(7)], "comment: no place for it (rows 2-3, 7)"),
    "very many": (
        [loss(row) for row in range(2, 10_002)],
        "comment: no place for it (rows 2-9 and 9,992 more)",
    ),
    "of the whole file": ([loss(None)], "comment “a”: no place for it"),
    "a whole row": ([loss(2, None, None)], "the row: no place for it (row 2)"),
    "the file itself": ([loss(None, None, None)], "the file: no place for it"),
    "without a value": ([loss(2, value=None)], "comment: no place for it (row 2)"),
    "what steers a terminal": ([loss(2, value="\x1b[2J")], "comment “<U+001B>[2J”: no place"),
}


@pytest.mark.parametrize(("losses", "line"), TOLD.values(), ids=TOLD)
def test_a_line_for_each_field_and_reason(losses: list[Loss], line: str) -> None:
    (told,) = loss_lines(losses)
    assert told.startswith(line)


def test_a_list_of_many_fields_is_cut() -> None:
    lines = loss_lines(loss(2, f"column {number}") for number in range(MOST + 3))
    assert len(lines) == MOST + 1
    assert lines[-1].startswith("3 more")
