"""Walk through the XML of a part by a tree of the elements that matter; all others are passed by.

A parser calls back for each tag; where in the tree it is decides what the tag means. So a `<v>`
in an extension, or in another namespace, is no value of a cell.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from feedtool.model.limits import Limits
from feedtool.sheets.markup import MAIN_NAMESPACES, hardened_parser, parse
from feedtool.sheets.unreadable import ZipBomb

Attributes = dict[str, str]


class Element:
    """An element that matters: its children that do, and what is to be done at it.

    Args:
        children: By their names without namespace.
        start: Called with the attributes at its beginning.
        end: Called at its end.
        text: Called at its end with the characters right inside it.
    """

    __slots__ = ("children", "end", "start", "text")

    def __init__(
        self,
        children: Mapping[str, "Element"] = MappingProxyType({}),
        *,
        start: Callable[[Attributes], None] | None = None,
        end: Callable[[], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        self.children = {
            f"{namespace} {name}": child
            for name, child in children.items()
            for namespace in MAIN_NAMESPACES
        }
        self.start = start
        self.end = end
        self.text = text


_DEEPEST = 100
_ANY = Element()
"""What does not matter, nor anything in it."""


class Walker:
    """A parser of one part that is fed piece by piece.

    Raises on feeding: CorruptXml, XmlDoctype, ZipBomb, and what the elements' callbacks raise.
    """

    def __init__(self, root: Mapping[str, Element], part: str, limits: Limits) -> None:
        self.prefixes: set[str] = set()
        """The namespace prefixes that the root declares."""
        self._namespaces: list[tuple[str, str]] = []
        """The prefixes (of the default namespace: none) and URIs in force, the innermost last."""
        self._here = Element(root)
        self._above: list[Element] = []
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

    def is_right_inside(self, element: Element, prefix: str) -> bool:
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
        element = self._here = self._here.children.get(name, _ANY)
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
