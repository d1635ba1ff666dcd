"""The rules about offers; their pages for users are in `problems.md`."""

from array import array
from collections.abc import Iterator
from functools import partial

from feedtool.areas.offers.columns import CONDITION_TYPE, IDENTITY, TAXES, mode_label
from feedtool.feeds.feed import EXPORTED, Row
from feedtool.feeds.occurrences import Occurrences, RowPlace
from feedtool.feeds.rule import Problems, Rule, SheetFacts
from feedtool.model.nouns import Issue
from feedtool.model.settings import DEPRECATED_MODES
from feedtool.model.text import FieldName, tr

PROBLEMS = Problems("feedtool.areas.offers")

DELIVERY_INCOMPLETE = PROBLEMS.error("delivery-incomplete")
DEPRECATED_DELIVERY_MODE = PROBLEMS.warning("deprecated-delivery-mode")
DEPRECATED_FIELD = PROBLEMS.warning("deprecated-field")
DUPLICATE_REFERENCE = PROBLEMS.error("duplicate-reference")
IDENTITY_NOT_SENT = PROBLEMS.warning("identity-not-sent")
MODES_REPLACED = PROBLEMS.warning("modes-replaced")
NOTHING_TO_UPDATE = PROBLEMS.error("nothing-to-update")
ORIGIN_PRICE_BELOW_PRICE = PROBLEMS.error("origin-price-below-price")
PREPARATION_TIME_REQUIRED = PROBLEMS.error("preparation-time-required")
PRICE_BELOW_TAXES = PROBLEMS.error("price-below-taxes")
STOCK_DIFFERS = PROBLEMS.warning("stock-differs")
TAXES_INCOMPLETE = PROBLEMS.error("taxes-incomplete")


# Of a row.


def check_delivery_incomplete(row: Row) -> Iterator[Issue]:
    """An issue for each half-filled mode; an Upsert's mandatory one is `required-missing`."""
    modes = ((mode.code, row.blanks((mode.cost, mode.additional))) for mode in row.sheet.modes)
    if half := [(code, blanks[0]) for code, blanks in modes if len(blanks) == 1]:
        required = row.feed.required(row)
        for code, blank in half:
            if blank not in required:
                message = tr("{mode} has only one of its two amounts", mode=mode_label(code))
                hint = tr("fill {field} (0 if it is free), or empty both", field=FieldName(blank))
                yield Issue(DELIVERY_INCOMPLETE, message, hint, blank)


def check_identity_not_sent(row: Row) -> Iterator[Issue]:
    """The first Update row with a GTIN, a product reference or a condition."""
    key = next((key for key in IDENTITY if not row.is_blank(key)), None)
    if key and EXPORTED not in row.sheet.stamp:
        message = tr("GTIN, product reference and condition never change and are not sent")
        yield Issue(IDENTITY_NOT_SENT, message, tr("nothing needs to be done"), key)


def check_modes_replaced(row: Row) -> Iterator[Issue]:
    """The first Update row with a mode."""
    cost = next((mode.cost for mode in row.sheet.modes if not row.is_blank(mode.cost)), None)
    if cost and EXPORTED not in row.sheet.stamp:
        message = tr("delivery modes that an Update row does not list are removed from its offer")
        yield Issue(MODES_REPLACED, message, tr("list every mode that the offer shall keep"), cost)


def check_nothing_to_update(row: Row) -> Iterator[Issue]:
    """An issue where every changeable cell is blank."""
    if all(map(row.is_blank, row.feed.changeable(row.sheet))):
        hint = tr("fill what changes, or delete the row")
        yield Issue(
            NOTHING_TO_UPDATE, tr("nothing changes in this row"), hint, "sellerExternalReference"
        )


def check_origin_price(row: Row) -> Iterator[Issue]:
    """An issue where the struck price is below the price."""
    struck, price = row.values.get("price.originPrice"), row.values.get("price.price")
    if struck is not None and price is not None and struck < price:
        message = tr(
            "the list price {list_price} is below the price {price}", list_price=struck, price=price
        )
        hint = tr("exchange the two, or empty the list price")
        yield Issue(ORIGIN_PRICE_BELOW_PRICE, message, hint, "price.originPrice")


def check_preparation_time(row: Row) -> Iterator[Issue]:
    """An issue where an Update row gives a mode and no preparation time."""
    keys = (key for mode in row.sheet.modes for key in (mode.cost, mode.additional))
    if row.is_blank("preparationTime") and not all(map(row.is_blank, keys)):
        message = tr("delivery modes change, so the preparation time is required")
        hint = tr("fill the preparation time")
        yield Issue(PREPARATION_TIME_REQUIRED, message, hint, "preparationTime")


def check_price_below_taxes(row: Row) -> Iterator[Issue]:
    """An issue where the price is not above the sum of the amount taxes."""
    values = row.values
    price = values.get("price.price")
    contained = (values.get("taxes.EcoPart") or 0) + (values.get("taxes.DEA") or 0)
    if price is not None and contained and price <= contained:
        message = tr(
            "the price {price} is not above the taxes inside it, {amount} of {eco} and {dea}",
            price=price,
            amount=contained,
            eco=FieldName("taxes.EcoPart"),
            dea=FieldName("taxes.DEA"),
        )
        hint = tr("give the price with all taxes, or correct the tax")
        yield Issue(PRICE_BELOW_TAXES, message, hint, "price.price")


