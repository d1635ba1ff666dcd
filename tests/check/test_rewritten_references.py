"""References that a program has made dates or numbers of: held, told once, and never good ones."""

import pytest

from tests.conftest import Files, checked, offer, problems_of, update

CODE = "reference-rewritten"
HELD = {
    "days": ["1-Feb", "01-Feb", "01-févr", "01-févr.", "1-feb", "12. Jan", "3-Mrz", "A-1"],
    "months": ["Feb-24", "janv-24", "janv.-24", "ene-25", "août-2025", "Mai 25", "dez-01", "A-1"],
    "November": ["nov-24", "nov.-24", "1-nov", "5-mag", "A-1"],
    "both": ["1-Feb-25", "01-janv.-2025", "2-Mar-24"],
    "times": [
        "2025-02-01 00:00:00",
        "2025-02-01T00:00:00.000",
        "01/02/2025 00:00",
        "2/1/25 1:30 PM",
    ],
    "digits among others": ["01/02/2025", "1/2/2025", "01.02.2025", "A-1"],
    "numbers alone": ["12345.0", "7.0", "12346.0"],
    "numbers, and where there was none": ["12345.0", "nan", "7.0", "-"],
}
"""References of a sheet, of which those that look rewritten are held: all but `A-1`, `nan`, `-`."""
SENT = {
    "names": ["SKU-1", "MAR-24", "DEC-1", "set-12", "kit-3", "May-123", "1-2", "12-05", "Jan-1-A"],
    "words": ["mars", "Mai", "1-Fab", "32-Jan", "0-Jan", "out-12", "2024-01", "janv"],
    "numbered by day": ["2025-02-01", "2025-02-99", "20250201", "2025-02-01-1"],
    "all dates in digits": ["01/02/2025", "02/02/2025"],
    "numbers among others": ["12345.0", "A-1", "7.0"],
    "numbers with decimals": ["12345.0", "12345.5"],
    "versions": ["1.0.0", "v1.0", "1.10", "10.00"],
    "no references": ["", ""],
}


def references(files: Files, *names: str) -> tuple[list[int], int]:
    """The rows that are held of a sheet with these references, and the warnings about them."""
    rows = [offer(index, sellerExternalReference=name) for index, name in enumerate(names)]
    (sheet,) = checked(files.csv(*rows))
    assert all(issue.code.name == CODE for _, issue in sheet.rows.guarded)
    return [row for row, _ in sheet.rows.guarded], len(problems_of(sheet, CODE))


@pytest.mark.parametrize("names", HELD.values(), ids=HELD)
def test_held(files: Files, names: list[str]) -> None:
    rows = [row for row, name in enumerate(names, 2) if name not in {"A-1", "nan", "-"}]
    assert references(files, *names) == (rows, 1)


@pytest.mark.parametrize("names", SENT.values(), ids=SENT)
def test_sent(files: Files, names: list[str]) -> None:
    assert references(files, *names) == ([], 0)


def test_each_sheet_is_checked_separately(files: Files) -> None:
    numbers = files.csv(update(1, sellerExternalReference="7.0", quantity="1"), name="a.csv")
    others = files.csv(update(1, sellerExternalReference="A", quantity="1"), name="b.csv")
    held = [[row for row, _ in sheet.rows.guarded] for sheet in checked(numbers, others)]
    assert held == [[2], []]


def test_a_sheet_that_is_read_twice_holds_the_same(files: Files) -> None:
    """`1,234` makes a second reading necessary: only 9.50 behind it settles the column."""
    names = ["7.0", "A-1", "8.0", "1-Feb"]
    rows = [
        offer(index, sellerExternalReference=name, price__price="1,234" if index == 0 else "9.50")
        for index, name in enumerate(names)
    ]
    (sheet,) = checked(files.csv(*rows))
    assert [row for row, _ in sheet.rows.guarded] == [5]
