import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.offers.delivery import PackageType, ask_offers
from feedtool.areas.offers.wire.offers import DeliveryMode, Offer, OfferState
from feedtool.areas.registry import load
from feedtool.delivery.steps import DeliverySettings
from feedtool.delivery.transition import TransitionContext, resolutions, unknown
from feedtool.feeds.delivery import AnswerPage
from feedtool.feeds.package_ref import PackageRef
from feedtool.ledger import Package, Phase, Resolution
from feedtool.ledger.admission import MOST_SENDS
from feedtool.model.call import LONGEST_LIST
from feedtool.model.nouns import Message, PendingRow, Status
from feedtool.model.settings import AccountSettings
from tests.delivery.conftest import HOUR, SECOND, START

BEFORE, SINCE = START - SECOND, START + SECOND
GTIN = "0711719709695"

ASKED: dict[str, Any] = {
    "sellerExternalReference": "A",
    "product": {"gtin": GTIN},
    "condition": "New",
    "price": {"price": 11.1, "originPrice": 20, "taxes": [{"code": "VAT", "value": 2000}]},
    "deliveryModes": [{"code": "Tracked", "cost": 4.9, "additionalCost": 0}],
    "preparationTime": 2,
    "quantity": 7,
}

OFFER = Offer(
    reference="A",
    gtin=GTIN,
    product_reference=None,
    condition="New",
    state=OfferState.ACTIVE,
    price=Decimal("11.10"),
    taxes={"VAT": Decimal(2000)},
    preparation_time=2,
    delivery_modes={"Tracked": DeliveryMode(Decimal("4.90"), Decimal(0))},
    quantity=7,
    updated_at=SINCE,
)

ROUTES = load().routes
NOW = TransitionContext(START, 1.0, DeliverySettings(), ROUTES[PackageType.UPSERT].travel)
REF = PackageRef(PackageType.UPSERT, "P", "en", AccountSettings())
PURGED = Message("", "The service no longer has package p1.")


def package(kind: str = PackageType.UPSERT, **more: Any) -> Package:
    given: dict[str, Any] = {"phase": Phase.LOOKING, "created_at": START, **more}
    return Package(1, 1, 1, "P", kind, 1, (), **given)


def row(
    reference: str = "A", product: str = f"{GTIN}||New", sends: int = 0, **more: Any
) -> PendingRow:
    return PendingRow(3, reference, product, sends, body=json.dumps(ASKED | more).encode())


def fate(of: Package, sought: PendingRow, *offers: Offer, link: str | None = None) -> Resolution:
    (found,) = resolutions(of, [sought], AnswerPage(list(offers), link), NOW)
    return found


# An Upsert or an Update.

INTEGRATED, UNKNOWN, AGAIN = Status.INTEGRATED, Status.UNKNOWN, None


@pytest.mark.parametrize(
    ("changes", "then"),
    [
        ({}, INTEGRATED),
        ({"updated_at": START}, INTEGRATED),
        # Sales move the quantity, so that it is as asked proves nothing, nor that it is not.
        ({"quantity": 1}, INTEGRATED),
        ({"quantity": 0, "state": OfferState.INACTIVE}, INTEGRATED),
        # Touched since, and otherwise than asked.
        ({"price": Decimal(12)}, UNKNOWN),
        ({"taxes": {"VAT": Decimal(1000)}}, UNKNOWN),
        ({"taxes": {}}, UNKNOWN),
        ({"condition": "Used"}, UNKNOWN),
        ({"gtin": "4006381333931"}, UNKNOWN),
        ({"preparation_time": 3}, UNKNOWN),
        ({"delivery_modes": {"Tracked": DeliveryMode(Decimal(5), Decimal(0))}}, UNKNOWN),
        ({"delivery_modes": {}}, UNKNOWN),
        # Plainly the old state, whatever it looks like.
        ({"updated_at": BEFORE}, AGAIN),
        ({"updated_at": BEFORE, "price": Decimal(12)}, AGAIN),
        # Leading zeros are lost where a GTIN is written as a number.
        ({"gtin": GTIN.lstrip("0")}, INTEGRATED),
        # What the service does not say proves nothing, for or against.
        ({"price": None, "taxes": None}, INTEGRATED),
        ({"price": None, "condition": "Used"}, UNKNOWN),
        ({"delivery_modes": None, "preparation_time": None}, INTEGRATED),
        (
            {"gtin": None, "condition": None, "price": None, "taxes": None}
            | {"preparation_time": None, "delivery_modes": None},
            UNKNOWN,
        ),
    ],
)
@pytest.mark.parametrize("kind", [PackageType.UPSERT, PackageType.UPDATE])
def test_an_offer_decides_the_fate_of_a_row(
    kind: str, changes: dict[str, Any], then: Status | None
) -> None:
    assert fate(package(kind), row(), OFFER._replace(**changes)).status == then


def test_no_offer_at_all_is_the_old_state() -> None:
    assert fate(package(), row()).status is AGAIN
    assert fate(package(), row(), OFFER._replace(reference="B")).status is AGAIN


@pytest.mark.parametrize("updated", [SINCE, BEFORE])
def test_quantity_is_no_proof(updated: datetime) -> None:
    body = json.dumps({"sellerExternalReference": "A", "quantity": 7}).encode()
    sought = row()._replace(body=body, product="")
    found = fate(package(PackageType.UPDATE), sought, OFFER._replace(updated_at=updated))
    assert found.status is (UNKNOWN if updated == SINCE else AGAIN)


