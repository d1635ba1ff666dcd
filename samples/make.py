"""Makes the filled examples beside it anew: `python samples/make.py [FOLDER]`.

The shop, its references and its GTINs are invented. Equal input gives equal bytes, and a test
compares. What each sample is for stands in its function.
"""  # noqa: INP001 - a script, no package

import csv
import sys
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from openpyxl import Workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.styles import Alignment, Font
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.areas.offers.columns import CONDITIONS, LEGACY_CONDITIONS
from feedtool.areas.registry import load
from feedtool.feeds.columns.gtin import check_digit
from feedtool.feeds.template import LANGUAGES, Basis
from feedtool.model.cells import letters
from feedtool.model.settings import AccountSettings, Context
from feedtool.templates.contents import contents_of
from feedtool.templates.workbook import KEY_ROW, LABEL_ROW, build, packed

Value = str | int | float | bool | date
Values = dict[str, Value]


class Percent(float):
    """20 % as a cell stores it: 0.2, and a format."""

    __slots__ = ()


def gtin(body: str) -> str:
    """A GTIN with its check digit."""
    return body + check_digit(body)


TRACKED = "deliveryModes.TrackedHomeDelivery"
SIGNED = "deliveryModes.SignedHomeDelivery"
TEXTS = ("sellerExternalReference", "product.gtin", "product.reference", "condition")

FIELDS = (
    "sellerExternalReference product.gtin condition price.price price.originPrice taxes.VAT "
    f"taxes.EcoPart taxes.DEA {TRACKED}.cost {TRACKED}.additionalCost preparationTime quantity"
).split()
"""The columns of the tables below; `-` is an empty cell. A GTIN stands without its check digit;
letters in its place are a product reference."""

