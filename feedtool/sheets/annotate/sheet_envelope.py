"""The part of a sheet around its rows: size, widths of columns, ranges and colours.

The condition of our conditional formats is a mark (`LEN("feedtool")>0` is always true): by this
they are found and removed when the sheet is annotated again.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import get_args

from feedtool.model.cells import index_of, letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes, Severity
from feedtool.sheets.annotate.notes import HighlightedCells
from feedtool.sheets.annotate.xml_offsets import Edit, outline, splice, with_attribute
from feedtool.sheets.cell_text import quoted
from feedtool.sheets.read.source import LAST_COLUMN, CellRange, cell_range
from feedtool.sheets.read.xml_parser import Node, is_true, whole

_KEPT = frozenset(
    {"col", "mergeCell", "cfRule", "formula", "ext", "conditionalFormattings",
     "conditionalFormatting"}
)  # fmt: skip
"""The elements deeper in a sheet that are read."""
WIDTHS = (17, 90, 26)
"""The widths of status, message and code, in characters."""
_MARK = 'LEN("feedtool")'
_FORMULA = b'LEN("feedtool")&gt;0'
_AREAS = 400
"""Areas of one rule at most. Excel reads thousands, but people should be able to read the list."""
_BEFORE = frozenset(
    {"sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr",
     "sheetProtection", "protectedRanges", "scenarios", "autoFilter", "sortState",
     "dataConsolidate", "customSheetViews", "mergeCells", "phoneticPr", "conditionalFormatting"}
)  # fmt: skip
"""Elements that the schema puts before a conditional format; all others follow it."""
_BEFORE_LINKS = _BEFORE | {"dataValidations"}
_REF = re.compile(rb"\sref=[\"']([A-Z]+)[0-9]+[\"']")


class SheetEnvelope:
    """A sheet without its rows: all bytes up to them (`head`), and all after them (`tail`)."""

    def __init__(self, head: bytes, tail: bytes, part: str) -> None:
        self._data = head + tail
        self._cut = len(head)
        self.root = outline(self._data, part, _KEPT)

    def head(self, edits: list[Edit]) -> bytes:
        """Return the head with the edits that lie in it."""
        return splice(self._data, (edit for edit in edits if edit.end <= self._cut), 0, self._cut)

    def tail(self, edits: list[Edit]) -> bytes:
        """Return the tail with the edits that lie in it: some programs write `cols` there."""
        return splice(self._data, (edit for edit in edits if edit.end > self._cut), self._cut)

    def ranges(self, header_row: int) -> Iterator[CellRange]:
        """Yield the ranges of merged cells and of the autofilter.

        Merges of whole rows above the headings are left out: titles are made so, and such a merge
        does not show the end of the table.
        """
        for area in self.merges():
            if area.last_column < LAST_COLUMN or area.last_row >= header_row:
                yield area
        yield from _areas(self.root.all("autoFilter"))

    def merges(self) -> Iterator[CellRange]:
        for group in self.root.all("mergeCells"):
            yield from _areas(group.all("mergeCell"))

    def resize(self, written: CellRange) -> list[Edit]:
        """Return the edit that adds our cells to the stated dimension, if there is one."""
        node = self.root.child("dimension")
        stated = cell_range(node.attributes.get("ref", "")) if node else None
        if node is None or stated is None:
            return []
        edit = with_attribute(node, self._data, "ref", str(stated.around(written)))
        return [edit] if edit else []

    def widen(self, columns: Sequence[int], *, earlier: bool) -> list[Edit]:
        """Return the edits that make our columns visible and wide enough.

        Visible columns of an `earlier` annotation keep the width that the user gave them.
        """
        widths = dict(zip(columns, WIDTHS, strict=True))
        group = self.root.child("cols")
        if group is None or group.is_empty_tag:
            inner = b"".join(_column(self.root.prefix, *item) for item in sorted(widths.items()))
            rows = group or self.root.child("sheetData")
            start = rows.start if rows else self._cut
            markup = b"<%scols>%s</%scols>" % (self.root.prefix, inner, self.root.prefix)
            return [Edit(start, group.end if group else start, markup)]
        edits, open_columns = [], dict(widths)
        for node in group.all("col"):
            first, last = _span(node)
            covered = [column for column in columns if first <= column <= last]
            for column in covered:
                open_columns.pop(column, None)
            stated = node.attributes.get("width", "1")
            is_visible = not is_true(node.attributes.get("hidden")) and stated.strip("0.") != ""
            if covered and not (earlier and is_visible):
                pieces = b"".join(_split(node, self.root.prefix, widths))
                edits.append(Edit(node.start, node.end, pieces))
        nodes = list(group.all("col"))
        for column, width in sorted(open_columns.items()):
            place = next((n.start for n in nodes if _span(n)[0] > column), group.close)
            edits.append(Edit(place, place, _column(self.root.prefix, column, width)))
        return edits

    def recolour(self, guilty: HighlightedCells, styles: FormatIndexes) -> list[Edit]:
        """Return the edits that replace the rules of an earlier annotation by ours."""
        edits: list[Edit] = []
        for formats in self.root.all("conditionalFormatting"):
            earlier = [rule for rule in formats.all("cfRule") if _is_ours(rule)]
            if earlier and len(earlier) == len(formats.children):
                earlier = [formats]
            edits += [Edit(node.start, node.end, b"") for node in earlier]
        rules = list(_rules(self.root.prefix, guilty, styles))
        # Before the user's rules if priorities are free, so that the colour of an error is seen;
        # else after them: the user's rules are never changed.
        taken = sorted(_priorities(self.root))
        first = 1 if not taken or taken[0] > len(rules) else taken[-1] + 1
        new = b"".join(rule % priority for priority, rule in enumerate(rules, first))
        if new:
            place = self.end_of(_BEFORE)  # unknown elements are taken for later ones
            edits.append(Edit(place, place, new))
        return edits

    def link_back(
        self, cell: tuple[int, int] | None, summary: str, earlier: Collection[int]
    ) -> list[Edit]:
        """Return the edits that link a cell (its row and 0-based column) to the summary.

        Such links in the `earlier` columns are removed.
        """
        location = quoted(f"'{summary}'!A1")
        group = self.root.child("hyperlinks")
        start, end = (group.inner, group.close) if group else (self._cut, self._cut)
        place = re.escape(location).replace(b"'", b"(?:'|&apos;)")
        links = re.compile(rb"<(?:\w+:)?hyperlink\s[^<>]*\slocation=%b[^<>]*/>" % place)
        old_links = [
            link
            for link in links.finditer(self._data, start, end)
            if (ref := _REF.search(link[0])) and index_of(ref[1].decode()) in earlier
        ]
        markup = b""
        if cell:
            name = f"{letters(cell[1])}{cell[0]}".encode()
            markup = b'<%bhyperlink ref="%b" location=%b/>' % (self.root.prefix, name, location)
        if group and self._data[start:end].strip() != b"".join(link[0] for link in old_links):
            edits = [Edit(link.start(), link.end(), b"") for link in old_links]
            return [*edits, Edit(end, end, markup)]
        edits = [Edit(group.start, group.end, b"")] if group else []
        tags = self.root.prefix + b"hyperlinks"
        element = b"<%b>%b</%b>" % (tags, markup, tags) if markup else b""
        after = self.end_of(_BEFORE_LINKS)
        return [*edits, Edit(after, after, element)]

    def end_of(self, names: Collection[str]) -> int:
        """Return the end of the last of the root's children with these names."""
        return [node.end for node in self.root.children if node.is_main and node.name in names][-1]


