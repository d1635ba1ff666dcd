"""The columns that every products sheet may have, whatever its categories.

Source: specification, "Catalog endpoints"; the keys are those of the channel operator's own
templates, as are the French labels among the aliases in `locale/`. Names of the legacy interface
are aliases, too (specification, "Versioning" 6).
"""

from feedtool.areas.products.columns.address import Picture
from feedtool.areas.products.columns.brand import BrandName
from feedtool.areas.products.columns.category import CategoryCode
from feedtool.areas.products.columns.prose import Html, Prose, Title
from feedtool.feeds.columns.choice import Choice, Retired
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.text import Reference
from feedtool.feeds.words import Words
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

WORDS = Words("feedtool.areas.products")
_column = WORDS.column

IDENTITY_COLUMNS = (
    _column(
        GTIN,
        Gtin(),
        "GTIN (EAN)",
        "8, 12, 13 or 14 digits; there is one product sheet for each.",
        "4006381333931",
    ),
    _column(
        REFERENCE,
        Reference(),
        "Seller product reference",
        "Your own reference of the product, another one for each.",
        "SKU-1001",
    ),
    _column(
        TITLE,
        Title(),
        "Title",
        "Plain text on one line, without HTML.",
        "Electric kettle 1.7 L, stainless steel",
    ),
    _column(
        DESCRIPTION,
        Prose(),
        "Description",
        "Plain text, without HTML.",
        "Boils a litre in three minutes and switches itself off.",
    ),
)


def picture_key(index: int) -> str:
    """The key of a picture's column."""
    return f"sellerPictureUrls_{index}"


PICTURE_KEYS = tuple(picture_key(index) for index in range(1, MOST_PICTURES + 1))


def _picture(index: int) -> Column:
    first, second, third = (
        text.format(index=index) for text in WORDS.of("Picture {index} (address)")
    )
    aliases = [name.format(index=index) for name in WORDS.aliases("sellerPictureUrls")]
    return Column(
        picture_key(index),
        Picture(index),
        (first, second, third),
        WORDS.of("The address of the picture on the web; it begins with https://."),
        f"https://shop.example/kettle-{index}.jpg",
        (*aliases, f"sellerPictureUrls[{index}].url"),
    )


PICTURE_COLUMNS = tuple(map(_picture, range(1, MOST_PICTURES + 1)))

FILING_COLUMNS = (
    _column(
        BRAND,
        BrandName(),
        "Brand",
        "As the catalogue writes it; a new brand is added.",
        "Maison Alder",
    ),
    _column(
        CATEGORY,
        CategoryCode(),
        "Category code",
        "Six characters, of a category of level 3.",
        "011B01",
    ),
    _column(
        LANGUAGE,
        Choice(LANGUAGE_WRITINGS),
        "Language",
        "Of the texts in this row: fr-FR, en-US or es-ES.",
        "en-US",
    ),
)
FURTHER_COLUMNS = (
    _column(
        GTIN_REFERENCE,
        Reference(),
        "GTIN reference",
        "What the legacy interface called ProductKind; may stay empty.",
    ),
    _column(
        MARKETING,
        Html(),
        "Marketing description",
        "May be HTML, whose tags must all be closed.",
        "<p>Quiet, quick, <strong>safe</strong>.</p>",
    ),
    _column(
        GROUP,
        Reference(),
        "Variant group",
        "The same for all sizes and colours of a product, where the category has variants.",
        "SHIRT-7",
    ),
)
RETIRED_COLUMNS = (_column("CDAV", Retired(), "CDAV", "Can no longer be submitted."),)

TEMPLATE_COLUMNS = (
    *IDENTITY_COLUMNS,
    *PICTURE_COLUMNS[:USUAL_PICTURES],
    *FILING_COLUMNS,
    *FURTHER_COLUMNS,
)
UNDERSTOOD_COLUMNS = (*TEMPLATE_COLUMNS, *PICTURE_COLUMNS[USUAL_PICTURES:], *RETIRED_COLUMNS)
UNDERSTOOD_KEYS = frozenset(column.key for column in UNDERSTOOD_COLUMNS)
