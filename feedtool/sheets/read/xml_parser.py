"""Parse XML without document types, entities or network, element by element.

A handler is registered for the path of an element, such as `/sst/si`. So a `<v>` in an extension,
or in another namespace, is no value of a cell, and elements without a handler are not kept.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple
from xml.parsers import expat

from msgspec import Struct, field

from feedtool.model.limits import ReadingLimits
from feedtool.model.text import MessageText, tr
from feedtool.sheets.cell_text import has_only_known_references
from feedtool.sheets.read.errors import NOT_TRUSTED, SAVE_AGAIN, CorruptXml, XmlDoctype, ZipBomb
from feedtool.sheets.read.package import ZipPackage

MAIN_NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
"""The namespaces of transitional and of strict workbooks."""
ROOT = "/*"
"""The path of a root of any name."""
_WHOLE = re.compile("[0-9]{1,18}")
_DEEPEST = 100


class Node(Struct):
    """An element and its place: `start` … `inner` … `close` … `end`, in bytes of the part.

    The start tag ends at `inner`, the end tag begins at `close`; for an empty-element tag (`<a/>`)
    both are `end`. Only the outline of a part has more places than `start`.
    """

    name: str
    """The name without a prefix."""
    namespace: str
    prefix: bytes
    """The prefix with its colon, or empty."""
    attributes: dict[str, str]
    """Values by the names in the file, with prefixes."""
    start: int = 0
    text: str = ""
    """The characters of the element without those of its children."""
    children: list["Node"] = field(default_factory=list)
    inner: int = 0
    close: int = 0
    end: int = 0

    @property
    def is_empty_tag(self) -> bool:
        """True for `<a/>`."""
        return self.inner == self.end

    @property
    def is_main(self) -> bool:
        """True if the namespace is the workbook's, transitional or strict."""
        return self.namespace in MAIN_NAMESPACES

    def child(self, name: str) -> "Node | None":
        """Return the first child of this name in the same namespace, or None."""
        return next(self.all(name), None)

    def all(self, name: str) -> Iterator["Node"]:
        """Yield the children of this name in the same namespace."""
        return (
            node for node in self.children if node.name == name and node.namespace == self.namespace
        )

    def all_text(self) -> str:
        """Return the characters of the element and of all elements in it."""
        return self.text + "".join(child.all_text() for child in self.children)


def string_text(node: Node) -> str:
    """Return the text of a string, `<si>` or `<is>`, with its runs, without phonetic guides."""
    texts = []
    for child in node.children:
        if child.is_main and child.name == "t":
            texts.append(child.text)
        elif child.is_main and child.name == "r":
            texts += [run.text for run in child.children if run.is_main and run.name == "t"]
    return "".join(texts)


Handlers = Mapping[str, Callable[[Node], None]]
_NO_HANDLERS: Handlers = MappingProxyType({})


class XmlParser:
    """A parser of one part that is fed piece by piece.

    Args:
        part: The part's name.
        limits: The limits of its size.
        whole: Called with a complete element at its end.
        starts: Called with an element at its beginning; `/worksheet/*` is any other child.
        ends: Called at the end of an element.

    Feeding raises CorruptXml, XmlDoctype, ZipBomb, and the errors of the handlers.
    """

    def __init__(
        self,
        part: str,
        limits: ReadingLimits,
        whole: Handlers = _NO_HANDLERS,
        *,
        starts: Handlers = _NO_HANDLERS,
        ends: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    ) -> None:
        self.declared: dict[str, str] = {}
        """The namespaces that the root declares, by their prefixes."""
        self.part = part
        self._namespaces: list[tuple[str, str]] = []
        """The valid prefixes ("" for the default namespace) and URIs, the innermost last."""
        self._whole, self._starts, self._ends = whole, starts, ends
        self._known = {
            path[:end]
            for path in (*whole, *starts, *ends)
            for end in (match.end() for match in re.finditer(r"/[^/]+", path))
        }
        self._joined: dict[tuple[str, str], str] = {}
        self._paths = [""]
        """Paths of the open elements; `-` for elements without handlers."""
        self._open: list[Node] = []
        """The open elements within one for a `whole` handler."""
        self._texts: list[str] = []
        self._size = 0
        """Characters of such elements since the last tag."""
        self._untagged = 0
        """Bytes since the piece in which the last tag began."""
        self._limit = limits.text
        self._parser = hardened_parser(part, " ")
        self._parser.namespace_prefixes = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartNamespaceDeclHandler = self._start_namespace
        self._parser.EndNamespaceDeclHandler = self._end_namespace

    @property
    def position(self) -> int:
        """The byte of the part at which the handler's tag begins."""
        return self._parser.CurrentByteIndex

    def is_right_inside(self, path: str, prefix: str | None) -> bool:
        """True if a tag with this prefix (`x:` or empty) would now be a child of a path."""
        if prefix is None or self._paths[-1] != path or self._open:
            return False
        name = prefix.removesuffix(":")
        uris = (uri for known, uri in reversed(self._namespaces) if known == name)
        return next(uris, "") in MAIN_NAMESPACES

    def feed(self, data: bytes) -> None:
        parse(self._parser, data, self.part, self.place, final=False)
        # The parser keeps a tag in memory until its end; and no workbook has megabytes of blanks.
        self._untagged += len(data)
        if self._untagged > self._limit + len(data):
            raise self._bomb(tr("a stretch without a tag"))

    def finish(self) -> None:
        """End the part. Raises CorruptXml if it is incomplete."""
        parse(self._parser, b"", self.part, self.place, final=True)

    def place(self, error: expat.ExpatError) -> MessageText:
        return _place(error)

    def _start_namespace(self, prefix: str | None, uri: str | None) -> None:
        self._namespaces.append((prefix or "", uri or ""))
        if prefix and len(self._paths) == 1:
            self.declared[prefix] = uri or ""

    def _end_namespace(self, _prefix: str | None) -> None:
        self._namespaces.pop()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._untagged = 0
        if len(self._paths) + len(self._open) > _DEEPEST:
            raise self._bomb(tr("tags nested in each other"))
        if self._open:
            self._end_text()
            self._keep(self._node(name, attributes))
            return
        parent = self._paths[-1]
        path = self._joined.get((parent, name))
        if path is None:
            namespace, local, _ = _split_name(name)
            paths = (f"{parent}/{local}" if namespace in MAIN_NAMESPACES else "", f"{parent}/*")
            path = next((path for path in paths if path in self._known), "-")
            self._joined[parent, name] = path
        self._paths.append(path)
        if path in self._whole:
            self._open.append(self._node(name, attributes))
        elif path in self._starts:
            self._starts[path](self._node(name, attributes))

    def _node(self, name: str, attributes: dict[str, str]) -> Node:
        namespace, local, prefix = _split_name(name)
        if " " in "".join(attributes):
            written = ((_split_name(key), value) for key, value in attributes.items())
            attributes = {prefix.decode() + key: value for (_, key, prefix), value in written}
        return Node(local, namespace, prefix, attributes, self._parser.CurrentByteIndex)

    def _keep(self, node: Node) -> None:
        """Add an element to its parent, within one for a `whole` handler."""
        self._open[-1].children.append(node)
        self._open.append(node)

    def _end(self, _name: str) -> None:
        if self._open:
            self._end_text()
            node = self._open.pop()
            self._close(node)
            if not self._open:
                self._whole[self._paths.pop()](node)
            return
        path = self._paths.pop()
        if path in self._ends:
            self._ends[path]()

    def _close(self, node: Node) -> None:
        """Called at the end of each element within one for a `whole` handler."""

    def _characters(self, text: str) -> None:
        if self._open:
            self._texts.append(text)
            self._size += len(text)
            if self._size > self._limit:
                raise self._bomb("a text")

    def _end_text(self) -> None:
        if self._texts:
            self._open[-1].text += "".join(self._texts)
            self._texts.clear()
        self._size = 0

    def _bomb(self, what: str) -> ZipBomb:
        return ZipBomb(
            tr(
                "Part {part} of the workbook holds {what} beyond all measure.",
                part=self.part,
                what=what,
            ),
            NOT_TRUSTED,
        )


