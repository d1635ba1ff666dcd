"""The rules of offers, each with rows that pass it and rows that fail it."""

from collections.abc import Mapping

import pytest

from tests.conftest import Files, Find, checked, gtin, offer, problems_of, update
from tests.rule_tables import Fails, Passes, Rows, cases, listed, places

TRACKED = "deliveryModes.TrackedHomeDelivery"
SIGNED = "deliveryModes.SignedHomeDelivery"
FIXED = "deliveryModes.FixedDateHomeDelivery"
WARNINGS = {
    "deprecated-delivery-mode",
    "deprecated-field",
    "identity-not-sent",
    "modes-replaced",
    "reference-alike",
    "stock-differs",
}
ONCE = WARNINGS - {"reference-alike", "stock-differs"}
"""Said once for the sheet."""


def amounts(mode: str, cost: str, additional: str) -> dict[str, str]:
    return {f"{mode}.cost": cost, f"{mode}.additionalCost": additional}


def refs(*references: str) -> list[dict[str, str]]:
    """A row for each reference, each of a product of its own."""
    return [
        offer(number, sellerExternalReference=reference)
        for number, reference in enumerate(references)
    ]


def same_product(*quantities: str, **changes: str) -> list[dict[str, str]]:
    return [
        offer(number, product__gtin=gtin(1), quantity=quantity, **changes)
        for number, quantity in enumerate(quantities)
    ]


FREE, NONE, USUAL = (amounts(TRACKED, *both) for both in (("0", "0"), ("", ""), ("4.90", "1.50")))
PREPARED = update(preparationTime="2")
TIMED = update(price__price="1.00", preparationTime="2")
TAXES = {"taxes__VAT": "20", "taxes__EcoPart": "0.10", "taxes__DEA": "0"}

PASSES: Passes = {
    "price-below-taxes": {
        "no taxes": offer(price__price="0.01"),
        "a cent above": offer(price__price="1.21", taxes__EcoPart="1.00", taxes__DEA="0.20"),
        "an Update of the taxes alone": update(**TAXES | {"taxes__EcoPart": "9.00"}),
    },
    "origin-price-below-price": {
        "equal": offer(price__originPrice="19.99"),
        "none": offer(price__originPrice=""),
        "an Update of the struck price alone": update(price__originPrice="1.00"),
        "the price is refused": offer(price__price="cheap", price__originPrice="1.00"),
    },
    "preparation-time-required": {
        "zero days": update(preparationTime="0") | USUAL,
        "no mode changes": update(price__price="1.00", preparationTime="") | NONE,
        "it is refused, not missing": update(preparationTime="soon") | USUAL,
        "an Upsert, which required-missing tells": offer(preparationTime=""),
    },
    "deprecated-delivery-mode": {"the modes of today": offer()},
    "deprecated-field": {"no such column": offer()},
    "taxes-incomplete": {
        "all three": update(**TAXES),
        "none": update(price__price="1.00", taxes__VAT="", taxes__EcoPart="", taxes__DEA=""),
        "no such columns": update(price__price="1.00"),
        "a refused one is not missing": update(**TAXES | {"taxes__VAT": "much"}),
        "an Upsert, where blank amounts are zero": offer(taxes__EcoPart="0.10", taxes__DEA=""),
    },
    "nothing-to-update": {
        "a price": update(price__price="1.00"),
        "a stock of zero": update(quantity="0"),
        "a refused value wants to change something": update(price__price="cheap"),
        "one amount of a mode": update() | {f"{SIGNED}.cost": "4"},
        "an empty Upsert, which required-missing tells": offer(price__price="", quantity=""),
    },
    "identity-not-sent": {
        "the reference alone": update(price__price="1.00"),
        "blank identity": update(quantity="1", product__reference="", product__gtin=""),
        "an Upsert sends it": offer(),
    },
    "modes-replaced": {
        "no modes": update(price__price="1.00"),
        "blank modes": TIMED | NONE,
        "an Upsert gives them all": offer(),
    },
    "delivery-incomplete": {
        "free": offer() | amounts(SIGNED, "0", "0"),
        "neither": offer() | amounts(SIGNED, "", ""),
        "the other amount is refused, not missing": offer() | amounts(SIGNED, "5.00", "cheap"),
        "an Update of both": PREPARED | amounts(SIGNED, "5.00", "0"),
        "the mandatory mode, which required-missing tells": offer()
        | {f"{TRACKED}.additionalCost": ""},
    },
    "stock-differs": {
        "the same stock": same_product("5", "5", "5.0"),
        "another product": [offer(1, quantity="5"), offer(2, quantity="6")],
        "another condition": [
            *same_product("5", condition="New"),
            *same_product("6", condition="UsedLikeNew"),
        ],
        "a refused stock": same_product("5", "many"),
        "Updates do not name their product": [
            update(number, product__gtin=gtin(1), quantity=str(number)) for number in (1, 2)
        ],
    },
    "same-product": {
        "one reference twice, which duplicate-reference tells": same_product(
            "5", "5", sellerExternalReference="A"
        ),
        "another product": refs("A", "B"),
        "another condition": [
            *same_product("5", condition="New"),
            offer(9, product__gtin=gtin(1), condition="UsedLikeNew"),
        ],
        "another channel": [
            *same_product("5", salesChannelId="PRIMARY"),
            offer(9, product__gtin=gtin(1), salesChannelId="SECOND"),
        ],
        "a GTIN and a product reference": [
            offer(1, product__gtin="", product__reference=gtin(1)),
            offer(2, product__gtin=gtin(1), product__reference=""),
        ],
        "a rename": [
            offer(1, action="Delete", sellerExternalReference="OLD"),
            offer(1, action="Upsert", sellerExternalReference="NEW"),
        ],
        "an Update names no product": [
            offer(1, action="Update", sellerExternalReference="A"),
            offer(1, action="Upsert", sellerExternalReference="B"),
        ],
        "no product": [offer(number, product__gtin="") for number in (1, 2)],
    },
    "reference-alike": {
        "the same, which duplicate-reference tells": refs("A", "A"),
        "other letters": refs("Réf-1", "Ref-1", "Rèf-1", "REF-2"),
        "another channel": [
            offer(1, sellerExternalReference=name, salesChannelId=channel)
            for name, channel in (("a", "PRIMARY"), ("A", "SECOND"))
        ],
        "no references at all": refs("", ""),
    },
    "duplicate-reference": {
        "all differ": refs("A", "B", "C"),
        "case matters": refs("SKU-1", "sku-1"),
        "no normalisation": refs("caf\u00e9", "cafe\u0301"),
        "no references at all": refs("", ""),
        "another channel": [offer(1, salesChannelId=name) for name in ("PRIMARY", "SECOND")],
        # `1,234` makes a second reading necessary: only 9.50 behind it settles the column.
        "a sheet that is read twice": [
            offer(1, price__price="1,234"),
            offer(2, price__price="9.50"),
        ],
    },
}


