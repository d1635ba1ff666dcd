"""What `feedtool validate --format json` does, written straight down with the usual libraries.

openpyxl in read-only mode reads the rows, jsonschema judges each request, json encodes it. The
checks are the same, and so is what they find in the corpus, which `run.py` asserts. What openpyxl
cannot tell in this mode (hidden rows, formulas without a result) is left out, and so is what the
corpus does not need: the search for a header, other kinds of feed, several files.
"""

import json
import re
import sys
from collections import defaultdict
from datetime import date, time, timedelta
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

SCHEMA = Path(__file__).parents[1] / "feedtool/areas/offers/schemas/offers-upsert.json"
CONDITIONS = (
    "New",
    "UsedLikeNew",
    "UsedVeryGoodState",
    "UsedAverageState",
    "RefurbishedLikeNew",
    "RefurbishedVeryGoodState",
    "RefurbishedCorrectState",
)
BY_WRITING = {condition.casefold(): condition for condition in CONDITIONS}
ERROR_TEXTS = {"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!"}
WARNINGS = {
    "gtin-padded",
    "length-advised",
    "percent-read",
    "stock-differs",
    "trimmed",
    "unknown-column",
}
INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
MODE = re.compile(r"deliveryModes\.(\w+)\.(cost|additionalCost)")
ALWAYS = (
    "sellerExternalReference",
    "condition",
    "price.price",
    "taxes.VAT",
    "preparationTime",
    "quantity",
    "deliveryModes.TrackedHomeDelivery.cost",
    "deliveryModes.TrackedHomeDelivery.additionalCost",
)
TAXES = ("VAT", "EcoPart", "DEA")
CENT = Decimal("0.01")
HIGHEST_PRICE = Decimal("9999999.99")


