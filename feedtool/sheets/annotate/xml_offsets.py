"""The outline of a small part: where each element stands, byte by byte, so that it can be patched.

A part is never written anew from what was understood of it. It is cut where something of ours
goes in, and all other bytes stay.
"""

import re
from collections.abc import Callable, Collection, Iterable
from operator import itemgetter
from typing import NamedTuple

from feedtool.sheets.annotate.inline_strings import quoted
from feedtool.sheets.read.package import DEFAULT_LIMITS
from feedtool.sheets.read.xml_parser import ROOT, Node, XmlParser

TAG = re.compile(rb"<(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+>")
"""A tag in well-formed XML, from its `<` on: a `>` may stand in an attribute."""


class Edit(NamedTuple):
    """Bytes `start` to `end` of a part become `new`."""

    start: int
    end: int
    new: bytes


def appended(node: Node, data: bytes, new: bytes) -> Edit:
    """The edit that puts `new` behind an element's last child. Opens an empty-element tag."""
    if not node.is_empty_tag:
        return Edit(node.close, node.close, new)
    tag = data[node.start : node.end]
    name = node.prefix + node.name.encode()
    opened = tag[:-2].rstrip() + b">" + new + b"</" + name + b">"
    return Edit(node.start, node.end, opened)


def with_attribute(node: Node, data: bytes, name: str, value: str) -> Edit | None:
    """The edit that gives a present attribute without prefix another value."""
    pattern = rb"\s" + name.encode() + rb"\s*=\s*(\"[^\"]*\"|'[^']*')"
    match = re.compile(pattern).search(data, node.start, node.inner)
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
    parser = _OutlineParser(data, part, keep, each)
    parser.feed(data)
    parser.finish()
    return parser.roots[0]


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


class _OutlineParser(XmlParser):
    """Adds to each element where its tags end."""

    def __init__(
        self,
        data: bytes,
        part: str,
        keep: Collection[str] | None,
        each: Callable[[Node, Node], None] | None,
    ) -> None:
        self.roots: list[Node] = []
        self._data = data
        self._keep_names = keep
        self._each = each
        super().__init__(part, DEFAULT_LIMITS, {ROOT: self.roots.append})

    def _keep(self, node: Node) -> None:
        if self._keep_names is None or len(self._open) == 1 or node.name in self._keep_names:
            self._open[-1].children.append(node)
        self._open.append(node)

    def _node(self, name: str, attributes: dict[str, str]) -> Node:
        node = super()._node(name, attributes)
        tag = TAG.match(self._data, node.start)
        node.inner = tag.end() if tag else node.start
        return node

    def _close(self, node: Node) -> None:
        if self._data[node.inner - 2 : node.inner] == b"/>":
            node.close = node.end = node.inner
        else:
            node.close = self.position
            node.end = self._data.index(b">", node.close) + 1
        if self._each and len(self._open) == len(("root", "its child")):
            self._each(self._open[-1], self._open[-1].children.pop())
