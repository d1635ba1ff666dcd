"""Walk through the XML of a part by a tree of the elements that matter; all others are passed by.

A parser calls back for each tag; where in the tree it is decides what the tag means. So a `<v>`
in an extension, or in another namespace, is no value of a cell.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from feedtool.model.limits import ReadingLimits
from feedtool.sheets.read.errors import ZipBomb
from feedtool.sheets.read.xml_parser import MAIN_NAMESPACES, hardened_parser, parse

Attributes = dict[str, str]


class XmlElement:
    """An element that matters: its children that do, and what is to be done at it.

    Args:
        children: By their names without namespace.
        others: What any other child is.
        start: Called with the attributes at its beginning.
        end: Called at its end.
        text: Called at its end with the characters right inside it.
    """

    __slots__ = ("children", "end", "others", "start", "text")

    def __init__(
        self,
        children: Mapping[str, "XmlElement"] = MappingProxyType({}),
        *,
        others: "XmlElement | None" = None,
        start: Callable[[Attributes], None] | None = None,
        end: Callable[[], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        self.children = {
            f"{namespace} {name}": child
            for name, child in children.items()
            for namespace in MAIN_NAMESPACES
        }
        self.others = others
        self.start = start
        self.end = end
        self.text = text


_DEEPEST = 100
_ANY = XmlElement()
"""An element that does not matter, nor anything in it."""


class XmlWalker:
    """A parser of one part that is fed piece by piece.

    Raises on feeding: CorruptXml, XmlDoctype, ZipBomb, and what the elements' callbacks raise.
    """

    def __init__(self, root: Mapping[str, XmlElement], part: str, limits: ReadingLimits) -> None:
        self.prefixes: set[str] = set()
        """The namespace prefixes that the root declares."""
        self._namespaces: list[tuple[str, str]] = []
        """The prefixes (of the default namespace: none) and URIs in force, the innermost last."""
        self._here = XmlElement(root)
        self._above: list[XmlElement] = []
        self._texts: list[str] = []
        self._size = 0
        self._untagged = 0
        """Bytes since the piece in which the last tag began."""
        self._part = part
        self._limit = limits.text
        self._parser = hardened_parser(part, " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartNamespaceDeclHandler = self._start_namespace
        self._parser.EndNamespaceDeclHandler = self._end_namespace

    @property
    def position(self) -> int:
        """The byte of the part where the tag begins that an element is called for."""
        return self._parser.CurrentByteIndex

    def is_right_inside(self, element: XmlElement, prefix: str) -> bool:
        """Whether a tag with this prefix (`x:` or none) would now be an element's child."""
        return self._here is element and self._namespace(prefix) in MAIN_NAMESPACES

    def feed(self, data: bytes) -> None:
        """Go on with a piece."""
        parse(self._parser, data, self._part, final=False)
        # The parser keeps a tag in memory until it ends; and no workbook has megabytes of blanks.
        self._untagged += len(data)
        if self._untagged > self._limit + len(data):
            raise self._bomb("a stretch without a tag")

    def finish(self) -> None:
        """The part is at its end. Raises CorruptXml if it should not be."""
        parse(self._parser, b"", self._part, final=True)

    def _namespace(self, prefix: str) -> str:
        name = prefix.removesuffix(":")
        return next((uri for known, uri in reversed(self._namespaces) if known == name), "")

    def _start_namespace(self, prefix: str | None, uri: str | None) -> None:
        self._namespaces.append((prefix or "", uri or ""))
        if prefix and not self._above:
            self.prefixes.add(prefix)

    def _end_namespace(self, _prefix: str | None) -> None:
        self._namespaces.pop()

    def _start(self, name: str, attributes: Attributes) -> None:
        self._above.append(self._here)
        self._untagged = 0
        if len(self._above) > _DEEPEST:
            raise self._bomb("tags nested in each other")
        here = self._here
        element = self._here = here.children.get(name) or here.others or _ANY
        if element.text is not None:
            self._texts = []
            self._size = 0
        if element.start is not None:
            element.start(attributes)

    def _end(self, _name: str) -> None:
        element = self._here
        self._here = self._above.pop()
        if element.text is not None:
            element.text("".join(self._texts))
        if element.end is not None:
            element.end()

    def _characters(self, text: str) -> None:
        if self._here.text is None:
            return
        self._texts.append(text)
        self._size += len(text)
        if self._size > self._limit:
            raise self._bomb("a text")

    def _bomb(self, what: str) -> ZipBomb:
        return ZipBomb(
            f"Part {self._part} of the workbook holds {what} beyond all measure.",
            "Have its sender make it anew in a spreadsheet program.",
        )
