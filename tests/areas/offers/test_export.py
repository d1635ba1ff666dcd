"""Offers of the service as rows: what is taken over, what is left empty, what is left out."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedtool.areas.offers.columns import CONDITIONS
from feedtool.areas.offers.export import EXPORT
from feedtool.areas.offers.rows import OfferRows
from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.offers.wire.offers import offer_of
from feedtool.areas.registry import load
from feedtool.check.summary_rows import TOTALS
from feedtool.feeds.columns.placeholders import placeholder_issues
from feedtool.model.cells import folded
from feedtool.model.errors import NotAuthorised, NothingToDo, UsageProblem
from feedtool.model.settings import LARGE_PARCEL_MODES, SMALL_PARCEL_MODES, AccountSettings
from feedtool.report.file import Exported
from feedtool.service.answers import loads
from tests.answers import Answers
from tests.answers import exported as export
from tests.conftest import checked, codes, gtin

VAT = {"code": "VAT", "value": 20}
ECO = {"code": "EcoPart", "value": 0.12}
DEA = {"code": "DEA", "value": 0}
TRACKED = {"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}


def cells_of(mode: str) -> dict[str, Decimal]:
    """The amounts of TRACKED as cells of a mode."""
    amounts = {"cost": Decimal("4.9"), "additionalCost": Decimal("1.5")}
    return {f"deliveryModes.{mode}.{name}": amount for name, amount in amounts.items()}


TRACKED_CELLS = cells_of("TrackedHomeDelivery")


def offer(
    reference: str = "A-1",
    taxes: list[dict[str, Any]] | None = None,
    modes: list[dict[str, Any]] | None = None,
    supply: str | None = "Seller",
    **more: Any,
) -> dict[str, Any]:
    """An offer as the service shows it."""
    delivery = {
        "supplyMode": supply,
        "preparationTime": 2,
        "quantity": 7,
        "deliveryModes": [TRACKED] if modes is None else modes,
    }
    return {
        "offerId": f"S_{reference}_New_PRIMARY",
        "sellerExternalReference": reference,
        "product": {"gtin": "3760452700039", "reference": None},
        "condition": "New",
        "integrationPrice": {"price": 11.5, "taxes": [VAT, ECO, DEA] if taxes is None else taxes},
        "deliveryOffers": [delivery],
        **more,
    }


def row(item: Mapping[str, Any], dialect: AccountSettings | None = None) -> dict[str, Any]:
    """The exported row of an offer, without blanks."""
    read = offer_of(loads(json.dumps(item).encode()))
    made = OfferRows(dialect or AccountSettings(), "fr").row(read, "PRIMARY", Counter())
    return {key: value for key, value in made.items() if value is not None}


def test_an_offer_is_all_that_can_be_sent_of_it() -> None:
    assert row(offer()) == {
        "sellerExternalReference": "A-1",
        "product.gtin": "3760452700039",
        "condition": "Neuf",
        "price.price": Decimal("11.5"),
        "taxes.VAT": 20,
        "taxes.EcoPart": Decimal("0.12"),
        "taxes.DEA": 0,
        **TRACKED_CELLS,
        "preparationTime": 2,
        "quantity": 7,
        "salesChannelId": "PRIMARY",
    }


OTHERWISE = AccountSettings(
    records=(
        OfferSettings(
            tax_codes={"VAT": "tva", "EcoPart": "Ecotax", "DEA": "Deatax"},
            vat_scale=1,
            delivery_modes=("Drone",),
        ),
    )
)
USUAL = AccountSettings()
SIGNED = {"code": "SignedHomeDelivery", "cost": 9}
CELLS: dict[str, tuple[dict[str, Any], AccountSettings, dict[str, Any]]] = {
    "taxes in any case": (
        *({"taxes": [{**VAT, "code": "vat"}, ECO, DEA]}, USUAL),
        {"taxes.VAT": 20, "taxes.EcoPart": Decimal("0.12"), "taxes.DEA": 0},
    ),
    "a tax that is not listed is zero": (
        *({"taxes": [VAT]}, USUAL),
        {"taxes.VAT": 20, "taxes.EcoPart": 0, "taxes.DEA": 0},
    ),
    "no taxes": ({"taxes": []}, USUAL, {}),
    "without VAT the rest would be all there is": ({"taxes": [ECO, DEA]}, USUAL, {}),
    "a tax that nobody knows": ({"taxes": [VAT, {"code": "Moon", "value": 1}]}, USUAL, {}),
    "taxes as the profile calls them, in its scale": (
        {"taxes": [{"code": "TVA", "value": 0.055}, {"code": "Ecotax", "value": 1}]},
        *(OTHERWISE, {"taxes.VAT": Decimal("5.5"), "taxes.EcoPart": 1, "taxes.DEA": 0}),
    ),
    "the usual mode": ({"modes": [TRACKED]}, USUAL, TRACKED_CELLS),
    "no modes": ({"modes": []}, USUAL, {}),
    "half a mode": ({"modes": [TRACKED, SIGNED]}, USUAL, {}),
    "a mode that nobody knows": ({"modes": [TRACKED, {**TRACKED, "code": "Drone"}]}, USUAL, {}),
    "the profile's mode": ({"modes": [{**TRACKED, "code": "Drone"}]}, OTHERWISE, cells_of("Drone")),
    "a retiring mode": ({"modes": [{**TRACKED, "code": "Express"}]}, USUAL, cells_of("Express")),
}


@pytest.mark.parametrize(("given", "dialect", "expected"), CELLS.values(), ids=CELLS)
def test_taxes_and_delivery_modes_are_all_or_none(
    given: dict[str, Any], dialect: AccountSettings, expected: Mapping[str, Any]
) -> None:
    family = "taxes." if "taxes" in given else "deliveryModes."
    cells = row(offer(**given), dialect)
    assert {key: value for key, value in cells.items() if key.startswith(family)} == expected


def exported(
    target: Path, *pages: list[dict[str, Any]], kind: str = "offers-update", **asked: Any
) -> Exported:
    return export(EXPORT, target, *pages, as_=load().feeds[kind], **asked)


def references(path: Path, key: str = "sellerExternalReference") -> list[str]:
    head, *records = path.read_text("utf-8-sig").splitlines()
    return [record.split(",")[head.split(",").index(key)] for record in records]


def test_an_offer_on_two_pages_is_one_row_of_its_last_state(tmp_path: Path) -> None:
    target = tmp_path / "offers.csv"
    later = offer("A", modes=[{**TRACKED, "cost": 8}])
    assert exported(target, [offer("A"), offer("B")], [later]).rows == 2
    assert references(target, "deliveryModes.TrackedHomeDelivery.cost") == ["8", "4.9"]


LEFT_OUT = {
    "another delivers": (offer("B", supply="Fulfillment"), "1 offer delivered by Fulfillment", 0),
    "no reference": (offer("B", sellerExternalReference=None), "without a sellerExternal", 1),
}


@pytest.mark.parametrize(("item", "told", "losses"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_leaves_out(tmp_path: Path, item: dict[str, Any], told: str, losses: int) -> None:
    target = tmp_path / "offers.csv"
    found = exported(target, [offer("A", supply="seller"), item, offer("C", supply=None)])
    assert references(target) == ["A", "C"]
    assert (found.rows, found.skipped) == (2, 1)
    assert any(told in text for text, _, _ in found.notes)
    assert sum(is_loss for _, _, is_loss in found.notes) == losses


def test_empty_cells_are_reported_with_their_codes(tmp_path: Path) -> None:
    strange = [
        offer("A", taxes=[VAT, {"code": "Moon", "value": 1}]),
        offer("B", modes=[{**TRACKED, "code": "Drone"}]),
    ]
    found = exported(tmp_path / "offers.xlsx", strange)
    told = " ".join(text for text, _, _ in found.notes)
    assert "1 offer with taxes that the profile does not know (Moon)" in told
    assert "1 offer with delivery modes that the profile does not know (Drone)" in told
    (sheet,) = checked(tmp_path / "offers.xlsx")
    assert codes(sheet) == []


def test_a_retiring_mode_has_its_columns(tmp_path: Path) -> None:
    target = tmp_path / "offers.xlsx"
    exported(target, [offer("A", modes=[TRACKED, {**TRACKED, "code": "Express"}])])
    (sheet,) = checked(target)
    assert [code for _, code in codes(sheet)] == ["deprecated-delivery-mode"]


def test_only_the_primary_channel_has_feedback(tmp_path: Path) -> None:
    fields, target = ("salesChannelFeedback.isOnline",), tmp_path / "offers.csv"
    silent = [offer("A", salesChannelFeedback=None)]
    found = exported(target, silent, channel="SECOND", fields=fields)
    assert any("primary channel alone (PRIMARY)" in text for text, _, _ in found.notes)
    assert references(target, *fields) == [""]


def test_the_query_of_an_export(tmp_path: Path) -> None:
    answers = Answers([offer("A")])
    exported(
        tmp_path / "offers.csv",
        service=answers,
        channel="SECOND",
        fields=("offerState", "product.gtin"),
        offer_state=("active",),
        gtin=("3760452700039",),
        reference=("A", "B"),
        offer_id=("S_1_New_SECOND",),
        since=datetime(2026, 11, 20, 9, tzinfo=UTC),
    )
    (call,) = answers.calls
    assert dict(call.query) == {
        "salesChannelId": "SECOND",
        "limit": "1000",
        "fields": "condition,product,integrationPrice,deliveryOffers,offerState",
        "sellerExternalReferences": "A,B",
        "gtins": "3760452700039",
        "offerIds": "S_1_New_SECOND",
        "offerStates": "active",
        "updatedAtMin": "2026-11-20T09:00:00Z",
    }


XDOCK = [offer("A", supply="Xdock")]
NONE = {
    "none at all": ([], {}, "there are no offers on the channel PRIMARY"),
    "none like that": ([], {"offer_state": ("active",)}, "there are no offers like that on the"),
    "none of the seller's": (XDOCK, {}, "none of the 1 offers is delivered by the seller"),
}


@pytest.mark.parametrize(("items", "asked", "told"), NONE.values(), ids=NONE)
def test_an_empty_export_writes_no_file(
    tmp_path: Path, items: list[dict[str, Any]], asked: dict[str, Any], told: str
) -> None:
    target = tmp_path / "offers.xlsx"
    with pytest.raises(NothingToDo) as caught:
        exported(target, items, **asked)
    assert caught.value.message.startswith(told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("status", "kind"), [(400, UsageProblem), (401, NotAuthorised)])
def test_a_refused_export_writes_no_file(
    tmp_path: Path, status: int, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        exported(tmp_path / "offers.xlsx", service=Answers([], status=status))
    assert list(tmp_path.iterdir()) == []


cents = st.decimals(Decimal("0.00"), Decimal("99.99"), places=2)
rates = st.one_of(st.just(Decimal(0)), st.decimals(Decimal(1), Decimal(100), places=2))
"""VAT rates in percent: 0, or from 1 to 100."""
skus = (
    st.text(
        st.characters(min_codepoint=33, max_codepoint=0x24F, blacklist_categories=["C", "Z"]),
        min_size=1,
        max_size=20,
    )
    .filter(lambda text: "|" not in text and not text.startswith("\u00ad"))
    .filter(lambda sku: folded(sku) not in TOTALS)  # such a row would be a total
    .filter(lambda sku: not placeholder_issues(sku) and not sku.endswith(".0"))
)


def alike(sku: str) -> str:
    """A reference without differences that only the service sees."""
    return normalize("NFKC", sku).casefold()


@st.composite
def any_offers(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Offers that a service may have, none of which shares anything with another."""
    named = draw(st.lists(skus, min_size=1, max_size=6, unique_by=alike))
    found = []
    for number, reference in enumerate(named):
        further = draw(st.sets(st.sampled_from(SMALL_PARCEL_MODES[1:] + LARGE_PARCEL_MODES)))
        modes = [
            {"code": code, "cost": float(draw(cents)), "additionalCost": float(draw(cents))}
            for code in ("TrackedHomeDelivery", *sorted(further))
        ]
        amounts = [float(draw(amount)) for amount in (rates, cents, cents)]
        taxes = [
            {**tax, "value": amount} for tax, amount in zip((VAT, ECO, DEA), amounts, strict=True)
        ]
        item = offer(reference, taxes, modes)
        item["product"] = {"gtin": gtin(number), "reference": None}
        item["condition"] = draw(st.sampled_from(sorted(CONDITIONS)))
        item["integrationPrice"]["price"] = float(200 + draw(cents))
        item["deliveryOffers"][0] |= {
            "preparationTime": draw(st.integers(0, 365)),
            "quantity": draw(st.integers(0, 10**9)),
        }
        found.append(item)
    return found


