"""Decode the XML of cells into Cells, for both ways of reading a sheet."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.disk_list import TextStore
from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.cell_text import escape, spreadsheet_text, unescape
from feedtool.sheets.read.errors import ZipBomb
from feedtool.sheets.read.package import DEFAULT_LIMITS, ZipPackage
from feedtool.sheets.read.xml_parser import (
    Node,
    XmlParser,
    chunks,
    corrupt,
    normalize_xml,
    string_text,
    whole,
)

# Number formats of cells.


class DateKind(Enum):
    """The kind of date or time of a number format."""

    NONE = "none"
    DATE = "date"
    """A date, a time of day, or both, depending on the number."""
    ELAPSED = "elapsed"
    """Hours, minutes or seconds, also more than a day: `[h]:mm`."""


class NumberStyle(Struct, frozen=True):
    """The form in which a cell's number is shown."""

    moment: DateKind = DateKind.NONE
    percent: bool = False
    zeros: int = 0
    """The digits to which a whole number is padded with zeros; 0 and 1 do not pad."""


GENERAL = NumberStyle()

_EPOCH_1900 = datetime(1899, 12, 31)  # noqa: DTZ001 - a sheet's dates have no time zone
_EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
_FALSE_LEAP_DAY = 60
"""Spreadsheets have 1900-02-29, which never was: later serials are one too large."""
_LAST = 2_958_466
"""The serial of 9999-12-31 plus one."""
_DAY = 86_400_000
"""In milliseconds, the precision of spreadsheets."""

BUILT_IN = {
    **dict.fromkeys(
        (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)), NumberStyle(DateKind.DATE)
    ),
    46: NumberStyle(DateKind.ELAPSED),
    **dict.fromkeys((9, 10), NumberStyle(percent=True)),
}
"""The second range and the last are the dates of East Asian versions (ECMA-376, 18.8.30)."""

_LITERAL = re.compile(r'"[^"]*"?|\\.|_.|\*.')
"""A quoted text, an escaped character, a blank of a character's width, a filling character."""
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]")
_MOMENT = re.compile(r"[dmyhs]|am/pm|a/p|[ge](?![+-])", re.IGNORECASE)
_PADDED = re.compile(r"#*(0+)")


def read_styles(package: ZipPackage, part: str | None) -> tuple[NumberStyle, ...]:
    """Return the styles by the indexes in cells. Raises CorruptXml, XmlDoctype, CorruptZip.

    Some workbooks have 20 MB of styles, nearly all of them unused: so only the number of each
    style's format is kept.
    """
    if part is None:
        return ()
    codes: dict[int | None, str] = {}
    numbers: list[int] = []
    roots: list[Node] = []

    starts = {
        "/styleSheet": roots.append,
        "/styleSheet/numFmts/numFmt": lambda node: codes.update(
            {whole(node.attributes.get("numFmtId")): node.attributes.get("formatCode", "")}
        ),
        # Nonsense is the general format.
        "/styleSheet/cellXfs/xf": lambda node: numbers.append(
            whole(node.attributes.get("numFmtId")) or 0
        ),
    }
    parser = XmlParser(part, package.limits, starts=starts)
    for data in package.small(part):
        parser.feed(data)
    parser.finish()
    if not roots:
        # Otherwise all numbers would look general, also dates.
        raise corrupt(part, tr("its root is not <styleSheet>"))
    codes.pop(None, None)  # no cell can refer to a format without a number
    # A workbook may redefine the built-in formats.
    styles = BUILT_IN | {number: style_of_code(code) for number, code in codes.items()}
    return tuple(styles.get(number, GENERAL) for number in numbers)


def style_of_code(code: str) -> NumberStyle:
    """Return the style of a custom format code, by its first section, for positive numbers."""
    section = _LITERAL.sub("", code).split(";", 1)[0]
    if _ELAPSED.search(section):
        return NumberStyle(DateKind.ELAPSED)
    section = _BRACKETS.sub("", section).strip()
    if "general" in section.lower():
        return GENERAL
    if _MOMENT.search(section):
        return NumberStyle(DateKind.DATE)
    padded = _PADDED.fullmatch(section)
    return NumberStyle(percent="%" in section, zeros=len(padded[1]) if padded else 0)


