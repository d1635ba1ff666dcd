"""`samples/` equals the output of `samples/make.py`, and shows each mistake."""

from importlib import import_module
from pathlib import Path
from runpy import run_path
from zipfile import ZipFile

import orjson
import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import load
from feedtool.check.rules import all_rules
from feedtool.feeds.columns import placeholders
from feedtool.model.nouns import Code
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet
from tests.conftest import checked
from tests.runs.conftest import Desk

SAMPLES = Path(__file__).parent.parent / "samples"
OFFERS = (
    "legacy-offers.xlsx",
    "offers-fr.csv",
    "offers-mistakes.xlsx",
    "offers-update.xlsx",
    "offers-upsert.xlsx",
)
PRODUCTS = ("products-and-offers.xlsx", "products.xlsx")

NOT_SHOWN = {
    "same-product": "of two rows, as duplicate-reference is",
    "reference-alike": "of two rows, as duplicate-reference is",
    "merged-cells": "of a sheet that was laid out to be read",
    "reference-rewritten": "of a program, and held",
    "country-read": "of countries, which offers have not",
    "placeholder": "of a program's export, and this was typed",
    "placeholder-doubtful": "of a program's export, and this was typed",
    "enum-accents": "of choices with accents, and the sample's are English",
    "text-too-long": "no spreadsheet program keeps such a cell",
    "encoding-guessed": "the sample in CSV is marked as UTF-8",
    "encoding-doubtful": "the sample in CSV is marked as UTF-8",
    "encoded-twice": "a mistake of whole files",
    "csv-quotes": "of a CSV, and this is a workbook",
    "dimension-wrong": "spreadsheet programs write it right",
    "xml-irregular": "of an Offers.xml, and this is a workbook",
    "schema-mismatch": "a contradiction in a profile, no mistake in a row",
    "not-a-row": "a total below the table, and no row of it",
    "request-incomplete": "of requests of several rows, which offers are not",
    "header-differs": "of requests of several rows, which offers are not",
    "variant-group-found": "of products, and found at the service alone",
    "vat-fraction": "a mistake of whole columns",
    "recipe-failed": "of a recipe, and a template needs none",
    "recipe-warning": "of a recipe, and a template needs none",
    "not-for-sale": "of a recipe, and a template needs none",
    "example-left": "of the first row of a template alone, which the sample fills",
    "sale-mark": "of a column that no template has",
    "sale-mark-unclear": "of a column that no template has",
}

MISTAKES: dict[int | None, tuple[str, ...]] = {
    None: (
        "deprecated-delivery-mode",
        "deprecated-field",
        "hidden-rows",
        "unknown-column",
        "modes-replaced",
        "identity-not-sent",
    ),
    **dict.fromkeys((4, 5), ("required-missing",)),
    6: ("required-missing", "required-missing"),
    7: ("gtin-format",),
    8: ("gtin-checksum",),
    **dict.fromkeys((9, 10), ("precision-lost",)),
    11: ("number-format",),
    12: ("number-ambiguous",),
    **dict.fromkeys((13, 14, 15), ("number-range",)),
    16: ("number-precision",),
    17: ("integer-required",),
    18: ("enum-value",),
    19: ("text-control-chars",),
    20: ("product-reference-format",),
    21: ("formula-error",),
    22: ("formula-no-cache",),
    **dict.fromkeys((23, 24), ("duplicate-reference",)),
    25: ("reference-format",),
    26: ("origin-price-below-price",),
    27: ("price-below-taxes",),
    28: ("field-retired",),
    29: ("date-in-number-cell",),
    30: ("boolean-in-cell",),
    31: ("delivery-incomplete",),
    32: ("too-many-columns",),
    33: ("nothing-to-update",),
    34: ("preparation-time-required",),
    35: ("taxes-incomplete", "taxes-incomplete"),
    38: ("trimmed",),
    39: ("gtin-padded",),
    40: ("percent-read",),
    43: ("length-advised",),
    **dict.fromkeys((44, 45), ("stock-differs",)),
}
"""Row, or None for the sheet → the codes of its problems.

Rows 3, 36, 37, 41, 42 and 46 have none."""

REFUSED = {
    "offers-upsert.xlsx": (
        *(40, "8000"),
        {
            **dict.fromkeys(("HAM-LOOSE-250", "OLIVES-LOOSE-1KG"), "1324"),
            **dict.fromkeys(("CHEESE-LOOSE-500", "TEA-LOOSE-250"), "1324"),
        },
    ),
    "offers-update.xlsx": (12, "9000", {"LAMP-RETIRED-2019": "3628"}),
}


