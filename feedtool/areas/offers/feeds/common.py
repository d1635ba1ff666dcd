"""What the three offer feeds share: their columns, and how wide columns fold into lists.

Source: specification, "Offer package and offer request (JSON)". Other headers that mean a column,
those of the channel operator's own templates among them, are in `_offer_names`; whatever else an
account has, `[columns]` maps.
"""

from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from feedtool.areas.offers.feeds import names as wording
from feedtool.feeds.columns.choice import Action, Condition, Ignored, Retired
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Days, Money, Rate, Whole
from feedtool.feeds.columns.text import ProductReference, Reference, Text
from feedtool.feeds.feed import EXPORTED, FLOOR, Column, Further, Mode, Row, SheetColumns, Sight
from feedtool.model.nouns import PackageType
from feedtool.model.settings import DEPRECATED_MODES, Dialect

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
ACTION = "action"
CHANNEL = "salesChannelId"
TAXES = ("taxes.VAT", "taxes.EcoPart", "taxes.DEA")
_TAX_NAMES = tuple((key, key.removeprefix("taxes.")) for key in TAXES)
_AMOUNTS = 1 << 14
"""Different amounts that are remembered as JSON: most rows share a few."""
OPERATOR_SHEET = "Fichier Intégration Offre"
"""In every language, of whole offers as of stock and price (source: the field's files)."""
IDENTITY = (GTIN, PRODUCT_REFERENCE, CONDITION)
"""Never updatable (specification, "Offers (JSON packages)", rule 2)."""

KIND_OF = {
    PackageType.UPSERT: "offers-upsert",
    PackageType.UPDATE: "offers-update",
    PackageType.DELETE: "offers-delete",
}

IDENTITY_COLUMNS = (
    Column(
        REFERENCE,
        Reference(),
        ("Seller reference", "Votre référence", "Su referencia"),
        (
            "Your own reference of the offer, unique on a channel.",
            "Votre référence de l'offre, unique par canal.",
            "Su referencia de la oferta, única por canal.",
        ),
        "SKU-1001",
        wording.ALIASES[REFERENCE],
    ),
    Column(
        GTIN,
        Gtin(),
        ("GTIN (EAN)", "EAN/GTIN", "Código EAN/GTIN"),
        (
            "8, 12, 13 or 14 digits; this or the product reference is needed.",
            "8, 12, 13 ou 14 chiffres ; lui ou la référence produit est nécessaire.",
            "8, 12, 13 o 14 cifras; se necesita este o la referencia del producto.",
        ),
        "4006381333931",
        wording.ALIASES[GTIN],
    ),
    Column(
        PRODUCT_REFERENCE,
        ProductReference(),
        ("Product reference", "Référence produit", "Referencia del producto"),
        (
            "The product's reference in the service's catalogue.",
            "La référence du produit dans le catalogue du service.",
            "La referencia del producto en el catálogo del servicio.",
        ),
        "AUC4006381333931",
        wording.ALIASES[PRODUCT_REFERENCE],
    ),
    Column(
        CONDITION,
        Condition(),
        ("Condition", "Sous-état du produit", "Estado del producto"),
        ("One of the list.", "Une valeur de la liste.", "Un valor de la lista."),
        "New",
        wording.ALIASES[CONDITION],
    ),
)

CHANGEABLE_COLUMNS = (
    Column(
        "price.price",
        PRICE,
        ("Price (VAT included)", "Prix (TTC)", "Precio (IVA incluido)"),
        (
            "Gross price, taxes included.",
            "Prix toutes taxes comprises.",
            "Precio con todos los impuestos.",
        ),
        "19.99",
        wording.ALIASES["price.price"],
    ),
    Column(
        "price.originPrice",
        PRICE,
        ("Struck price", "Prix barré (TTC)", "Precio tachado"),
        (
            "The higher price shown struck through; may stay empty.",
            "Le prix barré, facultatif.",
            "El precio tachado, opcional.",
        ),
        "24.99",
        wording.ALIASES["price.originPrice"],
    ),
    Column(
        "taxes.VAT",
        Rate(least=ZERO, most=HUNDRED),
        ("VAT (%)", "TVA (%)", "IVA (%)"),
        ("Rate from 0 to 100.", "Taux de 0 à 100.", "Tipo de 0 a 100."),
        "20",
        wording.ALIASES["taxes.VAT"],
    ),
    Column(
        "taxes.EcoPart",
        AMOUNT,
        ("Eco-participation (amount)", "Éco-participation (montant)", "Ecotasa (importe)"),
        ("Amount contained in the price.", "Montant compris dans le prix.", "Importe incluido."),
        "0.12",
        wording.ALIASES["taxes.EcoPart"],
    ),
    Column(
        "taxes.DEA",
        AMOUNT,
        ("DEA (amount)", "DEA (montant)", "DEA (importe)"),
        ("Amount contained in the price.", "Montant compris dans le prix.", "Importe incluido."),
        "0",
        wording.ALIASES["taxes.DEA"],
    ),
)