OFFERS = """
KETTLE-17L-STEEL        376045270101  New                         29.90   39.90  20   0.15  -     4.90  1.50   2  120
KETTLE-10L-WHITE        376045270102  New                         19.90   -      20   0.15  -     4.90  1.50   2   85
TOASTER-2S-RED          376045270103  New                         34.50   44.50  20   0.30  -     4.90  1.50   2   40
TOASTER-4S-BLACK        376045270104  New                         54.00   -      20   0.30  -     5.90  1.50   2   22
COFFEE-GRINDER-150W     376045270105  New                         42.99   49.99  20   0.15  -     4.90  1.50   3   31
MUG-STONEWARE-350-BLUE  376045270106  New                          8.50   -      20   -     -     3.90  0.50   1  260
MUG-STONEWARE-350-SAND  376045270107  New                          8.50   -      20   -     -     3.90  0.50   1  244
MUG-ENAMEL-500          376045270108  New                          9.90   12.90  20   -     -     3.90  0.50   1  180
PAN-28-CAST-IRON        376045270109  New                         64.90   -      20   -     -     6.90  3.00   2   18
KNIFE-SET-5             CAT-88123     New                         79.00   99.00  20   -     -     4.90  1.50   2   12
LAMP-DESK-LED-OAK       376045270111  New                         45.00   59.00  20   0.09  -     4.90  1.50   2   36
LAMP-FLOOR-ARC          376045270112  New                        129.00   -      20   0.09  -    12.90  9.90   4    7
BULB-E27-9W-4PK         376045270113  New                         11.99   -      20   0.48  -     3.90  0.50   1  400
SOCKET-SMART-16A        376045270114  New                         17.49   22.90  20   0.03  -     3.90  0.50   1  150
HEADSET-BT-200-BLACK    376045270115  New                         59.90   79.90  20   0.02  -     4.90  1.50   2   64
HAM-LOOSE-250           210045300300  New                         12.90   -      5.5  -     -     4.90  1.50   1   18
HEADSET-BT-200-USED     376045270115  UsedVeryGoodState           34.90   -      20   0.02  -     4.90  1.50   2    5
SPEAKER-MINI-TEAL       07123456789   New                         24.90   -      20   0.02  -     4.90  1.50   2   90
KEYBOARD-FR-TKL         376045270117  New                         69.00   -      20   0.02  -     4.90  1.50   2   28
MOUSE-WIRELESS-GREY     376045270118  New                         19.99   -      20   0.02  -     3.90  0.50   1  133
PHONE-A12-64-REFURB     376045270119  RefurbishedVeryGoodState   149.00  199.00  20   0.02  -     6.90  6.90   3    9
PHONE-A12-128-REFURB    376045270120  RefurbishedLikeNew         189.00  249.00  20   0.02  -     6.90  6.90   3    4
TABLET-10-REFURB        376045270121  RefurbishedCorrectState    119.00   -      20   0.02  -     6.90  6.90   3    6
CAMERA-INSTANT-MINT     376045270122  UsedLikeNew                 58.00   -      20   0.02  -     4.90  1.50   2    3
GAME-BOARD-HARBOUR      376045270123  New                         36.95   -      20   -     -     4.90  1.50   2   45
PUZZLE-1000-ALPS        376045270124  New                         14.95   -      20   -     -     3.90  0.50   1   77
PLUSH-FOX-30            376045270125  New                         16.50   19.50  20   -     -     3.90  0.50   1  110
SHELF-OAK-80            376045270126  New                         89.00   -      20   -     1.30  14.90 9.90   5   15
CHAIR-DINING-GREEN      376045270127  New                         74.90   94.90  20   -     0.90  14.90 9.90   5   24
STOOL-BAR-65            376045270128  New                         49.90   -      20   -     0.55  9.90  7.90   5   19
RUG-160X230-WOOL        376045270129  New                        159.00  199.00  20   -     -     14.90 9.90   4    8
TOWEL-BATH-SAGE         376045270130  New                         17.90   -      20   -     -     3.90  0.50   1   95
BEDDING-240X220-LINEN   376045270131  New                        109.00   -      20   -     -     4.90  1.50   2   17
BOOK-BREAD-AT-HOME      376045270132  New                         24.00   -      5.5  -     -     2.90  0.50   1   52
BOOK-BREAD-AT-HOME-U    376045270132  UsedAverageState            12.00   -      5.5  -     -     2.90  0.50   1    2
HONEY-LAVENDER-500      376045270133  New                          9.40   -      5.5  -     -     3.90  0.50   1   68
TEA-GREEN-100           376045270134  New                          7.80   -      5.5  -     -     3.90  0.50   1  140
OLIVES-LOOSE-1KG        210045300100  New                         11.90   -      5.5  -     -     4.90  1.50   1   30
CHEESE-LOOSE-500        210045300200  New                         13.50   -      5.5  -     -     4.90  1.50   1   26
TEA-LOOSE-250           210045300400  New                          9.80   -      5.5  -     -     3.90  0.50   1  140
"""  # noqa: E501 - a table is read by its columns
"""Four rows have a GTIN that begins with 2, as shops print on what they weigh themselves: the
service refuses these."""

FRENCH = """
BOUILLOIRE-17-INOX      376045270201  New                         29.90    39.90  20   0.15  -     4.90  1.50   2   60
GRILLE-PAIN-ROUGE       376045270202  New                         34.50    -      20   0.30  -     4.90  1.50   2   25
CAFETIERE-EXPRESSO      376045270203  New                       1299.00  1499.00  20   0.60  -     9.90  4.90   4    6
TASSE-GRES-BLEUE        376045270204  New                          8.50    -      20   -     -     3.90  0.50   1  210
POELE-FONTE-28          376045270205  New                         64.90    -      20   -     -     6.90  3.00   2   14
LAMPE-BUREAU-CHENE      376045270206  New                         45.00    59.00  20   0.09  -     4.90  1.50   2   33
CASQUE-BT-NOIR          376045270207  UsedLikeNew                 39.90    -      20   0.02  -     4.90  1.50   2    3
TELEPHONE-A12-64        376045270208  RefurbishedVeryGoodState   149.00   199.00  20   0.02  -     6.90  6.90   3    5
ETAGERE-CHENE-80        376045270209  New                         89.00    -      20   -     1.30  14.90 9.90   5   11
LIVRE-PAIN-MAISON       376045270210  New                         24.00    -      5.5  -     -     2.90  0.50   1   48
MIEL-LAVANDE-500        376045270211  New                          9.40    -      5.5  -     -     3.90  0.50   1   70
THE-VERT-100            376045270212  New                          7.80    -      5.5  -     -     3.90  0.50   1   95
"""  # noqa: E501 - a table is read by its columns

