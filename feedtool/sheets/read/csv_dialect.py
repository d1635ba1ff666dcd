"""The separator and the quoting of a CSV's fields, and faulty quotation marks.

The csv module reads any text: a quotation mark that is never closed swallows the rows below it, up
to the next mark. Here patterns prove that each mark opens or closes a field, or is doubled in one;
only the few records for which they fail are checked field by field.
"""

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.model.text import MessageText, joined, tr
from feedtool.sheets.read.csv_encoding import line_ends
from feedtool.sheets.read.errors import CsvUnterminatedQuote
from feedtool.sheets.read.source import Notice

CANDIDATES = (",", ";", "\t", "|")
"""Separators; in case of doubt the first."""
_RECORDS = 60
_ANNOTATED = re.compile(
    r"feedtool status[\"']?(.)[\"']?feedtool message[\"']?\1[\"']?feedtool code"
)
"""Our headings in a line: they show the separator of an annotated copy."""
_ANNOUNCED = re.compile(r'"?sep=([^"\r\n])"?[ \t]*(?:\r\n|\n|\r)?', re.IGNORECASE)
_CODE = "csv-quotes"
_SOUND = (False, 0)
_LONGEST_FIELD = 16 << 20
"""Characters."""
_SHOWN = 5
"""Lines that a notice names at most."""
_FEWEST = 3
"""The least fields of a line that looks like a row; two may be a sentence with a comma."""
_SURE = 4
"""The least fields of a line that surely is a row, if it has numbers where the others do."""
_NUMBER = re.compile(r"[\s\d.,+%€$£-]*\d[\s\d.,+%€$£-]*")
_LINE_END = re.compile(r"\r\n?|\n")
_FORMULA = re.compile(r'="(?:[^"]|"")*"')
"""Excel's notation to keep the zeros of a number."""
_ALL_IN_APOSTROPHES = re.compile(
    r"'(?:[^'\r\n]|'')*' *([,;\t|])(?: *'(?:[^'\r\n]|'')*' *\1)* *'(?:[^'\r\n]|'')*'\s*"
)


def announced_separator(line: str) -> str | None:
    """Return the separator that a first line `sep=;` announces to Excel, or None."""
    match = _ANNOUNCED.fullmatch(line)
    return match[1] if match else None


def find_separator(lines: Sequence[str], quote: str = '"') -> str:
    """Return the separator of these lines, which include a header.

    A table begins with the first record of several fields whose number of fields at least half of
    the records below it share. The separator whose table begins first wins, because the header is
    above decimal commas and the commas of descriptions; then the one with more columns. In a copy
    that we annotated the widths of records differ, so our headings show the separator.
    """
    separators = (match[1] for line in lines if (match := _ANNOTATED.search(line)))
    annotated = next((separator for separator in separators if separator in CANDIDATES), None)
    if annotated:
        return annotated
    return max(CANDIDATES, key=lambda separator: _likelihood(lines, separator, quote))


def _likelihood(lines: Sequence[str], separator: str, quote: str) -> tuple[int, int, int]:
    """Return the negative place of the table's beginning, its width, and the first width."""
    records = islice(csv.reader(lines, delimiter=separator, quotechar=quote), _RECORDS)
    widths = [len(record) for record in records if any(record)]
    first = widths[0] if widths else 0
    for index, width in enumerate(widths):
        below = widths[index + 1 :]
        if width > 1 and 2 * below.count(width) >= len(below):
            return -index, width, first
    return -len(widths), 0, first


class Quoting(NamedTuple):
    """The quotation mark of fields."""

    mark: str = '"'
    skips_blanks: bool = False
    """True if blanks may precede an opening mark."""


USUAL = Quoting()
APOSTROPHES = Quoting("'")


