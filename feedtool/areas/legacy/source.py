"""Read an Offers.xml, or its zip, as a sheet: a header of keys, and a row for each offer."""

import re
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Self

from feedtool.areas.legacy.parser import TWICE, printable_name
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.writer import (
    ATTRIBUTES,
    KIND,
    KINDS,
    PRIMARY_POOL,
    SHEET,
    STOCK_AND_PRICE_KIND,
    Shipping,
    cost_keys,
)
from feedtool.areas.offers.delivery import PackageType
from feedtool.feeds.feed import CHANNEL
from feedtool.model.cells import BLANK, Cell, Kind, letters
from feedtool.model.disk_list import temporary_folder
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr
from feedtool.sheets import HEADER, KeyedLine, KeyedSheet, SheetEntry, decode

IRREGULAR = "xml-irregular"
"""The code of deviations from the format of an Offers.xml."""
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?", re.ASCII)
_NUMBERS = frozenset(
    ("Price", "EcoPart", "DeaTax", "Vat", "Stock", "StrikedPrice", "PreparationTime")
)
_DIFFERENT = 1 << 14
"""The number of distinct numbers kept as cells: most offers share a few."""


def open_offers(path: Path, settings: AccountSettings, kind: str | None) -> "OffersSource":
    """Open the offers of a file, with delivery modes named as in the requested kind."""
    return OffersSource(path, settings, as_json=kind not in {None, *KINDS})


class OffersSource(KeyedSheet):
    """An Offers.xml as a file with one sheet, which is this object; no file is kept open.

    With `as_json` delivery modes have the names of the JSON packages.
    """

    format = "offers-xml"
    name = SHEET
    sheets = (SheetEntry(SHEET, ""),)

    def __init__(
        self, path: Path, settings: AccountSettings | None = None, *, as_json: bool = False
    ) -> None:
        self._settings = settings = settings or AccountSettings()
        self.xml = OffersXml(path, settings.reading)
        self._modes = tuple(settings.of(LegacySettings).legacy_modes)
        self._places = {mode: 2 * place for place, mode in enumerate(self._modes)}
        self._cost_keys = [
            key
            for mode, same in settings.of(LegacySettings).legacy_modes.items()
            for key in cost_keys(same if as_json and same else mode)
        ]
        self._conditions: dict[str, str] = {}
        for condition, number in settings.of(LegacySettings).legacy_conditions.items():
            self._conditions.setdefault(number, condition)

    @property
    def properties(self) -> Mapping[str, str]:
        """The kind of feed of the package's type, as in a template. Raises as `OffersXml.read`."""
        next(self.xml.read(), None)
        is_full = self.xml.head.package_type == PackageType.FULL
        return {"feedtool.template": KIND if is_full else STOCK_AND_PRICE_KIND}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def sheet(self, name: str = SHEET) -> Self:
        del name
        return self

    @property
    def notices(self) -> Mapping[str, list[str]]:
        """The irregularities of the file, complete after all rows have been read."""
        texts = self.xml.irregularities.texts()
        return {IRREGULAR: texts} if texts else {}

    def rows(self) -> Generator[KeyedLine]:
        """Yield the header of keys, then the cells of each offer."""
        offers = self.xml.read()
        first = list(islice(offers, 1))
        head = self.xml.head
        is_full = head.package_type == PackageType.FULL
        if head.purges:
            self._note(
                tr("PurgeAndReplace is true, and asked for by --purge-and-replace alone"), head.line
            )
        channel = self._channel(head.pools or self.xml.pools_behind, head.line)
        attributes = [item for item in ATTRIBUTES if is_full or item.has_stock_or_price]
        keys = [item.key for item in attributes] + (self._cost_keys if is_full else [])
        yield head.line, [*keys, CHANNEL] if channel else keys
        readers = [(item.name, self._reader(item.name)) for item in attributes]
        for line, (values, shipping) in chain(first, offers):
            cells = [read(values.get(name, ""), line) for name, read in readers]
            if is_full:
                cells += self._costs(shipping, line)
            if channel:
                cells.append(channel)
            yield line, cells

    def _channel(self, pools: list[tuple[str, str]], line: int) -> str:
        """Return the channel of the offers; "" if it is unknown, or the primary one."""
        primary = self._settings.primary_channel
        numbers = self._settings.of(LegacySettings).legacy_pools
        by_number = {number: channel for channel, number in numbers.items()}
        by_number.setdefault(PRIMARY_POOL, primary)
        channels = [
            value if attribute == "SalesChannelId" else by_number.get(value, "")
            for attribute, value in pools
        ]
        if len(channels) > 1 or "" in channels:
            values = ", ".join(printable_name(value) for _, value in pools)
            self._note(
                tr(
                    "the publication pools {values} are not read: --channel says where",
                    values=values,
                ),
                line,
            )
            return ""
        return next((channel for channel in channels if channel != primary), "")

    def _reader(self, name: str) -> Callable[[str, int], Hashable]:
        """Return the function from an attribute's text and line to a cell's key."""
        if name == "ProductCondition":
            return self._condition
        if name not in _NUMBERS:
            return lambda text, _: text
        return partial(self._number, name)

    def _condition(self, text: str, line: int) -> str:
        """Return the condition of a number, or the text; a rule judges unknown numbers later."""
        condition = self._conditions.get(text)
        if condition is None and text:
            self._note(tr("ProductCondition is not one of its possible numbers"), line)
        return condition or text

    def _number(self, name: str, text: str, line: int) -> Hashable:
        """Return a number, so that a point never separates thousands; else the text."""
        cell = _number(text)
        if cell is None:
            self._note(tr("{name} is not written as a plain number with a point", name=name), line)
            return text
        return cell

    def _costs(self, shipping: tuple[Shipping, ...], line: int) -> list[Hashable]:
        """Return the keys of the amounts of every mode: charges, then additional charges."""
        costs: list[Hashable] = [""] * len(self._cost_keys)
        for mode, charges, additional in shipping:
            place = self._places.get(mode)
            if place is None:
                place = self._place(mode, line)
            if place >= 0 and costs[place] != "":
                self._note(TWICE, line, is_loss=True)
            elif place >= 0:
                costs[place] = self._number("ShippingCharges", charges, line)
                costs[place + 1] = self._number("AdditionalShippingCharges", additional, line)
        return costs

    def _place(self, mode: str, line: int) -> int:
        """Return the index of a mode's first column among the columns of all modes, or -1."""
        folded, shown = mode.strip().casefold(), printable_name(mode)
        name = next((known for known in self._modes if known.casefold() == folded), None)
        if name is None:
            text = tr(
                "the delivery mode {mode} is not one of the profile's, and is not read", mode=shown
            )
            self._note(text, line, is_loss=True)
            return -1
        self._note(
            tr("the delivery mode {mode} is written {written}", mode=name, written=shown), line
        )
        return self._places[name]

    def _note(self, text: str, line: int, *, is_loss: bool = False) -> None:
        self.xml.irregularities.note(text, line, is_loss=is_loss)


