"""A stream of XML, cut into a prolog, pieces of whole items (rows, strings) and an epilog.

In XML without comments, CDATA and processing instructions a `<` can only begin a tag. So the text
before the last `<row` of a buffer is made of whole rows, and may be read by pattern or handed to
a parser that never saw the pieces before it. The first `<!` or `<?` ends that reasoning, and from
there on everything is for the parser.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from feedtool.sheets.escapes import has_only_known_references

_FIRST = 1 << 16
"""Bytes of the first piece: enough to learn what a row looks like, little enough to be parsed."""
_PROLOG = 1 << 20
_ITEM = 1 << 22
"""Bytes of a prolog or an item that are worth waiting for; longer ones are the parser's."""
_FORBIDDEN = bytes(code for code in range(32) if code not in b"\t\n")
"""Control characters, and `\r`, which a parser would turn into a line feed."""
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")


@dataclass(frozen=True, slots=True)
class Grammar:
    """Where the items of a part begin and end."""

    opening: re.Pattern[bytes]
    item: bytes
    closing: bytes


class Piece(NamedTuple):
    """A stretch of the part; all pieces together are the part, byte for byte."""

    data: bytes
    text: str | None
    """The same decoded, if it is whole items in plain XML; None if only a parser may read it."""


def pieces(stream: Iterator[bytes], grammar: Grammar) -> Iterator[Piece]:
    """Cut a part; a piece is about as long as the stream's blocks."""
    buffer = b""
    opened = None
    for chunk in stream:
        buffer += chunk
        opened = grammar.opening.search(buffer)
        if opened or len(buffer) > _PROLOG:
            break
    if opened is None or not _is_simple_prolog(buffer[: opened.end()]):
        yield from _for_the_parser(buffer, stream)
        return
    yield Piece(buffer[: opened.end()], None)
    yield from _items(buffer[opened.end() :], stream, grammar)


def _items(buffer: bytes, stream: Iterator[bytes], grammar: Grammar) -> Iterator[Piece]:
    """The pieces after the opening tag."""
    window: int | None = _FIRST
    while True:
        end = buffer.find(grammar.closing, 0, window)
        cut = end if end >= 0 else max(buffer.rfind(grammar.item, 0, window), 0)
        window = None if window and not cut else window
        data = buffer[:cut]
        if b"<!" in data or b"<?" in data or len(buffer) - cut > _ITEM:
            break
        if data:
            yield Piece(data, plain(data))
            window = None
        buffer = buffer[cut:]
        if end >= 0:
            break
        chunk = next(stream, b"")
        if not chunk:
            break
        buffer += chunk
    yield from _for_the_parser(buffer, stream)


def plain(data: bytes) -> str | None:
    """The text, if a parser would find in it the same characters and no fault; else None."""
    if len(data.translate(None, _FORBIDDEN)) != len(data) or b"]]>" in data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if not data.isascii() and ("\ufffe" in text or "\uffff" in text):
        return None
    return text if has_only_known_references(text) else None


def _is_simple_prolog(prolog: bytes) -> bool:
    """Whether the part is UTF-8 and its opening tag no part of a comment."""
    declared = _ENCODING.search(prolog)
    return b"<!" not in prolog and (declared is None or declared[1].lower() == b"utf-8")


def _for_the_parser(buffer: bytes, stream: Iterator[bytes]) -> Iterator[Piece]:
    return (Piece(data, None) for data in chain((buffer,), stream) if data)
