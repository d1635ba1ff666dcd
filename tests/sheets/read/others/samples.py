"""The same 500 rows in every format of spreadsheets, made by the programs that write them.

The files in `samples/` are kept so that no test needs a program. To make them anew, with
LibreOffice (`soffice`) and Node.js on the path, and SheetJS installed by `npm install xlsx@0.18.5`:

    NODE_PATH=node_modules python -m tests.sheets.read.others.samples

Offers: references with zeros in front as texts and by a format, GTINs as numbers of 13 digits,
prices as the results of formulas, a date, a percentage, a truth, an error in every hundredth row,
a hidden row, merged cells, and a hidden sheet.
"""

import gzip
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl

from tests.conftest import gtin

FOLDER = Path(__file__).with_name("samples")
ROWS, FAILING, HIDDEN = 500, 100, 7
KEYS = (
    *("sellerExternalReference", "product.gtin", "condition", "price.price", "taxes.VAT"),
    *("deliveryModes.TrackedHomeDelivery.cost", "deliveryModes.TrackedHomeDelivery.additionalCost"),
    *("preparationTime", "quantity", "Seen", "Margin", "Active", "Note"),
)
FROM = datetime(2026, 1, 31, tzinfo=UTC)
LIBRE = {
    "xlsx": "Calc MS Excel 2007 XML",
    "xls": "MS Excel 97",
    "ods": "calc8",
    "html": "HTML (StarCalc)",
}
"""Endings → LibreOffice's filters."""
SHEETJS = {"xlsb": "xlsb", "xml.xls": "xlml", "html.xls": "html"}
"""Endings → SheetJS's names of formats."""
FORMATS = (*LIBRE, *SHEETJS)
_SCRIPT = """
const xlsx = require("xlsx");
const [source, kind, target, hidden] = process.argv.slice(1);
const book = xlsx.readFile(source, {cellNF: true});
const rows = (book.Sheets.Offers["!rows"] = []);
rows[hidden - 1] = {hidden: true};
xlsx.writeFile(book, target, {bookType: kind, compression: true});
"""


def sample(ending: str, folder: Path) -> Path:
    """The sample of a format, in this folder."""
    path = folder / f"offers.{ending}"
    path.write_bytes(gzip.decompress((FOLDER / f"offers.{ending}.gz").read_bytes()))
    return path


def _write_original(path: Path, hidden: int | None = None) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Offers"
    sheet.append(KEYS)
    for number in range(1, ROWS + 1):
        price = "=NA()" if number % FAILING == 0 else f"={number}+0.99"
        seen = (FROM + timedelta(days=number)).replace(tzinfo=None)
        note = f" Größe {number}  „€“\nsecond line" if number % 2 else None
        reference = number if number % 2 else f"{number:06}"
        row = [
            reference,
            int(gtin(number)),
            "New",
            price,
            20,
            4.9,
            1.5,
            2,
            number,
            seen,
            number / 1000,
        ]
        sheet.append([*row, f"={'TRUE' if number % 3 else 'FALSE'}()", note])
        line = sheet.max_row
        sheet.cell(line, 1).number_format = "000000" if number % 2 else "@"
        sheet.cell(line, 2).number_format = "0"
        sheet.cell(line, KEYS.index("Seen") + 1).number_format = "dd/mm/yyyy"
        sheet.cell(line, KEYS.index("Margin") + 1).number_format = "0.0%"
        sheet.cell(line, KEYS.index("Active") + 1).number_format = '"TRUE";"TRUE";"FALSE"'
    if hidden:
        sheet.row_dimensions[hidden].hidden = True
    last = len(KEYS)
    sheet.merge_cells(start_row=2, start_column=last, end_row=2, end_column=last + 1)
    other = book.create_sheet("Lists")
    other.append(["New", "Used"])
    other.sheet_state = "hidden"
    book.save(path)


def _convert(source: Path, ending: str, name: str, folder: Path) -> None:
    home = f"-env:UserInstallation={folder.parent.as_uri()}/office"
    convert = ["--headless", home, "--convert-to", f"{ending}:{name}", "--outdir", str(folder)]
    _run("soffice", *convert, str(source))


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603  # by our own hand
    if done.returncode:
        raise SystemExit(done.stderr.decode())


def make() -> None:
    """Make all samples anew."""
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as name:
        folder = Path(name) / "made"
        folder.mkdir()
        original = Path(name) / "offers.xlsx"
        _write_original(original)
        _convert(original, "html", LIBRE["html"], folder)  # which leaves hidden rows out
        _write_original(original, HIDDEN)
        # LibreOffice stores the formulas' results, which openpyxl cannot.
        for ending in ("xlsx", "xls", "ods"):
            _convert(original, ending, LIBRE[ending], folder)
        for ending, kind in SHEETJS.items():
            book, target = folder / "offers.xlsx", folder / f"offers.{ending}"
            _run("node", "-e", _SCRIPT, book, kind, target, str(HIDDEN))
        for path in folder.iterdir():
            packed = gzip.compress(path.read_bytes(), mtime=0)
            (FOLDER / f"{path.name}.gz").write_bytes(packed)


if __name__ == "__main__":
    make()
