"""Sheets as checking leaves them, made by hand."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial

import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.model.cells import Header
from feedtool.model.nouns import Message, PackageSummary, Problem, RowResult, Severity, Status
from feedtool.model.sheet import INVALID, SKIPPED, VALID, CheckedSheet, ProblemSpool
from feedtool.report.sheet_result import SheetResult
from feedtool.sheets import ZipBomb

Problems = Iterable[Problem]

MADE = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
"""The time of the reports."""


def make_problem(**changes: object) -> Problem:
    """A wrong check digit in B5, with changes."""
    place = (5, None, "B", "gtin", "product.gtin", "gtin-checksum", Severity.ERROR)
    told = ("4006381333932", "the check digit is wrong", "4006381333931 would fit")
    return Problem(*place, *told)._replace(**changes)  # type: ignore[arg-type]  # names are the test's business


def make_outcome(
    problems: Problems = (),
    *results: RowResult,
    file: str = "offers.xlsx",
    valid: Iterable[int] = (3, 4),
    packages: Sequence[PackageSummary] = (),
) -> SheetResult:
    """Sheet Offers: rows with an error are invalid, `valid` ones are not.

    With results, or packages, it was submitted.
    """
    checked = CheckedSheet(file, "Offers", "offers-upsert", Header(2, 2, {}, {}, (), frozenset()))
    for row in valid:
        checked.rows.marks[row] = VALID
    spool = ProblemSpool()
    for problem in problems:
        spool.append(problem)
        if problem.row is not None and problem.severity is Severity.ERROR:
            checked.rows.marks[problem.row] = INVALID
    checked.rows.problems_by_source.append(spool)
    is_submitted = bool(results or packages)
    verdicts = partial(iter, results)
    return SheetResult(checked, None, is_submitted, packages, verdicts if results else None)


SHEET = (None, None, None, None, None, "unknown-column", Severity.WARNING, "colour")
A6 = (6, None, "A", "Référence", "sellerExternalReference")
ABSENT = ("sellerExternalReference is missing", "fill the cell")
MISTAKEN = (
    Problem(*SHEET, "not sent: “colour” in Z", "rename the header"),
    make_problem(),
    Problem(*A6, "required-missing", Severity.ERROR, None, *ABSENT),
    make_problem(row=7, value="12345670\x1b[2J", hint="12345678 would fit"),
)


@pytest.fixture
def mistaken() -> SheetResult:
    """Two wrong GTINs, a missing reference, and a warning of the whole sheet."""
    return make_outcome(MISTAKEN)


@pytest.fixture
def unreadable() -> SheetResult:
    return SheetResult(CheckedSheet("big.xlsx", error=ZipBomb("unpacks to 4 GB", "split it")))


def make_sent() -> SheetResult:
    """The mistaken sheet after submit: one row refused, one integrated."""
    sent = make_outcome(
        MISTAKEN,
        RowResult(3, "SKU-1", Status.INTEGRATED, (Message("8000", "The offer has been created."),)),
        RowResult(4, "SKU-2", Status.REJECTED, (Message("1324", "No product sheet <exists>"),)),
        RowResult(5, "SKU-3", Status.INVALID, (Message("gtin-checksum", "wrong digit"),)),
        RowResult(6, "", Status.INVALID, (Message("required-missing", "missing"),)),
        RowResult(7, "=cmd()", Status.INVALID, (Message("gtin-checksum", "wrong digit"),)),
        packages=[PackageSummary("p-1", PackageType.UPSERT, "PRIMARY", "Integrated", 2, 1)],
    )
    sent.run = "run-7"
    return sent


@pytest.fixture
def sent() -> SheetResult:
    return make_sent()


@pytest.fixture
def skipping() -> SheetResult:
    """Three rows that a recipe leaves out, a total, and an unchanged one."""
    result = make_outcome((), RowResult(3, "A", Status.UNCHANGED), valid=(3,))
    reasons = [("", "<no> stock"), ("not-a-row", "a total"), ("", "<no> stock"), ("", "too dear")]
    for row, message in enumerate(reasons, 5):
        result.checked.rows.marks[row] = SKIPPED
        result.checked.rows.skipped.append(RowResult(row, "", Status.SKIPPED, (Message(*message),)))
    return result


@pytest.fixture
def two_channels() -> SheetResult:
    """A row with a result on each of two channels, and one on one."""
    taken = (Message("2403", "Taken."),)
    return make_outcome(
        (),
        RowResult(3, "A", Status.INTEGRATED, (), "FIRST"),
        RowResult(3, "A", Status.REJECTED, taken, "SECOND"),
        RowResult(4, "B", Status.REJECTED, taken, "FIRST"),
    )
