from collections.abc import Mapping
from functools import cache
from itertools import cycle, product
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.packaging.custom import CustomPropertyList

from feedtool.areas.registry import load
from feedtool.check import EVERY_ROW, Input, ReadOptions, check
from feedtool.feeds.template import example_reference
from feedtool.model.sheet import INVALID, VALID
from feedtool.model.text import LANGUAGES, Language, Translator
from feedtool.runs import row_notes
from tests.conftest import Files, checked, gtin, offer, problems_of, table, update

CODE = "not-a-row"
TEMPLATES = Path(__file__).parents[2] / "templates"

BLANK = dict.fromkeys(offer(), "")
FOUR = [offer(number, price__price=f"{number}.10") for number in range(1, 5)]
STOCK, PRICES = "28", "10.40"


def last(**changes: str) -> dict[str, str]:
    """A row with only these cells."""
    return BLANK | {name.replace("__", "."): value for name, value in changes.items()}


WORDS = (
    *("Total", "TOTAL", "total :", "Totals", "Grand total", "Sous-total", "SOUS TOTAL", "Totaux"),
    *("Total général", "TOTAL GENERAL", "Subtotal", "Sub-total:", "Suma", "Total TTC", "Summe"),
    *("Zwischensumme", "Gesamt", "Totale", "\u00a0Total "),
)
NOT_ROWS = {
    "the reference of a whole offer": offer(5, sellerExternalReference="Total"),
    "the reference, and no offer": last(sellerExternalReference="Total", quantity="28 pieces"),
    "the word where no reference is": last(condition="Total", quantity="5"),
    "the word in an unknown column": last(quantity="5") | {"note": "Total"},
    "the word in the GTIN's column": last(product__gtin="Sous-total", quantity="5"),
    "a sum": last(quantity=STOCK),
    "sums": last(quantity=STOCK, price__price="10,40"),
    "a sum that shows binary noise": last(price__price="10.400000000000002"),
    "a sum in an unknown column, too": last(quantity=STOCK) | {"note": "4"},
    "the keys": {key: key for key in BLANK},
    "the labels": last(sellerExternalReference="Seller reference", quantity="STOCK"),
}
ROWS = {
    "a reference that begins with the word": offer(5, sellerExternalReference="TOTAL-BLACK-1"),
    "the same without a digit": offer(5, sellerExternalReference="TOTAL-BLACK"),
    "the word in an unknown column": offer(5) | {"note": "Total"},
    "a number that is no sum": last(quantity="27"),
    "a sum beside a number that is none": last(quantity=STOCK, price__price="1"),
    "a sum beside a text": last(quantity=STOCK, condition="New"),
    "a sum with a GTIN": last(quantity=STOCK, product__gtin=gtin(5)),
    "a sum with a reference": last(quantity=STOCK, sellerExternalReference="SUMMIT"),
    "a reference that is a header": offer(5, sellerExternalReference="reference"),
    "a word and a text": last(condition="New", quantity="5") | {"note": "Total"},
}


def with_notes(*rows: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"note": "1" if number < 4 else "", **row} for number, row in enumerate(rows)]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize("row", NOT_ROWS.values(), ids=NOT_ROWS)
def test_summary_rows_are_skipped(files: Files, row: Mapping[str, str], form: str) -> None:
    rows = with_notes(*FOUR, row)
    (sheet,) = checked(files.csv(*rows) if form == "csv" else files.book({"Offers": rows}))
    (problem,) = problems_of(sheet, CODE)
    assert (problem.row, problem.severity) == (6, "warning")
    counts = sheet.counts()
    assert (counts.rows, counts.valid, counts.invalid, counts.skipped) == (5, 4, 0, 1)
    *_, verdict = row_notes.check_results(sheet)
    assert (verdict.row, verdict.status) == (6, "Skipped")
    assert [message.code for message in verdict.messages] == [CODE]
    assert " (supprimez-la, ou " in Translator("fr")(verdict.messages[0].text)
    assert {one.row for one in sheet.problems()} <= {6, None}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_for_a_total(files: Files, word: str) -> None:
    total = update(quantity="4", sellerExternalReference=word)
    (sheet,) = checked(files.csv(update(1, quantity="4"), total))
    (problem,) = problems_of(sheet, CODE)
    assert (problem.row, problem.value) == (3, word)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_that_is_one(files: Files, row: Mapping[str, str]) -> None:
    (sheet,) = checked(files.csv(*with_notes(*FOUR, row)))
    assert problems_of(sheet, CODE) == []
    assert (sheet.counts().rows, sheet.counts().skipped) == (5, 0)


def test_subtotals_and_the_total_of_all(files: Files) -> None:
    rows = [*FOUR[:2], last(quantity="14"), *FOUR[2:], last(quantity="14"), last(quantity=STOCK)]
    (sheet,) = checked(files.csv(*rows))
    assert [problem.row for problem in problems_of(sheet, CODE)] == [4, 7, 8]
    assert sheet.counts().valid == 4


def test_the_number_of_a_single_row_is_no_sum(files: Files) -> None:
    (sheet,) = checked(files.csv(offer(1), last(quantity="7")))
    assert sheet.counts().invalid == 1