def iso(serial: float, moment: DateKind, *, date1904: bool) -> str | None:
    """Return a date `2024-01-31`, time `13:45:00`, both with a `T`, or duration `PT36H0M0S`.

    None for a serial that no spreadsheet shows as a date (negative, or beyond the year 9999).
    """
    if not 0 <= serial < _LAST:
        return None
    days, milliseconds = divmod(round(serial * _DAY), _DAY)
    if moment is DateKind.ELAPSED:
        seconds, rest = divmod(milliseconds, 1000)
        minutes, second = divmod(seconds + days * 86_400, 60)
        hour, minute = divmod(minutes, 60)
        return f"PT{hour}H{minute}M{second}" + (f".{rest:03d}S" if rest else "S")
    clock = (_EPOCH_1900 + timedelta(milliseconds=milliseconds)).time()
    time = clock.isoformat("milliseconds" if milliseconds % 1000 else "seconds")
    if days == 0 and not date1904:
        return time
    date = _date(days, date1904=date1904)
    if date is None or not milliseconds:
        return date
    return f"{date}T{time}"


def _date(days: int, *, date1904: bool) -> str | None:
    if date1904:
        start = _EPOCH_1904
    elif days == _FALSE_LEAP_DAY:
        return "1900-02-29"
    else:
        start = _EPOCH_1900 - timedelta(days=days > _FALSE_LEAP_DAY)
    try:
        return (start + timedelta(days=days)).date().isoformat()
    except OverflowError:
        return None


_SPACE = r'(?: xml:space="preserve")?+'
_END = r"</si>[ \t\n]*+(?=<si>|\Z)"
_STRING = re.compile(rf"<si><t{_SPACE}(?:>([^<]*+)</t>| ?/>){_END}".encode(), re.ASCII)
_VALUE = r'="[^"<>&]*+"'
_PROPERTY = (
    rf"<(?:[A-Za-z]\w*+(?: (?!xmlns=)[A-Za-z]\w*+{_VALUE})?+"
    rf"|color theme{_VALUE} tint{_VALUE}) ?/>"
)
_TEXT = rf"<t{_SPACE}(?: ?/>|>[^<]*+</t>)"
_RUN = rf"<r>(?:<rPr(?: ?/>|>(?:{_PROPERTY})*+</rPr>))?+{_TEXT}</r>"
_GUIDE = rf'<rPh sb="[0-9]++" eb="[0-9]++">{_TEXT}</rPh>'
_GUIDE_STYLE = r'<phoneticPr fontId="[0-9]++"(?: type="\w++")?+(?: alignment="\w++")?+ ?/>'
_RICH_STRING = re.compile(
    rf"<si>((?:{_TEXT}|(?:{_RUN})*+)(?:{_GUIDE})*+(?:{_GUIDE_STYLE})?+){_END}".encode(), re.ASCII
)
"""A text, or runs of text in several formats, followed by phonetic guides, which are ignored."""
_GUIDES = re.compile(rf"{_GUIDE}".encode(), re.ASCII)
_RUN_TEXT = re.compile(rb"<t[^>]*+>([^<]*+)</t>", re.ASCII)

_MOST_TEXTS = 1 << 24
"""The most texts; each needs eight bytes, even an empty one."""


class SharedStrings:
    """Texts by index, stored escaped as in XML."""

    def __init__(self, part: str = "", limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self._part = part
        self._limits = limits
        self._texts = TextStore()

    @classmethod
    def read(cls, stream: Iterator[bytes], part: str, limits: ReadingLimits) -> "SharedStrings":
        """Read the part. Raises CorruptXml, XmlDoctype, ZipBomb."""
        strings = cls(part, limits)
        parsed: list[bytes] = []

        def add(node: Node) -> None:
            parsed.append(escape(string_text(node)).encode())

        parser = XmlParser(part, limits, {"/sst/si": add})
        for chunk in chunks(stream, b"sst", b"si>"):
            texts = None
            if parser.is_right_inside("/sst", chunk.prefix):
                texts = _by_pattern(chunk.data, chunk.prefix or "")
            if texts is None:
                parser.feed(chunk.data)
                texts = parsed
            strings.extend(texts)
            parsed.clear()
        parser.finish()
        return strings

    def extend(self, texts: list[bytes]) -> None:
        """Append texts, each escaped as XML and in UTF-8. Raises ZipBomb."""
        self._texts.extend(texts)
        if self._texts.size > self._limits.strings or len(self) > _MOST_TEXTS:
            size = self._limits.strings // MIB
            raise ZipBomb(
                tr(
                    "The workbook holds more than {size} MiB of texts, or more than {most:,} "
                    "texts.",
                    size=size,
                    most=_MOST_TEXTS,
                ),
                tr("Split the file."),
            )

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, index: int) -> str:
        """Return the text of an index. Raises CorruptXml if the index is too large."""
        try:
            text = self._texts[index].decode()
        except IndexError:
            part = self._part or tr("of the shared strings")
            reason = tr(
                "text {index} is looked up, and there are {count}", index=index, count=len(self)
            )
            raise corrupt(part, reason) from None
        return spreadsheet_text(unescape(text)) if "&" in text or "_x" in text else text


