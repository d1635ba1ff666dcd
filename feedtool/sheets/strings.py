"""The shared strings: a million of them in little more memory than their letters."""

import re
from array import array
from collections.abc import Iterator
from itertools import accumulate

from feedtool.model.limits import MIB, Limits
from feedtool.sheets.cut import Grammar, pieces
from feedtool.sheets.escapes import escape, spreadsheet_text, unescape
from feedtool.sheets.markup import corrupt
from feedtool.sheets.package import DEFAULT_LIMITS
from feedtool.sheets.plain import Writings, as_utf8
from feedtool.sheets.unreadable import ZipBomb
from feedtool.sheets.walker import Element, Walker

_GRAMMAR = Grammar(b"sst", b"si>", may_have_attributes=True)
_STRING = re.compile(
    rb'<si><t(?: xml:space="preserve")?(?:>([^<]*+)</t>|/>)</si>[ \t\n]*+(?=<si>|\Z)', re.ASCII
)


_MOST = 1 << 24
"""Texts; each costs eight bytes, even an empty one."""


class SharedStrings:
    """Texts by index, kept as one UTF-8 blob and the places where each begins."""

    def __init__(self, part: str = "", limits: Limits = DEFAULT_LIMITS) -> None:
        self._part = part
        self._limits = limits
        self._blob = bytearray()
        self._starts = array("Q", [0])

    @classmethod
    def read(cls, stream: Iterator[bytes], part: str, limits: Limits) -> "SharedStrings":
        """Read the part. Raises CorruptXml, XmlDoctype, ZipBomb."""
        strings = cls(part, limits)
        events = _StringEvents(part, limits)
        writings = Writings(_plain_strings)
        for piece in pieces(as_utf8(stream, part), _GRAMMAR):
            found = None
            if piece.prefix is not None and events.expects_strings(piece.prefix):
                found = writings.offer(piece.data, piece.prefix)
            strings.extend(events.feed(piece.data) if found is None else found)
        events.finish()
        return strings

    def extend(self, texts: list[bytes]) -> None:
        """Append texts, each escaped as XML and in UTF-8. Raises ZipBomb."""
        if not texts:
            return
        start = self._starts.pop()
        self._starts.extend(accumulate(map(len, texts), initial=start))
        self._blob += b"".join(texts)
        if len(self._blob) > self._limits.strings or len(self) > _MOST:
            size = self._limits.strings // MIB
            raise ZipBomb(
                f"The workbook holds more than {size} MiB of texts, or more than {_MOST:,} texts.",
                "Split the file.",
            )

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: int) -> str:
        """The text of this index. Raises CorruptXml if there is none."""
        if not 0 <= index < len(self._starts) - 1:
            part = self._part or "of the shared strings"
            raise corrupt(part, f"text {index} is looked up, and there are {len(self)}")
        text = self._blob[self._starts[index] : self._starts[index + 1]].decode()
        return spreadsheet_text(unescape(text)) if "&" in text or "_x" in text else text


def _plain_strings(text: str) -> list[bytes] | None:
    """The strings of a piece; None unless each of them is nothing but a text."""
    data = text.encode()
    found = _STRING.findall(data)
    is_all = found and data.startswith(b"<si") and len(found) == data.count(b"<si")
    return found if is_all else None


class _StringEvents:
    """The same by a parser, for whatever the pattern does not know: rich text, prefixes, CDATA."""

    def __init__(self, part: str, limits: Limits) -> None:
        self._done: list[bytes] = []
        self._runs: list[str] = []
        text = Element(text=self._runs.append)
        # What counts is the text itself and its runs, not the phonetic guides (`rPh`) beside them.
        string = Element({"t": text, "r": Element({"t": text})}, end=self._end)
        self._table = Element({"si": string})
        self._walker = Walker({"sst": self._table}, part, limits)

    def expects_strings(self, prefix: str) -> bool:
        """Whether an `si` with this prefix (`x:` or none) would be a shared string now."""
        return self._walker.is_right_inside(self._table, prefix)

    def feed(self, data: bytes) -> list[bytes]:
        """The strings that end in `data`, escaped as XML and in UTF-8."""
        self._walker.feed(data)
        done, self._done = self._done, []
        return done

    def finish(self) -> None:
        """The part is at its end."""
        self._walker.finish()

    def _end(self) -> None:
        self._done.append(escape("".join(self._runs)).encode())
        self._runs.clear()
