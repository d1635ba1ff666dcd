"""Find the column that a header means.

A header is known by its key, by a label of feedtool's templates in any language, by an alias, or by
the seller's own name (the profile's `[columns]`). All are compared without case, blanks, accents
and punctuation.
"""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from feedtool.check.recipes.channels import channel_column
from feedtool.feeds.feed import CHANNEL
from feedtool.model.header import LONGEST, Column, folded
from feedtool.model.settings import AccountSettings
from feedtool.model.text import LANGUAGES, MessageText, tr

_NEED = (
    "facultati(?:f|v[aeo])s?|optionnel(?:le)?s?|obligatoires?|obligatori[ao]s?|opcional(?:es)?"
    "|optional|mandatory|compulsory"
)
_WANTED = "required|requis(?:e|es)?|requerid[ao]s?"
"""Words that may also be part of a name, as in `Required stock`."""
_ASIDES = re.compile(
    rf"""[(\[] \s* \d{{1,2}} \s* [)\]] (?=\W{{0,9}}\w)  # a footnote, but see `_FOOTNOTE`
    | [\u00b2\u00b3\u00b9\u2070-\u2079]+
    | \b (?:{_NEED}) \b
    | [(\[] \W{{0,9}} (?:{_WANTED}) \W{{0,9}} [)\]]
    | ^ \W{{0,9}} (?:{_WANTED}) \s{{0,9}} [-:\u2013\u2014/|]
    | \b (?:{_WANTED}) \W* $""",
    re.IGNORECASE | re.VERBOSE,
)
"""Additions to a column's name in the templates of operators."""
_MAY_BE_ASIDE = re.compile("facult|oblig|option|opcion|mandat|compuls|requi|requer")
_FOOTNOTE = re.compile(r"(?:[(\[]\s*\d{1,2}\s*[)\]]\W*)+$")
"""A footnote at the end. `Stock (2)` beside `Stock` is another stock, and is not known."""
_MAY_BE_MORE = re.compile(r"[(\[\]]")
"""Brackets in a header with a footnote, or with a channel."""
_ANY_WORDS = "…"
"""The placeholder for any words in an alias."""


def is_aside(texts: Iterable[str]) -> bool:
    """Return True if all texts only say that columns are required or optional."""
    beginnings = [text[:LONGEST] for text in texts]
    return any(map(_ASIDES.search, beginnings)) and not any(map(bare, beginnings))


@lru_cache(8192)  # each family of sheets needs the same headers
def bare(header: str) -> str:
    """Return a header folded, without additions; these are removed twice, as they may be nested."""
    plain = folded(header)
    if header.isascii() and not ("(" in header or "[" in header or _MAY_BE_ASIDE.search(plain)):
        return plain  # most cells of a sheet do not need the slow pattern
    return folded(_ASIDES.sub(" ", _ASIDES.sub(" ", header)))


class Why(Enum):
    """The reasons why a header means a column."""

    KEY = "key"
    CHANNEL = "channel"
    LABEL = "label"
    ALIAS = "alias"
    PROFILE = "profile"


class KnownHeader(NamedTuple):
    """The column that a header means, and the reason."""

    column: Column
    why: Why
    name: str = ""
    """The language of the label, or the alias."""

    @property
    def reason(self) -> MessageText:
        match self.why:
            case Why.KEY:
                return tr("its key")
            case Why.CHANNEL:
                return tr("its key, on a channel")
            case Why.LABEL:
                return tr("its label ({language})", language=self.name)
            case Why.ALIAS:
                return tr("the alias “{alias}”", alias=self.name)
            case Why.PROFILE:
                return tr("the profile's [columns] table")


class Names:
    """All headers that mean a column of one family of feeds."""

    def __init__(
        self, columns: Iterable[Column], settings: AccountSettings, own: Iterable[str]
    ) -> None:
        self.by_key = {column.key: column for column in columns}
        self.own = frozenset(map(folded, own))
        self._has_channels = CHANNEL in self.by_key
        self.by_name: dict[str, KnownHeader] = {}
        """Known headers by the whole folded header."""
        self._by_ends: dict[tuple[str, str], KnownHeader] = {}
        for column in self.by_key.values():
            for label, language in zip(column.labels, LANGUAGES, strict=True):
                self.by_name.setdefault(folded(label), KnownHeader(column, Why.LABEL, language))
            for alias in column.aliases:
                known = KnownHeader(column, Why.ALIAS, alias)
                start, any_words, end = alias.partition(_ANY_WORDS)
                if any_words:
                    self._by_ends[folded(start), folded(end)] = known
                else:
                    self.by_name.setdefault(folded(alias), known)
        self.starts = tuple(start for start, _ in self._by_ends)
        """The beginnings of headers that are known by beginning and end."""
        for key, column in self.by_key.items():  # a key wins over aliases
            self.by_name[folded(key)] = KnownHeader(column, Why.KEY)
        for header, key in settings.columns.items():
            if key in self.by_key:
                self.by_name[folded(header)] = KnownHeader(self.by_key[key], Why.PROFILE)

    def column(self, header: str) -> Column | None:
        known = self._known(header)
        return known and known.column

    def _known(self, header: str) -> KnownHeader | None:
        """Find a header as a whole, else without its additions."""
        if len(header) > LONGEST:
            return None
        known = self.by_name.get(folded(header))
        if known:
            return known
        if self._has_channels and header.endswith("]"):
            column = channel_column(header, self.by_key)
            if column and not column.is_shared:
                return KnownHeader(column, Why.CHANNEL)
        name = bare(header)
        known = self.by_name.get(name)
        if known or not name.startswith(self.starts):
            return known
        return next(
            (
                known
                for (start, end), known in self._by_ends.items()
                if len(name) >= len(start + end) and name.startswith(start) and name.endswith(end)
            ),
            None,
        )

    def in_row(self, texts: Mapping[int, str]) -> dict[int, KnownHeader]:
        """Return 0-based index → known header of a row, without the headings of feedtool.

        A footnote at a header's end is ignored, unless another header of the row means the same
        without a footnote.
        """
        result = {index: known for index, text in texts.items() if (known := self._known(text))}
        keys = {known.column.key for known in result.values()}
        for index, text in texts.items():
            if index not in result and ("(" in text or "[" in text):
                known = self._known(_FOOTNOTE.sub("", text))
                if known and known.column.key not in keys:
                    result[index] = known
        return {
            index: known for index, known in result.items() if folded(texts[index]) not in self.own
        }

    def knows(self, header: str) -> bool:
        """Return True if a header means a column, or is a heading of feedtool."""
        return folded(header) in self.own or self._known(header) is not None

    def nearest(self, header: str) -> str | None:
        """Return the key of the most similar known header, or None."""
        from rapidfuzz import fuzz, process

        known = tuple(self.by_name)
        near = process.extractOne(folded(header), known, scorer=fuzz.ratio, score_cutoff=75)
        return self.by_name[near[0]].column.key if near else None


class Vocabulary:
    """The known headers of several families, to exclude most cells of a sheet quickly."""

    def __init__(self, several: Iterable[Names]) -> None:
        self._whole: set[str] = set()
        self._starts: tuple[str, ...] = ()
        for names in several:
            self._whole.update(names.own, names.by_name)
            self._starts += names.starts

    def among(self, texts: Iterable[str]) -> set[str]:
        return {text for text in set(texts) if self._may_have(text)}

    def _may_have(self, text: str) -> bool:
        if len(text) > LONGEST:
            return False
        if folded(text) in self._whole or _MAY_BE_MORE.search(text):
            return True
        name = bare(text)
        return name in self._whole or name.startswith(self._starts)
