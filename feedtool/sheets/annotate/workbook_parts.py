"""Change the parts around the sheets when parts are added or removed."""

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from textwrap import wrap

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FILLS, FormatIndexes, Outcome
from feedtool.sheets.annotate.notes import DataBar, Link, Styled, Summary, SummaryCell
from feedtool.sheets.annotate.xml_offsets import Edit, appended, outline, splice, utf8
from feedtool.sheets.cell_text import inline, quoted
from feedtool.sheets.read.package import ZipPackage, part_key
from feedtool.sheets.read.workbook import WorkbookParts, resolve
from feedtool.sheets.read.xml_parser import Node, corrupt, parse_part, whole

_STRICT = "http://purl.oclc.org/ooxml/"
_TRANSITIONAL_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT_RELATIONS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml."

_NO_RELATIONSHIPS = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Relationships'
    b' xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>'
)


def read_utf8(package: ZipPackage, name: str) -> bytes:
    """Return a small part in UTF-8. Raises CorruptZip, CorruptXml, ZipBomb."""
    return b"".join(utf8(package.small(name), name))


def relations_of(part: str) -> str:
    """Return the name of the part with the relationships of a part."""
    folder, _, name = part.replace("\\", "/").rpartition("/")
    return f"{folder}/_rels/{name}.rels".lstrip("/")


