"""The separator and the quoting of a CSV's fields, and where quotation marks do not fit.

The csv module reads any text: a quotation mark that is never closed takes in the rows below it, up
to the next mark. Here patterns prove that each mark opens or closes a field, or is doubled in one;
only the few records where they fail are looked at field by field.
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
"""In case of doubt the first."""
_RECORDS = 60
_ANNOTATED = re.compile(
    r"feedtool status[\"']?(.)[\"']?feedtool message[\"']?\1[\"']?feedtool code"
)
"""Our headings in a line: an annotated copy says by them what separates its fields."""
_ANNOUNCED = re.compile(r'"?sep=([^"\r\n])"?[ \t]*(?:\r\n|\n|\r)?', re.IGNORECASE)
_CODE = "csv-quotes"
_SOUND = (False, 0)
_LONGEST_FIELD = 16 << 20
"""Characters."""
_NAMED = 5
"""Lines that a notice names."""
_FEWEST = 3
"""Fields of a line that looks like a row; two may be a sentence with a comma in it."""
_SURE = 4
"""So many fields, with numbers where the others have numbers, are a row."""
_NUMBER = re.compile(r"[\s\d.,+%€$£-]*\d[\s\d.,+%€$£-]*")
_LINE_END = re.compile(r"\r\n?|\n")
_FORMULA = re.compile(r'="(?:[^"]|"")*"')
"""As Excel keeps the zeros of a number."""
_ALL_IN_APOSTROPHES = re.compile(
    r"'(?:[^'\r\n]|'')*' *([,;\t|])(?: *'(?:[^'\r\n]|'')*' *\1)* *'(?:[^'\r\n]|'')*'\s*"
)


def announced_separator(line: str) -> str | None:
    """The separator that a first line `sep=;` announces to Excel, else None."""
    match = _ANNOUNCED.fullmatch(line)
    return match[1] if match else None


def find_separator(lines: Sequence[str], quote: str = '"') -> str:
    """The separator of these lines, a header among them, with this quotation mark.

    A table begins with the first record that has several fields, as at least half of the records
    below it have. The separator whose table begins first wins, for the header line stands above
    decimal commas and the commas of descriptions; then the one that makes more columns. A copy
    that we annotated has wider records below other ones, and longer ones: its headings tell.
    """
    ours = (match[1] for line in lines if (match := _ANNOTATED.search(line)))
    annotated = next((separator for separator in ours if separator in CANDIDATES), None)
    if annotated:
        return annotated
    return max(CANDIDATES, key=lambda separator: _likelihood(lines, separator, quote))


def _likelihood(lines: Sequence[str], separator: str, quote: str) -> tuple[int, int, int]:
    """The earliness of the table, its width, and the width of the very first record."""
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
    """Blanks may stand between a separator and an opening mark."""


USUAL = Quoting()
APOSTROPHES = Quoting("'")


class _Lines:
    """The first lines that something is said of, and the number of all."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[str] = []

    def add(self, line: str) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self._first.append(line)

    def shown(self) -> MessageText:
        """The first lines, and how many more there are."""
        more, first = self.count - len(self._first), joined(self._first)
        return tr("{rows} and {left:,} more", rows=first, left=more) if more else first


class Quotes(Struct):
    """The fit of a whole text's quotation marks."""

    doubtful: _Lines = field(default_factory=_Lines)
    """Of records with a mark inside an unquoted field, or with text after a closing mark."""
    row_like: _Lines = field(default_factory=_Lines)
    """Of records of several lines of which the first and the last look like rows."""
    opened: int | None = None
    """The line where a mark opens that is not closed where its field ends; the last line judged."""
    until: int | None = None
    """The line where that shows; None is the end of the file."""

    @property
    def fault(self) -> tuple[bool, int]:
        """What is wrong with the marks; the greater the worse."""
        return self.opened is not None, self.doubtful.count

    @property
    def problem(self) -> CsvUnterminatedQuote | None:
        """The error of a mark that is not closed."""
        return None if self.opened is None else unclosed(self.opened, self.until)

    def notices(self) -> tuple[Notice, ...]:
        """The notices of marks that do not keep the text from being read."""
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
    """The error of a quotation mark that takes in the rows below it."""
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
    """The quoting that the first lines show by themselves: headers, or ours in a copy."""
    headers = next((line for line in lines if any(mark in line for mark in CANDIDATES)), "")
    is_ours = any("'feedtool status'" in line for line in lines)
    return APOSTROPHES if is_ours or _ALL_IN_APOSTROPHES.fullmatch(headers) else USUAL


