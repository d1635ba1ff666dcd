"""A supplier's list, read by a recipe."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.errors import FileProblem
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.recipes import RecipeFolders
from tests.conftest import Files, gtin

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
HEADER = "Réf;EAN;PA HT;Stock;Etat"
RECIPE = """\
[match]
kind = "offers-upsert"
headers = ["Réf", "EAN"]
[columns]
"Réf" = "sellerExternalReference"
"EAN" = "product.gtin"
"Stock" = "quantity"
"Etat" = false
[names]
cost = "PA HT"
[default]
condition = "New"
preparationTime = 2
"taxes.VAT" = 20
"deliveryModes.TrackedHomeDelivery.cost" = 4.90
"deliveryModes.TrackedHomeDelivery.additionalCost" = 0
[compute]
"price.price" = "cost * 2"
"""


def row(number: int = 1, cost: str = "10", stock: str = "5", condition: str = "") -> str:
    return f"SKU-{number};{gtin(number)};{cost};{stock};{condition}"


def read_by(
    files: Files,
    recipe: str,
    rows: Sequence[str],
    header: str = HEADER,
    asked: ReadOptions | None = None,
    path: Path | None = None,
) -> CheckedSheet:
    """A list of these rows, or a file, as a recipe makes it."""
    path = path or files.text("\n".join([header, *rows]) + "\n", "list.csv")
    named = files.text(recipe, "dupont.toml")
    folders = RecipeFolders(lambda: NOW, str(named))
    options = replace(asked or ReadOptions(), recipes=folders)
    (sheet,) = check([Input(str(path), path)], options, load())
    return sheet


def refused_by(
    files: Files, recipe: str, rows: Sequence[str] = (row(),), header: str = HEADER
) -> FileProblem:
    """The error of a list that cannot be read by a recipe."""
    sheet = read_by(files, recipe, rows, header)
    assert sheet.error is not None
    return sheet.error


def bodies(sheet: CheckedSheet) -> dict[tuple[int, str], dict[str, Any]]:
    assert sheet.error is None, sheet.error
    return {(item.row, item.channel): json.loads(item.body) for item in sheet.valid_items()}


def stock_file(files: Files, text: str, name: str = "stock-1.csv", hours: float = 1) -> Path:
    """A file beside the list, so many hours old."""
    path = files.text(text, name)
    changed = NOW.timestamp() - hours * 3600
    os.utime(path, (changed, changed))
    return path
