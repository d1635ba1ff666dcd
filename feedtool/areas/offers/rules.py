"""The rules about offers; their pages for users are in `problems.md`."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import partial
from unicodedata import normalize

from feedtool.areas.offers.columns import (
    CONDITION_TYPE,
    GTIN,
    IDENTITY,
    PREPARATION,
    PRODUCT_REFERENCE,
    QUANTITY,
    REFERENCE,
    TAXES,
    mode_label,
)
from feedtool.feeds.columns.fixes import empty, written_like
from feedtool.feeds.columns.gtin import LENGTHS
from feedtool.feeds.columns.number import INTEGER_REQUIRED, NUMBER_FORMAT, NUMBER_RANGE, number_of
from feedtool.feeds.columns.placeholders import FORMULA_ERROR, PLACEHOLDER
from feedtool.feeds.columns.text import PRODUCT_REFERENCE_FORMAT
from feedtool.feeds.feed import EXPORTED, Row
from feedtool.feeds.fix import Fix, FlawedCell, NewValue
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
REFERENCE_ALIKE = PROBLEMS.warning("reference-alike")
SAME_PRODUCT = PROBLEMS.error("same-product")
STOCK_DIFFERS = PROBLEMS.warning("stock-differs")
TAXES_INCOMPLETE = PROBLEMS.error("taxes-incomplete")


# Rules of a row.


def check_delivery_incomplete(row: Row) -> Iterator[Issue]:
    """Report each half-filled mode; an Upsert's mandatory mode is `required-missing` instead."""
    modes = ((mode.code, row.blanks((mode.cost, mode.additional))) for mode in row.sheet.modes)
    if half := [(code, blanks[0]) for code, blanks in modes if len(blanks) == 1]:
        required = row.feed.requests.unfilled(row)
        for code, blank in half:
            if blank not in required:
                message = tr("{mode} has only one of its two amounts", mode=mode_label(code))
                hint = tr("fill {field} (0 if it is free), or empty both", field=FieldName(blank))
                yield Issue(DELIVERY_INCOMPLETE, message, hint, blank)


def check_identity_not_sent(row: Row) -> Iterator[Issue]:
    """Report the first Update row with a GTIN, a product reference or a condition."""
    key = next((key for key in IDENTITY if not row.is_blank(key)), None)
    if key and EXPORTED not in row.sheet.stamp:
        message = tr("GTIN, product reference and condition never change and are not sent")
        yield Issue(IDENTITY_NOT_SENT, message, tr("nothing needs to be done"), key)


def check_modes_replaced(row: Row) -> Iterator[Issue]:
    """Report the first Update row with a mode."""
    cost = next((mode.cost for mode in row.sheet.modes if not row.is_blank(mode.cost)), None)
    if cost and EXPORTED not in row.sheet.stamp:
        message = tr("delivery modes that an Update row does not list are removed from its offer")
        yield Issue(MODES_REPLACED, message, tr("list every mode that the offer shall keep"), cost)


def check_nothing_to_update(row: Row) -> Iterator[Issue]:
    if all(map(row.is_blank, row.feed.requests.changeable(row.sheet))):
        hint = tr("fill what changes, or delete the row")
        yield Issue(
            NOTHING_TO_UPDATE, tr("nothing changes in this row"), hint, "sellerExternalReference"
        )


def check_origin_price(row: Row) -> Iterator[Issue]:
    struck, price = row.values.get("price.originPrice"), row.values.get("price.price")
    if struck is not None and price is not None and struck < price:
        message = tr(
            "the list price {list_price} is below the price {price}", list_price=struck, price=price
        )
        hint = tr("exchange the two, or empty the list price")
        yield Issue(ORIGIN_PRICE_BELOW_PRICE, message, hint, "price.originPrice")


def check_preparation_time(row: Row) -> Iterator[Issue]:
    """Report an Update row with a mode but without a preparation time."""
    keys = (key for mode in row.sheet.modes for key in (mode.cost, mode.additional))
    if row.is_blank("preparationTime") and not all(map(row.is_blank, keys)):
        message = tr("delivery modes change, so the preparation time is required")
        hint = tr("fill the preparation time")
        yield Issue(PREPARATION_TIME_REQUIRED, message, hint, "preparationTime")


