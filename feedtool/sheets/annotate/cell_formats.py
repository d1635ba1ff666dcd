"""The formats of our cells: appended to those of the workbook, and reused in later copies."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from feedtool.sheets.annotate.xml_offsets import Edit, appended, outline, splice, with_attribute
from feedtool.sheets.cell_text import quoted
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES, Node, is_true

Outcome = Literal["good", "bad", "open", "idle"]
"""The result of a row: accepted, to be corrected, not yet decided, nothing to be done."""
Style = Literal[
    Outcome, "text", "heading", "message", "code",
    "title", "label", "fact", "band", "prose", "number", "share", "link", "jump",
]  # fmt: skip
"""The last line has the styles of the summary."""
Severity = Literal["error", "warning", "fixed"]


class FormatIndexes(NamedTuple):
    """Indexes into the workbook's lists of cell formats and of conditional formats."""

    cells: Mapping[Style, int]
    colours: Mapping[Severity, int]
    line: float = 15
    """The height of a line of text, in points."""
    wrapped: bytes = b""
    """By the index of a format: not 0 if it wraps the user's cells."""


class CellLook(NamedTuple):
    """A cell's format: its properties besides the workbook's first font."""

    font: tuple[str, ...] = ()
    """Properties of the font, in XML."""
    fill: str = ""
    """ARGB."""
    alignment: str = ""
    has_line: bool = False
    """True if there is a thin line below it."""
    number_format: str = 'numFmtId="49" quotePrefix="1" applyNumberFormat="1"'
    """Always a text: format `@` and a quote prefix, so that `=1+1` stays a text when edited."""


class Format(NamedTuple):
    """An element without text; equal elements may be written differently."""

    name: str
    attributes: frozenset[tuple[str, str]]
    children: tuple["Format", ...] = ()

    def markup(self, prefix: bytes) -> bytes:
        """Return the element in XML, its attributes sorted by name."""
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
_BOLD = "<b/>"
_SIZE = re.compile("[1-9][0-9]?(?:[.][0-9]+)?")
_COUNT = 'numFmtId="3" applyNumberFormat="1"'
"""`#,##0`."""
_TOP = 'vertical="top"'
_LEFT = f'{_TOP} horizontal="left" indent="1"'
_MIDDLE = 'vertical="center" horizontal="left" indent="1"'
_RIGHT = f'{_TOP} horizontal="right" indent="1"'
_DARK = "FF1F3864"
_LINK = "<u/>", '<color rgb="FF0563C1"/>'


def _bold(colour: str) -> tuple[str, ...]:
    return _BOLD, f'<color rgb="{colour}"/>'


LOOKS: Mapping[Style, CellLook] = {
    "text": CellLook(),
    "heading": CellLook((_BOLD,)),
    "message": CellLook(alignment=f'{_TOP} wrapText="1"'),
    "code": CellLook(alignment=_TOP),
    "good": CellLook(_bold("FF006100"), "FFC6EFCE", _LEFT),
    "bad": CellLook(_bold("FF9C0006"), "FFFFC7CE", _LEFT),
    "open": CellLook(_bold("FF7F4700"), "FFFFEB9C", _LEFT),
    "idle": CellLook(_bold("FF595959"), "FFEDEDED", _LEFT),
    "title": CellLook((_BOLD, '<sz val="16"/>', f'<color rgb="{_DARK}"/>'), alignment=_MIDDLE),
    "label": CellLook(('<color rgb="FF595959"/>',), alignment=_LEFT),
    "fact": CellLook(alignment=_LEFT),
    "band": CellLook(_bold("FFFFFFFF"), _DARK, f'{_MIDDLE} wrapText="1"'),
    "prose": CellLook(alignment=f'{_LEFT} wrapText="1"', has_line=True),
    "number": CellLook(alignment=_RIGHT, has_line=True, number_format=_COUNT),
    "share": CellLook(alignment=_RIGHT, has_line=True),
    "link": CellLook(_LINK, alignment=_LEFT, has_line=True),
    "jump": CellLook(_LINK, alignment=_LEFT),
}
FILLS: Mapping[Style, str] = {style: look.fill for style, look in LOOKS.items() if look.fill}
COLOURS: Mapping[Severity, tuple[str, str]] = {
    "error": ("FF9C0006", "FFFFC7CE"),
    "warning": ("FF7F4700", "FFFFEB9C"),
    "fixed": ("FF006100", "FFC6EFCE"),
}
"""The colours of guilty cells: text and background, as ARGB."""


def empty_styles(namespace: str) -> bytes:
    """Return the styles part for a workbook without one; `namespace` is the workbook's."""
    return _EMPTY % quoted(namespace)


def add_styles(data: bytes, part: str) -> tuple[bytes, FormatIndexes]:
    """Return the styles part with our formats, and their indexes. Raises CorruptXml.

    Formats that are already there are reused, so that the part does not grow from copy to copy.
    Elements that our formats refer to are added if the part lacks them.
    """
    lists = {name: _Formats(name, default) for name, default in _defaults().items()}
    wrapped = bytearray()

    def take(parent: Node, node: Node) -> None:
        if parent.is_main and parent.name in lists:
            place = lists[parent.name].take(parent, node)
            alignment = node.child("alignment")
            if parent.name == "cellXfs" and place is not None:
                wrapped.append(bool(alignment and is_true(alignment.attributes.get("wrapText"))))

    root = outline(data, part, each=take)
    if not root.children:
        return add_styles(empty_styles(root.namespace), part)
    cells = {style: _index(lists, look) for style, look in LOOKS.items()}
    font = lists["fonts"].first
    sizes = (
        dict(child.attributes).get("val", "")
        for child in (font.children if font else ())
        if child.name == "sz"
    )
    for style, look in LOOKS.items():
        if "wrapText" in look.alignment:
            wrapped[cells[style] : cells[style] + 1] = b"\0" * (cells[style] < len(wrapped))
    styles = FormatIndexes(
        cells,
        {kind: lists["dxfs"].index(_colour(*pair)) for kind, pair in COLOURS.items()},
        15 * float(next(filter(_SIZE.fullmatch, sizes), "11")) / 11,
        bytes(wrapped).rstrip(b"\0"),
    )
    edits = [edit for formats in lists.values() for edit in formats.edits(data, root)]
    return splice(data, edits), styles