@pytest.mark.parametrize("row", NOT_ROWS.values(), ids=NOT_ROWS)
def test_summary_rows_are_taken_on_request(files: Files, row: Mapping[str, str]) -> None:
    path = files.csv(*with_notes(*FOUR, row))
    for as_rows in ((6,), EVERY_ROW):
        (sheet,) = check([Input("offers.csv", path)], ReadOptions(as_rows=as_rows), load())
        assert problems_of(sheet, CODE) == []
        assert (sheet.counts().rows, sheet.counts().skipped) == (5, 0)


def test_the_header_of_a_list_of_references(files: Files) -> None:
    text = "sku\nA\nSKU\nB\n"
    (sheet,) = checked(files.text(text), kind="offers-delete")
    assert [(problem.row, problem.value) for problem in problems_of(sheet, CODE)] == [(3, "SKU")]


def test_two_totals_are_no_doubled_reference(files: Files) -> None:
    total = NOT_ROWS["the reference of a whole offer"]
    (sheet,) = checked(files.csv(*FOUR, NOT_ROWS["a sum"], total, total))
    assert sheet.counts().skipped == 3
    assert problems_of(sheet, "duplicate-reference") == []


def test_a_product_without_a_reference_is_one(files: Files) -> None:
    rows = table([{"gtin": gtin(number), "title": "Total"} for number in range(3)])
    (sheet,) = checked(files.text(rows.replace("title", "categoryCode")), kind="products")
    assert sheet.counts().skipped == 0


AUC = "AUC4006381333931"
TYPED_OVER: dict[str, tuple[str, dict[str, str | int], list[str]]] = {
    # Of each: the kind, the cells that are typed over, and the keys of what is told as left.
    "only the price": ("offers-upsert", {"E3": 21}, ["sellerExternalReference"]),
    "behind the word": ("offers-upsert", {"A3": "{word}A-1"}, ["sellerExternalReference"]),
    "in capitals": ("offers-upsert", {"A3": "EXEMPLE: A-1"}, ["sellerExternalReference"]),
    "an earlier one's product": (
        "offers-upsert",
        {"A3": "A-1", "C3": AUC},
        ["product.reference"],
    ),
    "a title": ("fulfillment-products", {"A3": "A-1"}, ["label"]),
    "an address": ("outbound-shipments", {"D3": "O-1"}, ["deliveryAddress.line"]),
    # They stay as they are.
    "the reference": ("offers-upsert", {"A3": "A-1"}, []),
    "a reference like it": ("offers-upsert", {"A3": "Example-7"}, []),
    "its own number": ("offers-upsert", {"A3": "SKU-1001"}, []),
    "a title of one's own": (
        "fulfillment-products",
        {"A3": "A-1", "D3": "Kettle 1.7 l, steel"},
        [],
    ),
    "another row": ("offers-upsert", {"A4": "{word}A-1", "B4": "3760452700039", "C4": AUC}, []),
    "a stock list": ("offers-update", {"A3": "A-1"}, []),
    "a legacy offer": ("legacy-offers", {"A3": "A-1"}, []),
}


USUAL = set(zip(TYPED_OVER, cycle(LANGUAGES), strict=False))
"""Each in one of the languages."""


@cache
def opened(kind: str, language: Language) -> Workbook:
    """A template, which takes long to open."""
    return load_workbook(TEMPLATES / f"{kind}.{language}.xlsx")


@pytest.mark.parametrize(
    ("name", "language"),
    [
        case if case in USUAL else pytest.param(*case, marks=pytest.mark.long)
        for case in product(TYPED_OVER, LANGUAGES)
    ],
)
def test_remains_of_an_example_are_reported(name: str, language: Language, tmp_path: Path) -> None:
    kind, cells, keys = TYPED_OVER[name]
    workbook = opened(kind, language)
    word, sheet_to_fill = example_reference(language, ""), workbook.worksheets[2]
    template_values = {place: sheet_to_fill[place].value for place in cells}
    for place, value in cells.items():
        text = value.format(word=word) if isinstance(value, str) else value
        sheet_to_fill[place] = text
    workbook.save(tmp_path / "filled.xlsx")
    for place, template_value in template_values.items():
        sheet_to_fill[place] = template_value
    (sheet,) = checked(tmp_path / "filled.xlsx")
    left = [problem.field for problem in sheet.problems() if problem.code == "example-left"]
    assert left == keys
    if kind == "offers-upsert" and len(cells) == 1:
        assert (sheet.rows.marks[3], len(sheet.rows.items)) == (
            INVALID if keys else VALID,
            not keys,
        )


def test_a_sheet_without_stamp_may_repeat_the_example(tmp_path: Path) -> None:
    workbook = load_workbook(TEMPLATES / "offers-upsert.en.xlsx")
    workbook["Offers"]["A3"], workbook["Offers"]["C3"] = "Example: A-1", AUC
    workbook.custom_doc_props = CustomPropertyList()  # type: ignore[attr-defined]  # the stubs do not know it
    workbook.save(tmp_path / "plain.xlsx")
    (sheet,) = checked(tmp_path / "plain.xlsx")
    assert "example-left" not in {problem.code for problem in sheet.problems()}
