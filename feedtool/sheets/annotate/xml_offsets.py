"""Find the places of elements in the bytes of a part, so that it can be patched.

A part is never written anew from parsed elements. It is cut at the places of our markup, and all
other bytes stay. A part in another encoding than UTF-8 becomes UTF-8.
"""

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from feedtool.sheets.cell_text import quoted
from feedtool.sheets.read.package import DEFAULT_LIMITS
from feedtool.sheets.read.xml_parser import ROOT, Node, XmlParser, corrupt

_DECLARATION = re.compile(r"\A\ufeff?<\?xml[^>]*?\?>")
_ENCODING = re.compile(r"""encoding\s*=\s*["']([^"']+)""")
_LEAD = 256
"""Bytes within which an XML declaration must end."""
_TAG = re.compile(rb"<(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>")
"""A tag in well-formed XML, from its `<` on; an attribute may contain a `>`."""


class Edit(NamedTuple):
    """Bytes `start` to `end` of a part become `new`."""

    start: int
    end: int
    new: bytes


def appended(node: Node, data: bytes, new: bytes) -> Edit:
    """Return the edit that inserts `new` after an element's last child, also in `<name/>`."""
    if not node.is_empty_tag:
        return Edit(node.close, node.close, new)
    tag = data[node.start : node.end]
    name = node.prefix + node.name.encode()
    opened = tag[:-2].rstrip() + b">" + new + b"</" + name + b">"
    return Edit(node.start, node.end, opened)


def with_attribute(node: Node, data: bytes, name: str, value: str) -> Edit | None:
    """Return the edit that changes an attribute without prefix, or None if it is absent."""
    pattern = rb"\s" + name.encode() + rb"\s*=\s*(\"[^\"]*\"|'[^']*')"
    match = re.compile(pattern).search(data, node.start, node.inner)
    return match and Edit(match.start(1), match.end(1), quoted(value))


def splice(data: bytes, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> bytes:
    """Return bytes `start` to `end` of the part with the edits, which lie within them."""
    stop = len(data) if end is None else end
    view = memoryview(data)  # so that the bytes are copied only once
    pieces: list[bytes | memoryview] = []
    for edit in sorted(edits, key=itemgetter(0, 1)):
        pieces += (view[start : edit.start], edit.new)
        start = edit.end
    pieces.append(view[start:stop])
    return b"".join(pieces)


class PlaceParser(XmlParser):
    """A parser that also finds the ends of tags, and keeps the bytes that it was fed."""

    buffer = b""
    done = 0
    """Bytes that were taken out of the buffer."""

    def feed(self, data: bytes) -> None:
        self.buffer += data
        super().feed(data)

    def take(self, end: int) -> bytes:
        """Take the bytes up to a place out of the buffer."""
        size = end - self.done
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        self.done = end
        return taken

    def _node(self, name: str, attributes: dict[str, str]) -> Node:
        node = super()._node(name, attributes)
        tag = _TAG.match(self.buffer, node.start - self.done)
        node.inner = tag.end() + self.done if tag else node.start
        return node

    def _close(self, node: Node) -> None:
        end = node.inner - self.done
        if self.buffer[end - 2 : end] == b"/>":
            node.close = node.end = node.inner
        else:
            node.close = self.position
            node.end = self.buffer.index(b">", node.close - self.done) + 1 + self.done


def outline(
    data: bytes,
    part: str,
    keep: Collection[str] | None = None,
    each: Callable[[Node, Node], None] | None = None,
) -> Node:
    """Return the root of a part in UTF-8. Raises CorruptXml, XmlDoctype.

    With `keep` only elements of these names have nodes, besides the root and its children, so
    that a hundred thousand hyperlinks do not become objects. With `each` the root's children keep
    no children: it is called with each child of the root and each complete child of that.
    """
    parser = _OutlineParser(part, keep, each)
    parser.feed(data)
    parser.finish()
    return parser.roots[0]


class _OutlineParser(PlaceParser):
    def __init__(
        self, part: str, keep: Collection[str] | None, each: Callable[[Node, Node], None] | None
    ) -> None:
        self.roots: list[Node] = []
        self._keep_names = keep
        self._each = each
        super().__init__(part, DEFAULT_LIMITS, {ROOT: self.roots.append})

    def _keep(self, node: Node) -> None:
        if self._keep_names is None or len(self._open) == 1 or node.name in self._keep_names:
            self._open[-1].children.append(node)
        self._open.append(node)

    def _close(self, node: Node) -> None:
        super()._close(node)
        if self._each and len(self._open) == len(("root", "its child")):
            self._each(self._open[-1], self._open[-1].children.pop())


def utf8(stream: Iterator[bytes], part: str) -> Iterator[bytes]:
    """Yield a part's bytes as UTF-8; from another encoding without mark and declaration.

    Raises CorruptXml for an unknown encoding, and for bytes that are invalid in it.
    """
    first = b""
    while len(first) < _LEAD and (piece := next(stream, b"")):
        first += piece
    codec = _codec(first[:_LEAD], part)
    if codec is None:
        yield first
        yield from stream
        return
    try:
        for text in codecs.iterdecode(chain((first,), stream), codec):
            yield (_DECLARATION.sub("", text) if first else text).encode()
            first = b""
    except UnicodeError as error:
        raise corrupt(part, error) from error


def _codec(start: bytes, part: str) -> str | None:
    """Return the Python codec of a part, or None for UTF-8."""
    if start.startswith((codecs.BOM_UTF16_LE, b"<\0")):
        return "utf-16-le"
    if start.startswith((codecs.BOM_UTF16_BE, b"\0<")):
        return "utf-16-be"
    declaration = _DECLARATION.match(start.removeprefix(codecs.BOM_UTF8).decode("latin-1"))
    name = declaration and _ENCODING.search(declaration[0])
    if not name:
        return None
    try:
        "".encode(name[1])  # refuses codecs that are not for text
        codec = codecs.lookup(name[1]).name
    except (LookupError, ValueError):
        raise corrupt(part, f"its encoding {name[1]!r} is unknown") from None
    return None if codec == "utf-8" else codec
