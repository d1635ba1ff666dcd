"""The formats that our cells need, appended to the workbook's own and found again next time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from feedtool.sheets.annotate.xml_offsets import Edit, appended, outline, splice, with_attribute
from feedtool.sheets.cell_text import quoted
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES, Node


@dataclass(frozen=True, slots=True)
class FormatIndexes:
    """Indexes into the workbook's lists of cell formats and of conditional formats."""

    text: int
    """Text for good: format `@` and a quote prefix, so that `=1+1` stays text when it is edited."""
    heading: int
    prose: int
    """The same, wrapped: the summary's."""
    number: int
    link: int
    error: int
    warning: int
    fixed: int


class Format(NamedTuple):
    """An element without text, as it means: two of them are equal however they are written."""

    name: str
    attributes: frozenset[tuple[str, str]]
    children: tuple["Format", ...] = ()

    def markup(self, prefix: bytes) -> bytes:
        """The element in XML; attributes in the order of their names."""
        name = prefix + self.name.encode()
        attributes = b"".join(
            b" " + key.encode() + b"=" + quoted(value) for key, value in sorted(self.attributes)
        )
        inner = b"".join(child.markup(prefix) for child in self.children)
        if not inner:
            return b"<" + name + attributes + b"/>"
        return b"<" + name + attributes + b">" + inner + b"</" + name + b">"


_EMPTY = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<styleSheet xmlns=%b>'
    b'<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    b'<fills count="2"><fill><patternFill patternType="none"/></fill>'
    b'<fill><patternFill patternType="gray125"/></fill></fills>'
    b'<borders count="1"><border/></borders>'
    b'<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    b'<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
    b'<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    b"</styleSheet>"
)
_ORDER = (
    "numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs",
    "tableStyles", "colors", "extLst",
)  # fmt: skip
_FONT_ORDER = (
    "b", "i", "strike", "condense", "extend", "outline", "shadow", "u", "vertAlign", "sz", "color",
    "name", "family", "charset", "scheme",
)  # fmt: skip
_TEXT = 'numFmtId="49" quotePrefix="1" applyNumberFormat="1"'


def empty_styles(namespace: str) -> bytes:
    """The styles part of a workbook that has none; `namespace` is the workbook's own."""
    return _EMPTY % quoted(namespace)


def add_styles(data: bytes, part: str) -> tuple[bytes, FormatIndexes]:
    """The styles part with ours in it, and where they are. Raises CorruptXml.

    What is already there is used again, so that the part does not grow from copy to copy. What
    ours refer to is put into a part that lacks it.
    """
    lists = {name: _Formats(name, default) for name, default in _defaults().items()}

    def take(parent: Node, node: Node) -> None:
        if parent.is_main and parent.name in lists:
            lists[parent.name].take(parent, node)

    root = outline(data, part, each=take)
    if not root.children:
        return add_styles(empty_styles(root.namespace), part)
    fonts, cells, colours = (lists[name] for name in ("fonts", "cellXfs", "dxfs"))
    base = fonts.first or _defaults()["fonts"][0]
    bold = fonts.index(_font_with(base, "<b/>"))
    blue = fonts.index(_font_with(base, "<u/>", '<color rgb="FF0563C1"/>'))
    styles = FormatIndexes(
        text=cells.index(_cell_format(0, _TEXT)),
        heading=cells.index(_cell_format(bold, _TEXT)),
        prose=cells.index(_cell_format(0, _TEXT, 'wrapText="1"')),
        number=cells.index(_cell_format(0, 'numFmtId="0"', " ")),
        link=cells.index(_cell_format(blue, _TEXT, " ")),
        error=colours.index(_colour("FF9C0006", "FFFFC7CE")),
        warning=colours.index(_colour("FF9C5700", "FFFFEB9C")),
        fixed=colours.index(_colour("FF006100", "FFC6EFCE")),
    )
    edits = [edit for formats in lists.values() for edit in formats.edits(data, root)]
    return splice(data, edits), styles


