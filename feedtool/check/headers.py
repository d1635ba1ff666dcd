"""Find the header of a sheet, and the meaning of its columns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise, starmap
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.check.header_names import Names, Vocabulary, is_aside
from feedtool.feeds.feed import Layout
from feedtool.model.cells import Cell, Kind, letters
from feedtool.model.errors import FileProblem
from feedtool.model.header import LONGEST, Header, folded
from feedtool.model.text import FieldName, tr

SEARCHED = 40
"""The first non-blank rows of a sheet, in which the header is searched."""
ENOUGH = 2
"""The least known headers of a header row; one alone may be a word in a title."""

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


class Texts(NamedTuple):
    """A row that may be the header."""

    row: int
    texts: Mapping[int, str]
    """0-based index → text of the cells with a text."""


class _Joined(NamedTuple):
    """One row or two rows as a header, before a family is chosen."""

    row: int
    texts: Mapping[int, str]
    alone: Mapping[int, str]
    """Texts of the lower row below a blank, which may or may not belong to the text on its left."""

    def among(self, vocabulary: Vocabulary) -> "_Joined":
        """Return the part that any family may know."""
        known = vocabulary.among(chain(self.texts.values(), self.alone.values()))
        alone = {index: text for index, text in self.alone.items() if text in known}
        texts = {
            index: text for index, text in self.texts.items() if text in known or index in alone
        }
        return self._replace(texts=texts, alone=alone)

    def of(self, names: Names) -> Texts:
        """Return the texts for a family: a text that it only knows alone is taken alone."""
        alone = {
            index: text
            for index, text in self.alone.items()
            if names.knows(text) and not names.knows(self.texts[index])
        }
        return Texts(self.row, {**self.texts, **alone})


class Candidates:
    """The candidates for the header: the first rows of a sheet, and pairs of adjacent rows."""

    def __init__(self, head: Sequence[HeadRow], several: Iterable[Names]) -> None:
        """`several` are the names of all possible families."""
        self._rows = [Texts(number, header_texts(cells)) for number, cells in head]
        pairs = [pair for pair in pairwise(self._rows) if pair[0].row + 1 == pair[1].row]
        rows = [*(_Joined(*row, {}) for row in self._rows), *starmap(_joined, pairs)]
        vocabulary = Vocabulary(several)
        known = ((row, row.among(vocabulary)) for row in rows)
        self._known = [(row, part) for row, part in known if part.texts]
        """The candidates with known headers: the whole row, and the part that a family may know."""
        self._seen: dict[Names, list[tuple[int, int]]] = {}
        """The scores of these candidates."""

    def most_known(self, names: Names) -> int:
        """Return the number of known columns in the row that `find` would choose."""
        return max(self._scores(names), default=(0, 0))[0]

    def _scores(self, names: Names) -> list[tuple[int, int]]:
        if names not in self._seen:
            self._seen[names] = [_score(part.of(names), names) for _, part in self._known]
        return self._seen[names]

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
        for row in self._rows:
            if row.row == after + 1 and (
                is_aside(row.texts.values()) or 2 * _score(row, names)[0] > most[0]
            ):
                after = row.row
        return _understand(best, after, names)


def with_layout(header: Header, layout: Layout, head: Sequence[HeadRow], names: Names) -> Header:
    """Return a header with the facts in the rows around it."""
    labels = next((header_texts(cells) for number, cells in head if number == header.row - 1), {})
    has_labels = _is_label_row(labels, header)
    if not (has_labels or any(layout)):
        return header
    added = {index for index, text in labels.items() if has_labels and folded(text) in names.own}
    return replace(
        header,
        headings=(header.row - 1) * has_labels,
        after=layout.after or header.after,
        own=header.own | added,
        labels={i: text for i, text in labels.items() if has_labels and i not in added},
        stamp={**layout.stamp, **header.stamp},
    )


def _is_label_row(labels: Mapping[int, str], header: Header) -> bool:
    """Return True if the row above has labels for people, since the header has keys."""
    keys = [index for index, known in header.columns.items() if header.texts[index] == known.key]
    return 2 * len(keys) > len(header.columns) and 2 * len(labels.keys() & keys) > len(keys)


def read_again(header: Header, names: Names) -> Header:
    """Return a header after a new look at all its columns, now that more columns are known.

    Raises:
        HeaderDuplicate: two columns of the row have the same meaning.
    """
    result = _understand(Texts(header.row, header.texts), header.after, names)
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
    more = _understand(Texts(header.row, texts), header.after, names)
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


def _joined(upper: Texts, lower: Texts) -> _Joined:
    """Join two rows into one header: a text over several columns belongs to each column below."""
    texts = dict(upper.texts)
    over = ""
    for index in range(max((*upper.texts, *lower.texts), default=-1) + 1):
        below = lower.texts.get(index)
        over = upper.texts.get(index) or (over if below else "")
        if below:
            texts[index] = f"{over} {below}".strip()
    alone = {index: text for index, text in lower.texts.items() if index not in upper.texts}
    return _Joined(lower.row, texts, alone)


def joined_rows(upper: Texts, lower: Texts) -> Texts:
    """Join two rows into the header of a merchant's own sheet, whose names are unknown.

    A header is the text of the lower row, preceded by the text above it if another column has the
    same. If the lower row is blank, as below a cell merged downwards, it is the text above.
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
    """Return the number of distinct known columns in a row, and the number known by their key."""
    known = {known.column.key for known in names.in_row(row.texts).values()}
    return len(known), len(known.intersection(row.texts.values()))


def _understand(row: Texts, after: int, names: Names) -> Header:
    number, texts = row
    known = names.in_row(texts)
    seen: dict[str, int] = {}
    added = frozenset(index for index, text in texts.items() if folded(text) in names.own)
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
        if index not in known and index not in added
    )
    columns = {index: known[index].column for index in sorted(known)}
    reasons = {index: known[index].reason for index in columns}
    return Header(number, after, columns, texts, unknown, added, reasons)
