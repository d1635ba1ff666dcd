"""The two looks at each row, and what they decide: the row is sent, unchanged, or held."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from feedtool.areas.offers.changes.guards import Candidate, EarlierFile, Facts, Holding, all_guards
from feedtool.areas.offers.changes.offer_state import (
    BY_REFERENCE,
    MAY_ALSO_BE,
    OTHER_NAMES,
    PRODUCT,
    QUANTITY,
    Accepted,
    Terms,
    terms_of,
)
from feedtool.areas.offers.changes.selection.changes import as_update, differences
from feedtool.areas.offers.changes.selection.footprints import Footprints
from feedtool.areas.offers.changes.selection.tally import RemovalTally
from feedtool.areas.offers.package_types import PackageType
from feedtool.feeds.feed import FLOOR
from feedtool.model.nouns import Item, Message, RowResult, Severity, Status
from feedtool.model.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from feedtool.areas.offers.changes.selection.known import KnownOffers
    from feedtool.areas.offers.changes.selection.sifting import Sifting
    from feedtool.model.nouns import Issue
    from feedtool.model.settings import AccountSettings
    from feedtool.model.sheet import CheckedSheet

CHUNK = 1_000
"""Rows that are looked up at a time."""

PRODUCTS = "products"
CHANNEL = "salesChannelId"
SHRUNK = "file-shrunk"
"""The guard after which a file is none that later ones are compared with."""


class _Looked(NamedTuple):
    """A row after the first look at it."""

    item: tuple[object, ...]
    is_unchanged: bool
    stock: str | None
    """The key of the stock that it gives, where other channels may share it."""
    is_by_reference: bool
    """Whether it names its product, and by its reference alone."""
    is_removal: bool
    messages: tuple[Message, ...]
    """Why guards hold it."""


@dataclass(slots=True)
class _Sheet:
    """A sheet between the two looks."""

    checked: CheckedSheet
    looked: Spool[_Looked] = field(default_factory=lambda: Spool(_Looked))
    tally: RemovalTally = field(default_factory=RemovalTally)
    groups: dict[tuple[str, str], None] = field(default_factory=dict)
    """In the order in which packages would be made if every row were sent."""
    is_touched: bool = False
    """Whether a row is sent otherwise than it stands there: an Upsert as an Update."""


def sift(
    sheets: Sequence[CheckedSheet],
    known: KnownOffers,
    sifting: Sifting,
    dialect: AccountSettings,
    earlier: Callable[[CheckedSheet], EarlierFile | None],
) -> None:
    """Decide of each valid row whether it is sent; what is withheld is noted in the sheets.

    Args:
        sheets: All of a command.
        known: What the service has accepted.
        sifting: What is asked for.
        dialect: The profile's, with its guards.
        earlier: A sheet's predecessor.
    """
    found = [one for one in sheets if one.error is None and one.kind != PRODUCTS]
    sieve = _Sieve(known, sifting, dialect, has_channels=_has_channels(found))
    if not sieve.is_needed(found):
        return
    looked = [sieve.look(one) for one in found]
    for one in looked:
        sieve.decide(one, earlier)


def _has_channels(sheets: Iterable[CheckedSheet]) -> bool:
    """Whether rows may name another channel than the command's."""
    return any(_has_column(sheet, CHANNEL) for sheet in sheets)


def _has_column(sheet: CheckedSheet, key: str) -> bool:
    return sheet.header is not None and any(
        column.key == key for column in sheet.header.columns.values()
    )


