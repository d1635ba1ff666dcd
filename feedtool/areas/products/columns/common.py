"""The columns that every products sheet may have, and the types of category and brand.

Source: specification, "Catalog endpoints"; the keys are those of the channel operator's own
templates, as are the French labels among the aliases in `locale/`. Names of the legacy interface
are aliases, too (specification, "Versioning" 6).
"""

import re

from msgspec import Struct

from feedtool.areas.products.columns import PROBLEMS
from feedtool.areas.products.columns.prose import Html, Picture, Prose, Title
from feedtool.catalog import Catalog
from feedtool.feeds.columns import ColumnReader, InvalidValue, is_error
from feedtool.feeds.columns.choice import Choice, Retired
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.text import Reference, Text, identified, trimmed, visible
from feedtool.feeds.template import Words
from feedtool.model.cells import Cell, Column, Kind
from feedtool.model.nouns import Issue
from feedtool.model.text import either, tr

CATEGORY_UNKNOWN = PROBLEMS.error("category-unknown")
CATEGORY_LEVEL = PROBLEMS.error("category-level")
CATEGORY_INACTIVE = PROBLEMS.error("category-inactive")
CATEGORY_CODE_CUT = PROBLEMS.warning("category-code-cut")
CATEGORY_PADDED = PROBLEMS.warning("category-padded")
CATEGORY_NOT_SYNCED = PROBLEMS.error("category-not-synced")

LENGTH = 6
"""The characters of a level-3 code."""
LEGACY_LENGTH = 8
_LEGACY = re.compile(r"[0-9A-Z]{8}", re.ASCII)


class CategoryCode(Struct, frozen=True):
    """The code of a level-3 category, in capitals."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        text = identified(cell)
        if not isinstance(text, str):
            return text
        catalog = column.context.catalog(None)
        if catalog is None:  # reported for the whole file
            return text.upper()
        code, warnings = corrected_code(text, catalog, is_number=cell.kind is Kind.NUMBER)
        faults = (*trimmed(cell, text), *warnings, *faults_of(code, catalog))
        value = InvalidValue(code, faults)
        if value.is_refused:
            return value._replace(value=None)
        return value if faults else code


def corrected_code(
    text: str, catalog: Catalog, *, is_number: bool
) -> tuple[str, tuple[Issue, ...]]:
    """Return the code that a text means, and warnings about its correction."""
    code, warnings = text.upper(), list[Issue]()
    lengths = [length for length in (LENGTH, LEGACY_LENGTH) if is_number and len(code) < length]
    padded = (code.zfill(length) for length in lengths)
    if restored := next((item for item in padded if catalog.category(item[:LENGTH])), None):
        warnings.append(
            Issue(CATEGORY_PADDED, tr("leading zeros were put back: {padded}", padded=restored))
        )
        code = restored
    if _LEGACY.fullmatch(code):
        message = tr("{code} is a legacy code: read as {cut}", code=code, cut=code[:LENGTH])
        warnings.append(Issue(CATEGORY_CODE_CUT, message))
        code = code[:LENGTH]
    return code, tuple(warnings)


def faults_of(code: str, catalog: Catalog) -> tuple[Issue, ...]:
    """Return the reason why a category takes no products or cannot be checked; () if none."""
    category = catalog.category(code)
    if category is None:
        near = [_named(item, catalog) for item in catalog.near_categories(code)]
        hint = tr("look for it with `feedtool catalog search`")
        if near:
            hint = tr("did you mean {choice}?", choice=either(near))
        message = tr("the catalogue has no category {code}", code=visible(code))
        return (Issue(CATEGORY_UNKNOWN, message, hint),)
    name = _named(code, catalog)
    if not category.is_active:
        hint = tr("choose another one with `feedtool catalog search`")
        return (Issue(CATEGORY_INACTIVE, tr("{category} is not active", category=name), hint),)
    if not category.takes_products:
        hint = tr("choose one below it: `feedtool catalog show {code}` lists them", code=code)
        message = tr("{category} is of level {level}, not 3", category=name, level=category.level)
        return (Issue(CATEGORY_LEVEL, message, hint),)
    if catalog.properties(code) is None:
        hint = tr("download them with `feedtool catalog sync --category {code}`", code=code)
        message = tr("the properties of {category} are not here", category=name)
        return (Issue(CATEGORY_NOT_SYNCED, message, hint),)
    return ()


def _named(code: str, catalog: Catalog) -> str:
    category = catalog.category(code)
    return f"{code} ({category.label})" if category and category.label else code


BRAND_UNKNOWN = PROBLEMS.warning("brand-unknown")


class BrandName(Text, frozen=True):
    """A brand's name, in the catalogue's spelling if known."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        result = Text.read(self, cell, column)
        value, faults, _ = result if isinstance(result, InvalidValue) else (result, (), "")
        catalog = column.context.catalog(None)
        if not isinstance(value, str) or catalog is None or is_error(faults):
            return result
        known = catalog.brand(value)
        if known:
            value = known.name
        elif any(True for _ in catalog.brands()):  # some catalogues have no brands
            near = catalog.near_brands(value)
            hint = tr("nothing needs to be done")
            if near:
                hint = tr("did you mean {choice}?", choice=either(near))
            message = tr("the catalogue has no brand “{value}”", value=value)
            faults += (Issue(BRAND_UNKNOWN, message, hint),)
        return InvalidValue(value, faults) if faults else value


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
"""The most columns of pictures; the specification gives no limit."""
USUAL_PICTURES = 6