@lru_cache(4096)
def _split_name(name: str) -> tuple[str, str, bytes]:
    """Return namespace, local name and prefix of a name from a namespace-aware expat."""
    first, *rest = name.split(" ")
    if not rest:
        return "", first, b""
    local, prefix = rest[0], "".join(rest[1:])
    return first, local, f"{prefix}:".encode() if prefix else b""


def parse_part(package: ZipPackage, name: str) -> Node:
    """Return the root of a small part. Raises CorruptXml, XmlDoctype, CorruptZip, ZipBomb."""
    roots: list[Node] = []
    parser = XmlParser(name, package.limits, {ROOT: roots.append})
    data = package.read(name)
    try:
        parser.feed(data)
    except ZipBomb as error:  # the size is within the limit, so the part is malformed
        raise corrupt(name, tr("a text is too long, or tags are nested too deeply")) from error
    parser.finish()
    return roots[0]


def hardened_parser(part: str, separator: str | None = None) -> expat.XMLParserType:
    """Return an expat parser that raises XmlDoctype for any document type or entity.

    With a `separator` it is namespace-aware and reports `namespace + separator + name`.
    """
    parser = expat.ParserCreate(namespace_separator=separator)
    parser.buffer_text = True
    # Newer versions of expat may defer a token to the next call; blocks must not wait for it.
    defer = getattr(parser, "SetReparseDeferralEnabled", None)
    if defer is not None:
        defer(False)

    def refuse(*_: object) -> None:
        raise XmlDoctype(
            tr("Part {part} of the workbook declares a document type.", part=part), NOT_TRUSTED
        )

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser


def _place(error: expat.ExpatError) -> MessageText:
    line, column = error.lineno, error.offset + 1
    return tr("its XML is malformed at line {line}, column {column}", line=line, column=column)


def parse(
    parser: expat.XMLParserType,
    data: bytes,
    part: str,
    place: Callable[[expat.ExpatError], MessageText] = _place,
    *,
    final: bool,
) -> None:
    """Feed a parser. Raises CorruptXml, and the errors of the parser's handlers."""
    try:
        parser.Parse(data, final)
    except expat.ExpatError as error:
        raise corrupt(part, place(error)) from error
    except (ValueError, LookupError) as error:
        # The encoding does not exist, or expat cannot read it.
        raise corrupt(part, tr("its XML cannot be read ({error})", error=error)) from error


def corrupt(part: str, what: object) -> CorruptXml:
    """Return the error of a malformed or contradictory part."""
    return CorruptXml(
        tr("Part {part} of the workbook is damaged: {what}.", part=part, what=what), SAVE_AGAIN
    )


def whole(text: str | None) -> int | None:
    """Return a whole number of up to 18 digits, or None."""
    return int(text) if text and _WHOLE.fullmatch(text) else None


def is_true(value: str | None) -> bool:
    """True for a true xsd:boolean; an absent one is false."""
    return value in ("1", "true")


# Split a stream of XML into a prolog, chunks of whole items (rows, strings) and an epilog.


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
