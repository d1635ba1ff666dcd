"""Offers meet products: which offers wait, and which of them name the product's row."""

from collections.abc import Sequence

import pytest

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.registry import load
from feedtool.delivery.plan import ADVICE, Dependencies
from feedtool.model.nouns import Item, Message, RowResult, Status
from feedtool.model.sheet import INVALID, VALID, CheckedSheet, Refused
from tests.conftest import planned

GTIN, OTHER = "0040170725", "96385074"


def products(*, invalid: Sequence[int] = (), sheet: str | None = "Products") -> CheckedSheet:
    """Rows 3 and 4, of one GTIN each; and a row 5 that could not be read whole."""
    checked = CheckedSheet("shop.xlsx", sheet, "products")
    for row, gtin in ((3, GTIN), (4, OTHER)):
        checked.items.append(Item(row, "Products", "", f"P{row}", gtin, b"{}"))
        checked.marks[row] = INVALID if row in invalid else VALID
    checked.refused.append(Refused(5, "P5", "4006381333931"))
    checked.marks[5] = INVALID
    return checked


def offers(*named: str, kind: str = PackageType.UPSERT) -> CheckedSheet:
    """A row for each `GTIN|product reference|condition`, from row 2 on."""
    checked = CheckedSheet("shop.xlsx", "Offers", "offers-upsert")
    for row, product in enumerate(named, 2):
        checked.items.append(Item(row, kind, "PRIMARY", f"R{row}", product, b"{}"))
        checked.marks[row] = VALID
    return checked


KETTLE, MUG, STRANGER = f"{GTIN}||New", f"{OTHER}||New", "5901234123457||New"


@pytest.mark.parametrize(
    ("named", "waits"),
    [
        ("40170725||New", True),
        ("00000040170725||UsedLikeNew", True),
        ("|P3|New", True),
        ("5901234123457|P3|New", True),
        (STRANGER, False),
        ("|P9|New", False),
        ("||New", False),
        ("4006381333931||New", False),
        ("|P5|New", False),
    ],
    ids=[
        "its GTIN",
        "zeros in front",
        "its reference",
        "its reference and a GTIN",
        "another GTIN",
        "another reference",
        "nothing",
        "the GTIN of a row that is not sent",
        "its reference",
    ],
)
def test_an_offer_waits_for_a_product_that_is_sent(named: str, *, waits: bool) -> None:
    sheet = offers(STRANGER, named, STRANGER)
    found = planned([products(), sheet]).uploads(sheet)
    rows = [[item.row for item in one.upload.items] for one in found]
    assert rows == ([[2, 4], [3]] if waits else [[2, 3, 4]])


@pytest.mark.parametrize("kind", [PackageType.UPDATE, PackageType.DELETE, PackageType.FULL])
def test_only_what_may_make_an_offer_waits(kind: str) -> None:
    sheet = offers(KETTLE, STRANGER, kind=kind)
    (found,) = planned([products(), sheet]).uploads(sheet)
    assert [item.row for item in found.upload.items] == [2, 3]


def test_of_a_product_that_is_not_sent_no_offer_waits() -> None:
    sheet = offers(KETTLE, MUG)
    found = [*planned([products(invalid=[3]), sheet]).uploads(sheet)]
    assert [[item.row for item in one.upload.items] for one in found] == [[2], [3]]


def test_without_products_nothing_is_asked_of_the_rows() -> None:
    sheet = offers(KETTLE, MUG)
    (found,) = planned([sheet]).uploads(sheet)
    assert len(found.upload.items) == 2


MISSING = Message("1324", "No sheet.")
ROW = "row 3 of sheet Products"


@pytest.mark.parametrize(
    ("verdict", "product", "told"),
    [
        (
            (Status.REJECTED, MISSING),
            Status.REFUSED,
            f"Its product is {ROW}, which is Refused: correct it, and send both again.",
        ),
        (
            (Status.REJECTED, MISSING),
            Status.INVALID,
            f"Its product is {ROW}, which is Invalid: {ADVICE[Status.INVALID]}",
        ),
        (
            (Status.REJECTED, MISSING),
            Status.INTEGRATED,
            f"Its product is {ROW}, which is Integrated: send this row again.",
        ),
        (
            (Status.REJECTED, MISSING),
            Status.UNKNOWN,
            f"Its product is {ROW}, which is Unknown: see there, then send this row again.",
        ),
        (
            (Status.PENDING,),
            Status.PENDING,
            f"It is held back until its product is answered: {ROW}.",
        ),
        ((Status.PENDING,), Status.INTEGRATED, None),
        ((Status.REJECTED, Message("1906", "A price.")), Status.REFUSED, None),
        ((Status.INTEGRATED,), Status.REFUSED, None),
        ((Status.INVALID, MISSING), Status.REFUSED, None),
    ],
)
def test_an_offer_names_the_row_that_it_lacks(
    verdict: tuple[Status, *tuple[Message, ...]], product: Status, told: str | None
) -> None:
    sheet = offers(KETTLE)
    status, *said = verdict
    given = RowResult(2, "R2", status, tuple(said), "PRIMARY")
    (found,) = Dependencies([products(), sheet], load().feeds).with_hints(
        sheet, [given], lambda _: {3: product}
    )
    assert found.messages == (*said, *([Message("", told)] if told else []))


def test_rows_without_an_item_and_without_a_product_are_as_they_were() -> None:
    sheet = offers(STRANGER, MUG)
    given = [
        RowResult(1, "", Status.INVALID),
        RowResult(2, "R2", Status.REJECTED, (MISSING,), "PRIMARY"),
        RowResult(3, "R3", Status.REJECTED, (MISSING,), "PRIMARY"),
        RowResult(9, "", Status.INVALID),
    ]
    statuses = {4: Status.REFUSED}
    found = list(
        Dependencies([products(), sheet], load().feeds).with_hints(sheet, given, lambda _: statuses)
    )
    assert [*found[:2], found[3]] == [*given[:2], given[3]]
    assert "row 4 of sheet Products" in found[2].messages[1].text


@pytest.mark.parametrize("sheet", ["Products", None])
def test_of_several_files_the_products_is_named(sheet: str | None) -> None:
    other = offers(KETTLE)
    other.file = "offers.xlsx"
    given = RowResult(2, "R2", Status.REJECTED, (MISSING,), "PRIMARY")
    both = Dependencies([other, products(sheet=sheet)], load().feeds)
    (found,) = both.with_hints(other, [given], lambda number: {3: Status.REFUSED} if number else {})
    of_sheet = " of sheet Products" if sheet else ""
    assert f"row 3{of_sheet} of shop.xlsx" in found.messages[1].text


def test_products_are_told_as_they_are() -> None:
    made = products()
    given = [RowResult(3, "P3", Status.REFUSED)]
    assert (
        list(
            Dependencies([made, offers(KETTLE)], load().feeds).with_hints(made, given, lambda _: {})
        )
        == given
    )