class Refused(Exception):
    """A cell without a value that can be sent."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


class Sheet:
    """The sheet while it is read, and what was found in it."""

    def __init__(self, header: list[str]) -> None:
        self.header = header
        self.index = {key: index for index, key in enumerate(header)}
        self.modes = sorted({match[1] for key in header if (match := MODE.fullmatch(key))})
        self.problems: list[dict[str, Any]] = []
        self.invalid: set[int] = set()
        self.rows = 0
        self.references: dict[str, list[int]] = defaultdict(list)
        self.stocks: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        self.validator = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))

    def note(
        self, row: int, key: str, code: str, message: str, hint: str, value: object = None
    ) -> None:
        """One problem in its place."""
        severity = "warning" if code in WARNINGS else "error"
        if severity == "error":
            self.invalid.add(row)
        self.problems.append(
            {
                "row": row,
                "column": get_column_letter(self.index[key] + 1),
                "header": key,
                "field": key,
                "code": code,
                "severity": severity,
                "value": None if value is None else str(value),
                "message": message,
                "hint": hint,
            }
        )

    def read(self, number: int, cells: tuple[Any, ...]) -> None:
        """One row: its cells, its rules, its request."""
        values: dict[str, Any] = {}
        refused: set[str] = set()
        for key, cell in zip(self.header, cells, strict=False):
            if cell.value is None or key not in READERS:
                continue
            try:
                value, warnings = READERS[key](cell)
            except Refused as reason:
                refused.add(key)
                self.note(number, key, reason.code, reason.message, reason.hint, cell.value)
                continue
            if value is not None:
                values[key] = value
            for code, message in warnings:
                self.note(number, key, code, message, "nothing needs to be done", cell.value)
        if not values and not refused:
            return
        self.rows += 1
        self.judge(number, values, refused)
        if number not in self.invalid:
            request = self.request(values)
            for error in self.validator.iter_errors(request):
                place = "/".join(map(str, error.absolute_path))
                self.note(
                    number,
                    "sellerExternalReference",
                    "schema-mismatch",
                    f"{place}: {error.message}",
                    "look at the cell",
                )
            json.dumps(request).encode()

    def judge(self, row: int, values: dict[str, Any], refused: set[str]) -> None:
        """The rules over several cells of a row."""
        there = values.keys() | refused
        missing = [key for key in ALWAYS if key not in there]
        if "product.gtin" not in there and "product.reference" not in there:
            missing.append("product.gtin")
        for key in missing:
            self.note(row, key, "required-missing", f"{key} is missing", "fill the cell")
        for mode in self.modes:
            amounts = [f"deliveryModes.{mode}.{name}" for name in ("cost", "additionalCost")]
            blank = [key for key in amounts if key not in there]
            if len(blank) == 1 and blank[0] not in missing:
                message = f"{mode} has only one of its two amounts"
                self.note(row, blank[0], "delivery-incomplete", message, "fill the other one")
        price, struck = values.get("price.price"), values.get("price.originPrice")
        if price is not None and struck is not None and struck < price:
            message = f"the struck price {struck} is below the price {price}"
            self.note(
                row, "price.originPrice", "origin-price-below-price", message, "exchange the two"
            )
        contained = values.get("taxes.EcoPart", 0) + values.get("taxes.DEA", 0)
        if price is not None and contained and price <= contained:
            message = f"the price {price} is not above the {contained} inside it"
            self.note(row, "price.price", "price-below-taxes", message, "correct the tax")
        if "sellerExternalReference" in values:
            self.references[values["sellerExternalReference"]].append(row)
        product = values.get("product.gtin") or values.get("product.reference")
        if product and "quantity" in values:
            stocks = self.stocks[product, values.get("condition", "")]
            stocks.append((row, values["quantity"]))

    def request(self, values: dict[str, Any]) -> dict[str, Any]:
        """The request that a valid row becomes."""
        product = {
            name: values[f"product.{name}"]
            for name in ("gtin", "reference")
            if f"product.{name}" in values
        }
        price: dict[str, Any] = {"price": float(values["price.price"])}
        if "price.originPrice" in values:
            price["originPrice"] = float(values["price.originPrice"])
        price["taxes"] = [
            {"code": tax, "value": float(values.get(f"taxes.{tax}", 0))} for tax in TAXES
        ]
        return {
            "sellerExternalReference": values["sellerExternalReference"],
            "product": product,
            "condition": values["condition"],
            "price": price,
            "deliveryModes": [
                {
                    "code": mode,
                    "cost": float(values[f"deliveryModes.{mode}.cost"]),
                    "additionalCost": float(values[f"deliveryModes.{mode}.additionalCost"]),
                }
                for mode in self.modes
                if f"deliveryModes.{mode}.cost" in values
            ],
            "preparationTime": values["preparationTime"],
            "quantity": values["quantity"],
        }

    def conclude(self) -> None:
        """The rules over all rows."""
        for reference, rows in self.references.items():
            for row in rows if len(rows) > 1 else ():
                others = ", ".join(str(other) for other in rows[:6] if other != row)
                message = f"“{reference}” occurs {len(rows)} times: also in {others}"
                hint = "keep one row of each reference"
                key = "sellerExternalReference"
                self.note(row, key, "duplicate-reference", message, hint, reference)
        for (product, condition), stocks in self.stocks.items():
            if len({quantity for _, quantity in stocks}) > 1:
                for row, quantity in stocks:
                    message = f"other stocks for {product}, {condition}; stock is shared"
                    self.note(row, "quantity", "stock-differs", message, "give one", quantity)


def check_kind(cell: Any) -> None:
    """Refuses what is neither text nor number."""
    value = cell.value
    if isinstance(value, bool):
        raise Refused("boolean-in-cell", f"the cell holds {value}", "type the value")
    if isinstance(value, date | time | timedelta):
        raise Refused("date-in-number-cell", f"the cell holds the date {value}", "type the value")
    if cell.data_type == "e" or value in ERROR_TEXTS:
        raise Refused("formula-error", f"the cell shows {value}", "correct the formula")


def identifier(cell: Any) -> tuple[str, list[tuple[str, str]]]:
    """The characters of an identifier, and a warning where blanks were left out."""
    check_kind(cell)
    if isinstance(cell.value, str):
        text = cell.value.strip()
        if re.fullmatch(r"[0-9](?:[.,][0-9]+)?[Ee]\+[0-9]+", text):
            raise Refused("precision-lost", f"{text} is a shortened number", "paste it again")
        return text, [("trimmed", f"read as “{text}”")] if text != cell.value else []
    text = f"{Decimal(str(cell.value)).normalize():f}"
    if len(text.lstrip("-0").partition(".")[0]) > 15:
        raise Refused("precision-lost", f"{text} has more than 15 digits", "paste it again")
    shape = cell.number_format
    return text.zfill(len(shape)) if shape.strip("0") == "" else text, []


def read_reference(cell: Any) -> tuple[str | None, list[tuple[str, str]]]:
    """The seller's own reference."""
    text, warnings = identifier(cell)
    if "|" in text or INVISIBLE.search(text):
        raise Refused("reference-format", f"{text!r} holds `|` or worse", "type it again")
    if len(text) > 50:
        warnings.append(("length-advised", f"{len(text)} characters"))
    return text or None, warnings


