"""An offer of the service as a row to edit, and as the ledger remembers it."""

from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum

from feedtool.areas.offers.changes.offer_state import (
    CONDITION,
    MODES,
    PREPARATION,
    PRICE,
    PRODUCT,
    QUANTITY,
    TAXES,
    ObservedOffer,
    OfferFields,
    nonzero_taxes,
    plain_gtin,
    stock_key,
)
from feedtool.areas.offers.feeds import common as columns
from feedtool.areas.offers.feeds.common import HUNDRED, ZERO, number
from feedtool.areas.offers.feeds.conditions import CONDITIONS
from feedtool.areas.offers.wire.offers import DeliveryMode, Offer
from feedtool.feeds.export import ExportTally, MadeRow
from feedtool.feeds.feed import LANGUAGES
from feedtool.feeds.template import Language
from feedtool.model.cells import Value
from feedtool.model.settings import AccountSettings


class Omission(StrEnum):
    """The reason why something of an offer is not in the file."""

    DELIVERY = "delivery"
    """It is not the seller who delivers it."""
    REFERENCE = "reference"
    """It has none, so nothing could be sent of it."""
    TAXES = "taxes"
    MODES = "delivery modes"


class OfferRows:
    """Makes the row of an offer, by the keys of every shape.

    Args:
        dialect: The profile's.
        language: In which conditions are shown by their labels; None keeps their names.
    """

    def __init__(self, dialect: AccountSettings, language: Language | None) -> None:
        self._taxes = {code.casefold(): name for name, code in dialect.tax_codes.items()}
        self._vat_scale = dialect.vat_scale
        self._modes = {code: columns.mode(code) for code in columns.all_modes(dialect)}
        at = None if language is None else LANGUAGES.index(language)
        self._conditions = (
            {} if at is None else {name: labels[at] for name, labels in CONDITIONS.items()}
        )

    def row(self, offer: Offer, channel: str) -> MadeRow:
        """The row of an offer; the tally says why cells are empty, with the unknown codes."""
        tally: ExportTally = Counter()
        row: dict[str, Value] = {
            columns.REFERENCE: offer.reference,
            columns.GTIN: offer.gtin,
            columns.PRODUCT_REFERENCE: offer.product_reference,
            columns.CONDITION: self._conditions.get(offer.condition or "", offer.condition),
            "price.price": offer.price,
            **self._taxes_of(offer.taxes or {}, tally),
            **self._modes_of(offer.delivery_modes or {}, tally),
            columns.PREPARATION: offer.preparation_time,
            columns.QUANTITY: offer.quantity,
            columns.CHANNEL: channel,
        }
        return MadeRow(row, tally)

    def _taxes_of(self, taxes: Mapping[str, Decimal], tally: ExportTally) -> dict[str, Value]:
        """All of them or none: what an Update does not list would be gone."""
        if not taxes:
            return {}
        known = {self._taxes.get(code.casefold()): amount for code, amount in taxes.items()}
        unknown = {code for code in taxes if code.casefold() not in self._taxes}
        if unknown or "VAT" not in known:
            tally.update([(Omission.TAXES, ""), *((Omission.TAXES, code) for code in unknown)])
            return {}
        if self._vat_scale == 1:
            known["VAT"] *= HUNDRED
        return {key: known.get(key.removeprefix("taxes."), ZERO) for key in columns.TAXES}

    def _modes_of(self, modes: Mapping[str, DeliveryMode], tally: ExportTally) -> dict[str, Value]:
        """All of them or none, as of taxes."""
        amounts: dict[str, Value] = {}
        for code, costs in modes.items():
            if mode := self._modes.get(code):
                amounts |= {mode.cost: costs.cost, mode.additional: costs.additional_cost}
        unknown = modes.keys() - self._modes.keys()
        if unknown or None in amounts.values():
            tally.update([(Omission.MODES, ""), *((Omission.MODES, code) for code in unknown)])
            return {}
        return amounts


def observed_by(dialect: AccountSettings) -> Callable[[Offer], ObservedOffer]:
    """A function that reads an offer as the ledger remembers it.

    The profile says how taxes are called.

    What the service did not say, or said in part, is left out: it is not known. The struck price
    never is.
    """
    codes = {code.casefold(): code for code in dialect.tax_codes.values()}

    def observed(offer: Offer) -> ObservedOffer:
        fields: OfferFields = {
            CONDITION: offer.condition,
            PRICE: None if offer.price is None else number(offer.price),
            PREPARATION: offer.preparation_time,
            QUANTITY: offer.quantity,
        }
        if offer.gtin or offer.product_reference:
            fields[PRODUCT] = [plain_gtin(offer.gtin), offer.product_reference or ""]
        if offer.taxes:
            listed = ((codes.get(code.casefold(), code), at) for code, at in offer.taxes.items())
            fields[TAXES] = nonzero_taxes((code, number(amount)) for code, amount in listed)
        if offer.delivery_modes is not None:
            fields[MODES] = _modes(offer)
        known = {name: value for name, value in fields.items() if value is not None}
        key = stock_key(offer.gtin, offer.product_reference, offer.condition)
        return ObservedOffer(offer.reference or "", known, key)

    return observed


def _modes(offer: Offer) -> dict[str, list[int | float]] | None:
    modes = {}
    for code, mode in (offer.delivery_modes or {}).items():
        if mode.cost is None or mode.additional_cost is None:
            return None
        modes[code] = [number(mode.cost), number(mode.additional_cost)]
    return modes
