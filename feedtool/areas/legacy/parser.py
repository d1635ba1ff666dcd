"""The offers in the text of an Offers.xml, fed piece by piece.

Unusual spellings and places of names are accepted if the meaning is clear; each irregularity is
noted.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple
from xml.parsers import expat

from msgspec import Struct, field

from feedtool.areas.legacy.writer import (
    NAMES,
    NAMESPACE,
    PARENTS,
    REQUIRED,
    XAML,
    Shipping,
    XmlOffer,
)
from feedtool.areas.offers.delivery import PackageType
from feedtool.model.text import MessageText, joined, tr
from feedtool.sheets import CorruptXml, ZipBomb, hardened_parser

# The irregularities of an Offers.xml.


LINES = 5
"""The most lines that are listed for an irregularity."""
MOST = 40
"""The most irregularities that are listed separately; a hostile file could have millions."""
LONGEST = 60
"""The most characters that are shown of a name in the file."""


class _Irregularity(Struct):
    text: str
    is_loss: bool = False
    count: int = 0
    lines: list[int] = field(default_factory=list)

    @property
    def summary(self) -> MessageText:
        if self.count == 1:
            return tr("{text} (line {line})", text=self.text, line=self.lines[0])
        values = {"text": self.text, "count": self.count, "lines": joined(self.lines)}
        if len(self.lines) == 1:
            return tr("{text} ({count:,} times, first in line {lines})", **values)
        return tr("{text} ({count:,} times, first in lines {lines})", **values)


class Irregularities:
    """The irregularities of a file, in the order of their first occurrence."""

    def __init__(self) -> None:
        self._by_text: dict[str, _Irregularity] = {}

    def note(self, text: str, line: int, *, is_loss: bool = False, is_once: bool = False) -> None:
        """Count an irregularity, only once if `is_once`.

        `is_loss` means that it keeps a part of the file from being read.
        """
        if text not in self._by_text and len(self._by_text) >= MOST:
            text = tr("other things are not as the format demands")
        item = self._by_text.setdefault(text, _Irregularity(text))
        if is_once and item.count:
            return
        item.is_loss |= is_loss
        item.count += 1
        if len(item.lines) < LINES and line not in item.lines:
            item.lines.append(line)

    def texts(self) -> list[str]:
        return [item.summary for item in self._by_text.values()]

    def losses(self) -> list[tuple[int, str]]:
        """Return the first line and the text of each irregularity that is a loss."""
        return [(item.lines[0], item.summary) for item in self._by_text.values() if item.is_loss]


def printable_name(name: str) -> str:
    """Return a name of the file, short and without control characters for terminals."""
    clean = "".join(letter if letter.isprintable() else "\ufffd" for letter in name[: LONGEST + 1])
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 1] + "…"


MAKE_AGAIN = tr("Make it again in the program that it comes from, or correct it in a text editor.")
NOT_TRUSTED = tr("Do not trust this file; have its sender make it anew.")
TWICE = tr("an Offer has a DeliveryMode twice: the first is read")
_DEEPEST = 100
_NAMESPACE_START = "clr-namespace:"
"""The start of the namespace, also in older versions."""
_ORDER = {name: place for place, name in enumerate(PARENTS)}
_ELEMENTS = {name.casefold(): name for name in PARENTS}
_REGULAR = {f"{NAMESPACE} {name}": name for name in PARENTS}
"""The elements by their exact tags, which are regular."""
_ATTRIBUTES = {
    "OfferPackage": frozenset(("Name", "PurgeAndReplace", "PackageType")),
    "PublicationPool": frozenset(("SalesChannelId", "Id")),
    "Offer": frozenset(NAMES),
    "ShippingInformation": frozenset(
        ("ShippingCharges", "AdditionalShippingCharges", "DeliveryMode")
    ),
}
_HARMLESS = (XAML, "http://www.w3.org/XML/")
"""Namespaces of attributes that do not describe an offer."""
_TYPES = {kind.casefold(): kind for kind in (PackageType.FULL, PackageType.STOCK_AND_PRICE)}


class OfferInPlace(NamedTuple):
    """An offer, and the line of its `<Offer`, 1-based."""

    line: int
    offer: XmlOffer


class PackageHead(Struct):
    """The attributes of a package's root, and its publication pools."""

    name: str = ""
    purges: bool = False
    package_type: str = PackageType.FULL
    line: int = 1
    pools: list[tuple[str, str]] = field(default_factory=list)
    """Attribute and value of each publication pool."""