def at(where: str, cases: Mapping[str, Rows]) -> Mapping[str, tuple[Rows, str]]:
    """Cases whose problems are all at this place."""
    return {name: (rows, where) for name, rows in cases.items()}


HALF = f"2 {SIGNED}.additionalCost"

FAILS: Fails = {
    "price-below-taxes": at(
        "2 price.price",
        {
            "equal to the sum": offer(
                price__price="1.20", taxes__EcoPart="1.00", taxes__DEA="0.20"
            ),
            "below the DEA": offer(price__price="1.00", taxes__DEA="2.00"),
            "in an Update": update(price__price="1.00", **TAXES | {"taxes__EcoPart": "1.00"}),
        },
    ),
    "origin-price-below-price": at(
        "2 price.originPrice",
        {
            "a cent below": offer(price__originPrice="19.98"),
            "in an Update": update(price__price="10.00", price__originPrice="9.00"),
        },
    ),
    "preparation-time-required": at(
        "2 preparationTime",
        {
            "blank": update(preparationTime="") | USUAL,
            "no such column": update() | USUAL,
            "one amount alone": update(preparationTime="") | amounts(TRACKED, "4.90", ""),
            "free delivery": update() | FREE,
        },
    ),
    "deprecated-delivery-mode": {
        "Express, its cells blank": (
            offer() | amounts("Express", "", ""),
            "- deliveryModes.Express.cost",
        ),
        "both": (
            offer() | amounts("Standard", "1", "1") | amounts("Express", "1", "1"),
            "- deliveryModes.Standard.cost, - deliveryModes.Express.cost",
        ),
    },
    "deprecated-field": {
        f"{header} with “{value}”": (offer() | {header: value}, f"- {header}")
        for header in ("PackagingUnit", "PackagingValue")
        for value in ("6", "#N/A")
    },
    "taxes-incomplete": {
        "VAT alone": (
            update(taxes__VAT="20", taxes__EcoPart="", taxes__DEA=""),
            "2 taxes.EcoPart, 2 taxes.DEA",
        ),
        "no column for DEA": (update(taxes__VAT="20", taxes__EcoPart="1"), "2 taxes.DEA"),
        "a zero counts as given": (
            update(taxes__VAT="0", taxes__EcoPart="", taxes__DEA="0"),
            "2 taxes.EcoPart",
        ),
    },
    "nothing-to-update": at(
        "2 sellerExternalReference",
        {
            "every cell is blank": update(price__price="", quantity=""),
            "only the identity": update(quantity="", product__reference="R"),
            "only an unknown column": update(price__price="", colour="red"),
        },
    ),
    "identity-not-sent": {
        "a product reference": (
            update(quantity="1", product__reference="REF-1"),
            "- product.reference",
        ),
        "a condition": (update(quantity="1", condition="New", action="Update"), "- condition"),
        "in several rows": (
            [update(number, quantity="1", product__gtin=gtin(number)) for number in range(1, 6)],
            "- product.gtin",
        ),
    },
    "modes-replaced": at(
        f"- {TRACKED}.cost",
        {
            "free": TIMED | FREE,
            "in several rows": [TIMED | USUAL] * 5,
        },
    ),
    "delivery-incomplete": {
        "no additional cost": (offer() | amounts(SIGNED, "5.00", ""), HALF),
        "no cost": (offer() | amounts(SIGNED, "", "1.00"), f"2 {SIGNED}.cost"),
        "half of the mandatory mode beside a large-parcel mode": (
            offer() | {f"{TRACKED}.cost": ""} | amounts(FIXED, "30", "5"),
            f"2 {TRACKED}.cost",
        ),
        "an Update": (PREPARED | amounts(SIGNED, "5.00", ""), HALF),
        "the other amount has no column": (PREPARED | {f"{SIGNED}.cost": "5.00"}, HALF),
        "two modes": (
            offer() | amounts(SIGNED, "5.00", "") | amounts(FIXED, "30", ""),
            f"{HALF}, 2 {FIXED}.additionalCost",
        ),
    },
    "stock-differs": at(
        "2 quantity, 3 quantity",
        {
            "on two channels": [
                *same_product("5", salesChannelId="PRIMARY"),
                *same_product("6", salesChannelId="SECOND"),
            ],
            "by product reference": [
                offer(number, product__gtin="", product__reference="R", quantity=str(number))
                for number in (5, 6)
            ],
            "the condition in another writing": [
                *same_product("5", condition="new"),
                *same_product("6", condition="Neuf"),
            ],
        },
    ),
    "same-product": {
        "by GTIN": (same_product("5", "5"), "2 product.gtin, 3 product.gtin"),
        "by GTIN, with zeros in front and without": (
            [
                offer(number, product__gtin=code)
                for number, code in enumerate(("036000291452", "0036000291452"))
            ],
            "2 product.gtin, 3 product.gtin",
        ),
        "by product reference": (
            [
                offer(number, product__gtin="", product__reference="R", quantity=str(number))
                for number in (5, 6)
            ],
            "2 product.reference, 3 product.reference",
        ),
        "two of three on a channel": (
            [
                *same_product("5", "5", salesChannelId="PRIMARY"),
                offer(9, product__gtin=gtin(1), salesChannelId="SECOND"),
            ],
            "2 product.gtin, 3 product.gtin",
        ),
        "one reference twice and another": (
            [*same_product("5", "5", sellerExternalReference="A"), *same_product("5")],
            "2 product.gtin, 3 product.gtin, 4 product.gtin",
        ),
        "the condition in another writing": (
            [
                *same_product("5", condition="new"),
                offer(9, product__gtin=gtin(1), condition="Neuf"),
            ],
            "2 product.gtin, 3 product.gtin",
        ),
    },
    "reference-alike": {
        name: (rows, ", ".join(f"{row} sellerExternalReference" for row in numbers))
        for name, rows, numbers in (
            ("composed and not", refs("caf\u00e9", "B", "cafe\u0301"), (2, 4)),
            ("in another case", refs("SKU-1", "sku-1", "Sku-1"), (2, 3, 4)),
            ("in full width", refs("\uff21\uff11", "A1"), (2, 3)),
            ("the sign of Kelvin", refs("\u212a-1", "K-1"), (2, 3)),
            ("once for each of several", refs("a", "A", "A"), (2, 3)),
        )
    },
    "duplicate-reference": {
        name: (rows, ", ".join(f"{row} sellerExternalReference" for row in numbers))
        for name, rows, numbers in (
            ("far apart", refs("A", "B", "C", "A"), (2, 5)),
            ("blanks at the ends do not count", refs("A", " A\u00a0"), (2, 3)),
            ("an invalid row counts too", [offer(1), offer(1, price__price="cheap")], (2, 3)),
            (
                "whatever their actions",
                [offer(1, action=name) for name in ("Upsert", "Delete")],
                (2, 3),
            ),
            (
                "the channel of the sheet, named and not",
                [offer(1, salesChannelId=name) for name in ("PRIMARY", "")],
                (2, 3),
            ),
            ("in an Update", [update(1, quantity="1"), update(1, quantity="2")], (2, 3)),
        )
    },
}


