"""The offers of an Offers.xml, or of the zip around it, with their lines, in constant memory.

Irregular files are read as far as their meaning is clear, and the irregularities are noted; files
that could do harm are refused with the errors of `feedtool.sheets.read.errors`.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from zipfile import ZipFile

from feedtool.areas.legacy.parser import (
    MAKE_AGAIN,
    NOT_TRUSTED,
    Irregularities,
    OfferInPlace,
    OffersParser,
    PackageHead,
    printable_name,
)
from feedtool.areas.legacy.writer import MEMBERS, OFFERS
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
"""The root and all that may precede it; each part ends as early as possible."""


def is_legacy(path: Path) -> bool:
    """True for an Offers.xml or a zip with one, by content. Raises OSError if it cannot be read."""
    with path.open("rb") as file:
        start = file.read(_START)
    if start.startswith(b"PK"):
        return _is_zip_of_offers(path)
    codec = "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"
    text = start.removeprefix(b"\xef\xbb\xbf").decode(codec, "replace")
    return _ROOT.match(text) is not None


def _is_zip_of_offers(path: Path) -> bool:
    """True for a zip that is no workbook and has one Offers.xml, or one in the usual place.

    Also true for a zip with untrusted members, so that its refusal names the reason.
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
    """An Offers.xml or its zip, which may be read several times.

    Reading raises CorruptXml, XmlDoctype, ZipBomb; for a zip also CorruptZip, ZipBadName,
    ZipDuplicateMember, Encrypted.
    """

    def __init__(self, path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.head = PackageHead()
        """The head in the last reading, known before the first offer; pools may follow later."""
        self.irregularities = Irregularities()
        """The irregularities of the last reading, complete at its end."""
        self._limits = limits

    def read(self) -> Iterator[OfferInPlace]:
        self.head, self.irregularities = PackageHead(), Irregularities()
        with _worded_for_offers_xml():
            parser = OffersParser(self.head, self.irregularities, self._limits.text)
            for piece in self._pieces():
                yield from parser.feed(piece)
            parser.feed(b"", final=True)

    @cached_property
    def pools_behind(self) -> list[tuple[str, str]]:
        """The publication pools of a file that has them only after its offers, as some do.

        The file is parsed again only if a fast search finds their name.
        """
        overlap = b""
        for piece in self._pieces():
            # UTF-16 puts zero bytes between the letters.
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
        """Return the name of the Offers.xml, and note irregular names of members."""
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
    """Return the Offers.xml among a zip's members: the one in the usual place, or the only one."""
    candidates = _offers_in(names)
    usual = [name for name in candidates if part_key(name) == part_key(OFFERS)]
    return next(iter(usual or (candidates if len(candidates) == 1 else ())), None)


def _offers_in(names: Iterable[str]) -> list[str]:
    return [name for name in names if part_key(name).rpartition("/")[2] == "offers.xml"]


@contextmanager
def _worded_for_offers_xml() -> Iterator[None]:
    """Word errors about workbooks for an Offers.xml."""
    try:
        yield
    except XmlDoctype as error:
        raise XmlDoctype(tr("The Offers.xml declares a document type."), NOT_TRUSTED) from error
    except FileProblem as error:
        if error.hint in (MAKE_AGAIN, NOT_TRUSTED):
            raise
        raise type(error)(error.message, MAKE_AGAIN) from error
