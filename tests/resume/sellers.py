"""Sellers of legacy zips, and of products with their offers, and what must hold at the end."""

import itertools
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from openpyxl import load_workbook

from feedtool.areas.registry import sandbox_parts
from feedtool.ledger.admission import MOST_SENDS
from feedtool.sandbox import Sandbox
from tests.areas.products.sandbox.records import Reported, reported_products
from tests.conftest import gtin, offer
from tests.resume import world
from tests.resume.world import World, fill
from tests.sheets.read.others.test_ods import cell, ods, row
from tests.sheets.read.others.test_web_page import page

LAMPS = "2B0401"
"""A category that wants a bulb base and a luminous flux, and no brand."""

PRODUCTS = range(1, 8)
NOT_SENT, REFUSED = 4, 6
"""The product that is refused here, and the one that the service refuses."""
OFFERED = (1, 2, 5, 6)
STRANGER = 9
"""The product of an offer that the service knows already."""

numbers = itertools.count(1)


@dataclass
class Zips(World):
    """A seller whose 12 offers fill four zips."""

    SUBMIT = (*World.SUBMIT, "--as", "legacy-offers")

    size: int = 3  # offers of a zip at most

    def __post_init__(self) -> None:
        super().__post_init__()
        with (self.folder / "feedtool.toml").open("a", encoding="utf-8") as file:
            file.write(f"legacy = {self.size}\n")

    def check(self, name: str = "offers.result.xlsx") -> None:
        applied, lost = self.applied(), self.lost()
        expected = {}
        for number in range(1, self.rows + 1):
            status = "Rejected" if number in world.REFUSED else "Integrated"
            came = applied.get(f"SKU-{number}", [])
            if number in world.INVALID:
                assert not came
                status = "Invalid"
            elif not came:
                assert f"SKU-{number}" in lost
                status = "Unknown"
            else:
                assert set(came) == {status}
                assert len(came) <= MOST_SENDS
            if len(came) > 1:
                assert any("/offers" in line for line in self.served.proxy.plan.asked)
            expected[f"SKU-{number}"] = [status]
        assert self.answers(name) == expected


@dataclass
class OpenDocument(World):
    """A seller whose rows are in an .ods."""

    SUBMIT = ("submit", "offers.ods", "--profile", "shop")
    ENDING: ClassVar[str] = "ods"
    SHEET: ClassVar[str] = "A"

    def __post_init__(self) -> None:
        super().__post_init__()
        made = self.folder / "offers.xlsx"
        self.write(list(load_workbook(made)["Offers"].iter_rows(values_only=True)))
        made.unlink()

    def write(self, rows: Sequence[Sequence[object]]) -> None:
        lines = [[cell(str(text or ""), type="string") for text in line] for line in rows]
        (self.folder / "offers.ods").write_bytes(ods("".join(row(*line) for line in lines)))

    def change(self) -> None:
        (self.folder / f"offers.{self.ENDING}").write_text("no spreadsheet any more", "utf-8")

    def answers(self, name: str = "offers.result.xlsx", *_: str) -> dict[str, list[str]]:
        return super().answers(name, self.SHEET)


@dataclass
class WebPage(OpenDocument):
    """A seller whose rows are in a web page with the name of a workbook."""

    SUBMIT = ("submit", "offers.xls", "--profile", "shop")
    ENDING = "xls"
    SHEET = "Table 1"

    def write(self, rows: Sequence[Sequence[object]]) -> None:
        lines = ["".join(f"<td>{text or ''}</td>" for text in line) for line in rows]
        made = page("".join(f"<tr>{line}</tr>" for line in lines))
        (self.folder / "offers.xls").write_bytes(made)


RECIPE = """\
[match]
kind = "offers-upsert"
headers = ["Réf", "EAN", "PA HT"]
[columns]
"Réf" = "sellerExternalReference"
"EAN" = "product.gtin"
[names]
cost = "PA HT"
[default]
condition = "New"
"taxes.VAT" = 20
preparationTime = 2
"deliveryModes.TrackedHomeDelivery.cost" = 4.90
"deliveryModes.TrackedHomeDelivery.additionalCost" = 1.50
[compute]
"price.price" = "cost * {factor}"
[join.stock]
file = "stock-*.csv"
key = {{ "Réf" = "ref" }}
take = {{ quantity = "free" }}
"""


