"""What rows hold is kept where it is asked for, whether they can be sent or not."""

from decimal import Decimal

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.sheet import CheckedSheet, Filled
from tests.conftest import Files, offer


def filled(files: Files, *rows: dict[str, str]) -> tuple[CheckedSheet, list[Filled]]:
    (sheet,) = check([Input("offers.csv", files.csv(*rows))], ReadOptions(with_values=True), load())
    return sheet, list(sheet.filled or ())


def test_values_as_they_were_read(files: Files) -> None:
    _, [one] = filled(files, offer(1, price__price="1 299,00", condition="neuf"))
    assert (one.row, one.line, one.kind) == (2, 2, "offers-upsert")
    values = one.values()
    assert values["price.price"] == Decimal(1299)
    assert (values["condition"], values["quantity"]) == ("New", 7)
    assert "taxes.EcoPart" not in values


def test_what_is_no_value_is_kept_as_it_is_shown(files: Files) -> None:
    rows = offer(1, price__price="a lot", product__gtin="12 3"), offer(2, PackagingUnit="Kilogram")
    _, [one, other] = filled(files, *rows)
    assert (one.values()["price.price"], one.values()["product.gtin"]) == ("a lot", "12 3")
    assert other.values()["PackagingUnit"] == "Kilogram"


def test_an_action_says_the_kind_of_its_row(files: Files) -> None:
    _, found = filled(files, offer(1) | {"action": "Upsert"}, offer(2) | {"action": "Delete"})
    assert [one.kind for one in found] == ["offers-upsert", "offers-delete"]


def test_a_second_reading_keeps_no_row_twice(files: Files) -> None:
    _, found = filled(files, offer(1, price__price="1,234"), offer(2, price__price="19,99"))
    assert [one.values().get("price.price") for one in found] == ["1,234", Decimal("19.99")]


def test_nothing_is_kept_unasked(files: Files) -> None:
    (sheet,) = check([Input("offers.csv", files.csv(offer(1)))], ReadOptions(), load())
    assert sheet.filled is None
