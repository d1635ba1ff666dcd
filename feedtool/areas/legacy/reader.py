"""The offers of an Offers.xml, or of the zip around it, with their lines, in constant memory.

Whatever the wild has made of the format is read as far as it can only mean one thing, and noted as
irregular; what could harm is refused in the words of `feedtool.sheets.read.errors`.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

from feedtool.areas.legacy.offers_xml import MEMBERS, OFFERS
from feedtool.areas.legacy.parser import (
    MAKE_AGAIN,
    NOT_TRUSTED,
    Irregularities,
    OfferInPlace,
    OffersParser,
    PackageHead,
    printable_name,
)
from feedtool.model.errors import FileProblem
from feedtool.model.limits import ReadingLimits
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
    """True for an Offers.xml or a zip with one, by its content, never by its name.

    Raises:
        OSError: The file cannot be opened.
    """
    with path.open("rb") as file:
        start = file.read(_START)
    if start.startswith(b"PK"):
        return _is_zip_of_offers(path)
    codec = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"
    text = start.removeprefix(b"\xef\xbb\xbf").decode(codec, "replace")
    return _ROOT.match(text) is not None


def _is_zip_of_offers(path: Path) -> bool:
    """A workbook is none, whatever else is in it; nor is what cannot be opened.

    One whose members are not to be trusted is one, so that it is refused as what it is.
    """
    try:
        with ZipPackage(path) as package:
            return _are_of_offers(package.names) and _member_of(package.names) is not None
    except (Encrypted, ZipBadName, ZipDuplicateMember):
        with ZipFile(path) as package:  # its directory is sound
            return _are_of_offers(package.namelist())
    except FileProblem:
        return False


def _are_of_offers(names: Iterable[str]) -> bool:
    keys = {part_key(name) for name in names}
    is_workbook = not keys.isdisjoint(("xl/workbook.xml", "xl/workbook.bin"))
    return not is_workbook and any(key.rpartition("/")[2] == "offers.xml" for key in keys)


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
            parser.finish()

    def pools_behind(self) -> list[tuple[str, str]]:
        """The publication pools of a file that names none before its offers, as some do.

        The file is parsed once more only where a plain search, which is fast, finds their name.
        """
        overlap = b""
        for piece in self._pieces():
            # Without what an encoding of two bytes puts between the letters.
            searched = overlap + piece.replace(b"\0", b"").lower()
            if _POOL in searched:
                break
            overlap = searched[-len(_POOL) :]
        else:
            return []
        again = OffersXml(self.path, self._limits)
        for _ in again.read():
            pass
        return again.head.pools

    def _pieces(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            is_zip = file.read(4).startswith(b"PK")
        if is_zip:
            with ZipPackage(self.path, self._limits) as package:
                yield from package.stream(self._member(package.names), _BLOCK)
            return
        with self.path.open("rb") as file:
            while piece := file.read(_BLOCK):
                yield piece

    def _member(self, names: Iterable[str]) -> str:
        """The name of the Offers.xml; what is irregular in all names is noted."""
        member = _member_of(names)
        if member is None:
            raise CorruptZip("The zip has no Content/Offers.xml.", MAKE_AGAIN)
        by_key = {_key(name): name for name in names} | {_key(OFFERS): member}
        for expected in MEMBERS:
            name = by_key.get(_key(expected))
            if name is None:
                self.irregularities.note(f"the zip has no {expected}", 1)
            elif name != expected:
                text = f"the member {expected} of the zip is called {printable_name(name)}"
                self.irregularities.note(text, 1)
        return member


def _member_of(names: Iterable[str]) -> str | None:
    """The Offers.xml among the names of a zip's members, in its place or anywhere."""
    named = [name for name in names if _key(name).rpartition("/")[2] == "offers.xml"]
    proper = [name for name in named if _key(name) == _key(OFFERS)]
    return next(iter(proper or (named if len(named) == 1 else ())), None)


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


@contextmanager
def _in_own_words() -> Iterator[None]:
    """Errors about workbooks, said of an Offers.xml."""
    try:
        yield
    except XmlDoctype as error:
        raise XmlDoctype("The Offers.xml declares a document type.", NOT_TRUSTED) from error
    except FileProblem as error:
        if error.hint in (MAKE_AGAIN, NOT_TRUSTED):
            raise
        raise type(error)(error.message, MAKE_AGAIN) from error
