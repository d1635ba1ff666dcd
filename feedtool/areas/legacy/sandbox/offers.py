"""The Offers of a legacy zip, read and integrated: part "Legacy offer routes" of the specification.

The specification shows the elements and attributes; where each stands in the zip, and what a
condition's number means, is the field's practice. As with uploads of JSON only the structure is
looked at on reading. An Offer is then laid flat as a request of the JSON packages is, and meets the
same rules and store; all its values are texts, so what they cannot be read as is refused first.
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
    """Of zips with an Offers.xml; how long they take is as of packages of offers."""

    limit: int = 40_000


FULL, STOCK_AND_PRICE = "Full", "StockAndPrice"
OFFERS = "content/offers.xml"
SHIPPING = "ShippingInformation"
LARGEST_ZIP = 1 << 25
LARGEST_XML = 1 << 28
"""Bytes of a zip, and of the Offers.xml in it."""
PATIENCE = 10.0
"""Seconds that a public address has to answer in."""

Entry = dict[str, Any]
"""An Offer: its attributes, and `ShippingInformation` as a list of theirs."""


class LegacyZip(Struct):
    """The content of an Offers.xml."""

    name: str = ""
    kind: str = FULL
    """PackageType, which is case sensitive."""
    purges: bool = False
    """PurgeAndReplace."""
    pools: list[Mapping[str, str]] = field(default_factory=list)
    """The attributes of the publication pools: SalesChannelId, or Id."""
    entries: list[Entry] = field(default_factory=list)


def read_zip(request: HttpRequest, limit: int) -> LegacyZip:
    """The package in a request: the zip's bytes, or a JSON string with its public address.

    Of more than `limit` Offers the first one too many is the last that is read. What is neither is
    415, what is no zip with an Offers.xml in it 400.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return _read(_fetched(request), limit)
    if kind not in {"application/zip", "application/x-zip-compressed", "application/octet-stream"}:
        raise RequestRefused(
            415, f"The media type {kind!r} is not supported; send application/zip."
        )
    return _read(request.body, limit)


def _fetched(request: HttpRequest) -> bytes:
    """The zip behind the address that a JSON string holds."""
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
                return _parsed(stream, limit)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise bad_request("body", f"The body is no zip: {error}") from error
    except etree.XMLSyntaxError as error:
        raise bad_request("body", f"The Offers.xml is not well-formed: {error}") from error


def _parsed(stream: Any, limit: int) -> LegacyZip:
    content: LegacyZip | None = None
    events = etree.iterparse(
        stream, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False
    )
    for event, element in events:
        name, parent = _local(element), element.getparent()
        if content is None:  # the root, which is known before its offers
            content = _head(element)
        if event == "start" or parent is None:
            continue
        if name == "PublicationPool":
            if content.kind != FULL:
                raise bad_request(name, "Only a Full package has publication pools.")
            content.pools.append(_attributes(element))
        elif name == "Offer":
            if _local(parent) != "OfferCollection":
                raise bad_request("Offer", "An Offer stands in the OfferCollection.")
            modes = [_attributes(item) for item in element.iter() if _local(item) == SHIPPING]
            content.entries.append({**_attributes(element), SHIPPING: modes})
            element.clear()  # so that a large file is never wholly a tree
            while element.getprevious() is not None:
                del parent[0]
            if len(content.entries) > limit:
                break
    return content or LegacyZip()


def _head(root: etree._Element) -> LegacyZip:
    """The package as its root describes it."""
    if _local(root) != "OfferPackage":
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
        # An assumption: it would remove offers, and could put none in their place.
        raise bad_request("PurgeAndReplace", "PurgeAndReplace is for a Full package.")
    return LegacyZip(name, kind, purges == "true")


def _attributes(element: etree._Element) -> dict[str, str]:
    """By name; those of another namespace say nothing of an offer."""
    return {
        str(name): str(value) for name, value in element.items() if not str(name).startswith("{")
    }


def _local(element: etree._Element) -> str:
    """A name without its namespace."""
    return str(element.tag).rpartition("}")[2]


AMOUNT = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,4})?", re.ASCII)
WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)

