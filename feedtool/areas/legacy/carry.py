"""A row of one kind of feed becomes a row of another, and what that costs is told. Pure.

Offers are the same in the JSON packages and in an Offers.xml but for the names of delivery modes,
the conditions, and what one of the two has no place for (source: the field; the mapping is the
dialect's).
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial

from feedtool.areas.legacy.feeds import offers as full
from feedtool.areas.legacy.feeds import stock_and_price
from feedtool.areas.legacy.offers_xml import KIND as FULL
from feedtool.areas.legacy.offers_xml import KINDS as LEGACY_KINDS
from feedtool.areas.legacy.offers_xml import STOCK_AND_PRICE_KIND as STOCK_AND_PRICE
from feedtool.areas.legacy.offers_xml import cost_keys
from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.offers.feeds import delete, update, upsert
from feedtool.feeds.conversion import Carried, CarryLoss, RowConversion, Values, shown
from feedtool.model.cells import Value
from feedtool.model.settings import DEPRECATED_MODES, AccountSettings

UPSERT, UPDATE, DELETE = upsert.FEED.kind, update.FEED.kind, delete.FEED.kind
OFFERS = frozenset((UPSERT, UPDATE, DELETE))
"""The kinds of the JSON packages."""

FEEDS = {
    feed.kind: feed
    for feed in (upsert.FEED, update.FEED, delete.FEED, full.FEED, stock_and_price.FEED)
}

VAT, *_ = offers.TAXES
ZERO = Decimal(0)

_REASONS: Mapping[str, str] = {
    offers.PRODUCT_REFERENCE: "an Offers.xml has no place for a product reference",
    "comment": "the JSON packages have no place for a comment",
    "CDAV": "it can no longer be submitted",
    "PackagingUnit": "the service no longer supports it",
    "PackagingValue": "the service no longer supports it",
}
RETIRED = frozenset(column.key for column in offers.RETIRED_COLUMNS)
_ELSEWHERE = {
    UPDATE: "an Update does not say it",
    DELETE: "a Delete says the reference alone",
    STOCK_AND_PRICE: "a StockAndPrice package says reference, EAN, price and stock alone",
}


def carrier(kind: str, became: str, dialect: AccountSettings) -> Callable[[Values], Carried]:
    """How rows of a kind become rows of another, or stay what they are.

    What its sheet has no column for is left out; a condition that it does not have stays in its
    cell, as it was.

    Args:
        kind: What the rows are.
        became: What they become.
        dialect: Which modes and conditions there are.
    """
    names = _mode_names(kind, became, dialect)
    feed = FEEDS[became]
    columns = {column.key for column in feed.columns(dialect)}
    if became in OFFERS and became != DELETE:
        columns.update(key for mode in DEPRECATED_MODES for key in cost_keys(mode))
    if became in OFFERS and kind not in OFFERS:
        columns.discard(offers.ACTION)
    conditions = dialect.conditions if became in OFFERS else tuple(dialect.legacy_conditions)

    # Blank taxes of a whole offer are zero; an Update without them would be half a list.
    is_list = became == UPDATE and kind in {UPSERT, FULL}

    def carry(values: Values) -> Carried:
        found: Values = dict.fromkeys(offers.TAXES, ZERO) if is_list and VAT in values else {}
        lacks: list[CarryLoss] = []
        for key, value in values.items():
            name = names(key, values)
            if name is None:
                lacks.append(CarryLoss(key, shown(value), _no_mode(became)))
            elif name in columns:
                found[name] = value
                if name == offers.CONDITION and kind != became and value not in conditions:
                    lacks.append(_no_condition(value, became, conditions))
            elif name != offers.ACTION:
                lacks.append(CarryLoss(key, shown(value), _reason(name, became)))
        return Carried(found, lacks)

    return carry


def numbered(values: Mapping[str, Value], dialect: AccountSettings) -> Iterator[CarryLoss]:
    """What the numbers of an Offers.xml cannot say of a row that has a condition."""
    condition = values.get(offers.CONDITION)
    number = dialect.legacy_conditions.get(str(condition))
    if condition is None or number is None:
        return
    same = next(one for one, other in dialect.legacy_conditions.items() if other == number)
    if same != condition:
        why = f"its ProductCondition is {number}, which is read as {same}"
        yield CarryLoss(offers.CONDITION, shown(condition), why)


def _no_condition(value: Value, became: str, conditions: tuple[str, ...]) -> CarryLoss:
    where = "an Offers.xml has" if became in LEGACY_KINDS else "the JSON packages have"
    known = ", ".join(conditions)
    return CarryLoss(
        offers.CONDITION,
        shown(value),
        f"{where} no such condition: choose one of {known}",
        is_needed=became in {UPSERT, FULL},
    )


def _no_mode(became: str) -> str:
    is_legacy = became in LEGACY_KINDS
    where = "an Offers.xml has" if is_legacy else "the JSON packages have"
    return f"{where} no such delivery mode; the profile's legacy_modes can give it one"


def _reason(key: str, became: str) -> str:
    if key in RETIRED or became not in _ELSEWHERE:
        return _REASONS.get(key, f"{became} has no column for it")
    return _ELSEWHERE[became]


def _mode_names(
    kind: str, became: str, dialect: AccountSettings
) -> Callable[[str, Mapping[str, Value]], str | None]:
    """What a key is called among those of the other kind; None is a mode that has no name there."""
    if (kind in LEGACY_KINDS) == (became in LEGACY_KINDS) or became == STOCK_AND_PRICE:
        return lambda key, _: key
    modes = dialect.legacy_modes
    pairs = [(same, own) for own, same in modes.items()]
    if became in OFFERS:
        pairs = list(modes.items())
    known: dict[str, str] = {}
    for one, other in pairs:
        if one and other:
            for key, its in zip(cost_keys(one), cost_keys(other), strict=True):
                known.setdefault(key, its)
    retiring = {
        key
        for mode in DEPRECATED_MODES
        if became == FULL and mode in modes
        for key in cost_keys(mode)
    }

    def name(key: str, values: Mapping[str, Value]) -> str | None:
        if not key.startswith("deliveryModes."):
            return key
        if key in retiring:  # the legacy mode has the same name, unless its own mode is there, too
            taken = {one for one in values if one not in retiring and known.get(one) == key}
            return None if taken else key
        return known.get(key)

    return name


SOURCES: Mapping[str, tuple[str, ...]] = {
    UPSERT: (UPSERT, FULL),
    UPDATE: (UPDATE, UPSERT, STOCK_AND_PRICE, FULL),
    DELETE: (DELETE,),
    FULL: (FULL, UPSERT),
    STOCK_AND_PRICE: (STOCK_AND_PRICE, UPDATE, UPSERT, FULL),
}
"""What each kind can be made of, where the rows keep their meaning: an Update, whose blanks mean
unchanged, never becomes a whole offer, and nothing becomes a Delete."""

AS_JSON = {(FULL, UPSERT), (STOCK_AND_PRICE, UPDATE)}

CONVERSIONS = tuple(
    RowConversion(
        kind,
        became,
        partial(carrier, kind, became),
        (kind, became) in AS_JSON,
        numbered if became == FULL else lambda _, __: (),
    )
    for became, kinds in SOURCES.items()
    for kind in kinds
)
