"""Fails unless contenders found or wrote the same: `compare.py problems|cells|text FILE FILE`.

A process of its own, since a process inherits the peak of memory of the one that starts it.
"""

import json
import sys
from pathlib import Path

COUNTS = ("rows", "valid", "invalid", "warnings")


def problems(one: str, other: str) -> None:
    """The same problems in the same cells, and as many rows of each sort."""
    first, second = (json.loads(Path(name).read_text("utf-8"))[0] for name in (one, other))
    found, also_found = (
        {(at["row"], at["column"], at["code"]) for at in told["problems"] if at["row"]}
        for told in (first, second)
    )
    if found != also_found or not found:
        raise SystemExit(f"only one of them finds {sorted(found ^ also_found)[:5]}")
    if any(first[name] != second[name] for name in COUNTS):
        raise SystemExit("they do not count the same rows")


def cells(one: str, other: str) -> None:
    """The same values in all cells of the sheet."""
    from openpyxl import load_workbook

    sheets = (load_workbook(name, read_only=True).worksheets[0] for name in (one, other))
    rows = (sheet.iter_rows(values_only=True) for sheet in sheets)
    for number, (row, same) in enumerate(zip(*rows, strict=True), start=1):
        if row != same:
            raise SystemExit(f"row {number} differs")


def text(one: str, other: str) -> None:
    """The same text."""
    first, second = (Path(name).read_text("utf-8") for name in (one, other))
    if first != second:
        raise SystemExit(f"one says {first[:50]!r}, the other {second[:50]!r}")


if __name__ == "__main__":
    {"problems": problems, "cells": cells, "text": text}[sys.argv[1]](*sys.argv[2:])
