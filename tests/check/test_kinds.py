"""The kind of feed of a sheet: by its stamp, else its headers, and never a guessed Delete."""

from collections.abc import Mapping, Sequence

import pytest
from openpyxl import load_workbook
from openpyxl.packaging.custom import StringProperty

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.check.kinds import KindUnclear
from feedtool.model.files import LISTED
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, checked, codes, gtin, offer, properties_of, refused, table, update

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
    "no GTIN": (without("product.gtin") | {"product.reference": "R"}, "offers-upsert"),
    "a large-parcel mode alone": (without(COST, ADDITIONAL) | FIXED, "offers-upsert"),
    "reference, price and stock": (update(price__price="5", quantity="5"), "offers-update"),
    "reference and a struck price": (update(price__originPrice="5"), "offers-update"),
    "a stock list that names products": (
        *(update(product__gtin=gtin(1), quantity="5", preparationTime="2"), "offers-update"),
    ),
    "a stock list with a column that nobody knows": (
        *(update(product__reference="R", quantity="5") | {"colour": "red"}, "offers-update"),
    ),
    "two prices": (update(price__price="5") | {"Purchase price": "3"}, "offers-update"),
    "reference and stock": (update(quantity="5"), "offers-update"),
    "reference and one tax": (update(taxes__DEA="0"), "offers-update"),
    "reference and one mode": (update() | FIXED, "offers-update"),
    "reference and action": (update(action="Delete"), "offers-delete"),
    "reference, channel and action": (update(action="Delete", salesChannelId="P"), "offers-delete"),
}
NAMED = {"product__gtin": gtin(1), "quantity": "5"}
UNCLEAR = {
    "no product": (without("product.gtin"), "product.gtin"),
    "no condition": (without("condition"), "condition"),
    "no preparation time": (without("preparationTime"), "preparationTime"),
    "no VAT": (without("taxes.VAT"), "taxes.VAT"),
    "no delivery": (without("taxes.VAT", COST, ADDITIONAL), f"taxes.VAT, {COST}, {ADDITIONAL}"),
    "half of the mandatory mode": (without(ADDITIONAL), ADDITIONAL),
    "prices and products": (update(price__price="5", **NAMED), "condition, taxes.VAT"),
    "struck prices and products": (update(price__originPrice="5", **NAMED), "price.price"),
    "a stock list with conditions": (update(condition="New", quantity="5"), "product.gtin"),
    "products with a lead time": (update(product__gtin=gtin(1), preparationTime="5"), "quantity"),
}
WAREHOUSE = {"storageCountry": "FR", "supplyMode": "Fulfillment"}
INBOUND = {
    "reference": "PO-1",
    **WAREHOUSE,
    "gtin": gtin(1),
    "productCondition": "New",
    "quantity": "5",
}
RETURN = {
    "outboundShipmentId": "4b1d8c9e-0000-4000-8000-000000000001",
    "reference": "R-1",
    "reason": "Damaged",
    "productId": gtin(1),
    "productCondition": "New",
    "quantity": "1",
}
PRODUCT = {"gtin": gtin(1), "sellerProductReference": "A", "productCondition": "New"}
SIZES = {"dimensionMinimum": "1", "dimensionMedium": "2", "dimensionMaximum": "3"}
OF_WAREHOUSES = {
    "a shipment to send": (INBOUND, "inbound-shipments"),
    "an export of shipments": (INBOUND | {"inboundShipmentId": "I"}, "inbound-shipments"),
    "a return to announce": (RETURN, "returns"),
    "an export of returns": ({"returnId": "T", **RETURN, "type": "Customer"}, "returns"),
    "products of a warehouse": (PRODUCT | {"label": "L"} | SIZES, "fulfillment-products"),
    "invoices": ({"orderId": "O1", "file": "1.pdf"}, "invoices"),
    "labels": (
        {
            "Référence": "PO-1",
            "Pays de stockage": "FR",
            "Mode d'approvisionnement": "Xdock",
            "GTIN (EAN)": gtin(1),
            "État": "New",
            "Quantité": "5",
        },
        "inbound-shipments",
    ),
}
"""Kinds that share columns with offers, and are known by one that offers do not have."""
INCOMPLETE = {
    "no mode": ("supplyMode", "inbound-shipments needs the column supplyMode"),
    "no country": ("storageCountry", "inbound-shipments needs the column storageCountry"),
    "no reference": ("reference", "inbound-shipments needs the column reference"),
    "no condition": ("productCondition", "inbound-shipments needs the column productCondition"),
}
OF_OFFERS = {
    "a stock list with a country": (
        *(update(product__gtin=gtin(1), quantity="5") | {"storageCountry": "FR"}, "offers-update"),
    ),
    "offers with a country": (offer() | WAREHOUSE, "offers-upsert"),
    "offers with a file": (offer() | {"file": "1.jpg", "orderId": "O"}, "offers-upsert"),
    "offers with sizes": (offer() | SIZES, "offers-upsert"),
    "a stock list with short headers": (
        {"Reference": "A", "GTIN": gtin(1), "Quantity": "5", "Pays de stockage": "FR"},
        "offers-update",
    ),
    "a stock list with returns": (
        *(update(product__gtin=gtin(1), quantity="5") | {"returnId": "T"}, "offers-update"),
    ),
}
"""Sheets of offers with such a column of the user's own."""
PRICES = (
    *("Prix conseillé HT", "PRIX_HT", "Sale price", "Precio final", "PVP", "Tarif 2026", "RRP"),
    *("Tarifa", "pvc_ttc", "prixPublic", "Verkaufspreis", "Prezzo"),
)
NO_PRICES = ("Enterprise", "Precious metal", "Tariff code", "Coste", "Prise")

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
    assert sheet.kind_reason


