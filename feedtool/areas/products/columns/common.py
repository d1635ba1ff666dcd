"""The columns that every products sheet may have, whatever its categories.

Source: specification, "Catalog endpoints"; the keys are those of the channel operator's own
templates, as are the French labels among the aliases. Names of the legacy interface are aliases,
too (specification, "Versioning" 6).
"""

from feedtool.areas.products.columns.address import Picture
from feedtool.areas.products.columns.brand import Brand
from feedtool.areas.products.columns.category import CategoryCode
from feedtool.areas.products.columns.prose import Html, Prose, Title
from feedtool.feeds.columns.choice import Choice, Retired
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.text import Reference
from feedtool.model.header import Column

GTIN = "gtin"
REFERENCE = "sellerProductReference"
TITLE = "title"
DESCRIPTION = "description"
BRAND = "brand"
CATEGORY = "categoryCode"
LANGUAGE = "language"
GTIN_REFERENCE = "gtinReference"
MARKETING = "richMarketingDescription"
GROUP = "variantGroupReference"
MOST_PICTURES = 20
"""Pictures that a sheet may have columns for; the specification names no limit."""
USUAL_PICTURES = 6

LANGUAGE_TAGS = {"fr": "fr-FR", "en": "en-US", "es": "es-ES"}
"""Of the catalogue's languages (specification, "Catalog endpoints")."""
LANGUAGE_WRITINGS = {
    "fr-FR": ("fr", "fr_FR", "French", "Français", "Francais", "Francés"),
    "en-US": ("en", "en_US", "en-GB", "English", "Anglais", "Inglés"),
    "es-ES": ("es", "es_ES", "Spanish", "Espagnol", "Español"),
}

IDENTITY_COLUMNS = (
    Column(
        GTIN,
        Gtin(),
        ("GTIN (EAN)", "GTIN (EAN)", "GTIN (EAN)"),
        (
            "8, 12, 13 or 14 digits; there is one product sheet for each.",
            "8, 12, 13 ou 14 chiffres ; il y a une fiche produit pour chacun.",
            "8, 12, 13 o 14 cifras; hay una ficha de producto para cada uno.",
        ),
        "4006381333931",
        (
            *("ean", "ean13", "EAN/GTIN", "Code EAN", "Code EAN/GTIN", "barcode", "code barre"),
            *("código de barras", "Código EAN/GTIN", "product.gtin"),
        ),
    ),
    Column(
        REFERENCE,
        Reference(),
        ("Seller product reference", "Référence vendeur", "Referencia del vendedor"),
        (
            "Your own reference of the product, another one for each.",
            "Votre référence du produit, différente pour chacun.",
            "Su referencia del producto, distinta para cada uno.",
        ),
        "SKU-1001",
        (
            *("sku", "seller sku", "SellerProductId", "product reference", "seller reference"),
            *("Votre référence", "Référence produit vendeur", "Su referencia"),
            *("Your product reference", "Votre référence produit", "Su referencia de producto"),
            *("Référence vendeur du produit", "Referencia de producto del vendedor"),
        ),
    ),
    Column(
        TITLE,
        Title(),
        ("Title", "Titre", "Título"),
        (
            "Plain text on one line, without HTML.",
            "Texte simple sur une ligne, sans HTML.",
            "Texto simple en una línea, sin HTML.",
        ),
        "Electric kettle 1.7 L, stainless steel",
        ("LongLabel", "product title", "Titre du produit", "Libellé", "Libellé long"),
    ),
    Column(
        DESCRIPTION,
        Prose(),
        ("Description", "Description", "Descripción"),
        (
            "Plain text, without HTML.",
            "Texte simple, sans HTML.",
            "Texto simple, sin HTML.",
        ),
        "Boils a litre in three minutes and switches itself off.",
        ("product description", "Description du produit", "Descripción del producto"),
    ),
)


def picture_key(index: int) -> str:
    """The key of a picture's column."""
    return f"sellerPictureUrls_{index}"


PICTURE_KEYS = tuple(picture_key(index) for index in range(1, MOST_PICTURES + 1))


