"""A zip package with an Offers.xml, read: part "Legacy offer routes" of the specification.

The specification shows the elements and attributes; where each stands in the zip, and what a
condition's number means, is the field's practice. As with uploads of JSON only the structure is
looked at here; what an offer says is looked at once the package is integrated.
"""

import io
import urllib.request
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import orjson
from lxml import etree

from feedtool.sandbox.message import HttpRequest
from feedtool.sandbox.problem import FIELD_EMPTY, RequestRefused, bad_request

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


@dataclass(slots=True)
class LegacyZip:
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

    Of more than `limit` Offers the first one too many is the last that is read.

    Refuses with 415 what is neither, and with 400 what is no zip with an Offers.xml in it.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return _read(_fetched(request.body), limit)
    if kind not in {"application/zip", "application/x-zip-compressed", "application/octet-stream"}:
        raise RequestRefused(
            415, f"The media type {kind!r} is not supported; send application/zip."
        )
    return _read(request.body, limit)


def _fetched(body: bytes) -> bytes:
    """The zip behind the address that a JSON string holds."""
    try:
        address = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise bad_request("body", f"The body is not well-formed JSON: {error}") from error
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
    return LegacyZip(name, kind, purges == "true")


def _attributes(element: etree._Element) -> dict[str, str]:
    """By name; those of another namespace say nothing of an offer."""
    return {
        str(name): str(value) for name, value in element.items() if not str(name).startswith("{")
    }


def _local(element: etree._Element) -> str:
    """A name without its namespace."""
    return str(element.tag).rpartition("}")[2]