LEGACY = """
KETTLE-17L-STEEL        376045270101  New                         28.90   39.90  20   0.15  -     4.90  1.50   2  118
TOASTER-2S-RED          376045270103  New                         34.50   44.50  20   0.30  -     4.90  1.50   2   38
MUG-STONEWARE-350-BLUE  376045270106  New                          8.50   -      20   -     -     3.90  0.50   1  255
LAMP-DESK-LED-OAK       376045270111  New                         45.00   59.00  20   0.09  -     4.90  1.50   2   33
HEADSET-BT-200-USED     376045270115  UsedVeryGoodState           34.90   -      20   0.02  -     4.90  1.50   2    4
HEADSET-BT-200-GOOD     376045270115  GoodState                   31.90   -      20   0.02  -     4.90  1.50   2    2
PHONE-A12-64-REFURB     376045270119  RefurbishedVeryGoodState   149.00  199.00  20   0.02  -     6.90  6.90   3    9
TABLET-10-OLD           376045270121  Refurbished                 99.00   -      20   0.02  -     6.90  6.90   3    3
CHAIR-DINING-GREEN      376045270127  New                         74.90   94.90  20   -     0.90  14.90 9.90   5   21
BOOK-BREAD-AT-HOME      376045270132  New                         24.00   -      5.5  -     -     2.90  0.50   1   50
OLIVES-LOOSE-1KG        210045300100  New                         11.90   -      5.5  -     -     4.90  1.50   1   30
TEA-GREEN-100           376045270134  New                          7.80   -      5.5  -     -     3.90  0.50   1  138
TEA-LOOSE-250           210045300400  New                          9.80   -      5.5  -     -     3.90  0.50   1  138
"""  # noqa: E501 - a table is read by its columns
"""Two of them the service refuses: their GTIN begins with 2."""
COMMENTS = {
    "HEADSET-BT-200-USED": "Tested, with its case & cable",
    "HEADSET-BT-200-GOOD": "A scratch on the left side",
    "TABLET-10-OLD": "New battery",
}

UPDATES: tuple[Values, ...] = (
    {"sellerExternalReference": "KETTLE-17L-STEEL", "quantity": 95},
    {"sellerExternalReference": "KETTLE-10L-WHITE", "price.price": 17.9, "price.originPrice": 19.9},
    {"sellerExternalReference": "TOASTER-2S-RED", "quantity": 0},
    {"sellerExternalReference": "MUG-STONEWARE-350-BLUE", "price.price": 7.9, "quantity": 231},
    {"sellerExternalReference": "PAN-28-CAST-IRON", "preparationTime": 4},
    {"sellerExternalReference": "LAMP-FLOOR-ARC", "price.price": 119, "price.originPrice": 129},
    {"sellerExternalReference": "BULB-E27-9W-4PK", "quantity": 1250},
    {"sellerExternalReference": "PHONE-A12-64-REFURB", "price.price": 139, "quantity": 7},
    {
        "sellerExternalReference": "CHAIR-DINING-GREEN",
        "taxes.VAT": 20,
        "taxes.EcoPart": 0,
        "taxes.DEA": 1.1,
    },
    {"sellerExternalReference": "BOOK-BREAD-AT-HOME", "quantity": 47},
    {"sellerExternalReference": "TEA-GREEN-100", "price.price": 6.95, "preparationTime": 2},
    {"sellerExternalReference": "LAMP-RETIRED-2019", "quantity": 3},
)
"""Of offers that `offers-upsert.xlsx` creates, but for the last, which the service refuses."""