def requested(item: dict[str, Any]) -> dict[str, Any]:
    """The Upsert that leaves an offer unchanged."""
    price, delivery = item["integrationPrice"], item["deliveryOffers"][0]
    return {
        "sellerExternalReference": item["sellerExternalReference"],
        "product": {"gtin": item["product"]["gtin"]},
        "condition": item["condition"],
        "price": {"price": price["price"], "taxes": price["taxes"]},
        "deliveryModes": sorted(delivery["deliveryModes"], key=lambda mode: str(mode["code"])),
        "preparationTime": delivery["preparationTime"],
        "quantity": delivery["quantity"],
    }


SAME_FOLDER = [HealthCheck.function_scoped_fixture]
ANY_EXPORT = given(items=any_offers(), language=st.sampled_from(["en", "fr", "es"]))


@settings(max_examples=2, suppress_health_check=SAME_FOLDER)
@ANY_EXPORT
@pytest.mark.parametrize("name", ["any.xlsx", "any.csv"])
def test_any_offer_comes_back_unchanged(
    tmp_path: Path, name: str, items: list[dict[str, Any]], language: Any
) -> None:
    assert_comes_back(tmp_path / name, items, language)


@pytest.mark.long
@settings(max_examples=200, suppress_health_check=SAME_FOLDER)
@ANY_EXPORT
@pytest.mark.parametrize("name", ["any.xlsx", "any.csv"])
def test_any_of_many_offers_comes_back_unchanged(
    tmp_path: Path, name: str, items: list[dict[str, Any]], language: Any
) -> None:
    assert_comes_back(tmp_path / name, items, language)


def assert_comes_back(target: Path, items: list[dict[str, Any]], language: Any) -> None:
    exported(target, items, kind="offers-upsert", language=language)
    (sheet,) = checked(target)
    assert codes(sheet) == []
    found = [json.loads(item.body) for item in sheet.valid_items()]
    for one in found:
        one["deliveryModes"].sort(key=lambda mode: mode["code"])
    assert found == [requested(item) for item in items]
