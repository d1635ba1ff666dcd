"""Competing offers, as a table."""

import csv
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.areas.competition.export import EXPORTS
from feedtool.areas.competition.wire import FIELDS
from feedtool.model.errors import NothingToDo
from tests.answers import Answers, exported
from tests.conftest import gtin

OFFERS, CHANGES = EXPORTS


def product(ean: str, *sellers: str) -> dict[str, Any]:
    """A product, and its other sellers."""
    offers = [{"seller": {"name": name}, "price": 9.9, "is_available": True} for name in sellers]
    return {"product": {"product_ean": ean}, "last_change_date": "2026", "offers": offers}


def own(number: int, **changes: Any) -> dict[str, Any]:
    return {"sellerExternalReference": f"A-{number}", "product": {"gtin": gtin(number)}, **changes}


def records(path: Path) -> list[tuple[str, str]]:
    """EAN and seller of each row."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [(row["product.product_ean"], row["seller.name"]) for row in csv.DictReader(file)]


def test_a_row_for_each_offer_and_for_a_product_without(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    answers = Answers([product("0012", "Alder", "Brume"), product("0013")])
    found = exported(OFFERS, target, service=answers, product=("0012", "0013", "14"))
    assert records(target) == [("0012", "Alder"), ("0012", "Brume"), ("0013", "")]
    assert (found.rows, found.skipped) == (3, 1)
    assert [text for text, _, _ in found.notes] == ["the service knows nothing of 1 product"]
    assert [dict(call.query) for call in answers.calls] == [{"products": "0012&0013&14"}]


def test_the_sellers_own_products_are_asked_for_once_each(tmp_path: Path) -> None:
    offers = [own(1), own(2, product=None), own(3), own(1, sellerExternalReference="B")]
    answers = Answers(offers, [product(gtin(1), "Alder")])
    answers.ends_after(0)
    exported(OFFERS, tmp_path / "table.csv", service=answers, channel="P")
    asked, of = answers.calls
    assert dict(asked.query) == {"salesChannelId": "P", "limit": "1000", "fields": "product"}
    assert dict(of.query) == {"products": f"{gtin(1)}&{gtin(3)}"}


def test_long_lists_of_products_are_split_into_calls(tmp_path: Path) -> None:
    names = tuple(f"{number:013d}" for number in range(500))
    answers = Answers(*[[product(name, "Alder")] for name in names[:3]])
    for number in range(3):
        answers.ends_after(number)
    exported(OFFERS, tmp_path / "x.csv", service=answers, product=names)
    asked = [name for call in answers.calls for name in dict(call.query)["products"].split("&")]
    assert tuple(asked) == names
    assert len(answers.calls) == 3


@pytest.mark.parametrize(
    ("language", "name", "label"),
    [
        ("en", "Competing offer changes", "Seller"),
        ("fr", "Changements des concurrents", "Vendeur"),
    ],
)
def test_a_workbook_to_filter(tmp_path: Path, language: Any, name: str, label: str) -> None:
    target = tmp_path / "table.xlsx"
    exported(
        CHANGES, target, [product("0012", "=Alder")], [product("1", "Brume")], language=language
    )
    sheet = load_workbook(target)[name]
    keys = [cell.value for cell in sheet[2]]
    assert keys == list(FIELDS)
    at = keys.index("seller.name")
    assert (sheet[1][at].value, sheet[3][at].value) == (label, "=Alder")
    assert sheet[3][keys.index("price")].value == 9.9
    assert sheet[3][0].value == "0012"
    assert sheet.auto_filter.ref == "A2:Q4"


def test_an_empty_export_writes_no_file(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    with pytest.raises(NothingToDo, match="tells of no competing offers"):
        exported(CHANGES, target, [])
    with pytest.raises(NothingToDo, match="no offers with a GTIN on the channel P"):
        exported(OFFERS, target, [], channel="P")
    assert list(tmp_path.iterdir()) == []
