import io
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.model.nouns import (
    ActSummary,
    Message,
    PackageSummary,
    Problem,
    RowResult,
    Severity,
    Status,
)
from feedtool.model.sheet import ProblemSpool
from feedtool.report.sheet_result import SheetResult
from feedtool.report.text import place, write_text
from feedtool.runs.codes import all_codes
from tests.report.conftest import make_outcome, make_problem

MISTAKEN = """\
offers.xlsx  offers-upsert, sheet Offers, header in row 2
5 rows: 2 valid, 3 invalid, 1 warning

error[gtin-checksum] 2 cells: The check digit is wrong.
  offers.xlsx:5 B5 gtin “4006381333932”: the check digit is wrong
    help: 4006381333931 would fit
  offers.xlsx:7 B7 gtin “12345670<U+001B>[2J”: the check digit is wrong
    help: 12345678 would fit

error[required-missing] 1 cell: A required value is missing.
  offers.xlsx:6 A6 Référence: sellerExternalReference is missing
  help: fill the cell

warning[unknown-column]: A column that this kind of feed does not know.
  offers.xlsx “colour”: not sent: “colour” in Z
  help: rename the header

5 rows: 2 valid, 3 invalid, 1 warning.
"""

ANSWERS = """\
Package p-1: Upsert, channel PRIMARY, 2 rows in 1 upload: integrated

  Rejected[1324] 1 row: No product sheet <exists>
    row 4

Annotated copy: offers.result.xlsx

5 rows: 3 Invalid, 1 Integrated, 1 Rejected, 1 warning. Run run-7.
"""


def report_of(
    *outcomes: SheetResult, colour: bool = False, verbose: bool = False, width: int | None = None
) -> str:
    out = io.StringIO()
    write_text(outcomes, out, all_codes(), is_colour=colour, is_verbose=verbose, width=width)
    return out.getvalue()


def test_problems_name_place_value_reason_and_help(mistaken: SheetResult) -> None:
    assert report_of(mistaken) == MISTAKEN
    coloured = report_of(mistaken, colour=True)
    assert "\x1b[1;31merror[gtin-checksum]\x1b[0m 2 cells" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == MISTAKEN


def test_answers_of_the_service_are_listed_below(sent: SheetResult) -> None:
    sent.annotated = Path("offers.result.xlsx")
    assert report_of(sent).endswith(ANSWERS)
    refused = "  offers.xlsx:4 SKU-2 Rejected: 1324 No product sheet <exists>\n"
    assert refused in report_of(sent, verbose=True)


def test_each_of_several_results_of_a_row_has_its_channel(two_channels: SheetResult) -> None:
    text = report_of(two_channels, verbose=True)
    assert "Rejected[2403] 1 row: SECOND: Taken.\n    row 3\n" in text
    assert "Rejected[2403] 1 row: Taken.\n    row 4\n" in text
    assert "offers.xlsx:3 A SECOND Rejected: 2403 Taken.\n" in text
    assert "offers.xlsx:4 B Rejected: 2403 Taken.\n" in text


def test_an_unreadable_file_is_one_clear_block(unreadable: SheetResult) -> None:
    assert report_of(unreadable) == (
        "big.xlsx\nerror[zip-bomb] unpacks to 4 GB\n  help: split it\n\n1 file could not be read.\n"
    )


def test_a_clean_sheet_is_reported_in_few_words() -> None:
    assert report_of(make_outcome()) == (
        "offers.xlsx  offers-upsert, sheet Offers, header in row 2\n"
        "2 rows: 2 valid, 0 invalid, 0 warnings\n\n"
        "2 rows: all valid.\n"
    )


def test_a_plan_lists_packages_that_would_be_sent() -> None:
    package = PackageSummary(None, PackageType.UPDATE, "SECOND", None, 1198, 12)
    dry = make_outcome(packages=[package])
    assert "Planned package: Update, channel SECOND, 1,198 rows in 12 uploads\n" in report_of(dry)


def test_refused_packages_whose_rows_went_on_are_only_counted() -> None:
    states = ((None, None, 0), (None, None, 1), ("12", "Integrated", 1))
    full = [PackageSummary(name, PackageType.FULL, "P", at, rows, 1) for name, at, rows in states]
    sent = make_outcome(packages=full)
    sent.run = "7"
    assert (
        "Package not confirmed: Full, channel P, 1 row in 1 upload\n"
        "Package 12: Full, channel P, 1 row in 1 upload: integrated\n"
        "1 package not taken, the rows went on in others\n"
    ) in report_of(sent)


