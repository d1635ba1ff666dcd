"""The requests of a package become the zip that travels, in one place for whoever needs it.

The same rows give the same bytes, so that what is written for a look is what would be sent.
"""

import json
from collections.abc import Iterator, Sequence
from io import BytesIO

from feedtool.areas.legacy.offers_xml import XmlOffer
from feedtool.areas.legacy.writer import Head, Pool, offer_of, write
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.settings import AccountSettings


def zipped(
    package_type: str, channel: str, bodies: Sequence[bytes], dialect: AccountSettings
) -> bytes:
    """The zip of some offers of one channel.

    Args:
        package_type: Full, PurgeAndReplace or StockAndPrice.
        channel: The salesChannelId; a StockAndPrice package has no place for it.
        bodies: The offers as the feed makes them, each as JSON.
        dialect: How the account's zips are written.
    """
    is_full = package_type != PackageType.STOCK_AND_PRICE
    head = Head(
        name="feedtool",
        package_type=PackageType.FULL if is_full else package_type,
        purges=package_type == PackageType.PURGE,
        pools=(_pool(channel, dialect),) if is_full and channel else (),
        document_type=dialect.legacy_document_type,
    )
    target = BytesIO()
    write(target, head, _offers(bodies), len(bodies))
    return target.getvalue()


def _pool(channel: str, dialect: AccountSettings) -> Pool:
    """By its Id where the profile says that the account's pools have one."""
    number = dialect.legacy_pools.get(channel)
    return Pool(number, "Id") if number else Pool(channel)


def _offers(bodies: Sequence[bytes]) -> Iterator[XmlOffer]:
    return (offer_of(json.loads(body)) for body in bodies)
