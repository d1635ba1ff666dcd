"""Find the header of a sheet, and the meaning of its columns."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from itertools import chain, pairwise, starmap
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.check.recipes.recipe import channel_column
from feedtool.feeds.feed import CHANNEL, Layout
from feedtool.model.cells import LONGEST, Cell, Column, Header, Kind, folded, letters
from feedtool.model.errors import FileProblem
from feedtool.model.settings import AccountSettings
from feedtool.model.text import LANGUAGES, FieldName, MessageText, tr

# Find the column that a header means.


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
_BRACKET = re.compile(r"[(\[\]]")
"""A header with a bracket may have a footnote, or a channel."""
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
        """The headings of feedtool's own columns, folded."""
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

    def known(self, header: str) -> KnownHeader | None:
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
        result = {index: known for index, text in texts.items() if (known := self.known(text))}
        keys = {known.column.key for known in result.values()}
        for index, text in texts.items():
            if index not in result and ("(" in text or "[" in text):
                known = self.known(_FOOTNOTE.sub("", text))
                if known and known.column.key not in keys:
                    result[index] = known
        return {
            index: known for index, known in result.items() if folded(texts[index]) not in self.own
        }

    def knows(self, header: str) -> bool:
        """Return True if a header means a column, or is a heading of feedtool."""
        return folded(header) in self.own or self.known(header) is not None

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
        if folded(text) in self._whole or _BRACKET.search(text):
            return True
        name = bare(text)
        return name in self._whole or name.startswith(self._starts)


SEARCHED = 40
"""The number of first non-blank rows of a sheet in which the header is searched."""
ENOUGH = 2
"""The least number of known headers in a header row; one alone may be a word in a title."""

HeadRow = tuple[int, Sequence[Cell]]
"""A row's number and its cells from column A."""


class NoRows(FileProblem):
    """The sheet has no row below its header."""

    code = "no-rows"


class HeaderNotFound(FileProblem):
    """No row looks like a header."""

    code = "header-not-found"


class HeaderDuplicate(FileProblem):
    """Two columns have the same meaning."""

    code = "header-duplicate"


class SheetAmbiguous(FileProblem):
    """Several sheets are possible."""

    code = "sheet-ambiguous"


class TextRow(NamedTuple):
    """A row that may be the header."""

    row: int
    texts: Mapping[int, str]
    """0-based index → text of the cells with a text."""


class _HeaderRows(NamedTuple):
    """One row or two rows as a header, before a family is chosen."""

    row: int
    texts: Mapping[int, str]
    alone: Mapping[int, str]
    """Texts of the lower row below a blank: each may be a header alone, without a text above."""

    def among(self, vocabulary: Vocabulary) -> "_HeaderRows":
        """Return the part that any family may know."""
        known = vocabulary.among(chain(self.texts.values(), self.alone.values()))
        alone = {index: text for index, text in self.alone.items() if text in known}
        texts = {
            index: text for index, text in self.texts.items() if text in known or index in alone
        }
        return self._replace(texts=texts, alone=alone)

    def of(self, names: Names) -> TextRow:
        """Return the header for a family; it takes a lower text alone that it knows only so."""
        alone = {
            index: text
            for index, text in self.alone.items()
            if names.knows(text) and not names.knows(self.texts[index])
        }
        return TextRow(self.row, {**self.texts, **alone})


class Candidates:
    """The candidates for the header: the first rows of a sheet, and pairs of adjacent rows."""

    def __init__(self, head: Sequence[HeadRow], several: Iterable[Names]) -> None:
        """`several` are the names of all possible families."""
        self._rows = [TextRow(number, header_texts(cells)) for number, cells in head]
        pairs = [pair for pair in pairwise(self._rows) if pair[0].row + 1 == pair[1].row]
        rows = [*(_HeaderRows(*row, {}) for row in self._rows), *starmap(_joined, pairs)]
        vocabulary = Vocabulary(several)
        known = ((row, row.among(vocabulary)) for row in rows)
        self._known = [(row, part) for row, part in known if part.texts]
        """The candidates with known headers: the whole row, and the part that a family may know."""
        self._scored: dict[Names, list[tuple[int, int]]] = {}
        """The scores of these candidates, by a family's names."""

    def most_known(self, names: Names) -> int:
        """Return the number of known columns in the row that `find` would choose."""
        return max(self._scores(names), default=(0, 0))[0]

    def _scores(self, names: Names) -> list[tuple[int, int]]:
        if names not in self._scored:
            self._scored[names] = [_score(part.of(names), names) for _, part in self._known]
        return self._scored[names]

    def find(self, names: Names, enough: int = ENOUGH) -> Header | None:
        """Return the header: the row with the most known columns.

        Exact keys decide between a row for people and a technical row below it. Two rows may make
        one header, as when a delivery mode's name is above its two amounts. None if no row has
        `enough` known headers.

        Raises:
            HeaderDuplicate: two columns of the row have the same meaning.
        """
        scores = self._scores(names)
        most = max(scores, default=(0, 0))
        if most[0] < enough:
            return None
        best = self._known[scores.index(most)][0].of(names)
        after = best.row
        for row in self._rows:  # rows of asides, or with most headers again, are no data
            if row.row == after + 1 and (
                is_aside(row.texts.values()) or 2 * _score(row, names)[0] > most[0]
            ):
                after = row.row
        return _understand(best, after, names)


