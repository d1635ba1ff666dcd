"""Which row of a sheet is its header, and what each of its columns means.

A header is known by its key, by a label of our templates in any language, by an alias, or by the
seller's own name for it (the profile's `[columns]`), all compared without case, blanks, accents
and punctuation.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from feedtool.check.recipes.channels import channel_column
from feedtool.feeds.feed import CHANNEL, Layout
from feedtool.model.cells import Cell, Kind, letters
from feedtool.model.errors import FileProblem
from feedtool.model.header import LONGEST, Column, Header, folded
from feedtool.model.settings import AccountSettings
from feedtool.model.text import LANGUAGES, FieldName, tr

SEARCHED = 40
"""Non-blank rows of a sheet among which its header is looked for."""
ENOUGH = 2
"""Known headers that make a row a header; one alone may be a word in a title."""

_NEED = (
    "facultati(?:f|v[aeo])s?|optionnel(?:le)?s?|obligatoires?|obligatori[ao]s?|opcional(?:es)?"
    "|optional|mandatory|compulsory"
)
_WANTED = "required|requis(?:e|es)?|requerid[ao]s?"
"""These may also be a part of a name, as in `Required stock`."""
_ASIDES = re.compile(
    rf"""[(\[] \s* \d{{1,2}} \s* [)\]] (?=\W{{0,9}}\w)  # a footnote, but see `_FOOTNOTE`
    | [\u00b2\u00b3\u00b9\u2070-\u2079]+
    | \b (?:{_NEED}) \b
    | [(\[] \W{{0,9}} (?:{_WANTED}) \W{{0,9}} [)\]]
    | ^ \W{{0,9}} (?:{_WANTED}) \s{{0,9}} [-:\u2013\u2014/|]
    | \b (?:{_WANTED}) \W* $""",
    re.IGNORECASE | re.VERBOSE,
)
"""The additions of operators' templates to a label beside the column's name."""
_MAY_BE_ASIDE = re.compile("facult|oblig|option|opcion|mandat|compuls|requi|requer")
_FOOTNOTE = re.compile(r"(?:[(\[]\s*\d{1,2}\s*[)\]]\W*)+$")
"""A footnote at the end. `Stock (2)` beside `Stock` is another stock, and means nothing to us."""
_ANY_WORDS = "…"
"""Stands for any words in an alias."""

HeadRow = tuple[int, Sequence[Cell]]
"""A row's number and its cells from column A on."""


class NoRows(FileProblem):
    """The sheet has a header and no row below it."""

    code = "no-rows"


class HeaderNotFound(FileProblem):
    """No row looks like a header."""

    code = "header-not-found"


class HeaderDuplicate(FileProblem):
    """Two columns mean the same."""

    code = "header-duplicate"


class SheetAmbiguous(FileProblem):
    """Several sheets could be meant."""

    code = "sheet-ambiguous"


def _bare(header: str) -> str:
    """A header folded, without what is said of it aside; twice, since one may hide the other."""
    plain = folded(header)
    if header.isascii() and not ("(" in header or "[" in header or _MAY_BE_ASIDE.search(plain)):
        return plain  # as most cells of a sheet, which need not wait for the slow pattern
    return folded(_ASIDES.sub(" ", _ASIDES.sub(" ", header)))


class KnownHeader(NamedTuple):
    """A header's meaning, and what makes us think so."""

    column: Column
    reason: str


