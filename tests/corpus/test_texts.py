"""CSV of every make: the same rows come out, or the file error says which line to look at."""

from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest

from tests.corpus.made import (
    ADDITIONAL,
    COST,
    KEYS,
    PRICE,
    REFERENCE,
    Case,
    csv,
    fields,
    judge,
    sent,
)

BOM = "\ufeff"


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def every_quoted(separator: str, end: str) -> bytes:
    keys, record = ([quoted(text) for text in texts] for texts in (KEYS, fields()))
    return (separator.join(keys) + end + separator.join(record) + end).encode()


def accented(encoding: str, reference: str = "Été à 5€") -> bytes:
    return csv(fields(1, {REFERENCE: reference}), encoding=encoding)


def comma_decimals(separator: str) -> bytes:
    """Amounts with a decimal comma, quoted only where they must be."""
    amounts = {PRICE: "19,99", COST: "4,90", ADDITIONAL: "1,50"}
    if separator == ",":
        amounts = {key: quoted(text) for key, text in amounts.items()}
    return csv(fields(1, amounts), separator=separator)


SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
ENDS = {"LF": "\n", "CR LF": "\r\n", "CR": "\r"}
ENCODINGS: dict[str, Callable[[], bytes]] = {
    "UTF-8": lambda: accented("utf-8"),
    "UTF-8 with a mark": lambda: accented("utf-8-sig"),
    "UTF-16": lambda: accented("utf-16"),
    "UTF-32": lambda: accented("utf-32"),
    "UTF-32, most significant byte first": lambda: BOM.encode("utf-32-be") + accented("utf-32-be"),
    **{
        f"{codec} without a mark": partial(accented, codec)
        for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
    },
}
SEVERAL = [(name, end) for name in SEPARATORS for end in ENDS]
USUAL = set(zip(SEPARATORS, cycle(ENDS), strict=False))
"""Each separator with one of the ends of lines."""
SIMILAR = {
    f"{quotes}{name}, {end}" for name, end in {*SEVERAL} - USUAL for quotes in ("", "all quoted, ")
}
"""The other writings, for tests that take longer."""
MAKES: dict[str, Callable[[], bytes]] = {
    **{
        f"{name}, {end}": partial(csv, fields(), separator=SEPARATORS[name], end=ENDS[end])
        for name, end in SEVERAL
    },
    **{
        f"all quoted, {name}, {end}": partial(every_quoted, SEPARATORS[name], ENDS[end])
        for name, end in SEVERAL
    },
    **{f"decimal commas, {name}": partial(comma_decimals, SEPARATORS[name]) for name in SEPARATORS},
}
ANNOUNCED = {**SEPARATORS, "caret": "^", "colon": ":", "blank": " "}
WRITINGS = {
    **{name: Case(make, {2: sent()}, name="offers.txt") for name, make in MAKES.items()},
    **{
        name: Case(make, {2: sent(reference="Été à 5€")}, name="offers.csv")
        for name, make in ENCODINGS.items()
    },
    **{
        f"announced {name}": Case(
            partial(csv, fields(), separator=separator, before=f"sep={separator}\r\n"), {3: sent()}
        )
        for name, separator in ANNOUNCED.items()
    },
}
CASES: dict[str, Case] = {
    # Encodings
    "Windows-1250": Case(
        lambda: accented("cp1250", "Źródło"),
        {2: sent(reference="Źródło")},
        problems=[(None, None, "encoding-guessed", None)],
    ),
    "a single letter that many code pages have": Case(
        lambda: accented("cp850", "ü"),
        error="csv-encoding",
        says=["Line 2", "neither UTF-8 nor cp1252", "csv_fallback"],
    ),
    "Chinese": Case(
        lambda: accented("gb18030", "全新商品"),
        error="csv-encoding",
        says=["Line 2", "Chinese", 'csv_fallback = "gb18030"'],
    ),
    "a mark before the line that announces the separator": Case(
        lambda: csv(fields(), separator=";", before=f"{BOM}sep=;\r\n"), {3: sent()}
    ),
    "a separator announced with trailing separators": Case(
        lambda: csv(fields(), separator=";", before="sep=;;;;\r\n"), {3: sent()}
    ),
    "a byte order mark inside a field": Case(
        lambda: csv(fields(1, {REFERENCE: f"A{BOM}B"})),
        problems=[(2, "A", "reference-format", f"A{BOM}B")],
        says=["A<U+FEFF>B"],
    ),
    "mixed line ends": Case(
        lambda: csv(fields(1), fields(2), end="\r\n").replace(b"7\r\n", b"7\n"),
        {2: sent(1), 3: sent(2)},
    ),
    # Fields
    "headers written as formulas": Case(
        lambda: csv(fields()).replace(b"product.gtin", b'="product.gtin"'), {2: sent()}
    ),
    "a reference beyond what a cell holds, and what Python's reader of CSV would": Case(
        lambda: csv(fields(1, {REFERENCE: "x" * 140_000})),
        problems=[(2, "A", "text-too-long", "x" * 1_999 + "…")],
    ),
}


@pytest.mark.parametrize("case", WRITINGS.values(), ids=WRITINGS)
def test_every_writing(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_text_files_are_read(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)
