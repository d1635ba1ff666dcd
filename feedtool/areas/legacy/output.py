"""An Offers.xml, or its zip, of converted rows, and the head of an input of that format.

The same rows give the same bytes. What was written is read again before it is kept.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import IO

from feedtool.areas.legacy.conversions import UPDATE, UPSERT
from feedtool.areas.legacy.offers_xml import KIND as FULL
from feedtool.areas.legacy.offers_xml import PRIMARY_POOL, XmlOffer
from feedtool.areas.legacy.offers_xml import STOCK_AND_PRICE_KIND as STOCK_AND_PRICE
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.source import OffersSource
from feedtool.areas.legacy.writer import Head, Pool, head_of, offers_of, write, write_xml
from feedtool.feeds.area import FileFacts, Output
from feedtool.model.nouns import Item, Loss
from feedtool.model.settings import AccountSettings
from feedtool.model.spool import Spool


@dataclass(frozen=True, slots=True)
class OffersXmlAbout:
    """The head of an Offers.xml, as far as the one that is made of it has the same."""

    name: str = "feedtool"
    pools: tuple[Pool, ...] = ()
    """Where it says; else the one of the rows' channel."""


def facts_of(source: OffersSource, settings: AccountSettings, channel: str) -> FileFacts:
    """The head of an Offers.xml that was read, and what of it no other format can say."""
    head, losses, pools = source.head_of_package, list[Loss](), list[Pool]()
    if head.purges:
        why = "a purge is never carried over: `submit --purge-and-replace` asks for it by name"
        losses.append(Loss(None, head.line, "PurgeAndReplace", "true", why))
    for attribute, value in head.pools:
        try:
            pools.append(Pool(value, attribute))
        except ValueError:
            why = "a publication pool cannot be written like that"
            losses.append(Loss(None, head.line, attribute, value, why))
    losses += [Loss(None, line, None, None, text) for line, text in source.losses]
    elsewhere = []
    numbers = {PRIMARY_POOL, *settings.legacy_pools.values()}
    known = [pool for pool in pools if pool.attribute != "Id" or pool.value in numbers]
    if not len(known) == len(pools) <= 1:
        why = f"its rows are for one channel, {channel} unless --channel names it"
        values = ", ".join(pool.value for pool in pools)
        elsewhere.append(Loss(None, None, "PublicationPool", values, why))
    about = OffersXmlAbout(head.name or OffersXmlAbout().name, tuple(pools))
    return FileFacts(about, replace(about, pools=()), losses, elsewhere)


Make = Callable[[IO[bytes], Head, Iterable[XmlOffer], int], None]


def _writer(make: Make) -> Callable[[Path, Spool[Item], object, AccountSettings], bool]:
    def write_offers(
        path: Path, items: Spool[Item], about: object, settings: AccountSettings
    ) -> bool:
        """Write the offers of one package; False where they do not read back like that."""
        own = about if isinstance(about, OffersXmlAbout) else OffersXmlAbout()
        first = next(iter(items))
        head = head_of(first.package_type, first.channel, settings, own.name, own.pools)
        with path.open("wb") as file:
            make(file, head, offers_of(item.body for item in items), len(items))
        read = (place.offer for place in OffersXml(path).read())
        written = offers_of(item.body for item in items)
        return all(offer == other for offer, other in zip_longest(read, written))

    return write_offers


OUTPUTS = tuple(
    Output(
        ending,
        {UPSERT: FULL, UPDATE: STOCK_AND_PRICE, FULL: FULL, STOCK_AND_PRICE: STOCK_AND_PRICE},
        {
            "offers-delete": "an Offers.xml cannot say that offers are removed",
            "products": "an Offers.xml holds offers, and no products",
        },
        lambda settings: settings.limits.legacy,
        "{count:,} offers are more than a legacy zip takes: {most:,}",
        _writer(make),
    )
    for ending, make in ((".zip", write), (".xml", write_xml))
)
