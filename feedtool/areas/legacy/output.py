"""An Offers.xml, or its zip, of the rows of a sheet, and what one says of itself.

The same rows give the same bytes. What was written is read again before it is kept.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import IO

from feedtool.areas.legacy.carry import UPDATE, UPSERT
from feedtool.areas.legacy.offers_xml import KIND as FULL
from feedtool.areas.legacy.offers_xml import STOCK_AND_PRICE_KIND as STOCK_AND_PRICE
from feedtool.areas.legacy.offers_xml import XmlOffer
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.source import PRIMARY_POOL, OffersSource
from feedtool.areas.legacy.writer import Head, Pool, offer_of, write, write_xml
from feedtool.areas.offers.package_types import PackageType
from feedtool.feeds.conversion import Fact, Output, Said
from feedtool.model.nouns import Item
from feedtool.model.settings import AccountSettings
from feedtool.model.spool import Spool

PURGE = "PurgeAndReplace"


@dataclass(frozen=True, slots=True)
class OffersXmlAbout:
    """What an Offers.xml said of itself, as far as the one that is made of it says the same."""

    name: str = "feedtool"
    pools: tuple[Pool, ...] = ()
    """Where it says; else the one of the rows' channel."""


def said(source: OffersSource, path: Path, dialect: AccountSettings, channel: str) -> Said:
    """What an Offers.xml says of itself, and what of that nothing else can say."""
    xml = OffersXml(path, dialect.reading)
    next(iter(xml.read()), None)
    own, losses, pools = xml.about, list[Fact](), list[Pool]()
    if own.purges:
        why = "a purge is never carried over: `submit --purge-and-replace` asks for it by name"
        losses.append(Fact(own.line, PURGE, "true", why))
    for attribute, value in own.pools:
        try:
            pools.append(Pool(value, attribute))
        except ValueError:
            why = "a publication pool cannot be written like that"
            losses.append(Fact(own.line, attribute, value, why))
    losses += [Fact(line, None, None, text) for line, text in source.sheet().losses]
    elsewhere = []
    numbers = {PRIMARY_POOL, *dialect.legacy_pools.values()}
    known = [pool for pool in pools if pool.attribute != "Id" or pool.value in numbers]
    if not len(known) == len(pools) <= 1:
        why = f"its rows are for one channel, {channel} unless --channel names it"
        values = ", ".join(pool.value for pool in pools)
        elsewhere.append(Fact(None, "PublicationPool", values, why))
    about = OffersXmlAbout(own.name or OffersXmlAbout().name, tuple(pools))
    return Said(about, replace(about, pools=()), losses, elsewhere)


Make = Callable[[IO[bytes], Head, Iterable[XmlOffer], int], None]


def _writer(make: Make) -> Callable[[Path, Spool[Item], object, AccountSettings], bool]:
    def write_offers(
        path: Path, items: Spool[Item], about: object, dialect: AccountSettings
    ) -> bool:
        """Write the offers of one package; False where they do not read back like that."""
        own = about if isinstance(about, OffersXmlAbout) else OffersXmlAbout()
        with path.open("wb") as file:
            make(file, _head(next(iter(items)), own, dialect), _offers(items), len(items))
        read = (found.offer for found in OffersXml(path).read())
        return all(offer == other for offer, other in zip_longest(read, _offers(items)))

    return write_offers


def _head(item: Item, about: OffersXmlAbout, dialect: AccountSettings) -> Head:
    pools = about.pools
    if not pools and item.channel:
        number = dialect.legacy_pools.get(item.channel)
        pools = (Pool(number, "Id") if number else Pool(item.channel),)
    is_full = item.package_type == PackageType.FULL
    return Head(
        about.name,
        item.package_type,
        pools=pools if is_full else (),
        document_type=dialect.legacy_document_type,
    )


def _offers(items: Iterable[Item]) -> Iterator[XmlOffer]:
    return (offer_of(json.loads(item.body)) for item in items)


OUTPUTS = tuple(
    Output(
        ending,
        {
            UPSERT: FULL,
            UPDATE: STOCK_AND_PRICE,
            FULL: FULL,
            STOCK_AND_PRICE: STOCK_AND_PRICE,
        },
        {
            "offers-delete": "an Offers.xml cannot say that offers are removed",
            "products": "an Offers.xml holds offers, and no products",
        },
        lambda dialect: dialect.limits.legacy,
        "{count:,} offers are more than a legacy zip takes: {most:,}",
        _writer(make),
    )
    for ending, make in ((".zip", write), (".xml", write_xml))
)