def read_product_reference(cell: Any) -> tuple[str | None, list[tuple[str, str]]]:
    """The reference of a product."""
    text, warnings = identifier(cell)
    if text and not re.fullmatch(r"[A-Za-z0-9.-]+", text):
        raise Refused("product-reference-format", f"“{text}” is none", "use the catalogue's")
    if len(text) > 50:
        warnings.append(("length-advised", f"{len(text)} characters"))
    return text or None, warnings


def read_gtin(cell: Any) -> tuple[str | None, list[tuple[str, str]]]:
    """A GTIN; lost zeros are put back where the check digit proves them."""
    text, _ = identifier(cell)
    digits = text.replace(" ", "").replace("\u00a0", "")
    if not digits:
        return None, []
    warnings = []
    if not (digits.isascii() and digits.isdigit() and digits.strip("0")):
        raise Refused("gtin-format", f"“{digits}” is no number", "copy it from the package")
    total = sum(
        int(digit) * (1 if place % 2 else 3) for place, digit in enumerate(reversed(digits[:-1]))
    )
    right = str(-total % 10)
    if len(digits) not in (8, 12, 13, 14):
        wanted = next((length for length in (8, 12, 13, 14) if length > len(digits)), None)
        if isinstance(cell.value, str) or wanted is None or digits[-1] != right:
            raise Refused("gtin-format", f"{len(digits)} digits", "copy it from the package")
        digits = digits.zfill(wanted)
        warnings.append(("gtin-padded", f"zeros were put back: {digits}"))
    elif digits[-1] != right:
        raise Refused("gtin-checksum", f"{digits} is wrong", f"{digits[:-1]}{right} would fit")
    if isinstance(cell.value, str) and cell.value != digits:
        warnings.append(("trimmed", f"read as {digits}"))
    return digits, warnings


def read_condition(cell: Any) -> tuple[str | None, list[tuple[str, str]]]:
    """One of the list."""
    text, warnings = identifier(cell)
    if not text:
        return None, []
    value = BY_WRITING.get(text.casefold())
    if value is None:
        near = get_close_matches(text, CONDITIONS, n=1)
        raise Refused("enum-value", f"“{text}” is none of {CONDITIONS}", f"{near}?")
    return value, warnings


def number(cell: Any) -> Decimal | None:
    """The number of a cell, typed as one or as text."""
    check_kind(cell)
    if not isinstance(cell.value, str):
        return Decimal(str(cell.value))
    text = cell.value.strip()
    for currency in ("€", "EUR"):
        text = text.removeprefix(currency).removesuffix(currency).strip()
    if re.fullmatch(r"[+-]?[0-9]{1,3}[.,][0-9]{3}", text):
        raise Refused("number-ambiguous", f"{text} could mean two things", "type it plainly")
    text = re.sub(r"(?<=[0-9])\s(?=[0-9]{3})", "", text)
    if "," in text and "." in text:
        text = text.replace(min(",.", key=text.rfind), "")
    text = text.replace(",", ".")
    if text and not re.fullmatch(r"[+-]?[0-9]+(?:\.[0-9]+)?", text):
        raise Refused("number-format", f"“{cell.value}” is not a number", "type the number alone")
    return Decimal(text) if text else None


