from collections.abc import Sequence

import pytest

from tests.conftest import Files, checked, offer, told, update
from tests.rules.conftest import Find

CODE = "duplicate-reference"


def refs(*references: str) -> list[dict[str, str]]:
    """A row for each reference, each of a product of its own."""
    return [
        offer(number, sellerExternalReference=reference)
        for number, reference in enumerate(references)
    ]


PASSES = {
    "all differ": refs("A", "B", "C"),
    "case matters": refs("SKU-1", "sku-1"),
    "blanks inside matter": refs("A 1", "A  1"),
    "no normalisation": refs("caf\u00e9", "cafe\u0301"),
    "no references at all": refs("", ""),
    "another channel": [
        offer(1, salesChannelId="PRIMARY"),
        offer(1, salesChannelId="SECOND"),
    ],
}
FAILS = {
    "twice": (refs("A", "A"), [2, 3]),
    "far apart": (refs("A", "B", "C", "A"), [2, 5]),
    "blanks at the ends do not count": (refs("A", " A\u00a0"), [2, 3]),
    "two groups": (refs("A", "B", "A", "B"), [2, 3, 4, 5]),
    "an invalid row counts too": (
        [offer(1), offer(1, price__price="cheap")],
        [2, 3],
    ),
    "whatever their actions": (
        [offer(1, action="Upsert"), offer(1, action="Delete")],
        [2, 3],
    ),
    "the channel of the sheet, named and not": (
        [offer(1, salesChannelId="PRIMARY"), offer(1, salesChannelId="")],
        [2, 3],
    ),
    "in an Update": ([update(1, quantity="1"), update(1, quantity="2")], [2, 3]),
}


@pytest.mark.parametrize("rows", PASSES.values(), ids=PASSES)
def test_passes(find: Find, rows: Sequence[dict[str, str]]) -> None:
    assert find(CODE, *rows) == []


@pytest.mark.parametrize(("rows", "numbers"), FAILS.values(), ids=FAILS)
def test_fails_in_every_row(find: Find, rows: Sequence[dict[str, str]], numbers: list[int]) -> None:
    problems = find(CODE, *rows)
    assert [problem.row for problem in problems] == numbers
    assert {problem.field for problem in problems} == {"sellerExternalReference"}
    assert {problem.severity for problem in problems} == {"error"}
    assert {problem.column for problem in problems} == {"A"}


def test_each_names_up_to_five_others_and_how_many_there_are(find: Find) -> None:
    problems = find(CODE, *refs(*["A"] * 8))
    first, last = problems[0].message, problems[-1].message
    assert "8 times" in first
    assert "row 3, row 4, row 5, row 6, row 7 and 2 more" in first
    assert "row 2, row 3, row 4, row 5, row 6 and 2 more" in last


def test_a_row_does_not_name_itself(find: Find) -> None:
    for problem in find(CODE, *refs("A", "A", "A")):
        assert f"row {problem.row}" not in problem.message


def test_over_several_files_the_others_are_named_with_their_file(files: Files) -> None:
    one = files.csv(offer(1), offer(2), name="one.csv")
    two = files.csv(offer(3), offer(2), name="two.csv")
    first, second = checked(one, two)
    (here,), (there,) = told(first, CODE), told(second, CODE)
    assert (here.row, there.row) == (3, 3)
    assert "row 3 of two.csv" in here.message
    assert "row 3 of one.csv" in there.message
    assert (first.counts().valid, first.counts().invalid) == (1, 1)


def test_over_two_sheets_of_a_workbook_they_are_named_with_their_sheet(files: Files) -> None:
    book = files.book({"New": [offer(1)], "Changed": [update(1, quantity="5")]})
    new, changed = checked(book)
    assert "sheet Changed" in told(new, CODE)[0].message
    assert "sheet New" in told(changed, CODE)[0].message


def test_a_file_that_cannot_be_read_to_its_end_doubles_nothing(files: Files) -> None:
    broken = files.text(files.csv(offer(1)).read_text() + '"SKU-9,never closed\n', "broken.csv")
    whole = files.csv(offer(1), name="whole.csv")
    first, second = checked(broken, whole)
    assert first.error is not None
    assert first.error.code == "csv-unterminated-quote"
    assert told(second, CODE) == []
    assert second.counts().valid == 1


def test_a_sheet_that_is_read_twice_doubles_nothing(find: Find) -> None:
    """`1,234` makes a second reading necessary, since only 9.50 behind it settles the column."""
    assert find(CODE, offer(1, price__price="1,234"), offer(2, price__price="9.50")) == []