@pytest.mark.parametrize("sends", range(MOST_SENDS + 1))
def test_a_row_is_sent_at_most_a_number_of_times(sends: int) -> None:
    # The package that it is in counts too.
    then = AGAIN if sends + 1 < MOST_SENDS else UNKNOWN
    assert fate(package(), row(sends=sends)).status is then
    assert fate(package(), row(sends=sends), OFFER).status is INTEGRATED


@pytest.mark.parametrize(
    "offers", [[], [OFFER._replace(updated_at=BEFORE)], [OFFER._replace(price=Decimal(12))]]
)
def test_rows_are_not_sent_again_after_purged_results(offers: list[Offer]) -> None:
    purged = package(message=PURGED)
    assert fate(purged, row(), *offers).status is UNKNOWN
    assert fate(purged, row(), OFFER).status is INTEGRATED


@pytest.mark.parametrize("skew", [-HOUR, timedelta(0), HOUR])
def test_a_lost_post_is_as_old_as_its_intent_by_the_clock_of_the_service(skew: timedelta) -> None:
    """The time of an offer is the service's: a second before the intent, it is the old state."""
    now = TransitionContext(
        START + HOUR, 1.0, DeliverySettings(), ROUTES[PackageType.FULL].travel, skew
    )
    lost = package(PackageType.FULL, created_at=None, committed_at=START)
    sought = row()._replace(body=b'{"Price": "11.1"}')
    sent_at = START + skew - SECOND
    statuses = [
        found.status
        for updated in (sent_at - SECOND, sent_at)
        for page in [AnswerPage([OFFER._replace(updated_at=updated)], None)]
        for found in resolutions(lost, [sought], page, now)
    ]
    assert statuses == [AGAIN, INTEGRATED]


# A Delete.


@pytest.mark.parametrize(
    ("changes", "then"),
    [
        ({"state": OfferState.INACTIVE}, INTEGRATED),
        ({"state": OfferState.INACTIVE, "updated_at": BEFORE}, INTEGRATED),
        # It is sold out, which is not deleted.
        ({"state": OfferState.INACTIVE, "quantity": 0}, UNKNOWN),
        ({"state": OfferState.INACTIVE, "quantity": 0, "updated_at": BEFORE}, AGAIN),
        ({"updated_at": BEFORE}, AGAIN),
        # As asked or not, it is still for sale, and somebody has touched it.
        ({}, UNKNOWN),
        ({"state": None}, UNKNOWN),
        ({"state": None, "updated_at": BEFORE}, AGAIN),
    ],
)
def test_an_offer_decides_the_fate_of_a_delete(
    changes: dict[str, Any], then: Status | None
) -> None:
    found = fate(package(PackageType.DELETE), row(product=""), OFFER._replace(**changes))
    assert found.status is then


def test_an_absent_offer_fulfils_a_delete() -> None:
    assert fate(package(PackageType.DELETE), row(product="")).status is INTEGRATED
    purged = package(PackageType.DELETE, message=PURGED)
    assert fate(purged, row(product="")).status is INTEGRATED
    assert fate(purged, row(product=""), OFFER._replace(updated_at=BEFORE)).status is UNKNOWN


# Pages.


def test_rows_possibly_on_the_next_page_stay_open() -> None:
    rows = [row("A"), row("B")._replace(row=4)]
    more = resolutions(
        package(), rows, AnswerPage([OFFER], "https://service.example/v2/offers?c=2"), NOW
    )
    assert [(found.row, found.status) for found in more] == [(3, INTEGRATED)]
    last = resolutions(package(), rows, AnswerPage([OFFER], None), NOW)
    assert [(found.row, found.status) for found in last] == [(3, INTEGRATED), (4, AGAIN)]


# Which offers are asked for.


def lookup_of(rows: list[PendingRow]) -> tuple[Sequence[PendingRow], dict[str, list[str]]]:
    """The rows of the next call, and the lists that it asks for."""
    found = ask_offers(REF, rows)
    if found is None:
        return (), {}
    lists = {key: value.split(",") for key, value in found[1].query}
    keys = ("sellerExternalReferences", "gtins")
    return found[0], {key: lists[key] for key in keys if key in lists}


def test_references_go_before_gtins() -> None:
    rows = [row("a,b"), row("A"), row("B")]
    assert lookup_of(rows) == (rows[1:], {"sellerExternalReferences": ["A", "B"]})
    assert lookup_of([]) == ((), {})


@pytest.mark.parametrize("reference", ["a,b", ",", " A", "A "])
def test_a_reference_that_no_list_can_hold_goes_by_its_gtin(reference: str) -> None:
    rows = [row(reference), row(reference + ",x")]
    assert lookup_of(rows) == (rows, {"gtins": [GTIN]})
    told = OFFER._replace(reference=reference)
    assert fate(package(), row(reference), OFFER, told).status is INTEGRATED


@pytest.mark.parametrize("product", ["", "|REF-1|New"])
def test_rows_that_cannot_be_queried_are_unknown(product: str) -> None:
    rows = [row("a,b", product)]
    assert lookup_of(rows) == ((), {})
    assert [(found.row, found.status) for found in unknown(rows, "")] == [(3, UNKNOWN)]


def test_a_list_is_no_longer_than_an_address_can_hold() -> None:
    rows = [row(f"{number:04}" + "é" * 46) for number in range(50)]
    found, lists = lookup_of(rows)
    assert 0 < len(found) < 50
    assert lists["sellerExternalReferences"] == [looked.reference for looked in found]
    assert len(found) * (4 + 46 * 6 + 3) <= LONGEST_LIST
