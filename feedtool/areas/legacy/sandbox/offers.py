"""Reads and integrates the Offers of a legacy zip: part "Legacy offer routes".

The specification shows the elements and attributes; their places in the zip, and the numbers of
conditions, are the field's practice. As for uploads of JSON, reading checks only the structure.
An Offer then becomes a flat request of the JSON packages, for the same rules and store. All its
values are texts, so unreadable texts are refused first.
"""

import io
import re
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, cast

from lxml import etree
from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.areas.offers.sandbox.integration import APPLY, OfferOutcome, rejected
from feedtool.areas.offers.sandbox.rules import (
    MODE_DIGITS,
    OTHER_MODE,
    OfferBehaviour,
    OfferRequest,
    upsert_codes,
)
from feedtool.areas.offers.sandbox.store import KnownOffer, OfferStore
from feedtool.sandbox.arguments import json_body
from feedtool.sandbox.exchange import FIELD_EMPTY, HttpRequest, RequestRefused, bad_request


class LegacyBehaviour(Struct, frozen=True):
    """Settings of zips with an Offers.xml; offer packages define how long integration takes."""

    limit: int = 40_000


FULL, STOCK_AND_PRICE = "Full", "StockAndPrice"
OFFERS = "content/offers.xml"
SHIPPING = "ShippingInformation"
LARGEST_ZIP = 1 << 25
LARGEST_XML = 1 << 28
"""The most bytes of a zip, and of its Offers.xml."""
PATIENCE = 10.0
"""Seconds until a public address has to answer."""

Entry = dict[str, Any]
"""The attributes of an Offer, with `ShippingInformation` as a list of attributes."""


class LegacyZip(Struct):
    """The content of an Offers.xml."""

    name: str = ""
    kind: str = FULL
    """PackageType, case-sensitive."""
    purges: bool = False
    """PurgeAndReplace."""
    pools: list[Mapping[str, str]] = field(default_factory=list)
    """The attributes of the publication pools: SalesChannelId, or Id."""
    entries: list[Entry] = field(default_factory=list)


