"""Find the encoding of a text file by reading all of it once."""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from io import IncrementalNewlineDecoder, TextIOWrapper
from pathlib import Path

from msgspec import Struct

from feedtool.model.limits import MIB
from feedtool.model.text import tr
from feedtool.sheets.read.code_pages import (
    MOST_WORDS,
    NOT_LATIN,
    USUAL,
    CodePage,
    Doubts,
    east_asian_pages,
    find_page,
    words_in,
)
from feedtool.sheets.read.errors import CsvEncoding, CsvNul, EmptyFile, NotAWorkbook
from feedtool.sheets.read.source import Notice

_BLOCK = 1 << 18
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # UTF-32 first: its mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = {"utf-32-le": 4, "utf-32-be": 4, "utf-16-le": 2, "utf-16-be": 2}
"""Encodings that write ASCII with NULs, and their bytes for a letter; the longer ones first."""
_USUAL = frozenset(map(chr, range(ord(" "), ord("~") + 1))) | frozenset("\t\r\n")
_START = 1 << 12
_LONGEST_LINE = 16 * MIB
_ENOUGH_BLOCKS = 16
"""Blocks with letters beyond ASCII that are enough to guess a code page."""
MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
"""A letter beyond ASCII in UTF-8 (RFC 3629, section 4)."""
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f\ufeff]")
_BETWEEN_WORDS = re.compile(r"[\s,;|\"']+")
_WORD = 20
"""Characters shown on each side of a letter beyond ASCII."""
_SAVE_AS_UTF8 = tr('Open it in a spreadsheet program and save it as "CSV UTF-8".')


class Encoding(Struct, frozen=True):
    """The encoding of a text file, and its oddities."""

    name: str
    """A codec that does not handle the byte order mark."""
    mark: bytes
    """The byte order mark, or empty."""
    is_odd: bool
    """True if it ends in Ctrl-Z, or has a further byte order mark, since files were joined."""
    quotes: str
    """The marks `"` and `'` that occur."""
    notices: tuple[Notice, ...] = ()
    doubts: Doubts | None = None
    is_certain: bool = True
    """False if it was guessed, and a few more letters could change the guess."""

    def open(self, path: Path) -> TextIOWrapper:
        """Open the text after the byte order mark, with unchanged line ends."""
        file = path.open("rb")
        file.seek(len(self.mark))
        return TextIOWrapper(file, encoding=self.name, newline="")

    def lines(self, file: Iterable[str], mark: str = "\ufeff") -> Iterable[str]:
        """Return the lines of an open text without byte order marks (`mark`) and Ctrl-Z."""
        return _without_marks(file, mark) if self.is_odd else file


def leading_marks(line: str, mark: str) -> str:
    """Return the byte order marks at the beginning of a line."""
    count = 0
    while mark and line.startswith(mark, count):
        count += len(mark)
    return line[:count]


def _without_marks(lines: Iterable[str], mark: str) -> Iterator[str]:
    """Yield the lines without byte order marks before them and without a final Ctrl-Z."""
    previous = ""
    for line in lines:
        if previous:
            yield previous
        previous = line.removeprefix(leading_marks(line, mark))
    previous = previous.removesuffix("\x1a")
    if previous:
        yield previous


def line_ends(text: str, start: int = 0, end: int | None = None) -> int:
    """Return the number of lines that end in a part of a text."""
    count = text.count("\n", start, end)
    if "\r" in text:
        count += text.count("\r", start, end) - text.count("\r\n", start, end)
    return count


class _Survey:
    """Decodes a file block by block, and notes its properties. Raises CsvNul, NotAWorkbook."""

    def __init__(self, path: Path, encoding: str, skip: int) -> None:
        self.encoding = encoding
        self.line = 1
        """The physical line that was reached."""
        self.unfit = ""
        """The first bytes that are invalid in the encoding, in hexadecimal."""
        self.first_beyond_ascii = (0, "")
        """The line and the word of the first letter beyond ASCII."""
        self.last = ""
        self.has_mark = False
        self.quotes: set[str] = set()
        self.is_blank = True
        self._unbroken = 0
        codec = codecs.getincrementaldecoder(encoding)()
        decoder = IncrementalNewlineDecoder(codec, translate=False)  # splits no \r\n
        with path.open("rb") as file:
            file.seek(skip)
            block = b"more"
            while block and not self.unfit:
                block = file.read(_BLOCK)
                undecoded, flags = decoder.getstate()
                try:
                    text = decoder.decode(block, final=not block)
                except UnicodeDecodeError as error:
                    before = (undecoded + block)[: error.start].decode(encoding, "ignore")
                    text = "\r" * (flags & 1) + before
                    self.unfit = error.object[error.start : error.end + 3][:4].hex(" ")
                if text:
                    self._note(text)

    def _note(self, text: str) -> None:
        if "\0" in text:
            line = self.line + line_ends(text, 0, text.index("\0"))
            raise CsvNul(
                tr("Line {line} of the text holds a NUL byte.", line=line),
                tr("Make the export again. {hint}", hint=_SAVE_AS_UTF8),
            )
        is_first = not self.first_beyond_ascii[0] and not text.isascii()
        if is_first and (match := _BEYOND_ASCII.search(text)):
            start = match.start()
            before = _BETWEEN_WORDS.split(text[max(start - _WORD, 0) : start])[-1]
            after = _BETWEEN_WORDS.split(text[start : start + _WORD])[0]
            self.first_beyond_ascii = (self.line + line_ends(text, 0, start), before + after)
        self.has_mark = self.has_mark or "\ufeff" in text
        self.quotes.update(quote for quote in "\"'" if quote in text)
        self.is_blank = self.is_blank and not text.strip("\ufeff\x1a \t\r\n")
        self.last = text[-1]
        lines = line_ends(text)
        self.line += lines
        self._unbroken = 0 if lines else self._unbroken + len(text)
        if self._unbroken > _LONGEST_LINE:
            raise NotAWorkbook(
                tr("The file has no lines."), tr("Give the .xlsx, .xlsm or .csv file.")
            )


