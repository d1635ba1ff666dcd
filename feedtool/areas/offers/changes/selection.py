"""Select the valid rows to send: without unchanged rows, and without rows that a guard holds.

Every row is compared with the last accepted offer of its reference, and checked by each guard.
This takes two passes: only the last row of the last file decides how many offers a file removes,
and whether the command changes a stock. Channels share stock, so if rows for several channels
change a stock, every row with a stock counts as changed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.accepted import AcceptedOffers
from feedtool.areas.offers.changes.guards import (
    FILE_SHRUNK,
    MASS_REMOVAL,
    ROW_CHECKS,
    Candidate,
    Holding,
    Removals,
    check_removals,
    check_shrunk,
)
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.columns import FLOOR
from feedtool.areas.offers.delivery import PackageType
from feedtool.feeds.memory import Earlier
from feedtool.feeds.rule import held_message
from feedtool.feeds.selection import EarlierFile, SelectionOptions
from feedtool.model.disk_list import Spool
from feedtool.model.nouns import Item, Message, RowResult, Status
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet

CHUNK = 1_000

PRODUCTS = "products"


def select(
    sheets: Sequence[CheckedSheet],
    known: AcceptedOffers | None,
    options: SelectionOptions,
    settings: AccountSettings,
    earlier: Earlier,
) -> None:
    """Decide for each valid row whether it is sent, and note withheld rows in the sheets.

    Products, which their reports judge, are all sent. `known` are the accepted offers, None without
    a seller; `earlier` returns a sheet's predecessor.
    """
    readable = [sheet for sheet in sheets if sheet.error is None and sheet.kind != PRODUCTS]
    headers = [sheet.header for sheet in readable if sheet.header]
    columns = [column for header in headers for column in header.columns.values()]
    has_floor = any(column.key == FLOOR for column in columns)
    is_shrinking_guarded = bool(settings.guards.fewer_rows)
    if has_floor or is_shrinking_guarded or (known and known.is_any):
        selection = _Selection(known, options, settings)
        for sheet in [selection.compare(sheet) for sheet in readable]:
            selection.decide(sheet, earlier(sheet.checked) if is_shrinking_guarded else None)


def withdraw(sheets: Sequence[CheckedSheet], known: AcceptedOffers) -> None:
    """Send Updates that end the sale of skipped rows that are not for sale.

    Offers that are unknown or without stock need none. Another row of the command keeps its offer
    and stock on sale, for example if a shop sells an archived product again by its reference.
    """
    sources = [sheet for sheet in sheets if sheet.rows.withdrawals and not sheet.purges]
    if not (sources and known.is_any):
        return
    sold: set[tuple[str, str] | str] = set()
    for sheet in sheets:
        for item in sheet.rows.items:
            stock = state.key_of(item.package_type, item.product, None, "", item.reference)
            sold |= {(item.channel, item.reference), stock}
        sold.update((row.channel, row.reference or "") for row in sheet.rows.refused)
    for sheet in sources:
        coming, sent = iter(sheet.rows.withdrawals), []
        while batch := [*islice(coming, CHUNK)]:
            offers = known.look_up([withdrawal.item for withdrawal in batch])
            for withdrawal, (offer, stock, quantity) in zip(batch, offers, strict=True):
                name = (withdrawal.item.channel, withdrawal.item.reference)
                is_on_sale = offer and offer.fields and quantity != 0
                if is_on_sale and sold.isdisjoint((name, stock)):
                    sold.add(name)
                    sent.append(withdrawal)
        if sent:
            sheet.rows.withdraw(sent)


class _ComparedRow(NamedTuple):
    """A row after the first pass."""

    item: tuple[object, ...]
    is_unchanged: bool
    gives_stock: bool
    is_by_reference: bool
    """True if it identifies its product by reference only."""
    is_removal: bool
    """True if it deletes an offer, or sets a stock to zero that is not known to be zero."""
    messages: tuple[Message, ...]
    """The messages of the guards that hold it."""


class _ComparedSheet(Struct):
    """A sheet between the two passes."""

    checked: CheckedSheet
    rows: Spool[_ComparedRow] = field(default_factory=lambda: Spool(_ComparedRow))
    groups: dict[tuple[str, str], None] = field(default_factory=dict)
    """The packages in the order in which sending every row would create them."""
    has_updates: bool = False
    """True if an Upsert is sent as an Update."""
    removed: Counter[str] = field(default_factory=Counter)
    """By channel: known offers, not known to be at zero, that it deletes or sets to zero."""
    deleted: Counter[str] = field(default_factory=Counter)
    """By channel: known offers that it deletes, at zero or not."""
    emptied: set[int] = field(default_factory=set)
    """Hashes of the keys of stocks above zero that it sets to zero."""

    def removals(self, known: AcceptedOffers, primary: str) -> Iterator[Removals]:
        """Yield the removals of the sheet, by channel and for stocks.

        Stocks of the primary channel always count, as an export may have shown them.
        """
        for channel, removed in self.removed.items():
            known_offers, deleted = known.count(channel), self.deleted[channel]
            yield Removals(removed, known_offers - known.count_at_zero(channel), channel)
            yield Removals(deleted, known_offers, channel, are_deleted=True)
        if self.emptied:
            yield Removals(len(self.emptied), known.count_stocks({primary, *self.removed}), None)


class _Selection:
    def __init__(
        self, known: AcceptedOffers | None, options: SelectionOptions, settings: AccountSettings
    ) -> None:
        self._known, self._options, self._settings = known, options, settings.guards
        self._primary = settings.primary_channel
        self._channels: set[str] = set()
        self._changes_stock = False
        self._has_other_names = known is not None and known.has_other_names
        rows = ROW_CHECKS.items()
        self._checks = [check for name, check in rows if not options.releases(name)]

    def compare(self, checked: CheckedSheet) -> _ComparedSheet:
        """Run the first pass, which compares each row separately."""
        sheet, rows = _ComparedSheet(checked), checked.valid_items()
        while items := [*islice(rows, CHUNK)]:
            nothing: list[tuple[AcceptedOffer | None, str, int | None]] = [(None, "", None)]
            known = self._known.look_up(items) if self._known else nothing * len(items)
            for item, (offer, key, quantity) in zip(items, known, strict=True):
                sheet.groups.setdefault((item.channel, item.package_type))
                self._compare(sheet, item, offer, key, quantity)
        self._channels.update(channel for channel, _ in sheet.groups)
        return sheet

    def _compare(
        self,
        sheet: _ComparedSheet,
        item: Item,
        offer: AcceptedOffer | None,
        key: str,
        quantity: int | None,
    ) -> None:
        fields = state.offer_fields(item.package_type, item.body)
        is_by_reference = state.PRODUCT in fields and key.startswith(state.BY_REFERENCE)
        changed = None
        if self._options.changed_only and not (is_by_reference and self._has_other_names):
            changed = state.differences(item, fields, offer, quantity)
        is_unchanged = changed is not None and not changed
        self._has_other_names |= not is_unchanged and key[:1] in state.OTHER_NAMES
        is_delete = item.package_type == PackageType.DELETE
        stock, gives_stock = fields.get(state.QUANTITY), state.QUANTITY in fields
        is_emptied = stock == 0 and quantity != 0
        is_removal = not is_unchanged and (is_delete or is_emptied)
        if is_removal and offer and offer.fields:
            sheet.removed[item.channel] += quantity != 0
            sheet.deleted[item.channel] += is_delete
        if is_removal and quantity and not is_delete:
            sheet.emptied.add(hash(key))
        self._changes_stock |= gives_stock and not is_unchanged and stock != quantity
        candidate = Candidate(item, fields, offer)
        issues = (check(candidate, self._settings) for check in self._checks)
        messages = tuple(held_message(issue) for issue in issues if issue)
        update = changed and self._options.prefer_update and state.as_update(item, fields, changed)
        sheet.has_updates |= bool(update)
        sheet.rows.append(
            _ComparedRow(
                *(tuple(update or item), is_unchanged, gives_stock),
                *(is_by_reference, is_removal, messages),
            )
        )

    def decide(self, sheet: _ComparedSheet, before: EarlierFile | None) -> None:
        """Run the second pass, once all rows are known."""
        checked, holdings = sheet.checked, list[Holding]()
        if not self._options.releases(FILE_SHRUNK.name):
            holdings += check_shrunk(checked.size, before, self._settings)
        if self._known and not self._options.releases(MASS_REMOVAL.name):
            holdings += check_removals(sheet.removals(self._known, self._primary), self._settings)
        sent, withheld = Spool(Item), Spool(RowResult)
        groups: set[tuple[str, str]] = set()
        for row in sheet.rows:
            item = Item._make(row.item)
            result = RowResult(item.row, item.reference, Status.UNCHANGED, (), item.channel)
            if row.is_unchanged and not self._is_touched(row):
                withheld.append(result)
            elif messages := (*row.messages, *_messages_for(holdings, row, item.channel)):
                withheld.append(result._replace(status=Status.HELD, messages=messages))
                checked.selected.held += 1
            else:
                groups.add((item.channel, item.package_type))
                sent.append(item)
        if withheld or sheet.has_updates:
            checked.selected.withhold(sent, withheld)
            checked.selected.order = tuple(_order(sheet.groups, groups))
        checked.is_cut_short = any(holding.issue.code is FILE_SHRUNK for holding in holdings)

    def _is_touched(self, row: _ComparedRow) -> bool:
        """True if other rows of the command may change the offer of an unchanged row.

        They may change its stock, also under another name of the product, or the product of a
        reference. This may send one row too many, but never skips a changed row.
        """
        if row.is_by_reference and self._has_other_names:
            return True
        return row.gives_stock and self._changes_stock and len(self._channels) > 1


def _messages_for(holdings: Iterable[Holding], row: _ComparedRow, channel: str) -> list[Message]:
    """Return the messages of the file guards that hold a row, each once."""
    messages: dict[str, Message] = {}
    for holding in holdings:
        if holding.channel in {None, channel} and (row.is_removal or not holding.only_removals):
            messages.setdefault(holding.issue.code.name, held_message(holding.issue))
    return [*messages.values()]


def _order(
    groups: Iterable[tuple[str, str]], sent: set[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the groups to send, in the original order; Updates made of Upserts follow those."""
    every = dict.fromkeys(groups)
    for channel, package_type in every:
        if (channel, package_type) in sent:
            yield channel, package_type
        update = (channel, PackageType.UPDATE)
        if package_type == PackageType.UPSERT and update in sent and update not in every:
            yield update