STOCK_COLUMNS = (
    Column(
        PREPARATION,
        Days(least=ZERO),
        ("Preparation time (days)", "Délai de préparation", "Plazo de preparación"),
        ("Whole days.", "Jours entiers.", "Días enteros."),
        "2",
        wording.ALIASES[PREPARATION],
    ),
    Column(
        QUANTITY,
        Whole(least=ZERO),
        ("Stock", "Stock", "Existencias"),
        (
            "Whole number; shared across channels for a product and condition.",
            "Nombre entier ; partagé entre les canaux pour un produit et un état.",
            "Número entero; compartido entre canales para un producto y estado.",
        ),
        "25",
        wording.ALIASES[QUANTITY],
    ),
)

SPLITTING_COLUMNS = (
    Column(
        CHANNEL,
        Text(),
        ("Sales channel", "Canal de vente", "Canal de venta"),
        (
            "Only where it differs from the profile's.",
            "Seulement s'il diffère de celui du profil.",
            "Solo si difiere del perfil.",
        ),
        "",
        wording.ALIASES[CHANNEL],
    ),
    Column(
        ACTION,
        Action(),
        ("Action", "Action", "Acción"),
        ("Upsert, Update or Delete.", "Upsert, Update ou Delete.", "Upsert, Update o Delete."),
        "",
        wording.ALIASES[ACTION],
    ),
)

GUARDING_COLUMNS = (
    Column(
        FLOOR,
        PRICE,
        ("Floor price", "Prix plancher", "Precio suelo"),
        (
            "A lower price is held back until it is released; it does not travel.",
            "Un prix inférieur est retenu jusqu'à son autorisation ; n'est pas envoyé.",
            "Un precio inferior se retiene hasta que se autorice; no se envía.",
        ),
        "14.99",
    ),
)

RETIRED_COLUMNS = (
    Column("CDAV", Retired(), ("CDAV", "CDAV", "CDAV"), ("Retired.", "Retiré.", "Retirado.")),
    Column(
        "PackagingUnit",
        Ignored(),
        ("PackagingUnit", "PackagingUnit", "PackagingUnit"),
        ("No longer supported.", "Plus pris en charge.", "Ya no se admite."),
    ),
    Column(
        "PackagingValue",
        Ignored(),
        ("PackagingValue", "PackagingValue", "PackagingValue"),
        ("No longer supported.", "Plus pris en charge.", "Ya no se admite."),
    ),
)
"""Specification, "Versioning" 4."""

_COLONS = (": ", "\u00a0: ", ": ")
_COST = ("cost", "principal", "coste")
_ADDITIONAL = ("additional cost", "additionnel", "coste adicional")
_COST_HELP = ("Shipping of the first piece.", "Port du premier article.", "Envío del primero.")
_ADDITIONAL_HELP = ("Of each further piece.", "De chaque article suivant.", "De cada siguiente.")


def mode(code: str) -> Mode:
    """The two columns of a delivery mode."""
    return Mode(code, f"deliveryModes.{code}.cost", f"deliveryModes.{code}.additionalCost")


@lru_cache
def mode_columns(code: str) -> tuple[Column, Column]:
    """The cost and the additional cost of a delivery mode."""
    labels = wording.MODE_LABELS.get(code, (code, code, code))
    keys = mode(code)
    return tuple(  # type: ignore[return-value]  # two keys make two columns
        Column(
            key,
            AMOUNT,
            tuple(map("".join, zip(labels, _COLONS, words, strict=True))),  # type: ignore[arg-type]  # three languages
            notes,
            example,
            (
                key.removeprefix("deliveryModes."),
                *(f"{name} {word}" for name in wording.MODE_ALIASES.get(code, ()) for word in also),
            ),
        )
        for key, words, also, notes, example in (
            (keys.cost, _COST, wording.COST, _COST_HELP, "4.90"),
            (keys.additional, _ADDITIONAL, wording.ADDITIONAL, _ADDITIONAL_HELP, "1.50"),
        )
    )


