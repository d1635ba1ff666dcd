"""Makes the filled products beside it anew: `python samples/make_products.py [FOLDER]`.

What their rows may say is the catalogue of the embedded sandbox. The shop and its GTINs are
invented; those that begin with 2 are of a range that no shop but ours uses, so that the sandbox has
no sheet for them. Equal input gives equal bytes, and a test compares. What each sample is for
stands in its function.
"""  # noqa: INP001 - a script, no package

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.template import products_contents
from feedtool.areas.registry import load, sandbox_parts
from feedtool.catalog import Catalog
from feedtool.catalog.cache import FILE, Cache
from feedtool.catalog.sync import sync
from feedtool.feeds.columns.gtin import check_digit
from feedtool.model.cells import letters
from feedtool.model.settings import AccountSettings
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from feedtool.service.fetch import FetchContext
from feedtool.templates.workbook import KEY_ROW, build, packed

Values = dict[str, str | float]

KETTLES, MUGS, SHIRTS, LAMPS = "011B01", "010201", "1E012C", "2B0401"
COLOUR, MATERIAL, WEIGHT = "3201", "3208", "3278"
POWER, VOLTAGE, ENERGY, CORD = "3394", "3423", "3427", "3518"
CAPACITY, DIAMETER, DISHWASHER, PIECES = "3587", "3598", "3617", "3643"
SIZE, SHADE, GENDER, FABRIC, FIT = "4152", "4182", "4212", "4220", "4233"
BASE, FLUX, KELVIN = "4674", "4700", "4707"

SYNCED = datetime(2026, 1, 5, tzinfo=UTC)
"""Since a sample's bytes are compared, its catalogue is always of one day."""


def gtin(body: str) -> str:
    """A GTIN with its check digit."""
    return body + check_digit(body)


def product(body: str, reference: str, category: str, title: str, brand: str = "") -> Values:
    """What all of them say."""
    return {
        "gtin": gtin(body),
        "sellerProductReference": reference,
        "title": title,
        "description": f"{title}. Chosen, checked and packed by our shop.",
        "sellerPictureUrls_1": f"https://shop.example/pictures/{reference.lower()}.jpg",
        "brand": brand,
        "categoryCode": category,
        "language": "en-US",
    }


def kettle(number: int, reference: str, title: str, brand: str, power: int, energy: str) -> Values:
    """A kettle; its category wants a brand, its power and its energy class."""
    own: Values = {POWER: power, ENERGY: energy, VOLTAGE: "220-240 V", CORD: 0.8}
    return product(f"20010000{number:04}", reference, KETTLES, title, brand) | own


def mug(number: int, reference: str, title: str, pieces: int, dishwasher: str = "Yes") -> Values:
    """A mug, or a set of them."""
    own: Values = {PIECES: pieces, DISHWASHER: dishwasher, CAPACITY: 0.35, MATERIAL: "Ceramic"}
    return product(f"20020000{number:04}", reference, MUGS, title, "Maison Alder") | own


def shirt(number: int, size: str, shade: str) -> Values:
    """A T-shirt of the family `TEE-ORGANIC`."""
    reference = f"TEE-ORGANIC-{shade}-{size}".upper()
    title = f"Organic cotton T-shirt, {shade.lower()}, {size}"
    own: Values = {
        "variantGroupReference": "TEE-ORGANIC",
        SIZE: size,
        SHADE: shade,
        GENDER: "Unisex",
        FABRIC: "Organic cotton;Elastane",
        FIT: "Straight",
    }
    return product(f"20030000{number:04}", reference, SHIRTS, title, "Alder Active") | own


def lamp(number: int, reference: str, title: str, base: str, flux: int) -> Values:
    """A desk lamp; its category does without a brand."""
    own: Values = {BASE: base, FLUX: flux, KELVIN: 2700, COLOUR: "Black;White"}
    return product(f"20040000{number:04}", reference, LAMPS, title) | own


PICTURE: Values = {"sellerPictureUrls_1": "https://shop.example/pictures/kettle-copper.tiff"}
"""A kind of picture that is warned of here, and refused by the service."""

KNOWN: Values = {"gtin": gtin("376045270801")}
"""A product that the service has a sheet for, of another seller."""

PRODUCTS: tuple[Values, ...] = (
    kettle(1, "KETTLE-STEEL", "Kettle 1.7 l, stainless steel", "Brindle Home", 2200, "A"),
    kettle(2, "KETTLE-WHITE", "Kettle 1.0 l, white", "Brindle Home", 1800, "B"),
    kettle(3, "KETTLE-GLASS", "Glass kettle with blue light", "Corvo Home", 2400, "B"),
    kettle(4, "KETTLE-COPPER", "Copper kettle", "Corvo Home", 2000, "C") | PICTURE,
    kettle(5, "KETTLE-TRAVEL", "Folding travel kettle", "Ourson Voyages", 850, "C"),
    kettle(6, "KETTLE-RETRO", "Retro kettle, cream", "Dunmore Home", 2200, "A") | KNOWN,
    mug(1, "MUG-STONEWARE-BLUE", "Stoneware mug, blue", 1),
    mug(2, "MUG-STONEWARE-GREEN", "Stoneware mug, green", 1),
    mug(3, "MUG-SET-6", "Six stoneware mugs", 6),
    mug(4, "MUG-GOLD-RIM", "Mug with a golden rim", 1, "No"),
    mug(5, "MUG-ESPRESSO-4", "Four espresso cups", 4),
    *(
        shirt(number, size, shade)
        for number, (shade, size) in enumerate(
            ((shade, size) for shade in ("White", "Black") for size in ("S", "M", "L")), start=1
        )
    ),
    lamp(1, "LAMP-DESK-ARM", "Desk lamp with a folding arm", "E27", 800),
    lamp(2, "LAMP-DESK-CLIP", "Clip lamp", "E14", 470),
    lamp(3, "LAMP-DESK-LED", "LED desk lamp, dimmable", "Built-in LED", 650),
)
"""Twenty of four categories. All are valid; the service refuses the copper kettle's picture, and
keeps what it knew already of the retro kettle."""

