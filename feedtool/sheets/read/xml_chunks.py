"""Split a stream of XML into a prolog, chunks of whole items (rows, strings) and an epilog.

Outside of comments, CDATA and processing instructions a `<` can only begin a tag. So as long as a
part has none of these, the text before the last `<row` of a buffer consists of whole rows, and may
be read by pattern or by a parser that was not fed the chunks before it.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from feedtool.sheets.cell_text import has_only_known_references

_FIRST = 1 << 15
"""Bytes of the first chunk: enough to show the form of rows, few enough for the parser."""
_PROLOG = 1 << 20
_ITEM = 1 << 22
"""Bytes of a prolog and of an item at most; the parser reads longer ones."""
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")
_FORBIDDEN = bytes(code for code in range(32) if code not in b"\t\n\r")
_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?<\?xml\s[^<>]*\?>")


class Chunk(NamedTuple):
    """Some bytes of the part; all chunks together are the part."""

    data: bytes
    prefix: str | None
    """The prefix of the items' tags, `x:` or empty. None if only a parser may read the chunk."""


def chunks(
    stream: Iterator[bytes], container: bytes = b"sheetData", item: bytes = b"row"
) -> Iterator[Chunk]:
    """Yield the chunks of a part in UTF-8, each about the size of the stream's blocks.

    `container` is the name of the element around the items, `item` the beginning of the items'
    names, both without a prefix.
    """
    opening = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?)" + container + rb"(?: [^<>]*)?(?<!/)>")
    buffer, opened = b"", None
    for data in stream:
        buffer += data
        opened = opening.search(buffer)
        if opened or len(buffer) > _PROLOG:
            break
    if opened is None or not _is_simple_prolog(buffer[: opened.end()]):
        yield from _for_the_parser(buffer, stream)
        return
    yield Chunk(buffer[: opened.end()], None)
    begin, end = b"<" + opened[1] + item, b"</" + opened[1] + container
    yield from _items(buffer[opened.end() :], stream, begin, end, opened[1].decode())


def _items(
    buffer: bytes, stream: Iterator[bytes], begin: bytes, closing: bytes, prefix: str
) -> Iterator[Chunk]:
    """Yield the chunks after the opening tag."""
    window: int | None = _FIRST
    while not _has_aside(buffer):
        end = buffer.find(closing, 0, window)
        cut = end if end >= 0 else max(buffer.rfind(begin, 0, window), 0)
        window = None if window and not cut else window
        if len(buffer) - cut > _ITEM:
            break
        if cut:
            yield Chunk(buffer[:cut], prefix)
            window = None
        buffer = buffer[cut:]
        if end >= 0:
            break
        data = next(stream, b"")
        if not data:
            break
        buffer += data
    yield from _for_the_parser(buffer, stream)


def _has_aside(data: bytes) -> bool:
    """True if a comment, CDATA or processing instruction begins in the data."""
    # A search for one character is fifty times as fast as for two.
    return (b"!" in data and b"<!" in data) or (b"?" in data and b"<?" in data)


def _is_simple_prolog(prolog: bytes) -> bool:
    """True if the part is UTF-8 and its prolog has no comments or instructions."""
    declared = _ENCODING.search(prolog)
    is_utf_8 = declared is None or declared[1].lower() == b"utf-8"
    return is_utf_8 and not _has_aside(_DECLARATION.sub(b"", prolog))


def _for_the_parser(buffer: bytes, stream: Iterator[bytes]) -> Iterator[Chunk]:
    return (Chunk(data, None) for data in chain((buffer,), stream) if data)


def normalize_xml(data: bytes, prefix: str = "") -> str | None:
    r"""Return the text with `\n` for line ends and tags without their prefix (`x:` or empty).

    None if a character is not allowed in XML (production 2 of the recommendation), a reference is
    unknown, `]]>` is in a text, or a tag has another prefix.
    """
    if len(data.translate(None, _FORBIDDEN)) != len(data):
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if not data.isascii() and ("\ufffe" in text or "\uffff" in text):
        return None
    if "\r" in text:
        # A parser does this before anything else (XML 1.0, 2.11).
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # A search for one character is fifty times as fast as for three.
    if ("]" in text and "]]>" in text) or not has_only_known_references(text):
        return None
    return _without_prefix(text, prefix) if prefix else text


def _without_prefix(text: str, prefix: str) -> str | None:
    begin, end = f"<{prefix}", f"</{prefix}"
    if text.count("<") != text.count(begin) + text.count(end):
        return None
    return text.replace(begin, "<").replace(end, "</")
