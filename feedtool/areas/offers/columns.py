"""The columns of offers and of their delivery modes, and the names of conditions.

Source: specification, "Offer package and offer request (JSON)". Other headers of the columns are
in `locale/`; `[columns]` in a profile maps an account's own headers.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import lru_cache

from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.settings import OfferSettings
from feedtool.feeds.columns.choice import Action, Condition, Ignored, Retired
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Days, Money, Rate, Whole
from feedtool.feeds.columns.text import ProductReference, Reference, Text
from feedtool.feeds.feed import Mode, Row, SheetColumns
from feedtool.feeds.template import Words
from feedtool.model.cells import Column
from feedtool.model.settings import (
    CONDITION_NAMES,
    DEPRECATED_MODES,
    LARGE_PARCEL_MODES,
    AccountSettings,
)
from feedtool.model.text import FieldName, Label, tr

ZERO = Decimal(0)
HUNDRED = Decimal(100)
PRICE = Money(above=ZERO)
AMOUNT = Money(least=ZERO)

REFERENCE = "sellerExternalReference"
GTIN = "product.gtin"
PRODUCT_REFERENCE = "product.reference"
CONDITION = "condition"
PREPARATION = "preparationTime"
QUANTITY = "quantity"
FLOOR = "price.floor"
"""A row with a lower price is held until its release; the floor itself is not sent."""
ACTION = "action"
CHANNEL = "salesChannelId"
TAXES = ("taxes.VAT", "taxes.EcoPart", "taxes.DEA")
_AMOUNTS = 1 << 14
"""The number of distinct amounts kept as JSON: most rows share a few."""
ALWAYS = (REFERENCE, CONDITION, "price.price", "taxes.VAT", PREPARATION, QUANTITY)
"""Keys that every whole offer needs, beside its product and the mandatory mode."""
IDENTITY = (GTIN, PRODUCT_REFERENCE, CONDITION)
"""Never updatable (specification, "Offers (JSON packages)", rule 2)."""

WORDS = Words("feedtool.areas.offers")

_LABELS = (
    *("New", "Used - like new", "Used - very good state", "Used - average state"),
    *("Refurbished - like new", "Refurbished - very good state", "Refurbished - correct state"),
)
CONDITIONS = {name: WORDS.of(label) for name, label in zip(CONDITION_NAMES, _LABELS, strict=True)}
"""Canonical value → its labels in English, French, Spanish."""
LEGACY_CONDITIONS = {
    "GoodState": WORDS.of("Used - good state"),
    "Refurbished": WORDS.of("Refurbished"),
}
"""Conditions that only a legacy zip has; the JSON packages name them otherwise or not at all."""
_PARTS = {
    "UsedLikeNew": ("used", "like new"),
    "UsedVeryGoodState": ("used", "very good"),
    "UsedAverageState": ("used", "correct"),
    "GoodState": ("used", "good"),
    "RefurbishedLikeNew": ("refurbished", "like new"),
    "RefurbishedVeryGoodState": ("refurbished", "very good"),
    "RefurbishedCorrectState": ("refurbished", "correct"),
}
PARTS = {
    (group, state): name
    for name, (groups, states) in _PARTS.items()
    for group in WORDS.aliases(groups, "condition")
    for state in WORDS.aliases(states, "condition")
}
"""Names of a group and of a state, as in `Ocasión - Estado correcto`, → canonical value."""
CONDITION_TYPE = Condition(CONDITIONS, PARTS)

_column = WORDS.column

IDENTITY_COLUMNS = WORDS.group(
    "Identity",
    _column(
        REFERENCE,
        Reference(),
        "Seller reference",
        "Your own reference of the offer, unique on a channel.",
        "SKU-1001",
    ),
    _column(
        GTIN,
        Gtin(),
        "GTIN (EAN)",
        "8, 12, 13 or 14 digits; this or the product reference is needed.",
        "4006381333931",
    ),
    _column(
        PRODUCT_REFERENCE,
        ProductReference(),
        "Product reference",
        "The product's reference in the service's catalogue.",
        "AUC4006381333931",
        is_in_example=False,
    ),
    _column(CONDITION, CONDITION_TYPE, "Condition", "One of the list.", "New"),
)
PRICE_COLUMNS = WORDS.group(
    "Price",
    _column("price.price", PRICE, "Price (VAT included)", "Gross price, taxes included.", "19.99"),
    _column(
        "price.originPrice",
        PRICE,
        "List price (strike-through)",
        "The higher price, shown struck through; may stay empty.",
        "24.99",
        is_in_example=False,
    ),
)
TAX_COLUMNS = WORDS.group(
    "Taxes",
    _column("taxes.VAT", Rate(least=ZERO, most=HUNDRED), "VAT (%)", "Rate from 0 to 100.", "20"),
    _column(
        "taxes.EcoPart",
        AMOUNT,
        "Eco-participation (amount)",
        "Amount contained in the price.",
        "0.12",
        is_in_example=False,
    ),
    _column("taxes.DEA", AMOUNT, "DEA (amount)", "Amount contained in the price.", "0"),
)
CHANGEABLE_COLUMNS = (*PRICE_COLUMNS, *TAX_COLUMNS)
STOCK_COLUMNS = WORDS.group(
    "Stock",
    _column(PREPARATION, Days(least=ZERO), "Preparation time (days)", "Whole days.", "2"),
    _column(
        QUANTITY,
        Whole(least=ZERO),
        "Stock",
        "Whole number; shared across channels for a product and condition.",
        "25",
        is_shared=True,
    ),
)
ACTIONS = (PackageType.UPSERT, PackageType.UPDATE, PackageType.DELETE)
_ACTION_WORDS: Mapping[str, Collection[str]] = {
    PackageType.UPSERT: (
        *("add", "create", "insert", "new", "replace", "ajouter", "ajout", "créer", "création"),
        *("remplacer", "nouveau", "añadir", "crear", "reemplazar", "nuevo", "anlegen"),
    ),
    PackageType.UPDATE: (
        *("modify", "change", "edit", "revise", "maj", "mise à jour", "mettre à jour", "modifier"),
        *("modification", "actualizar", "modificar", "ändern", "aktualisieren"),
    ),
    PackageType.DELETE: (
        *("remove", "del", "end", "supprimer", "supprimé", "suppression", "suppr", "sup"),
        *("effacer", "retirer", "eliminar", "eliminado", "borrar", "suprimir", "löschen"),
    ),
}
SPLITTING_COLUMNS = WORDS.group(
    "Other",
    _column(CHANNEL, Text(), "Sales channel", "Only where it differs from the profile's."),
    _column(
        ACTION,
        Action(dict.fromkeys(ACTIONS, ()), _ACTION_WORDS),
        "Action",
        "Upsert, Update or Delete.",
    ),
)
GUARDING_COLUMNS = WORDS.group(
    "Price",
    _column(
        FLOOR,
        PRICE,
        "Floor price",
        "A lower price is held back until it is released; it does not travel.",
        "14.99",
    ),
)
RETIRED_COLUMNS = (
    _column("CDAV", Retired(), "CDAV", "Retired."),
    _column("PackagingUnit", Ignored(), "PackagingUnit", "No longer supported."),
    _column("PackagingValue", Ignored(), "PackagingValue", "No longer supported."),
)
"""Specification, "Versioning" 4."""

MODE_LABELS = {
    "TrackedHomeDelivery": "Tracked",
    "SignedHomeDelivery": "Signed",
    "ExpressHomeDelivery": "Express delivery",
    "NotTrackedHomeDelivery": "Not tracked",
    "FixedDateHomeDelivery": "Fixed date",
    "SpecificRoomHomeDelivery": "Room of choice",
    "WithSetupHomeDelivery": "With set-up",
}
_BOTH = 2
_COSTS = (
    ("cost", "{mode}: cost", "Shipping of the first piece.", "4.90"),
    ("additionalCost", "{mode}: additional cost", "Of each further piece.", "1.50"),
)
"""End of the key, label, note and example of a mode's two columns."""