class BookParts:
    """The parts that describe the workbook, changed as sheets and styles are added."""

    def __init__(self, package: ZipPackage, book: WorkbookParts) -> None:
        self.changed: dict[str, bytes] = {}
        """The new content of changed parts."""
        self.dropped: set[str] = set()
        """The keys of parts that are left out; a new part may get such a name."""
        self.workbook = book.workbook
        self.sheets = book.sheets
        self.namespace = parse_part(package, book.workbook).namespace
        """The namespace of the workbook: transitional or strict."""
        is_strict = self.namespace.startswith(_STRICT)
        self.relations = _STRICT_RELATIONS if is_strict else _TRANSITIONAL_RELATIONS
        """The namespace of relationships."""
        self._package, self._book = package, book
        self._folder = posixpath.dirname(book.workbook.replace("\\", "/"))
        """The workbook's folder, in which new parts are put."""

    def add_sheet(self, name: str) -> str:
        """Add a sheet as the workbook's last one, and return the name of its part.

        Raises CorruptXml if the workbook has no list of sheets.
        """
        part = self._free_name("worksheets/sheet{}.xml", count(1))
        relation = self.relate(self.workbook, "worksheet", part)
        self._declare(part, f"{_CONTENT}worksheet+xml")
        root = self.root(self.workbook)
        sheets = root.child("sheets")
        if sheets is None:
            raise corrupt(self.workbook, "it has no sheets")
        stated = (node.attributes.get("sheetId", "") for node in sheets.all("sheet"))
        number = max((whole(text) or 0 for text in stated), default=0) + 1
        declaration = b' xmlns:r="%b"' % self.relations.encode()
        if declaration in self.changed[self.workbook][root.start : root.inner]:
            declaration = b""
        markup = b'<%bsheet name=%b sheetId="%d"%b r:id="%b"/>' % (
            root.prefix,
            quoted(name),
            number,
            declaration,
            relation.encode(),
        )
        self.append(self.workbook, sheets, markup)
        return part

    def add_styles(self) -> str:
        """Add a styles part to a workbook without one, and return its name."""
        part = self._free_name("styles{}.xml", chain(("",), count(1)))
        self.relate(self.workbook, "styles", part)
        self._declare(part, f"{_CONTENT}styles+xml")
        return part

    def root(self, name: str) -> Node:
        """Return the root of a part that will be changed."""
        if name not in self.changed:
            self.changed[name] = read_utf8(self._package, name)
        return outline(self.changed[name], name)

    def append(self, name: str, parent: Node, markup: bytes) -> None:
        data = self.changed[name]
        self.changed[name] = splice(data, (appended(parent, data, markup),))

    def insert(self, name: str, place: int, markup: bytes) -> None:
        self.changed[name] = splice(self.changed[name], (Edit(place, place, markup),))

    def remove(self, name: str, nodes: Sequence[Node], *, parent: str) -> None:
        """Remove elements from a part, and their parent if it has no others."""
        root = self.root(name)
        group = root.child(parent)
        if group and len(group.children) == len(nodes):
            nodes = [group]
        edits = (Edit(node.start, node.end, b"") for node in nodes)
        self.changed[name] = splice(self.changed[name], edits)

    def add_part(self, pattern: str, content_type: str) -> str:
        """Add a part, and return its name: the pattern with a number for `{}`."""
        part = self._free_name(pattern, count(1))
        self.changed[part] = b""
        self._declare(part, content_type)
        return part

    def drop(self, part: str) -> None:
        """Leave one of our parts out of the package."""
        self.dropped.add(part_key(part))
        self.changed.pop(part, None)
        types = self._book.content_types
        entries = [
            node
            for node in self.root(types).children
            if part_key(node.attributes.get("PartName", "")) == part_key(part)
        ]
        self.remove(types, entries, parent="")

    def relate(self, source: str, kind: str, part: str) -> str:
        """Add a relationship from a part to a new one, and return its id."""
        relations, folder = relations_of(source), posixpath.dirname(source.replace("\\", "/"))
        if relations not in self.changed and self._is_free(relations):
            self.changed[relations] = _NO_RELATIONSHIPS
        root = self.root(relations)
        taken = {node.attributes.get("Id", ""): node.attributes for node in root.children}
        for name, known in taken.items():
            # A relationship to a missing part of this name may exist already.
            is_to_part = resolve(folder, known.get("Target", "")) == part
            if is_to_part and known.get("Type", "").endswith(f"/{kind}"):
                return name
        name = next(name for number in count(1) if (name := f"rId{number}") not in taken)
        markup = b"<%bRelationship Id=%b Type=%b Target=%b/>" % (
            root.prefix,
            quoted(name),
            quoted(f"{self.relations}/{kind}"),
            quoted(posixpath.relpath(part, folder or ".")),
        )
        self.append(relations, root, markup)
        return name

    def unrelate(self, source: str, ids: Collection[str]) -> None:
        """Remove our relationships, and their part if it has no others."""
        name = relations_of(source)
        root = self.root(name)
        nodes = [node for node in root.children if node.attributes.get("Id") in ids]
        self.remove(name, nodes, parent="")
        if self.changed[name] == _NO_RELATIONSHIPS:
            self.drop(name)

    def _free_name(self, pattern: str, numbers: Iterable[int | str]) -> str:
        """Return the first free name in the workbook's folder: `xl/worksheets/sheet4.xml`."""
        names = (posixpath.join(self._folder, pattern.format(number)) for number in numbers)
        return next(name for name in names if self._is_free(name) and name not in self.changed)

    def _is_free(self, name: str) -> bool:
        return self._package.part(name) is None or part_key(name) in self.dropped

    def _declare(self, part: str, content_type: str) -> None:
        """Add the content type of a new part."""
        root = self.root(self._book.content_types)
        names = quoted("/" + part), quoted(content_type)
        markup = b"<%bOverride PartName=%b ContentType=%b/>" % (root.prefix, *names)
        self.append(self._book.content_types, root, markup)


# Write the part of the summary sheet.


_LINE, _BAND, _TITLE = 15, 21, 30
"""Heights in points: of a line of text, a row of headings, the title."""
_WRAPPED = frozenset({"prose", "band"})
_BARS: Mapping[Outcome, str] = {
    "good": "FF70AD47", "bad": "FFD9534F", "open": "FFF0AD4E", "idle": "FFA6A6A6"
}  # fmt: skip


