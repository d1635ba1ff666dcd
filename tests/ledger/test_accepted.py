"""Values that the service has last accepted, read from both databases."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.offers.changes.accepted import AcceptedOffers
from feedtool.areas.offers.changes.offer_state import ObservedOffer, OfferFields
from feedtool.areas.offers.changes.projection import project, record_observed
from feedtool.areas.offers.delivery import PackageType
from feedtool.ledger import Ledger
from feedtool.model.nouns import Item
from tests.areas.offers.changes.conftest import ADDRESS, CHANGED, Market, Shop, statuses
from tests.conftest import gtin, offer, update
from tests.ledger.conftest import MOSTLY_SQLITE, NOW

ONE, TWO = offer(1), offer(2)
LATER = NOW + timedelta(days=1)
PRODUCT = f"{gtin(1)}||New"
KEY = f"g{gtin(1)}|New"


@pytest.fixture
def shop(ledger: Ledger, tmp_path: Path) -> Iterator[Shop]:
    market = Market(tmp_path, ledger)
    yield market.shop()
    market.transport.close()


def item(product: str = "") -> Item:
    package_type = PackageType.UPSERT if product else PackageType.UPDATE
    return Item(2, package_type, "PRIMARY", "SKU-1", product, b"{}")


def accepted(shop: Shop) -> AcceptedOffers:
    project(shop.ledger.engine, ADDRESS, shop.seller)
    return AcceptedOffers(shop.ledger.engine, ADDRESS, shop.seller)


def known(shop: Shop, one: Item) -> tuple[dict[str, object] | None, bool, int | None]:
    """Terms, whether they are sure, and the stock."""
    ((found, _, quantity),) = accepted(shop).look_up([one])
    assert found is not None
    return found.fields, found.is_sure, quantity


@MOSTLY_SQLITE
def test_rows_are_compared_with_sent_values(shop: Shop) -> None:
    shop.send(ONE, TWO)
    shop.send(update(1, price__price="18"))
    submission = shop.send(offer(1, price__price="18"), offer(2, quantity="8"), selection=CHANGED)
    assert statuses(submission) == ["Unchanged", "Integrated"]
    assert statuses(shop.send(offer(2, quantity="8"), selection=CHANGED)) == ["Unchanged"]


@MOSTLY_SQLITE
def test_results_are_projected_once(shop: Shop) -> None:
    shop.send(ONE)
    for _ in range(2):
        assert project(shop.ledger.engine, ADDRESS, shop.seller) == 1
    assert accepted(shop).count("PRIMARY") == 1


@MOSTLY_SQLITE
def test_values_under_way_are_not_sure(shop: Shop) -> None:
    shop.send(ONE)
    shop.send(update(1, quantity="3"), wait=False)
    terms, is_sure, quantity = known(shop, item(PRODUCT))
    assert (terms is not None, is_sure, quantity) == (True, False, None)
    assert known(shop, item())[1:] == (False, None)


@MOSTLY_SQLITE
def test_a_refusal_keeps_the_value_and_makes_it_unsure(shop: Shop) -> None:
    shop.send(ONE)
    shop.send(offer(1, product__gtin=gtin(9), price__price="18"))
    terms, is_sure, quantity = known(shop, item(PRODUCT))
    assert ((terms or {})["price"], is_sure, quantity) == (19.99, False, 7)


@MOSTLY_SQLITE
def test_a_deleted_offer_has_no_accepted_terms(shop: Shop) -> None:
    shop.send(ONE, TWO)
    shop.send({"sellerExternalReference": "SKU-1"}, kind="offers-delete")
    assert known(shop, item()) == (None, True, 7)
    assert accepted(shop).count("PRIMARY") == 1


def test_offers_at_zero_and_stocks_above_it_are_counted(shop: Shop) -> None:
    shop.send(ONE, TWO, offer(3), offer(4, quantity="0"))
    shop.send(update(2, quantity="0"))
    shop.send({"sellerExternalReference": "SKU-3"}, kind="offers-delete")
    found = accepted(shop)
    counts = (found.count("PRIMARY"), found.count_at_zero("PRIMARY"), found.count_stocks(()))
    assert counts == (3, 2, 1)


def observe(shop: Shop, since: datetime, fields: OfferFields, **more: Any) -> bool:
    """Record that an export, begun then and over later, has shown the first offer alone."""
    how: dict[str, Any] = {"between": (since, LATER), "is_all": True, "projected": 1} | more
    seen = [ObservedOffer("SKU-1", fields, KEY)]
    return record_observed(shop.ledger.engine, ADDRESS, shop.seller, "PRIMARY", seen, **how)


def test_exported_values_are_accepted(shop: Shop) -> None:
    assert observe(shop, NOW, {"price": 18, "quantity": 4}, projected=0)
    assert known(shop, item()) == ({"price": 18}, True, 4)
    assert statuses(shop.send(update(1, quantity="4"), selection=CHANGED)) == ["Unchanged"]


def test_offers_absent_from_a_whole_export_are_gone(shop: Shop) -> None:
    shop.send(ONE, TWO)
    accepted(shop)
    for is_all, count in ((False, 2), (True, 1)):
        assert observe(shop, LATER, {"price": 18}, is_all=is_all)
        assert accepted(shop).count("PRIMARY") == count


@MOSTLY_SQLITE
@pytest.mark.parametrize(("price", "is_kept"), [(19.99, True), (18, False)])
def test_a_struck_price_stays_known_without_other_changes(
    shop: Shop, price: float, *, is_kept: bool
) -> None:
    shop.send(ONE | {"price.originPrice": "30"})
    accepted(shop)
    assert observe(shop, LATER, {"price": price})
    assert ("origin" in (known(shop, item())[0] or {})) is is_kept


@MOSTLY_SQLITE
def test_rows_sent_during_an_export_win_over_it(shop: Shop) -> None:
    before = project(shop.ledger.engine, ADDRESS, shop.seller)
    shop.send(ONE)
    accepted(shop)
    assert not observe(shop, NOW, {"price": 18}, projected=before)
    assert (known(shop, item())[0] or {})["price"] == 19.99


@MOSTLY_SQLITE
def test_verdicts_of_withheld_rows_are_between_the_others(shop: Shop) -> None:
    shop.send(ONE)
    shop.send(TWO, ONE, offer(3), selection=CHANGED)
    (file,) = shop.ledger.files(2)
    found = [f"{v.row} {v.reference} {v.status}" for v in shop.ledger.verdicts(file.file)]
    assert found == ["2 SKU-2 Integrated", "3 SKU-1 Unchanged", "4 SKU-3 Integrated"]
