"""CSV of every make: the same rows come out, or the file error says which line to look at."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.corpus.made import (
    ADDITIONAL,
    COST,
    GTIN,
    KEYS,
    PRICE,
    REFERENCE,
    STOCK,
    Case,
    csv,
    fields,
    judge,
    sent,
)

BOM = "\ufeff"
GUESSED = [(None, None, "encoding-guessed", None)]


def quoted(text: str) -> str:
    """A field in quotes."""
    return '"' + text.replace('"', '""') + '"'


def every_quoted(separator: str, end: str) -> bytes:
    """Header and record with each field in quotes."""
    keys, record = ([quoted(text) for text in texts] for texts in (KEYS, fields()))
    return (separator.join(keys) + end + separator.join(record) + end).encode()


def accented(encoding: str, reference: str = "Été à 5€") -> bytes:
    """A reference beyond ASCII, in this encoding."""
    return csv(fields(1, {REFERENCE: reference}), encoding=encoding)


def comma_decimals(separator: str) -> bytes:
    """Amounts with a decimal comma, quoted only where they must be."""
    amounts = {PRICE: "19,99", COST: "4,90", ADDITIONAL: "1,50"}
    if separator == ",":
        amounts = {key: quoted(text) for key, text in amounts.items()}
    return csv(fields(1, amounts), separator=separator)


def broken(tail: str) -> bytes:
    """Three good records, and this."""
    return csv(fields(1), fields(2), fields(3)) + tail.encode()


def noted(first: str, second: str, changes: dict[str, str] | None = None) -> bytes:
    """Two records, each after a field of an unknown column that is written like this."""
    records = [["note", *KEYS], [first, *fields(1)], [second, *fields(2, changes)]]
    return "".join(",".join(record) + "\n" for record in records).encode()


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
    "Windows-1252": Case(
        lambda: accented("cp1252"),
        {2: sent(reference="Été à 5€")},
        GUESSED,
        says=["cp1252", "line 2", "“Été”"],
    ),
    "Windows-1250, taken for Windows-1252": Case(
        lambda: accented("cp1250", "Źródło"),
        error="csv-encoding",
        says=["Line 2", "8f 72 f3 64", "neither UTF-8 nor cp1252", "csv_fallback"],
    ),
    "one odd letter far down": Case(
        lambda: (
            csv(*(fields(at) for at in range(2, 4001)), fields(9000, {REFERENCE: "à"}))
            .decode()
            .encode("cp1252")
        ),
        {at: sent(at) for at in range(2, 4001)} | {4001: sent(9000, reference="à")},
        GUESSED,
        says=["line 4001", "“à”"],
    ),
    "Unicode text, as Excel saves it": Case(
        lambda: csv(fields(), separator="\t", end="\r\n", encoding="utf-16"), {2: sent()}
    ),
    "a mark before the line that announces the separator": Case(
        lambda: csv(fields(), separator=";", before=f"{BOM}sep=;\r\n"), {3: sent()}
    ),
    "a separator announced in UTF-16": Case(
        lambda: csv(fields(), separator="|", before="sep=|\r\n", encoding="utf-16"), {3: sent()}
    ),
    "a separator announced with trailing separators": Case(
        lambda: csv(fields(), separator=";", before="sep=;;;;\r\n"), {3: sent()}
    ),
    "a file of two, header and mark included": Case(
        lambda: csv(fields(1), before=BOM) + csv(fields(2), before=BOM),
        {2: sent(1), 4: sent(2)},
        [(3, None, "not-a-row", "sellerExternalReference")],
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
    "separators and quotes in fields": Case(
        lambda: csv(fields(1, {REFERENCE: quoted('24", black; new\t')})),
        {2: sent(reference='24", black; new')},
        [(2, "A", "trimmed", '24", black; new\t')],
    ),
    "a line break in a field": Case(
        lambda: csv(fields(1, {REFERENCE: quoted("A\nB")}), fields(2, {STOCK: "x"})),
        problems=[
            (2, "A", "reference-format", "A\nB"),
            (3, "I", "number-format", "x"),
        ],
        lines={2: 2, 3: 4},
    ),
    "line breaks in the field of an unknown column": Case(
        lambda: noted(quoted('one\ntwo\r\nthree, "four"'), "x", {STOCK: "-1"}),
        {2: sent()},
        [
            (None, None, "unknown-column", "note"),
            (3, "J", "number-range", "-1"),
        ],
        lines={3: 5},
    ),
    "text written as a formula": Case(
        lambda: csv(
            fields(1, {REFERENCE: '="0036"', GTIN: '="0036000291452"'}),
            fields(2, {REFERENCE: '"=""00""""37"""'}),
        ),
        {
            2: sent(reference="0036", product={"gtin": "0036000291452"}),
            3: sent(2, reference='00"37'),
        },
    ),
    "headers written as formulas": Case(
        lambda: csv(fields()).replace(b"product.gtin", b'="product.gtin"'), {2: sent()}
    ),
    "a formula that is none of it": Case(
        lambda: csv(fields(1, {REFERENCE: "=1+1", GTIN: "=A1"})),
        problems=[(2, "B", "gtin-format", "=A1")],
    ),
    "short records are padded": Case(
        lambda: csv(fields(1)[:8]), problems=[(2, "I", "required-missing", None)]
    ),
    "surplus empty fields are ignored": Case(
        lambda: csv([*fields(1), "", "", " "], fields(2)), {2: sent(1), 3: sent(2)}
    ),
    "a surplus field": Case(
        lambda: csv(fields(1, {PRICE: "19,99"})),
        problems=[
            (2, "H", "integer-required", "1.50"),
            (2, "J", "too-many-columns", "7"),
        ],
    ),
    "blank lines": Case(lambda: csv([], [",,"], ["  "], fields(), [], before="\n\n"), {7: sent()}),
    "title lines above the header": Case(
        lambda: csv(fields(), separator=";", before="Our offers, March\n;;;\n"), {4: sent()}
    ),
    "a reference beyond what a cell holds": Case(
        lambda: csv(fields(1, {REFERENCE: "x" * 40_000})),
        problems=[(2, "A", "text-too-long", "x" * 1_999 + "…")],
    ),
    # Quotes
    "an open quote": Case(
        lambda: broken(f'"{",".join(fields(4))}\n{",".join(fields(5))}\n'),
        error="csv-unterminated-quote",
        says=["line 5"],
    ),
    "a quote inside an unquoted field": Case(
        lambda: csv(fields(1, {REFERENCE: '24"'})),
        {2: sent(reference='24"')},
        [(None, None, "csv-quotes", None)],
        says=["line 2"],
    ),
    "rows that an open quote takes in": Case(
        lambda: noted("x", '"open') + noted("x", '"closed"'),
        error="csv-unterminated-quote",
        says=["opens in line 3", "to line 6"],
    ),
    "apostrophes as quotes": Case(lambda: every_quoted(";", "\n").replace(b'"', b"'"), {2: sent()}),
    "blanks before each quote": Case(lambda: every_quoted("; ", "\n"), {2: sent()}),
    "nothing but a header": Case(csv, error="no-rows"),
}


@pytest.mark.parametrize("case", WRITINGS.values(), ids=WRITINGS)
def test_every_writing(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_comes_out(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)
