"""Offers as flat rows, from the service or from JSON requests; and as the ledger stores them.

Specification, "Offer package and offer request (JSON)" and "Offers (read)". The profile has the
codes and the scale of taxes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import islice
from typing import Any

from feedtool.areas.offers import columns
from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.offer_state import ObservedOffer, nonzero_taxes, plain_gtin
from feedtool.areas.offers.columns import CONDITIONS, HUNDRED, ZERO, number
from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.offers.wire.offers import DeliveryMode, Offer
from feedtool.areas.offers.wire.packages import upload
from feedtool.feeds.area import shown
from feedtool.feeds.export import ExportTally
from feedtool.feeds.feed import JsonRequests, Read, is_number
from feedtool.model.cells import Value
from feedtool.model.settings import AccountSettings
from feedtool.model.text import LANGUAGES, Language
from feedtool.service.answers import amount

# Offers as rows to edit.


class Omission(StrEnum):
    """The reason why a part of an offer is not in the file."""

    DELIVERY = "delivery"
    """The seller does not deliver the offer."""
    REFERENCE = "reference"
    """The offer has no reference, so it could not be sent."""
    TAXES = "taxes"
    MODES = "delivery modes"


class OfferRows:
    """Makes rows of offers, by the keys of every shape.

    A language shows conditions by their labels; None keeps their names.
    """

    def __init__(self, settings: AccountSettings, language: Language | None) -> None:
        offers = settings.of(OfferSettings)
        self._taxes = {code.casefold(): name for name, code in offers.tax_codes.items()}
        self._vat_scale = offers.vat_scale
        self._modes = {code: columns.mode(code) for code in columns.all_modes(settings)}
        self._conditions = (
            {name: labels[LANGUAGES.index(language)] for name, labels in CONDITIONS.items()}
            if language
            else {}
        )

    def row(self, offer: Offer, channel: str, tally: ExportTally) -> dict[str, Value]:
        """Return the row of an offer; count the reasons for empty cells, with the unknown codes."""
        return {
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

    def _taxes_of(self, taxes: Mapping[str, Decimal], tally: ExportTally) -> dict[str, Value]:
        """Return all taxes or none: an Update would remove taxes that it does not list."""
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
        """Return all modes or none, for the same reason."""
        amounts: dict[str, Value] = {}
        for code, costs in modes.items():
            if mode := self._modes.get(code):
                amounts |= {mode.cost: costs.cost, mode.additional: costs.additional_cost}
        unknown = modes.keys() - self._modes.keys()
        if unknown or None in amounts.values():
            tally.update([(Omission.MODES, ""), *((Omission.MODES, code) for code in unknown)])
            return {}
        return amounts


def observed_by(settings: AccountSettings) -> Callable[[Offer], ObservedOffer]:
    """Return a function from an offer to its record in the ledger, taxes by the profile's codes.

    Values that are absent or incomplete in the answer are left out: they are unknown. So is the
    struck price, always.
    """
    codes = {code.casefold(): code for code in settings.of(OfferSettings).tax_codes.values()}

    def observed(offer: Offer) -> ObservedOffer:
        fields: state.OfferFields = {
            state.CONDITION: offer.condition,
            state.PRICE: None if offer.price is None else number(offer.price),
            state.PREPARATION: offer.preparation_time,
            state.QUANTITY: offer.quantity,
        }
        if offer.gtin or offer.product_reference:
            fields[state.PRODUCT] = [plain_gtin(offer.gtin), offer.product_reference or ""]
        if offer.taxes:
            listed = ((codes.get(code.casefold(), code), tax) for code, tax in offer.taxes.items())
            fields[state.TAXES] = nonzero_taxes((code, number(amount)) for code, amount in listed)
        modes = offer.delivery_modes
        if modes is not None and not any(None in mode for mode in modes.values()):
            fields[state.MODES] = {
                code: [number(cost) for cost in mode if cost is not None]
                for code, mode in modes.items()
            }
        known = {name: value for name, value in fields.items() if value is not None}
        key = state.stock_key(offer.gtin, offer.product_reference, offer.condition)
        return ObservedOffer(offer.reference or "", known, key)

    return observed


# Offers as shown: a column for each dotted path of `fields`.

SEPARATOR = "; "
"""Separates the values of a list in a cell."""
MOST = 200
"""The most items of a list, and names of a node, that are shown."""
DEEPEST = 12
AMOUNTS = frozenset(
    ("price", "value", "cost", "additionalCost", "quantity", "displayedOfferPrice", "deliveryCost")
)
"""Names of amounts (specification, "Offer (read)"), which may be texts."""


def flatten(item: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Value]:
    """Return the values below the paths, by their whole paths."""
    below = tuple(f"{path}." for path in paths)
    leaves = _leaves(item, "") if paths else ()
    return {path: value for path, value in leaves if f"{path}.".startswith(below)}


def order_columns(keys: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return the columns in the order of the paths, then of their first occurrence.

    A path without any value has one column, which stays empty.
    """
    ordered: dict[str, None] = {}
    for path in paths:
        below = [key for key in keys if key == path or key.startswith(f"{path}.")]
        ordered.update(dict.fromkeys(below or [path]))
    return list(ordered)


