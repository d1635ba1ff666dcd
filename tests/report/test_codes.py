"""The vocabulary that scripts and people rely on: every code is known, and has a page."""

import pytest

from feedtool.errors import UsageProblem
from feedtool.model import Severity
from feedtool.report.codes import all_codes, explain, mending_of, summary_of

ERRORS = """
required-missing gtin-format gtin-checksum precision-lost number-format number-ambiguous
number-range number-precision integer-required enum-value text-control-chars text-too-long
product-reference-format formula-error formula-no-cache duplicate-reference reference-format
origin-price-below-price price-below-taxes field-retired date-in-number-cell boolean-in-cell
delivery-incomplete too-many-columns nothing-to-update preparation-time-required taxes-incomplete
"""

FILE_ERRORS = """
encrypted legacy-xls ods-unsupported xlsb-unsupported html-as-xls xml2003-as-xls not-a-workbook
corrupt-zip corrupt-xml zip-bomb zip-bad-name zip-duplicate-member xml-doctype grid-out-of-range
empty-file no-rows header-not-found header-missing kind-unclear header-duplicate sheet-ambiguous
csv-encoding csv-nul csv-unterminated-quote
"""

WARNINGS = """
hidden-rows unknown-column trimmed gtin-padded percent-read encoding-guessed dimension-wrong
deprecated-delivery-mode deprecated-field length-advised identity-not-sent stock-differs
modes-replaced
"""

VOCABULARY = [
    *((name, Severity.ERROR) for name in (ERRORS + FILE_ERRORS).split()),
    *((name, Severity.WARNING) for name in WARNINGS.split()),
]


@pytest.mark.parametrize(("name", "severity"), VOCABULARY)
def test_every_code_of_the_vocabulary_is_known(name: str, severity: Severity) -> None:
    assert all_codes()[name].severity is severity


@pytest.mark.parametrize("name", all_codes())
def test_every_page_has_a_summary_and_says_more(name: str) -> None:
    page = all_codes()[name].page.strip()
    summary, blank, rest = page.partition("\n\n")
    assert summary == summary_of(name)
    assert "\n" not in summary
    assert summary.endswith(".")
    assert blank
    assert rest


@pytest.mark.parametrize("name", all_codes())
def test_every_page_has_an_example_and_ends_with_how_to_mend_it(name: str) -> None:
    *said, last = all_codes()[name].page.strip().split("\n\n")
    assert [part for part in said if part.startswith("Example: ")]
    assert last.startswith(("To ", "How to mend it: ", "Nothing needs to be done"))


def test_codes_come_in_the_order_of_names() -> None:
    assert list(all_codes()) == sorted(all_codes())


@pytest.mark.parametrize("asked", ["gtin-checksum", " GTIN_Checksum ", "gtin checksum"])
def test_a_page_is_found_however_it_is_written(asked: str) -> None:
    page = explain(asked)
    assert page.startswith("error[gtin-checksum]\n\nThe check digit is wrong.\n")
    assert "Example:" in page


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("gtin-cheksum", "did you mean gtin-checksum"),
        ("zipbomb", "did you mean zip-bomb"),
        ("??", "one of: boolean-in-cell, "),
    ],
)
def test_an_unknown_code_is_told_with_the_nearest(asked: str, hint: str) -> None:
    with pytest.raises(UsageProblem, match="there is no problem code") as caught:
        explain(asked)
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("gtin-checksum", "compare the number with the package."),
        ("legacy-xls", 'open it in a spreadsheet program and save it as "Excel workbook (.xlsx)".'),
        ("1324", ""),
    ],
)
def test_the_page_s_end_says_how_to_mend_it(name: str, advice: str) -> None:
    assert mending_of(name) == advice


def test_codes_of_the_service_have_no_page() -> None:
    assert summary_of("1324") == ""