class _Sieve:
    def __init__(
        self, known: KnownOffers, sifting: Sifting, dialect: AccountSettings, *, has_channels: bool
    ) -> None:
        self._known, self._sifting, self._settings = known, sifting, dialect.guards
        self._primary = dialect.primary_channel
        self._has_channels = has_channels
        self._changed_stocks = Footprints()
        """Where several channels may share them. One too many only has an unchanged row sent."""
        self._has_other_names = known.has_other_names()
        self._changed_kinds: set[tuple[str, str]] = set()
        """What the product of such a stock is known by (`terms.BY_GTIN` …), and the channel."""
        guards = [one for name, one in all_guards().items() if name not in sifting.released]
        self._checks = [one.check for one in guards if one.check]
        self._file_checks = [one.check_file for one in guards if one.check_file]

    def is_needed(self, sheets: Sequence[CheckedSheet]) -> bool:
        """Whether there is anything that a row could be judged by."""
        has_floor = any(_has_column(sheet, FLOOR) for sheet in sheets)
        return has_floor or bool(self._settings.fewer_rows) or self._known.is_any()

    def look(self, checked: CheckedSheet) -> _Sheet:
        """Look at each row by itself."""
        sheet = _Sheet(checked)
        for items in _chunks(checked.valid_items()):
            for item, (offer, key, quantity) in zip(items, self._known.look_up(items), strict=True):
                sheet.groups.setdefault((item.channel, item.package_type))
                self._look(sheet, item, offer, key, quantity)
        return sheet

    def _look(
        self, sheet: _Sheet, item: Item, offer: Accepted | None, key: str, quantity: int | None
    ) -> None:
        terms = terms_of(item.package_type, item.body)
        is_by_reference = PRODUCT in terms and key.startswith(BY_REFERENCE)
        changed = None
        if self._sifting.changed_only and not (is_by_reference and self._has_other_names):
            changed = differences(item, terms, offer, quantity)
        is_unchanged = changed is not None and not changed
        self._has_other_names |= not is_unchanged and key[:1] in OTHER_NAMES
        is_removal = not is_unchanged and _removes(item, terms, quantity)
        if is_removal:
            sheet.tally.add(item, offer, key, quantity)
        stock = key if self._has_channels and QUANTITY in terms else None
        if stock is not None and not is_unchanged and terms[QUANTITY] != quantity:
            self._changed_stocks.add(stock)
            self._changed_kinds.add((stock[:1], item.channel))
        messages = tuple(self._held(Candidate(item, terms, offer)))
        if changed and self._sifting.prefer_update and (update := as_update(item, terms, changed)):
            item, sheet.is_touched = update, True
        looked = _Looked(tuple(item), is_unchanged, stock, is_by_reference, is_removal, messages)
        sheet.looked.append(looked)

    def _held(self, candidate: Candidate) -> Iterator[Message]:
        for check in self._checks:
            if fault := check(candidate, self._settings):
                yield _message(fault)

    def decide(self, sheet: _Sheet, earlier: Callable[[CheckedSheet], EarlierFile | None]) -> None:
        """Look at each row again, now that all are known."""
        checked, holdings = sheet.checked, self._holdings(sheet, earlier)
        sent, withheld = Spool(Item), Spool(RowResult)
        groups: set[tuple[str, str]] = set()
        for one in sheet.looked:
            item = Item._make(one.item)
            if one.is_unchanged and not self._is_touched(one, item.channel):
                withheld.append(
                    RowResult(item.row, item.reference, Status.UNCHANGED, (), item.channel)
                )
                continue
            messages = (
                *one.messages,
                *_concerning(holdings, item.channel, is_removal=one.is_removal),
            )
            if messages:
                withheld.append(
                    RowResult(item.row, item.reference, Status.HELD, messages, item.channel)
                )
                checked.held += 1
                continue
            groups.add((item.channel, item.package_type))
            sent.append(item)
        if withheld or sheet.is_touched:
            checked.sent, checked.withheld = sent, withheld
            checked.order = tuple(_order(sheet.groups, groups))
        checked.is_cut_short = any(one.fault.code.name == SHRUNK for one in holdings)

    def _is_touched(self, row: _Looked, channel: str) -> bool:
        """Whether another row of the command changes what a row leaves as it is.

        That is the stock, also on another channel under another name of the same product; or which
        product a reference stands for.
        """
        stock = row.stock
        if row.is_by_reference and self._has_other_names:
            return True
        if not stock:
            return False
        others = MAY_ALSO_BE[stock[0]]
        return stock in self._changed_stocks or any(
            kind in others and elsewhere != channel for kind, elsewhere in self._changed_kinds
        )

    def _holdings(
        self, sheet: _Sheet, earlier: Callable[[CheckedSheet], EarlierFile | None]
    ) -> list[Holding]:
        facts = Facts(
            sheet.checked.size,
            earlier(sheet.checked) if self._settings.fewer_rows else None,
            [*sheet.tally.removals(self._known, self._primary)],
        )
        return [one for check in self._file_checks for one in check(facts, self._settings)]


def _removes(item: Item, terms: Terms, quantity: int | None) -> bool:
    """Whether a row deletes an offer, or sets a stock to zero that is not known to be so."""
    if item.package_type == PackageType.DELETE:
        return True
    return terms.get(QUANTITY) == 0 and quantity != 0


def _concerning(
    holdings: Iterable[Holding], channel: str, *, is_removal: bool
) -> Iterator[Message]:
    said: set[str] = set()
    for one in holdings:
        is_there = one.channel in {None, channel} and one.fault.code.name not in said
        if is_there and (is_removal or not one.only_removals):
            said.add(one.fault.code.name)
            yield _message(one.fault)


def _message(fault: Issue) -> Message:
    """What is told of a row that is held; the cell is marked as one to look at."""
    text = f"{fault.message} ({fault.hint})" if fault.hint else fault.message
    return Message(fault.code.name, text, fault.field or "", Severity.WARNING)


def _order(
    groups: Iterable[tuple[str, str]], sent: set[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """The groups of what is sent, in the order of all; Updates of Upserts behind these."""
    every = dict.fromkeys(groups)
    for channel, package_type in every:
        if (channel, package_type) in sent:
            yield channel, package_type
        update = (channel, PackageType.UPDATE)
        if package_type == PackageType.UPSERT and update in sent and update not in every:
            yield update


def _chunks(items: Iterator[Item]) -> Iterator[list[Item]]:
    while chunk := [*islice(items, CHUNK)]:
        yield chunk
