"""`feedtool export offers`: what the service has of the seller's offers, ready to edit and send.

Specification, part "Offers (read)". A row holds what can be sent again in the shape that was
asked for; what the seller does not deliver is left out, and what an Update would damage, since
nobody could say it in a cell, is left empty.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

from feedtool.areas.offers.feeds import common as columns
from feedtool.areas.offers.feeds.conditions import CONDITIONS
from feedtool.areas.offers.wire.offers import (
    OFFER_FIELDS,
    DeliveryMode,
    Offer,
    offer_items,
    offer_of,
    read_offers,
)
from feedtool.areas.products.catalog.wire import Page
from feedtool.feeds.feed import LANGUAGES, Feed
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.cells import letters
from feedtool.model.errors import NothingToDo
from feedtool.model.settings import DEPRECATED_MODES, Dialect
from feedtool.report.export import Exported, Note
from feedtool.runs.export.gathered import Gathered
from feedtool.runs.export.pages import Pages, ask
from feedtool.runs.export.shown import in_order, shown
from feedtool.runs.export.words import EXPORT_WORDS
from feedtool.runs.export.written import is_csv, unfolded, write
from feedtool.service.fetch import Circumstances
from feedtool.sheets.filled import Value
from feedtool.templates import Language
from feedtool.templates.contents import Contents, Field, Need
from feedtool.templates.entry import Entry
from feedtool.templates.fields import contents_of

UPSERT, UPDATE, DELETE = "offers-upsert", "offers-update", "offers-delete"
SHAPES = (UPDATE, UPSERT, DELETE)
"""The kinds of feed that an export can be of, the usual one first."""

SELLER = "seller"
FEEDBACK = "salesChannelFeedback"
STAMP = "exported"
SHOWN_WIDTH = 20
HUNDRED = Decimal(100)
ZERO = Decimal(0)

HINT = "look at --fields and the filters; nothing was written"


@dataclass(frozen=True, slots=True)
class Wish:
    """Which offers are wanted, and what of them."""

    channel: str
    feed: Feed
    """The shape of the rows."""
    fields: tuple[str, ...] = ()
    """Dotted paths of what else is to be shown."""
    states: tuple[str, ...] = ()
    gtins: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    offer_ids: tuple[str, ...] = ()
    since: datetime | None = None
    """Only what was updated then or later."""

    @property
    def is_narrowed(self) -> bool:
        """Whether not all offers are wanted."""
        return any((self.states, self.gtins, self.references, self.offer_ids, self.since))


class Lack(Enum):
    """Why something of an offer is not in the file."""

    DELIVERY = "delivery"
    """It is not the seller who delivers it."""
    REFERENCE = "reference"
    """It has none, so nothing could be sent of it."""
    TAXES = "taxes"
    MODES = "modes"


def export_offers(
    client: Sender,
    around: Circumstances,
    wish: Wish,
    target: Path,
    *,
    dialect: Dialect,
    language: Language,
    service: str,
    on_step: Callable[[int], None] = lambda _: None,
    on_offer: Callable[[Offer], None] = lambda _: None,
) -> Exported:
    """Bring offers into a file.

    Args:
        client: A way to the service.
        around: Time, chance, and how far to go.
        wish: Which ones.
        target: The .xlsx or .csv to write.
        dialect: The profile's: how taxes and delivery modes are called.
        language: Of the workbook.
        service: The base address, told in the workbook.
        on_step: Told how many offers have come.
        on_offer: Told of each that is in the file.

    Raises:
        NothingToDo: there are none.
        UsageProblem: the service refuses the fields or filters, or the file cannot be written.
        NotAuthorised, Interrupted: what `pages.ask` raises.
    """
    at = around.wall()
    with Gathered(around.stopping) as rows:
        coming = _Coming(
            wish, dialect, rows, on_step, on_offer, labelled=None if is_csv(target) else language
        )
        ask([Pages("offers", coming.call, coming.take, HINT)], client, around)
        if not len(rows):
            raise _nothing(wish, coming.lacks)
        contents = _contents(wish, rows, dialect, language, service, at)
        header = write(target, contents, rows, dialect.reading)
        notes = tuple(_notes(wish, dialect, coming))
        skipped = coming.lacks[Lack.DELIVERY] + coming.lacks[Lack.REFERENCE]
        sheet = None if is_csv(target) else contents.sheet
        return Exported(target, wish.feed.kind, sheet, header, len(rows), skipped, notes)


class _Coming:
    """Takes pages of offers, and makes rows of them."""

    def __init__(
        self,
        wish: Wish,
        dialect: Dialect,
        rows: Gathered,
        on_step: Callable[[int], None],
        on_offer: Callable[[Offer], None],
        *,
        labelled: Language | None,
    ) -> None:
        self.lacks: Counter[Lack] = Counter()
        self.others: set[str] = set()
        """Who else delivers."""
        self.unknown: dict[Lack, set[str]] = {Lack.TAXES: set(), Lack.MODES: set()}
        """Codes that the profile does not have."""
        self._wish, self._rows, self._on_step = wish, rows, on_step
        self._on_offer = on_offer
        self._making = RowMaker(dialect, labelled)
        self._came = 0
        own = [path for path in wish.fields if path.partition(".")[0] not in OFFER_FIELDS]
        self._fields = (*OFFER_FIELDS, *own)
        self._is_delete = wish.feed.kind == DELETE and labelled is None

    def call(self, asked: Page) -> Call:
        """The call that asks for a page."""
        wish = self._wish
        return read_offers(
            wish.channel,
            wish.references,
            wish.gtins,
            self._fields,
            asked.link,
            offer_ids=wish.offer_ids,
            states=wish.states,
            since=f"{wish.since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if wish.since else None,
        )

    def take(self, asked: Page, reply: Reply) -> Page | None:
        """Keep the rows of a page."""
        items, link = offer_items(reply)
        for item in items:
            self._take(item)
        self._came += len(items)
        self._on_step(self._came)
        return Page(asked.number + 1, link) if link else None

    def _take(self, item: Mapping[str, Any]) -> None:
        offer = offer_of(dict(item))
        if offer.reference is None:
            self.lacks[Lack.REFERENCE] += 1
            return
        delivering = offer.supply_modes or frozenset()
        if delivering and SELLER not in map(str.casefold, delivering):
            self.lacks[Lack.DELIVERY] += 1
            self.others.update(delivering)
            return
        row = self._making.row(offer, self._wish.channel)
        for lack, code in self._making.lacks:
            self.lacks[lack] += 1
            self.unknown[lack].update(code)
        if self._is_delete:
            row[columns.ACTION] = str(self._wish.feed.package_type)
        if self._wish.fields:
            row = {**shown(item, self._wish.fields), **row}
        self._rows.put(offer.offer_id or offer.reference, row)
        self._on_offer(offer)


class RowMaker:
    """Makes the row of an offer, by the keys of every shape.

    Args:
        dialect: The profile's.
        language: In which conditions are told by their labels; None keeps their names.
    """

    def __init__(self, dialect: Dialect, language: Language | None) -> None:
        self.lacks: list[tuple[Lack, set[str]]] = []
        """Why cells of the last row are empty, each with the codes that are not known."""
        self._taxes = {code.casefold(): name for name, code in dialect.tax_codes.items()}
        self._vat_scale = dialect.vat_scale
        self._modes = {code: columns.mode(code) for code in columns.all_modes(dialect)}
        at = None if language is None else LANGUAGES.index(language)
        self._conditions = (
            {} if at is None else {name: labels[at] for name, labels in CONDITIONS.items()}
        )

    def row(self, offer: Offer, channel: str) -> dict[str, Value]:
        """What can be sent of it."""
        self.lacks = []
        return {
            columns.REFERENCE: offer.reference,
            columns.GTIN: offer.gtin,
            columns.PRODUCT_REFERENCE: offer.product_reference,
            columns.CONDITION: self._conditions.get(offer.condition or "", offer.condition),
            "price.price": offer.price,
            **self._taxes_of(offer.taxes),
            **self._modes_of(offer.delivery_modes),
            columns.PREPARATION: offer.preparation_time,
            columns.QUANTITY: offer.quantity,
            columns.CHANNEL: channel,
        }

    def _taxes_of(self, taxes: Mapping[str, Decimal] | None) -> dict[str, Value]:
        """All of them or none: what an Update does not list would be gone."""
        if not taxes:
            return {}
        known = {self._taxes.get(code.casefold()): amount for code, amount in taxes.items()}
        strange = {code for code in taxes if code.casefold() not in self._taxes}
        if strange or "VAT" not in known:
            self.lacks.append((Lack.TAXES, strange))
            return {}
        if self._vat_scale == 1:
            known["VAT"] *= HUNDRED
        return {key: known.get(key.removeprefix("taxes."), ZERO) for key in columns.TAXES}

    def _modes_of(self, modes: Mapping[str, DeliveryMode] | None) -> dict[str, Value]:
        """All of them or none, as of taxes."""
        amounts: dict[str, Value] = {}
        strange = {code for code in modes or {} if code not in self._modes}
        is_whole = not strange
        for code, one in (modes or {}).items():
            if code in self._modes:
                mode = self._modes[code]
                amounts |= {mode.cost: one.cost, mode.additional: one.additional_cost}
                is_whole = is_whole and None not in one
        if not is_whole:
            self.lacks.append((Lack.MODES, strange))
            return {}
        return amounts


# The file.


def _contents(
    wish: Wish, rows: Gathered, dialect: Dialect, language: Language, service: str, at: datetime
) -> Contents:
    """The template's, with columns for what is retiring or but shown, and where it is from."""
    retiring = tuple(
        code
        for code in DEPRECATED_MODES
        if code not in dialect.delivery_modes and columns.mode(code).cost in rows.columns
    )
    modes = (*dialect.delivery_modes, *retiring)
    contents = contents_of(wish.feed, language, replace(dialect, delivery_modes=modes))
    own = {field.key for field in contents.fields}
    ordered = in_order(list(rows.columns), wish.fields)
    further = [path for path in ordered if path not in own]
    words = EXPORT_WORDS[language]
    origin = words.of_channel.format(
        service=service, channel=wish.channel, at=f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    )
    facts = [origin, *_warned(wish, language)]
    contents = replace(
        contents,
        fields=(
            *contents.fields,
            *(_shown_field(path, len(own) + place, language) for place, path in enumerate(further)),
        ),
        facts=((words.heading, "\n".join(facts)), *contents.facts),
        stamps={**contents.stamps, STAMP: (at.astimezone(UTC).isoformat(timespec="seconds"),)},
    )
    return unfolded(contents, rows, frozenset((columns.CHANNEL,)))