ACTS: dict[str, tuple[tuple[str | None, int, str | None], str]] = {
    "not looked at": ((None, 0, None), "1 not sent yet"),
    "the service's word": (("Delivered", 1, "Accepted"), "1 Delivered"),
    "sent, and the answer is lost": ((None, 1, None), "1 not confirmed"),
    "sent, and answered without a word": ((None, 1, "Sent"), "1 Sent"),
    "sent, and refused": ((None, 1, "Rejected"), "1 Rejected"),
    "not sent, for there is no such order": ((None, 0, "Rejected"), "1 Rejected"),
    "not sent, for a later run has": ((None, 0, "Superseded"), "1 Superseded"),
}
"""The service's last word, the calls, and the status of the row; and what is said of a request."""


@pytest.mark.parametrize(("facts", "line"), ACTS.values(), ids=ACTS)
def test_only_planned_requests_are_called_not_sent_yet(
    facts: tuple[str | None, int, str | None], line: str
) -> None:
    state, calls, outcome = facts
    sent = make_outcome()
    sent.is_submitted = True
    sent.run, sent.acts = "7", [ActSummary(1, "Gesture", "O1", (3,), state, calls, None, outcome)]
    assert f"Gesture, 1 row in 1 request: {line}\n" in report_of(sent)


def test_only_planned_batches_are_called_not_sent_yet() -> None:
    states = ((None, 2, False), (None, 2, True), ("Success", 2, False), (None, 0, True))
    batches = [
        PackageSummary(None, "Invoices", "", state, rows, 1, is_unconfirmed)
        for state, rows, is_unconfirmed in states
    ]
    sent = make_outcome(packages=batches)
    sent.run = "7"
    lines = report_of(sent)
    assert "Invoices, 6 rows in 3 batches: 1 not sent yet, 1 not confirmed, 1 Success\n" in lines
    assert "1 package not taken, the rows went on in others\n" in lines


def test_unchanged_and_held_rows_are_skipped() -> None:
    skipped = make_outcome((), RowResult(3, "", Status.UNCHANGED), RowResult(4, "", Status.HELD))
    assert "2 rows: 0 valid, 0 invalid, 2 skipped, 0 warnings\n" in report_of(skipped)
    assert "2 skipped:" not in report_of(skipped)  # the line of statuses says it


def test_skipped_rows_are_counted_by_their_reasons(skipping: SheetResult) -> None:
    assert (
        "5 rows: 0 valid, 0 invalid, 5 skipped, 0 warnings\n"
        "5 skipped: 2 <no> stock, 1 total, header or example, 1 too dear, 1 Unchanged\n"
    ) in report_of(skipping)


def test_only_the_first_of_many_problems_are_shown() -> None:
    many = make_outcome([make_problem(row=row) for row in range(5, 1213)])
    brief, long = report_of(many), report_of(many, verbose=True)
    assert brief.count("B5 ") + brief.count("B9 ") == 2
    assert "B10 " not in brief
    assert "  … and 1,203 more (all with -v or --format json)\n" in brief
    assert long.count("the check digit is wrong\n") == 1208
    assert "more (" not in long


PLACES: dict[str, dict[str, object]] = {
    "a b.csv:5 B5 gtin": {},
    "a b.csv:9 B5 gtin": {"line": 9},
    "a b.csv:5 B5 product.gtin": {"header": None},
    "a b.csv:5 gtin": {"column": None},
    "a b.csv:9 row 5 gtin": {"column": None, "line": 9},
    "a b.csv": dict.fromkeys(("row", "column", "header", "field")),
}


@pytest.mark.parametrize("expected", PLACES)
def test_places(expected: str) -> None:
    assert place("a b.csv", make_problem(**PLACES[expected])) == expected


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal(sent: SheetResult, width: int) -> None:
    report = report_of(sent, width=width)
    assert max(map(len, report.splitlines())) <= width
    assert "".join(report.split()) == "".join(report_of(sent).split())


def test_refusals_that_all_differ_are_summed_up() -> None:
    rows = {row: (Message("1324", f"No sheet for {row}"),) for row in range(3, 1203)}
    differing = (RowResult(row, "", Status.REJECTED, said) for row, said in rows.items())
    report = report_of(make_outcome((), *differing))
    assert report.count("Rejected[1324] 1 row: No sheet for ") == 5
    assert "  … and 1,195 rows with other messages (all with -v or " in report


def test_many_problems_take_no_memory() -> None:
    class Endless(ProblemSpool):
        """The most problems that a spool can hold, without the time to pickle them."""

        def __iter__(self) -> Iterator[Problem]:
            base = make_problem(severity=Severity.WARNING)
            return (base._replace(row=row) for row in range(20_000))

    many = make_outcome()
    many.checked.rows.problems_by_source = [Endless()]
    report_of(make_outcome())  # imports what any report needs
    tracemalloc.start()
    report = report_of(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "warning[gtin-checksum] 20,000 cells" in report
    assert peak < 1 << 18