EXTRA_COLUMNS = {
    "CDAV": "CDAV",
    "PackagingUnit": "PackagingUnit",
    "deliveryModes.Standard.cost": "Standard: cost",
    "deliveryModes.Standard.additionalCost": "Standard: additional cost",
    "note": "Note",
}
"""Key → label of what the mistakes need and no template has; `note` is known to nobody."""

BEYOND = "beyond"
"""Stands for a cell to the right of the last header."""
BLANK = ""
SHEET = 2
"""The index of a template's sheet of rows, behind its two guides."""

MISTAKES: tuple[tuple[str, Values], ...] = (
    ("nothing is wrong here", {}),
    ("required-missing: no price", {"price.price": BLANK}),
    ("required-missing: neither GTIN nor product reference", {"product.gtin": BLANK}),
    (
        "required-missing: no tracked delivery, which is required",
        {f"{TRACKED}.cost": BLANK, f"{TRACKED}.additionalCost": BLANK},
    ),
    ("gtin-format: 11 digits", {"product.gtin": "37604527030"}),
    ("gtin-checksum: the last digit is mistyped", {"product.gtin": "3760452703050"}),
    ("precision-lost: saved from a narrow column", {"product.gtin": "3,76045E+12"}),
    ("precision-lost: a number keeps 15 digits", {"sellerExternalReference": 12345678901234567}),
    ("number-format: words beside the number", {"price.price": "approx. 20"}),
    ("number-ambiguous: 1299 or 1.299?", {"price.originPrice": "1,299"}),
    ("number-range: a price of zero", {"price.price": 0}),
    ("number-range: VAT above 100", {"taxes.VAT": 200}),
    ("number-range: stock below zero", {"quantity": -3}),
    ("number-precision: three decimals", {"price.price": 19.995}),
    ("integer-required: half a piece", {"quantity": 2.5}),
    ("enum-value: no such condition", {"condition": "As new"}),
    ("text-control-chars: a zero-width blank", {"salesChannelId": "PRI\u200bMARY"}),
    ("product-reference-format: underscore and slash", {"product.reference": "REF_12/b"}),
    ("formula-error: a lookup found nothing", {"price.originPrice": "#N/A"}),
    ("formula-no-cache: a formula that nobody has computed", {"price.price": "=10*2"}),
    ("duplicate-reference: twice in this file", {"sellerExternalReference": "TWICE"}),
    ("duplicate-reference: twice in this file", {"sellerExternalReference": "TWICE"}),
    ("reference-format: a bar", {"sellerExternalReference": "LAMP|BLUE"}),
    ("origin-price-below-price: exchanged", {"price.price": 24.99, "price.originPrice": 19.99}),
    ("price-below-taxes: more tax than price", {"price.price": 1, "taxes.EcoPart": 1.2}),
    ("field-retired: CDAV can no longer be sent", {"CDAV": 3}),
    ("date-in-number-cell: 12.5 became a date", {"quantity": date(2026, 5, 12)}),
    ("boolean-in-cell: TRUE is no number", {"quantity": True}),
    ("delivery-incomplete: one of two amounts", {f"{SIGNED}.cost": 6.9}),
    ("too-many-columns: a value beyond the last header", {BEYOND: "call the supplier"}),
)
"""What is wrong, its code first, and the cells that differ from a row that is right."""

UPDATE_MISTAKES: tuple[tuple[str, Values], ...] = (
    ("nothing-to-update: no cell is filled", {}),
    (
        "preparation-time-required: delivery changes",
        {f"{TRACKED}.cost": 3.9, f"{TRACKED}.additionalCost": 1},
    ),
    ("taxes-incomplete: VAT alone", {"taxes.VAT": 20}),
    ("identity-not-sent: a warning", {"product.gtin": gtin("376045270399"), "quantity": 5}),
    (
        "modes-replaced: a warning",
        {f"{TRACKED}.cost": 3.9, f"{TRACKED}.additionalCost": 1, "preparationTime": 2},
    ),
)
"""The same of rows whose action is Update."""

