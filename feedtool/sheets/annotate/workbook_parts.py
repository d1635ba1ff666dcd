"""The parts around the sheets, changed as parts are added and taken back."""

import posixpath
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, count

from feedtool.sheets.annotate.xml_offsets import Edit, appended, outline, splice, utf8
from feedtool.sheets.cell_text import quoted
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
    """A small part, whole. Raises CorruptZip, CorruptXml, ZipBomb."""
    return b"".join(utf8(package.small(name), name))


class BookParts:
    """The parts that describe the workbook, changed as sheets and styles are added."""

    def __init__(self, package: ZipPackage, book: WorkbookParts) -> None:
        self.changed: dict[str, bytes] = {}
        """The parts that were touched, as they go into the package."""
        self.dropped: set[str] = set()
        """The keys of parts that are left out; a new part may have its name again."""
        self.workbook = book.workbook
        self.sheets = book.sheets
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
        self._declare(part, f"{_CONTENT}worksheet+xml")
        workbook = self._book.workbook
        root = self.root(workbook)
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
        self.append(workbook, sheets, markup)
        return part

    def add_styles(self) -> str:
        """Enter a styles part into a workbook that has none; its name."""
        part = self._free_name("styles{}.xml", chain(("",), count(1)))
        self._relate("styles", part)
        self._declare(part, f"{_CONTENT}styles+xml")
        return part

    def root(self, name: str) -> Node:
        """The root of a part that is to be changed."""
        if name not in self.changed:
            self.changed[name] = read_utf8(self._package, name)
        return outline(self.changed[name], name)

    def append(self, name: str, parent: Node, markup: bytes) -> None:
        """Put markup behind the last child of an element."""
        data = self.changed[name]
        self.changed[name] = splice(data, (appended(parent, data, markup),))

    def insert(self, name: str, place: int, markup: bytes) -> None:
        """Put markup into a part that is to be changed."""
        self.changed[name] = splice(self.changed[name], (Edit(place, place, markup),))

    def remove(self, name: str, nodes: Sequence[Node], *, parent: str) -> None:
        """Take elements out of a part; their parent, too, where it has no others."""
        root = self.root(name)
        group = root.child(parent)
        if group and len(group.children) == len(nodes):
            nodes = [group]
        edits = (Edit(node.start, node.end, b"") for node in nodes)
        self.changed[name] = splice(self.changed[name], edits)

    def add_part(self, pattern: str, content_type: str) -> str:
        """The name of a new part, `{}` in its pattern a number."""
        part = self._free_name(pattern, count(1))
        self.changed[part] = b""
        self._declare(part, content_type)
        return part

    def drop(self, part: str) -> None:
        """Leave a part of ours out of the package."""
        self.dropped.add(part_key(part))
        self.changed.pop(part, None)
        types = self._book.content_types
        stated = self.root(types).children
        ours = [
            it for it in stated if part_key(it.attributes.get("PartName", "")) == part_key(part)
        ]
        self.remove(types, ours, parent="")

    def relations_of(self, part: str) -> str:
        """The name of the part with the relationships of another one."""
        folder, _, name = part.replace("\\", "/").rpartition("/")
        return f"{folder}/_rels/{name}.rels".lstrip("/")

    def relate(self, source: str, kind: str, part: str) -> str:
        """A relationship from a part to a new one; its id."""
        name = self.relations_of(source)
        if name not in self.changed and self._is_free(name):
            self.changed[name] = _NO_RELATIONSHIPS
        return self._relate(kind, part, name, posixpath.dirname(source.replace("\\", "/")))

    def unrelate(self, source: str, ids: Collection[str]) -> None:
        """Take relationships of ours out, with their part where it was ours as a whole."""
        name = self.relations_of(source)
        root = self.root(name)
        ours = [node for node in root.children if node.attributes.get("Id") in ids]
        self.remove(name, ours, parent="")
        if self.changed[name] == _NO_RELATIONSHIPS:
            self.drop(name)

    def _free_name(self, pattern: str, numbers: Iterable[int | str]) -> str:
        """`xl/worksheets/sheet4.xml`: in the workbook's folder, the first not yet taken."""
        names = (posixpath.join(self._folder, pattern.format(number)) for number in numbers)
        return next(name for name in names if self._is_free(name) and name not in self.changed)

    def _is_free(self, name: str) -> bool:
        return self._package.part(name) is None or part_key(name) in self.dropped

    def _relate(
        self, kind: str, part: str, relations: str | None = None, folder: str | None = None
    ) -> str:
        """A relationship to a new part, from the workbook if from no other; its id."""
        relations = relations or self._book.workbook_rels
        folder = self._folder if folder is None else folder
        root = self.root(relations)
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
        self.append(relations, root, markup)
        return name

    def _declare(self, part: str, content_type: str) -> None:
        """Enter the content type of a new part."""
        root = self.root(self._book.content_types)
        names = quoted("/" + part), quoted(content_type)
        markup = b"<%bOverride PartName=%b ContentType=%b/>" % (root.prefix, *names)
        self.append(self._book.content_types, root, markup)