@pytest.mark.parametrize(("code", "rows"), cases(PASSES))
def test_passes(find: Find, code: str, rows: Rows) -> None:
    assert find(code, *listed(rows)) == []


@pytest.mark.parametrize(("code", "rows", "expected"), cases(FAILS))
def test_fails(find: Find, code: str, rows: Rows, expected: str) -> None:
    problems = find(code, *listed(rows))
    assert places(problems) == expected
    assert {problem.severity for problem in problems} == {
        "warning" if code in WARNINGS else "error"
    }
    for problem in problems:
        cell = listed(rows)[problem.row - 2].get(problem.field or "") if problem.row else None
        zeros = "0" if problem.field == "product.gtin" else ""
        value = problem.value and problem.value.lstrip(zeros)
        assert value == (cell.strip().lstrip(zeros) or None if cell is not None else None)
        assert (problem.column is None) is (cell is None and code not in ONCE)


def test_a_delete_needs_no_change(find: Find) -> None:
    assert find("nothing-to-update", update(price__price=""), kind="offers-delete") == []


def test_a_stock_names_a_row_that_differs(find: Find) -> None:
    messages = [problem.message for problem in find("stock-differs", *same_product("5", "5", "6"))]
    assert [message.partition(" of ")[0] for message in messages] == [
        *["stock 5 here and 6 in row 4"] * 2,
        "stock 6 here and 5 in row 2",
    ]


