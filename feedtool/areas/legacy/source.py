"""An Offers.xml, or its zip, as a sheet: a header of keys, and a row for each offer."""

import re
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Self
from zipfile import ZipFile

from feedtool.areas.legacy.liberties import told
from feedtool.areas.legacy.offers_xml import (
    ATTRIBUTES,
    KIND,
    KINDS,
    SHEET,
    STOCK_AND_PRICE_KIND,
    XmlAttribute,
    cost_keys,
)
from feedtool.areas.legacy.parser import OfferInPlace
from feedtool.areas.legacy.reader import OffersXml, member_of
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import AccountSettings
from feedtool.sheets import (
    Encrypted,
    HeadRow,
    MergedArea,
    Notice,
    SheetEntry,
    ZipBadName,
    ZipDuplicateMember,
    ZipPackage,
    first_rows,
    part_key,
    rows_after,
)

LIBERTY = "xml-irregular"
"""The code of what an Offers.xml has otherwise than the format demands."""
HEADER = 1
"""The number of the header's row; the first offer is row 2."""
CHANNEL = "salesChannelId"
"""The key of the column for the channel of a publication pool, where it is not the usual one."""
PRIMARY_POOL = "1"
"""The Id of the primary channel's pool (source: files of the field)."""
_OFFERS = 1000
"""Offers of a block."""
_START = 1 << 12
_ROOT = re.compile(
    r"""(?> \s+ | <\?.*?\?> | <!--.*?--> | <!doctype [^>\[]* (?: \[.*?\] \s* )? > )*+
        < (?: [\w.-]+ : )? offerpackage [\s>/]""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
"""With what may stand before it; each of these ends where it first may."""
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_NUMBERS = frozenset(
    ("Price", "EcoPart", "DeaTax", "Vat", "Stock", "StrikedPrice", "PreparationTime")
)
_DIFFERENT = 1 << 14
"""Different numbers that are remembered as cells: most offers share a few."""


def is_legacy(path: Path) -> bool:
    """Whether a file is an Offers.xml or a zip with one; by its content, never by its name.

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
            return _are_of_offers(package.names) and member_of(package.names) is not None
    except (Encrypted, ZipBadName, ZipDuplicateMember):
        with ZipFile(path) as package:  # its directory is sound
            return _are_of_offers(package.namelist())
    except FileProblem:
        return False


def _are_of_offers(names: Iterable[str]) -> bool:
    keys = {part_key(name) for name in names}
    is_workbook = not keys.isdisjoint(("xl/workbook.xml", "xl/workbook.bin"))
    return not is_workbook and any(key.rpartition("/")[2] == "offers.xml" for key in keys)


def open_offers(path: Path, dialect: AccountSettings, kind: str | None) -> "OffersSource":
    """The offers of a file, with delivery modes as the kind that was asked for calls them."""
    return OffersSource(path, dialect, as_json=kind not in {None, *KINDS})


class OffersSource:
    """An open Offers.xml; a context manager, though nothing is kept open between readings."""

    format = "offers-xml"

    def __init__(
        self,
        path: Path,
        dialect: AccountSettings | None = None,
        limits: ReadingLimits | None = None,
        *,
        as_json: bool = False,
    ) -> None:
        """Opens nothing yet.

        Args:
            path: The file.
            dialect: The profile's: which modes and conditions there are.
            limits: How much is read; the profile's where nothing is given.
            as_json: Whether delivery modes are called as in the JSON packages.
        """
        dialect = dialect or AccountSettings()
        self._xml = OffersXml(path, limits or dialect.reading)
        self._dialect = dialect
        self._as_json = as_json
        self.sheets = (SheetEntry(SHEET, ""),)

    @property
    def properties(self) -> Mapping[str, str]:
        """The stamp: which kind of feed the package's type is. Raises what reading raises."""
        next(iter(self._xml.read()), None)
        is_full = self._xml.about.package_type == PackageType.FULL
        return {"feedtool.template": KIND if is_full else STOCK_AND_PRICE_KIND}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def sheet(self, name: str = SHEET) -> "OffersSheet":
        """The only table, whatever the name."""
        del name
        return OffersSheet(self._xml, self._dialect, as_json=self._as_json)


class OffersSheet:
    """The offers as rows. It may be read several times. A cell's key is its text, or the cell."""

    name = SHEET

    def __init__(self, xml: OffersXml, dialect: AccountSettings, *, as_json: bool) -> None:
        self.last_column = -1
        """The 0-based last column; -1 before anything was read."""
        self.merges: list[MergedArea] = []
        self._xml = xml
        self._dialect = dialect
        self._modes = tuple(dialect.legacy_modes)
        self._places = {mode: 2 * place for place, mode in enumerate(self._modes)}
        self._cost_keys = [
            key
            for mode, same in dialect.legacy_modes.items()
            for key in cost_keys(same if as_json and same else mode)
        ]
        self._pools_behind: list[tuple[str, str]] | None = None
        """Those that stand behind the offers, once they were looked for."""
        self._conditions: dict[str, str] = {}
        for condition, number in dialect.legacy_conditions.items():
            self._conditions.setdefault(number, condition)

    @property
    def warnings(self) -> list[Notice]:
        """The liberties that the file takes, complete when all blocks have been read."""
        return [Notice(LIBERTY, text) for text in self._xml.liberties.texts()]

    @property
    def losses(self) -> list[tuple[int, str]]:
        """What is not read of the file, each with the first line; complete as `warnings` are."""
        return self._xml.liberties.losses()

    @property
    def notices(self) -> Mapping[str, list[str]]:
        """The texts of the warnings by code."""
        texts = self._xml.liberties.texts()
        return {LIBERTY: texts} if texts else {}

    def head(self, count: int) -> list[HeadRow]:
        """The header and the first offers, `count` rows at most."""
        with closing(self._read()) as blocks:
            return first_rows(blocks, count)

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The offers after a row. Raises a FileProblem where they become unreadable."""
        for block in self._read():
            rest = rows_after(block, after_row)
            if rest.rows:
                yield rest

    def _read(self) -> Generator[Block, None, None]:
        found = self._xml.read()
        offers = list(islice(found, _OFFERS))
        own = [one for one in ATTRIBUTES if self._is_full or one.has_stock_or_price]
        keys = [one.key for one in own] + (self._cost_keys if self._is_full else [])
        line = self._xml.about.line
        if self._xml.about.purges:
            self._note("PurgeAndReplace is true, and asked for by --purge-and-replace alone", line)
        channel = self._channel(self._pools(is_whole=len(offers) < _OFFERS), line)
        keys += [CHANNEL] if channel else []
        self.last_column = len(keys) - 1
        yield _block([HEADER], [line], [[key] for key in keys])
        row = HEADER + 1
        while offers:
            columns = [self._column(one, offers) for one in own]
            columns += self._shipping_columns(offers) if self._is_full else []
            columns += [[channel] * len(offers)] if channel else []
            rows = range(row, row + len(offers))
            yield _block(rows, [one.line for one in offers], columns)
            row += len(offers)
            offers = list(islice(found, _OFFERS))

    def _pools(self, *, is_whole: bool) -> list[tuple[str, str]]:
        """The publication pools, wherever they stand; `is_whole` once the file was read."""
        if self._xml.about.pools or is_whole:
            return self._xml.about.pools
        if self._pools_behind is None:
            self._pools_behind = self._xml.pools_behind()
        return self._pools_behind

    def _channel(self, pools: list[tuple[str, str]], line: int) -> str:
        """Where the offers go; "" where the file does not say, or where it is the usual one."""
        by_number = {number: channel for channel, number in self._dialect.legacy_pools.items()}
        by_number.setdefault(PRIMARY_POOL, self._dialect.primary_channel)
        named = [
            value if attribute == "SalesChannelId" else by_number.get(value, "")
            for attribute, value in pools
        ]
        if len(named) > 1 or "" in named:
            values = ", ".join(told(value) for _, value in pools)
            self._note(f"the publication pools {values} are not read: --channel says where", line)
            return ""
        return next((one for one in named if one != self._dialect.primary_channel), "")

    @property
    def _is_full(self) -> bool:
        return self._xml.about.package_type == PackageType.FULL

    def _column(self, attribute: XmlAttribute, offers: list[OfferInPlace]) -> list[Hashable]:
        """The keys of an attribute's cells."""
        name = attribute.name
        texts = [one.offer.attributes.get(name, "") for one in offers]
        if name == "ProductCondition":
            return [
                self._condition(text, one.line) for text, one in zip(texts, offers, strict=True)
            ]
        if name not in _NUMBERS:
            return list(texts)
        return [self._number(name, text, one.line) for text, one in zip(texts, offers, strict=True)]

    def _shipping_columns(self, offers: list[OfferInPlace]) -> list[list[Hashable]]:
        """The keys of the amounts of every mode: charges, then additional charges."""
        columns: list[list[Hashable]] = [[""] * len(offers) for _ in self._cost_keys]
        for position, (line, offer) in enumerate(offers):
            for one in offer.shipping:
                place = self._places.get(one.mode)
                if place is None:
                    place = self._place(one.mode, line)
                if place < 0:
                    continue
                for column, name, text in (
                    (place, "ShippingCharges", one.charges),
                    (place + 1, "AdditionalShippingCharges", one.additional),
                ):
                    columns[column][position] = self._number(name, text, line)
        return columns

    def _place(self, mode: str, line: int) -> int:
        """The index of a mode's first column among those of all modes, -1 where it has none."""
        folded = mode.strip().casefold()
        own = next((one for one in self._modes if one.casefold() == folded), None)
        if own is None:
            what = f"the delivery mode {told(mode)} is none of the profile's, nor read"
            self._note(what, line, loses=True)
            return -1
        self._note(f"the delivery mode {own} is written {told(mode)}", line)
        return self._places[own]

    def _condition(self, text: str, line: int) -> str:
        """The condition of a number; what has none is judged where the cell is."""
        condition = self._conditions.get(text)
        if condition is None and text:
            self._note("ProductCondition is none of the numbers that it can be", line)
        return condition or text

    def _number(self, name: str, text: str, line: int) -> Hashable:
        """A number, so that a lone point is never taken for thousands; else the text."""
        cell = _number(text)
        if cell is None:
            self._note(f"{name} is not written as a plain number with a point", line)
        return text if cell is None else cell

    def _note(self, what: str, line: int, *, loses: bool = False) -> None:
        self._xml.liberties.note(what, line, loses=loses)


def _block(rows: Sequence[int], lines: Sequence[int], columns: list[list[Hashable]]) -> Block:
    return Block(rows, lines, frozenset(), len(columns), columns.__getitem__, decode)


def decode(key: Hashable) -> Cell:
    """The cell of a key."""
    if isinstance(key, Cell):
        return key
    return Cell(Kind.TEXT, str(key)) if key != "" else BLANK


@lru_cache(_DIFFERENT)
def _number(text: str) -> Cell | None:
    """The cell of a number as the format writes it, a blank one of "", None of anything else."""
    if _PLAIN.fullmatch(text):
        return Cell(Kind.NUMBER, text)
    return None if text else BLANK
