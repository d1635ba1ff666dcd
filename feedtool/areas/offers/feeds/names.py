"""Other headers that mean a column of an offer, beside its key and its labels.

Those of the channel operator's own templates (source: the field's files) and the usual wordings,
in English, French and Spanish. Case, accents, blanks and punctuation do not matter; `…` stands for
any words.
"""

import re
from collections.abc import Mapping

PRICE = re.compile(
    r"price|prix|precio(?!u)|preis|prezz|prijs|preço|"
    r"(?<![^\W_])(?:tarifa?s?|pvp|pvc|rrp|msrp|cena)(?![^\W\d_])",
    re.IGNORECASE,
)
"""Is found in a header that plainly means a price, whichever."""

_VAT_INCLUDED = ("(VAT included)", "(incl. VAT)", "(incl. tax)", "(incl. taxes)", "(tax included)")
_IVA_INCLUIDO = ("(IVA incluido)", "(IVA incl.)", "(con IVA)", "(impuestos incluidos)")
_COUNTRIES = ("", "(France)", "(Francia)")
_DAYS = (
    *("(days)", "(working days)", "(max. working days)", "(max. number of working days)"),
    *("(business days)", "(max. business days)", "(max. number of business days)"),
)
_JOURS = ("(jours)", "(jours ouvrés)", "(nb jours ouvrés max)")
_DIAS = (
    *("", "(días)", "(días laborables)", "(días hábiles)", "(máx. días laborables)"),
    *("(máx. días hábiles)", "(n.º máx. días laborables)", "(n.º máx. de días laborables)"),
    *("(número máx. de días laborables)", "(número máximo de días laborables)"),
)


def _each(names: tuple[str, ...], endings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name} {ending}".strip() for name in names for ending in endings)


ALIASES: Mapping[str, tuple[str, ...]] = {
    "sellerExternalReference": (
        *("sku", "ref", "reference", "referencia", "seller sku", "référence vendeur"),
        *("your reference", "tu referencia", "referencia vendedor", "referencia del vendedor"),
    ),
    "product.gtin": (
        *("gtin", "ean", "ean13", "barcode", "code barre", "código de barras", "EAN/GTIN"),
        *("código EAN", "código GTIN", "EAN (Cdiscount) GTIN (Octopia)"),
    ),
    "product.reference": ("productReference",),
    "condition": (
        *("état", "estado", "product condition", "product sub-condition", "product sub-state"),
        *("sub-condition of the product", "sub-state of the product", "condición"),
        *("condición del producto", "subestado del producto", "subcondición del producto"),
        "bajo estado del producto",
    ),
    "price.price": (
        *("price", "prix", "precio", "precios"),
        *_each(("Price", "Prices"), _VAT_INCLUDED),
        *_each(("Precio", "Precios"), _IVA_INCLUIDO),
    ),
    "price.originPrice": (
        *("originPrice", "prix barré", "origin price", "precio original"),
        *("Strikethrough price", "Crossed-out price"),
        *_each(("Struck price", "Strikethrough price", "Crossed-out price"), _VAT_INCLUDED),
        *_each(("Reference price",), _VAT_INCLUDED),
        "Prix de référence (TTC)",
        *_each(("Precio tachado", "Precio de referencia"), _IVA_INCLUIDO),
    ),
    "taxes.VAT": (
        *("vat", "tva", "iva", "vat rate", "taux de TVA", "tipo de IVA", "tasa de IVA"),
        "porcentaje de IVA",
    ),
    "taxes.EcoPart": (
        *("ecoPart", "eco-participation", "ecotax", "ecotasa", "ecoparticipación"),
        *_each(("Eco Part (amount)", "Eco-participation (amount)", "Ecotax (amount)"), _COUNTRIES),
        *_each(("Eco Part (montant)", "Éco-participation (montant)"), _COUNTRIES),
        *_each(("Eco Part (importe)", "Ecotasa (importe)", "Ecotasa (cantidad)"), _COUNTRIES),
        *_each(("Ecoparticipación (importe)", "Ecoparticipación (cantidad)"), _COUNTRIES),
    ),
    "taxes.DEA": (
        *("dea", "dea tax"),
        *_each(("DEA (amount)", "DEA (montant)"), _COUNTRIES),
        *_each(("DEA (importe)", "DEA (cantidad)"), _COUNTRIES),
    ),
    "preparationTime": (
        "preparation time",
        *_each(("Preparation time",), _DAYS),
        *_each(("Délai de préparation",), _JOURS),
        *_each(("Plazo de preparación", "Tiempo de preparación"), _DIAS),
    ),
    "quantity": (
        *("stock", "quantité", "quantity", "cantidad", "qty"),
        *("cantidad disponible", "stock disponible"),
    ),
    "salesChannelId": ("channel", "canal"),
    "action": ("operation",),
}

MODE_LABELS = {
    "TrackedHomeDelivery": ("Tracked", "Suivi", "Con seguimiento"),
    "SignedHomeDelivery": ("Signed", "Recommandé", "Certificado"),
    "ExpressHomeDelivery": ("Express delivery", "Livraison express", "Entrega exprés"),
    "NotTrackedHomeDelivery": ("Not tracked", "Non suivi", "Sin seguimiento"),
    "FixedDateHomeDelivery": ("Fixed date", "Sur rendez-vous", "Con cita"),
    "SpecificRoomHomeDelivery": ("Room of choice", "Pièce de votre choix", "Habitación elegida"),
    "WithSetupHomeDelivery": ("With set-up", "Avec mise en service", "Con instalación"),
}
MODE_ALIASES = {
    "TrackedHomeDelivery": ("Tracked", "Suivi", "Seguimiento", "Con seguimiento"),
    "SignedHomeDelivery": (
        *("Registered", "Signed", "Recommandé", "Certificado"),
        *("Acuse de recepción", "Con acuse de recepción", "Acuse de recibo"),
    ),
    "ExpressHomeDelivery": ("Express", "Exprés"),
    "NotTrackedHomeDelivery": ("Standard", "Estándar"),
    "FixedDateHomeDelivery": ("Eco - Delivered …", "Eco - Livré …", "Eco - Entregado …"),
    "SpecificRoomHomeDelivery": (
        *("Standard - Delivered …", "Standard - Livré …", "Estándar - Entregado …"),
    ),
    "WithSetupHomeDelivery": (
        *("Comfort - Delivered …", "Confort - Livré …", "Confort - Entregado …"),
    ),
}
"""Names that the channel operator's own templates give a mode, above its two amounts."""
COST = ("principal", "main")
ADDITIONAL = ("additionnel", "additional", "adicional")
"""What they call the amounts; not by “cost”, since `Express.cost` is a deprecated mode's."""
