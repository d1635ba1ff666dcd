"""The part of a sheet around its rows: its size, columns' widths, ranges and colours."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from feedtool.model.cells import index_of, letters
from feedtool.sheets.annotate.inline_strings import quoted
from feedtool.sheets.annotate.xml_offsets import Edit, outline, splice, with_attribute
from feedtool.sheets.read.source import LAST_COLUMN
from feedtool.sheets.read.xml_parser import Node, whole

KEPT = frozenset(
    {"col", "mergeCell", "cfRule", "formula", "ext", "conditionalFormattings",
     "conditionalFormatting"}
)  # fmt: skip
"""The elements deeper in a sheet that are looked at."""
WIDTHS = (17, 60, 26)
"""Of the status, the message and the code, in characters."""


class CellRange(NamedTuple):
    """A range of cells; columns 0-based, rows 1-based, both ends in it."""

    left: int
    top: int
    right: int
    bottom: int

    def __str__(self) -> str:
        first, last = (f"{letters(c)}{r}" for c, r in (self[:2], self[2:]))
        return first if first == last else f"{first}:{last}"

    def around(self, other: "CellRange") -> "CellRange":
        """The smallest area that holds both."""
        return CellRange(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


def cell_range(ref: str) -> CellRange | None:
    """`A1:C5` or `B2`, dollars or not; None for what is neither."""
    corners = [_corner(part) for part in ref.replace("$", "").split(":")]
    if len(corners) > 2 or None in corners:  # noqa: PLR2004 — two corners
        return None
    first, last = corners[0], corners[-1]
    return CellRange(*first, *last) if first and last else None


def _corner(text: str) -> tuple[int, int] | None:
    name = text.rstrip("0123456789")
    number = whole(text[len(name) :])
    if not (name.isascii() and name.isalpha()) or number is None:
        return None
    return index_of(name.upper()), number


class SheetEnvelope:
    """A sheet without its rows: all bytes up to them (`head`), and all after them (`tail`)."""

    def __init__(self, head: bytes, tail: bytes, part: str) -> None:
        self._data = head + tail
        self._cut = len(head)
        self.root = outline(self._data, part, KEPT)

    def head(self, edits: list[Edit]) -> bytes:
        """The head with those edits made that lie in it."""
        return splice(self._data, (edit for edit in edits if edit.end <= self._cut), 0, self._cut)

    def tail(self, edits: list[Edit]) -> bytes:
        """The tail with those edits made that lie in it: sloppy programs put `cols` there."""
        return splice(self._data, (edit for edit in edits if edit.end > self._cut), self._cut)

    def ranges(self, header_row: int) -> Iterator[CellRange]:
        """Merged cells and the autofilter.

        A merge of whole rows above the headings, as titles are made, says nothing about where the
        table ends and is left out.
        """
        for merges in self.root.all("mergeCells"):
            for merge in merges.all("mergeCell"):
                place = cell_range(merge.attributes.get("ref", ""))
                if place and not (place.right == LAST_COLUMN and place.bottom < header_row):
                    yield place
        for node in self.root.all("autoFilter"):
            place = cell_range(node.attributes.get("ref", ""))
            if place:
                yield place

    def resize(self, written: CellRange) -> list[Edit]:
        """The edit that makes the stated dimension include ours."""
        node = self.root.child("dimension")
        stated = cell_range(node.attributes.get("ref", "")) if node else None
        if node is None or stated is None:
            return []
        edit = with_attribute(node, self._data, "ref", str(stated.around(written)))
        return [edit] if edit else []

    def widen(self, columns: Sequence[int], *, earlier: bool) -> list[Edit]:
        """The edits that make our columns visible and readable.

        Of an `earlier` annotation's columns those that can be seen keep the width that the user
        gave them.
        """
        widths = dict(zip(columns, WIDTHS, strict=True))
        group = self.root.child("cols")
        if group is None or group.is_empty_tag:
            return [self._new_columns(widths, group)]
        edits, open_columns = [], dict(widths)
        for node in group.all("col"):
            first, last = _span(node)
            covered = [column for column in columns if first <= column <= last]
            for column in covered:
                open_columns.pop(column, None)
            if covered and not (earlier and _is_visible(node)):
                pieces = b"".join(_split(node, self.root.prefix, widths))
                edits.append(Edit(node.start, node.end, pieces))
        nodes = list(group.all("col"))
        for column, width in sorted(open_columns.items()):
            place = next((n.start for n in nodes if _span(n)[0] > column), group.close)
            edits.append(Edit(place, place, _column(self.root.prefix, column, width)))
        return edits

    def _new_columns(self, widths: dict[int, int], group: Node | None) -> Edit:
        prefix = self.root.prefix
        inner = b"".join(_column(prefix, column, widths[column]) for column in sorted(widths))
        rows = group or self.root.child("sheetData")
        start = rows.start if rows else self._cut
        end = group.end if group else start
        return Edit(start, end, b"<%scols>%s</%scols>" % (prefix, inner, prefix))


def _span(node: Node) -> tuple[int, int]:
    """First and last column of a `<col>`, 0-based; -1 where it does not say."""
    first, last = (whole(node.attributes.get(name)) or 0 for name in ("min", "max"))
    return first - 1, last - 1


def _is_visible(node: Node) -> bool:
    hidden = node.attributes.get("hidden") in ("1", "true")
    return not hidden and node.attributes.get("width", "1").strip("0.") != ""


def _column(prefix: bytes, column: int, width: int, collapsed: bytes = b"") -> bytes:
    return b'<%scol min="%d" max="%d" width="%d" customWidth="1"%s/>' % (
        prefix,
        column + 1,
        column + 1,
        width,
        collapsed,
    )


def _split(node: Node, prefix: bytes, widths: dict[int, int]) -> Iterator[bytes]:
    """A range of columns, ours taken out of it."""
    first, last = _span(node)
    # The button of a collapsed group of columns stands on the column behind the group.
    collapsed = b' collapsed="1"' if node.attributes.get("collapsed") in ("1", "true") else b""
    for column in sorted(widths):
        if first <= column <= last:
            if column > first:
                yield _part(node, first, column - 1)
            yield _column(prefix, column, widths[column], collapsed)
            first, collapsed = column + 1, b""
    if first <= last:
        yield _part(node, first, last)


def _part(node: Node, first: int, last: int) -> bytes:
    """The columns `first` to `last` of a range, as they were."""
    attributes = node.attributes | {"min": str(first + 1), "max": str(last + 1)}
    markup = b"".join(b" %s=%s" % (key.encode(), quoted(v)) for key, v in attributes.items())
    return b"<%scol%s/>" % (node.prefix, markup)
