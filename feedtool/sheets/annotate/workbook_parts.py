"""The parts around the sheets: changed as a sheet is added, and the summary sheet itself."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.notes import Link, Summary
from feedtool.sheets.annotate.xml_offsets import (
    Edit,
    appended,
    outline,
    splice,
    utf8,
    with_attribute,
)
from feedtool.sheets.cell_text import escaped, inline, quoted
from feedtool.sheets.read.errors import CorruptXml
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.workbook import WorkbookParts, read_relationships, resolve
from feedtool.sheets.read.xml_parser import Node, corrupt, whole

_STRICT = "http://purl.oclc.org/ooxml/"
_TRANSITIONAL_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT_RELATIONS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml."

_NARROWEST, _WIDEST = 8, 60
"""Of a column, in characters; longer texts are wrapped."""


@dataclass(slots=True)
class SmallPart:
    """A small part in UTF-8, to be patched."""

    name: str
    data: bytes

    @classmethod
    def read(cls, package: ZipPackage, name: str) -> "SmallPart":
        """Read it whole. Raises CorruptZip, CorruptXml, ZipBomb."""
        return cls(name, b"".join(utf8(package.small(name), name)))

    def outline(self) -> Node:
        """Its elements. Raises CorruptXml, XmlDoctype."""
        return outline(self.data, self.name)

    def edit(self, edits: Iterable[Edit | None]) -> None:
        """Make the edits; those that are None have nothing to do."""
        self.data = splice(self.data, (edit for edit in edits if edit))


@dataclass(slots=True)
class BookParts:
    """The parts that describe the workbook, changed as sheets and styles are added."""

    package: ZipPackage
    book: WorkbookParts
    _parts: dict[str, SmallPart] = field(default_factory=dict)

    def changed(self) -> dict[str, bytes]:
        """The parts that were touched, as they go into the package."""
        return {name: part.data for name, part in self._parts.items()}

    def add_sheet(self, name: str) -> str:
        """Enter a sheet as the workbook's last one; the name of its new part.

        Raises CorruptXml where the workbook has no list of sheets to append to.
        """
        part = self._free_name("worksheets/sheet", count(1))
        relation = self._relate("worksheet", part)
        self._declare(part, "worksheet+xml")
        workbook = self._part(self.book.workbook)
        root = workbook.outline()
        sheets = root.child("sheets")
        if sheets is None:
            raise corrupt(workbook.name, "it has no sheets")
        stated = (node.attributes.get("sheetId", "") for node in sheets.all("sheet"))
        ids = [whole(text) or 0 for text in stated]
        markup = b'<%bsheet name=%b sheetId="%d" xmlns:r="%b" r:id="%b"/>' % (
            root.prefix,
            quoted(name),
            max(ids, default=0) + 1,
            self._relations().encode(),
            relation.encode(),
        )
        if _declares(workbook.data[root.start : root.inner], "r", self._relations()):
            markup = re.sub(rb' xmlns:r="[^"]*"', b"", markup, count=1)
        workbook.edit([appended(sheets, workbook.data, markup)])
        self._title(name)
        return part

    def add_styles(self) -> str:
        """Enter a styles part into a workbook that has none; its name."""
        part = self._free_name("styles", chain(("",), count(1)))
        self._relate("styles", part)
        self._declare(part, "styles+xml")
        return part

    def namespace(self) -> str:
        """The workbook's own namespace: transitional or strict."""
        return SmallPart.read(self.package, self.book.workbook).outline().namespace

    def _part(self, name: str) -> SmallPart:
        if name not in self._parts:
            self._parts[name] = SmallPart.read(self.package, name)
        return self._parts[name]

    def _folder(self) -> str:
        """The workbook's own folder, where new parts go."""
        return posixpath.dirname(self.book.workbook.replace("\\", "/"))

    def _relations(self) -> str:
        strict = self.namespace().startswith(_STRICT)
        return _STRICT_RELATIONS if strict else _TRANSITIONAL_RELATIONS

    def _free_name(self, stem: str, suffixes: Iterable[int | str]) -> str:
        """`xl/worksheets/sheet4.xml`: in the workbook's folder, the first not yet taken."""
        names = (posixpath.join(self._folder(), f"{stem}{suffix}.xml") for suffix in suffixes)
        return next(name for name in names if self.package.part(name) is None)

    def _relate(self, kind: str, part: str) -> str:
        """A relationship from the workbook to a new part; its id."""
        rels = self._part(self.book.workbook_rels)
        root = rels.outline()
        folder = self._folder()
        taken = {node.attributes.get("Id", ""): node.attributes for node in root.children}
        for name, known in taken.items():
            # There may be one already, to a part that was never there.
            leads_there = resolve(folder, known.get("Target", "")) == part
            if leads_there and known.get("Type", "").endswith(f"/{kind}"):
                return name
        name = next(name for number in count(1) if (name := f"rId{number}") not in taken)
        markup = b"<%bRelationship Id=%b Type=%b Target=%b/>" % (
            root.prefix,
            quoted(name),
            quoted(f"{self._relations()}/{kind}"),
            quoted(posixpath.relpath(part, folder or ".")),
        )
        rels.edit([appended(root, rels.data, markup)])
        return name

    def _declare(self, part: str, kind: str) -> None:
        """The content type of a new part."""
        types = self._part(self.book.content_types)
        root = types.outline()
        markup = b"<%bOverride PartName=%b ContentType=%b/>" % (
            root.prefix,
            quoted("/" + part),
            quoted(_CONTENT + kind),
        )
        types.edit([appended(root, types.data, markup)])

    def _title(self, name: str) -> None:
        """Enter the sheet into docProps/app.xml, if that lists the sheets as usual."""
        match = (
            rel.target
            for rel in read_relationships(self.package, "_rels/.rels")
            if rel.kind == "extended-properties" and self.package.part(rel.target)
        )
        target = next(match, None)
        if target is None:
            return
        app = SmallPart.read(self.package, target)
        names = [sheet.name for sheet in self.book.sheets if sheet.is_worksheet]
        try:
            edits = _titles(app.outline(), app.data, names, name)
        except CorruptXml:  # nobody needs this part: a damaged one stays as it is
            return
        if edits:
            app.edit(edits)
            self._parts[app.name] = app