def check_taxes_incomplete(row: Row) -> Iterator[Issue]:
    """An issue for each tax that is missing beside the others."""
    blank = [key for key in TAXES if row.is_blank(key)]
    if 0 < len(blank) < len(TAXES):
        for key in blank:
            message = tr("{field} is missing beside the other taxes", field=FieldName(key))
            hint = tr("give all taxes (0 where there is none), or none")
            yield Issue(TAXES_INCOMPLETE, message, hint, key)


# Of a sheet.


def check_deprecated_modes(sheet: SheetFacts) -> Iterator[Issue]:
    """A warning for each deprecated mode that the header has."""
    for mode in sheet.columns.modes:
        if mode.code in DEPRECATED_MODES:
            message = tr(
                "the delivery mode {mode} is about to be removed from the service",
                mode=mode_label(mode.code),
            )
            hint = tr("use another mode, such as {mode}", mode=mode_label("TrackedHomeDelivery"))
            yield Issue(DEPRECATED_DELIVERY_MODE, message, hint, mode.cost)


def check_deprecated_fields(sheet: SheetFacts) -> Iterator[Issue]:
    """A warning for each column that the service no longer supports."""
    for key in ("PackagingUnit", "PackagingValue"):
        if key in sheet.columns.fields:
            message = tr("{field} is no longer supported and is not sent", field=FieldName(key))
            yield Issue(DEPRECATED_FIELD, message, "", key)


# Of all rows.


class DuplicateReferences(Occurrences):
    """Remembers every reference of every channel until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        """Note a row."""
        reference = row.values.get("sellerExternalReference")
        if reference is not None:
            self.add(f"{row.channel}\0{reference}", sheet, row.number)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """An issue for each row whose reference is not alone; `names` are the sheets'."""
        for index, key, group in self.repeated():
            channel, _, reference = key.partition("\0")
            issue = Issue(
                DUPLICATE_REFERENCE,
                tr(
                    "“{reference}” occurs {count} times for {channel}: also in {others}",
                    reference=reference,
                    count=len(group),
                    channel=channel,
                    others=self.others(index, group, names),
                ),
                tr("keep one row of each reference"),
                "sellerExternalReference",
                reference,
            )
            yield self.place(index), issue


UNSEEN, ALIKE = -1, -2
"""Instead of an index: not looked at yet, and all quantities are the same."""


class DifferentStocks(Occurrences):
    """Remembers the quantity of every product and condition until all files are read."""

    def __init__(self) -> None:
        super().__init__(array("q"))

    def see(self, sheet: int, row: Row) -> None:
        """Note a row."""
        values = row.values
        product = values.get("product.gtin") or values.get("product.reference")
        quantity = values.get("quantity")
        if product is not None and isinstance(quantity, int):
            self.add(f"{product}\0{values.get('condition')}", sheet, row.number)
            self.notes.append(quantity)

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """A warning for each row of a product whose rows do not agree."""
        unlike = array("q", [UNSEEN]) * len(self)
        last: RowPlace | None = None
        for index, key, group in self.repeated():
            if self.place(index) == last:  # the same row on a further channel
                continue
            last = self.place(index)
            if unlike[group.first] == UNSEEN:
                first = self.notes[group.first]
                others = (other for other in group if self.notes[other] != first)
                unlike[group.first] = next(others, ALIKE)
            other = unlike[group.first]
            if other == ALIKE:
                continue
            own = self.notes[index]
            if own == self.notes[other]:
                other = group.first
            place, (product, _, condition) = self.place(other), key.partition("\0")
            issue = Issue(
                STOCK_DIFFERS,
                tr(
                    "stock {own} here and {other} in row {row} of {sheet} for {product},"
                    " {condition}; stock is shared",
                    own=own,
                    other=self.notes[other],
                    row=place.row,
                    sheet=names[place.sheet],
                    product=product,
                    condition=CONDITION_TYPE.label(condition),
                ),
                tr("give the same stock in all rows of a product and condition"),
                "quantity",
                str(own),
            )
            yield self.place(index), issue


UPDATES = ("offers-update",)
WHOLE = ("offers-upsert", "offers-update", "legacy-offers")
CHANGES = ("offers-update", "legacy-stock-and-price")
JSON = ("offers-upsert", "offers-update", "offers-delete")
REFERRING = (*JSON, "legacy-offers", "legacy-stock-and-price")

_of_blanks = partial(Rule, is_by_blanks=lambda _: True)

RULES = (
    _of_blanks(DELIVERY_INCOMPLETE, check_delivery_incomplete, kinds=WHOLE),
    Rule(DEPRECATED_DELIVERY_MODE, check_sheet=check_deprecated_modes, kinds=JSON),
    Rule(DEPRECATED_FIELD, check_sheet=check_deprecated_fields),
    Rule(DUPLICATE_REFERENCE, survey=DuplicateReferences, kinds=REFERRING),
    _of_blanks(IDENTITY_NOT_SENT, check_identity_not_sent, is_once=True, kinds=UPDATES),
    _of_blanks(MODES_REPLACED, check_modes_replaced, is_once=True, kinds=UPDATES),
    _of_blanks(NOTHING_TO_UPDATE, check_nothing_to_update, kinds=CHANGES),
    Rule(ORIGIN_PRICE_BELOW_PRICE, check_origin_price, kinds=WHOLE),
    _of_blanks(PREPARATION_TIME_REQUIRED, check_preparation_time, kinds=UPDATES),
    Rule(PRICE_BELOW_TAXES, check_price_below_taxes, kinds=WHOLE),
    Rule(STOCK_DIFFERS, survey=DifferentStocks, kinds=("offers-upsert",)),
    _of_blanks(TAXES_INCOMPLETE, check_taxes_incomplete, kinds=UPDATES),
)