def find_quoting(
    pieces: Callable[[], Iterable[str]], marks: str, separator: str, announced: Quoting
) -> tuple[Quoting, Quotes]:
    """The quoting that fits a text best, and what does not fit even so.

    `pieces` gives the text, in pieces that end in line ends; `marks` are those that occur in it;
    `announced` is the quoting that its first lines show by themselves.
    """
    if announced == USUAL and marks == "'" != separator:
        # `'tis` and `l'eau` are text; quotes are apostrophes that all fit, one for a reason.
        if any(map(_patterns(separator, APOSTROPHES).needed.search, pieces())):
            quotes = look(pieces(), separator, APOSTROPHES)
            if quotes.fault == _SOUND:
                return APOSTROPHES, quotes
        return USUAL, Quotes()
    if announced.mark not in marks:
        return announced, Quotes()
    quotes = look(pieces(), separator, announced)
    if quotes.fault > _SOUND and separator != " ":
        skipping = announced._replace(skips_blanks=True)
        others = look(pieces(), separator, skipping)
        if others.fault < quotes.fault:
            return skipping, others
    return announced, quotes


def look(pieces: Iterable[str], separator: str, quoting: Quoting) -> Quotes:
    """The fit of a text's marks if its fields are quoted so."""
    looking = _Looking(separator, quoting)
    rest, due = "", 0
    for piece in pieces:
        rest += piece
        if len(rest) < due:
            continue
        rest = rest[looking.look(rest, is_end=False) :]
        if looking.quotes.opened is not None or len(rest) > _LONGEST_FIELD:
            break
        due = 2 * len(rest)  # a long record is looked at seldom
    if rest and looking.quotes.opened is None:
        looking.look(rest + "\n" * (not rest.endswith(("\r", "\n"))), is_end=True)
    return looking.quotes


class _Patterns(NamedTuple):
    rows: re.Pattern[str]  # records of one line each, as many as there are
    record: re.Pattern[str]  # of one or several lines
    field: re.Pattern[str]  # as the csv module reads it: the quoted part, what follows, its end
    needed: re.Pattern[str]  # a field with a separator or a doubled mark: quoted for a reason


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


class _Looking:
    """Looks through a text piece by piece."""

    def __init__(self, separator: str, quoting: Quoting) -> None:
        self.quotes = Quotes()
        self._separator = separator
        self._mark = quoting.mark
        self._patterns = _patterns(separator, quoting)
        self._line = 1

    def look(self, text: str, *, is_end: bool) -> int:
        """Look at a piece; returns where the record starts that needs more text to be judged."""
        rows, record, _, _ = self._patterns
        at = judged = 0
        while True:
            sound = rows.match(text, at)
            at = sound.end() if sound else at
            self._line += line_ends(text, judged, at)
            judged = at
            if at == len(text):
                return at
            if match := record.match(text, at):
                self._look_for_rows(match[0])
                if self.quotes.opened is not None:
                    return at
                at = match.end()
            else:
                end = self._look_at_record(text, at, is_end=is_end)
                if end is None:
                    return at
                at = end

    def _look_at_record(self, text: str, start: int, *, is_end: bool) -> int | None:
        """The end of a record of several lines in which something is wrong.

        None where a quote is not closed: that is an error, or it needs more text.
        """
        at, opened, is_doubtful, end = start, None, False, self._separator
        while end == self._separator:
            match = self._patterns.field.match(text, at)
            if match is None:
                if is_end:
                    self._note_opened(text, start, at)
                return None
            quoted, behind, end = match.groups()
            if quoted and _LINE_END.search(quoted):
                opened = at
            is_formula = _FORMULA.fullmatch(behind)
            if behind.strip(" \t") if quoted else self._mark in behind and not is_formula:
                is_doubtful = True
                if opened is not None:  # a mark of a later row, most likely, has closed it
                    self._note_opened(text, start, opened)
                    self.quotes.until = self._line + line_ends(text, start, match.end(2))
                    return None
            at = match.end()
        if is_doubtful:
            self.quotes.doubtful.add(str(self._line))
        return at

    def _note_opened(self, text: str, start: int, opened: int) -> None:
        self.quotes.opened = self._line + line_ends(text, start, opened)

    def _look_for_rows(self, record: str) -> None:
        """Note a record of several lines the first and last of which look like rows themselves.

        Its marks fit, but one may be missing in the first line, and another one in the last.
        """
        lines = _LINE_END.split(record)[:-1]
        first, last = (lines[at].split(self._separator) for at in (0, -1))
        if len(first) != len(last) or len(first) < _FEWEST:
            return
        if len(first) < len(self._patterns.field.findall(record)):
            return
        until = self._line + len(lines) - 1
        beside = [pair for pair in zip(first, last, strict=True) if self._mark not in "".join(pair)]
        numbers = [[bool(_NUMBER.fullmatch(text)) for text in pair] for pair in beside]
        if any(upper != lower for upper, lower in numbers):
            return
        if len(first) >= _SURE and any(upper for upper, _ in numbers):
            self.quotes.opened, self.quotes.until = self._line, until
            return
        self.quotes.row_like.add(f"{self._line} to {until}")
