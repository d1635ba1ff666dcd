"""A spreadsheet's serial numbers as ISO 8601."""

from datetime import datetime, timedelta

from feedtool.sheets.read.number_formats import DateKind

_EPOCH_1900 = datetime(1899, 12, 31)  # noqa: DTZ001 - a sheet's dates have no time zone
_EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
_FALSE_LEAP_DAY = 60
"""Spreadsheets show 1900-02-29, which never was; what follows is one day later than it counts."""
_LAST = 2_958_466
"""The serial of 9999-12-31 and one."""
_DAY = 86_400_000
"""Milliseconds, the precision that spreadsheets show."""


def iso(serial: float, moment: DateKind, *, date1904: bool) -> str | None:
    """The date `2024-01-31`, time `13:45:00`, both with a `T`, or duration `PT36H0M0S`.

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
    seconds, rest = divmod(milliseconds, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}:{second:02d}" + (f".{rest:03d}" if rest else "")


def _duration(days: int, milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    minutes, second = divmod(seconds + days * 86_400, 60)
    hour, minute = divmod(minutes, 60)
    return f"PT{hour}H{minute}M{second}" + (f".{rest:03d}S" if rest else "S")