def sample(name: str) -> CheckedSheet:
    (sheet,) = checked(SAMPLES / name)
    assert sheet.error is None
    return sheet


def contents(path: Path) -> dict[str, bytes]:
    if path.suffix == ".csv":
        return {path.name: path.read_bytes()}
    with ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist()}


def vocabulary() -> set[str]:
    """Every code that a cell, a row or a sheet of offers can have."""
    feeds = [feed for feed in load().feeds.values() if feed.sheet.name == "Offers"]
    kinds = {feed.kind for feed in feeds}
    types = {
        type(column.type) for feed in feeds for column in feed.sheet.understood(AccountSettings())
    }
    bases = {base.__module__ for type_ in types for base in type_.__mro__}
    modules = bases | {placeholders.__name__}
    column_codes = {
        value.name
        for module in modules
        if module.startswith("feedtool.feeds.columns.")
        for value in vars(import_module(module)).values()
        if isinstance(value, Code)
    }
    rules = (rule for rule in all_rules(load()) if any(map(rule.is_about, kinds)))
    return column_codes | {rule.code.name for rule in rules}


@pytest.mark.parametrize(
    ("script", "names"),
    [
        *(("make.py", OFFERS), ("make_products.py", PRODUCTS)),
        ("make_invoices.py", ("invoices.zip",)),
    ],
    ids=lambda parameter: parameter,
)
def test_samples_equal_freshly_made_ones(
    script: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    run_path(str(SAMPLES / script))["write_all"](tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(names)
    for name in names:
        made, kept = contents(tmp_path / name), contents(SAMPLES / name)
        assert made == kept, f"run `python samples/{script}`"


@pytest.mark.parametrize(
    ("name", "kind", "rows", "valid", "invalid", "warnings"),
    [
        ("offers-upsert.xlsx", "offers-upsert", 40, 40, 0, 0),
        ("offers-update.xlsx", "offers-update", 12, 12, 0, 0),
        ("offers-fr.csv", "offers-upsert", 12, 12, 0, 0),
        ("legacy-offers.xlsx", "legacy-offers", 13, 13, 0, 0),
        ("offers-mistakes.xlsx", "offers-upsert", 44, 12, 32, 12),
    ],
)
def test_counts(name: str, kind: str, rows: int, valid: int, invalid: int, warnings: int) -> None:
    sheet = sample(name)
    counts = sheet.counts()
    shown = (sheet.kind, counts.rows, counts.valid, counts.invalid, counts.warnings)
    assert shown == (kind, rows, valid, invalid, warnings)


def test_mistakes_are_found_in_their_rows() -> None:
    mistakes = {
        row: tuple(problem.code for problem in problems)
        for row, problems in sample("offers-mistakes.xlsx").problems_by_row()
    }
    assert mistakes == MISTAKES


def test_every_mistake_that_a_row_can_have_is_shown() -> None:
    shown = {code for codes in MISTAKES.values() for code in codes}
    assert shown == vocabulary() - NOT_SHOWN.keys()


def test_notes_name_the_code_that_is_found() -> None:
    sheet = load_workbook(SAMPLES / "offers-mistakes.xlsx")["Offers"]
    column = [cell.value for cell in sheet[2]].index("note")
    for row, codes in MISTAKES.items():
        if row is not None:
            assert str(sheet[row][column].value).partition(":")[0] == codes[0]


def test_french_amounts_are_read_as_france_writes_them() -> None:
    bodies = [orjson.loads(item.body) for item in sample("offers-fr.csv").valid_items()]
    machine = bodies[2]
    assert machine["price"]["price"] == 1299
    assert machine["price"]["taxes"][1] == {"code": "EcoPart", "value": 0.6}
    assert [body["condition"] for body in bodies[6:8]] == [
        "UsedLikeNew",
        "RefurbishedVeryGoodState",
    ]
    assert bodies[9]["price"]["taxes"][0] == {"code": "VAT", "value": 5.5}


def test_service_refuses_rows_that_a_check_cannot(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name, (rows, done, refused) in REFUSED.items():
        (result,) = desk.submit(SAMPLES / name).outcomes
        codes = {row.reference: row.messages[0].code for row in result.every_verdict()}
        assert len(codes) == rows
        assert {key: code for key, code in codes.items() if code != done} == refused
    desk.close()
