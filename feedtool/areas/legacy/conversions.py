"""Convert rows of one kind of offers into another kind, and list the losses. Pure.

Offers in the JSON packages and in an Offers.xml differ only in the names of delivery modes, in the
conditions, and in the fields that one of the two lacks (source: the field; the mapping is in the
profile).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from feedtool.areas.legacy.feeds import FULL_FEED, STOCK_AND_PRICE_FEED
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.source import OffersSource
from feedtool.areas.legacy.writer import KIND as FULL
from feedtool.areas.legacy.writer import KINDS as LEGACY_KINDS
from feedtool.areas.legacy.writer import (
    PRIMARY_POOL,
    Head,
    Pool,
    XmlOffer,
    cost_keys,
    head_of,
    offers_of,
    write,
    write_xml,
)
from feedtool.areas.legacy.writer import STOCK_AND_PRICE_KIND as STOCK_AND_PRICE
from feedtool.areas.offers import columns as offers
from feedtool.areas.offers import feeds
from feedtool.feeds.area import (
    ConvertedRow,
    FileFacts,
    Output,
    RowConversion,
    RowConverter,
    Values,
    loss_of,
)
from feedtool.model.cells import Value
from feedtool.model.disk_list import Spool
from feedtool.model.nouns import Item, Loss
from feedtool.model.settings import DEPRECATED_MODES, AccountSettings
from feedtool.model.text import joined, tr

UPSERT, UPDATE, DELETE = (feed.kind for feed in feeds.FEEDS)
FEEDS = {feed.kind: feed for feed in (*feeds.FEEDS, FULL_FEED, STOCK_AND_PRICE_FEED)}
VAT, *_ = offers.TAXES

_REASONS: Mapping[str, str] = {
    offers.PRODUCT_REFERENCE: tr("an Offers.xml has no place for a product reference"),
    "comment": tr("the JSON packages have no place for a comment"),
    "CDAV": tr("it can no longer be submitted"),
    "PackagingUnit": tr("the service no longer supports it"),
    "PackagingValue": tr("the service no longer supports it"),
}
_RETIRED = frozenset(column.key for column in offers.RETIRED_COLUMNS)
_TARGET_REASONS = {
    UPDATE: tr("an Update does not say it"),
    DELETE: tr("a Delete says the reference alone"),
    STOCK_AND_PRICE: tr("a StockAndPrice package says reference, EAN, price and stock alone"),
}


def converter(kind: str, target: str, settings: AccountSettings) -> RowConverter:
    """Return the function that converts rows of `kind` into rows of `target`, maybe the same kind.

    Values without a column there are losses; a condition that `target` lacks stays in its cell.
    """
    name_of = _mode_names(kind, target, settings)
    is_json = target not in LEGACY_KINDS
    columns = {column.key for column in FEEDS[target].sheet.columns(settings)}
    if is_json and target != DELETE:
        columns.update(key for mode in DEPRECATED_MODES for key in cost_keys(mode))
    if is_json and kind in LEGACY_KINDS:
        columns.discard(offers.ACTION)
    numbers = settings.of(LegacySettings).legacy_conditions
    conditions = settings.conditions if is_json else tuple(numbers)
    choices = joined(conditions)
    if is_json:
        no_mode = tr(
            "the JSON packages have no such delivery mode; the profile's legacy_modes can give it"
            " one"
        )
        no_condition = tr(
            "the JSON packages have no such condition: choose one of {choices}", choices=choices
        )
    else:
        no_mode = tr(
            "an Offers.xml has no such delivery mode; the profile's legacy_modes can give it one"
        )
        no_condition = tr(
            "an Offers.xml has no such condition: choose one of {choices}", choices=choices
        )
    # Blank taxes of a whole offer are zero; an Update without them would be half a list.
    is_list = target == UPDATE and kind in {UPSERT, FULL}

    def convert(values: Values) -> ConvertedRow:
        zeros = dict.fromkeys(offers.TAXES, Decimal(0)) if is_list and VAT in values else {}
        row = ConvertedRow({**zeros}, [], [])
        for key, value in values.items():
            name = name_of(key, values)
            if name is None:
                row.losses.append(loss_of(key, value, no_mode))
            elif name in columns:
                row.values[name] = value
                if name == offers.CONDITION and kind != target and value not in conditions:
                    row.losses.append(loss_of(name, value, no_condition))
                    row.obstacles.append(row.losses[-1])
            elif name != offers.ACTION:
                reason = _REASONS.get(name) or tr("{kind} has no column for it", kind=target)
                why = reason if name in _RETIRED else _TARGET_REASONS.get(target, reason)
                row.losses.append(loss_of(key, value, why))
        return row

    return convert


def ambiguous_condition(values: Mapping[str, Value], settings: AccountSettings) -> Iterator[Loss]:
    """Yield a loss if the number of the condition in an Offers.xml is read as another condition."""
    condition = values.get(offers.CONDITION)
    numbers = settings.of(LegacySettings).legacy_conditions
    number = numbers.get(str(condition))
    if condition is None or number is None:
        return
    same = next(name for name, other in numbers.items() if other == number)
    if same != condition:
        why = tr(
            "its ProductCondition is {number}, which is read as {same}", number=number, same=same
        )
        yield loss_of(offers.CONDITION, condition, why)


def _mode_names(
    kind: str, target: str, settings: AccountSettings
) -> Callable[[str, Mapping[str, Value]], str | None]:
    """Return the function that renames a key for `target`; None for a mode that `target` lacks."""
    if (kind in LEGACY_KINDS) == (target in LEGACY_KINDS) or target == STOCK_AND_PRICE:
        return lambda key, _: key
    modes = settings.of(LegacySettings).legacy_modes
    known: dict[str, str] = {}
    for mode, same in modes.items():
        if mode and same:
            source_mode, target_mode = (same, mode) if target in LEGACY_KINDS else (mode, same)
            known = dict(zip(cost_keys(source_mode), cost_keys(target_mode), strict=True)) | known
    retired = [mode for mode in DEPRECATED_MODES if target == FULL and mode in modes]
    retiring = {key for mode in retired for key in cost_keys(mode)}

    def name_of(key: str, values: Mapping[str, Value]) -> str | None:
        if not key.startswith("deliveryModes."):
            return key
        if key in retiring:  # the legacy mode has the same name, unless its own mode is there, too
            is_taken = any(
                known.get(other_key) == key for other_key in values if other_key not in retiring
            )
            return None if is_taken else key
        return known.get(key)

    return name_of


SOURCES: Mapping[str, tuple[str, ...]] = {
    UPSERT: (UPSERT, FULL),
    UPDATE: (UPDATE, UPSERT, STOCK_AND_PRICE, FULL),
    DELETE: (DELETE,),
    FULL: (FULL, UPSERT),
    STOCK_AND_PRICE: (STOCK_AND_PRICE, UPDATE, UPSERT, FULL),
}
"""The kinds that can become each kind without a change of meaning: an Update, whose blanks mean
unchanged, never becomes a whole offer, and nothing becomes a Delete."""

AS_JSON = {(FULL, UPSERT), (STOCK_AND_PRICE, UPDATE)}

CONVERSIONS = tuple(
    RowConversion(
        kind,
        target,
        partial(converter, kind, target),
        (kind, target) in AS_JSON,
        ambiguous_condition if target == FULL else lambda _, __: (),
    )
    for target, kinds in SOURCES.items()
    for kind in kinds
)


def facts_of(source: OffersSource, settings: AccountSettings, channel: str) -> FileFacts:
    """Return the head of an Offers.xml that was read, and its parts that other formats lack."""
    head, losses, pools = source.xml.head, list[Loss](), list[Pool]()
    if head.purges:
        why = tr("a purge is never carried over: `submit --purge-and-replace` asks for it by name")
        losses.append(Loss(None, head.line, "PurgeAndReplace", "true", why))
    for attribute, value in head.pools:
        try:
            pools.append(Pool(value, attribute))
        except ValueError:
            why = tr("a publication pool cannot be written like that")
            losses.append(Loss(None, head.line, attribute, value, why))
    noted_losses = source.xml.irregularities.losses()
    losses += [Loss(None, line, None, None, text) for line, text in noted_losses]
    pool_losses = []
    numbers = {PRIMARY_POOL, *settings.of(LegacySettings).legacy_pools.values()}
    known = [pool for pool in pools if pool.attribute != "Id" or pool.value in numbers]
    if not len(known) == len(pools) <= 1:
        why = tr(
            "its rows are for one channel, {channel} unless --channel names it", channel=channel
        )
        values = ", ".join(pool.value for pool in pools)
        pool_losses.append(Loss(None, None, "PublicationPool", values, why))
    repeated_head = Head(head.name or Head().name, pools=tuple(pools))
    return FileFacts(repeated_head, replace(repeated_head, pools=()), losses, pool_losses)


def write_offers(
    write_file: Callable[[IO[bytes], Head, Iterable[XmlOffer], int], None],
    path: Path,
    items: Spool[Item],
    input_statements: object,
    settings: AccountSettings,
) -> bool:
    """Write the offers of one package; return False if reading them back gives other offers."""
    first = next(iter(items))
    input_head = input_statements if isinstance(input_statements, Head) else None
    head = head_of(first.package_type, first.channel, settings, input_head)
    with path.open("wb") as file:
        write_file(file, head, offers_of(item.body for item in items), len(items))
    read = (offer_in_place.offer for offer_in_place in OffersXml(path).read())
    written = offers_of(item.body for item in items)
    return all(offer == other for offer, other in zip_longest(read, written))


OUTPUTS = tuple(
    Output(
        ending,
        {UPSERT: FULL, UPDATE: STOCK_AND_PRICE, FULL: FULL, STOCK_AND_PRICE: STOCK_AND_PRICE},
        {
            "offers-delete": tr("an Offers.xml cannot say that offers are removed"),
            "products": tr("an Offers.xml holds offers, and no products"),
        },
        lambda settings: settings.limits.legacy,
        lambda count, most: tr(
            "{count:,} offers are more than a legacy zip takes: {most:,}", count=count, most=most
        ),
        partial(write_offers, make),
    )
    for ending, make in ((".zip", write), (".xml", write_xml))
)
