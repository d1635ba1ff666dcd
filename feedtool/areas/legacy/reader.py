"""An Offers.xml, or the zip around it, becomes offers with their lines, in constant memory.

Whatever the wild has made of the format is read as far as it can only mean one thing, and told
as a liberty; what could harm is refused in the words of `feedtool.sheets.read.errors`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from feedtool.areas.legacy.liberties import Liberties, told
from feedtool.areas.legacy.names import MEMBERS, OFFERS
from feedtool.areas.legacy.parser import MAKE_AGAIN, NOT_TRUSTED, About, OfferInPlace, OffersParser
from feedtool.model.errors import FileProblem
from feedtool.model.limits import ReadingLimits
from feedtool.sheets import (
    DEFAULT_LIMITS,
    CorruptZip,
    XmlDoctype,
    ZipPackage,
)

_BLOCK = 1 << 18
_POOL = b"publicationpool"


class OffersXml:
    """An Offers.xml or its zip. It may be read several times.

    Raises, when it is read, CorruptXml, XmlDoctype, ZipBomb; and for a zip also CorruptZip,
    ZipBadName, ZipDuplicateMember, Encrypted.
    """

    def __init__(self, path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.about = About()
        """Of the last reading; known before its first offer, but for pools that stand behind."""
        self.liberties = Liberties()
        """Of the last reading; complete at its end."""
        self._limits = limits

    def read(self) -> Iterator[OfferInPlace]:
        """The offers in their order."""
        self.about, self.liberties = About(), Liberties()
        with _in_own_words():
            events = OffersParser(self.about, self.liberties, self._limits.text)
            for piece in self._pieces():
                yield from events.feed(piece)
            events.finish()

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
        return again.about.pools

    def _pieces(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            is_zip = file.read(4).startswith(b"PK")
        if is_zip:
            with ZipPackage(self.path, self._limits) as package:
                yield from package.stream(_member(package, self.liberties), _BLOCK)
            return
        with self.path.open("rb") as file:
            while piece := file.read(_BLOCK):
                yield piece


def member_of(names: Iterable[str]) -> str | None:
    """The Offers.xml among the names of a zip's members, in its place or anywhere."""
    found = [name for name in names if _key(name).rpartition("/")[2] == "offers.xml"]
    proper = [name for name in found if _key(name) == OFFERS.casefold()]
    return next(iter(proper or (found if len(found) == 1 else ())), None)


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


def _member(package: ZipPackage, liberties: Liberties) -> str:
    member = member_of(package.names)
    if member is None:
        raise CorruptZip("The zip has no Content/Offers.xml.", MAKE_AGAIN)
    names = {_key(name): name for name in package.names}
    for expected in MEMBERS:
        name = member if expected is OFFERS else names.get(expected.casefold())
        if name is None:
            liberties.note(f"the zip has no {expected}", 1)
        elif name != expected:
            liberties.note(f"the member {expected} of the zip is called {told(name)}", 1)
    return member


@contextmanager
def _in_own_words() -> Iterator[None]:
    """What is said of workbooks, said of an Offers.xml."""
    try:
        yield
    except XmlDoctype as error:
        raise XmlDoctype("The Offers.xml declares a document type.", NOT_TRUSTED) from error
    except FileProblem as error:
        if error.hint in (MAKE_AGAIN, NOT_TRUSTED):
            raise
        raise type(error)(error.message, MAKE_AGAIN) from error