@pytest.mark.parametrize(
    ("code", "row", "valid"),
    [
        (
            "stock-differs",
            offer(9, product__gtin=gtin(1), quantity="6", salesChannelId="SECOND"),
            2,
        ),
        ("duplicate-reference", offer(1), 1),
        ("same-product", offer(9, product__gtin=gtin(1)), 1),
        ("reference-alike", offer(9, sellerExternalReference="sku-1"), 2),
    ],
)
def test_over_several_files_the_others_are_named_with_their_file(
    files: Files, code: str, row: dict[str, str], valid: int
) -> None:
    one = files.csv(offer(1), offer(2), name="one.csv")
    two = files.csv(offer(3), row, name="two.csv")
    first, second = checked(one, two)
    assert "row 3 of two.csv" in problems_of(first, code)[0].message
    assert "row 2 of one.csv" in problems_of(second, code)[0].message
    assert (first.counts().valid, first.counts().invalid) == (valid, 2 - valid)


@pytest.mark.parametrize("other", ["0036000291452", "00036000291452"])
def test_a_product_is_named_by_its_gtin(find: Find, other: str) -> None:
    codes = ("036000291452", other)
    rows = [offer(number, product__gtin=code) for number, code in enumerate(codes)]
    for problem in find("same-product", *rows):
        assert problem.message.startswith("036000291452, New, is offered")
        assert problem.value == "036000291452"


def test_a_problem_names_up_to_five_others_and_their_number(find: Find) -> None:
    problems = find("duplicate-reference", *refs(*["A"] * 8))
    first, last = problems[0].message, problems[-1].message
    assert "8 times" in first
    assert "row 3, row 4, row 5, row 6, row 7 and 2 more" in first
    assert "row 2, row 3, row 4, row 5, row 6 and 2 more" in last
    for problem in problems:
        assert f"row {problem.row}," not in problem.message


def test_over_two_sheets_of_a_workbook_they_are_named_with_their_sheet(files: Files) -> None:
    book = files.book({"New": [offer(1)], "Changed": [update(1, quantity="5")]})
    new, changed = checked(book)
    assert "sheet Changed" in problems_of(new, "duplicate-reference")[0].message
    assert "sheet New" in problems_of(changed, "duplicate-reference")[0].message


def test_an_incomplete_file_reports_no_duplicates(files: Files) -> None:
    broken = files.text(files.csv(offer(1)).read_text() + '"SKU-9,never closed\n', "broken.csv")
    whole = files.csv(offer(1), name="whole.csv")
    first, second = checked(broken, whole)
    assert first.error is not None
    assert first.error.code == "csv-unterminated-quote"
    assert problems_of(second, "duplicate-reference") == []
    assert second.counts().valid == 1