def _declares(tag: bytes, prefix: str, namespace: str) -> bool:
    """True if a start tag binds this prefix to this namespace."""
    match = re.search(rb"\sxmlns:%b\s*=\s*[\"']([^\"']*)" % prefix.encode(), tag)
    return match is not None and match[1] == namespace.encode()


def _titles(root: Node, data: bytes, names: list[str], new: str) -> list[Edit | None]:
    """The edits that enter a sheet behind the others; none where the lists say something else.

    HeadingPairs counts what TitlesOfParts names: first the worksheets, then named ranges.
    """
    pairs, titles = root.child("HeadingPairs"), root.child("TitlesOfParts")
    if pairs is None or titles is None or len(pairs.children) != 1 or len(titles.children) != 1:
        return []
    (counts,), (listed,) = pairs.children, titles.children
    numbers = [node for variant in counts.children for node in variant.all("i4")]
    listing = listed.children[: len(names)]
    if not numbers or not listing or [node.text for node in listing] != names:
        return []
    if numbers[0].text != str(len(names)) or listed.attributes.get("size") != str(
        sum(whole(node.text) or 0 for node in numbers)
    ):
        return []
    last = listing[-1]
    element = last.prefix + last.name.encode()
    return [
        Edit(numbers[0].inner, numbers[0].close, b"%d" % (len(names) + 1)),
        Edit(last.end, last.end, b"<%b>%b</%b>" % (element, escaped(new), element)),
        with_attribute(listed, data, "size", str(len(listed.children) + 1)),
    ]


def summary_sheet(summary: Summary, styles: FormatIndexes, namespace: str) -> bytes:
    """The part of the summary. Links are to this workbook (`location`): no relationships."""
    rows = b"".join(
        b'<row r="%d">%b</row>' % (number, b"".join(_cells(number, row, summary, styles)))
        for number, row in enumerate(summary.table, 1)
    )
    links = b"".join(_links(summary.table))
    return (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        b"<worksheet xmlns=%b>%b<sheetData>%b</sheetData>%b</worksheet>"
    ) % (
        quoted(namespace),
        b"".join(_columns(summary)),
        rows,
        b"<hyperlinks>%b</hyperlinks>" % links if links else b"",
    )


def _cells(
    number: int, row: Sequence[str | int | Link], summary: Summary, styles: FormatIndexes
) -> Iterator[bytes]:
    is_bold = number - 1 in summary.bold
    for column, value in enumerate(row):
        place = b'<c r="%b%d" s="%%d"' % (letters(column).encode(), number)
        if isinstance(value, Link):
            yield place % styles.link + inline(value.text)
        elif isinstance(value, int):
            yield place % styles.number + b"><v>%d</v></c>" % value
        elif value:
            yield place % (styles.heading if is_bold else styles.prose) + inline(value)


def _columns(summary: Summary) -> Iterator[bytes]:
    """Widths that fit what is in the columns; a title over all of them does not count."""
    width = max(map(len, summary.table), default=0)
    if not width:
        return
    yield b"<cols>"
    for column in range(width):
        texts = [_text(row[column]) for row in summary.table if 1 < len(row) > column]
        longest = max(map(len, texts), default=0)
        shown = min(max(longest + 2, _NARROWEST), _WIDEST)
        yield b'<col min="%d" max="%d" width="%d" customWidth="1"/>' % (
            column + 1,
            column + 1,
            shown,
        )
    yield b"</cols>"


def _text(value: str | int | Link) -> str:
    return value.text if isinstance(value, Link) else str(value)


def _links(table: Sequence[Sequence[str | int | Link]]) -> Iterator[bytes]:
    for number, row in enumerate(table, 1):
        for column, value in enumerate(row):
            if isinstance(value, Link):
                sheet = value.sheet.replace("'", "''")
                yield b'<hyperlink ref="%b%d" location=%b display=%b/>' % (
                    letters(column).encode(),
                    number,
                    quoted(f"'{sheet}'!{value.ref}"),
                    quoted(value.text),
                )