def read_zip(request: HttpRequest, limit: int) -> LegacyZip:
    """Return the package in a request: the zip's bytes, or a JSON string with its public address.

    Reading stops at the first Offer beyond `limit`. Any other body is refused with 415; a body that
    is no zip with an Offers.xml, with 400.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return _read(_download(request), limit)
    if kind not in {"application/zip", "application/x-zip-compressed", "application/octet-stream"}:
        raise RequestRefused(
            415, f"The media type {kind!r} is not supported; send application/zip."
        )
    return _read(request.body, limit)


def _download(request: HttpRequest) -> bytes:
    address = json_body(request)
    if not isinstance(address, str) or not address.startswith(("http://", "https://")):
        raise bad_request("body", "The body must be a JSON string: the public address of a zip.")
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310 - http alone
            return cast("bytes", answer.read(LARGEST_ZIP + 1))
    except (OSError, ValueError) as error:
        raise bad_request("body", f"Nothing can be read at {address}: {error}") from error


def _read(body: bytes, limit: int) -> LegacyZip:
    if len(body) > LARGEST_ZIP:
        raise bad_request("body", "The zip is too large.")
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as package:
            members = [info for info in package.infolist() if info.filename.lower() == OFFERS]
            if len(members) != 1:
                raise bad_request("body", "The zip must have one Content/Offers.xml.")
            if members[0].file_size > LARGEST_XML:
                raise bad_request("body", "The Offers.xml is too large.")
            with package.open(members[0]) as stream:
                return _parse(stream, limit)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise bad_request("body", f"The body is no zip: {error}") from error
    except etree.XMLSyntaxError as error:
        raise bad_request("body", f"The Offers.xml is not well-formed: {error}") from error


def _parse(stream: Any, limit: int) -> LegacyZip:
    content: LegacyZip | None = None
    events = etree.iterparse(
        stream, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False
    )
    for event, element in events:
        name, parent = _local_name(element), element.getparent()
        if content is None:  # the root comes before its offers
            content = _head(element)
        if event == "start" or parent is None:
            continue
        if name == "PublicationPool":
            if content.kind != FULL:
                raise bad_request(name, "Only a Full package has publication pools.")
            content.pools.append(_attributes(element))
        elif name == "Offer":
            if _local_name(parent) != "OfferCollection":
                raise bad_request("Offer", "An Offer stands in the OfferCollection.")
            modes = [_attributes(item) for item in element.iter() if _local_name(item) == SHIPPING]
            content.entries.append({**_attributes(element), SHIPPING: modes})
            element.clear()  # keeps the tree of a large file small
            while element.getprevious() is not None:
                del parent[0]
            if len(content.entries) > limit:
                break
    return content or LegacyZip()


def _head(root: etree._Element) -> LegacyZip:
    if _local_name(root) != "OfferPackage":
        raise bad_request("body", "The root of an Offers.xml is OfferPackage.")
    name = root.get("Name", "")
    if not name.strip():
        raise bad_request("Name", "Name is null or empty.", FIELD_EMPTY)
    kind, purges = root.get("PackageType", ""), root.get("PurgeAndReplace", "")
    if kind not in {FULL, STOCK_AND_PRICE}:
        raise bad_request("PackageType", "PackageType must be Full or StockAndPrice.")
    if purges not in {"true", "false"}:
        raise bad_request("PurgeAndReplace", "PurgeAndReplace must be true or false.")
    if purges == "true" and kind == STOCK_AND_PRICE:
        # An assumption: it would remove offers and could not replace them.
        raise bad_request("PurgeAndReplace", "PurgeAndReplace is for a Full package.")
    return LegacyZip(name, kind, purges == "true")


def _attributes(element: etree._Element) -> dict[str, str]:
    """Return the attributes by name, without those of another namespace."""
    return {
        str(name): str(value) for name, value in element.items() if not str(name).startswith("{")
    }


def _local_name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


AMOUNT = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,4})?", re.ASCII)
WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)

TAXES = {"Vat": ("VAT", "07"), "EcoPart": ("EcoPart", "08"), "DeaTax": ("DEA", "31")}
"""Attribute: the tax's code in the JSON packages, and its digits in a result code."""
ATTRIBUTES_OF_STOCK_AND_PRICE = (("Stock", WHOLE, "05"), ("Price", AMOUNT, "06"))
ATTRIBUTES = (
    *ATTRIBUTES_OF_STOCK_AND_PRICE,
    *((name, AMOUNT, digits) for name, (_, digits) in TAXES.items()),
    ("PreparationTime", WHOLE, "09"),
    ("StrikedPrice", AMOUNT, "18"),
)
"""Attribute, its pattern, and its digits in a result code."""
CHARGES = ("ShippingCharges", "AdditionalShippingCharges")

CONDITIONS = {
    "1": "UsedLikeNew",
    "2": "UsedVeryGoodState",
    "3": "GoodState",
    "4": "UsedAverageState",
    "5": "Refurbished",
    "6": "New",
}
"""Conditions by ProductCondition; the JSON packages lack 3 and 5."""
REFURBISHED = "5"

MODES = {
    "Standard": "NotTrackedHomeDelivery",
    "Tracked": "TrackedHomeDelivery",
    "Registered": "SignedHomeDelivery",
}
"""Names in the JSON packages by DeliveryMode."""


def number_of(condition: str) -> str:
    """Return the ProductCondition of a condition, or ""."""
    if condition.startswith("Refurbished"):
        return REFURBISHED
    return next((number for number, name in CONDITIONS.items() if name == condition), "")