class OffersParser:
    """A parser that is fed piece by piece and returns the offers that end in each piece."""

    def __init__(self, head: PackageHead, irregularities: Irregularities, longest: int) -> None:
        """Create a parser that accepts at most `longest` bytes without a tag."""
        self._head, self._irregularities, self._longest = head, irregularities, longest
        self._parser: Final = hardened_parser("Offers.xml", " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._untagged = 0
        """Bytes since the piece in which the last tag began."""
        self._open: list[str] = []
        """The names of the open elements; "" for a foreign element, and for all elements in it."""
        self._places: list[int] = []
        """The order of the last child of each open element."""
        self._required = REQUIRED
        self._line = 0
        self._values: dict[str, str] | None = None
        """The attributes of the open offer."""
        self._shipping: dict[str, Shipping] = {}
        """The shipping of the open offer, by mode."""
        self._offers: list[OfferInPlace] = []
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            "OfferPackage": self._start_package,
            "PublicationPool": lambda attributes: head.pools.extend(
                self._proper("PublicationPool", attributes).items()
            ),
            "Offer": self._start_offer,
            "ShippingInformation": self._start_shipping,
            "DiscountComponent": lambda _: self._lose(
                tr("discounts (DiscountComponent) are not read")
            ),
        }

    def feed(self, data: bytes, *, final: bool = False) -> list[OfferInPlace]:
        """Return the offers that end in `data`. Raises CorruptXml, XmlDoctype, ZipBomb."""
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            place = {"line": error.lineno, "column": error.offset + 1}
            fault = tr("its XML is malformed at line {line}, column {column}", **place)
            raise _corrupt(fault) from error
        except (ValueError, LookupError) as error:  # an encoding that expat cannot read
            raise _corrupt(tr("its XML cannot be read ({reason})", reason=str(error))) from error
        self._untagged += len(data)
        if self._untagged > self._longest + len(data):
            text = tr("The Offers.xml holds a stretch without a tag beyond all measure.")
            raise ZipBomb(text, NOT_TRUSTED)
        offers, self._offers = self._offers, []
        return offers

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._untagged = 0
        name = self._name(tag) if not self._open or self._open[-1] else ""
        if name:
            self._check_place(name)
        self._open.append(name)
        self._places.append(0)
        if len(self._open) > _DEEPEST:
            raise ZipBomb(tr("The Offers.xml is nested beyond all measure."), NOT_TRUSTED)
        if start := self._starts.get(name):
            start(attributes)

    def _end(self, _tag: str) -> None:
        self._places.pop()
        if self._open.pop() == "Offer" and self._values is not None:
            offer = XmlOffer(self._values, tuple(self._shipping.values()))
            self._offers.append(OfferInPlace(self._line, offer))
            self._values = None

    def _characters(self, text: str) -> None:
        if self._open[-1] and not text.isspace():
            self._lose(tr("{element} holds a text, which is not read", element=self._open[-1]))

    def _check_place(self, name: str) -> None:
        """Note an element in the wrong place; raise CorruptXml if it cannot be read there."""
        parent = self._open[-1] if self._open else ""
        if PARENTS[name] == parent:
            if not parent:
                return
            if _ORDER[name] < self._places[-1]:
                self._note(
                    tr("{element} stands too late in its {parent}", element=name, parent=parent)
                )
            else:
                self._places[-1] = _ORDER[name]
        elif not parent:
            raise _corrupt(tr("its root is {element} and not OfferPackage", element=name))
        elif name == "OfferPackage" or (name == "Offer" and self._values is not None):
            line = self._parser.CurrentLineNumber
            raise _corrupt(tr("line {line} has an {element} in another", line=line, element=name))
        else:
            place = {"element": name, "parent": parent, "right": PARENTS[name]}
            self._note(tr("{element} stands in {parent} instead of {right}", **place))

    def _name(self, tag: str) -> str:
        """Return the proper name of a tag, or "". Raises CorruptXml at a foreign root."""
        if name := _REGULAR.get(tag):
            return name
        space, _, local = tag.rpartition(" ")
        is_known_space = not space or space.startswith(_NAMESPACE_START)
        name = _ELEMENTS.get(local.casefold(), "") if is_known_space else ""
        if not name:
            if not self._open:
                raise _corrupt(
                    tr("its root is {element} and not OfferPackage", element=printable_name(local))
                )
            self._lose(
                tr(
                    "the element {element} is not known, and is not read",
                    element=printable_name(local),
                )
            )
            return ""
        if name != local:
            self._note(
                tr(
                    "the element {element} is written {written}",
                    element=name,
                    written=printable_name(local),
                )
            )
        if space != NAMESPACE:
            text = tr("elements are in no namespace")
            if space:
                text = tr("elements are in the namespace {name}", name=printable_name(space))
            self._note(text, is_once=True)
        return name

    def _proper(self, element: str, attributes: dict[str, str]) -> dict[str, str]:
        """Return the known attributes of an element by their proper names."""
        if attributes.keys() <= _ATTRIBUTES[element]:
            return attributes
        proper: dict[str, str] = {}
        for spelling, value in attributes.items():
            name = _attribute(element, spelling)
            if not name:
                if not spelling.startswith(_HARMLESS):
                    self._lose(
                        tr(
                            "the attribute {name} of {element} is not read",
                            name=printable_name(spelling),
                            element=element,
                        )
                    )
                continue
            if name != spelling:
                written = printable_name(spelling)
                self._note(
                    tr(
                        "the attribute {name} of {element} is written {written}",
                        name=name,
                        element=element,
                        written=written,
                    )
                )
            if name in proper:
                self._lose(
                    tr(
                        "the attribute {name} of {element} is there twice: the first is read",
                        name=name,
                        element=element,
                    )
                )
            proper.setdefault(name, value)
        return proper

    def _note_missing(
        self, element: str, names: frozenset[str], attributes: dict[str, str]
    ) -> None:
        if not names <= attributes.keys():
            for name in sorted(names - attributes.keys()):
                self._note(
                    tr("the attribute {name} of {element} is missing", name=name, element=element)
                )

    def _start_package(self, attributes: dict[str, str]) -> None:
        head, attributes = self._head, self._proper("OfferPackage", attributes)
        head.line = self._parser.CurrentLineNumber
        head.name = attributes.get("Name", "")
        self._note_missing("OfferPackage", _ATTRIBUTES["OfferPackage"], attributes)
        purges = attributes.get("PurgeAndReplace", "false")
        if purges not in ("true", "false"):
            written = printable_name(purges)
            self._note(tr("{name} is written {written}", name="PurgeAndReplace", written=written))
        head.purges = purges.strip().casefold() in ("true", "1")
        kind = attributes.get("PackageType", PackageType.FULL)
        head.package_type = _TYPES.get(kind.strip().casefold(), PackageType.FULL)
        if kind != head.package_type:
            read = {"written": printable_name(kind), "type": str(head.package_type)}
            self._note(tr("PackageType is written {written}: read as {type}", **read))
        if head.package_type != PackageType.FULL:
            self._required = frozenset(("SellerProductId",))

    def _start_offer(self, attributes: dict[str, str]) -> None:
        self._line = self._parser.CurrentLineNumber
        self._values = self._proper("Offer", attributes)
        self._shipping = {}
        self._note_missing("Offer", self._required, self._values)

    def _start_shipping(self, attributes: dict[str, str]) -> None:
        if self._values is None:
            self._lose(tr("ShippingInformation stands outside of an Offer, and is not read"))
            return
        element = "ShippingInformation"
        attributes = self._proper(element, attributes)
        self._note_missing(element, _ATTRIBUTES[element], attributes)
        mode = attributes.get("DeliveryMode", "")
        if mode in self._shipping:
            self._lose(TWICE)
            return
        charges = attributes.get("ShippingCharges", "")
        additional = attributes.get("AdditionalShippingCharges", "")
        self._shipping[mode] = Shipping(mode, charges, additional)

    def _note(self, text: str, *, is_loss: bool = False, is_once: bool = False) -> None:
        line = self._parser.CurrentLineNumber
        self._irregularities.note(text, line, is_loss=is_loss, is_once=is_once)

    def _lose(self, text: str) -> None:
        self._note(text, is_loss=True)


@lru_cache(1000)
def _attribute(element: str, spelling: str) -> str:
    folded = spelling.rpartition(" ")[2].casefold()
    return next((name for name in _ATTRIBUTES[element] if name.casefold() == folded), "")


def _corrupt(fault: str) -> CorruptXml:
    return CorruptXml(tr("The Offers.xml is damaged: {what}.", what=fault), MAKE_AGAIN)
