"""Number formats of cells: dates, percentages, leading zeros; serial numbers as ISO 8601."""

import re
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct

from feedtool.model.text import tr
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.xml_parser import Node, XmlParser, corrupt, whole


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

    Some workbooks have 20 MB of styles, nearly all of them unused: only the number of its format
    is kept of an element.
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
        return _duration(days, milliseconds)
    time = _clock(milliseconds)
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


def _clock(milliseconds: int) -> str:
    time = (_EPOCH_1900 + timedelta(milliseconds=milliseconds)).time()
    return time.isoformat("milliseconds" if milliseconds % 1000 else "seconds")


def _duration(days: int, milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    minutes, second = divmod(seconds + days * 86_400, 60)
    hour, minute = divmod(minutes, 60)
    return f"PT{hour}H{minute}M{second}" + (f".{rest:03d}S" if rest else "S")
