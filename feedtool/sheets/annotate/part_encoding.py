"""The encoding of a part. Whatever it is, the part is patched in UTF-8 and put back as it was.

Nearly all parts are UTF-8 and pass through untouched. UTF-16 and the single-byte encodings go to
UTF-8 and back without a loss; a character of ours that such an encoding lacks is written as a
character reference.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from feedtool.sheets.read.xml_parser import corrupt

_DECLARATION = re.compile(r"\A\ufeff?<\?xml[^>]*?\?>")
_ENCODING = re.compile(r"""encoding\s*=\s*["']([^"']+)""")
_LEAD = 256
"""Bytes in which an XML declaration must have ended."""


@dataclass(frozen=True, slots=True)
class Coding:
    """The writing of a part."""

    lead: bytes = b""
    """The byte order mark and the XML declaration as they stand, if the part is no UTF-8."""
    codec: str | None = None
    """None for UTF-8, where nothing has to be done."""

    def encode(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """UTF-8 as the part's own bytes, the lead in front."""
        if self.codec is None:
            yield from pieces
            return
        yield self.lead
        decoder = codecs.getincrementaldecoder("utf-8")()
        for piece in pieces:
            yield decoder.decode(piece).encode(self.codec, "xmlcharrefreplace")


def utf8(stream: Iterator[bytes], part: str) -> tuple[Coding, Iterator[bytes]]:
    """A part's coding and its bytes as UTF-8, without the lead where it is another encoding.

    Raises CorruptXml for an encoding that nobody knows, and while the bytes are read for bytes
    that do not belong to it.
    """
    first = b""
    for piece in stream:
        first += piece
        if len(first) >= _LEAD:
            break
    stream = chain((first,), stream) if first else stream
    codec = _codec(first[:_LEAD], part)
    if codec is None:
        return Coding(), stream
    lead = _lead(first[:_LEAD], codec)
    return Coding(lead, codec), _decoded(stream, len(lead), codec, part)


def _codec(start: bytes, part: str) -> str | None:
    """The Python codec of a part that is no UTF-8, the byte order mark being in the lead."""
    if start.startswith((codecs.BOM_UTF16_LE, b"<\0")):
        return "utf-16-le"
    if start.startswith((codecs.BOM_UTF16_BE, b"\0<")):
        return "utf-16-be"
    declaration = _DECLARATION.match(start.removeprefix(codecs.BOM_UTF8).decode("latin-1"))
    name = declaration and _ENCODING.search(declaration[0])
    if not name:
        return None
    try:
        "".encode(name[1])  # refuses what is a codec, but of no text
        codec = codecs.lookup(name[1]).name
    except (LookupError, ValueError):
        raise corrupt(part, f"its encoding {name[1]!r} is unknown") from None
    if codec != "utf-8" and not _is_single_byte(codec):
        raise corrupt(part, f"its encoding {name[1]!r} is not used in workbooks")
    return None if codec == "utf-8" else codec


def _is_single_byte(codec: str) -> bool:
    """True if each byte is a character by itself, so that a text may be encoded in pieces."""
    every = [bytes((code,)) for code in range(256)]
    characters = b"".join(every).decode(codec, "replace")
    return len(characters) == len(every) and all(
        byte.decode(codec, "ignore").encode(codec) in (b"", byte) for byte in every
    )


def _lead(start: bytes, codec: str) -> bytes:
    declaration = _DECLARATION.match(start.decode(codec, "ignore"))
    return declaration[0].encode(codec) if declaration else b""


def _decoded(stream: Iterator[bytes], lead: int, codec: str, part: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for piece in stream:
            yield decoder.decode(piece[lead:]).encode()
            lead = 0
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        raise corrupt(part, error) from error