class _Formats:
    """One of the lists of formats, with those of ours that it lacked."""

    def __init__(self, name: str, default: Sequence[Format]) -> None:
        self.first: Format | None = None
        """Of those that are there."""
        self._name = name
        self._default = default
        self._list: Node | None = None
        self._count = 0
        self._new: list[Format] = []
        self._indexes: dict[int, int] = {}
        """By their hashes, since a workbook may have a hundred thousand that nobody uses."""

    def take(self, parent: Node, node: Node) -> None:
        """Note the next format of the list that is there; a second list of its name is ignored."""
        self._list = self._list or parent
        if parent is self._list:
            known = _read(node)
            self.first = self.first or known
            self._indexes.setdefault(hash(known), self._count)
            self._count += 1

    def index(self, wanted: Format) -> int:
        """The index of a format; appended if it is not there yet."""
        self._fill()
        if hash(wanted) not in self._indexes:
            self._append(wanted)
        return self._indexes[hash(wanted)]

    def edits(self, data: bytes, root: Node) -> Iterator[Edit]:
        """The changes of the part."""
        self._fill()
        if not self._new:
            return
        present = self._list or root.child(self._name)
        name = root.prefix + self._name.encode()
        new = b"".join(known.markup(root.prefix) for known in self._new)
        markup = b'<%s count="%d">%s</%s>' % (name, self._count, new, name)
        if present is None:
            place = self._place(root)
            yield Edit(place, place, markup)
        elif present.is_empty_tag:
            # One edit must not lie inside the other: the tag is written anew, as a whole.
            yield Edit(present.start, present.end, markup)
        else:
            yield appended(present, data, new)
            if counted := with_attribute(present, data, "count", str(self._count)):
                yield counted

    def _fill(self) -> None:
        """Ours refer to the first of each list, so that none may be empty."""
        if not self._count:
            for known in self._default:
                self._append(known)

    def _append(self, known: Format) -> None:
        self._new.append(known)
        self._indexes[hash(known)] = self._count
        self._count += 1

    def _place(self, root: Node) -> int:
        """The place of an absent list: before the first that comes after it."""
        later = _ORDER[_ORDER.index(self._name) + 1 :]
        followers = (node.start for node in root.children if node.name in later)
        return next(followers, root.close)


def _read(node: Node) -> Format:
    children = tuple(_read(child) for child in node.children if child.is_main)
    return Format(node.name, frozenset(node.attributes.items()), children)


def _font_with(base: Format, *changes: str) -> Format:
    """A font like the workbook's first, but for some of its properties."""
    properties = {child.name: child for child in (*base.children, *map(_format, changes))}
    order = {name: place for place, name in enumerate(_FONT_ORDER)}
    children = sorted(properties.values(), key=lambda child: order.get(child.name, len(order)))
    return base._replace(children=tuple(children))


def _format(markup: str) -> Format:
    """A format that is written as XML."""
    part = f'<styleSheet xmlns="{MAIN_NAMESPACES[0]}">{markup}</styleSheet>'
    return _read(outline(part.encode(), "styles").children[0])


def _cell_format(font: int, more: str = "", alignment: str = "") -> Format:
    if font:
        more += ' applyFont="1"'
    if alignment:
        more += ' applyAlignment="1"'
        alignment = f'<alignment vertical="top" {alignment}/>'
    return _format(f'<xf fontId="{font}" fillId="0" borderId="0" xfId="0" {more}>{alignment}</xf>')


def _colour(letters: str, ground: str) -> Format:
    return _format(
        f'<dxf><font><color rgb="{letters}"/></font>'
        f'<fill><patternFill><bgColor rgb="{ground}"/></patternFill></fill></dxf>'
    )


@cache
def _defaults() -> dict[str, tuple[Format, ...]]:
    """The lists that ours go into or refer to, in the schema's order, with what they need."""
    root = outline(empty_styles(MAIN_NAMESPACES[0]), "styles")
    lists = {node.name: tuple(map(_read, node.children)) for node in root.children}
    del lists["cellStyles"]
    return lists | {"dxfs": ()}