def _areas(nodes: Iterable[Node]) -> Iterator[CellRange]:
    return filter(None, (cell_range(node.attributes.get("ref", "")) for node in nodes))


def _span(node: Node) -> tuple[int, int]:
    """Return the first and last column of a `<col>`, 0-based; -1 if it does not state it."""
    first, last = (whole(node.attributes.get(name)) or 0 for name in ("min", "max"))
    return first - 1, last - 1


def _column(prefix: bytes, column: int, width: int, collapsed: bytes = b"") -> bytes:
    attributes = prefix, column + 1, column + 1, width, collapsed
    return b'<%scol min="%d" max="%d" width="%d" customWidth="1"%s/>' % attributes


def _split(node: Node, prefix: bytes, widths: dict[int, int]) -> Iterator[bytes]:
    """Yield the columns of a range; our columns become elements of their own."""
    first, last = _span(node)
    # The button of a collapsed group of columns is on the column after the group.
    collapsed = b' collapsed="1"' if is_true(node.attributes.get("collapsed")) else b""
    for column in sorted(widths):
        if first <= column <= last:
            if column > first:
                yield _part(node, first, column - 1)
            yield _column(prefix, column, widths[column], collapsed)
            first, collapsed = column + 1, b""
    if first <= last:
        yield _part(node, first, last)


def _part(node: Node, first: int, last: int) -> bytes:
    """Return the columns `first` to `last` of a range, with its attributes."""
    attributes = node.attributes | {"min": str(first + 1), "max": str(last + 1)}
    markup = b"".join(b" %s=%s" % (key.encode(), quoted(v)) for key, v in attributes.items())
    return b"<%scol%s/>" % (node.prefix, markup)


def _is_ours(rule: Node) -> bool:
    formula = rule.child("formula")
    return formula is not None and formula.text.startswith(_MARK)


def _rules(prefix: bytes, guilty: HighlightedCells, styles: FormatIndexes) -> Iterator[bytes]:
    """Yield our elements with a `%d` for the priority; errors first, so that they win."""
    for severity in get_args(Severity):
        areas = guilty.areas(severity)
        while chunk := b" ".join(islice(areas, _AREAS)):
            yield (
                b'<%(p)sconditionalFormatting sqref="%(areas)s">'
                b'<%(p)scfRule type="expression" dxfId="%(format)d" priority="%%d">'
                b"<%(p)sformula>%(formula)s</%(p)sformula></%(p)scfRule>"
                b"</%(p)sconditionalFormatting>"
            ) % {
                b"p": prefix,
                b"areas": chunk,
                b"format": styles.colours[severity],
                b"formula": _FORMULA,
            }


def _priorities(node: Node) -> Iterator[int]:
    """Yield the priorities of the user's rules, those in extensions included."""
    for child in node.children:
        priority = whole(child.attributes.get("priority"))
        if child.name != "cfRule":
            yield from _priorities(child)
        elif not _is_ours(child) and priority is not None:
            yield priority