def all_modes(dialect: Dialect) -> tuple[str, ...]:
    """The modes that are understood: the account's, and the deprecated ones."""
    return (*dialect.delivery_modes, *DEPRECATED_MODES)


def with_retired(dialect: Dialect, keys: Collection[str]) -> Dialect:
    """The settings with the deprecated modes that some keys are of."""
    own = dialect.delivery_modes
    retired = (code for code in DEPRECATED_MODES if mode(code).cost in keys and code not in own)
    return replace(dialect, delivery_modes=(*own, *retired))


def columns_of_modes(codes: tuple[str, ...]) -> tuple[Column, ...]:
    """The columns of several delivery modes, in order."""
    return tuple(column for code in codes for column in mode_columns(code))


def missing(sheet: SheetColumns, keys: tuple[str, ...]) -> list[str]:
    """The keys that a header lacks."""
    return [key for key in keys if key not in sheet.fields]


@lru_cache(_AMOUNTS)
def number(amount: Decimal) -> int | float:
    """An amount as JSON has it; exact, since money has far fewer than 15 digits."""
    as_float = float(amount)
    return int(as_float) if as_float.is_integer() else as_float


def taxes(row: Row) -> list[dict[str, object]]:
    """`price.taxes[]`: all of them, since taxes are listed even when zero."""
    dialect = row.sheet.dialect
    listed: list[dict[str, object]] = []
    for key, name in _TAX_NAMES:
        value = row.values.get(key) or ZERO
        if name == "VAT" and dialect.vat_scale == 1:
            value = value / HUNDRED
        listed.append({"code": dialect.tax_codes[name], "value": number(value)})
    return listed


def delivery_modes(row: Row) -> list[dict[str, object]]:
    """`deliveryModes[]`: the modes of which both amounts are given."""
    values = row.values
    return [
        {"code": mode.code, "cost": number(cost), "additionalCost": number(additional)}
        for mode in row.sheet.modes
        if (cost := values.get(mode.cost)) is not None
        and (additional := values.get(mode.additional)) is not None
    ]


def is_price(header: str) -> bool:
    """Whether a header that is not known plainly means a price."""
    return wording.PRICE.search(header) is not None


def understood(dialect: Dialect) -> tuple[Column, ...]:
    """Every column that the header of an offers sheet may have."""
    return (
        *IDENTITY_COLUMNS,
        *CHANGEABLE_COLUMNS,
        *columns_of_modes(all_modes(dialect)),
        *STOCK_COLUMNS,
        *SPLITTING_COLUMNS,
        *GUARDING_COLUMNS,
        *RETIRED_COLUMNS,
    )


def modes(dialect: Dialect) -> tuple[Mode, ...]:
    """Every delivery mode that the header of an offers sheet may have."""
    return tuple(mode(code) for code in all_modes(dialect))


SHOWN = frozenset(
    (
        *("sellerId", "offerId", "offerState", "salesChannelAcceptanceStatus", "isBestOffer"),
        *("integrationPrice", "facialPrice", "deliveryOffers", "createdAt", "updatedAt"),
        *("conversionDate", "offerCompetition", "salesChannelFeedback"),
    )
)
"""What the service shows of an offer and nobody sends (specification, "Offer (read)")."""

SHOWN_IN_EXPORTS = SHOWN | {"comments"}
"""Elsewhere, whoever has a column of that name may mean to send it."""

_SHOWN_HELP = (
    "As the service shows it; it is not sent.",
    "Tel que le service le montre ; n'est pas envoyé.",
    "Tal como el servicio lo muestra; no se envía.",
)


def shown_column(path: str) -> Column:
    """The column of a field that is but shown: `salesChannelFeedback.isOnline`."""
    return Column(path, Ignored(), (path, path, path), _SHOWN_HELP)


def further(sight: Sight) -> Further:
    """The columns that an export adds: they are known, and are not sent."""
    names = SHOWN_IN_EXPORTS if EXPORTED in sight.stamp else SHOWN
    shown = (header for header in sight.headers if header.partition(".")[0] in names)
    return Further(sight.dialect, tuple(map(shown_column, dict.fromkeys(shown))))
