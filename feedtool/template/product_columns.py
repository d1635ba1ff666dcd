"""The fields that products of every category have (specification, "Catalog endpoints")."""

from feedtool.columns.choice import Choice
from feedtool.columns.gtin import Gtin
from feedtool.columns.text import Reference, Text
from feedtool.feeds import Column

GTIN = "gtin"
BRAND = "brand"
CATEGORY = "categoryCode"
LANGUAGE = "language"
GROUP = "variantGroupReference"
PICTURES = 6

LANGUAGE_TAGS = ("fr-FR", "en-US", "es-ES")


def _picture(index: int) -> Column:
    return Column(
        f"sellerPictureUrls_{index}",
        Text(),
        (f"Picture {index}", f"Image {index}", f"Imagen {index}"),
        (
            "The web address (https) of a picture: jpg, png, gif, bmp or webp.",
            "L'adresse web (https) d'une image : jpg, png, gif, bmp ou webp.",
            "La dirección web (https) de una imagen: jpg, png, gif, bmp o webp.",
        ),
        f"https://example.com/{index}.jpg",
    )


COMMON_COLUMNS = (
    Column(
        GTIN,
        Gtin(),
        ("GTIN (EAN)", "EAN/GTIN", "Código EAN/GTIN"),
        ("8, 12, 13 or 14 digits.", "8, 12, 13 ou 14 chiffres.", "8, 12, 13 o 14 cifras."),
        "4006381333931",
    ),
    Column(
        "sellerProductReference",
        Reference(),
        ("Your product reference", "Votre référence produit", "Su referencia de producto"),
        (
            "Your own reference of the product, unique among yours.",
            "Votre référence du produit, unique parmi les vôtres.",
            "Su referencia del producto, única entre las suyas.",
        ),
        "SKU-1001",
    ),
    Column(
        "title",
        Text(),
        ("Title", "Titre", "Título"),
        (
            "What the product is, in up to 132 characters, without HTML.",
            "Ce qu'est le produit, en 132 caractères au plus, sans HTML.",
            "Qué es el producto, en 132 caracteres como máximo, sin HTML.",
        ),
        "",
    ),
    Column(
        "description",
        Text(),
        ("Description", "Description", "Descripción"),
        (
            "Up to 2,000 characters, without HTML.",
            "2 000 caractères au plus, sans HTML.",
            "2000 caracteres como máximo, sin HTML.",
        ),
        "",
    ),
    *(_picture(index) for index in range(1, PICTURES + 1)),
    Column(
        BRAND,
        Text(),
        ("Brand", "Marque", "Marca"),
        (
            "As it is written in the catalogue; an unknown brand is added.",
            "Comme elle s'écrit dans le catalogue ; une marque inconnue est ajoutée.",
            "Como se escribe en el catálogo; una marca desconocida se añade.",
        ),
        "",
    ),
    Column(
        CATEGORY,
        Text(),
        ("Category code", "Code catégorie", "Código de categoría"),
        (
            "The code of the product's category.",
            "Le code de la catégorie du produit.",
            "El código de la categoría del producto.",
        ),
        "",
    ),
    Column(
        LANGUAGE,
        Choice(dict.fromkeys(LANGUAGE_TAGS, ())),
        ("Language", "Langue", "Idioma"),
        (
            "The language of this row's texts.",
            "La langue des textes de cette ligne.",
            "El idioma de los textos de esta fila.",
        ),
        "",
    ),
    Column(
        "gtinReference",
        Text(),
        ("GTIN reference", "Référence GTIN", "Referencia GTIN"),
        (
            "A reference of the GTIN's own, where there is one.",
            "Une référence propre au GTIN, s'il y en a une.",
            "Una referencia propia del GTIN, si la hay.",
        ),
        "",
    ),
    Column(
        "richMarketingDescription",
        Text(),
        ("Marketing description (HTML)", "Description marketing (HTML)", "Descripción (HTML)"),
        (
            "HTML, up to 5,000 characters.",
            "HTML, 5 000 caractères au plus.",
            "HTML, 5000 caracteres como máximo.",
        ),
        "",
    ),
    Column(
        GROUP,
        Text(),
        ("Variant group", "Groupe de variantes", "Grupo de variantes"),
        (
            "A reference that all variants of one product share.",
            "Une référence que toutes les variantes d'un produit partagent.",
            "Una referencia que comparten todas las variantes de un producto.",
        ),
        "",
    ),
)

ALWAYS = frozenset(
    (GTIN, "sellerProductReference", "title", "description", "sellerPictureUrls_1", CATEGORY)
)
"""What every new product has ("Catalog", common data); the brand depends on the category."""

RECOMMENDED = frozenset((BRAND, LANGUAGE))
