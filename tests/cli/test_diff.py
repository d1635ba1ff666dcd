"""`feedtool diff`: what one sheet would send otherwise than another, or than an earlier run."""

from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, rows_of
from tests.conftest import Files, offer


@pytest.fixture
def two(files: Files) -> tuple[str, str]:
    """A sheet, and the same with another price, one offer less and one more."""
    files.csv(offer(1), offer(2), offer(3))
    Path("offers.csv").rename("old.csv")
    files.csv(offer(1, price__price="18"), offer(3, quantity="07"), offer(4))
    return "old.csv", "offers.csv"


LINES = [
    "SKU-1 PRIMARY: price.price 19.99 → 18",
    "SKU-4 PRIMARY: only in offers.csv, row 4",
    "SKU-2 PRIMARY: only in {a}, row 3",
    "1 differ, 1 are the same, 1 only in {a}, 1 only in offers.csv",
]


def test_two_sheets(feedtool: Feedtool, two: tuple[str, str]) -> None:
    ran = feedtool("diff", *two)
    assert (ran.code, ran.out.splitlines()) == (0, [line.format(a="old.csv") for line in LINES])


def test_a_sheet_and_an_earlier_run(feedtool: Feedtool, two: tuple[str, str]) -> None:
    assert feedtool("submit --sandbox", two[0]).code == 0
    Path("old.csv").unlink()
    ran = feedtool("diff 1 offers.csv")
    assert (ran.code, ran.out.splitlines()) == (0, [line.format(a="1") for line in LINES])


def test_json_and_a_workbook(feedtool: Feedtool, two: tuple[str, str]) -> None:
    ran = feedtool("diff --format json --out diff.xlsx", *two)
    assert ran.only["same"] == 1
    assert [
        (difference["reference"], difference["rowA"], difference["rowB"])
        for difference in ran.only["differences"]
    ] == [
        ("SKU-1", 2, 2),
        ("SKU-4", None, 4),
        ("SKU-2", 3, None),
    ]
    assert ran.only["differences"][0]["fields"] == {"price.price": {"a": "19.99", "b": "18"}}
    assert [row.get("field") for row in rows_of("diff.xlsx")] == ["price.price", None, None]


def test_a_row_that_is_invalid_on_one_side_is_not_compared(
    feedtool: Feedtool, files: Files
) -> None:
    files.csv(offer(1), offer(2), name="old.csv")
    files.csv(offer(1), offer(2, quantity="-1"), name="new.csv")
    for names in ("old.csv new.csv", "new.csv old.csv"):
        out = feedtool(f"diff {names}").out
        assert out.startswith("0 differ, 1 are the same, 0 only in"), out
        assert out.endswith("not compared: 1\n"), out


def test_fields_are_called_as_the_sheet_does(feedtool: Feedtool, files: Files) -> None:
    files.text(
        "Référence;GTIN;Sous-état du produit;Prix (TTC);Stock\nA;3760452703054;Neuf;9;2\n", "a.csv"
    )
    files.text(
        "Référence;GTIN;Sous-état du produit;Prix (TTC);Stock\nA;3760452703054;Neuf;9;3\n", "b.csv"
    )
    out = feedtool("diff a.csv b.csv --as offers-update").out
    assert out.startswith("A PRIMARY: Stock 2 → 3\n")


def test_invalid_rows_are_counted(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer(1), offer(2, quantity="-1"))
    ran = feedtool("diff offers.csv offers.csv")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "0 differ, 1 are the same, 0 only in offers.csv, 0 only in offers.csv",
        "rows that are invalid, and not compared: 2",
    ]


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("diff offers.csv 7", 2, "there is no run 7"),
        ("diff offers.csv none.csv", 3, "none.csv"),
        ("diff offers.csv offers.csv --out old.pdf", 2, "old.pdf would be neither"),
        ("diff legacy.csv legacy.csv --as legacy-offers", 2, "legacy-offers cannot be compared"),
    ],
)
def test_wrong_comparisons_are_refused(
    feedtool: Feedtool, files: Files, command: str, code: int, message: str
) -> None:
    files.csv(offer(1))
    Path("legacy.csv").write_bytes(Path("offers.csv").read_bytes())
    ran = feedtool(command)
    assert ran.code == code, ran.err
    assert message in ran.error()[0]
