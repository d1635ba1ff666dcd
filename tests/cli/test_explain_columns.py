"""`--explain-columns`: how each header was understood, and why."""

from collections.abc import Mapping, Sequence
from io import StringIO

import pytest

from feedtool.cli.validate import explained as header_of
from feedtool.model.settings import AccountSettings
from feedtool.report import SheetResult, write_columns
from tests.conftest import Files, checked

OWN = {"Réf. interne": "sellerExternalReference", "cost": "price.price"}


def explained(files: Files, *lines: str, dialect: AccountSettings | None = None) -> list[list[str]]:
    """The table's lines in words; the first says where the header is."""
    (sheet,) = checked(files.text("\n".join(lines) + "\n"), dialect=dialect)
    out = StringIO()
    write_columns([SheetResult(sheet, explained=header_of(sheet))], out)
    return [line.split() for line in out.getvalue().splitlines() if line]


REASONS: dict[str, tuple[str, str | None, str]] = {
    "a key": ("price.price", "price.price", "its key"),
    "a label": ("Prix (TTC)", "price.price", "its label (fr)"),
    "another language": ("Existencias", "quantity", "its label (es)"),
    "an alias": ("EAN", "product.gtin", "the alias “ean”"),
    "an alias with an aside": ("qty (optional)", "quantity", "the alias “qty”"),
    "a seller's own": ("réf interne", "sellerExternalReference", "the profile's [columns] table"),
    "a seller's own that we know too": ("Cost", "price.price", "the profile's [columns] table"),
    "a slip": ("orgin price", None, "unknown; did you mean price.originPrice?"),
    "a stranger": ("colour", None, "unknown; kept, not sent"),
    "ours": ("feedtool status", None, "written by feedtool; replaced"),
    "an operator's": (
        "Suivi (1) - Principal",
        "deliveryModes.TrackedHomeDelivery.cost",
        "its label (fr)",
    ),
}


@pytest.mark.parametrize(("header", "key", "reason"), REASONS.values(), ids=REASONS)
def test_why(files: Files, header: str, key: str | None, reason: str) -> None:
    known = ("SKU", "sellerExternalReference"), ("Stock", "quantity"), ("Prix", "price.price")
    others = [name for name, meant in known if meant != key]
    lines = (",".join((header, *others)), ",".join(("1", *("2" for _ in others))))
    first, line, *rest = explained(files, *lines, dialect=AccountSettings(columns=OWN))
    assert " ".join(first) == "offers.csv: header in row 1"
    assert " ".join(line).startswith(f"A {header} {key or '-'} ")
    assert reason in " ".join(line)
    assert len(rest) == len(others)


SHEETS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "below titles": (
        ("Our offers", "", "sku,stock", "A,1"),
        (
            "offers.csv: header in row 3",
            "A sku sellerExternalReference the alias “sku”",
            "B stock quantity its label (en)",
        ),
    ),
    "a header over two rows": (
        ("sku,Suivi,", ",Principal,Additionnel", "A,1,2"),
        (
            "offers.csv: header in row 2",
            "A sku sellerExternalReference the alias “sku”",
            "B Suivi Principal deliveryModes.TrackedHomeDelivery.cost its label (fr)",
            "C Suivi Additionnel deliveryModes.TrackedHomeDelivery.additionalCost its label (fr)",
        ),
    ),
    "columns that are missing": (
        ("sku,condition,Prise", "A,New,1"),
        (
            "offers.csv: header in row 1",
            "A sku sellerExternalReference the alias “sku”",
            "B condition condition its key",
            "C Prise - unknown; did you mean price.price?",
        ),
    ),
    "nothing that is known": (("Ref,Amount", "A,1"), ()),
}


@pytest.mark.parametrize(("lines", "told"), SHEETS.values(), ids=SHEETS)
def test_a_table(files: Files, lines: Sequence[str], told: Sequence[str]) -> None:
    assert [" ".join(words) for words in explained(files, *lines)] == list(told)