def _by_pattern(data: bytes, prefix: str) -> list[bytes] | None:
    """Return the strings of a chunk; None unless each of them is a text or runs of text."""
    text = normalize_xml(data, prefix)
    data = b"" if text is None else text.lstrip(" \t\n").encode()
    count = data.count(b"<si")
    if not data.startswith(b"<si>"):
        return None
    strings = _STRING.findall(data)
    if len(strings) == count:
        return strings
    inner = _RICH_STRING.findall(data)
    if len(inner) != count:
        return None
    return [b"".join(_RUN_TEXT.findall(_GUIDES.sub(b"", string))) for string in inner]


CELL_TYPES = ("n", "s", "str", "inlineStr", "b", "e", "d")

_TYPE = r' t="(?:s|n|str|inlineStr|b|e|d)"'
_META = r'(?:(?= [cvp])(?: cm="[0-9]++")?+(?: vm="[0-9]++")?+(?: ph="[0-9]++")?+)?+'
"""Attributes of dynamic arrays, rich values and phonetic guides, which Excel writes last.

Cells rarely have them. One look-ahead before the three makes reading an eighth faster.
"""
ATTRIBUTES = rf'(?: s="[0-9]++"(?:{_TYPE})?+|{_TYPE}(?: s="[0-9]++")?+)?+{_META}'
"""A cell's attributes after its reference, in the order of all common programs."""
_FORMULA = (
    r'<f(?: aca="\w++")?+(?: t="\w++")?+(?: ref="[A-Z0-9:]++")?+(?: ca="\w++")?+(?: si="\w++")?+'
)
CONTENT = (
    rf"(?:<v>[^<]++</v>|<is><t(?: xml:space=\"preserve\")?+>[^<]++</t></is>"
    rf"|{_FORMULA}(?:/>|>[^<]*+</f>)(?:<v>[^<]*+</v>|<v ?/>)?+)"
)
"""The content of a cell: a value, a text, a formula with or without a result."""

_KEY = re.compile(
    rf'(?: s="(?P<s1>[0-9]+)")?(?: t="(?P<type>[a-zA-Z]+)")?(?: s="(?P<s2>[0-9]+)")?{_META}>'
    r"(?P<formula><f[^<>]*(?:/>|>(?P<code>[^<]*)</f>))?"
    r"(?:<v>(?P<value>[^<]*)</v>|<v ?/>|<is><t[^>]*>(?P<inline>[^<]*)</t></is>)?",
    re.ASCII,
)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"1": "TRUE", "true": "TRUE", "0": "FALSE", "false": "FALSE"}
_KINDS = {"b": Kind.BOOLEAN, "e": Kind.ERROR, "d": Kind.DATE}
_TEXT_KIND, _NUMBER_KIND = Kind.TEXT, Kind.NUMBER
_new_cell: Callable[[tuple[Kind, str, bool, int]], Cell] = partial(tuple.__new__, Cell)
"""Takes half the time of `Cell(…)`, which matters for a million different cells."""
_BLANKS = " \t\r\n"


class Raw(NamedTuple):
    """The parts of a cell's XML, with XML entities resolved."""

    style: str
    """The index of the style."""
    type: str
    value: str
    """The `<v>`, or empty."""
    inline: str | None
    """The joined texts of the `<is>`."""
    formula: str | None