def mode(code: str, same: str | None = None) -> Mode:
    """Return the two columns of a mode; `same` is the JSON mode with the same meaning."""
    cost, additional = f"deliveryModes.{code}.cost", f"deliveryModes.{code}.additionalCost"
    same = code if same is None else same
    return Mode(code, cost, additional, same, same in LARGE_PARCEL_MODES)


def mode_label(code: str) -> Label:
    return Label(code, WORDS.of(MODE_LABELS[code]) if code in MODE_LABELS else ())


def name_of(_: Row, key: str) -> str:
    """Return a key's name in messages; a missing GTIN may also be a missing product reference."""
    return tr("GTIN or product reference") if key == GTIN else FieldName(key)


def filled_modes(row: Row) -> list[tuple[str, Decimal, Decimal]]:
    """Return code, cost and additional cost of the modes whose amounts are both given."""
    values = row.values
    return [
        (mode.code, cost, additional)
        for mode in row.sheet.modes
        if (cost := values.get(mode.cost)) is not None
        if (additional := values.get(mode.additional)) is not None
    ]


def missing_of_whole(sheet: SheetColumns, amounts: tuple[str, ...]) -> list[str]:
    """Return keys of a whole offer that the header lacks; `amounts` are the mandatory mode's.

    The amounts may be missing if the header has large-parcel modes.
    """
    keys = missing(sheet, ALWAYS)
    return keys if any(known.is_large for known in sheet.modes) else keys + missing(sheet, amounts)