def _leaves(node: Any, path: str) -> Iterator[tuple[str, Value]]:
    if path.count(".") > DEEPEST:
        return
    if isinstance(node, dict):
        for name, entry in islice(node.items(), MOST):
            yield from _leaves(entry, f"{path}.{name}" if path else str(name))
    elif isinstance(node, list):
        together: dict[str, list[str]] = {}
        for entry in islice(node, MOST):
            for below, value in _leaves(entry, path):
                together.setdefault(below, []).append(shown(value))
        yield from ((below, SEPARATOR.join(texts)) for below, texts in together.items())
    elif isinstance(node, bool):
        yield path, "true" if node else "false"
    elif isinstance(node, str) and path.rpartition(".")[2] in AMOUNTS:
        known = amount(node)
        yield path, node if known is None else known
    elif node is not None:
        is_plain = isinstance(node, int | str) or (isinstance(node, Decimal) and node.is_finite())
        yield path, node if is_plain else str(node)


# Requests as rows: values that break the specification are returned unchanged.

_SIMPLE = (columns.REFERENCE, columns.CONDITION, columns.PREPARATION, columns.QUANTITY)
_OF_WHOLE = {columns.CONDITION, columns.GTIN, columns.PRODUCT_REFERENCE}
"""Columns that only requests of whole offers fill."""
_MODE = {"code", "cost", "additionalCost"}
_NODES = {"product": ("gtin", "reference"), "price": ("price", "originPrice")}


def offer_cells(body: Mapping[str, Any], settings: AccountSettings) -> Read:
    result = Read({}, [])
    for name, value in body.items():
        if name in _SIMPLE:
            result.put(name, name, value)
        elif name in _NODES and isinstance(value, dict):
            for member, inner in value.items():
                path = f"{name}.{member}"
                if member in _NODES[name]:
                    result.put(path, path, inner)
                elif path == "price.taxes" and isinstance(inner, list):
                    _put_taxes(result, inner, settings)
                else:
                    result.leave(path, inner)
        elif name == "deliveryModes" and isinstance(value, list):
            _put_modes(result, value)
        else:
            result.leave(name, value)
    return result


def _put_taxes(result: Read, taxes: list[Any], settings: AccountSettings) -> None:
    offers = settings.of(OfferSettings)
    names = {code.casefold(): name for name, code in offers.tax_codes.items()}
    for place, tax in enumerate(taxes):
        path = f"price.taxes[{place}]"
        name = names.get(str(tax.get("code")).casefold()) if isinstance(tax, dict) else None
        if name is None or not tax.keys() <= {"code", "value", "type"}:
            result.leave(path, tax)
            continue
        value = tax.get("value")
        if name == "VAT" and offers.vat_scale == 1 and is_number(value):
            value = (Decimal(value) * HUNDRED).normalize()
        result.put(f"taxes.{name}", path, value)


def _put_modes(result: Read, modes: list[Any]) -> None:
    for place, mode in enumerate(modes):
        path = f"deliveryModes[{place}]"
        code = mode.get("code") if isinstance(mode, dict) else None
        if not (isinstance(code, str) and code and mode.keys() <= _MODE):
            result.leave(path, mode)
            continue
        keys = columns.mode(code)
        result.put(keys.cost, f"{path}.cost", mode.get("cost"))
        result.put(keys.additional, f"{path}.additionalCost", mode.get("additionalCost"))


def kind_of(keys: Collection[str]) -> str | None:
    """Return the kind of requests that fill the columns; None for a reference alone."""
    if _OF_WHOLE & set(keys):
        return "offers-upsert"
    return "offers-update" if set(keys) - {columns.REFERENCE} else None


REQUESTS = JsonRequests(
    "offerRequests",
    True,
    offer_cells,
    kind_of,
    lambda bodies, settings: (
        upload("package", bodies, settings.of(OfferSettings).upload_body).body or b""
    ),
    lambda settings: settings.limits.upload,
)