def find_encoding(path: Path, fallback: str = "") -> Encoding:
    """Return the encoding: by a byte order mark or NULs, else UTF-8 if it fits, else the fallback.

    Without a fallback the words of the text decide. Raises CsvEncoding, CsvNul, EmptyFile,
    NotAWorkbook (a line of more than 16 MiB).
    """
    with path.open("rb") as file:
        mark, name = unicode_of(file.read(_START))
    survey = _Survey(path, name, len(mark))
    notices: tuple[Notice, ...] = ()
    page = None
    if survey.unfit:
        if mark or name != "utf-8":
            raise _mixed_error(survey)
        page = CodePage(fallback) if fallback else _page_of(path, survey)
        survey = _Survey(path, page.name, 0)
        if survey.unfit:
            raise _unknown_error(survey, page.name, [])
        line, word = survey.first_beyond_ascii
        text = tr(
            "The text is not UTF-8 and was read as {fallback}: line {line} then says “{word}”.",
            fallback=page.name,
            line=line,
            word=word,
        )
        notices = (Notice("encoding-guessed", text),)
    if survey.is_blank:
        raise EmptyFile(tr("The file is empty."), tr("Make the export again and look at its size."))
    quotes, is_odd = "".join(sorted(survey.quotes)), survey.last == "\x1a" or survey.has_mark
    page = page or CodePage(survey.encoding)
    # Our letters are those of Western Europe: they confirm a guess of its page, and of no other.
    is_guess = bool(notices) and not fallback
    is_certain = page.fits and page.doubts is None and (page.name == USUAL or not is_guess)
    return Encoding(survey.encoding, mark, is_odd, quotes, notices, page.doubts, is_certain)


def _page_of(path: Path, survey: _Survey) -> CodePage:
    """Return the code page of a text that is not UTF-8, guessed by its words."""
    words, lines, has_mac_lines = set[bytes](), bytearray(), True
    with path.open("rb") as file:
        rest, missing, block = b"", _ENOUGH_BLOCKS, b"more"
        while block:
            block = file.read(_BLOCK)
            has_mac_lines = has_mac_lines and b"\n" not in block
            piece = rest + block
            end = max(piece.rfind(mark) for mark in b"\r\n;,\t") + 1 if block else len(piece)
            piece, rest = piece[:end], piece[end:]
            if (missing > 0 and not piece.isascii()) or MULTIBYTE.search(piece):
                words |= words_in(piece)
                missing -= 1
            if len(lines) < _START and not piece.isascii():
                lines += b"".join(line for line in piece.splitlines(True) if not line.isascii())
    by_doubt = sorted(words, key=lambda word: (not MULTIBYTE.search(word), word))
    page = find_page(by_doubt[:MOST_WORDS], has_mac_lines=has_mac_lines)
    is_known = page is not None and page.fits and page.name in {USUAL, *NOT_LATIN}
    likely = [] if is_known else east_asian_pages(bytes(lines))
    if page is None or likely:
        raise _unknown_error(survey, USUAL, likely)
    if page.are_mixed:
        raise _mixed_error(survey)
    return page


def _mixed_error(survey: _Survey) -> CsvEncoding:
    return CsvEncoding(
        tr(
            "Line {line} of the text holds bytes ({unfit}) that cannot be {name}, although "
            "the rest is.",
            line=survey.line,
            unfit=survey.unfit,
            name=survey.encoding,
        ),
        tr("Two encodings are mixed. {hint}", hint=_SAVE_AS_UTF8),
    )


def _unknown_error(survey: _Survey, fallback: str, likely: Sequence[str]) -> CsvEncoding:
    """Return the error of a text in another encoding; `likely` are guesses."""
    text = tr(
        "Line {line} of the text holds bytes ({unfit}) that are neither UTF-8 nor {fallback}.",
        line=survey.line,
        unfit=survey.unfit,
        fallback=fallback,
    )
    if not likely:
        hint = tr(
            "{hint} Or name its encoding in the profile, as csv_fallback.", hint=_SAVE_AS_UTF8
        )
        return CsvEncoding(text, hint)
    return CsvEncoding(
        text,
        tr(
            'It looks like Chinese, Japanese or Korean. {hint} Or write csv_fallback = "{likely}" '
            "in the profile (likely: {pages}).",
            hint=_SAVE_AS_UTF8,
            likely=likely[0],
            pages=", ".join(likely),
        ),
    )


def unicode_of(start: bytes) -> tuple[bytes, str]:
    """Return the byte order mark of a text, or b"", and its encoding, provided it is Unicode."""
    marked = next((known for known in _MARKS if start.startswith(known[0])), None)
    if marked or b"\0" not in start:
        return marked or (b"", "utf-8")
    for name in _UNMARKED:
        # Headers are ASCII more often than rows are.
        line = start.decode(name, "ignore").partition("\n")[0]
        if 2 * sum(letter in _USUAL for letter in line) >= len(line) > 0:
            return b"", name
    return b"", "utf-8"