@pytest.mark.parametrize(
    ("row", "kind"),
    [*OF_WAREHOUSES.values(), *OF_OFFERS.values()],
    ids=[*OF_WAREHOUSES, *OF_OFFERS],
)
def test_a_kind_is_known_by_its_own_column(files: Files, row: Mapping[str, str], kind: str) -> None:
    (sheet,) = checked(files.csv(row))
    assert (sheet.error, sheet.kind) == (None, kind)


@pytest.mark.parametrize(("key", "message"), INCOMPLETE.values(), ids=INCOMPLETE)
def test_no_hint_makes_a_shipment_an_update(files: Files, key: str, message: str) -> None:
    error = refused(files.csv({name: text for name, text in INBOUND.items() if name != key}))
    assert (error.code, error.message) == ("header-missing", message)
    assert "offers-update" not in error.hint
    assert "feedtool map" not in error.hint


MESSAGE = {"discussionId": "D", "orderId": "O", "hasRead": "true", "body": "Hello"}
TRACKED = {"orderId": "O", "parcelNumber": "P", "carrierName": "UPS", "event.status": "Lost"}
ASKED = {"orderId": "O", "requestId": "R", "status": "Accepted", "amount": "5"}
LISTS = {
    "messages": MESSAGE,
    "gestures": ASKED,
    "attachments": {"discussionId": "D", "orderId": "O", "attachmentId": "A", "file": "1.png"},
    "order-tracking": TRACKED | {"refreshedAt": "2026-11-28"},
}


@pytest.mark.parametrize(("export", "row"), LISTS.items(), ids=LISTS)
def test_a_list_to_look_at_is_named_and_not_sent(
    files: Files, export: str, row: Mapping[str, str]
) -> None:
    error = refused(files.csv(row))
    assert error.code == "never-sent"
    assert f"`feedtool export {export}`" in error.message


def test_a_list_with_an_action_of_the_users_own_is_a_sheet(files: Files) -> None:
    (sheet,) = checked(files.csv(ASKED | {"action": "Accept"}))
    assert (sheet.error, sheet.kind) == (None, "orders")


def test_a_workbook_of_a_list_is_known_by_its_property(files: Files) -> None:
    path = files.book({"Parcels": [TRACKED]})
    (sheet,) = checked(path)
    assert (sheet.error, sheet.kind) == (None, "shipments")
    book = load_workbook(path)
    properties_of(book).append(StringProperty(name=LISTED, value="order-tracking"))
    book.save(path)
    assert refused(path).code == "never-sent"
    (meant,) = checked(path, kind="shipments")
    assert (meant.error, meant.kind) == (None, "shipments")


def test_a_list_beside_a_sheet_does_not_affect_it(files: Files) -> None:
    (sheet,) = checked(files.book({"Messages": [MESSAGE], "Mine": [offer()]}))
    assert (sheet.error, sheet.kind) == (None, "offers-upsert")


def test_a_list_of_attachments_holds_no_invoices(files: Files) -> None:
    error = refused(files.csv({"orderId": "O1", "discussionId": "D1", "file": "1.pdf"}))
    assert error.code in {"header-missing", "header-not-found"}