def _picture(index: int) -> Column:
    return Column(
        picture_key(index),
        Picture(index),
        (f"Picture {index} (address)", f"Image {index} (adresse)", f"Imagen {index} (dirección)"),
        (
            "The address of the picture on the web; it begins with https://.",
            "L'adresse de l'image sur le web ; elle commence par https://.",
            "La dirección de la imagen en la web; empieza por https://.",
        ),
        f"https://shop.example/kettle-{index}.jpg",
        (
            *(f"{word} {index}" for word in ("picture", "image", "imagen", "photo", "foto")),
            *(f"{word} {index}" for word in ("picture url", "image url", "url image")),
            f"sellerPictureUrls[{index}].url",
        ),
    )


PICTURE_COLUMNS = tuple(map(_picture, range(1, MOST_PICTURES + 1)))

FILING_COLUMNS = (
    Column(
        BRAND,
        Brand(),
        ("Brand", "Marque", "Marca"),
        (
            "As the catalogue writes it; a new brand is added.",
            "Telle que le catalogue l'écrit ; une nouvelle marque est ajoutée.",
            "Como la escribe el catálogo; una marca nueva se añade.",
        ),
        "Maison Alder",
        ("BrandName", "brand name", "Nom de la marque", "Nombre de la marca"),
    ),
    Column(
        CATEGORY,
        CategoryCode(),
        ("Category code", "Code catégorie", "Código de categoría"),
        (
            "Six characters, of a category of level 3.",
            "Six caractères, d'une catégorie de niveau 3.",
            "Seis caracteres, de una categoría de nivel 3.",
        ),
        "011B01",
        ("category", "catégorie", "categoría", "categoryReference", "Code de la catégorie"),
    ),
    Column(
        LANGUAGE,
        Choice(LANGUAGE_WRITINGS),
        ("Language", "Langue", "Idioma"),
        (
            "Of the texts in this row: fr-FR, en-US or es-ES.",
            "Des textes de cette ligne : fr-FR, en-US ou es-ES.",
            "De los textos de esta fila: fr-FR, en-US o es-ES.",
        ),
        "en-US",
    ),
)

FURTHER_COLUMNS = (
    Column(
        GTIN_REFERENCE,
        Reference(),
        ("GTIN reference", "Référence GTIN", "Referencia GTIN"),
        (
            "What the legacy interface called ProductKind; may stay empty.",
            "Ce que l'ancienne interface appelait ProductKind, facultatif.",
            "Lo que la interfaz antigua llamaba ProductKind, opcional.",
        ),
        "",
        ("ProductKind",),
    ),
    Column(
        MARKETING,
        Html(),
        ("Marketing description", "Description marketing", "Descripción de marketing"),
        (
            "May be HTML, whose tags must all be closed.",
            "Peut être en HTML, dont toutes les balises doivent être fermées.",
            "Puede ser HTML, cuyas etiquetas deben estar todas cerradas.",
        ),
        "<p>Quiet, quick, <strong>safe</strong>.</p>",
        (
            *("rich marketing description", "Description marketing enrichie", "Description riche"),
            *("Marketing description (HTML)", "Description marketing (HTML)"),
            "Descripción (HTML)",
        ),
    ),
    Column(
        GROUP,
        Reference(),
        ("Variant group", "Groupe de variantes", "Grupo de variantes"),
        (
            "The same for all sizes and colours of a product, where the category has variants.",
            "Le même pour toutes les tailles et couleurs d'un produit, si la catégorie en a.",
            "El mismo para todas las tallas y colores de un producto, si la categoría los tiene.",
        ),
        "SHIRT-7",
        ("variant group reference", "Référence du groupe de variantes"),
    ),
)

RETIRED_COLUMNS = (
    Column(
        "CDAV",
        Retired(),
        ("CDAV", "CDAV", "CDAV"),
        (
            "Can no longer be submitted.",
            "Ne peut plus être envoyé.",
            "Ya no se puede enviar.",
        ),
    ),
)

TEMPLATE_COLUMNS = (
    *IDENTITY_COLUMNS,
    *PICTURE_COLUMNS[:USUAL_PICTURES],
    *FILING_COLUMNS,
    *FURTHER_COLUMNS,
)
UNDERSTOOD_COLUMNS = (
    *TEMPLATE_COLUMNS,
    *PICTURE_COLUMNS[USUAL_PICTURES:],
    *RETIRED_COLUMNS,
)