def summary_sheet(
    summary: Summary, styles: FormatIndexes, namespace: str, status_columns: Mapping[str, int]
) -> bytes:
    """Return the part; `status_columns` are the columns (0-based) of statuses by sheet name."""
    rows = b"".join(
        b'<row r="%d" ht="%d" customHeight="1">%b</row>'
        % (number, _height(row, summary.widths), b"".join(_cells(number, row, styles)))
        for number, row in enumerate(summary.table, 1)
    )
    links = b"".join(_links(summary, status_columns))
    widths = b"".join(
        b'<col min="%d" max="%d" width="%d" customWidth="1"/>' % (number, number, width)
        for number, width in enumerate(summary.widths, 1)
    )
    return (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        b'<worksheet xmlns=%b><sheetPr><tabColor rgb="%b"/><pageSetUpPr fitToPage="1"/></sheetPr>'
        b'<sheetViews><sheetView showGridLines="0" workbookViewId="0"/></sheetViews>'
        b"%b<sheetData>%b</sheetData>%b%b"
        b'<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>'
        b'<pageSetup orientation="landscape" fitToHeight="0"/></worksheet>'
    ) % (
        quoted(namespace),
        FILLS["band"].encode(),
        b"<cols>%b</cols>" % widths if widths else b"",
        rows,
        b"".join(_bars(summary)),
        b"<hyperlinks>%b</hyperlinks>" % links if links else b"",
    )


def _cells(number: int, row: Sequence[SummaryCell], styles: FormatIndexes) -> Iterator[bytes]:
    for column, cell in enumerate(row):
        value, style = _styled(cell)
        place = b'<c r="%b%d" s="%d"' % (letters(column).encode(), number, styles.cells[style])
        if isinstance(value, int):
            yield place + b"><v>%d</v></c>" % value
        elif value:
            yield place + inline(value)
        elif style != "prose":
            yield place + b"/>"


def _styled(cell: SummaryCell) -> Styled:
    match cell:
        case Styled():
            return cell
        case Link(text=text, style=style):
            return Styled(text, style)
        case DataBar(number=number):
            return Styled(number, "number")
        case int():
            return Styled(cell, "number")
    return Styled(cell, "prose")


def _height(row: Sequence[SummaryCell], widths: Sequence[int]) -> int:
    """Return the height in points: some programs do not measure wrapped texts of a file."""
    styled = [_styled(cell) for cell in row]
    if any(style == "title" for _, style in styled):
        return _TITLE
    texts = zip(styled, widths, strict=False)
    lines = [
        sum(
            1 + (len(part) - 1) // (width - 2)  # a long word fills several lines
            for line in str(value).splitlines()
            for part in wrap(line, width - 2, break_long_words=False)
        )
        for (value, style), width in texts
        if style in _WRAPPED
    ]
    is_band = any(style == "band" for _, style in styled)
    return max(_LINE * max(1, *lines, 0) + 3, _BAND * is_band)


def _bars(summary: Summary) -> Iterator[bytes]:
    """Yield a rule for each bar, which gives it its colour."""
    bars = (
        (f"{letters(column)}{number}", cell)
        for number, row in enumerate(summary.table, 1)
        for column, cell in enumerate(row)
        if isinstance(cell, DataBar)
    )
    for priority, (place, bar) in enumerate(bars, 1):
        yield (
            b'<conditionalFormatting sqref="%b"><cfRule type="dataBar" priority="%d">'
            b'<dataBar minLength="0" maxLength="100" showValue="0"><cfvo type="num" val="0"/>'
            b'<cfvo type="num" val="%d"/><color rgb="%b"/></dataBar></cfRule>'
            b"</conditionalFormatting>"
        ) % (place.encode(), priority, bar.most, _BARS[bar.outcome].encode())


def _links(summary: Summary, status_columns: Mapping[str, int]) -> Iterator[bytes]:
    for number, row in enumerate(summary.table, 1):
        for column, cell in enumerate(row):
            if isinstance(cell, Link):
                sheet, ref = cell.sheet.replace("'", "''"), cell.ref
                if ref.isdecimal():
                    ref = f"{letters(status_columns.get(cell.sheet, 0))}{ref}"
                names = quoted(f"'{sheet}'!{ref}"), quoted(cell.text)
                place = f"{letters(column)}{number}".encode()
                yield b'<hyperlink ref="%b" location=%b display=%b/>' % (place, *names)