def blank_amounts(row: Row, amounts: tuple[str, ...]) -> list[str]:
    """Return blank amounts of the mandatory mode; none if the row has a large-parcel mode."""
    if not (blank := row.blanks(amounts)):
        return blank
    large = (mode for mode in row.sheet.modes if mode.is_large)
    has_large_mode = any(len(row.blanks((mode.cost, mode.additional))) < _BOTH for mode in large)
    return [] if has_large_mode else blank


@lru_cache
def mode_columns(code: str) -> tuple[Column, Column]:
    names = WORDS.of(MODE_LABELS[code]) if code in MODE_LABELS else (code, code, code)
    modes, columns = WORDS.aliases(f"deliveryModes.{code}"), []
    for ending, label, note, example in _COSTS:
        first, second, third = (
            text.format(mode=name) for text, name in zip(WORDS.of(label), names, strict=True)
        )
        # The templates' words for the amounts; not “cost”: `Express.cost` is a deprecated mode's.
        amounts = WORDS.aliases(f"deliveryModes.{ending}")
        aliases = (f"{code}.{ending}", *(f"{mode} {word}" for mode in modes for word in amounts))
        key, labels = f"deliveryModes.{code}.{ending}", (first, second, third)
        columns.append(Column(key, AMOUNT, labels, WORDS.of(note), example, aliases))
    cost, additional = WORDS.group("Delivery", *columns)
    return cost, additional


def all_modes(settings: AccountSettings) -> tuple[str, ...]:
    """Return the modes of readable columns: the account's and the deprecated modes."""
    return (*settings.of(OfferSettings).delivery_modes, *DEPRECATED_MODES)


def with_retired(settings: AccountSettings, keys: Collection[str]) -> AccountSettings:
    """Return the settings with the deprecated modes that have one of the keys."""
    offers = settings.of(OfferSettings)
    codes = offers.delivery_modes
    retired = (code for code in DEPRECATED_MODES if mode(code).cost in keys and code not in codes)
    return settings.having(replace(offers, delivery_modes=(*codes, *retired)))


def columns_of_modes(codes: tuple[str, ...]) -> tuple[Column, ...]:
    return tuple(column for code in codes for column in mode_columns(code))


def missing(sheet: SheetColumns, keys: tuple[str, ...]) -> list[str]:
    return [key for key in keys if key not in sheet.fields]


@lru_cache(_AMOUNTS)
def number(amount: Decimal) -> int | float:
    """Return an amount for JSON; exact, since money has far fewer than 15 digits."""
    as_float = float(amount)
    return int(as_float) if as_float.is_integer() else as_float


def understood(settings: AccountSettings) -> tuple[Column, ...]:
    """Return every column that the header of an offers sheet may have."""
    return (
        *IDENTITY_COLUMNS,
        *CHANGEABLE_COLUMNS,
        *columns_of_modes(all_modes(settings)),
        *STOCK_COLUMNS,
        *SPLITTING_COLUMNS,
        *GUARDING_COLUMNS,
        *RETIRED_COLUMNS,
    )


def modes(settings: AccountSettings) -> tuple[Mode, ...]:
    """Return every delivery mode that the header of an offers sheet may have."""
    return tuple(mode(code) for code in all_modes(settings))
