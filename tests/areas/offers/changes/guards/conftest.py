"""Rows as guards see them."""

import pytest

from feedtool.areas.offers.changes.guards import Candidate, Holding, SheetSummary, all_guards
from feedtool.areas.offers.changes.offer_state import AcceptedOffer, OfferFields
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.nouns import Item
from feedtool.model.settings import Guards


def row(
    price: float | None, accepted: OfferFields | None = None, floor: float | None = None
) -> Candidate:
    """A row with a price, or without one; `accepted` is what was of its reference."""
    item = Item(2, PackageType.UPSERT, "PRIMARY", "SKU-1", "", b"{}", floor)
    offer = (
        None if accepted is None else AcceptedOffer(accepted, True, "", 1, accepted.get("price"))
    )
    return Candidate(item, {} if price is None else {"price": price}, offer)


def after(terms: OfferFields | None, last_price: float, *, is_sure: bool) -> AcceptedOffer:
    """What is known of an offer of which not even the price is sure."""
    return AcceptedOffer(terms, is_sure, "", 1, last_price)


def held(code: str, candidate: Candidate, settings: Guards) -> str | None:
    """What a guard says of a row; None where it lets it pass."""
    check = all_guards()[code].check
    assert check is not None
    fault = check(candidate, settings)
    assert fault is None or (fault.code.name, fault.field) == (code, "price.price")
    assert fault is None or fault.hint == f"if it is meant: submit it with --release {code}"
    return fault and fault.message


def holdings(code: str, facts: SheetSummary, settings: Guards) -> list[Holding]:
    """What a guard says of a file."""
    check = all_guards()[code].check_file
    assert check is not None
    return list(check(facts, settings))


@pytest.fixture
def usual() -> Guards:
    """The guards where nobody has set any."""
    return Guards()