@pytest.mark.parametrize(("row", "lacks"), UNCLEAR.values(), ids=UNCLEAR)
def test_new_offers_that_lack_columns_are_no_update(
    files: Files, row: Mapping[str, str], lacks: str
) -> None:
    path = files.csv(row)
    (sheet,) = checked(path)
    assert sheet.error is not None
    assert (sheet.error.code, sheet.error.exit) == ("kind-unclear", 3)
    assert lacks in sheet.error.message
    assert "say --as offers-update" in sheet.error.hint
    (meant,) = checked(path, kind="offers-update")
    assert (meant.error, meant.kind, meant.kind_reason) == (None, "offers-update", "as asked")
    (stamped_,) = checked(files.book({"Offers": [row]}, template="offers-update"))
    assert (stamped_.error, stamped_.kind_reason) == (None, "as its template says")


@pytest.mark.parametrize("header", PRICES)
@pytest.mark.parametrize("product", [{}, {"GTIN": gtin(1)}], ids=["no product", "a product"])
def test_a_price_that_is_not_understood_is_no_update(
    files: Files, header: str, product: dict[str, str]
) -> None:
    error = refused(files.csv({"Ref": "SKU-1", **product, "Stock": "5", header: "9.90"}))
    assert error.code == "kind-unclear"
    assert f"“{header}” looks like a price" in error.message
    assert "[columns]" in error.hint


@pytest.mark.parametrize("header", NO_PRICES)
def test_headers_that_are_no_price_are_unknown_columns(files: Files, header: str) -> None:
    (sheet,) = checked(files.csv(update(quantity="5") | {header: "1"}))
    assert (sheet.error, sheet.kind) == (None, "offers-update")


@pytest.mark.parametrize("kind", ["offers-upsert", "offers-update"])
def test_the_answer_to_a_question_settles_the_kind(files: Files, kind: str) -> None:
    asked: list[tuple[str, str | None]] = []

    def settle(file: str, sheet: str | None, unclear: KindUnclear) -> str:
        assert unclear.kinds == ("offers-upsert", "offers-update")
        asked.append((file, sheet))
        return kind

    book = files.book({"Good": [offer(1)], "Unclear": [without("taxes.VAT")]})
    sheets = check([Input("a.xlsx", book)], ReadOptions(settle=settle), load())
    assert asked == [("a.xlsx", "Unclear")]
    if kind == "offers-update":
        kinds = [("Good", "offers-upsert"), ("Unclear", "offers-update")]
        assert [(one.sheet, one.kind) for one in sheets] == kinds
    else:
        assert [one.error and one.error.code for one in sheets] == ["header-missing"]


def test_an_unclear_sheet_is_never_passed_over(files: Files) -> None:
    book = files.book({"Good": [offer(1)], "Unclear": [without("taxes.VAT")]})
    error = refused(book)
    assert (error.code, error.message.startswith("sheet “Unclear”: ")) == ("kind-unclear", True)
    assert "--sheet" in error.hint
    assert checked(book, sheets=["Good"])[0].kind == "offers-upsert"


def test_each_row_of_an_unclear_sheet_needs_its_action(files: Files) -> None:
    rows = [offer(n, taxes__VAT=None, action=it) for n, it in enumerate(("Update", ""))]
    (sheet,) = checked(files.csv(*rows))
    assert sheet.error is None
    assert [item.package_type for item in sheet.valid_items()] == ["Update"]
    assert (3, "required-missing") in codes(sheet)


@pytest.mark.parametrize(("row", "columns"), MISSING.values(), ids=MISSING)
def test_columns_are_missing_and_named(
    files: Files, row: Mapping[str, str], columns: Sequence[str]
) -> None:
    error = refused(files.csv(row))
    assert error.code == "header-missing"
    assert error.exit == 3
    assert all(column in error.message for column in columns)
    assert "say with --as" in error.hint


@pytest.mark.parametrize("kind", ["offers-upsert", "offers-update", "offers-delete"])
def test_an_asked_kind_overrides_the_headers(files: Files, kind: str) -> None:
    (sheet,) = checked(files.csv(offer(taxes__EcoPart="0", taxes__DEA="0")), kind=kind)
    assert (sheet.error, sheet.kind) == (None, kind)
    assert {item.package_type for item in sheet.rows.items} == {
        kind.removeprefix("offers-").title()
    }


def test_an_asked_delete_needs_only_the_reference(files: Files) -> None:
    (sheet,) = checked(files.csv({"sellerExternalReference": "SKU-1"}), kind="offers-delete")
    assert sheet.error is None
    assert [item.body for item in sheet.rows.items] == [b'{"sellerExternalReference":"SKU-1"}']


