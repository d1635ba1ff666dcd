"""Products: `python benchmarks/products.py [--repeat N]` prints a table of medians.

20,000 rows of 120 columns over 40 categories are checked by the local catalogue: by feedtool, and
straight down with openpyxl and jsonschema, which do the same checks as far as the corpus needs
them. Each contender is a process of its own; both must find the same problems before any figure
counts. Every fiftieth row has a mistake, each time another one (`MISTAKES`).
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROWS, CATEGORIES, PROPERTIES, EACH = 20_000, 40, 104, 60
EVERY = 50
COMMON = (
    "gtin",
    "sellerProductReference",
    "title",
    "description",
    *(f"sellerPictureUrls_{index}" for index in range(1, 7)),
    "brand",
    "categoryCode",
    "language",
    "gtinReference",
    "richMarketingDescription",
    "variantGroupReference",
)
BRANDS = [f"Brand {number}" for number in range(500)]
Values = dict[str, str | float]


# The catalogue and the workbook.


def known() -> dict[str, dict[str, dict[str, Any]]]:
    """By category its properties: what differs from a plain text is told of each."""
    every: dict[str, dict[str, Any]] = {}
    for number in range(PROPERTIES):
        every[str(3000 + number)] = (
            {"choices": [f"PropertyChoice {number}-{one}" for one in range(25)]},
            {"choices": [f"Kind {number}-{one}" for one in range(400)], "multiple": True},
            {"numeric": True, "unit": "cm"},
            {"numeric": True, "multiple": True},
            {},
            {"multiple": True},
            {"choices": [f"Model {number}-{one}" for one in range(60)]},
            {"types": ["pdf"]},
        )[number % 8]
    references = list(every)
    return {
        f"0101{place:02}": {
            reference: every[reference] | {"mandatory": index % 12 == 0}
            for index, reference in enumerate(
                references[(place * 7 + one) % PROPERTIES] for one in range(EACH)
            )
        }
        for place in range(CATEGORIES)
    }


def gtin(number: int) -> str:
    """A GTIN-13 of its own for every number."""
    body = f"{300_000_000_000 + number:012d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    return body + str(-total % 10)


def value(number: int, reference: str, one: Mapping[str, Any]) -> str | float | None:
    """What stands in a property's cell; a quarter of the optional ones are blank."""
    turn = number * 31 + int(reference)
    if not one["mandatory"] and turn % 4 == 0:
        return None
    if choices := one.get("choices"):
        first, second = choices[turn % len(choices)], choices[turn // 7 % len(choices)]
        return f"{first};{second}" if one.get("multiple") and turn % 3 == 0 else str(first)
    if one.get("numeric"):
        return f"{turn % 900},5 cm" if one.get("unit") and turn % 5 == 0 else turn % 900 / 2
    if one.get("types"):
        return f"https://shop.example/files/{turn % 5000}.pdf"
    return f"Text {turn % 700}; and more" if one.get("multiple") else f"Material {turn % 1200}"


def row(number: int, catalogue: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Values:
    """A product with nothing wrong in it."""
    category = f"0101{number % CATEGORIES:02}"
    found: dict[str, str | float | None] = {
        "gtin": gtin(number),
        "sellerProductReference": f"SKU-{number:06}",
        "title": f"Product no. {number}, oak and linen",
        "description": f"The product with the number {number} is made to last." * 3,
        **{
            f"sellerPictureUrls_{index}": f"https://shop.example/{number}/{index}.jpg"
            for index in range(1, 2 + number % 6)
        },
        "brand": BRANDS[number % len(BRANDS)],
        "categoryCode": category,
        "language": "en-US",
        "richMarketingDescription": f"<p>Product <b>{number}</b>, made to last.</p>",
        **{key: value(number, key, one) for key, one in catalogue[category].items()},
    }
    return {key: text for key, text in found.items() if text is not None}


def first(values: Values, properties: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """The first property of a kind that the row has filled."""
    return next(key for key in values if key in properties and properties[key].get(name))


MISTAKES: Sequence[Callable[[Values, Mapping[str, Mapping[str, Any]]], Values]] = (
    lambda values, own: {first(values, own, "choices"): "No such choice"},
    lambda values, own: {first(values, own, "numeric"): "many"},
    lambda values, own: {first(values, own, "unit"): "12 mm"},
    lambda values, own: {first(values, own, "types"): "https://shop.example/manual.docx"},
    lambda values, own: {first(values, own, "mandatory"): ""},
    lambda _values, _own: {"title": "<b>Kettle</b>"},
    lambda _values, _own: {"richMarketingDescription": "<p>Kettle"},
    lambda _values, _own: {"categoryCode": "020202"},
    lambda _values, _own: {"brand": "Nobody's"},
    lambda values, _own: {
        "gtin": str(values["gtin"])[:-1] + str((int(str(values["gtin"])[-1]) + 1) % 10)
    },
    lambda _values, _own: {"sellerPictureUrls_1": "http://shop.example/kettle.jpg"},
    lambda _values, _own: {"sellerPictureUrls_1": "kettle.jpg"},
)


def rows(catalogue: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[Values]:
    """All rows."""
    for number in range(1, ROWS + 1):
        values = row(number, catalogue)
        if number % EVERY == 0:
            own = catalogue[str(values["categoryCode"])]
            values |= MISTAKES[number // EVERY % len(MISTAKES)](values, own)
        yield values


def make(folder: Path) -> None:
    """The workbook, the catalogue as JSON, and as a cache in a state folder."""
    from openpyxl import Workbook

    catalogue = known()
    keys = [*COMMON, *(str(3000 + number) for number in range(PROPERTIES))]
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Products")
    sheet.append(keys)
    for values in rows(catalogue):
        sheet.append([values.get(key) for key in keys])
    book.save(folder / "products.xlsx")
    (folder / "catalogue.json").write_text(json.dumps(catalogue), "utf-8")
    _make_cache(folder / "home", catalogue)


def _make_cache(home: Path, catalogue: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    from feedtool.catalog import Brand, Category, Necessity, Property, PropertyChoice
    from feedtool.catalog.cache import FILE, Cache
    from feedtool.catalog.model import Validators

    home.mkdir()
    at = datetime.now(UTC)
    with Cache(home / FILE) as cache:
        key = cache.begin("https://service.example/v2", "en", (), at).catalog
        cache.save(
            key,
            [
                Category(code, f"Category {code}", 3, True, None, (code,), True, False)
                for code in catalogue
            ],
        )
        cache.save(key, [Brand(str(place), name) for place, name in enumerate(BRANDS)])
        for code, own in catalogue.items():
            properties = [
                Property(
                    reference,
                    index,
                    Necessity.MANDATORY if one["mandatory"] else Necessity.OPTIONAL,
                    f"Property {reference}",
                    one.get("unit"),
                    "choices" in one,
                    one.get("numeric", False),
                    one.get("multiple", False),
                    False,
                    False,
                    tuple(PropertyChoice(text, text) for text in one.get("choices", ())),
                    tuple(one.get("types", ())),
                )
                for index, (reference, one) in enumerate(own.items())
            ]
            cache.save_properties(key, code, properties, Validators(), at)
        cache.finish(key, frozenset(catalogue), frozenset(map(str, range(len(BRANDS)))), at)


# The usual way.

NUMBER = re.compile(r"(-?[0-9]+(?:[.,][0-9]+)?)\s*(.*)")
TAG = re.compile(r"<(/?)([A-Za-z]+)[^<>]*>")
SCHEMA = Path(__file__).parents[1] / "feedtool/areas/products/schemas/products.json"


class Refused(Exception):
    """A cell that cannot be sent; the code is its message."""


def straight(folder: str) -> None:
    """Plain functions judge what openpyxl reads, jsonschema each request; json encodes it."""
    from jsonschema import Draft202012Validator
    from openpyxl import load_workbook
    from openpyxl.utils import get_column_letter

    catalogue = json.loads((Path(folder) / "catalogue.json").read_text("utf-8"))
    indexed = {
        code: {
            key: {**one, "by_name": {text.casefold(): text for text in one.get("choices", ())}}
            for key, one in own.items()
        }
        for code, own in catalogue.items()
    }
    brands = {name.casefold() for name in BRANDS}
    validator = Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    sheet = load_workbook(Path(folder) / "products.xlsx", read_only=True).worksheets[0]
    lines = sheet.iter_rows(values_only=True)
    keys = [str(text) for text in next(lines)]
    letters = {key: get_column_letter(index) for index, key in enumerate(keys, start=1)}
    problems: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], int] = {}
    counts = {"rows": 0, "valid": 0, "invalid": 0, "warnings": 0}
    for number, cells in enumerate(lines, start=2):
        values = {
            key: cell for key, cell in zip(keys, cells, strict=False) if cell not in {None, ""}
        }
        found = list(judged(values, indexed, brands))
        for field in ("gtin", "sellerProductReference"):
            if (field, str(values.get(field))) in seen:
                found.append((field, "duplicate-product"))
            seen[field, str(values.get(field))] = number
        errors = [one for one in found if one[1] not in {"brand-unknown", "picture-advised"}]
        if not errors:
            request = requested(values, indexed[values["categoryCode"]])
            errors = [("gtin", "schema-mismatch") for _ in validator.iter_errors(request)]
            json.dumps(request).encode()
        counts["rows"] += 1
        counts["invalid" if errors else "valid"] += 1
        counts["warnings"] += len(found) - len(errors) if found else 0
        problems += [{"row": number, "column": letters[key], "code": code} for key, code in found]
    json.dump([{**counts, "problems": problems}], sys.stdout)


def judged(  # noqa: C901, PLR0912  # straight down is what it is for
    values: Mapping[str, Any],
    catalogue: Mapping[str, Mapping[str, Mapping[str, Any]]],
    brands: set[str],
) -> Iterator[tuple[str, str]]:
    """The key and the code of whatever is wrong in a row."""
    digits = str(values["gtin"])
    if digits != gtin(int(digits[:-1]) - 300_000_000_000):
        yield "gtin", "gtin-checksum"
    if TAG.search(values["title"]):
        yield "title", "html-not-allowed"
    opened: list[str] = []
    for closing, name in TAG.findall(values["richMarketingDescription"]):
        if not closing:
            opened.append(name)
        elif opened and opened[-1] == name:
            opened.pop()
    if opened:
        yield "richMarketingDescription", "html-malformed"
    if values["brand"].casefold() not in brands:
        yield "brand", "brand-unknown"
    for key in values:
        if key.startswith("sellerPictureUrls_"):
            if "://" not in values[key]:
                yield key, "url-format"
            elif not values[key].startswith("https://") or not values[key].endswith(".jpg"):
                yield key, "picture-advised"
    own = catalogue.get(values["categoryCode"])
    if own is None:
        yield "categoryCode", "category-unknown"
        return
    for key, one in own.items():
        if key in values:
            try:
                sent(values[key], one)
            except Refused as reason:
                yield key, str(reason)
        elif one["mandatory"]:
            yield key, "required-missing"


def sent(cell: Any, one: Mapping[str, Any]) -> list[str]:
    """The values of a cell as they are sent."""
    text = f"{cell:g}" if isinstance(cell, float | int) else str(cell).strip()
    parts = [text]
    if one.get("multiple"):
        parts = [part.strip() for part in text.split(";")]
    found = []
    for part in parts:
        if one.get("choices"):
            if part.casefold() not in one["by_name"]:
                raise Refused("enum-value")
            found.append(one["by_name"][part.casefold()])
        elif one.get("numeric"):
            match = NUMBER.fullmatch(part)
            if not match:
                raise Refused("number-format")
            if match[2] and match[2] != one.get("unit"):
                raise Refused("unit-differs")
            found.append(match[1].replace(",", "."))
        elif one.get("types"):
            if not part.endswith(".pdf"):
                raise Refused("file-type")
            found.append(part)
        else:
            found.append(part)
    return found


def requested(values: Mapping[str, Any], own: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The product that a valid row becomes."""
    body = {
        key: str(values[key])
        for key in COMMON
        if key in values and not key.startswith("sellerPictureUrls_")
    }
    pictures = [
        {"index": int(key.rpartition("_")[2]), "url": text}
        for key, text in values.items()
        if key.startswith("sellerPictureUrls_")
    ]
    attributes = []
    for key, one in own.items():
        if key in values:
            found = sent(values[key], one)
            files = [{"index": index, "url": url} for index, url in enumerate(found, start=1)]
            what = {"files": files} if one.get("types") else {"values": found}
            attributes.append({"propertyReference": key, **what})
    return {**body, "sellerPictureUrls": pictures, "attributes": attributes}


# Both.


def corpus() -> Path:
    """The folder of workbook and catalogue; made once, and again when this file has changed."""
    version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    folder = Path(tempfile.gettempdir()) / "feedtool-benchmarks" / f"products-{version}"
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
            made = Path(unfinished) / "made"
            made.mkdir()
            subprocess.run([sys.executable, __file__, "make", made], check=True)
            made.rename(folder)
    return folder


def main() -> None:
    """Measures both ways and prints their table."""
    from benchmarks import table
    from benchmarks.run import FEEDTOOL, Contender, Job, lines

    parser = argparse.ArgumentParser(description="Measures the checks of products.")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    repeat = parser.parse_args().repeat
    folder = corpus()
    ours: list[str | Path] = [FEEDTOOL, "validate", "--format", "json", "--home", folder / "home"]
    job = Job(
        f"validate {ROWS:,} products, {len(COMMON) + PROPERTIES} columns",
        [
            Contender("openpyxl + jsonschema", [sys.executable, __file__, "straight", folder]),
            Contender("feedtool", [*ours, folder / "products.xlsx"]),
        ],
        same="problems",
    )
    print(table.told(f"Medians of {repeat} rounds", list(lines(job, repeat))))


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["straight"]:
        straight(sys.argv[2])
    else:
        sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
        main()
