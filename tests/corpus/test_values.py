"""Numbers and identifiers as people's files have them: exact, repaired with proof, or refused."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from feedtool.model.settings import AccountSettings
from tests.corpus.made import (
    COST,
    GTIN,
    KEYS,
    PRICE,
    REFERENCE,
    STOCK,
    VAT,
    Case,
    Problem,
    Request,
    Xml,
    book,
    csv,
    data,
    fields,
    header,
    judge,
    number,
    one,
    row,
    sent,
    styles,
    values,
)

NBSP, NARROW = "\u00a0", "\u202f"
UPC = "36000291452"
"""A GTIN of twelve digits whose first, a zero, is lost."""


def records(*changes: Mapping[str, str]) -> Sequence[Sequence[str]]:
    """Offers 1, 2 …, some of the fields of each others."""
    return [fields(number, changed) for number, changed in enumerate(changes, 1)]


def table(*changes: Mapping[str, str]) -> bytes:
    """A CSV of them."""
    return csv(*records(*changes), separator=";")


def texts(*changes: Mapping[str, str]) -> bytes:
    """A workbook of them, in which every cell is a text."""
    rows = (row(at, record) for at, record in enumerate(records(*changes), 2))
    return book(data(header() + "".join(rows)))


def formatted(key: str, text: str, code: str) -> bytes:
    """A workbook of an offer, with a number of this format in one cell."""
    return one({key: number(text, 1)}, {"xl/styles.xml": styles(code)})


TEXTS: dict[str, tuple[Sequence[Mapping[str, str]], Mapping[int, Request], Sequence[Problem]]] = {
    "a decimal comma": ([{PRICE: "19,99", COST: "4,9"}], {2: sent()}, []),
    "a currency": ([{PRICE: f"1{NBSP}299,00{NBSP}€"}], {2: sent(price=1299)}, []),
    "German thousands": ([{PRICE: "1.299,00"}], {2: sent(price=1299)}, []),
    "two readings": ([{PRICE: "1,234"}], {}, [(2, "D", "number-ambiguous", "1,234")]),
    "two readings, settled by a later row": (
        [{PRICE: "1,234"}, {PRICE: "9.50"}],
        {2: sent(price=1234), 3: sent(2, price=9.5)},
        [],
    ),
    "two readings, settled the other way": (
        [{PRICE: "1,230"}, {PRICE: "9,50"}],
        {2: sent(price=1.23), 3: sent(2, price=9.5)},
        [],
    ),
    "two readings, and evidence for both": (
        [{PRICE: "1,234"}, {PRICE: "9.50"}, {PRICE: "9,50"}],
        {3: sent(2, price=9.5), 4: sent(3, price=9.5)},
        [(2, "D", "number-ambiguous", "1,234")],
    ),
    "percent in VAT": ([{VAT: "5,5 %"}], {2: sent(vat=5.5)}, []),
    "percent elsewhere": ([{PRICE: "20 %"}], {}, [(2, "D", "number-format", "20 %")]),
    "a fraction of a piece": ([{STOCK: "7,5"}], {}, [(2, "I", "integer-required", "7,5")]),
    "a third decimal": ([{PRICE: "19,995"}, {PRICE: "9,5"}], {3: sent(2, price=9.5)}, [
        (2, "D", "number-precision", "19,995")
    ]),
    "a GTIN in scientific notation": (
        [{GTIN: "8,8E+12"}], {}, [(2, "B", "precision-lost", "8,8E+12")]
    ),
    "a GTIN of text that lost a zero": ([{GTIN: UPC}], {}, [(2, "B", "gtin-format", UPC)]),
    "a GTIN with blanks": (
        [{GTIN: f"0036000{NBSP}291452 "}],
        {2: sent(product={"gtin": "0036000291452"})},
        [(2, "B", "trimmed", f"0036000{NBSP}291452 ")],
    ),
    "zeros in front of a reference": ([{REFERENCE: "00042"}], {2: sent(reference="00042")}, []),
    "a reference of twenty digits": (
        [{REFERENCE: "12345678901234567890"}],
        {2: sent(reference="12345678901234567890")},
        [],
    ),
    "a reference like a number in scientific notation": (
        [{REFERENCE: "1E10"}], {2: sent(reference="1E10")}, []
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "rows", "problems"), TEXTS.values(), ids=TEXTS)
def test_texts(
    tmp_path: Path,
    changes: Sequence[Mapping[str, str]],
    rows: Mapping[int, Request],
    problems: Sequence[Problem],
) -> None:
    for make, name in ((table, "offers.csv"), (texts, "offers.xlsx")):
        judge(Case(partial(make, *changes), rows, problems, name=name), tmp_path)


CASES: dict[str, Case] = {
    "a GTIN that lost its zero": Case(
        lambda: one({GTIN: number(UPC)}),
        {2: sent(product={"gtin": f"0{UPC}"})},
        [(2, "B", "gtin-padded", UPC)],
    ),
    "a GTIN that lost six zeros": Case(
        lambda: one({GTIN: number("17")}),
        {2: sent(product={"gtin": "00000017"})},
        [(2, "B", "gtin-padded", "17")],
    ),
    "a GTIN that is shown with its zeros": Case(
        lambda: formatted(GTIN, UPC, "0000000000000"),
        {2: sent(product={"gtin": f"00{UPC}"})},
    ),
    "a GTIN that is shown as 3.6E+10": Case(
        lambda: formatted(GTIN, "4006381333931", "0.0E+00"),
        {2: sent(product={"gtin": "4006381333931"})},
    ),
    "a GTIN with a wrong check digit": Case(
        lambda: one({GTIN: number("4006381333932")}),
        problems=[(2, "B", "gtin-checksum", "4006381333932")],
        says=["4006381333931"],
    ),
    "a GTIN beyond fifteen digits": Case(
        lambda: one({GTIN: number("4006381333931012")}),
        problems=[(2, "B", "precision-lost", "4006381333931010")],
    ),
    "a reference that is a number": Case(
        lambda: one({REFERENCE: number("42.0")}), {2: sent(reference="42")}
    ),
    "a reference that is shown with zeros": Case(
        lambda: formatted(REFERENCE, "42", "00000"), {2: sent(reference="00042")}
    ),
    "20 % stored as 0.2": Case(
        lambda: formatted(VAT, "0.2", "0%"),
        {2: sent(vat=20)},
        [(2, "E", "percent-read", "20%")],
    ),
    "0.2 without a format": Case(
        lambda: one({VAT: number("0.2")}), problems=[(2, "E", "vat-fraction", "0.2")]
    ),
    "noise of a float": Case(
        lambda: one({PRICE: number("19.989999999999998"), COST: number("4.9000000000000004")}),
        {2: sent()},
    ),
    "fewer decimals shown than there are": Case(
        lambda: formatted(PRICE, "19.99", "0"), {2: sent()}
    ),
    "a third decimal that is not shown": Case(
        lambda: formatted(PRICE, "19.994", "0.00"),
        problems=[(2, "D", "number-precision", "19.994")],
    ),
    "a truth": Case(
        lambda: one({STOCK: Xml(' t="b"><v>1</v>')}),
        problems=[(2, "I", "boolean-in-cell", "TRUE")],
    ),
    "a date that was a reference": Case(
        lambda: formatted(REFERENCE, "45424", "d-mmm"),
        problems=[(2, "A", "date-in-number-cell", "2024-05-12")],
    ),
    "numbers settle nothing for texts": Case(
        lambda: book(
            data(
                header()
                + row(2, values(1, {PRICE: "1,234"}))
                + row(3, values(2, {PRICE: number("9.5")}))
            )
        ),
        {3: sent(2, price=9.5)},
        [(2, "D", "number-ambiguous", "1,234")],
        says=["could mean 1234 or 1.234", "no other cell of the column settles it"],
    ),
    "settled, and refused with the evidence": Case(
        lambda: texts({PRICE: "1,234"}, {PRICE: "8,50"}),
        {3: sent(2, price=8.5)},
        [(2, "D", "number-precision", "1,234")],
        says=["“,” for decimals", "8,50"],
    ),
    # Headers
    "a header merged over two columns": Case(
        lambda: book(
            data(
                row(1, [*KEYS[:4], None, *KEYS[4:]]) + row(2, [*values()[:4], None, *values()[4:]])
            ).replace(
                "</worksheet>", '<mergeCells><mergeCell ref="D1:E1"/></mergeCells></worksheet>'
            )
        ),
        {2: sent()},
    ),
    "blanks that nobody sees around a header": Case(
        lambda: book(
            data(
                row(1, [f"\ufeff{KEYS[0]}", f" {KEYS[1]}{NBSP}", f"{KEYS[2]}\n", *KEYS[3:]])
                + row(2, values())
            )
        ),
        {2: sent()},
    ),
    "aliases in other capitals, with accents and points": Case(
        lambda: book(
            data(
                row(1, ["S.K.U.", "ean", "ETAT", "Prix", "T.V.A.", *KEYS[5:8], "QUANTITE"])
                + row(2, values())
            )
        ),
        {2: sent()},
    ),
    "a seller's own headers": Case(
        lambda: book(
            data(row(1, ["Ref no.", *KEYS[1:3], "Cost (net)", *KEYS[4:]]) + row(2, values()))
        ),
        {2: sent()},
        dialect=AccountSettings(
            columns={"ref no": "sellerExternalReference", "COST net": "price.price"}
        ),
    ),
    "a header that is nearly one": Case(
        lambda: book(data(row(1, [*KEYS, "orgin price"]) + row(2, [*values(), "24.99"]))),
        {2: sent()},
        [(None, None, "unknown-column", "orgin price")],
        says=["did you mean price.originPrice?"],
    ),
    "a net price is no price": Case(
        lambda: book(
            data(
                row(1, [REFERENCE, STOCK, "Prix (HT)", "Stock (2)"])
                + row(2, ["SKU-1", "7", "16,66", "9"])
            )
        ),
        {2: {"sellerExternalReference": "SKU-1", "quantity": 7}},
        [(None, None, "unknown-column", "Prix (HT)")],
        says=["“Prix (HT)” in C", "“Stock (2)” in D"],
        kind="offers-update",
    ),
    "a net price is not left out unasked": Case(
        lambda: book(data(row(1, [REFERENCE, STOCK, "Prix (HT)"]) + row(2, ["SKU-1", "7", "9"]))),
        error="kind-unclear",
        says=["“Prix (HT)” looks like a price", "call it price or map it"],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_comes_out(tmp_path: Path, case: Case) -> None:
    judge(case, tmp_path)
