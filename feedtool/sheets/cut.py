"""A stream of XML, cut into a prolog, pieces of whole items (rows, strings) and an epilog.

Outside of comments, CDATA and processing instructions a `<` can only begin a tag. So the text
before the last `<row` of a buffer that is in none of them is made of whole rows, and may be read
by pattern or handed to a parser that never saw the pieces before it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

_FIRST = 1 << 16
"""Bytes of the first piece: enough to learn what a row looks like, little enough to be parsed."""
_PROLOG = 1 << 20
_ITEM = 1 << 22
"""Bytes of a prolog or an item that are worth waiting for; longer ones are the parser's."""
_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")
_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?<\?xml\s[^<>]*\?>")
_ASIDE = (
    r"<(?:!--(?:[^-]++|-(?!->))*+(?:-->|\Z)"
    r"|!\[CDATA\[(?:[^\]]++|\](?!\]>))*+(?:\]\]>|\Z)"
    r"|\?(?:[^?]++|\?(?!>))*+(?:\?>|\Z))"
)
"""Where a `<` is no tag; as far as to the end, or a million beginnings would each be searched for
the end that none of them has."""
_ASIDES = re.compile(_ASIDE.encode())
_SPLIT = re.compile(f"({_ASIDE})")


@dataclass(frozen=True, slots=True)
class Grammar:
    """The element around a part's items, and how the items begin: names without their prefix."""

    around: bytes
    item: bytes
    may_have_attributes: bool = False
    """Whether the element around them is looked for with attributes too."""

    @property
    def opening(self) -> re.Pattern[bytes]:
        """The tag around the items; its first group is the prefix, `x:` or nothing."""
        attributes = rb"(?: [^<>]*)?(?<!/)" if self.may_have_attributes else b""
        return re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?)" + self.around + attributes + rb">")


class Piece(NamedTuple):
    """A stretch of the part; all pieces together are the part, byte for byte."""

    data: bytes
    prefix: str | None
    """If it is whole items: what stands before their names, `x:` or nothing. None if only a
    parser may read it."""


def pieces(stream: Iterator[bytes], grammar: Grammar) -> Iterator[Piece]:
    """Cut a part in UTF-8; a piece is about as long as the stream's blocks."""
    buffer = b""
    opened = None
    opening = grammar.opening
    for chunk in stream:
        buffer += chunk
        opened = opening.search(buffer)
        if opened or len(buffer) > _PROLOG:
            break
    if opened is None or not _is_simple_prolog(buffer[: opened.end()]):
        yield from _for_the_parser(buffer, stream)
        return
    yield Piece(buffer[: opened.end()], None)
    yield from _items(buffer[opened.end() :], stream, grammar, opened[1])


def _items(
    buffer: bytes, stream: Iterator[bytes], grammar: Grammar, prefix: bytes
) -> Iterator[Piece]:
    """The pieces after the opening tag."""
    window: int | None = _FIRST
    item, closing = b"<" + prefix + grammar.item, b"</" + prefix + grammar.around
    while True:
        tags = _only_tags(buffer, item, closing)
        end = tags.find(closing, 0, window)
        cut = end if end >= 0 else max(tags.rfind(item, 0, window), 0)
        window = None if window and not cut else window
        if len(buffer) - cut > _ITEM:
            break
        if cut:
            yield Piece(buffer[:cut], prefix.decode())
            window = None
        buffer = buffer[cut:]
        if end >= 0:
            break
        chunk = next(stream, b"")
        if not chunk:
            break
        buffer += chunk
    yield from _for_the_parser(buffer, stream)


def split_aside(text: str) -> list[str]:
    """A text by turns: what is no comment, CDATA or processing instruction, and what is one."""
    return _SPLIT.split(text)


def _only_tags(data: bytes, *tags: bytes) -> bytes:
    """The same with blanks for whatever looks like one of the tags and is none."""
    # Single characters are found at fifty times the speed of two.
    if not (b"!" in data and b"<!" in data) and not (b"?" in data and b"<?" in data):
        return data
    asides = b"".join(_ASIDES.findall(data))
    if not any(tag in asides for tag in tags):
        return data
    return _ASIDES.sub(lambda found: b" " * len(found[0]), data)


def _is_simple_prolog(prolog: bytes) -> bool:
    """Whether the part is UTF-8 and its opening tag no part of a comment or an instruction."""
    declared = _ENCODING.search(prolog)
    rest = _DECLARATION.sub(b"", prolog)
    is_utf_8 = declared is None or declared[1].lower() == b"utf-8"
    return is_utf_8 and b"<!" not in rest and b"<?" not in rest


def _for_the_parser(buffer: bytes, stream: Iterator[bytes]) -> Iterator[Piece]:
    return (Piece(data, None) for data in chain((buffer,), stream) if data)
