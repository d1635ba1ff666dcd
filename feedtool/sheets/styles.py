"""What a cell's number format says of its number: a date, a percentage, zeros in front."""

import re
from dataclasses import dataclass
from enum import Enum

from feedtool.sheets.markup import MAIN_NAMESPACES, corrupt, hardened_parser, parse, whole
from feedtool.sheets.package import Package


class Moment(Enum):
    """What a number shows as, when its format shows a date or a time."""

    NONE = "none"
    DATE = "date"
    """A date, a time of day, or both, by what the number holds."""
    ELAPSED = "elapsed"
    """Hours, minutes or seconds counted up beyond a day: `[h]:mm`."""


@dataclass(frozen=True, slots=True)
class Style:
    """What matters of a cell's style."""

    moment: Moment = Moment.NONE
    percent: bool = False
    zeros: int = 0
    """A whole number is padded with zeros to so many digits; 0 or 1: not at all."""


GENERAL = Style()

_ROOTS = frozenset(f"{namespace} styleSheet" for namespace in MAIN_NAMESPACES)

_BUILT_IN_DATES = frozenset({*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)})
"""The second range and the last are the dates of East Asian versions (ECMA-376, 18.8.30)."""
_BUILT_IN_ELAPSED = 46
_BUILT_IN_PERCENT = frozenset({9, 10})

_LITERAL = re.compile(r'"[^"]*"?|\\.|_.|\*.')
"""Quoted text, an escaped character, a blank as wide as a character, a filling character."""
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]")
_MOMENT = re.compile(r"[dmyhs]|am/pm|a/p|[ge](?![+-])", re.IGNORECASE)
_PADDED = re.compile(r"#*(0+)")


def read_styles(package: Package, part: str | None) -> tuple[Style, ...]:
    """The style of each index that cells refer to. Raises CorruptXml, XmlDoctype, CorruptZip.

    Some workbooks carry 20 MB of styles, nearly all of them unused: nothing is kept of an element
    but the number of its format.
    """
    if part is None:
        return ()
    formats = _Formats(part)
    for piece in package.small(part):
        parse(formats.parser, piece, part, final=False)
    parse(formats.parser, b"", part, final=True)
    styles = {number: _style(number, formats.codes) for number in set(formats.of_cells)}
    return tuple(styles[number] for number in formats.of_cells)


class _Formats:
    """The codes of a workbook's own number formats, and the number of each cell format's."""

    def __init__(self, part: str) -> None:
        self.codes: dict[int, str] = {}
        self.of_cells: list[int] = []
        self.parser = hardened_parser(part, " ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self._part = part
        self._open: list[str] = []

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        own = name.rpartition(" ")[2]
        if not self._open and name not in _ROOTS:
            # All numbers would look general, dates too.
            raise corrupt(self._part, f"its root is <{own}>")
        if len(self._open) == len(("styleSheet", "cellXfs")):
            number = _number(attributes.get("numFmtId"))
            if self._open[-1] == "numFmts":
                self.codes[number] = attributes.get("formatCode", "")
            elif self._open[-1] == "cellXfs":
                self.of_cells.append(number)
        self._open.append(own)

    def _end(self, _name: str) -> None:
        self._open.pop()


def style_of_code(code: str) -> Style:
    """What a custom format code shows; its first section counts, that of positive numbers."""
    section = _LITERAL.sub("", code).split(";", 1)[0]
    if _ELAPSED.search(section):
        return Style(Moment.ELAPSED)
    section = _BRACKETS.sub("", section).strip()
    if "general" in section.lower():
        return GENERAL
    if _MOMENT.search(section):
        return Style(Moment.DATE)
    padded = _PADDED.fullmatch(section)
    return Style(percent="%" in section, zeros=len(padded[1]) if padded else 0)


def _style(number: int, codes: dict[int, str]) -> Style:
    """A format by its number; a workbook may redefine the built-in ones."""
    if number in codes:
        return style_of_code(codes[number])
    if number in _BUILT_IN_DATES:
        return Style(Moment.DATE)
    if number == _BUILT_IN_ELAPSED:
        return Style(Moment.ELAPSED)
    return Style(percent=True) if number in _BUILT_IN_PERCENT else GENERAL


def _number(text: str | None) -> int:
    """A format's number; nonsense is the general format."""
    return whole(text) or 0
