"""Compare headers by words in eight languages, from `words.toml`."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from feedtool.feeds.columns.choice import condition_words
from feedtool.model.files import folder_of

LINKING = 2
"""The most letters between the parts of a composed word."""
PART = 5
"""The letters from which a word of a group also counts inside another word."""

LONGEST = 200
"""The most characters of a header to examine."""
PHRASE = 3
"""The most words of an entry of a group."""
ALONE = "="
"""The sign before a word that does not count inside another word."""

ANYHOW = ("gross", "sold", "article", "tax", "country")
"""The groups of words that do not matter."""

_ASIDE = re.compile(r"[(\[][^)\]]*[)\]]")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_LETTER = re.compile(r"\b(\w)\.(?=\w)")
_CUT = re.compile(r"\b([^\W\d_]{3,})\.")
"""An abbreviated word, as in `Fourn.`"""
_COUNTED = re.compile(r"(?<![^\W\d_])((?!ean)[^\W\d_]{2,})[1-5](?![^\W_])")
"""A word with a number, as in `VK1`."""
_NR = re.compile(r"(?<=[a-z]{3})nr$")
_LETTERS = str.maketrans({"ł": "l", "Ł": "L", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


class HeaderWords(NamedTuple):
    """The words of a header, for comparison."""

    text: str
    """The words in lower case without accents, abbreviations spelt out."""
    bare: str
    """The text without parts in brackets."""
    significant: tuple[str, ...]
    """The words without those that mean nothing."""
    is_percent: bool
    groups: frozenset[str]
    """The groups with a word in the header."""


class Concept(NamedTuple):
    """A meaning of a column."""

    name: str
    keys: tuple[str, ...]
    """Its keys in the kinds of feed; none if feedtool has no use for it."""
    names: tuple[str, ...]
    groups: tuple[frozenset[str], ...]
    """A header with a word of each group of one of these sets is named like it."""
    never: frozenset[str]
    """The groups whose words exclude it."""
    most: float
    """The highest confidence by the name alone."""
    doubt: str = ""
    """The reason for asking the user about it."""

    @property
    def is_amount(self) -> bool:
        """True if a header with a word for a price may mean it."""
        return any({"price", "money", "eco", "sold"} & groups for groups in self.groups)


@cache
def concepts() -> tuple[Concept, ...]:
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
    """Return words for a condition → its value; "" for a word of several meanings.

    The words are spelt as by `plain`.
    """
    return {plain(text): value for text, value in condition_words().items()}


@cache
def states() -> frozenset[str]:
    """Return words for states such as yes or active, which are no conditions of a product."""
    return frozenset(_tables()["states"]["words"])


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads((folder_of(__package__) / "words.toml").read_text("utf-8"))


def plain(text: str) -> str:
    """Return a text in lower case, without accents and punctuation."""
    text = _LETTER.sub(r"\1", text).replace("%", " percent ")
    text = _CAMEL.sub(" ", text.translate(_LETTERS)).casefold().translate(_UMLAUTS)
    text = _COUNTED.sub(r"\1", text)
    apart = unicodedata.normalize("NFKD", text)
    letters = (
        letter if letter.isalnum() else " " for letter in apart if not unicodedata.combining(letter)
    )
    return " ".join("".join(letters).split())


def words_of(header: str) -> HeaderWords:
    return _words_of(header[:LONGEST])


@lru_cache(8192)
def _words_of(header: str) -> HeaderWords:
    header = _CUT.sub(lambda match: f"{_longer(plain(match[1]))} ", header)
    text = _spelt_out(plain(header))
    outside = _spelt_out(plain(_ASIDE.sub(" ", header))) or text
    return HeaderWords(text, outside, significant(text), "%" in header, groups_in(text))


def significant(text: str) -> tuple[str, ...]:
    """Return the words of a text without those that mean nothing."""
    noise = _tables()["groups"]["noise"]
    return tuple(
        word
        for word in text.split()
        if word not in noise and not (word.isdigit() and len(word) == 1)
    )


@lru_cache(8192)
def groups_in(text: str) -> frozenset[str]:
    """Return the groups with an entry in a text, or with a long one inside a word of the text."""
    alone, within = words_of_groups()
    words = text.split()
    phrases = {
        " ".join(words[start : start + length])
        for start in range(len(words))
        for length in range(1, PHRASE + 1)
    }
    matches = frozenset(name for phrase in phrases & alone.keys() for name in alone[phrase])
    matches = matches.union(name for word, name in within if word in text)
    return matches - {"net"} if "gross" in matches else matches


@cache
def words_of_groups() -> tuple[Mapping[str, Sequence[str]], Sequence[tuple[str, str]]]:
    """Return the groups of each entry; and the entries that count inside words, with a group."""
    alone: dict[str, list[str]] = {}
    within: list[tuple[str, str]] = []
    for name, words in _tables()["groups"].items():
        for word in words:
            alone.setdefault(word.removeprefix(ALONE), []).append(name)
            if len(word) >= PART and not word.startswith(ALONE):
                within.append((word, name))
    return alone, within


def words_left(words: HeaderWords, groups: frozenset[str]) -> int:
    """Return the number of significant words of a header that are in none of these groups."""
    known = [word for name in {*groups, *ANYHOW} for word in _tables()["groups"][name]]
    return sum(not _is_made_of(word, known) for word in words.significant)


def _is_made_of(word: str, known: Sequence[str]) -> bool:
    """Return True if a word is one of some words, or composed of them."""
    rest = word
    for part in known:
        if part.removeprefix(ALONE) == word:
            return True
        if len(part) >= PART:
            rest = rest.replace(part, "")
    return not word.isdigit() and len(rest) <= LINKING


def _longer(start: str) -> str:
    """Return the most frequent word with this start; the start itself if it is known."""
    if start in _tables()["abbreviations"]:
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
    known: Mapping[str, str] = _tables()["abbreviations"]
    whole = known.get(text.replace(" ", ""))
    return whole or " ".join(known.get(word) or _NR.sub("nummer", word) for word in text.split())
