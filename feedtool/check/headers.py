"""Which row of a sheet is its header, and what each of its columns means."""

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
"""Non-blank rows of a sheet among which its header is looked for."""
ENOUGH = 2
"""Known headers that make a row a header; one alone may be a word in a title."""

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


class Texts(NamedTuple):
    """A row that may be the header."""

    row: int
    texts: Mapping[int, str]
    """0-based index → text, of the cells that hold one."""


class _Joined(NamedTuple):
    """One row or two as a header, as far as that does not hang on the family."""

    row: int
    texts: Mapping[int, str]
    alone: Mapping[int, str]
    """What the lower of two rows has below a blank: where a text ends the cells do not say."""

    def among(self, vocabulary: Vocabulary) -> "_Joined":
        """What any family may know of it."""
        known = vocabulary.among(chain(self.texts.values(), self.alone.values()))
        alone = {at: text for at, text in self.alone.items() if text in known}
        texts = {at: text for at, text in self.texts.items() if text in known or at in alone}
        return self._replace(texts=texts, alone=alone)

    def of(self, names: Names) -> Texts:
        """As a family takes it: a name that only means something alone stands alone."""
        alone = {
            at: text
            for at, text in self.alone.items()
            if names.knows(text) and not names.knows(self.texts[at])
        }
        return Texts(self.row, {**self.texts, **alone})


class Candidates:
    """The first rows of a sheet, and any two that follow each other, as its header."""

    def __init__(self, head: Sequence[HeadRow], several: Iterable[Names]) -> None:
        """`several` are the names of all families that it may be the header of."""
        self._rows = [Texts(number, header_texts(cells)) for number, cells in head]
        pairs = [pair for pair in pairwise(self._rows) if pair[0].row + 1 == pair[1].row]
        rows = [*(_Joined(*row, {}) for row in self._rows), *starmap(_joined, pairs)]
        vocabulary = Vocabulary(several)
        known = ((row, row.among(vocabulary)) for row in rows)
        self._known = [(row, part) for row, part in known if part.texts]
        """Of the rows that name anything, the whole row and what any family may know of it."""
        self._seen: dict[Names, list[tuple[int, int]]] = {}
        """The scores of these rows."""

    def most_known(self, names: Names) -> int:
        """The number of columns that the row names which `find` would choose."""
        return max(self._scores(names), default=(0, 0))[0]

    def _scores(self, names: Names) -> list[tuple[int, int]]:
        if names not in self._seen:
            self._seen[names] = [_score(part.of(names), names) for _, part in self._known]
        return self._seen[names]

    def find(self, names: Names, enough: int = ENOUGH) -> Header | None:
        """The header: the row that knows the most columns.

        Exact keys decide between a human row and a technical one below it. Two rows may make one
        header, as where a delivery mode's name stands over its two amounts. None where no row has
        `enough` known headers.

        Raises:
            HeaderDuplicate: two columns of the row mean the same.
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


def with_more(header: Header, names: Names) -> Header:
    """A header of which more columns are known, beside those that are.

    Raises:
        HeaderDuplicate: two columns of the row mean the same.
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
    """The header texts; a cell that shows an error is no header.

    Of a longer text than a header has only the beginning is looked at.
    """
    return {
        index: " ".join(cell.text[: LONGEST + 1].split())
        for index, cell in enumerate(cells)
        if cell.kind in (Kind.TEXT, Kind.NUMBER) and cell.text.strip()
    }


def _joined(upper: Texts, lower: Texts) -> _Joined:
    """Two rows as one header: a text over several columns counts for each that is named below."""
    texts = dict(upper.texts)
    over = ""
    for index in range(max((*upper.texts, *lower.texts), default=-1) + 1):
        below = lower.texts.get(index)
        over = upper.texts.get(index) or (over if below else "")
        if below:
            texts[index] = f"{over} {below}".strip()
    alone = {at: text for at, text in lower.texts.items() if at not in upper.texts}
    return _Joined(lower.row, texts, alone)


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
