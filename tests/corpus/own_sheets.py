"""Sheets of suppliers, ERPs and shops, made of the descriptions in `sheets/*.txt`."""

import csv
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from feedtool.feeds.columns.gtin import check_digit

FOLDER = Path(__file__).parent / "sheets"
ROWS = 40
COMMA = ("fr", "de", "es", "it", "nl", "pt", "pl")
"""The languages in which a comma stands before the decimals."""
TITLES = {
    "fr": "Lampe de bureau|Chaise pliante|Marteau 500 g|Vase bleu|Tapis rond",
    "en": "Desk lamp|Folding chair|Hammer 500 g|Blue vase|Round rug",
    "de": "Schreibtischlampe|Klappstuhl|Hammer 500 g|Blaue Vase|Runder Teppich",
    "es": "Lámpara de mesa|Silla plegable|Martillo 500 g|Jarrón azul|Alfombra",
    "it": "Lampada da tavolo|Sedia pieghevole|Martello|Vaso blu|Tappeto tondo",
    "nl": "Bureaulamp|Klapstoel|Hamer 500 g|Blauwe vaas|Rond tapijt",
    "pt": "Candeeiro de mesa|Cadeira dobrável|Martelo|Vaso azul|Tapete",
    "pl": "Lampa biurkowa|Krzesło składane|Młotek|Niebieski wazon|Dywan",
}
BRANDS = "Lumo|Kasa|Forte|Nordika|Velo"
ENDINGS = ("0.99", "0.90", "0.50")
STOCKS = ("0", "0", "1", "2", "5", "8", "13", "40", "120")
TAXED = Decimal("1.2")
NO_USE = "-"


class OwnColumn(NamedTuple):
    """A column of a sheet, and the field that it is."""

    header: str
    content: str
    key: str | None


class SheetOfOwner(NamedTuple):
    """A sheet as its owner made it."""

    name: str
    above: tuple[str, ...]
    columns: tuple[OwnColumn, ...]
    has_header: bool

    @property
    def header_row(self) -> int:
        return len(self.above) + 1

    @property
    def text(self) -> str:
        """The sheet as CSV."""
        table = StringIO()
        writer = csv.writer(table, delimiter=";")
        writer.writerows([line] for line in self.above)
        if self.has_header:
            writer.writerow(column.header for column in self.columns)
        for number in range(ROWS):
            row = _Row(self.name, number)
            writer.writerow(row.cell(*column[:2]) for column in self.columns)
        return table.getvalue()


def own_sheets(name: str) -> Iterator[SheetOfOwner]:
    """The sheets of one file of descriptions."""
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    for entry in text.split("\n== ")[1:]:
        title, *lines = entry.strip("\n").splitlines()
        columns = [line.split(" | ") for line in lines if line[0] not in ":>"]
        yield SheetOfOwner(
            title,
            tuple(line[1:].strip() for line in lines if line.startswith(">")),
            tuple(
                OwnColumn(header.strip(), content, None if key == NO_USE else key)
                for header, content, key in columns
            ),
            ":none" not in lines,
        )


class _Row:
    """A row of any columns; its values are drawn by names, always the same."""

    def __init__(self, sheet: str, number: int) -> None:
        self.sheet, self.number, self.language = sheet, number, sheet[-2:]
        self.gross = Decimal(3 + self.drawn("gross", 237)) + Decimal(self.one_of("ends", ENDINGS))

    def drawn(self, name: str, below: int) -> int:
        """A number from 0 up to below another, drawn by the name."""
        return crc32(f"{self.sheet} {self.number} {name}".encode()) % below

    def one_of(self, name: str, texts: Sequence[str]) -> str:
        return texts[self.drawn(name, len(texts))]

    def amount(self, number: Decimal, currency: str = "") -> str:
        """An amount in the language's writing."""
        text = f"{number:.2f}"
        text = text.replace(".", ",") if self.language in COMMA else text
        return f"{text} {currency}".strip()

    def ean(self) -> str:
        digits = f"376{self.drawn('ean', 10**9):09}"
        return digits + check_digit(digits)

    def cell(self, header: str, content: str) -> str:
        """The text of a cell; the first word of its content says of what sort it is."""
        word, _, rest = content.strip().partition(" ")
        made: dict[str, Callable[[], str]] = {
            "blank": lambda: "",
            "sku": lambda: f"{rest}{1000 + 7 * self.number}",
            "counter": lambda: str(self.number + 1),
            "ean": self.ean,
            "stock": lambda: self.one_of(header, STOCKS),
            "price": lambda: self.amount(self.gross, rest),
            "net": lambda: self.amount(self.gross / TAXED, rest),
            "cost": lambda: self.amount(self.gross * (40 + self.drawn(header, 20)) / 100, rest),
            "struck": lambda: "" if self.drawn(header, 5) else self.amount(self.gross * 5 / 4),
            "rrp": lambda: self.amount(self.gross * 11 / 10, rest),
            "eco": lambda: self.amount(Decimal(self.one_of(header, ("0.05", "0.12", "0")))),
            "ship": lambda: self.amount(Decimal(self.one_of(header, ("4.90", "6.90")))),
            "weight": lambda: self.amount(Decimal(1 + self.drawn(header, 900)) / 100),
            "title": lambda: f"{self.one_of(header, TITLES[rest].split('|'))} {self.number}",
            "brand": lambda: self.one_of(header, BRANDS.split("|")),
            "prose": lambda: "A thing for the house, made with care and sold by us.",
            "slug": lambda: f"thing-{self.number}-blue",
            "url": lambda: f"https://shop.example/p/{self.number}.html",
            "date": lambda: f"2026-03-{1 + self.drawn(header, 28):02}",
            "one": lambda: self.one_of(header, rest.split(",")).strip(),
        }
        return made[word]()