def with_layout(header: Header, layout: Layout, head: Sequence[HeadRow], names: Names) -> Header:
    """Return a header with the facts in the rows around it."""
    labels = next((header_texts(cells) for number, cells in head if number == header.row - 1), {})
    # The row above has labels for people if the header has keys.
    keys = [index for index, known in header.columns.items() if header.texts[index] == known.key]
    has_keys = 2 * len(keys) > len(header.columns)
    has_labels = has_keys and 2 * len(labels.keys() & keys) > len(keys)
    if not (has_labels or any(layout)):
        return header
    added = {index for index, text in labels.items() if has_labels and folded(text) in names.own}
    return replace(
        header,
        headings=header.row - 1 if has_labels else 0,
        after=layout.after or header.after,
        own=header.own | added,
        labels={i: text for i, text in labels.items() if has_labels and i not in added},
        stamp={**layout.stamp, **header.stamp},
    )


def read_again(header: Header, names: Names) -> Header:
    """Return a header after a new look at all its columns, now that more columns are known.

    Raises:
        HeaderDuplicate: two columns of the row have the same meaning.
    """
    result = _understand(TextRow(header.row, header.texts), header.after, names)
    return replace(
        result,
        own=result.own | header.own,
        headings=header.headings,
        labels=header.labels,
        stamp=header.stamp,
    )


def with_new_columns(header: Header, names: Names) -> Header:
    """Return a header with more known columns; the known ones stay.

    Raises:
        HeaderDuplicate: two columns of the row have the same meaning.
    """
    texts = {index: header.texts[index] for index, _ in header.unknown}
    more = _understand(TextRow(header.row, texts), header.after, names)
    return replace(
        header,
        columns=dict(sorted({**header.columns, **more.columns}.items())),
        unknown=tuple(pair for pair in header.unknown if pair[0] not in more.columns),
        reasons={**header.reasons, **more.reasons},
    )


def header_texts(cells: Sequence[Cell]) -> dict[int, str]:
    """Return the header texts; an error in a cell is no header.

    Only the beginning of a very long text is read.
    """
    return {
        index: " ".join(cell.text[: LONGEST + 1].split())
        for index, cell in enumerate(cells)
        if cell.kind in (Kind.TEXT, Kind.NUMBER) and cell.text.strip()
    }


def _joined(upper: TextRow, lower: TextRow) -> _HeaderRows:
    """Join two rows into one header: a text over several columns belongs to each column below."""
    texts = dict(upper.texts)
    over = ""
    for index in range(max((*upper.texts, *lower.texts), default=-1) + 1):
        below = lower.texts.get(index)
        over = upper.texts.get(index) or (over if below else "")
        if below:
            texts[index] = f"{over} {below}".strip()
    alone = {index: text for index, text in lower.texts.items() if index not in upper.texts}
    return _HeaderRows(lower.row, texts, alone)


def joined_rows(upper: TextRow, lower: TextRow) -> TextRow:
    """Join two rows into the header of a merchant's own sheet, whose names are unknown.

    A header is the text of the lower row, preceded by the text above it if another column has the
    same. If the lower row is blank, as below a cell merged downwards, it is the text above.
    """
    counts = Counter(map(folded, lower.texts.values()))
    distinct = {index: text for index, text in lower.texts.items() if counts[folded(text)] == 1}
    return TextRow(lower.row, {**_joined(upper, lower).texts, **distinct})


def _score(row: TextRow, names: Names) -> tuple[int, int]:
    """Return the number of distinct known columns in a row, and the number known by their key."""
    known = {known.column.key for known in names.in_row(row.texts).values()}
    return len(known), len(known.intersection(row.texts.values()))


def _understand(row: TextRow, after: int, names: Names) -> Header:
    """Return the header that a row's texts make; HeaderDuplicate for two of one meaning."""
    number, texts = row
    known = names.in_row(texts)
    seen: dict[str, int] = {}
    feedtool_columns = frozenset(i for i, text in texts.items() if folded(text) in names.own)
    for index in sorted(known):
        key = known[index].column.key
        if key in seen:
            first = seen[key]
            raise HeaderDuplicate(
                tr(
                    "“{first}” in column {column} and “{second}” in column {other} both mean "
                    "{field}",
                    first=texts[first],
                    column=letters(first),
                    second=texts[index],
                    other=letters(index),
                    field=FieldName(key),
                ),
                tr("remove or rename one of them"),
            )
        seen[key] = index
    unknown = tuple(
        (index, names.nearest(text))
        for index, text in texts.items()
        if index not in known and index not in feedtool_columns
    )
    columns = {index: known[index].column for index in sorted(known)}
    reasons = {index: known[index].reason for index in columns}
    return Header(number, after, columns, texts, unknown, feedtool_columns, reasons)
