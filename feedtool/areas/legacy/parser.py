"""The text of an Offers.xml, piece by piece, becomes offers with their lines.

Names, cases and places are read as far as they can only mean one thing; each such liberty is noted.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple
from xml.parsers import expat

from feedtool.areas.legacy.liberties import Liberties, told
from feedtool.areas.legacy.names import NAMESPACE, PARENTS, XAML
from feedtool.areas.legacy.offers_xml import NAMES, REQUIRED, Shipping, XmlOffer
from feedtool.areas.offers.package_types import PackageType
from feedtool.sheets import (
    CorruptXml,
    ZipBomb,
    hardened_parser,
    parse,
)

MAKE_AGAIN = "Make it again in the program that it comes from, or correct it in a text editor."
NOT_TRUSTED = "Do not trust this file; have its sender make it anew."
_DEEPEST = 100
_RESOLVED = 1000
"""Different writings of a name that are remembered."""
_FAMILY = "clr-namespace:"
"""What the namespace begins with, in older versions too."""
_ORDER = {name: place for place, name in enumerate(PARENTS)}
_ELEMENTS = {name.casefold(): name for name in PARENTS}
_ATTRIBUTES = {
    "OfferPackage": ("Name", "PurgeAndReplace", "PackageType"),
    "PublicationPool": ("SalesChannelId", "Id"),
    "Offer": NAMES,
    "ShippingInformation": ("ShippingCharges", "AdditionalShippingCharges", "DeliveryMode"),
}
_EXACT = {element: frozenset(names) for element, names in _ATTRIBUTES.items()}
_HARMLESS = (XAML, "http://www.w3.org/XML/")
"""Namespaces of attributes that say nothing of an offer."""
_TYPES = {kind.casefold(): kind for kind in (PackageType.FULL, PackageType.STOCK_AND_PRICE)}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


class OfferInPlace(NamedTuple):
    """An offer in its place."""

    line: int
    """Where its `<Offer` stands, 1-based."""
    offer: XmlOffer
    """Its values as they stand there."""


@dataclass(slots=True)
class About:
    """What the package says of itself, its liberties aside."""

    name: str = ""
    purges: bool = False
    package_type: str = PackageType.FULL
    line: int = 1
    pools: list[tuple[str, str]] = field(default_factory=list)
    """Attribute and value of each publication pool."""


class OffersParser:
    """A parser that is fed piece by piece and gives the offers that end in each."""

    def __init__(self, about: About, liberties: Liberties, longest: int) -> None:
        self._about, self._liberties, self._longest = about, liberties, longest
        self._parser: Final = hardened_parser("Offers.xml", " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._untagged = 0
        """Bytes since the piece in which the last tag began."""
        self._above: list[str] = []
        """The names of the open elements; of a foreign one, and all in it, ""."""
        self._places: list[int] = []
        """How far each open element has come in the order of its children."""
        self._elements: dict[str, str] = {}
        """The proper names by the tags of which nothing is to be said."""
        self._spaces: set[str] = set()
        self._attributes: dict[str, dict[str, str]] = {name: {} for name in _ATTRIBUTES}
        self._required = REQUIRED
        self._line = 0
        self._values: dict[str, str] | None = None
        """Of the offer that is open."""
        self._shipping: dict[str, Shipping] = {}
        """Of the offer that is open, by mode."""
        self._found: list[OfferInPlace] = []
        self._starts = {
            "OfferPackage": self._start_package,
            "PublicationPool": self._start_pool,
            "Offer": self._start_offer,
            "ShippingInformation": self._start_shipping,
            "DiscountComponent": self._start_discount,
        }

    def feed(self, data: bytes) -> list[OfferInPlace]:
        """The offers that end in `data`."""
        _parse(self._parser, data, final=False)
        self._untagged += len(data)
        if self._untagged > self._longest + len(data):
            raise ZipBomb(
                "The Offers.xml holds a stretch without a tag beyond all measure.", NOT_TRUSTED
            )
        found, self._found = self._found, []
        return found

    def finish(self) -> None:
        """The file is at its end. Raises CorruptXml if it should not be."""
        _parse(self._parser, b"", final=True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._untagged = 0
        above = self._above
        name = ""
        if not above or above[-1]:
            name = self._name(tag)
        if name:
            self._take_place(name)
        above.append(name)
        self._places.append(0)
        if len(above) > _DEEPEST:
            raise ZipBomb("The Offers.xml is nested beyond all measure.", NOT_TRUSTED)
        start = self._starts.get(name)
        if start is not None:
            start(attributes)

    def _take_place(self, name: str) -> None:
        """Tells where an element does not stand as it should."""
        above = self._above[-1] if self._above else ""
        if PARENTS[name] != above:
            self._misplaced(name)
        elif above:
            place = _ORDER[name]
            if place < self._places[-1]:
                self._note(f"{name} stands too late in its {above}")
            else:
                self._places[-1] = place

    def _end(self, _tag: str) -> None:
        self._places.pop()
        if self._above.pop() != "Offer" or self._values is None:
            return
        self._found.append(
            OfferInPlace(self._line, XmlOffer(self._values, tuple(self._shipping.values())))
        )
        self._values = None

    def _characters(self, text: str) -> None:
        if text.isspace() or not self._above[-1]:
            return
        self._note(f"{self._above[-1]} holds a text, which is not read", loses=True)

    def _misplaced(self, name: str) -> None:
        """Tells of it. Raises CorruptXml where it cannot be read."""
        if not self._above:
            raise _corrupt(f"its root is {name} and not OfferPackage")
        if name == "OfferPackage" or (name == "Offer" and self._values is not None):
            raise _corrupt(f"line {self._parser.CurrentLineNumber} has an {name} in another")
        self._note(f"{name} stands in {self._above[-1]} instead of {PARENTS[name]}")

    def _name(self, tag: str) -> str:
        """The proper name of a tag, "" where it has none. Raises CorruptXml at a foreign root."""
        name = self._elements.get(tag)
        if name is not None:
            return name
        space, _, local = tag.rpartition(" ")
        is_ours = not space or space.startswith(_FAMILY)
        name = _ELEMENTS.get(local.casefold(), "") if is_ours else ""
        if not name:
            if not self._above:
                raise _corrupt(f"its root is {told(local)} and not OfferPackage")
            self._note(f"the element {told(local)} is not known, nor read", loses=True)
        elif name != local:
            self._note(f"the element {name} is written {told(local)}")
        elif len(self._elements) < _RESOLVED:
            self._elements[tag] = name
        if name and space != NAMESPACE:
            self._tell_space(space)
        return name

    def _tell_space(self, space: str) -> None:
        """Tells once of a namespace that is another one."""
        if space not in self._spaces and len(self._spaces) < _RESOLVED:
            self._spaces.add(space)
            where = f"the namespace {told(space)}" if space else "no namespace"
            self._note(f"elements are in {where}")

    def _proper(self, element: str, given: dict[str, str]) -> dict[str, str]:
        """The known attributes of an element by their proper names."""
        if given.keys() <= _EXACT[element]:
            return given
        known = self._attributes[element]
        found: dict[str, str] = {}
        for writing, value in given.items():
            name = known.get(writing) or self._resolve_attribute(element, writing)
            if not name:
                if not writing.startswith(_HARMLESS):
                    self._note(
                        f"the attribute {told(writing)} of {element} is not read", loses=True
                    )
                continue
            if name != writing:
                self._note(f"the attribute {name} of {element} is written {told(writing)}")
            if name in found:
                self._note(
                    f"the attribute {name} of {element} is there twice: the first is read",
                    loses=True,
                )
            else:
                found[name] = value
        return found

    def _resolve_attribute(self, element: str, writing: str) -> str:
        folded = writing.rpartition(" ")[2].casefold()
        name = next((one for one in _ATTRIBUTES[element] if one.casefold() == folded), "")
        known = self._attributes[element]
        if name and len(known) < _RESOLVED:
            known[writing] = name
        return name

    def _start_package(self, given: dict[str, str]) -> None:
        about, attributes = self._about, self._proper("OfferPackage", given)
        about.line = self._parser.CurrentLineNumber
        about.name = attributes.get("Name", "")
        self._tell_missing("OfferPackage", _EXACT["OfferPackage"], attributes)
        purges = attributes.get("PurgeAndReplace", "false")
        if purges not in ("true", "false"):
            self._note(f"PurgeAndReplace is written {told(purges)}")
        about.purges = _BOOLEANS.get(purges.strip().casefold(), False)
        kind = attributes.get("PackageType", PackageType.FULL)
        about.package_type = _TYPES.get(kind.strip().casefold(), PackageType.FULL)
        if kind != about.package_type:
            self._note(f"PackageType is written {told(kind)}: read as {about.package_type}")
        if about.package_type != PackageType.FULL:
            self._required = frozenset(("SellerProductId",))

    def _start_pool(self, given: dict[str, str]) -> None:
        self._about.pools.extend(self._proper("PublicationPool", given).items())

    def _start_offer(self, given: dict[str, str]) -> None:
        self._line = self._parser.CurrentLineNumber
        self._values = self._proper("Offer", given)
        self._shipping = {}
        self._tell_missing("Offer", self._required, self._values)

    def _tell_missing(self, element: str, names: frozenset[str], found: dict[str, str]) -> None:
        if names <= found.keys():
            return
        for name in sorted(names - found.keys()):
            self._note(f"the attribute {name} of {element} is missing")

    def _start_shipping(self, given: dict[str, str]) -> None:
        if self._values is None:
            self._note(
                "ShippingInformation stands outside of an Offer, and is not read", loses=True
            )
            return
        attributes = self._proper("ShippingInformation", given)
        self._tell_missing("ShippingInformation", _EXACT["ShippingInformation"], attributes)
        mode = attributes.get("DeliveryMode", "")
        if mode in self._shipping:
            self._note("an Offer has a DeliveryMode twice: the first is read", loses=True)
            return
        charges = attributes.get("ShippingCharges", "")
        additional = attributes.get("AdditionalShippingCharges", "")
        self._shipping[mode] = Shipping(mode, charges, additional)

    def _start_discount(self, given: dict[str, str]) -> None:
        del given
        self._note("discounts (DiscountComponent) are not read", loses=True)

    def _note(self, what: str, *, loses: bool = False) -> None:
        self._liberties.note(what, self._parser.CurrentLineNumber, loses=loses)


def _parse(parser: expat.XMLParserType, data: bytes, *, final: bool) -> None:
    try:
        parse(parser, data, "Offers.xml", final=final)
    except CorruptXml as error:
        cause = error.__cause__
        if isinstance(cause, expat.ExpatError):
            where = f"at line {cause.lineno}, column {cause.offset + 1}"
            raise _corrupt(f"its XML is malformed {where}") from error
        raise _corrupt(f"its XML cannot be read ({cause})" if cause else error.message) from error


def _corrupt(what: str) -> CorruptXml:
    return CorruptXml(f"The Offers.xml is damaged: {what}.", MAKE_AGAIN)