WARNINGS: tuple[tuple[str, Values], ...] = (
    ("trimmed: a warning, blanks around the reference", {"sellerExternalReference": " TRIM-1 "}),
    ("gtin-padded: a warning, a number lost its zero", {"product.gtin": 36000291452}),
    ("percent-read: a warning, 20 % is stored as 0.2", {"taxes.VAT": Percent(0.2)}),
    (
        "deprecated-delivery-mode: a warning, Standard will go",
        {"deliveryModes.Standard.cost": 3.9, "deliveryModes.Standard.additionalCost": 1},
    ),
    ("deprecated-field: a warning, no longer supported", {"PackagingUnit": "Kilogram"}),
    (
        "length-advised: a warning, more than 50 characters",
        {"sellerExternalReference": "LAMP-WITH-A-REFERENCE-THAT-NO-CATALOGUE-WOULD-PRINT-IN-FULL"},
    ),
    ("stock-differs: a warning, one stock for one product", {"product.gtin": gtin("376045270398")}),
    (
        "stock-differs: a warning, one stock for one product",
        {"product.gtin": gtin("376045270398"), "quantity": 99, "salesChannelId": "SECOND"},
    ),
    ("hidden-rows: a warning, this row is hidden", {}),
)
"""Rows that are sent, with something to say of them; the last one is hidden."""


def table(text: str) -> list[Values]:
    """The rows of one of the tables above."""
    return [_row(line.split()) for line in text.strip().splitlines()]


def _row(cells: list[str]) -> Values:
    given = {key: cell for key, cell in zip(FIELDS, cells, strict=True) if cell != "-"}
    values: Values = {key: cell if key in TEXTS else float(cell) for key, cell in given.items()}
    product = str(values.pop("product.gtin"))
    own = {"product.gtin": gtin(product)} if product.isdigit() else {"product.reference": product}
    return values | own


def label(condition: Value, language: str) -> str:
    """A condition as a merchandiser reads it."""
    labels = CONDITIONS.get(str(condition)) or LEGACY_CONDITIONS[str(condition)]
    return labels[LANGUAGES.index(language)]


def write_upsert(target: Path) -> None:
    """A clean sheet as a shop would send it; the service refuses four of its rows."""
    workbook = build(contents_of(load().feeds["offers-upsert"], Basis("en", Context())))
    rows = [row | {"condition": label(row["condition"], "en")} for row in table(OFFERS)]
    fill(workbook, rows)
    target.write_bytes(packed(workbook))


def write_update(target: Path) -> None:
    """New prices and stocks for some offers of the clean sheet."""
    workbook = build(contents_of(load().feeds["offers-update"], Basis("en", Context())))
    fill(workbook, UPDATES)
    target.write_bytes(packed(workbook))


def write_legacy(target: Path) -> None:
    """A clean sheet of offers that become an Offers.xml; the service refuses two of its rows."""
    workbook = build(contents_of(load().feeds["legacy-offers"], Basis("en", Context())))
    fill(workbook, map(_legacy, table(LEGACY)))
    target.write_bytes(packed(workbook))


def _legacy(row: Values) -> Values:
    """Its delivery modes by the names that an Offers.xml has for them, and its comment."""
    values = {key.replace("TrackedHomeDelivery", "Tracked"): cell for key, cell in row.items()}
    values["condition"] = label(row["condition"], "en")
    return values | {"comment": COMMENTS.get(str(row["sellerExternalReference"]), BLANK)}


def write_mistakes(target: Path) -> None:
    """Every mistake that a row can have, each told in the column `note`."""
    workbook = build(contents_of(load().feeds["offers-upsert"], Basis("en", Context())))
    sheet = workbook["Offers"]
    _add_columns(sheet, EXTRA_COLUMNS)
    fill(workbook, _wrong_rows())
    _show(sheet, (f"{SIGNED}.cost", f"{SIGNED}.additionalCost", "salesChannelId", "action"))
    sheet.row_dimensions[sheet.max_row].hidden = True
    for row in sheet.iter_rows(min_row=KEY_ROW + 1):
        for cell in row:
            _format_as_typed(cell)
    target.write_bytes(packed(workbook))


