"""The offers in the text of an Offers.xml, fed piece by piece.

Names, cases and places are read as far as they can only mean one thing; each irregularity is noted.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple
from xml.parsers import expat

from msgspec import Struct, field

from feedtool.areas.legacy.irregularities import Irregularities, printable_name
from feedtool.areas.legacy.offers_xml import (
    NAMES,
    NAMESPACE,
    PARENTS,
    REQUIRED,
    XAML,
    Shipping,
    XmlOffer,
)
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.text import tr
from feedtool.sheets import CorruptXml, ZipBomb, hardened_parser

MAKE_AGAIN = tr("Make it again in the program that it comes from, or correct it in a text editor.")
NOT_TRUSTED = tr("Do not trust this file; have its sender make it anew.")
TWICE = tr("an Offer has a DeliveryMode twice: the first is read")
_DEEPEST = 100
_FAMILY = "clr-namespace:"
"""The beginning of the namespace, in older versions too."""
_ORDER = {name: place for place, name in enumerate(PARENTS)}
_ELEMENTS = {name.casefold(): name for name in PARENTS}
_REGULAR = {f"{NAMESPACE} {name}": name for name in PARENTS}
"""The elements by the tags of which nothing is to be noted."""
_ATTRIBUTES = {
    "OfferPackage": frozenset(("Name", "PurgeAndReplace", "PackageType")),
    "PublicationPool": frozenset(("SalesChannelId", "Id")),
    "Offer": frozenset(NAMES),
    "ShippingInformation": frozenset(
        ("ShippingCharges", "AdditionalShippingCharges", "DeliveryMode")
    ),
}
_HARMLESS = (XAML, "http://www.w3.org/XML/")
"""Namespaces of attributes that say nothing of an offer."""
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
    """A parser that is fed piece by piece and gives the offers that end in each."""

    def __init__(self, head: PackageHead, irregularities: Irregularities, longest: int) -> None:
        """`longest` is how many bytes there may be without a tag."""
        self._head, self._irregularities, self._longest = head, irregularities, longest
        self._parser: Final = hardened_parser("Offers.xml", " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._untagged = 0
        """Bytes since the piece in which the last tag began."""
        self._open: list[str] = []
        """The names of the open elements; of a foreign one, and all in it, ""."""
        self._places: list[int] = []
        """How far each open element has come in the order of its children."""
        self._required = REQUIRED
        self._line = 0
        self._values: dict[str, str] | None = None
        """Of the offer that is open."""
        self._shipping: dict[str, Shipping] = {}
        """Of the offer that is open, by mode."""
        self._offers: list[OfferInPlace] = []
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            "OfferPackage": self._start_package,
            "PublicationPool": lambda given: head.pools.extend(
                self._proper("PublicationPool", given).items()
            ),
            "Offer": self._start_offer,
            "ShippingInformation": self._start_shipping,
            "DiscountComponent": lambda _: self._lose(
                tr("discounts (DiscountComponent) are not read")
            ),
        }

    def feed(self, data: bytes, *, final: bool = False) -> list[OfferInPlace]:
        """The offers that end in `data`. Raises CorruptXml, XmlDoctype, ZipBomb."""
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            place = {"line": error.lineno, "column": error.offset + 1}
            what = tr("its XML is malformed at line {line}, column {column}", **place)
            raise _corrupt(what) from error
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
        """Note an element that does not stand where it should; CorruptXml if it is unreadable."""
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
            raise _corrupt(
                tr(
                    "line {line} has an {element} in another",
                    line=self._parser.CurrentLineNumber,
                    element=name,
                )
            )
        else:
            self._note(
                tr(
                    "{element} stands in {parent} instead of {right}",
                    element=name,
                    parent=parent,
                    right=PARENTS[name],
                )
            )

    def _name(self, tag: str) -> str:
        """The proper name of a tag, "" where it has none. Raises CorruptXml at a foreign root."""
        if name := _REGULAR.get(tag):
            return name
        space, _, local = tag.rpartition(" ")
        is_ours = not space or space.startswith(_FAMILY)
        name = _ELEMENTS.get(local.casefold(), "") if is_ours else ""
        if not name:
            if not self._open:
                raise _corrupt(
                    tr("its root is {element} and not OfferPackage", element=printable_name(local))
                )
            self._lose(
                tr("the element {element} is not known, nor read", element=printable_name(local))
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
            where = tr("elements are in no namespace")
            if space:
                where = tr("elements are in the namespace {name}", name=printable_name(space))
            self._note(where, is_once=True)
        return name

    def _proper(self, element: str, given: dict[str, str]) -> dict[str, str]:
        """The known attributes of an element by their proper names."""
        if given.keys() <= _ATTRIBUTES[element]:
            return given
        proper: dict[str, str] = {}
        for writing, value in given.items():
            name = _attribute(element, writing)
            if not name:
                if not writing.startswith(_HARMLESS):
                    self._lose(
                        tr(
                            "the attribute {name} of {element} is not read",
                            name=printable_name(writing),
                            element=element,
                        )
                    )
                continue
            if name != writing:
                written = printable_name(writing)
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

    def _note_missing(self, element: str, names: frozenset[str], given: dict[str, str]) -> None:
        if not names <= given.keys():
            for name in sorted(names - given.keys()):
                self._note(
                    tr("the attribute {name} of {element} is missing", name=name, element=element)
                )

    def _start_package(self, given: dict[str, str]) -> None:
        head, attributes = self._head, self._proper("OfferPackage", given)
        head.line = self._parser.CurrentLineNumber
        head.name = attributes.get("Name", "")
        self._note_missing("OfferPackage", _ATTRIBUTES["OfferPackage"], attributes)
        purges = attributes.get("PurgeAndReplace", "false")
        if purges not in ("true", "false"):
            self._note(
                tr(
                    "{name} is written {written}",
                    name="PurgeAndReplace",
                    written=printable_name(purges),
                )
            )
        head.purges = purges.strip().casefold() in ("true", "1")
        kind = attributes.get("PackageType", PackageType.FULL)
        head.package_type = _TYPES.get(kind.strip().casefold(), PackageType.FULL)
        if kind != head.package_type:
            written = printable_name(kind)
            self._note(
                tr(
                    "PackageType is written {written}: read as {type}",
                    written=written,
                    type=str(head.package_type),
                )
            )
        if head.package_type != PackageType.FULL:
            self._required = frozenset(("SellerProductId",))

    def _start_offer(self, given: dict[str, str]) -> None:
        self._line = self._parser.CurrentLineNumber
        self._values = self._proper("Offer", given)
        self._shipping = {}
        self._note_missing("Offer", self._required, self._values)

    def _start_shipping(self, given: dict[str, str]) -> None:
        if self._values is None:
            self._lose(tr("ShippingInformation stands outside of an Offer, and is not read"))
            return
        element = "ShippingInformation"
        attributes = self._proper(element, given)
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
def _attribute(element: str, writing: str) -> str:
    """The proper name of an attribute, "" where it has none."""
    folded = writing.rpartition(" ")[2].casefold()
    return next((name for name in _ATTRIBUTES[element] if name.casefold() == folded), "")


def _corrupt(what: str) -> CorruptXml:
    return CorruptXml(tr("The Offers.xml is damaged: {what}.", what=what), MAKE_AGAIN)