class _Lines:
    """The first lines with a fault, and the number of all such lines."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[str] = []

    def add(self, line: str) -> None:
        self.count += 1
        if self.count <= _SHOWN:
            self._first.append(line)

    def shown(self) -> MessageText:
        more, first = self.count - len(self._first), joined(self._first)
        return tr("{rows} and {left:,} more", rows=first, left=more) if more else first


class Quotes(Struct):
    """The faults of a text's quotation marks."""

    doubtful: _Lines = field(default_factory=_Lines)
    """Lines of records with a mark inside an unquoted field, or text after a closing mark."""
    row_like: _Lines = field(default_factory=_Lines)
    """Lines of records of several lines whose first and last line look like rows."""
    opened: int | None = None
    """The line of a mark that is not closed at the end of its field; the check ends there."""
    until: int | None = None
    """The line that shows it; None is the end of the file."""

    @property
    def fault(self) -> tuple[bool, int]:
        """A measure of the faults: a greater one is worse."""
        return self.opened is not None, self.doubtful.count

    @property
    def problem(self) -> CsvUnterminatedQuote | None:
        return None if self.opened is None else unclosed(self.opened, self.until)

    def notices(self) -> tuple[Notice, ...]:
        """Return the notices about faults with which the text can be read."""
        texts = []
        if self.doubtful.count:
            texts.append(
                tr(
                    "A quotation mark stands inside a field that is not quoted, or text follows a "
                    "closing one: line {lines}.",
                    lines=self.doubtful.shown(),
                )
            )
        if self.row_like.count:
            texts.append(
                tr(
                    "A quotation mark opens in one line and closes in another, so that these were "
                    "read as one row, though they look like several: lines {lines}.",
                    lines=self.row_like.shown(),
                )
            )
        return tuple(Notice(_CODE, text) for text in texts)


def unclosed(line: int, until: int | None = None) -> CsvUnterminatedQuote:
    """Return the error of a quotation mark that swallows the rows below it."""
    return CsvUnterminatedQuote(
        tr("A quotation mark opens in line {line} and is never closed.", line=line)
        if until is None
        else tr(
            "A quotation mark opens in line {line} and is not closed in its own field: the "
            "rows down to line {until} would be a part of it.",
            line=line,
            until=until,
        ),
        tr(
            "Close it in line {line}, or double it if it belongs to the text; then try again.",
            line=line,
        ),
    )


def announced_quoting(lines: Sequence[str]) -> Quoting:
    """Return the quoting that the headers show, or our headings in an annotated copy."""
    headers = next((line for line in lines if any(mark in line for mark in CANDIDATES)), "")
    is_annotated = any("'feedtool status'" in line for line in lines)
    return APOSTROPHES if is_annotated or _ALL_IN_APOSTROPHES.fullmatch(headers) else USUAL


def find_quoting(
    pieces: Callable[[], Iterable[str]], marks: str, separator: str, announced: Quoting
) -> tuple[Quoting, Quotes]:
    """Return the quoting that fits a text best, and the remaining faults.

    `pieces` gives the text, in pieces that end in line ends; `marks` are the quotation marks in
    it; `announced` is the quoting that its first lines show.
    """
    if announced == USUAL and marks == "'" != separator:
        # `'tis` and `l'eau` are text. Apostrophes quote if all fit, and a field needs its quotes.
        if any(map(_patterns(separator, APOSTROPHES).needed.search, pieces())):
            quotes = check_quotes(pieces(), separator, APOSTROPHES)
            if quotes.fault == _SOUND:
                return APOSTROPHES, quotes
        return USUAL, Quotes()
    if announced.mark not in marks:
        return announced, Quotes()
    quotes = check_quotes(pieces(), separator, announced)
    if quotes.fault > _SOUND and separator != " ":
        skipping = announced._replace(skips_blanks=True)
        others = check_quotes(pieces(), separator, skipping)
        if others.fault < quotes.fault:
            return skipping, others
    return announced, quotes


def check_quotes(pieces: Iterable[str], separator: str, quoting: Quoting) -> Quotes:
    """Return the faults of a text's quotation marks under a quoting."""
    check = _QuoteCheck(separator, quoting)
    rest, least = "", 0
    for piece in pieces:
        rest += piece
        if len(rest) < least:
            continue
        rest = rest[check.check(rest, is_end=False) :]
        if check.quotes.opened is not None or len(rest) > _LONGEST_FIELD:
            break
        least = 2 * len(rest)  # so that a long record is not checked again for each piece
    if rest and check.quotes.opened is None:
        check.check(rest + "\n" * (not rest.endswith(("\r", "\n"))), is_end=True)
    return check.quotes


class _Patterns(NamedTuple):
    rows: re.Pattern[str]  # as many records of one line as possible
    record: re.Pattern[str]  # a record of one or several lines
    field: re.Pattern[str]  # a field of the csv module: the quoted part, the rest, its end
    needed: re.Pattern[str]  # a field with a separator or a doubled mark, which needs its quotes


