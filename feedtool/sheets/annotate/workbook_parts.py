"""The parts around the sheets: changed as a sheet is added, and the summary sheet itself."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.notes import Link, Summary
from feedtool.sheets.annotate.xml_offsets import Edit, appended, outline, splice, utf8
from feedtool.sheets.cell_text import inline, quoted
from feedtool.sheets.read.package import ZipPackage
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

_NARROWEST, _WIDEST = 8, 60
"""Of a column, in characters; longer texts are wrapped."""


def read_utf8(package: ZipPackage, name: str) -> bytes:
    """A small part, whole. Raises CorruptZip, CorruptXml, ZipBomb."""
    return b"".join(utf8(package.small(name), name))


class BookParts:
    """The parts that describe the workbook, changed as sheets and styles are added."""

    def __init__(self, package: ZipPackage, book: WorkbookParts) -> None:
        self.changed: dict[str, bytes] = {}
        """The parts that were touched, as they go into the package."""
        self.namespace = parse_part(package, book.workbook).namespace
        """The workbook's own: transitional or strict."""
        is_strict = self.namespace.startswith(_STRICT)
        self.relations = _STRICT_RELATIONS if is_strict else _TRANSITIONAL_RELATIONS
        """The namespace of relationships."""
        self._package, self._book = package, book
        self._folder = posixpath.dirname(book.workbook.replace("\\", "/"))
        """The workbook's, where new parts go."""

    def add_sheet(self, name: str) -> str:
        """Enter a sheet as the workbook's last one; the name of its new part.

        Raises CorruptXml where the workbook has no list of sheets to append to.
        """
        part = self._free_name("worksheets/sheet{}.xml", count(1))
        relation = self._relate("worksheet", part)
        self._declare(part, "worksheet+xml")
        workbook = self._book.workbook
        root = self._root(workbook)
        sheets = root.child("sheets")
        if sheets is None:
            raise corrupt(workbook, "it has no sheets")
        stated = (node.attributes.get("sheetId", "") for node in sheets.all("sheet"))
        number = max((whole(text) or 0 for text in stated), default=0) + 1
        declaration = b' xmlns:r="%b"' % self.relations.encode()
        if declaration in self.changed[workbook][root.start : root.inner]:
            declaration = b""
        markup = b'<%bsheet name=%b sheetId="%d"%b r:id="%b"/>' % (
            root.prefix,
            quoted(name),
            number,
            declaration,
            relation.encode(),
        )
        self._append(workbook, sheets, markup)
        return part

    def add_styles(self) -> str:
        """Enter a styles part into a workbook that has none; its name."""
        part = self._free_name("styles{}.xml", chain(("",), count(1)))
        self._relate("styles", part)
        self._declare(part, "styles+xml")
        return part

    def _root(self, name: str) -> Node:
        """The root of a part that is to be changed."""
        if name not in self.changed:
            self.changed[name] = read_utf8(self._package, name)
        return outline(self.changed[name], name)

    def _append(self, name: str, parent: Node, markup: bytes) -> None:
        data = self.changed[name]
        self.changed[name] = splice(data, (appended(parent, data, markup),))

    def add_part(self, pattern: str, kind: str | None) -> str:
        """The name of a new part, `{}` in its pattern a number; its content type is declared."""
        part = self._free_name(pattern, count(1))
        self.changed[part] = b""
        if kind:
            self._declare(part, kind)
        return part

    def read(self, name: str) -> bytes:
        """A part as it was changed so far."""
        return self.changed.get(name) or read_utf8(self._package, name)

    def relations_of(self, part: str) -> str:
        """The name of the part with the relationships of another one."""
        folder, _, name = part.replace("\\", "/").rpartition("/")
        return f"{folder}/_rels/{name}.rels".lstrip("/")

    def relate(self, source: str, kind: str, part: str) -> str:
        """A relationship from a part to a new one; its id."""
        name = self.relations_of(source)
        if name not in self.changed and self._package.part(name) is None:
            self.changed[name] = _NO_RELATIONSHIPS
        return self._relate(kind, part, name, posixpath.dirname(source.replace("\\", "/")))

    def declare_ending(self, ending: str, kind: str) -> None:
        """Enter the content type of all parts whose names end so."""
        root = self._root(self._book.content_types)
        known = {node.attributes.get("Extension", "").casefold() for node in root.children}
        if ending not in known:
            names = quoted(ending), quoted(kind)
            markup = b"<%bDefault Extension=%b ContentType=%b/>" % (root.prefix, *names)
            data = self.changed[self._book.content_types]
            place = root.children[0].start if root.children else root.close
            self.changed[self._book.content_types] = splice(data, (Edit(place, place, markup),))

    def _free_name(self, pattern: str, numbers: Iterable[int | str]) -> str:
        """`xl/worksheets/sheet4.xml`: in the workbook's folder, the first not yet taken."""
        names = (posixpath.join(self._folder, pattern.format(number)) for number in numbers)
        return next(
            name for name in names if self._package.part(name) is None and name not in self.changed
        )

    def _relate(
        self, kind: str, part: str, relations: str | None = None, folder: str | None = None
    ) -> str:
        """A relationship to a new part, from the workbook if from no other; its id."""
        relations = relations or self._book.workbook_rels
        folder = self._folder if folder is None else folder
        root = self._root(relations)
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
            quoted(f"{self.relations}/{kind}"),
            quoted(posixpath.relpath(part, folder or ".")),
        )
        self._append(relations, root, markup)
        return name

    def _declare(self, part: str, kind: str) -> None:
        """Enter the content type of a new part."""
        root = self._root(self._book.content_types)
        names = quoted("/" + part), quoted(_CONTENT + kind)
        markup = b"<%bOverride PartName=%b ContentType=%b/>" % (root.prefix, *names)
        self._append(self._book.content_types, root, markup)


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
            yield place % styles.cells["link"] + inline(value.text)
        elif isinstance(value, int):
            yield place % styles.cells["number"] + b"><v>%d</v></c>" % value
        elif value:
            yield place % styles.cells["heading" if is_bold else "prose"] + inline(value)


def _columns(summary: Summary) -> Iterator[bytes]:
    """Widths that fit what is in the columns; a title over all of them does not count."""
    width = max(map(len, summary.table), default=0)
    if not width:
        return
    yield b"<cols>"
    for column in range(width):
        texts = [str(row[column]) for row in summary.table if 1 < len(row) > column]
        longest = max(map(len, texts), default=0)
        shown = min(max(longest + 2, _NARROWEST), _WIDEST)
        place = column + 1
        yield b'<col min="%d" max="%d" width="%d" customWidth="1"/>' % (place, place, shown)
    yield b"</cols>"


def _links(table: Sequence[Sequence[str | int | Link]]) -> Iterator[bytes]:
    for number, row in enumerate(table, 1):
        for column, value in enumerate(row):
            if isinstance(value, Link):
                sheet = value.sheet.replace("'", "''")
                names = quoted(f"'{sheet}'!{value.ref}"), quoted(value.text)
                place = f"{letters(column)}{number}".encode()
                yield b'<hyperlink ref="%b" location=%b display=%b/>' % (place, *names)