class Names:
    """Every header that means a column of one family of feeds."""

    def __init__(
        self, columns: Iterable[Column], dialect: AccountSettings, own: Iterable[str]
    ) -> None:
        self.by_key = {column.key: column for column in columns}
        self.own = frozenset(map(folded, own))
        self._has_channels = CHANNEL in self.by_key
        self._by_name: dict[str, KnownHeader] = {}
        self._by_ends: dict[tuple[str, str], KnownHeader] = {}
        for column in self.by_key.values():
            for label, language in zip(column.labels, LANGUAGES, strict=True):
                self._by_name.setdefault(
                    folded(label),
                    KnownHeader(column, tr("its label ({language})", language=language)),
                )
            for alias in column.aliases:
                known = KnownHeader(column, tr("the alias “{alias}”", alias=alias))
                start, any_words, end = alias.partition(_ANY_WORDS)
                if any_words:
                    self._by_ends[folded(start), folded(end)] = known
                else:
                    self._by_name.setdefault(folded(alias), known)
        self._starts = tuple(start for start, _ in self._by_ends)
        for key, column in self.by_key.items():  # a key is never another one's alias
            self._by_name[folded(key)] = KnownHeader(column, tr("its key"))
        for header, key in dialect.columns.items():
            if key in self.by_key:
                known = KnownHeader(self.by_key[key], tr("the profile's [columns] table"))
                self._by_name[folded(header)] = known

    def column(self, header: str) -> Column | None:
        """The column that a header means."""
        known = self._known(header)
        return known and known.column

    def _known(self, header: str) -> KnownHeader | None:
        """By the whole of it, else without what is said of it aside."""
        if len(header) > LONGEST:
            return None
        known = self._by_name.get(folded(header))
        if known:
            return known
        if self._has_channels and header.endswith("]"):
            own = channel_column(header, self.by_key)
            if own and not own.is_shared:
                return KnownHeader(own, tr("its key, on a channel"))
        name = _bare(header)
        known = self._by_name.get(name)
        if known or not name.startswith(self._starts):
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
        """0-based index → what is known of a row's headers; our own headings are left out.

        A footnote at a header's end counts for nothing, unless another header of the row means
        the same without one.
        """
        result = {at: known for at, text in texts.items() if (known := self._known(text))}
        keys = {known.column.key for known in result.values()}
        for at, text in texts.items():
            if at not in result and ("(" in text or "[" in text):
                known = self._known(_FOOTNOTE.sub("", text))
                if known and known.column.key not in keys:
                    result[at] = known
        return {at: known for at, known in result.items() if folded(texts[at]) not in self.own}

    def knows(self, header: str) -> bool:
        """True if it means a column, or is a heading of ours."""
        return folded(header) in self.own or self._known(header) is not None

    def nearest(self, header: str) -> str | None:
        """The key of the known header that looks most alike, if any does."""
        from rapidfuzz import fuzz, process

        known = tuple(self._by_name)
        near = process.extractOne(folded(header), known, scorer=fuzz.ratio, score_cutoff=75)
        return self._by_name[near[0]].column.key if near else None


def find(head: Sequence[HeadRow], names: Names, enough: int = ENOUGH) -> Header | None:
    """The header among the first rows of a sheet: the row that knows the most columns.

    Exact keys decide between a human row and a technical one below it. Two rows may make one
    header, as where a delivery mode's name stands over its two amounts. None where no row has
    `enough` known headers.

    Raises:
        HeaderDuplicate: two columns of the row mean the same.
    """
    rows = [Texts(number, header_texts(cells)) for number, cells in head]
    best = _best(rows, names)
    if best is None or _score(best, names)[0] < enough:
        return None
    after = best.row
    for row in rows:
        if row.row == after + 1 and (
            _is_aside(row) or 2 * _score(row, names)[0] > _score(best, names)[0]
        ):
            after = row.row
    return _understand(best, after, names)


def most_known(head: Sequence[HeadRow], names: Names) -> int:
    """The number of columns that the row names which `find` would choose."""
    best = _best([Texts(number, header_texts(cells)) for number, cells in head], names)
    return _score(best, names)[0] if best else 0


def _is_aside(row: "Texts") -> bool:
    """True if a row only says which columns must be filled."""
    texts = [text[:LONGEST] for text in row.texts.values()]
    return any(map(_ASIDES.search, texts)) and not any(map(_bare, texts))


def _best(rows: Sequence["Texts"], names: Names) -> "Texts | None":
    pairs = [_paired(*pair, names) for pair in pairwise(rows) if pair[0].row + 1 == pair[1].row]
    return max((*rows, *pairs), key=lambda item: _score(item, names), default=None)