LANGUAGE_TAGS = {"fr": "fr-FR", "en": "en-US", "es": "es-ES"}
"""Tags of the catalogue's languages (specification, "Catalog endpoints")."""
LANGUAGE_SPELLINGS = {
    "fr-FR": ("fr", "fr_FR", "French", "Français", "Francais", "Francés"),
    "en-US": ("en", "en_US", "en-GB", "English", "Anglais", "Inglés"),
    "es-ES": ("es", "es_ES", "Spanish", "Espagnol", "Español"),
}

WORDS = Words("feedtool.areas.products")
_column = WORDS.column


def picture_key(index: int) -> str:
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


PICTURE_COLUMNS = WORDS.group("Pictures", *map(_picture, range(1, MOST_PICTURES + 1)))

TEMPLATE_COLUMNS = (
    *WORDS.group(
        "Identity",
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
    ),
    *WORDS.group(
        "Texts",
        _column(
            TITLE,
            Title(),
            "Title",
            "Plain text on one line, without HTML.",
            tr("Electric kettle 1.7 L, stainless steel"),
        ),
        _column(
            DESCRIPTION,
            Prose(),
            "Description",
            "Plain text, without HTML.",
            tr("Boils a litre in three minutes and switches itself off."),
        ),
    ),
    *PICTURE_COLUMNS[:USUAL_PICTURES],
    *WORDS.group(
        "Classification",
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
            Choice(LANGUAGE_SPELLINGS),
            "Language",
            "Of the texts in this row: fr-FR, en-US or es-ES.",
            "en-US",
        ),
        _column(
            GTIN_REFERENCE,
            Reference(),
            "GTIN reference",
            "What the legacy interface called ProductKind; may stay empty.",
        ),
    ),
    *WORDS.group(
        "Texts",
        _column(
            MARKETING,
            Html(),
            "Marketing description",
            "May be HTML, whose tags must all be closed.",
            tr("<p>Quiet, quick, <strong>safe</strong>.</p>"),
        ),
    ),
    *WORDS.group(
        "Classification",
        _column(
            GROUP,
            Reference(),
            "Variant group",
            "The same for all sizes and colours of a product, where the category has variants; or "
            "the GTIN of one of them that the service has.",
            "SHIRT-7",
        ),
    ),
)
RETIRED = _column("CDAV", Retired(), "CDAV", "Can no longer be submitted.")
UNDERSTOOD_COLUMNS = (*TEMPLATE_COLUMNS, *PICTURE_COLUMNS[USUAL_PICTURES:], RETIRED)
UNDERSTOOD_KEYS = frozenset(column.key for column in UNDERSTOOD_COLUMNS)
