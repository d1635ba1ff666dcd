"""What kind of feed a sheet is: its stamp, else its headers, and never by guessing a Delete."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.packaging.custom import StringProperty

from feedtool.dialect import Dialect
from tests.conftest import Files, checked, offer, table, update

COST = "deliveryModes.TrackedHomeDelivery.cost"
ADDITIONAL = "deliveryModes.TrackedHomeDelivery.additionalCost"
FIXED = {
    "deliveryModes.FixedDateHomeDelivery.cost": "30",
    "deliveryModes.FixedDateHomeDelivery.additionalCost": "5",
}


def without(*fields: str) -> dict[str, str]:
    return {key: value for key, value in offer().items() if key not in fields}


KINDS = {
    "all that an Upsert requires": (offer(), "offers-upsert"),
    "a product reference instead of the GTIN": (
        without("product.gtin") | {"product.reference": "R"},
        "offers-upsert",
    ),
    "a large-parcel mode instead of the mandatory one": (
        without(COST, ADDITIONAL) | FIXED,
        "offers-upsert",
    ),
    "no product": (without("product.gtin"), "offers-update"),
    "no condition": (without("condition"), "offers-update"),
    "no preparation time": (without("preparationTime"), "offers-update"),
    "no VAT": (without("taxes.VAT"), "offers-update"),
    "half of the mandatory mode": (without(ADDITIONAL), "offers-update"),
    "reference and stock": (update(quantity="5"), "offers-update"),
    "reference and one tax": (update(taxes__DEA="0"), "offers-update"),
    "reference and one mode": (update() | FIXED, "offers-update"),
    "reference and action": (update(action="Delete"), "offers-delete"),
    "reference, channel and action": (
        update(action="Delete", salesChannelId="P"),
        "offers-delete",
    ),
}
MISSING = {
    "reference and condition": (update(condition="New"), ["price.price"]),
    "reference and channel, never a Delete": (update(salesChannelId="P"), ["price.price"]),
    "no reference": (without("sellerExternalReference"), ["sellerExternalReference"]),
    "identity alone": (update(product__gtin="4006381333931", condition="New"), ["price.price"]),
}


@pytest.mark.parametrize(("row", "kind"), KINDS.values(), ids=KINDS)
def test_recognised_from_headers(files: Files, row: Mapping[str, str], kind: str) -> None:
    (sheet,) = checked(files.csv(row))
    assert (sheet.error, sheet.kind) == (None, kind)


@pytest.mark.parametrize(("row", "columns"), MISSING.values(), ids=MISSING)
def test_columns_are_missing_and_named(
    files: Files, row: Mapping[str, str], columns: Sequence[str]
) -> None:
    (sheet,) = checked(files.csv(row))
    assert sheet.error is not None
    assert sheet.error.code == "header-missing"
    assert sheet.error.exit == 3
    assert all(column in sheet.error.message for column in columns)
    assert "--as" in sheet.error.hint


@pytest.mark.parametrize("kind", ["offers-upsert", "offers-update", "offers-delete"])
def test_as_overrides(files: Files, kind: str) -> None:
    (sheet,) = checked(files.csv(offer(taxes__EcoPart="0", taxes__DEA="0")), kind=kind)
    assert (sheet.error, sheet.kind) == (None, kind)
    assert {item.package_type for item in sheet.items} == {kind.removeprefix("offers-").title()}


def test_a_delete_asked_for_needs_the_reference_alone(files: Files) -> None:
    (sheet,) = checked(files.csv({"sellerExternalReference": "SKU-1"}), kind="offers-delete")
    assert sheet.error is None
    assert [item.body for item in sheet.items] == [b'{"sellerExternalReference":"SKU-1"}']


def test_a_single_known_header_is_a_header_only_where_its_kind_is_known(files: Files) -> None:
    path = files.csv({"sellerExternalReference": "SKU-1"})
    stray = files.csv({"colour": "red"}, name="stray.csv")
    for sheet in (*checked(path), *checked(stray, kind="offers-delete")):
        assert sheet.error is not None
        assert sheet.error.code == "header-not-found"


def test_an_upsert_asked_for_names_what_is_missing(files: Files) -> None:
    (sheet,) = checked(files.csv(update(quantity="5")), kind="offers-upsert")
    assert sheet.error is not None
    assert sheet.error.code == "header-missing"
    assert "condition" in sheet.error.message


def test_which_mode_an_upsert_requires_is_a_setting(files: Files) -> None:
    path = files.csv(without(COST, ADDITIONAL))
    (sheet,) = checked(path, dialect=Dialect(mandatory_mode=None))
    assert sheet.kind == "offers-upsert"


def stamped(path: Path, kind: str) -> Path:
    book = load_workbook(path)
    book.custom_doc_props.append(  # type: ignore[attr-defined]  # the stubs do not know it
        StringProperty(name="feedtool.template", value=kind)
    )
    book.save(path)
    return path


@pytest.mark.parametrize("kind", ["offers-upsert", "offers-update", "offers-delete"])
def test_the_templates_stamp_goes_before_the_headers(files: Files, kind: str) -> None:
    (sheet,) = checked(stamped(files.book({"Offers": [offer()]}), kind))
    assert (sheet.error, sheet.kind) == (None, kind)


def test_as_goes_before_the_stamp(files: Files) -> None:
    path = stamped(files.book({"Offers": [offer()]}), "offers-delete")
    (sheet,) = checked(path, kind="offers-update")
    assert sheet.kind == "offers-update"


@pytest.mark.parametrize("stamp", ["offers-purge", "products", ""])
def test_a_stamp_that_nobody_knows_is_no_stamp(files: Files, stamp: str) -> None:
    (sheet,) = checked(stamped(files.book({"Offers": [offer()]}), stamp))
    assert sheet.kind == "offers-upsert"


ACTIONS = {
    "each its own": (["Upsert", "Update", "Delete"], ["Upsert", "Update", "Delete"]),
    "blank is the sheet's kind": (["", "Delete", ""], ["Upsert", "Delete", "Upsert"]),
    "in any case": (["DELETE", "delete ", "upsert"], ["Delete", "Delete", "Upsert"]),
}


@pytest.mark.parametrize(("actions", "types"), ACTIONS.values(), ids=ACTIONS)
def test_an_action_splits_a_sheet(
    files: Files, actions: Sequence[str], types: Sequence[str]
) -> None:
    rows = [
        offer(number, action=action, taxes__EcoPart="0", taxes__DEA="0")
        for number, action in enumerate(actions)
    ]
    (sheet,) = checked(files.csv(*rows))
    assert [item.package_type for item in sheet.valid_items()] == types


def test_an_unknown_action_is_refused_and_nothing_else_is_said(files: Files) -> None:
    (sheet,) = checked(files.csv(offer(1, action="Purge"), offer(2, action="Upsert")))
    assert [(one.row, one.field, one.code) for one in sheet.problems()] == [
        (2, "action", "enum-value")
    ]


def test_a_channel_splits_a_sheet(files: Files) -> None:
    rows = [offer(1, salesChannelId="SECOND"), offer(2, salesChannelId=""), offer(3)]
    (sheet,) = checked(files.text(table(rows)), channel="THIRD")
    assert [item.channel for item in sheet.items] == ["SECOND", "THIRD", "THIRD"]


NOT_SENT = {
    "a GTIN in an Update": update(price__price="1", product__gtin="12345"),
    "a condition in an Update": update(price__price="1", condition="As new"),
    "a price in a Delete": update(price__price="cheap", action="Delete"),
    "an error in a Delete": update(quantity="#N/A", action="Delete"),
}


@pytest.mark.parametrize("row", NOT_SENT.values(), ids=NOT_SENT)
def test_a_cell_that_is_not_sent_keeps_no_row_back(files: Files, row: Mapping[str, str]) -> None:
    (sheet,) = checked(files.csv(row))
    assert sheet.is_clean()
    assert {problem.severity for problem in sheet.problems()} <= {"warning"}