def check_price_below_taxes(row: Row) -> Iterator[Issue]:
    """Report a price that is not above the sum of the amount taxes."""
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
    blank = [key for key in TAXES if row.is_blank(key)]
    if 0 < len(blank) < len(TAXES):
        for key in blank:
            message = tr("{field} is missing beside the other taxes", field=FieldName(key))
            hint = tr("give all taxes (0 for a tax that does not apply), or none")
            yield Issue(TAXES_INCOMPLETE, message, hint, key)


# Rules of a sheet.


def check_deprecated_modes(sheet: SheetFacts) -> Iterator[Issue]:
    """Warn about each deprecated mode of the header."""
    for mode in sheet.columns.modes:
        if mode.code in DEPRECATED_MODES:
            message = tr(
                "the delivery mode {mode} is about to be removed from the service",
                mode=mode_label(mode.code),
            )
            hint = tr("use another mode, such as {mode}", mode=mode_label("TrackedHomeDelivery"))
            yield Issue(DEPRECATED_DELIVERY_MODE, message, hint, mode.cost)


def check_deprecated_fields(sheet: SheetFacts) -> Iterator[Issue]:
    """Warn about each column that the service no longer supports."""
    for key in ("PackagingUnit", "PackagingValue"):
        if key in sheet.columns.fields:
            message = tr("{field} is no longer supported and is not sent", field=FieldName(key))
            yield Issue(DEPRECATED_FIELD, message, "", key)


# Rules of all rows.


class DuplicateReferences(Occurrences):
    """Keeps every reference of every channel until all files are read."""

    def see(self, sheet: int, row: Row) -> None:
        reference = row.values.get("sellerExternalReference")
        if reference is not None:
            self.add(f"{row.channel}\0{reference}", sheet, row.number)

    def folded(self, keys: Sequence[str]) -> Sequence[str]:
        """Return the keys without case, in one form of Unicode."""
        if "".join(keys).isascii():  # the usual case, in a loop that runs in C
            return [*map(str.casefold, keys)]
        return [normalize("NFKC", key).casefold() for key in keys]

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Report each row whose reference occurs again; `names` are the sheets' names."""
        equal: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        alike: defaultdict[int, list[int]] = defaultdict(list)
        for index, key, group in self.repeated():
            if (group.first, key) not in equal:
                alike[group.first].append(index)
            equal[group.first, key].append(index)
        rows = ((index, first, key) for (first, key), same in equal.items() for index in same)
        for index, first, key in sorted(rows):
            same, (channel, _, reference) = equal[first, key], key.partition("\0")
            place, cell = self.place(index), ("sellerExternalReference", reference)
            if len(same) > 1:
                message = tr(
                    "“{reference}” occurs {count} times for {channel}: also in {others}",
                    reference=reference,
                    count=len(same),
                    channel=channel,
                    others=self.others(index, same, names),
                )
                hint = tr("keep one row of each reference")
                yield place, Issue(DUPLICATE_REFERENCE, message, hint, *cell)
            if len(alike[first]) > 1 and index == same[0]:
                message = tr(
                    "“{reference}” differs only in case or Unicode form from {others}",
                    reference=reference,
                    others=self.others(index, alike[first], names),
                )
                hint = tr("write it alike if it is one offer")
                yield place, Issue(REFERENCE_ALIKE, message, hint, *cell)


UNSEEN, ALIKE = -1, -2
"""Special indexes: not compared yet; all quantities are the same."""


