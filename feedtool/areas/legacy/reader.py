"""The offers of an Offers.xml, or of the zip around it, with their lines, in constant memory.

Whatever the wild has made of the format is read as far as it can only mean one thing, and noted as
irregular; what could harm is refused in the words of `feedtool.sheets.read.errors`.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from zipfile import ZipFile

from feedtool.areas.legacy.irregularities import Irregularities, printable_name
from feedtool.areas.legacy.offers_xml import MEMBERS, OFFERS
from feedtool.areas.legacy.parser import (
    MAKE_AGAIN,
    NOT_TRUSTED,
    OfferInPlace,
    OffersParser,
    PackageHead,
)
from feedtool.model.errors import FileProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets import (
    DEFAULT_LIMITS,
    CorruptZip,
    Encrypted,
    XmlDoctype,
    ZipBadName,
    ZipDuplicateMember,
    ZipPackage,
    part_key,
)

_BLOCK = 1 << 18
_POOL = b"publicationpool"
_START = 1 << 12
_ROOT = re.compile(
    r"""(?> \s+ | <\?.*?\?> | <!--.*?--> | <!doctype [^>\[]* (?: \[.*?\] \s* )? > )*+
        < (?: [\w.-]+ : )? offerpackage [\s>/]""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
"""With what may stand before it; each of these ends where it first may."""


def is_legacy(path: Path) -> bool:
    """True for an Offers.xml or a zip with one, by content alone; OSError if it cannot be read."""
    with path.open("rb") as file:
        start = file.read(_START)
    if start.startswith(b"PK"):
        return _is_zip_of_offers(path)
    codec = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"
    text = start.removeprefix(b"\xef\xbb\xbf").decode(codec, "replace")
    return _ROOT.match(text) is not None


def _is_zip_of_offers(path: Path) -> bool:
    """True for a zip that is no workbook and has an Offers.xml, in its place or as its only one.

    One whose members are not to be trusted is one, so that it is refused as what it is.
    """
    try:
        with ZipPackage(path) as package:
            names, is_sound = list(package.names), True
    except (Encrypted, ZipBadName, ZipDuplicateMember):
        with ZipFile(path) as opened:  # its directory is sound
            names, is_sound = opened.namelist(), False
    except FileProblem:
        return False
    if {"xl/workbook.xml", "xl/workbook.bin"} & set(map(part_key, names)):
        return False
    return bool(_member_of(names) if is_sound else _offers_in(names))


class OffersXml:
    """An Offers.xml or its zip. It may be read several times.

    Raises, when it is read, CorruptXml, XmlDoctype, ZipBomb; and for a zip also CorruptZip,
    ZipBadName, ZipDuplicateMember, Encrypted.
    """

    def __init__(self, path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.head = PackageHead()
        """Of the last reading; known before its first offer, but for pools that stand behind."""
        self.irregularities = Irregularities()
        """Of the last reading; complete at its end."""
        self._limits = limits

    def read(self) -> Iterator[OfferInPlace]:
        """The offers in their order."""
        self.head, self.irregularities = PackageHead(), Irregularities()
        with _in_own_words():
            parser = OffersParser(self.head, self.irregularities, self._limits.text)
            for piece in self._pieces():
                yield from parser.feed(piece)
            parser.feed(b"", final=True)

    @cached_property
    def pools_behind(self) -> list[tuple[str, str]]:
        """The publication pools of a file that names none before its offers, as some do.

        The file is parsed once more only where a plain search, which is fast, finds their name.
        """
        overlap = b""
        for piece in self._pieces():
            # Without what an encoding of two bytes puts between the letters.
            searched = overlap + piece.replace(b"\0", b"").lower()
            if _POOL in searched:
                again = OffersXml(self.path, self._limits)
                deque(again.read(), 0)
                return again.head.pools
            overlap = searched[-len(_POOL) :]
        return []

    def _pieces(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            if not (first := file.read(_BLOCK)).startswith(b"PK"):
                yield first
                yield from iter(lambda: file.read(_BLOCK), b"")
                return
        with ZipPackage(self.path, self._limits) as package:
            yield from package.stream(self._member(package.names), _BLOCK)

    def _member(self, names: Iterable[str]) -> str:
        """The name of the Offers.xml; what is irregular in all names is noted."""
        member = _member_of(names)
        if member is None:
            raise CorruptZip(tr("The zip has no Content/Offers.xml."), MAKE_AGAIN)
        by_key = {part_key(name): name for name in names} | {part_key(OFFERS): member}
        for expected in MEMBERS:
            name = by_key.get(part_key(expected))
            if name != expected:
                text = tr("the zip has no {member}", member=expected)
                if name:
                    text = tr(
                        "the member {member} of the zip is called {name}",
                        member=expected,
                        name=printable_name(name),
                    )
                self.irregularities.note(text, 1)
        return member


def _member_of(names: Iterable[str]) -> str | None:
    """The Offers.xml among the names of a zip's members, in its place or anywhere."""
    named = _offers_in(names)
    proper = [name for name in named if part_key(name) == part_key(OFFERS)]
    return next(iter(proper or (named if len(named) == 1 else ())), None)


def _offers_in(names: Iterable[str]) -> list[str]:
    return [name for name in names if part_key(name).rpartition("/")[2] == "offers.xml"]


@contextmanager
def _in_own_words() -> Iterator[None]:
    """Errors about workbooks, said of an Offers.xml."""
    try:
        yield
    except XmlDoctype as error:
        raise XmlDoctype(tr("The Offers.xml declares a document type."), NOT_TRUSTED) from error
    except FileProblem as error:
        if error.hint in (MAKE_AGAIN, NOT_TRUSTED):
            raise
        raise type(error)(error.message, MAKE_AGAIN) from error
