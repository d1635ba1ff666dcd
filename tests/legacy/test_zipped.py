"""Requests become the zip that travels."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import orjson
import pytest

from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.zipped import zipped
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.settings import AccountSettings

FULL = orjson.dumps(
    {
        "SellerProductId": "A-1",
        "ProductEan": "4006381333931",
        "ProductCondition": "6",
        "Price": "19.99",
        "EcoPart": "0",
        "DeaTax": "0",
        "Vat": "20",
        "Stock": "7",
        "Comment": "",
        "PreparationTime": "2",
        "ShippingInformation": [],
    }
)
STOCK = orjson.dumps({"SellerProductId": "A-1", "Stock": "7"})


@pytest.mark.parametrize(
    ("kind", "body", "told", "purges", "pools"),
    [
        (PackageType.FULL, FULL, PackageType.FULL, False, [("SalesChannelId", "SECOND")]),
        (PackageType.PURGE, FULL, PackageType.FULL, True, [("SalesChannelId", "SECOND")]),
        (PackageType.STOCK_AND_PRICE, STOCK, PackageType.STOCK_AND_PRICE, False, []),
    ],
)
def test_what_the_zip_says_of_itself(
    tmp_path: Path,
    kind: str,
    body: bytes,
    told: str,
    purges: object,
    pools: list[tuple[str, str]],
) -> None:
    path = tmp_path / "offers.zip"
    path.write_bytes(zipped(kind, "SECOND", [body], AccountSettings()))
    xml = OffersXml(path)
    [found] = xml.read()
    assert found.offer.attributes["SellerProductId"] == "A-1"
    assert (xml.about.package_type, xml.about.purges, xml.about.pools) == (told, purges, pools)
    assert not xml.liberties.texts()


def test_a_pool_by_its_id() -> None:
    dialect = AccountSettings(legacy_pools={"PRIMARY": "1"})
    with ZipFile(BytesIO(zipped(PackageType.FULL, "PRIMARY", [FULL], dialect))) as package:
        assert b'<PublicationPool Id="1"' in package.read("Content/Offers.xml")


def test_the_same_rows_give_the_same_bytes() -> None:
    made = {zipped(PackageType.FULL, "PRIMARY", [FULL, FULL], AccountSettings()) for _ in range(2)}
    assert len(made) == 1