TAXES = {"Vat": ("VAT", "07"), "EcoPart": ("EcoPart", "08"), "DeaTax": ("DEA", "31")}
"""Attribute, the tax's code in the JSON packages, and the digits that stand for it in a code."""
ATTRIBUTES_OF_STOCK_AND_PRICE = (("Stock", WHOLE, "05"), ("Price", AMOUNT, "06"))
ATTRIBUTES = (
    *ATTRIBUTES_OF_STOCK_AND_PRICE,
    *((name, AMOUNT, digits) for name, (_, digits) in TAXES.items()),
    ("PreparationTime", WHOLE, "09"),
    ("StrikedPrice", AMOUNT, "18"),
)
"""Attribute, how it is written, and the digits that stand for it."""
CHARGES = ("ShippingCharges", "AdditionalShippingCharges")

CONDITIONS = {
    "1": "UsedLikeNew",
    "2": "UsedVeryGoodState",
    "3": "GoodState",
    "4": "UsedAverageState",
    "5": "Refurbished",
    "6": "New",
}
"""ProductCondition; 3 and 5 are conditions that the JSON packages do not have."""
REFURBISHED = "5"

MODES = {
    "Standard": "NotTrackedHomeDelivery",
    "Tracked": "TrackedHomeDelivery",
    "Registered": "SignedHomeDelivery",
}
"""DeliveryMode, and its name in the JSON packages."""


def number_of(condition: str) -> str:
    """The ProductCondition that an offer's condition has; empty where it has none."""
    if condition.startswith("Refurbished"):
        return REFURBISHED
    return next((number for number, name in CONDITIONS.items() if name == condition), "")


def rules_of(behaviour: OfferBehaviour) -> OfferBehaviour:
    """The behaviour by which Offers of a zip are judged: more conditions than in JSON."""
    known = (*behaviour.conditions, *CONDITIONS.values())
    return replace(behaviour, conditions=tuple(dict.fromkeys(known)))


def applied(
    kind: str,
    entry: Mapping[str, Any],
    known: KnownOffer | None,
    store: OfferStore,
    behaviour: OfferBehaviour,
) -> OfferOutcome:
    """Put an Offer of a zip of this PackageType in the store, or say why not.

    `known` is the offer that has its SellerProductId; `behaviour` is as `rules_of` makes it.
    """
    is_full = kind == FULL
    unreadable = list(dict.fromkeys(_unreadable(entry, is_full=is_full)))
    request = _request(entry, known) if is_full else _changes(entry)
    if not unreadable:
        return APPLY["Upsert" if is_full else "Update"](request, known, store, behaviour)
    others = upsert_codes(request, behaviour) if is_full else []
    # What cannot be read was left out of the request, but it is not missing.
    noted = {f"10{code[2:]}" for code in unreadable}
    return rejected(*unreadable, *(code for code in others if code not in noted))


def _unreadable(entry: Mapping[str, Any], *, is_full: bool) -> Iterator[str]:
    """The codes of texts in another form; and of the comment, which may be empty, not absent."""
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
    """An Offer of a Full package; what it has no place for stays as it is in the store."""
    number = entry.get("ProductCondition", "")
    # The names of the JSON packages are none here.
    condition = CONDITIONS.get(number, number and f"condition {number}")
    if known and number and number_of(known.request.condition) == number:
        condition = known.request.condition  # of the several that it may mean the one that is there
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
    """An Offer of a StockAndPrice package: "Price and/or Stock, nothing else"."""
    return OfferRequest(
        reference=entry.get("SellerProductId", ""),
        gtin=entry.get("ProductEan", ""),
        price=_amount(entry.get("Price", "")),
        quantity=_whole(entry.get("Stock", "")),
    )


def _mode_code(mode: Mapping[str, str]) -> str:
    """The mode's name in the JSON packages, empty for one that a zip does not have."""
    return MODES.get(mode.get("DeliveryMode", ""), "")


def _amount(text: str) -> float | None:
    return float(text) if AMOUNT.fullmatch(text) else None


def _whole(text: str) -> int | None:
    return int(text) if WHOLE.fullmatch(text) else None