def test_a_single_known_header_is_a_header_only_where_its_kind_is_known(files: Files) -> None:
    path = files.csv({"sellerExternalReference": "SKU-1"})
    stray = files.csv({"colour": "red"}, name="stray.csv")
    for sheet in (*checked(path), *checked(stray, kind="offers-delete")):
        assert sheet.error is not None
        assert sheet.error.code == "header-not-found"


def test_an_asked_upsert_names_the_missing_columns(files: Files) -> None:
    error = refused(files.csv(update(quantity="5")), kind="offers-upsert")
    assert error.code == "header-missing"
    assert "condition" in error.message
    assert "--as" not in error.hint
    assert "`feedtool template offers-upsert`" in error.hint


def test_the_mode_that_an_upsert_requires_is_a_setting(files: Files) -> None:
    path = files.csv(without(COST, ADDITIONAL))
    (sheet,) = checked(path, dialect=AccountSettings(mandatory_mode=None))
    assert sheet.kind == "offers-upsert"


STAMPS: dict[str, tuple[str, str | None, str]] = {
    "an Upsert": ("offers-upsert", None, "offers-upsert"),
    "an Update": ("offers-update", None, "offers-update"),
    "a Delete": ("offers-delete", None, "offers-delete"),
    "what is asked for goes before": ("offers-delete", "offers-update", "offers-update"),
    "a kind that nobody knows": ("offers-purge", None, "offers-upsert"),
    "the kind of another sheet": ("products", None, "offers-upsert"),
    "nothing": ("", None, "offers-upsert"),
}


@pytest.mark.parametrize(("stamp", "asked", "kind"), STAMPS.values(), ids=STAMPS)
def test_a_stamp_goes_before_the_headers(
    files: Files, stamp: str, asked: str | None, kind: str
) -> None:
    (sheet,) = checked(files.book({"Offers": [offer()]}, template=stamp), kind=asked)
    assert (sheet.error, sheet.kind) == (None, kind)


def test_a_sheet_beside_that_of_a_template_may_be_anything(files: Files) -> None:
    catalogue = [{"SKU": "A", "EAN": gtin(1), "Price": "9.90", "Stock": "1"}]
    sheets = {"Offers": [offer()], "My catalogue": catalogue}
    found = [sheet.error and sheet.error.code for sheet in checked(files.book(sheets))]
    assert found == ["kind-unclear"]
    stamped = checked(files.book(sheets, template="offers-upsert"))
    assert [sheet.sheet for sheet in stamped] == ["Offers"]


ACTIONS = {
    "each its own": (["Upsert", "Update", "Delete"], ["Upsert", "Update", "Delete"]),
    "blank is the sheet's kind": (["", "Delete", ""], ["Upsert", "Delete", "Upsert"]),
    "in any case": (["DELETE", "delete ", "upsert"], ["Delete", "Delete", "Upsert"]),
}


@pytest.mark.parametrize(("actions", "types"), ACTIONS.values(), ids=ACTIONS)
def test_an_action_splits_a_sheet(
    files: Files, actions: Sequence[str], types: Sequence[str]
) -> None:
    taxes = {"taxes.EcoPart": "0", "taxes.DEA": "0"}
    rows = (offer(number, action=action) | taxes for number, action in enumerate(actions))
    (sheet,) = checked(files.csv(*rows))
    assert [item.package_type for item in sheet.valid_items()] == types


def test_an_unknown_action_is_the_only_problem_of_its_row(files: Files) -> None:
    (sheet,) = checked(files.csv(offer(1, action="Purge"), offer(2, action="Upsert")))
    assert [(problem.row, problem.field) for problem in sheet.problems()] == [(2, "action")]
    assert codes(sheet) == [(2, "enum-value")]


def test_a_channel_splits_a_sheet(files: Files) -> None:
    rows = [offer(1, salesChannelId="SECOND"), offer(2, salesChannelId=""), offer(3)]
    (sheet,) = checked(files.text(table(rows)), channel="THIRD")
    assert [item.channel for item in sheet.rows.items] == ["SECOND", "THIRD", "THIRD"]


NOT_SENT = {
    "a GTIN in an Update": update(quantity="1", product__gtin="12345"),
    "a condition in an Update": update(quantity="1", condition="As new", action="Update"),
    "a price in a Delete": update(price__price="cheap", action="Delete"),
    "an error in a Delete": update(quantity="#N/A", action="Delete"),
}


@pytest.mark.parametrize("row", NOT_SENT.values(), ids=NOT_SENT)
def test_a_cell_that_is_not_sent_keeps_no_row_back(files: Files, row: Mapping[str, str]) -> None:
    (sheet,) = checked(files.csv(row))
    assert sheet.is_clean()
    assert {problem.severity for problem in sheet.problems()} <= {"warning"}