class Decoder:
    """Decodes the keys of a workbook's cells. `strings` is called at the first shared string.

    Keys are a `Raw`, or the cell's XML between its reference and its `</c>`. Raises CorruptXml for
    an index that is not in the shared strings.
    """

    def __init__(
        self,
        strings: Callable[[], SharedStrings | Mapping[int, str]],
        styles: tuple[NumberStyle, ...],
        *,
        date1904: bool,
    ) -> None:
        self._strings = strings
        self._styles = styles
        self._date1904 = date1904
        self._decoders: dict[str, Callable[[str], Cell]] = {}
        """By a cell's attributes, the function that decodes its value."""

    def __call__(self, key: Hashable) -> Cell:
        """Return the cell of a key.

        A file has as many keys as different cells, but only a few different attributes; so these
        are decoded once, and the two most frequent contents are found without a pattern.
        """
        if isinstance(key, Raw):
            return self._cell(key)
        attributes, _, content = str(key).partition(">")
        if content.startswith("<v>"):
            value = content[3:-4]
            try:
                return self._decoders[attributes](value)
            except KeyError:
                raw = raw_of(f"{attributes}>")
                decode = self._decoders[attributes] = self._by_type(raw.type, raw.style)
                return decode(value)
        if content.startswith("<is><t>"):
            return _escaped_text(content[7:-9])
        return self._cell(raw_of(str(key))) if content else BLANK

    def _cell(self, raw: Raw) -> Cell:
        """Return the cell that these parts make."""
        if raw.inline is not None or raw.type in ("str", "inlineStr"):
            return _text(spreadsheet_text(raw.value if raw.inline is None else raw.inline))
        if raw.formula is not None and not raw.value.strip(_BLANKS):
            return Cell(Kind.NO_RESULT, f"={raw.formula}")
        return self._by_type(raw.type, raw.style)(escape(raw.value))

    def _by_type(self, kind: str, style: str) -> Callable[[str], Cell]:
        """Return the function that decodes the escaped `<v>` of a cell without a formula."""
        if kind == "s":
            return self._shared
        if kind in ("str", "inlineStr"):
            return _escaped_text
        if kind == "n":
            index = int(style[:9]) if style.isdecimal() else len(self._styles)
            known = self._styles[index] if index < len(self._styles) else GENERAL
            return partial(self._number, known)
        return partial(_other, kind)

    def _shared(self, value: str) -> Cell:
        if not value.isdecimal():
            value = unescape(value).strip(_BLANKS)
            if not value:
                return BLANK
        # A text that is no index raises the error of an unknown index.
        return _text(self._strings()[int(value[:19]) if value.isdecimal() else -1])

    def _number(self, style: NumberStyle, value: str) -> Cell:
        """Return the cell of a number in its style, or of a text that is no number."""
        if not _NUMBER.fullmatch(value):
            stripped = unescape(value).strip(_BLANKS)
            is_number = _NUMBER.fullmatch(stripped)
            return self._number(style, stripped) if is_number else _escaped_text(escape(stripped))
        if style.moment is not DateKind.NONE:
            shown = iso(float(value), style.moment, date1904=self._date1904)
            return Cell(Kind.DATE, value if shown is None else shown)
        return _new_cell((_NUMBER_KIND, value, style.percent, style.zeros))


def raw_of(key: str) -> Raw:
    """Return the parts of a cell that `RowMatcher` has read."""
    match = _KEY.fullmatch(key)
    if match is None:
        raise AssertionError(key)
    return Raw(
        match["s1"] or match["s2"] or "0",
        match["type"] or "n",
        unescape(match["value"] or ""),
        None if match["inline"] is None else unescape(match["inline"]),
        unescape(match["code"] or "") if match["formula"] else None,
    )


def _other(kind: str, value: str) -> Cell:
    """Return the cell of a boolean, an error or a date with such a type."""
    value = unescape(value).strip(_BLANKS)
    if not value:
        return BLANK
    return Cell(_KINDS[kind], _BOOLEANS.get(value, value) if kind == "b" else value)


def _escaped_text(text: str) -> Cell:
    if "&" in text or "_x" in text:
        text = spreadsheet_text(unescape(text))
    return _new_cell((_TEXT_KIND, text, False, 0)) if text else BLANK


def _text(text: str) -> Cell:
    return _new_cell((_TEXT_KIND, text, False, 0)) if text else BLANK