def rules_of(behaviour: OfferBehaviour) -> OfferBehaviour:
    """Return the behaviour for Offers of a zip, which has more conditions than JSON."""
    known = (*behaviour.conditions, *CONDITIONS.values())
    return replace(behaviour, conditions=tuple(dict.fromkeys(known)))


def apply_offer(
    kind: str,
    entry: Mapping[str, Any],
    known: KnownOffer | None,
    store: OfferStore,
    behaviour: OfferBehaviour,
) -> OfferOutcome:
    """Put an Offer of a zip of this PackageType in the store, or return the reasons against it.

    `known` is the offer with the same SellerProductId; `behaviour` comes from `rules_of`.
    """
    is_full = kind == FULL
    unreadable = list(dict.fromkeys(_unreadable(entry, is_full=is_full)))
    request = _request(entry, known) if is_full else _changes(entry)
    if not unreadable:
        return APPLY["Upsert" if is_full else "Update"](request, known, store, behaviour)
    others = upsert_codes(request, behaviour) if is_full else []
    # Unreadable values were left out of the request, but they are not missing.
    wrongly_missing = {f"10{code[2:]}" for code in unreadable}
    return rejected(*unreadable, *(code for code in others if code not in wrongly_missing))


def _unreadable(entry: Mapping[str, Any], *, is_full: bool) -> Iterator[str]:
    """Yield the codes of unreadable texts, and of an absent comment, which may only be empty."""
    if is_full and "Comment" not in entry:
        yield "1014"
    for name, pattern, digits in ATTRIBUTES if is_full else ATTRIBUTES_OF_STOCK_AND_PRICE:
        text = entry.get(name, "")
        if text and not pattern.fullmatch(text):
            yield f"11{digits}"
    for mode in entry["ShippingInformation"] if is_full else ():
        places = MODE_DIGITS.get(_mode_code(mode), OTHER_MODE)
        for name, digits in zip(CHARGES, places, strict=True):
            text = mode.get(name, "")
            if text and not AMOUNT.fullmatch(text):
                yield f"11{digits}"


def _request(entry: Mapping[str, Any], known: KnownOffer | None) -> OfferRequest:
    """Return the request of an Offer of a Full package; fields that it lacks stay as stored."""
    number = entry.get("ProductCondition", "")
    # The names of the JSON packages are not valid here.
    condition = CONDITIONS.get(number, number and f"condition {number}")
    if known and number and number_of(known.request.condition) == number:
        condition = known.request.condition  # the number is ambiguous: keep the condition
    request = _changes(entry)._replace(
        condition=condition,
        origin_price=_amount(entry.get("StrikedPrice", "")),
        taxes=[
            {"code": code, "value": _amount(entry[name])}
            for name, (code, _) in TAXES.items()
            if entry.get(name)
        ],
        modes=[
            {
                "code": _mode_code(mode),
                "cost": _amount(mode.get(CHARGES[0], "")),
                "additionalCost": _amount(mode.get(CHARGES[1], "")),
            }
            for mode in entry["ShippingInformation"]
        ],
        preparation=_whole(entry.get("PreparationTime", "")),
    )
    if known is None:
        return request
    gtin = request.gtin or known.request.gtin
    return request._replace(gtin=gtin, product_reference=known.request.product_reference)


def _changes(entry: Mapping[str, Any]) -> OfferRequest:
    """Return the request of an Offer that changes "Price and/or Stock, nothing else"."""
    return OfferRequest(
        reference=entry.get("SellerProductId", ""),
        gtin=entry.get("ProductEan", ""),
        price=_amount(entry.get("Price", "")),
        quantity=_whole(entry.get("Stock", "")),
    )


def _mode_code(mode: Mapping[str, str]) -> str:
    return MODES.get(mode.get("DeliveryMode", ""), "")


def _amount(text: str) -> float | None:
    return float(text) if AMOUNT.fullmatch(text) else None


def _whole(text: str) -> int | None:
    return int(text) if WHOLE.fullmatch(text) else None
