"""The shared strings: a million of them in little more memory than their letters."""

import re
from array import array
from collections.abc import Iterator
from itertools import accumulate

from feedtool.model.limits import MIB, ReadingLimits
from feedtool.sheets.read.errors import ZipBomb
from feedtool.sheets.read.escapes import escape, spreadsheet_text, unescape
from feedtool.sheets.read.package import DEFAULT_LIMITS
from feedtool.sheets.read.xml_chunks import chunks, normalize_xml
from feedtool.sheets.read.xml_parser import Node, XmlParser, corrupt, string_text

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
"""A text, or runs of text in several formats, with phonetic guides behind it that do not count."""
_BESIDE = re.compile(rf"{_GUIDE}".encode(), re.ASCII)
_OF_RUN = re.compile(rb"<t[^>]*+>([^<]*+)</t>", re.ASCII)

_MOST = 1 << 24
"""Texts; each costs eight bytes, even an empty one."""


class SharedStrings:
    """Texts by index, kept as one UTF-8 blob and the places where each begins."""

    def __init__(self, part: str = "", limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self._part = part
        self._limits = limits
        self._blob = bytearray()
        self._starts = array("Q", [0])

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
            if chunk.prefix is not None and parser.is_right_inside("/sst", chunk.prefix):
                texts = _by_pattern(chunk.data, chunk.prefix)
            if texts is None:
                parser.feed(chunk.data)
                texts = parsed
            strings.extend(texts)
            parsed.clear()
        parser.finish()
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


def _by_pattern(data: bytes, prefix: str) -> list[bytes] | None:
    """The strings of a chunk; None unless each of them is a text or runs of text."""
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
    return [b"".join(_OF_RUN.findall(_BESIDE.sub(b"", string))) for string in inner]
