"""What an export was shown of an offer, in the terms by which rows are compared with it later."""

from collections.abc import Callable
from typing import Any

from feedtool.areas.offers.changes.observed import Seen
from feedtool.areas.offers.changes.offer_state import (
    CONDITION,
    MODES,
    PREPARATION,
    PRICE,
    PRODUCT,
    QUANTITY,
    TAXES,
    plain_gtin,
    shared_by,
    taxes,
)
from feedtool.areas.offers.feeds.common import number
from feedtool.areas.offers.wire.offers import Offer
from feedtool.model.settings import Dialect


def seen_by(dialect: Dialect) -> Callable[[Offer], Seen]:
    """How offers are noted; `dialect` is the profile's, which says how taxes are called.

    What the service did not say, or said in part, is left out: it is not known. The struck price
    never is.
    """
    codes = {code.casefold(): code for code in dialect.tax_codes.values()}

    def seen(offer: Offer) -> Seen:
        terms: dict[str, Any] = {
            CONDITION: offer.condition,
            PRICE: None if offer.price is None else number(offer.price),
            PREPARATION: offer.preparation_time,
            QUANTITY: offer.quantity,
        }
        if offer.gtin or offer.product_reference:
            terms[PRODUCT] = [plain_gtin(offer.gtin), offer.product_reference or ""]
        if offer.taxes:
            listed = ((codes.get(code.casefold(), code), at) for code, at in offer.taxes.items())
            terms[TAXES] = taxes((code, number(amount)) for code, amount in listed)
        if offer.delivery_modes is not None:
            terms[MODES] = _modes(offer)
        said = {name: value for name, value in terms.items() if value is not None}
        key = shared_by(offer.gtin, offer.product_reference, offer.condition)
        return Seen(offer.reference or "", said, key)

    return seen


def _modes(offer: Offer) -> dict[str, list[int | float]] | None:
    found = {}
    for code, one in (offer.delivery_modes or {}).items():
        if one.cost is None or one.additional_cost is None:
            return None
        found[code] = [number(one.cost), number(one.additional_cost)]
    return found