@cache
def _patterns(separator: str, quoting: Quoting) -> _Patterns:
    mark, lead = quoting.mark, " *+" if quoting.skips_blanks else ""
    stop, end = re.escape(separator), r"(?:\n|\r\n?)"
    blanks = "".join(blank for blank in " \t" if blank != separator)
    within, within_line = (f"(?:[^{mark}{out}]++|{mark}{mark})*+" for out in ("", "\r\n"))
    plain = f"[^{mark}{stop}\r\n]*+(?=[{stop}\r\n])"
    formula = f'="(?:[^"{stop}\r\n]++|"")*+"'
    sound, sound_line = (
        f"(?:{plain}|{lead}{mark}{inner}{mark}[{blanks}]*+|{formula})"
        for inner in (within, within_line)
    )
    unquoted = f"(?!{lead}{mark})"
    return _Patterns(
        re.compile(f"(?:{sound_line}(?:{stop}{sound_line})*+{end})*+"),
        re.compile(f"{sound}(?:{stop}{sound})*+{end}"),
        re.compile(f"(?:{lead}({mark}{within}{mark})|{unquoted})([^{stop}\r\n]*+)({stop}|{end})"),
        re.compile(
            f"(?:^|{stop}){mark}[^{mark}\r\n]*(?:{stop}|{mark}{mark})"
            f"(?:[^{mark}\r\n]|{mark}{mark})*{mark}(?={stop}|$)",
            re.MULTILINE,
        ),
    )


class _QuoteCheck:
    """Checks a text piece by piece."""

    def __init__(self, separator: str, quoting: Quoting) -> None:
        self.quotes = Quotes()
        self._separator = separator
        self._mark = quoting.mark
        self._patterns = _patterns(separator, quoting)
        self._line = 1

    def check(self, text: str, *, is_end: bool) -> int:
        """Check a piece, and return the start of the record for which more text is needed."""
        rows, record, _, _ = self._patterns
        place = judged = 0
        while True:
            sound = rows.match(text, place)
            place = sound.end() if sound else place
            self._line += line_ends(text, judged, place)
            judged = place
            if place == len(text):
                return place
            if match := record.match(text, place):
                self._check_lines(match[0])
                if self.quotes.opened is not None:
                    return place
                place = match.end()
            else:
                end = self._check_fields(text, place, is_end=is_end)
                if end is None:
                    return place
                place = end

    def _check_fields(self, text: str, start: int, *, is_end: bool) -> int | None:
        """Note the faults of a record, and return its end.

        None if a quote is not closed: that is an error, or more text is needed.
        """
        place, opened, is_doubtful, end = start, None, False, self._separator
        while end == self._separator:
            match = self._patterns.field.match(text, place)
            if match is None:
                if is_end:
                    self._note_opened(text, start, place)
                return None
            quoted, rest, end = match.groups()
            if quoted and _LINE_END.search(quoted):
                opened = place
            is_formula = _FORMULA.fullmatch(rest)
            if rest.strip(" \t") if quoted else self._mark in rest and not is_formula:
                is_doubtful = True
                if opened is not None:  # most likely a mark of a later row has closed it
                    self._note_opened(text, start, opened)
                    self.quotes.until = self._line + line_ends(text, start, match.end(2))
                    return None
            place = match.end()
        if is_doubtful:
            self.quotes.doubtful.add(str(self._line))
        return place

    def _note_opened(self, text: str, start: int, opened: int) -> None:
        self.quotes.opened = self._line + line_ends(text, start, opened)

    def _check_lines(self, record: str) -> None:
        """Note a record of several lines whose first and last line look like rows.

        Its marks fit, but one may be missing in the first line, and another in the last.
        """
        lines = _LINE_END.split(record)[:-1]
        first, last = (line.split(self._separator) for line in (lines[0], lines[-1]))
        if len(first) != len(last) or len(first) < _FEWEST:
            return
        if len(first) < len(self._patterns.field.findall(record)):
            return
        until = self._line + len(lines) - 1
        pairs = [pair for pair in zip(first, last, strict=True) if self._mark not in "".join(pair)]
        numbers = [[bool(_NUMBER.fullmatch(text)) for text in pair] for pair in pairs]
        if any(upper != lower for upper, lower in numbers):
            return
        if len(first) >= _SURE and any(upper for upper, _ in numbers):
            self.quotes.opened, self.quotes.until = self._line, until
            return
        self.quotes.row_like.add(f"{self._line} to {until}")