@lru_cache(_DIFFERENT)
def _number(text: str) -> Cell | None:
    """Return the cell of a plain number, a blank cell for "", None for anything else."""
    if _PLAIN.fullmatch(text):
        return Cell(Kind.NUMBER, text)
    return None if text else BLANK


WIDTH = 16
LITERAL = "@"
"""The number format of text, so that a corrected GTIN keeps its digits."""
TEXTS = frozenset(
    item.key for item in ATTRIBUTES if item.name.startswith(("Seller", "Product", "Com"))
)
"""The keys of columns that hold text."""


def write_workbook(
    path: Path, target: Path, settings: AccountSettings, kinds: Sequence[str | None]
) -> None:
    """Write the offers of a file as a workbook of the columns of an Offers.xml, over the target.

    Its rows are the file's rows as a sheet: the keys in row 1, offer n in row n + 1. `kinds`, the
    kinds of the rows, decide the names of delivery modes. Raises FileProblem, TooManyRows.
    """
    from openpyxl import Workbook  # slow to import
    from openpyxl.packaging.custom import StringProperty
    from openpyxl.styles import Font

    from feedtool.sheets.fill import fill_workbook  # slow, too

    as_json = not all(kind in KINDS for kind in kinds)
    source = OffersSource(path, settings, as_json=as_json)
    rows = source.rows()
    _, keys = next(rows)
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = SHEET
    for index, key in enumerate(keys):
        sheet.cell(HEADER, index + 1, str(key)).font = Font("Calibri", 11, bold=True)
        column = sheet.column_dimensions[letters(index)]
        column.width = WIDTH
        if key in TEXTS:
            column.number_format = LITERAL
    sheet.freeze_panes = f"B{HEADER + 1}"
    for name, value in ({} if as_json else source.properties).items():
        book.custom_doc_props.append(StringProperty(name=name, value=value))  # type: ignore[attr-defined]  # the stubs lag
    with temporary_folder() as folder:
        empty = folder / "empty.xlsx"
        book.save(empty)
        cells = ([decode(key) for key in keys] for _, keys in rows)
        fill_workbook(empty, target, {SHEET: cells}, settings.reading)
