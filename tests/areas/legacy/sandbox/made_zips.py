"""Legacy zips to submit, good ones and others, and what becomes of them."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from tests.sandbox.desk import Answer, Desk

PACKAGES = "/offer-integration-packages"
ZIP = {"Content-Type": "application/zip"}
INTEGRATED = 2
ROOT = {"Name": "Test", "PurgeAndReplace": "false", "PackageType": "Full"}
TRACKED = {"DeliveryMode": "Tracked", "ShippingCharges": "4.9", "AdditionalShippingCharges": "1.5"}


def tag(name: str, given: Mapping[str, str | None], inner: str = "") -> str:
    attributes = (f" {key}={quoteattr(text)}" for key, text in given.items() if text is not None)
    return f"<{name}{''.join(attributes)}>{inner}</{name}>"


def offer(
    reference: str | None = "A-1",
    number: int = 1,
    /,
    modes: Iterable[Mapping[str, str | None]] = (TRACKED,),
    **changes: str | None,
) -> str:
    """A good Offer of a Full package; None takes an attribute away."""
    given: dict[str, str | None] = {
        "SellerProductId": reference,
        "ProductEan": Desk.gtin(number),
        "ProductCondition": "6",
        "Price": "11",
        "EcoPart": "0.12",
        "DeaTax": "0",
        "Vat": "20",
        "Stock": "7",
        "Comment": "",
        "PreparationTime": "2",
        **changes,
    }
    shipping = "".join(tag("ShippingInformation", mode) for mode in modes)
    inner = tag("ShippingInformationList", {}, shipping)
    return tag("Offer", given, tag("Offer.ShippingInformationList", {}, inner))


def document(*offers: str, pools: Iterable[Mapping[str, str]] = (), **changes: str | None) -> bytes:
    listed = "".join(tag("PublicationPool", pool) for pool in pools)
    inner = tag("OfferPackage.OfferPublicationList", {}, tag("OfferPublicationList", {}, listed))
    offers_xml = tag("OfferPackage.Offers", {}, tag("OfferCollection", {}, "".join(offers)))
    given = {**ROOT, **changes, "xmlns": "clr-namespace:Test"}
    return tag("OfferPackage", given, inner + offers_xml).encode()


def zipped(content: bytes, *names: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name in names or ("Content/Offers.xml",):
            package.writestr(name, content)
    return target.getvalue()


def post(desk: Desk, body: bytes, **headers: str) -> Answer:
    return desk.ask("POST", PACKAGES, body, headers={**ZIP, **headers})


def submit(desk: Desk, *offers: str, **about: Any) -> str:
    """The id of a package that was taken in."""
    answer = post(desk, zipped(document(*offers, **about)))
    assert answer.status == 200, answer.body
    return str(answer.json["package_id"])


def read(desk: Desk, package_id: str, query: str = "") -> Any:
    answer = desk.ask("GET", f"{PACKAGES}/{package_id}", query=query)
    assert answer.status == 200, answer.body
    return answer.json


def outcomes(desk: Desk, *offers: str, **about: Any) -> list[tuple[str | None, str, list[str]]]:
    """Send Offers and return (SellerProductId, status, codes) of each."""
    package_id = submit(desk, *offers, **about)
    desk.wait(INTEGRATED)
    return [
        (
            entry["seller_product_id"],
            entry["offer_integration_status"],
            [one["property_error"] + one["property_code"] for one in entry["property_list"]],
        )
        for entry in read(desk, package_id, "count_by_page=1000")["offer_log_paged_list"]
    ]
