"""Corrections of offers; each decides something, so the user has to choose them."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from feedtool.areas.offers.columns import GTIN, PREPARATION, PRODUCT_REFERENCE, QUANTITY, TAXES
from feedtool.areas.offers.rules import (
    DELIVERY_INCOMPLETE,
    ORIGIN_PRICE_BELOW_PRICE,
    TAXES_INCOMPLETE,
)
from feedtool.feeds.columns.fixes import empty, written_like
from feedtool.feeds.columns.number import (
    INTEGER_REQUIRED,
    NUMBER_FORMAT,
    NUMBER_RANGE,
    number_of,
)
from feedtool.feeds.columns.placeholders import FORMULA_ERROR, PLACEHOLDER
from feedtool.feeds.columns.text import PRODUCT_REFERENCE_FORMAT
from feedtool.feeds.fix import Fix, FlawedCell, NewValue
from feedtool.model.text import tr

_AMOUNT_TAXES = TAXES[1:]
"""Without VAT: a blank VAT never means zero."""
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
    """Empty the product reference if the row has a GTIN."""
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
        fields=_AMOUNT_TAXES,
    ),
    Fix(
        "product-reference",
        tr("empty a malformed product reference beside a GTIN"),
        (PRODUCT_REFERENCE_FORMAT, PLACEHOLDER),
        drop_product_reference,
        fields=(PRODUCT_REFERENCE,),
    ),
)