def _index(lists: Mapping[str, "_Formats"], look: CellLook) -> int:
    """Return the index of a cell's format; missing formats are appended to the lists."""
    fonts = lists["fonts"]
    base = fonts.first or _defaults()["fonts"][0]
    font = fonts.index(_font_with(base, *look.font)) if look.font else 0
    filled = '<fill><patternFill patternType="solid"><fgColor rgb="{}"/></patternFill></fill>'
    fill = lists["fills"].index(_format(filled.format(look.fill))) if look.fill else 0
    border = lists["borders"].index(_format(_LINE)) if look.has_line else 0
    flags = {"Font": font, "Fill": fill, "Border": border, "Alignment": look.alignment}
    applied = "".join(f' apply{name}="1"' for name, is_set in flags.items() if is_set)
    alignment = f"<alignment {look.alignment}/>" if look.alignment else ""
    cell_format = (
        f'<xf fontId="{font}" fillId="{fill}" borderId="{border}" xfId="0"'
        f" {look.number_format}{applied}>{alignment}</xf>"
    )
    return lists["cellXfs"].index(_format(cell_format))


class _Formats:
    """A list of formats, with our formats that it lacked."""

    def __init__(self, name: str, default: Sequence[Format]) -> None:
        self.first: Format | None = None
        """The first format that the part has."""
        self._name = name
        self._default = default
        self._list: Node | None = None
        self._count = 0
        self._new: list[Format] = []
        self._indexes: dict[int, int] = {}
        """By the hashes of formats: a workbook may have a hundred thousand unused ones."""

    def take(self, parent: Node, node: Node) -> int | None:
        """Note the next format of the part, and return its index.

        A second list of the same name is ignored.
        """
        self._list = self._list or parent
        if parent is not self._list:
            return None
        known = _read(node)
        self.first = self.first or known
        self._indexes.setdefault(hash(known), self._count)
        self._count += 1
        return self._count - 1

    def index(self, required: Format) -> int:
        """Return the index of a format, which is appended if it is missing."""
        self._fill()
        if hash(required) not in self._indexes:
            self._append(required)
        return self._indexes[hash(required)]

    def edits(self, data: bytes, root: Node) -> Iterator[Edit]:
        self._fill()
        if not self._new:
            return
        present = self._list or root.child(self._name)
        name = root.prefix + self._name.encode()
        new = b"".join(known.markup(root.prefix) for known in self._new)
        markup = b'<%s count="%d">%s</%s>' % (name, self._count, new, name)
        if present is None:
            # It comes before the first list that follows it in the schema.
            later = _ORDER[_ORDER.index(self._name) + 1 :]
            followers = (node.start for node in root.children if node.name in later)
            place = next(followers, root.close)
            yield Edit(place, place, markup)
        elif present.is_empty_tag:
            # One edit must not lie inside the other, so the whole tag is written anew.
            yield Edit(present.start, present.end, markup)
        else:
            yield appended(present, data, new)
            if counted := with_attribute(present, data, "count", str(self._count)):
                yield counted

    def _fill(self) -> None:
        """Add defaults to an empty list, because our formats refer to the first of each list."""
        if not self._count:
            for known in self._default:
                self._append(known)

    def _append(self, known: Format) -> None:
        self._new.append(known)
        self._indexes[hash(known)] = self._count
        self._count += 1


def _read(node: Node) -> Format:
    children = tuple(_read(child) for child in node.children if child.is_main)
    return Format(node.name, frozenset(node.attributes.items()), children)


def _font_with(base: Format, *changes: str) -> Format:
    """Return the workbook's first font with some properties changed."""
    properties = {child.name: child for child in (*base.children, *map(_format, changes))}
    order = {name: place for place, name in enumerate(_FONT_ORDER)}
    children = sorted(properties.values(), key=lambda child: order.get(child.name, len(order)))
    return base._replace(children=tuple(children))


def _format(markup: str) -> Format:
    """Parse a format that is written as XML."""
    part = f'<styleSheet xmlns="{MAIN_NAMESPACES[0]}">{markup}</styleSheet>'
    return _read(outline(part.encode(), "styles").children[0])


_LINE = (
    '<border><left/><right/><top/><bottom style="thin"><color rgb="FFD9D9D9"/></bottom>'
    "<diagonal/></border>"
)


def _colour(text: str, background: str) -> Format:
    return _format(
        f'<dxf><font><color rgb="{text}"/></font>'
        f'<fill><patternFill><bgColor rgb="{background}"/></patternFill></fill></dxf>'
    )


@cache
def _defaults() -> dict[str, tuple[Format, ...]]:
    """Return the lists of our formats and their default entries, in the schema's order."""
    root = outline(empty_styles(MAIN_NAMESPACES[0]), "styles")
    lists = {node.name: tuple(map(_read, node.children)) for node in root.children}
    del lists["cellStyles"]
    return lists | {"dxfs": ()}