OFFERED = (*PRODUCTS[:4], *PRODUCTS[6:8], PRODUCTS[11])
"""The products that `products-and-offers.xlsx` makes and offers."""

ELSEWHERE: tuple[Values, ...] = (
    {"sellerExternalReference": "TOASTER-ORANGE", "product.gtin": gtin("376045270803")},
    {"sellerExternalReference": "KETTLE-NO-SHEET", "product.gtin": gtin("200500000001")},
)
"""Offers of products that have no row: the service knows the first, and not the second."""

OFFER: Values = {
    "condition": "New",
    "price.price": 24.9,
    "taxes.VAT": 20,
    "deliveryModes.TrackedHomeDelivery.cost": 4.9,
    "deliveryModes.TrackedHomeDelivery.additionalCost": 1,
    "preparationTime": 2,
    "quantity": 25,
}


def write_products(catalog: Catalog, target: Path) -> None:
    """Products of four categories in the workbook that was made for these."""
    codes = (KETTLES, MUGS, SHIRTS, LAMPS)
    workbook = build(products_contents(FEED, catalog, codes, AccountSettings()))
    fill(workbook["Products"], PRODUCTS)
    target.write_bytes(packed(workbook))


def write_products_and_offers(catalog: Catalog, target: Path) -> None:
    """New products, and in a second sheet the offers for them and for two others."""
    workbook = build(products_contents(FEED, catalog, (KETTLES, MUGS, SHIRTS), AccountSettings()))
    fill(workbook["Products"], OFFERED)
    write_offers(workbook, [*map(offer, OFFERED), *(one | OFFER for one in ELSEWHERE)])
    target.write_bytes(packed(workbook))


def offer(made: Values) -> Values:
    """The offer of a product."""
    own: Values = {
        "sellerExternalReference": made["sellerProductReference"],
        "product.gtin": made["gtin"],
    }
    return own | OFFER


def write_offers(workbook: Workbook, rows: Iterable[Values]) -> None:
    """A plain sheet, as a shop's own program would write it, behind that of the products."""
    sheet = workbook.create_sheet("Offers", workbook.sheetnames.index("Products") + 1)
    labels = {
        column.key: column.labels[0]
        for column in load().feeds["offers-upsert"].sheet.columns(AccountSettings())
    }
    keys = [*ELSEWHERE[0], *OFFER]
    for column, key in enumerate(keys, start=1):
        sheet.cell(1, column, labels[key]).font = Font("Calibri", 11, bold=True)
        sheet.column_dimensions[letters(column - 1)].width = max(14, len(labels[key]) + 2)
    for number, row in enumerate(rows, start=2):
        for column, key in enumerate(keys, start=1):
            sheet.cell(number, column, row[key])
    sheet.freeze_panes = "A2"


def fill(sheet: Worksheet, rows: Iterable[Values]) -> None:
    """Puts rows of values by key below the header, in the formats of their columns."""
    letter_of = {str(cell.value): letters(index) for index, cell in enumerate(sheet[KEY_ROW])}
    for number, row in enumerate(rows, start=KEY_ROW + 1):
        for key, value in row.items():
            if value != "":
                cell = sheet[f"{letter_of[key]}{number}"]
                cell.number_format = sheet.column_dimensions[letter_of[key]].number_format
                cell.value = value


@contextmanager
def catalogue() -> Iterator[Catalog]:
    """The sandbox's, with the properties of the categories that are needed."""
    transport = SandboxTransport(sandbox_parts())
    with (
        TemporaryDirectory() as folder,
        Cache(Path(folder) / FILE) as cache,
        Client(
            transport.base, None, StaticToken("sandbox"), language="en", transport=transport
        ) as client,
    ):
        around = FetchContext(lambda: SYNCED, transport.sleep, pool=1)
        only = (KETTLES, MUGS, SHIRTS, LAMPS)
        sync(client, cache, around, service=transport.base, language="en", only=only)
        found = cache.catalog(transport.base, "en")
        if found is None:
            raise ValueError("a sync that ended without an error brought nothing")
        yield found


def write_all(folder: Path) -> None:
    """Both samples."""
    folder.mkdir(parents=True, exist_ok=True)
    with catalogue() as known:
        write_products(known, folder / "products.xlsx")
        write_products_and_offers(known, folder / "products-and-offers.xlsx")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
