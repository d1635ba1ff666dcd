"""Rows keep their numbers, problems their places, values are kept if asked for; counts add up."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.nouns import Severity
from feedtool.model.sheet import VALID, CheckedSheet, Filled, RowStates
from feedtool.runs import row_notes
from tests.conftest import Files, checked, codes, offer, problems_of, table, update

HEADER, GOOD, _ = table([offer(1)]).split("\r\n")
OTHER = table([offer(2)]).split("\r\n")[1]
BAD = GOOD.replace("3000000000014", "3000000000015")


LINES = {
    "the header is row 1": ([HEADER, BAD], 2, 2),
    "blank records are counted": ([HEADER, "", ",,,", OTHER, BAD], 5, 5),
    "titles above the header": (["My offers", "", HEADER, OTHER, BAD], 5, 5),
    "the sep line is a record": (["sep=,", HEADER, BAD], 3, 3),
    "a line break inside a field": ([HEADER, OTHER.replace("New", '"\nNew"'), BAD], 3, 4),
    "line breaks inside its own fields": ([HEADER, BAD.replace("New", '"New\n\n"')], 2, 2),
    "a header over two": ([HEADER.replace("condition", '"condi\ntion"'), OTHER, BAD], 3, 4),
}


@pytest.mark.parametrize(("lines", "row", "line"), LINES.values(), ids=LINES)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=ascii)
def test_the_row_of_a_record_and_the_line_where_it_starts(
    files: Files, lines: Sequence[str], row: int, line: int, end: str
) -> None:
    (sheet,) = checked(files.text(end.join(lines).replace("\r\r", "\r")))
    (problem,) = problems_of(sheet, "gtin-checksum")
    assert (problem.row, problem.line) == (row, line)


def test_a_workbook_has_rows_and_no_lines(files: Files) -> None:
    rows: list[Mapping[str, str]] = [offer(1), dict.fromkeys(offer(), ""), offer(2, condition="?")]
    (sheet,) = checked(files.book({"Offers": rows}))
    assert [(problem.row, problem.line, problem.code) for problem in sheet.problems()] == [
        (4, None, "enum-value")
    ]
    assert sheet.counts().rows == 2


def test_a_problem_has_place_value_reason_and_help(files: Files) -> None:
    row = {key.replace("product.gtin", "EAN"): value for key, value in offer().items()}
    (sheet,) = checked(files.csv(row | {"EAN": "4006381333932"}))
    (problem,) = sheet.problems()
    assert problem[:6] == (2, 2, "B", "EAN", "product.gtin", "gtin-checksum")
    assert (problem.severity, problem.value) == (Severity.ERROR, "4006381333932")
    assert "4006381333932" in problem.message
    assert "4006381333931" in problem.hint


def test_an_absent_column_has_no_letter_and_no_header(files: Files) -> None:
    (sheet,) = checked(files.csv(update(taxes__VAT="20")))
    assert {
        (problem.column, problem.header, problem.field, problem.value)
        for problem in sheet.problems()
    } == {
        (None, None, "taxes.EcoPart", None),
        (None, None, "taxes.DEA", None),
    }


def test_problems_found_after_reading_have_their_lines(files: Files) -> None:
    text = "\n".join([HEADER, GOOD.replace("New", '"New\n"'), GOOD])
    (sheet,) = checked(files.text(text))
    assert [
        (problem.row, problem.line) for problem in problems_of(sheet, "duplicate-reference")
    ] == [
        (2, 2),
        (3, 4),
    ]


def test_all_problems_are_sorted_by_place(files: Files) -> None:
    rows = [
        offer(number, product__gtin="1", price__price="x", quantity="y", colour="red")
        for number in range(1, 400)
    ]
    (sheet,) = checked(files.csv(*rows))
    problems = list(sheet.problems())
    assert problems[0].code == "unknown-column"
    assert len(problems) == 1 + 3 * 399
    places = [
        (problem.row or 0, len(problem.column or ""), problem.column or "") for problem in problems
    ]
    assert places == sorted(places)


def test_rows_are_the_valid_and_the_invalid_and_blank_ones_are_in_none(files: Files) -> None:
    padded, doubled = offer(3, sellerExternalReference=" SKU-3"), offer(1)
    others = (offer(2, quantity="-1"), padded, {"price.price": " "}, doubled)
    (sheet,) = checked(files.csv(offer(1), {}, *others))
    counts = sheet.counts()
    assert (counts.rows, counts.valid, counts.invalid, counts.skipped) == (4, 1, 3, 0)
    assert counts.warnings == 1
    assert [item.row for item in sheet.valid_items()] == [5]
    assert {row for row, _ in codes(sheet)} == {2, 4, 5, 7}


def test_every_row_gets_a_verdict_the_invalid_ones_too(files: Files) -> None:
    rows = [
        offer(1),
        offer(2, price__price="0", quantity="x"),
        offer(3, sellerExternalReference=""),
        offer(4, sellerExternalReference="SKU-1"),
        offer(5, sellerExternalReference="x" * 51, product__gtin=" 96385074"),
        offer(6, sellerExternalReference="A|1"),
    ]
    (sheet,) = checked(files.csv(*rows))
    every = list(row_notes.check_results(sheet))
    assert [(one.row, one.reference, one.status) for one in every] == [
        (2, "SKU-1", "Invalid"),
        (3, "SKU-2", "Invalid"),
        (4, "", "Invalid"),
        (5, "SKU-1", "Invalid"),
        (6, "x" * 51, "Valid"),
        (7, "A|1", "Invalid"),
    ]
    assert {code for row, code in codes(sheet) if row == 6} == {"length-advised", "trimmed"}
    assert [message.code for message in every[1].messages] == ["number-range", "number-format"]


def test_a_check_without_items_counts_the_same(files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"))
    (sheet,) = check([Input("offers.csv", path)], ReadOptions(with_items=False), load())
    assert (len(sheet.rows.items), sheet.rows.filled) == (0, None)
    assert (sheet.counts().valid, sheet.counts().invalid) == (1, 1)


def test_marks_are_a_byte_for_each_row() -> None:
    marks = RowStates()
    marks[1_048_576] = VALID
    marks[3] = VALID
    assert list(marks) == [3, 1_048_576]
    assert marks.count(VALID) == 2
    assert marks[4] == 0


# What rows hold, whether they can be sent or not.


def filled(files: Files, *rows: dict[str, str]) -> tuple[CheckedSheet, list[Filled]]:
    (sheet,) = check([Input("offers.csv", files.csv(*rows))], ReadOptions(with_values=True), load())
    return sheet, list(sheet.rows.filled or ())


def test_values_of_rows(files: Files) -> None:
    _, [one] = filled(files, offer(1, price__price="1 299,00", condition="neuf"))
    assert (one.row, one.line, one.kind) == (2, 2, "offers-upsert")
    values = one.values()
    assert values["price.price"] == Decimal(1299)
    assert (values["condition"], values["quantity"]) == ("New", 7)
    assert "taxes.EcoPart" not in values


def test_invalid_values_are_kept_as_shown(files: Files) -> None:
    rows = offer(1, price__price="a lot", product__gtin="12 3"), offer(2, PackagingUnit="Kilogram")
    _, [one, other] = filled(files, *rows)
    assert (one.values()["price.price"], one.values()["product.gtin"]) == ("a lot", "12 3")
    assert other.values()["PackagingUnit"] == "Kilogram"


def test_an_action_sets_the_kind_of_its_row(files: Files) -> None:
    _, found = filled(files, offer(1) | {"action": "Upsert"}, offer(2) | {"action": "Delete"})
    assert [one.kind for one in found] == ["offers-upsert", "offers-delete"]


def test_a_second_reading_keeps_no_row_twice(files: Files) -> None:
    _, found = filled(files, offer(1, price__price="1,234"), offer(2, price__price="19,99"))
    assert [one.values().get("price.price") for one in found] == ["1,234", Decimal("19.99")]
