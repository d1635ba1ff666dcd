"""The delivery of legacy zips: one POST sends the zip, its log holds the results.

Specification, part "Legacy offer routes": one POST takes a zip in, and the result of each offer
stands in its log. The service lists no zips: after a lost answer, the seller's offers show whether
a zip arrived.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.wire import log_page, read_log, submit_zip, zip_id
from feedtool.areas.legacy.writer import ATTRIBUTES, head_of, offers_of, write
from feedtool.areas.offers.delivery import TEXTS, PackageType, ask_offers, traces
from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.offers.wire.offers import Offer, offers_page, read_offers
from feedtool.feeds.delivery import AnswerPage, Endpoint, LogEntry, Lookup, PackageLog, Submitted
from feedtool.feeds.package_ref import PackageRef, Size
from feedtool.model.call import Call, Reply
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.nouns import PendingRow
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr

WRONG_KIND = 415
"""The status of a service that does not accept zips sent in this way."""
PACKAGE_CAUSES = frozenset(
    ("Name", "PurgeAndReplace", "PackageType", "PublicationPool", "SalesChannelId", "Id")
)
"""Causes of a refusal that concern no offer: attributes of the root and of the pools."""


def _document(package: PackageRef, bodies: Sequence[bytes]) -> bytes:
    target = BytesIO()
    head = head_of(package.package_type, package.channel, package.settings)
    write(target, head, offers_of(bodies), len(bodies))
    return target.getvalue()


def submit(package: PackageRef, bodies: Sequence[bytes]) -> Call:
    """Return the call with the zip's bytes or its public address.

    Raises UsageProblem if the zip cannot be put there.
    """
    body = _document(package, bodies)
    if package.settings.of(LegacySettings).legacy_transport != "url":
        return submit_zip(body, package.language)
    address = json.dumps(_publish(body, package.settings)).encode()
    return submit_zip(address, package.language, "application/json")


def _publish(body: bytes, settings: AccountSettings) -> str:
    """Put a zip into the published folder, and return its address.

    The zip is named by a hash of its content: nobody can guess the name, and the same zip is put
    there once.
    """
    name = f"{sha256(body).hexdigest()[:32]}.zip"
    target = Path(settings.of(LegacySettings).legacy_folder).expanduser() / name
    part = target.with_suffix(".part")
    try:
        part.write_bytes(body)
        part.replace(target)
    except OSError as error:
        raise UsageProblem(
            tr(
                "the zip cannot be put into {folder}: {reason}",
                folder=target.parent,
                reason=reason_of(error),
            ),
            tr("correct legacy_folder in the profile, or let the zip travel as bytes"),
        ) from error
    return f"{settings.of(LegacySettings).legacy_address.rstrip('/')}/{name}"


def blames_package(status: int | None, causes: frozenset[str]) -> bool:
    """True if both halves of the package would be refused for the same reason."""
    return status == WRONG_KIND or (bool(causes) and causes <= PACKAGE_CAUSES)


def match(entries: Sequence[LogEntry], rows: Iterable[PendingRow]) -> Iterator[LogEntry]:
    """Yield the entries whose GTIN only one row has; two conditions of a product share a GTIN."""
    by_gtin: dict[str, list[str]] = {}
    for row in rows:
        by_gtin.setdefault(row.product.partition("|")[0].lstrip("0"), []).append(row.reference)
    for entry in entries:
        references = by_gtin.get(entry.gtin.lstrip("0"), []) if entry.gtin else []
        if len(references) == 1:
            yield entry._replace(reference=references[0])


def _pairs(
    settings: AccountSettings, request: Mapping[str, Any], offer: Offer
) -> Iterator[tuple[object, object]]:
    """Yield each value that the Offer requested, with the offer's value.

    For StockAndPrice that is the price alone: the stock proves nothing, as sales change it.
    """
    if "Price" in request:
        yield Decimal(request["Price"]), offer.price
    if "ProductCondition" not in request:
        return
    if "ProductEan" in request:
        yield request["ProductEan"].lstrip("0"), offer.gtin and offer.gtin.lstrip("0")
    legacy = settings.of(LegacySettings)
    yield request["ProductCondition"], legacy.legacy_conditions.get(offer.condition or "")
    yield int(request["PreparationTime"]), offer.preparation_time
    yield _taxes(settings, request), offer.taxes
    modes = {
        legacy.legacy_modes.get(mode["DeliveryMode"]): (
            Decimal(mode["ShippingCharges"]),
            Decimal(mode["AdditionalShippingCharges"]),
        )
        for mode in request["ShippingInformation"]
    }
    # Otherwise a mode has no name in the JSON packages.
    if all(modes) and len(modes) == len(request["ShippingInformation"]):
        yield modes, offer.delivery_modes


def _taxes(settings: AccountSettings, request: Mapping[str, Any]) -> dict[str, Decimal]:
    """Return the taxes by the codes, and on the scale, of the account's offers."""
    family = "taxes."
    amounts = {
        attribute.key.removeprefix(family): Decimal(request[attribute.name])
        for attribute in ATTRIBUTES
        if attribute.key.startswith(family)
    }
    offers = settings.of(OfferSettings)
    amounts["VAT"] = amounts["VAT"] * offers.vat_scale / 100
    return {offers.tax_codes[name]: amount for name, amount in amounts.items()}


def references_page(reply: Reply) -> AnswerPage[str | None]:
    page = offers_page(reply)
    return AnswerPage([offer.reference for offer in page.items], page.next)


PRESENT = Endpoint(
    # Only the references are needed.
    lambda package: read_offers(package.channel, fields=(), link=package.link),
    references_page,
)
DELIVERY = Submitted(
    size=lambda limits: Size(limits.legacy, limits.legacy),
    submit=submit,
    submitted=zip_id,
    outcome=PackageLog(Endpoint(read_log, log_page), match),
    lookup=Lookup(ask_offers, offers_page, partial(traces, _pairs), TEXTS),
    blames_package=blames_package,
    is_repeatable=lambda package_type: package_type != PackageType.PURGE,
    is_exclusive=lambda package_type: package_type == PackageType.PURGE,
    document=_document,
    file_name="package-{number:03}-{package_type}-{channel}.zip",
)
