"""The shared strings: a million of them in little more memory than their letters."""

import re
from array import array
from collections.abc import Iterator
from itertools import accumulate

from feedtool.sheets.cut import Grammar, pieces
from feedtool.sheets.escapes import escape, spreadsheet_text, unescape
from feedtool.sheets.markup import MAIN_NAMESPACES, corrupt, hardened_parser, parse
from feedtool.sheets.package import DEFAULT_LIMITS, MIB, Limits
from feedtool.sheets.unreadable import ZipBomb

_GRAMMAR = Grammar(re.compile(rb"<sst(?: [^<>]*)?(?<!/)>"), b"<si>", b"</sst>")
_STRING = re.compile(
    rb'<si><t(?: xml:space="preserve")?>([^<]*+)</t></si>[ \t\n]*+(?=<si>|\Z)', re.ASCII
)
_NAMES = {
    f"{namespace} {name}": name
    for namespace in MAIN_NAMESPACES
    for name in ("sst", "si", "r", "t", "rPh")
}
_TEXT_PATHS = (["sst", "si", "t"], ["sst", "si", "r", "t"])
"""Where text counts: the phonetic guide (`rPh`) of East Asian words does not."""


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
        for piece in pieces(stream, _GRAMMAR):
            found = None
            if piece.text is not None and events.path == ["sst"] and events.is_default:
                found = _STRING.findall(piece.data)
            if found is None or len(found) != piece.data.count(b"<si"):
                found = events.feed(piece.data)
            strings.extend(found)
        strings.extend(events.finish())
        return strings

    def extend(self, texts: list[bytes]) -> None:
        """Append texts, each escaped as XML and in UTF-8. Raises ZipBomb."""
        if not texts:
            return
        start = self._starts.pop()
        self._starts.extend(accumulate(map(len, texts), initial=start))
        self._blob += b"".join(texts)
        if len(self._blob) > self._limits.strings:
            size = self._limits.strings // MIB
            raise ZipBomb(f"The workbook holds more than {size} MiB of texts.", "Split the file.")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: int) -> str:
        """The text of this index. Raises CorruptXml if there is none."""
        if not 0 <= index < len(self._starts) - 1:
            part = self._part or "of the shared strings"
            raise corrupt(part, f"text {index} is looked up, and there are {len(self)}")
        text = self._blob[self._starts[index] : self._starts[index + 1]].decode()
        return spreadsheet_text(unescape(text)) if "&" in text or "_x" in text else text


class _StringEvents:
    """The same by a parser, for whatever the pattern does not know: rich text, prefixes, CDATA."""

    def __init__(self, part: str, limits: Limits) -> None:
        self.path: list[str] = []
        self.is_default = False
        """Whether a tag without a prefix is in the workbook's namespace."""
        self._part = part
        self._limit = limits.text
        self._done: list[bytes] = []
        self._runs: list[str] = []
        self._size = 0
        self._fed = 0
        self._parser = hardened_parser(part, " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartNamespaceDeclHandler = self._namespace

    def feed(self, data: bytes) -> list[bytes]:
        """The strings that end in `data`, escaped as XML and in UTF-8."""
        self._parse(data, final=False)
        done, self._done = self._done, []
        return done

    def finish(self) -> list[bytes]:
        """The part is at its end. Raises CorruptXml if it should not be."""
        self._parse(b"", final=True)
        return self._done

    def _parse(self, data: bytes, *, final: bool) -> None:
        self._fed += len(data)
        parse(self._parser, data, self._part, final=final)
        if self.path and self._fed - self._parser.CurrentByteIndex > self._limit + len(data):
            raise ZipBomb(f"Part {self._part} holds a tag of more than {self._limit} bytes.")

    def _namespace(self, prefix: str | None, uri: str) -> None:
        if not self.path and not prefix:
            self.is_default = uri in MAIN_NAMESPACES

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        self.path.append(_NAMES.get(name, ""))
        if self.path == ["sst", "si"]:
            self._runs, self._size = [], 0

    def _end(self, _name: str) -> None:
        if self.path == ["sst", "si"]:
            self._done.append(escape("".join(self._runs)).encode())
        self.path.pop()

    def _text(self, text: str) -> None:
        if self.path in _TEXT_PATHS:
            self._runs.append(text)
            self._size += len(text)
            if self._size > self._limit:
                raise ZipBomb(f"A text in {self._part} has more than {self._limit} characters.")
