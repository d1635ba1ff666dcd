"""What headers are called in seven languages: `words.toml`."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

NET = frozenset(
    (
        *("ht", "hors taxe", "hors taxes", "htva", "excl", "ex vat", "exvat", "excluding", "netto"),
        *("net", "neto", "sin iva", "s iva", "sem iva", "senza iva", "iva esclusa", "exkl", "ohne"),
        *("zzgl", "esclusa", "liquido", "hors tva", "without", "ex tax", "excl tax", "ex btw"),
    )
)
GROSS = frozenset(
    (
        *("ttc", "tvac", "incl", "inc", "including", "inkl", "brutto", "bruto", "ivato", "con iva"),
        *("com iva", "iva incluido", "iva inclusa", "gross", "toutes taxes comprises", "inclusa"),
        *("iva incl", "c iva", "lordo", "incluido", "with tax"),
    )
)
"""Words of a header that say whether tax is in an amount."""

_ASIDE = re.compile(r"[(\[][^)\]]*[)\]]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS = str.maketrans({"ł": "l", "Ł": "L", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class HeaderWords(NamedTuple):
    """A header as it is compared."""

    text: str
    """Its words in lower case without accents, abbreviations spelt out."""
    bare: str
    """The same without what stands in brackets, and without what is said of tax."""
    is_net: bool
    is_gross: bool
    is_percent: bool


class Concept(NamedTuple):
    """A sort of column."""

    name: str
    keys: tuple[str, ...]
    """Of the kinds of feed that know it; none where it is of no use here."""
    names: tuple[str, ...]


@cache
def concepts() -> tuple[Concept, ...]:
    """Every sort of column."""
    return tuple(
        Concept(entry["name"], tuple(entry["keys"]), tuple(map(plain, entry["names"])))
        for entry in _tables()["concept"]
    )


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))


@cache
def _abbreviations() -> Mapping[str, str]:
    abbreviations: Mapping[str, str] = _tables()["abbreviations"]
    return abbreviations


def plain(text: str) -> str:
    """Words in lower case, without accents and punctuation."""
    text = _CAMEL.sub(" ", text.translate(_LETTERS)).casefold().translate(_UMLAUTS)
    apart = unicodedata.normalize("NFKD", text)
    letters = (
        letter if letter.isalnum() else " " for letter in apart if not unicodedata.combining(letter)
    )
    return " ".join("".join(letters).split())


def words_of(header: str) -> HeaderWords:
    """A header as it is compared."""
    text = _spelt_out(plain(header))
    outside = _spelt_out(plain(_ASIDE.sub(" ", header))) or text
    padded = f" {text} "
    is_net = any(f" {word} " in padded for word in NET)
    is_gross = any(f" {word} " in padded for word in GROSS)
    return HeaderWords(text, outside, is_net, is_gross, "%" in header)


def _spelt_out(text: str) -> str:
    known = _abbreviations()
    whole = known.get(text.replace(" ", ""))
    return whole or " ".join(known.get(word, word) for word in text.split())