def laid_out(header: Header, layout: Layout, head: Sequence[HeadRow], names: Names) -> Header:
    """A header with what the rows around it say."""
    labels = next((header_texts(cells) for number, cells in head if number == header.row - 1), {})
    has_labels = _is_label_row(labels, header)
    if not (has_labels or any(layout)):
        return header
    own = {index for index, text in labels.items() if has_labels and folded(text) in names.own}
    return replace(
        header,
        headings=(header.row - 1) * has_labels,
        after=layout.after or header.after,
        own=header.own | own,
        labels={at: text for at, text in labels.items() if has_labels and at not in own},
        stamp={**layout.stamp, **header.stamp},
    )


def _is_label_row(labels: Mapping[int, str], header: Header) -> bool:
    """True if people read the row above as the header, since the header's own has keys."""
    keys = [index for index, known in header.columns.items() if header.texts[index] == known.key]
    return 2 * len(keys) > len(header.columns) and 2 * len(labels.keys() & keys) > len(keys)


def again(header: Header, names: Names) -> Header:
    """A header that is understood once more, since more columns are known now.

    Raises:
        HeaderDuplicate: two columns of the row mean the same.
    """
    result = _understand(Texts(header.row, header.texts), header.after, names)
    return replace(
        result,
        own=result.own | header.own,
        headings=header.headings,
        labels=header.labels,
        stamp=header.stamp,
    )


class Texts(NamedTuple):
    """A row that may be the header."""

    row: int
    texts: Mapping[int, str]
    """0-based index → text, of the cells that hold one."""


def header_texts(cells: Sequence[Cell]) -> dict[int, str]:
    """The header texts; a cell that shows an error is no header.

    Of a longer text than a header has only the beginning is looked at.
    """
    return {
        index: " ".join(cell.text[: LONGEST + 1].split())
        for index, cell in enumerate(cells)
        if cell.kind in (Kind.TEXT, Kind.NUMBER) and cell.text.strip()
    }


def _paired(upper: Texts, lower: Texts, names: Names) -> Texts:
    """Two rows as one header: a text over several columns counts for each that is named below.

    Where it ends the cells do not say, so a name that only means something alone stands alone.
    """
    texts = dict(upper.texts)
    over = ""
    for index in range(max((*upper.texts, *lower.texts), default=-1) + 1):
        below = lower.texts.get(index)
        over = upper.texts.get(index) or (over if below else "")
        if below:
            both = f"{over} {below}".strip()
            is_alone = index not in upper.texts and names.knows(below) and not names.knows(both)
            texts[index] = below if is_alone else both
    return Texts(lower.row, texts)


def joined_rows(upper: Texts, lower: Texts) -> Texts:
    """Two rows as the header of a merchant's own sheet, whose names nobody knows beforehand.

    A header is the text of the lower row: with the one above it where another column has the same,
    and that one alone where the lower row is blank, as below a cell that is merged downwards.
    """
    counts = Counter(map(folded, lower.texts.values()))
    texts = dict(upper.texts)
    over = ""
    for index in range(max((*upper.texts, *lower.texts), default=-1) + 1):
        below = lower.texts.get(index, "")
        over = upper.texts.get(index) or (over if below else "")
        if below:
            texts[index] = f"{over} {below}".strip() if counts[folded(below)] > 1 else below
    return Texts(lower.row, texts)


def _score(row: Texts, names: Names) -> tuple[int, int]:
    """The number of distinct columns that a row names, and of those by their key."""
    known = {known.column.key for known in names.in_row(row.texts).values()}
    return len(known), len(known.intersection(row.texts.values()))


def _understand(row: Texts, after: int, names: Names) -> Header:
    number, texts = row
    known = names.in_row(texts)
    seen: dict[str, int] = {}
    own = frozenset(index for index, text in texts.items() if folded(text) in names.own)
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
        if index not in known and index not in own
    )
    columns = {index: known[index].column for index in sorted(known)}
    reasons = {index: known[index].reason for index in columns}
    return Header(number, after, columns, texts, unknown, own, reasons)
