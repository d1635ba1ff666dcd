"""The formats that our cells need, appended to the workbook's own and found again next time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from feedtool.sheets.annotate.inline import quoted
from feedtool.sheets.annotate.outline import Edit, Node, outline, splice


@dataclass(frozen=True, slots=True)
class Styles:
    """Indexes into the workbook's lists of cell formats and of conditional formats."""

    text: int
    """Text for good: format `@` and a quote prefix, so that `=1+1` stays text when it is edited."""
    heading: int
    """The same in bold."""
    prose: int
    """The same, wrapped: the summary's."""
    number: int
    link: int
    error: int
    warning: int


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
    "numFmts",
    "fonts",
    "fills",
    "borders",
    "cellStyleXfs",
    "cellXfs",
    "cellStyles",
    "dxfs",
    "tableStyles",
    "colors",
    "extLst",
)
_FONT_ORDER = (
    "b",
    "i",
    "strike",
    "condense",
    "extend",
    "outline",
    "shadow",
    "u",
    "vertAlign",
    "sz",
    "color",
    "name",
    "family",
    "charset",
    "scheme",
)
_LINK_BLUE = "FF0563C1"


def empty_styles(namespace: str) -> bytes:
    """The styles part of a workbook that has none; `namespace` is the workbook's own."""
    return _EMPTY % quoted(namespace)


def add_styles(data: bytes, part: str) -> tuple[bytes, Styles]:
    """The styles part with ours in it, and where they are. Raises CorruptXml.

    What is already there is used again, so that the part does not grow from copy to copy.
    """
    root = outline(data, part)
    fonts = _Formats(data, root, "fonts", _font())
    base = fonts.known[0]
    bold = fonts.index(_font_with(base, Format("b", frozenset())))
    blue = fonts.index(
        _font_with(base, _format("u"), _format("color", rgb=_LINK_BLUE)),
    )
    cells = _Formats(data, root, "cellXfs", _cell_format(0, 0))
    colours = _Formats(data, root, "dxfs")
    styles = Styles(
        text=cells.index(_cell_format(0, 49)),
        heading=cells.index(_cell_format(bold, 49)),
        prose=cells.index(_cell_format(0, 49, wrap=True)),
        number=cells.index(_cell_format(0, 0, top=True)),
        link=cells.index(_cell_format(blue, 49, top=True)),
        error=colours.index(_colour("FF9C0006", "FFFFC7CE")),
        warning=colours.index(_colour("FF9C5700", "FFFFEB9C")),
    )
    edits = [edit for formats in (fonts, cells, colours) for edit in formats.edits()]
    return splice(data, edits), styles


class _Formats:
    """One of the lists of formats, with those of ours that it lacked."""

    def __init__(self, data: bytes, root: Node, name: str, *default: Format) -> None:
        self._data = data
        self._root = root
        self._name = name
        self._list = root.child(name)
        present = [_read(node) for node in self._list.children] if self._list else []
        self._written = len(present)
        self.known = present or list(default)
        self._indexes: dict[Format, int] = {}
        for index, known in enumerate(self.known):
            self._indexes.setdefault(known, index)

    def index(self, wanted: Format) -> int:
        """The index of a format; appended if it is not there yet."""
        if wanted not in self._indexes:
            self._indexes[wanted] = len(self.known)
            self.known.append(wanted)
        return self._indexes[wanted]

    def edits(self) -> Iterator[Edit]:
        """What has to be changed in the part."""
        prefix = self._root.prefix
        new = b"".join(known.markup(prefix) for known in self.known[self._written :])
        count = str(len(self.known))
        if not new:
            return
        if self._list is None:
            name = prefix + self._name.encode()
            markup = b'<%s count="%s">%s</%s>' % (name, count.encode(), new, name)
            place = self._place()
            yield Edit(place, place, markup)
            return
        counted = self._list.set(self._data, "count", count)
        if self._list.is_empty_tag:
            # One edit must not lie inside the other: the tag is written anew, as a whole.
            name = prefix + self._name.encode()
            markup = b'<%s count="%s">%s</%s>' % (name, count.encode(), new, name)
            yield Edit(self._list.start, self._list.end, markup)
            return
        yield self._list.append(self._data, new)
        if counted:
            yield counted

    def _place(self) -> int:
        """Where the list belongs if it is absent: before the first that comes after it."""
        later = _ORDER[_ORDER.index(self._name) + 1 :]
        followers = (node.start for node in self._root.children if node.name in later)
        return next(followers, self._root.close)


def _read(node: Node) -> Format:
    children = tuple(_read(child) for child in node.children if child.is_main)
    return Format(node.name, frozenset(node.attributes.items()), children)


def _format(name: str, *children: Format, **attributes: str) -> Format:
    return Format(name, frozenset(attributes.items()), children)


def _font() -> Format:
    return _format("font", _format("sz", val="11"), _format("name", val="Calibri"))


def _font_with(base: Format, *changes: Format) -> Format:
    """A font like the workbook's first, but for some of its properties."""
    properties = {child.name: child for child in (*base.children, *changes)}
    order = {name: place for place, name in enumerate(_FONT_ORDER)}
    children = sorted(properties.values(), key=lambda child: order.get(child.name, len(order)))
    return base._replace(children=tuple(children))


def _cell_format(font: int, number: int, *, wrap: bool = False, top: bool = False) -> Format:
    attributes = {
        "numFmtId": str(number),
        "fontId": str(font),
        "fillId": "0",
        "borderId": "0",
        "xfId": "0",
    }
    if number:
        attributes |= {"quotePrefix": "1", "applyNumberFormat": "1"}
    if font:
        attributes |= {"applyFont": "1"}
    alignment = {"vertical": "top"} | ({"wrapText": "1"} if wrap else {})
    if not (wrap or top):
        return Format("xf", frozenset(attributes.items()))
    attributes |= {"applyAlignment": "1"}
    return Format(
        "xf",
        frozenset(attributes.items()),
        (Format("alignment", frozenset(alignment.items())),),
    )


def _colour(letters: str, ground: str) -> Format:
    fill = _format("fill", _format("patternFill", _format("bgColor", rgb=ground)))
    return _format("dxf", _format("font", _format("color", rgb=letters)), fill)