def _warned(wish: Wish, language: Language) -> list[str]:
    words = EXPORT_WORDS[language]
    if wish.feed.kind == UPSERT:
        return [words.struck]
    return [words.stock] if wish.feed.kind == UPDATE else []


def _shown_field(path: str, index: int, language: Language) -> Field:
    words = EXPORT_WORDS[language]
    return Field(
        path,
        letters(index),
        path,
        words.shown,
        "",
        Need.NEVER,
        words.shown,
        words.shown,
        Entry("General", SHOWN_WIDTH),
    )


# What is told.


def _nothing(wish: Wish, lacks: Counter[Lack]) -> NothingToDo:
    if lacks[Lack.DELIVERY]:
        return NothingToDo(
            f"none of the {lacks[Lack.DELIVERY]:,} offers is delivered by the seller",
            "the others are the warehouse's; nothing was written",
        )
    like = " like that" if wish.is_narrowed else ""
    return NothingToDo(
        f"there are no offers{like} on the channel {wish.channel}",
        "look at the filters, and at --channel; nothing was written"
        if wish.is_narrowed
        else "look at --channel and --seller; nothing was written",
    )


def _notes(wish: Wish, dialect: Dialect, coming: _Coming) -> Sequence[Note]:
    lacks, kind = coming.lacks, wish.feed.kind
    notes = []
    if kind == UPSERT:
        notes.append(
            Note(
                "the service does not give struck prices back, and an Upsert without them removes"
                " them",
                "fill price.originPrice again where there is one, or leave --as away",
            )
        )
    if kind == UPDATE:
        notes.append(
            Note(
                "the rows are Updates, since the service does not give struck prices back and an"
                " Upsert without them would remove them",
                "stock is what it is now: empty the cells that you do not change",
            )
        )
    if lacks[Lack.DELIVERY]:
        others = ", ".join(sorted(coming.others))
        notes.append(Note(f"left out: {_offers(lacks[Lack.DELIVERY])} delivered by {others}"))
    if lacks[Lack.REFERENCE]:
        notes.append(
            Note(
                f"left out: {_offers(lacks[Lack.REFERENCE])} without a sellerExternalReference",
                "nothing can be sent of them",
                is_loss=True,
            )
        )
    if kind != DELETE:
        notes += _of_codes(coming, Lack.TAXES, "taxes", "tax_codes")
        notes += _of_codes(coming, Lack.MODES, "delivery modes", "delivery_modes")
    is_elsewhere = wish.channel != dialect.primary_channel
    if is_elsewhere and any(path.partition(".")[0] == FEEDBACK for path in wish.fields):
        notes.append(
            Note(
                f"feedback exists on the primary channel alone ({dialect.primary_channel}), so its"
                " columns are empty",
                "export from that channel, or set primary_channel in the profile",
            )
        )
    return notes


def _of_codes(coming: _Coming, lack: Lack, what: str, setting: str) -> list[Note]:
    count = coming.lacks[lack]
    if not count:
        return []
    codes = ", ".join(sorted(coming.unknown[lack]))
    why = f" that the profile does not know ({codes})" if codes else " of which a part is missing"
    return [
        Note(
            f"{_offers(count)} with {what}{why}: these cells are empty, so that nothing is removed",
            f"list them in the profile's {setting}, and export again" if codes else "",
        )
    ]


def _offers(count: int) -> str:
    return f"{count:,} offer{'' if count == 1 else 's'}"