def money(value: Decimal) -> Decimal:
    """With two decimals, if it has no more."""
    if value != value.quantize(CENT):
        raise Refused("number-precision", f"{value} has more than two decimals", "round it")
    return value


def read_price(cell: Any) -> tuple[Decimal | None, list[tuple[str, str]]]:
    """An amount above zero."""
    value = number(cell)
    if value is None:
        return None, []
    if not 0 < value <= HIGHEST_PRICE:
        raise Refused("number-range", f"{value} is out of range", "correct the number")
    return money(value), []


def read_amount(cell: Any) -> tuple[Decimal | None, list[tuple[str, str]]]:
    """An amount that may be zero."""
    value = number(cell)
    if value is None:
        return None, []
    if not 0 <= value <= HIGHEST_PRICE:
        raise Refused("number-range", f"{value} is out of range", "correct the number")
    return money(value), []


def read_rate(cell: Any) -> tuple[Decimal | None, list[tuple[str, str]]]:
    """A percentage."""
    value = number(cell)
    if value is None:
        return None, []
    is_percent = "%" in cell.number_format
    if is_percent:
        value *= 100
    if not 0 <= value <= 100:
        raise Refused("number-range", f"{value} is out of range", "correct the number")
    return money(value), [("percent-read", f"read as {value}")] if is_percent else []


def whole(most: int) -> Any:
    """A reader of whole numbers."""

    def read(cell: Any) -> tuple[int | None, list[tuple[str, str]]]:
        value = number(cell)
        if value is None:
            return None, []
        if not 0 <= value <= most:
            raise Refused("number-range", f"{value} is out of range", "correct the number")
        if value != int(value):
            raise Refused("integer-required", f"{value} is not whole", "type a whole number")
        return int(value), []

    return read


READERS: dict[str, Any] = {
    "sellerExternalReference": read_reference,
    "product.gtin": read_gtin,
    "product.reference": read_product_reference,
    "condition": read_condition,
    "price.price": read_price,
    "price.originPrice": read_price,
    "taxes.VAT": read_rate,
    "taxes.EcoPart": read_amount,
    "taxes.DEA": read_amount,
    "deliveryModes.TrackedHomeDelivery.cost": read_amount,
    "deliveryModes.TrackedHomeDelivery.additionalCost": read_amount,
    "deliveryModes.ExpressHomeDelivery.cost": read_amount,
    "deliveryModes.ExpressHomeDelivery.additionalCost": read_amount,
    "preparationTime": whole(365),
    "quantity": whole(9_999_999_999),
}


def main(path: str) -> None:
    """Checks the first sheet of a workbook and prints what was found, as feedtool does."""
    book = load_workbook(path, read_only=True, data_only=True)
    lines = book.worksheets[0].iter_rows()
    sheet = Sheet([str(cell.value) for cell in next(lines)])
    for row, cells in enumerate(lines, start=2):
        sheet.read(row, cells)
    sheet.conclude()
    for key in sheet.header:
        if key not in READERS:
            sheet.note(0, key, "unknown-column", f"not sent: {key}", "rename the header")
    sheet.problems.sort(key=lambda problem: (problem["row"], problem["column"]))
    warnings = sum(problem["severity"] == "warning" for problem in sheet.problems)
    told = {
        "file": path,
        "kind": "offers-upsert",
        "sheet": book.sheetnames[0],
        "headerRow": 1,
        "rows": sheet.rows,
        "valid": sheet.rows - len(sheet.invalid),
        "invalid": len(sheet.invalid),
        "skipped": 0,
        "error": None,
        "problems": sheet.problems,
        "warnings": warnings,
    }
    json.dump([told], sys.stdout, ensure_ascii=False, indent=2)


if __name__ == "__main__":
    main(sys.argv[1])
