"""The words of headers in eight languages: `words.toml`."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from feedtool.feeds.columns.choice import condition_words
from feedtool.model.own_files import folder_of

DIGITS = frozenset("0123456789")
LINKING = 2
"""The most letters between the parts of a composed word."""
PART = 5
"""Letters from which a word of a group counts inside another word, too."""

LONGEST = 200
"""Characters of a header that are looked at."""
ALONE = "="
"""Before a word that counts alone."""

ANYHOW = ("gross", "sold", "article", "tax", "country")
"""The groups of words that change nothing."""

_ASIDE = re.compile(r"[(\[][^)\]]*[)\]]")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_LETTER = re.compile(r"\b(\w)\.(?=\w)")
_CUT = re.compile(r"\b([^\W\d_]{3,})\.")
"""A word cut off, as in `Fourn.`"""
_COUNTED = re.compile(r"(?<![^\W\d_])((?!ean)[^\W\d_]{2,})[1-5](?![^\W_])")
"""A word with a number, as in `VK1`."""
_NR = re.compile(r"(?<=[a-z]{3})nr$")
_LETTERS = str.maketrans({"ł": "l", "Ł": "L", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class HeaderWords(NamedTuple):
    """A header as it is compared."""

    text: str
    """Its words in lower case without accents, abbreviations spelt out."""
    bare: str
    """The same without what stands in brackets."""
    telling: tuple[str, ...]
    """Its words, but those that say nothing."""
    is_percent: bool
    groups: frozenset[str]
    """The groups of which it has a word."""


class Concept(NamedTuple):
    """A sort of column."""

    name: str
    keys: tuple[str, ...]
    """Of the kinds of feed that know it; none where it is of no use here."""
    names: tuple[str, ...]
    groups: tuple[frozenset[str], ...]
    """A header that has a word of each group of one of these is called like it."""
    never: frozenset[str]
    """The groups whose words speak against it."""
    most: float
    """How sure its name alone can be."""
    doubt: str = ""
    """Why it is to be asked for."""

    @property
    def is_amount(self) -> bool:
        """True if a header with a word for a price may be one."""
        return any({"price", "money", "eco", "sold"} & groups for groups in self.groups)


@cache
def concepts() -> tuple[Concept, ...]:
    """Every sort of column."""
    return tuple(
        Concept(
            entry["name"],
            tuple(entry["keys"]),
            tuple(dict.fromkeys(_spelt_out(plain(name)) for name in entry["names"])),
            tuple(frozenset(groups.split()) for groups in entry.get("groups", ())),
            frozenset(entry.get("never", ())),
            entry.get("most", 100),
            entry.get("doubt", ""),
        )
        for entry in _tables()["concept"]
    )


@cache
def conditions() -> Mapping[str, str]:
    """Words for a condition → its value; "" for a word of several meanings.

    They are spelt as `plain` spells a text.
    """
    return {plain(text): value for text, value in condition_words().items()}


@cache
def states() -> frozenset[str]:
    """What says that something is so, and nothing of a product's condition."""
    return frozenset(_tables()["states"]["words"])


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads((folder_of(__package__) / "words.toml").read_text("utf-8"))


@cache
def _abbreviations() -> Mapping[str, str]:
    abbreviations: Mapping[str, str] = _tables()["abbreviations"]
    return abbreviations


def plain(text: str) -> str:
    """HeaderWords in lower case, without accents and punctuation."""
    text = _LETTER.sub(r"\1", text).replace("%", " percent ")
    text = _CAMEL.sub(" ", text.translate(_LETTERS)).casefold().translate(_UMLAUTS)
    text = _COUNTED.sub(r"\1", text)
    apart = unicodedata.normalize("NFKD", text)
    letters = (
        letter if letter.isalnum() else " " for letter in apart if not unicodedata.combining(letter)
    )
    return " ".join("".join(letters).split())


def words_of(header: str) -> HeaderWords:
    """A header as it is compared."""
    return _words_of(header[:LONGEST])


@lru_cache(8192)
def _words_of(header: str) -> HeaderWords:
    header = _CUT.sub(lambda match: f"{_longer(plain(match[1]))} ", header)
    text = _spelt_out(plain(header))
    outside = _spelt_out(plain(_ASIDE.sub(" ", header))) or text
    return HeaderWords(text, outside, telling(text), "%" in header, groups_in(text))


def telling(text: str) -> tuple[str, ...]:
    """The words of a text, but those that say nothing."""
    noise = _tables()["groups"]["noise"]
    return tuple(
        word
        for word in text.split()
        if word not in noise and not (word.isdigit() and len(word) == 1)
    )


@lru_cache(8192)
def groups_in(text: str) -> frozenset[str]:
    """The groups of which a text has a word."""
    groups = _tables()["groups"]
    found = {name for name, words in groups.items() if has_word(text, words)}
    return frozenset(found - {"net"} if "gross" in found else found)


def has_word(text: str, words: list[str]) -> bool:
    """True if a text has one of some words, or a word of which a long one is part."""
    padded = f" {text} "
    return any(
        f" {word.removeprefix(ALONE)} " in padded or (len(word) >= PART and word in text)
        for word in words
    )


def words_left(words: HeaderWords, groups: frozenset[str]) -> int:
    """The number of telling words of a header that are of none of these groups."""
    known = [word for name in {*groups, *ANYHOW} for word in _tables()["groups"][name]]
    return sum(not _is_made_of(word, known) for word in words.telling)


def _is_made_of(word: str, known: Sequence[str]) -> bool:
    """True if a word is one of some words, or composed of them."""
    rest = word
    for part in known:
        if part.removeprefix(ALONE) == word:
            return True
        if len(part) >= PART:
            rest = rest.replace(part, "")
    return not word.isdigit() and len(rest) <= LINKING


def _longer(start: str) -> str:
    """The word that begins so, and stands in the most names; the start itself if it is known."""
    if start in _abbreviations():
        return start
    words = _vocabulary()
    longer = [word for word in words if word.startswith(start)]
    return max(longer, key=lambda word: (word == start, words[word], -len(word)), default=start)


@cache
def _vocabulary() -> Mapping[str, int]:
    return Counter(
        word for concept in concepts() for name in concept.names for word in name.split()
    )


def _spelt_out(text: str) -> str:
    known = _abbreviations()
    whole = known.get(text.replace(" ", ""))
    return whole or " ".join(known.get(word) or _NR.sub("nummer", word) for word in text.split())