class SameProducts(Occurrences):
    """Keeps the rows of every product and condition until all files are read."""

    width = 3
    """The notes of each row: the quantity, and hashes of the channel and of the reference."""

    def __init__(self) -> None:
        super().__init__(array("q"))

    def see(self, sheet: int, row: Row) -> None:
        """Note a row; leading zeros of a GTIN do not count."""
        values = row.values
        quantity, product, field = values.get("quantity"), values.get(GTIN), GTIN
        if product is None:
            product, field = values.get(PRODUCT_REFERENCE), PRODUCT_REFERENCE
        if product is not None and isinstance(quantity, int):
            name = product.lstrip("0") if field is GTIN else product
            self.add(f"{field}\0{name}\0{values.get('condition')}", sheet, row.number)
            self.notes.extend((quantity, hash(row.channel), hash(values.get(REFERENCE))))

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Report rows of one product with different stocks, or with several references."""
        quantities, channels, references = (
            self.notes[start :: self.width] for start in range(self.width)
        )
        unlike = array("q", [UNSEEN]) * len(self)
        doubled: dict[tuple[int, int], list[int]] = {}
        last: RowPlace | None = None
        for index, key, group in self.repeated():
            place, (field, product, condition) = self.place(index), key.split("\0")
            if field == GTIN:
                product = product.zfill(next(size for size in LENGTHS if size >= len(product)))
            product_words = {"product": product, "condition": CONDITION_TYPE.label(condition)}
            if index == group.first:
                others = (other for other in group if quantities[other] != quantities[index])
                unlike[index] = next(others, ALIKE)
                by_channel: defaultdict[int, list[int]] = defaultdict(list)
                for other in group:
                    by_channel[channels[other]].append(other)
                for channel, rows in by_channel.items():
                    if len({references[other] for other in rows}) > 1:
                        doubled[index, channel] = rows
            if rows := doubled.get((group.first, channels[index]), []):
                message = tr(
                    "{product}, {condition}, is offered under another reference, too: see {others}",
                    others=self.others(index, rows, names),
                    **product_words,
                )
                hint = tr("keep one row; to rename an offer, delete the old reference")
                yield place, Issue(SAME_PRODUCT, message, hint, field, product)
            other = unlike[group.first]
            if other == ALIKE or place == last:  # the same row on another channel
                continue
            last, quantity = place, quantities[index]
            if quantity == quantities[other]:
                other = group.first
            place_of_other = self.place(other)
            message = tr(
                "stock {own} here and {other} in row {row} of {sheet} for {product},"
                " {condition}; stock is shared",
                own=quantity,
                other=quantities[other],
                row=place_of_other.row,
                sheet=names[place_of_other.sheet],
                **product_words,
            )
            hint = tr("give the same stock in all rows of a product and condition")
            yield place, Issue(STOCK_DIFFERS, message, hint, "quantity", str(quantity))


UPDATES = ("offers-update",)
OFFERING = ("offers-upsert", "legacy-offers")
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
    Rule(REFERENCE_ALIKE, kinds=REFERRING),
    Rule(SAME_PRODUCT, kinds=OFFERING),
    Rule(STOCK_DIFFERS, survey=SameProducts, kinds=OFFERING),
    _of_blanks(TAXES_INCOMPLETE, check_taxes_incomplete, kinds=UPDATES),
)


# Corrections of offers; each decides something, so the user has to choose them.


ONE = Decimal(1)


def lower_stock(flawed: FlawedCell) -> NewValue | None:
    """Return the whole pieces in stock; 0 for a negative stock."""
    number = number_of(flawed.cell, flawed.reader)
    if number is None or (number > 0 and number == number.to_integral_value()):
        return None
    return written_like(max(number.quantize(ONE, ROUND_FLOOR), Decimal(0)), flawed)


def raise_days(flawed: FlawedCell) -> NewValue | None:
    number = number_of(flawed.cell, flawed.reader)
    return None if number is None else written_like(number.quantize(ONE, ROUND_CEILING), flawed)


def zero(flawed: FlawedCell) -> NewValue | None:
    del flawed
    return Decimal(0)


def drop_product_reference(flawed: FlawedCell) -> NewValue | None:
    return "" if GTIN in flawed.filled else None


FIXES = (
    Fix(
        "stock",
        tr("round stocks down to whole pieces, and take negative ones as 0"),
        (INTEGER_REQUIRED, NUMBER_RANGE),
        lower_stock,
        fields=(QUANTITY,),
    ),
    Fix(
        "days",
        tr("round preparation times up to whole days"),
        (INTEGER_REQUIRED,),
        raise_days,
        fields=(PREPARATION,),
    ),
    Fix(
        "list-price",
        tr("empty a list price that is below the price, or is none"),
        (ORIGIN_PRICE_BELOW_PRICE, FORMULA_ERROR, NUMBER_FORMAT, NUMBER_RANGE),
        empty,
        fields=("price.originPrice",),
        old_name="struck-price",
    ),
    Fix(
        "free-delivery",
        tr("fill the missing amount of a delivery mode with 0"),
        (DELIVERY_INCOMPLETE,),
        zero,
    ),
    Fix(
        "no-tax",
        tr("fill the taxes that are amounts with 0 where VAT is given"),
        (TAXES_INCOMPLETE,),
        zero,
        fields=TAXES[1:],  # without VAT: a blank VAT never means zero
    ),
    Fix(
        "product-reference",
        tr("empty a malformed product reference beside a GTIN"),
        (PRODUCT_REFERENCE_FORMAT, PLACEHOLDER),
        drop_product_reference,
        fields=(PRODUCT_REFERENCE,),
    ),
)
