"""What a product integration report says: part "Product integration report item".

The specification shows `{code, field, message, type}` but no list of codes; these are named for
what they mean, as is `QuotaExceeded`, the one that the field knows.
"""

from __future__ import annotations

from typing import NamedTuple

from feedtool.sandbox.messages import LANGUAGES


class Finding(NamedTuple):
    """Something to be told about a submitted product."""

    code: str
    field: str | None = None
    """A common field's name or a propertyReference; None for the product as a whole."""
    value: str = ""
    """What the message quotes."""


class Meaning(NamedTuple):
    """What a code says."""

    type: str
    """Error, Info or Warning."""
    texts: tuple[str, str, str]
    """In the order of `messages.LANGUAGES`; `{}` stands for the value."""


def _error(*texts: str) -> Meaning:
    english, french, spanish = texts
    return Meaning("Error", (english, french, spanish))


MEANINGS: dict[str, Meaning] = {
    "GtinInvalid": _error(
        "The GTIN {} is not valid.",
        "Le GTIN {} n'est pas valide.",
        "El GTIN {} no es válido.",
    ),
    "FieldMissing": _error(
        "This field is required to create the product.",
        "Ce champ est obligatoire pour créer le produit.",
        "Este campo es obligatorio para crear el producto.",
    ),
    "MandatoryPropertyMissing": _error(
        "The property {} is mandatory in this category: the creation is denied.",
        "La propriété {} est obligatoire dans cette catégorie : la création est refusée.",
        "La propiedad {} es obligatoria en esta categoría: se deniega la creación.",
    ),
    "ReferenceInvalid": _error(
        "The seller product reference is too long or holds characters that are not allowed.",
        "La référence vendeur est trop longue ou contient des caractères interdits.",
        "La referencia del vendedor es demasiado larga o contiene caracteres no permitidos.",
    ),
    "ReferenceUsed": _error(
        "The seller product reference is already used for the GTIN {}.",
        "La référence vendeur est déjà utilisée pour le GTIN {}.",
        "La referencia del vendedor ya se usa para el GTIN {}.",
    ),
    "LanguageUnknown": _error(
        "The language {} is not one of fr-FR, en-US, es-ES.",
        "La langue {} ne fait pas partie de fr-FR, en-US, es-ES.",
        "El idioma {} no es uno de fr-FR, en-US, es-ES.",
    ),
    "CategoryUnknown": _error(
        "The category {} does not exist.",
        "La catégorie {} n'existe pas.",
        "La categoría {} no existe.",
    ),
    "CategoryInactive": _error(
        "The category {} is not active.",
        "La catégorie {} n'est pas active.",
        "La categoría {} no está activa.",
    ),
    "CategoryLevel": _error(
        "The category {} is not of level 3: it takes no products.",
        "La catégorie {} n'est pas de niveau 3 : elle n'accepte pas de produits.",
        "La categoría {} no es de nivel 3: no admite productos.",
    ),
    "HtmlNotAllowed": _error(
        "This field takes plain text, no HTML.",
        "Ce champ n'accepte que du texte, sans HTML.",
        "Este campo solo admite texto, sin HTML.",
    ),
    "PictureInvalid": _error(
        "The picture {} must be an https address of a jpg, png, gif, bmp or webp file.",
        "L'image {} doit être l'adresse https d'un fichier jpg, png, gif, bmp ou webp.",
        "La imagen {} debe ser la dirección https de un archivo jpg, png, gif, bmp o webp.",
    ),
    "PictureIndex": _error(
        "The indexes of the pictures must be different numbers from 1.",
        "Les index des images doivent être des nombres différents à partir de 1.",
        "Los índices de las imágenes deben ser números distintos a partir de 1.",
    ),
    "PropertyRetired": _error(
        "The property {} can no longer be submitted.",
        "La propriété {} ne peut plus être soumise.",
        "La propiedad {} ya no se puede enviar.",
    ),
    "ChoiceUnknown": _error(
        "{} is not one of the choices of this property.",
        "{} ne fait pas partie des choix de cette propriété.",
        "{} no es una de las opciones de esta propiedad.",
    ),
    "NumberInvalid": _error(
        "{} is not a number.", "{} n'est pas un nombre.", "{} no es un número."
    ),
    "OneValueOnly": _error(
        "This property takes one value only.",
        "Cette propriété n'accepte qu'une seule valeur.",
        "Esta propiedad solo admite un valor.",
    ),
    "FileExpected": _error(
        "This property takes files of the types {}, by https address.",
        "Cette propriété attend des fichiers de type {}, par adresse https.",
        "Esta propiedad espera archivos de tipo {}, por dirección https.",
    ),
    "FileNotAllowed": _error(
        "This property takes no files.",
        "Cette propriété n'accepte pas de fichiers.",
        "Esta propiedad no admite archivos.",
    ),
    "VariantNotAllowed": _error(
        "The category {} has no variant products.",
        "La catégorie {} n'admet pas de produits variants.",
        "La categoría {} no admite productos variantes.",
    ),
    "VariantIncomplete": _error(
        "A variant needs its size, its color and its group.",
        "Un produit variant exige sa taille, sa couleur et son groupe.",
        "Una variante necesita su talla, su color y su grupo.",
    ),
    "VariantGroupCategory": _error(
        "The group {} belongs to another category.",
        "Le groupe {} appartient à une autre catégorie.",
        "El grupo {} pertenece a otra categoría.",
    ),
    "VariantDouble": _error(
        "The GTIN {} has the same size and color in this group.",
        "Le GTIN {} a la même taille et la même couleur dans ce groupe.",
        "El GTIN {} tiene la misma talla y el mismo color en este grupo.",
    ),
    "QuotaExceeded": _error(
        "The quota of {} creations is used up.",
        "Le quota de {} créations est épuisé.",
        "La cuota de {} creaciones está agotada.",
    ),
    "ValueAlreadyKnown": Meaning(
        "Info",
        (
            "The product sheet has another value, which is kept.",
            "La fiche produit a une autre valeur, qui est conservée.",
            "La ficha de producto tiene otro valor, que se conserva.",
        ),
    ),
    "EnrichmentDenied": Meaning(
        "Info",
        (
            "The product sheet is closed: the value is ignored.",
            "La fiche produit est fermée : la valeur est ignorée.",
            "La ficha de producto está cerrada: el valor se ignora.",
        ),
    ),
    "BrandAdded": Meaning(
        "Info",
        (
            "The brand {} was unknown and has been added.",
            "La marque {} était inconnue et a été ajoutée.",
            "La marca {} era desconocida y se ha añadido.",
        ),
    ),
    "PropertyUnknown": Meaning(
        "Warning",
        (
            "The category {} has no such property: it is ignored.",
            "La catégorie {} n'a pas cette propriété : elle est ignorée.",
            "La categoría {} no tiene esta propiedad: se ignora.",
        ),
    ),
    "TextLong": Meaning(
        "Warning",
        (
            "The text has more than {} characters and may be cut when it is shown.",
            "Le texte dépasse {} caractères et peut être coupé à l'affichage.",
            "El texto supera {} caracteres y puede cortarse al mostrarse.",
        ),
    ),
    "PictureIgnored": Meaning(
        "Warning",
        (
            "Only the first {} pictures are shown.",
            "Seules les {} premières images sont affichées.",
            "Solo se muestran las {} primeras imágenes.",
        ),
    ),
}


def is_error(finding: Finding) -> bool:
    """Whether it refuses the product."""
    return MEANINGS[finding.code].type == "Error"


def finding_document(finding: Finding, language: str) -> dict[str, str | None]:
    """A finding as a report shows it."""
    meaning = MEANINGS[finding.code]
    text = meaning.texts[LANGUAGES.index(language)]
    return {
        "code": finding.code,
        "field": finding.field,
        "message": text.replace("{}", finding.value),
        "type": meaning.type,
    }