@dataclass
class Reseller(World):
    """A seller of a supplier's list, which a recipe reads with the stock of a warehouse."""

    def __post_init__(self) -> None:
        super().__post_init__()
        (self.folder / "recipes").mkdir()
        self.write(factor=2, more=0)

    def write(self, factor: int, more: int) -> None:
        """The list, the recipe and the stock: cost * factor, and so many pieces more of each."""
        wrong = dict.fromkeys(world.REFUSED, 2)
        rows = range(1, self.rows + 1)
        offers = [
            {"Réf": f"SKU-{n}", "EAN": gtin(n, wrong.get(n, 3)), "PA HT": str(n)} for n in rows
        ]
        fill(self.folder / "offers.xlsx", Tarif=offers[more:])
        stock = [f"SKU-{n};{-1 if n in world.INVALID else n + more}" for n in rows]
        (self.folder / f"stock-{more}.csv").write_text("\n".join(["ref;free", *stock]), "utf-8")
        recipe = RECIPE.format(factor=factor)
        (self.folder / "recipes" / "supplier.toml").write_text(recipe, "utf-8")

    def change(self) -> None:
        """Write another list, recipe and stock."""
        (self.folder / "stock-0.csv").unlink()
        self.write(factor=3, more=1)

    def check(self, name: str = "offers.result.xlsx") -> None:
        """Check as for every seller; and the service has the values that the files had at first."""
        super().check(name)
        applied = self.served.applied(self.seller)
        sent = {
            (request.reference, request.body["price"]["price"], request.body["quantity"])
            for request in applied
        }
        assert sent <= {(f"SKU-{n}", 2 * n, n) for n in range(1, self.rows + 1)}

    def answers(
        self, name: str = "offers.result.xlsx", sheet: str = "Tarif", key: str = "Réf"
    ) -> dict[str, list[str]]:
        """Read the answers by the list's own headers."""
        return super().answers(name, sheet, key)


@dataclass
class Shop(World):
    """A seller with its own products."""

    catalogue: Path | None = None  # A cache that has the category

    def __post_init__(self) -> None:
        super().__post_init__()
        self.number = 1000 * next(numbers)
        with (self.folder / "feedtool.toml").open("a", encoding="utf-8") as file:
            file.write("products = 2\n")
        if self.catalogue:
            (self.folder / "home").mkdir()
            shutil.copy(self.catalogue, self.folder / "home" / "catalog.sqlite")
        offers = [self.offer(one) for one in (*OFFERED, STRANGER)]
        fill(self.folder / "offers.xlsx", Offers=offers, Products=[*map(self.product, PRODUCTS)])

    def gtin(self, number: int) -> str:
        return gtin(self.number + number, 2)

    def offer(self, number: int) -> dict[str, str]:
        own = {} if number == STRANGER else {"product.gtin": self.gtin(number)}
        return offer(self.number + number, sellerExternalReference=f"SKU-{number}") | own

    def product(self, number: int) -> dict[str, str]:
        picture = "lamp.tiff" if number == REFUSED else "lamp.jpg"
        return {
            "gtin": self.gtin(number),
            "sellerProductReference": f"P-{number}",
            "title": "" if number == NOT_SENT else "Desk lamp",
            "description": "It gives light.",
            "sellerPictureUrls_1": f"https://shop.example/{picture}",
            "categoryCode": LAMPS,
            "4674": "E27",
            "4700": "800",
        }

    def check(self, name: str = "offers.result.xlsx") -> None:
        """The annotated workbook and what the service did agree in every row."""
        expected = {f"SKU-{number}": ["Integrated"] for number in (*OFFERED, STRANGER)}
        expected[f"SKU-{REFUSED}"] = ["Rejected"]
        assert self.answers(name) == self.applied() == expected
        taken = defaultdict[str | None, list[Reported]](list)
        with Sandbox(sandbox_parts(), self.served.state) as sandbox:
            for one in reported_products(sandbox):
                if one.seller == self.seller:
                    taken[one.reference].append(one)
        statuses = {f"P-{number}": "Integrated" for number in PRODUCTS}
        statuses |= {f"P-{NOT_SENT}": "Invalid", f"P-{REFUSED}": "Refused"}
        answers = self.answers(sheet="Products", key="sellerProductReference")
        assert answers == {reference: [status] for reference, status in statuses.items()}
        assert set(taken) == {*statuses} - {f"P-{NOT_SENT}"}
        asked = self.served.proxy.plan.asked
        for reference, several in taken.items():
            last = {one.status for one in several if one.status != "Validated"}
            assert last == {statuses[str(reference)]}, several
            operations = Counter(one.operation for one in several)
            assert operations["Creation"] <= 1 or statuses[str(reference)] == "Refused"
            # What came twice came the second time because no report named it.
            assert len(several) <= 2
            finds = [line for line in asked if "reports" in line and several[0].gtin in line]
            assert len(several) == 1 or finds, several