def _wrong_rows() -> Iterable[Values]:
    right = table(OFFERS)[0]
    sort = (("", MISTAKES), ("Update", UPDATE_MISTAKES), ("", WARNINGS))
    notes = ((action, note, cells) for action, rows in sort for note, cells in rows)
    for number, (action, note, cells) in enumerate(notes, start=301):
        row: Values = {} if action else right | {"product.gtin": gtin(f"376045270{number}")}
        own: Values = {"sellerExternalReference": f"SAMPLE-{number}", "action": action}
        yield row | own | cells | {"note": note}


def _add_columns(sheet: Worksheet, labels: Mapping[str, str]) -> None:
    for column, (key, text) in enumerate(labels.items(), start=sheet.max_column + 1):
        heading = sheet.cell(LABEL_ROW, column, text)
        heading.font = Font("Calibri", 11, bold=True)
        heading.alignment = Alignment(vertical="center", wrap_text=True)
        sheet.cell(KEY_ROW, column, key).font = Font("Calibri", 8, color="7F7F7F")
        sheet.column_dimensions[letters(column - 1)].width = 56 if key == "note" else 14


def _show(sheet: Worksheet, keys: Iterable[str]) -> None:
    """Unfolds columns, so that what is wrong in them can be seen."""
    letter_of = _letters(sheet)
    for key in keys:
        column = sheet.column_dimensions[letter_of[key]]
        column.hidden, column.outline_level = False, 0


def _letters(sheet: Worksheet) -> dict[str, str]:
    return {str(cell.value): letters(index) for index, cell in enumerate(sheet[KEY_ROW])}


def _format_as_typed(cell: Cell | MergedCell) -> None:
    """The format that a program gives to a cell when such a value is typed into it."""
    if isinstance(cell.value, date):
        cell.number_format = "DD/MM/YYYY"
    elif isinstance(cell.value, Percent):
        cell.number_format = "0%"
    elif isinstance(cell.value, int) and cell.number_format == "@":
        cell.number_format = "0"


def fill(workbook: Workbook, rows: Iterable[Values]) -> None:
    """Puts rows of values by key below the header, in the formats of their columns."""
    sheet = workbook.worksheets[SHEET]
    letter_of = _letters(sheet)
    beyond = letters(sheet.max_column)
    for number, row in enumerate(rows, start=KEY_ROW + 1):
        for key, value in row.items():
            if value == BLANK:
                continue
            letter = letter_of.get(key, beyond)
            cell = sheet[f"{letter}{number}"]
            cell.number_format = sheet.column_dimensions[letter].number_format
            cell.value = value


def write_french(target: Path) -> None:
    """As a French Excel writes “CSV UTF-8”: semicolons, decimal commas, a byte order mark."""
    labels = {
        column.key: column.labels[LANGUAGES.index("fr")]
        for column in load().feeds["offers-upsert"].sheet.columns(AccountSettings())
    }
    with target.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow([labels[key] for key in FIELDS])
        for row in table(FRENCH):
            shown = row | {"condition": label(row["condition"], "fr")}
            writer.writerow([_french(key, shown.get(key, "")) for key in FIELDS])


def _french(key: str, value: Value) -> str:
    """A number as its column shows it in France: thousands set off by a narrow blank."""
    if not isinstance(value, float):
        return str(value)
    if key in ("taxes.VAT", "preparationTime", "quantity"):
        return f"{value:g}".replace(".", ",")
    return f"{value:,.2f}".replace(",", "\u202f").replace(".", ",")


def write_all(folder: Path) -> None:
    """All samples."""
    folder.mkdir(parents=True, exist_ok=True)
    write_upsert(folder / "offers-upsert.xlsx")
    write_update(folder / "offers-update.xlsx")
    write_mistakes(folder / "offers-mistakes.xlsx")
    write_legacy(folder / "legacy-offers.xlsx")
    write_french(folder / "offers-fr.csv")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
