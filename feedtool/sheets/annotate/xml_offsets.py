"""The outline of a small part: where each element stands, byte by byte, so that it can be patched.

A part is never written anew from what was understood of it. It is cut where something of ours
goes in, and all other bytes stay.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple
from xml.parsers import expat

from feedtool.sheets.annotate.inline_strings import quoted
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES, corrupt, hardened_parser

TAG = re.compile(rb"<(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>")
"""A tag in well-formed XML, from its `<` on: a `>` may stand in an attribute."""


class Edit(NamedTuple):
    """Bytes `start` to `end` of a part become `new`."""

    start: int
    end: int
    new: bytes


@dataclass(slots=True)
class Node:
    """One element and its place: `start` … `inner` … `close` … `end`.

    The start tag ends at `inner`, the end tag begins at `close`; of an empty-element tag (`<a/>`)
    both are `end`.
    """

    name: str
    """Without a prefix."""
    namespace: str
    prefix: bytes
    """As written, with its colon; empty where there is none."""
    attributes: dict[str, str]
    start: int
    inner: int
    close: int = 0
    end: int = 0
    text: str = ""
    """Its own characters, those of its children not among them."""
    children: list["Node"] = field(default_factory=list)

    @property
    def is_empty_tag(self) -> bool:
        """Whether it is written `<a/>`."""
        return self.inner == self.end

    @property
    def is_main(self) -> bool:
        """Whether it is of the workbook's own namespace."""
        return self.namespace in MAIN_NAMESPACES

    def child(self, name: str) -> "Node | None":
        """The first child of this name in the same namespace."""
        return next(self.all(name), None)

    def all(self, name: str) -> Iterator["Node"]:
        """The children of this name in the same namespace."""
        return (
            node for node in self.children if node.name == name and node.namespace == self.namespace
        )

    def append(self, data: bytes, new: bytes) -> Edit:
        """The edit that puts `new` behind its last child. Opens an empty-element tag."""
        if not self.is_empty_tag:
            return Edit(self.close, self.close, new)
        tag = data[self.start : self.end]
        name = self.prefix + self.name.encode()
        opened = tag[:-2].rstrip() + b">" + new + b"</" + name + b">"
        return Edit(self.start, self.end, opened)

    def set(self, data: bytes, name: str, value: str) -> Edit | None:
        """The edit that gives a present attribute without prefix another value."""
        pattern = rb"\s" + name.encode() + rb"\s*=\s*(\"[^\"]*\"|'[^']*')"
        match = re.compile(pattern).search(data, self.start, self.inner)
        return match and Edit(match.start(1), match.end(1), quoted(value))


def outline(
    data: bytes,
    part: str,
    keep: Collection[str] | None = None,
    each: Callable[[Node, Node], None] | None = None,
) -> Node:
    """The root of a part in UTF-8. Raises CorruptXml, XmlDoctype.

    With `keep` only elements of these names have nodes, besides the root and its children, so
    that a hundred thousand hyperlinks are not a hundred thousand objects. With `each` none is
    kept below the root's children: it gets each of these with each of its children, whole.
    """
    return _Outliner(data, part, keep, each).root()


def splice(data: bytes, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> bytes:
    """Bytes `start` to `end` of the part with the edits made that lie in there."""
    stop = len(data) if end is None else end
    view = memoryview(data)  # what stays is copied once
    pieces: list[bytes | memoryview] = []
    for edit in sorted(edits, key=itemgetter(0, 1)):
        pieces += (view[start : edit.start], edit.new)
        start = edit.end
    pieces.append(view[start:stop])
    return b"".join(pieces)


class _Outliner:
    """Builds nodes from the parser's events."""

    def __init__(
        self,
        data: bytes,
        part: str,
        keep: Collection[str] | None,
        each: Callable[[Node, Node], None] | None = None,
    ) -> None:
        self._data = data
        self._part = part
        self._keep = keep
        self._each = each
        self._open: list[Node] = []
        self._roots: list[Node] = []
        self._parser = hardened_parser(part, " ")
        self._parser.namespace_prefixes = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def root(self) -> Node:
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            raise corrupt(self._part, error) from error
        return self._roots[0]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, local, prefix = _split_name(name)
        start = self._parser.CurrentByteIndex
        tag = TAG.match(self._data, start)
        inner = tag.end() if tag else start
        node = Node(local, namespace, prefix, self._plain(attributes), start, inner)
        if not self._open:
            self._roots.append(node)
        elif self._keep is None or len(self._open) == 1 or local in self._keep:
            self._open[-1].children.append(node)
        self._open.append(node)

    def _end(self, _name: str) -> None:
        node = self._open.pop()
        if self._data[node.inner - 2 : node.inner] == b"/>":
            node.close = node.end = node.inner
        else:
            node.close = self._parser.CurrentByteIndex
            node.end = self._data.index(b">", node.close) + 1
        if self._each and len(self._open) == len(("root", "its child")):
            self._each(self._open[-1], self._open[-1].children.pop())

    def _text(self, text: str) -> None:
        self._open[-1].text += text

    def _plain(self, attributes: dict[str, str]) -> dict[str, str]:
        """Attributes by their name as written, prefix and all."""
        return {
            "".join(self._written(key)) if " " in key else key: value
            for key, value in attributes.items()
        }

    def _written(self, name: str) -> tuple[str, str]:
        _, local, prefix = _split_name(name)
        return prefix.decode(), local


def _split_name(name: str) -> tuple[str, str, bytes]:
    """Namespace, local name and prefix of a name as a namespace-aware expat reports it."""
    first, *rest = name.split(" ")
    if not rest:
        return "", first, b""
    local, prefix = rest[0], "".join(rest[1:])
    return first, local, f"{prefix}:".encode() if prefix else b""
