import io
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from feedtool.model import Message, PackageSummary, PackageType, Problem, Status, Verdict
from feedtool.report import Outcome
from feedtool.report.html import write_html

MakeOutcome = Callable[..., Outcome]
MakeProblem = Callable[..., Problem]


def page(*outcomes: Outcome) -> str:
    out = io.StringIO()
    write_html(outcomes, out)
    return out.getvalue()


def cells(text: str, row: str) -> list[list[str]]:
    """The texts of the cells of all rows that an XPath finds."""
    found: Any = html.fromstring(text).xpath(row)
    return [[" ".join(cell.text_content().split()) for cell in one] for one in found]


def test_counts_are_shown(mistaken: Outcome) -> None:
    tiles = cells(page(mistaken), "//ul[@class='tiles']")
    assert tiles == [["5 rows", "2 valid", "3 invalid", "1 warning"]]


def test_a_bar_for_each_code(mistaken: Outcome) -> None:
    text = page(mistaken)
    assert cells(text, "//table[@class='chart']/tr") == [
        ["gtin-checksum", "2", ""],
        ["required-missing", "1", ""],
        ["unknown-column", "1", ""],
    ]
    assert re.findall(r'bar (\w+)" style="width: ([\d.]+)%', text) == [
        ("error", "100.0"),
        ("error", "50.0"),
        ("warning", "50.0"),
    ]


def test_problems_are_grouped_with_their_cells(mistaken: Outcome) -> None:
    listed = cells(page(mistaken), "//details//tbody/tr")
    assert listed == [
        ["B5", "gtin", "4006381333932", "the check digit is wrong", "4006381333931 would fit"],
        ["B7", "gtin", "12345670<U+001B>[2J", "the check digit is wrong", "12345678 would fit"],
        ["A6", "Référence", "", "sellerExternalReference is missing"],
        ["", "", "colour", "not sent: “colour” in Z"],
    ]


@pytest.mark.parametrize(
    ("changes", "cell"),
    [
        ({}, "B5"),
        ({"line": 9}, "B5 (line 9)"),
        ({"column": None}, "row 5"),
        ({"row": None}, "B"),
    ],
)
def test_places(
    outcome: MakeOutcome, problem: MakeProblem, changes: dict[str, object], cell: str
) -> None:
    assert cells(page(outcome([problem(**changes)])), "//details//tbody/tr")[0][0] == cell


def test_results_carry_their_status_for_the_filter(sent: Outcome) -> None:
    text = page(sent)
    rows = cells(text, "//tr[@data-status]")
    assert [row[2] for row in rows] == ["Integrated", "Rejected", *["Invalid"] * 3]
    assert rows[1] == ["4", "SKU-2", "Rejected", "1324 No product sheet <exists>"]
    boxes = html.fromstring(text).xpath("//fieldset[@hidden]//input/@value")
    assert boxes == ["Invalid", "Integrated", "Rejected"]


def test_the_plan_is_shown(outcome: MakeOutcome) -> None:
    dry = outcome()
    dry.packages = [PackageSummary(None, PackageType.UPSERT, "PRIMARY", None, 50_000, 500)]
    assert ["planned", "Upsert", "PRIMARY", "", "50,000", "500"] in cells(page(dry), "//tbody/tr")


def test_an_unreadable_file_stands_beside_the_others(
    mistaken: Outcome, unreadable: Outcome
) -> None:
    text = page(unreadable, mistaken)
    assert "error[zip-bomb]</strong> unpacks to 4 GB" in text
    assert "5 rows in 2 files: 2 valid, 3 invalid, 1 warning. 1 file could not be read." in text


def test_a_page_is_one_file_that_asks_for_nothing(sent: Outcome) -> None:
    text = page(sent)
    assert not re.search(r"https?:|//[a-z]|\ssrc=|<link|@import|url\(", text)
    assert text.count("<script") == 1
    assert "{{" not in text
    assert "{%" not in text


def test_the_policy_allows_our_script_alone(sent: Outcome) -> None:
    text = page(sent)
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in text


EVIL = "</td><script>alert(1)</script>\"'{{ 7*7 }}{% raw %}\u202e\x00"


def test_whatever_comes_from_outside_is_text(outcome: MakeOutcome, problem: MakeProblem) -> None:
    hostile = outcome(
        [problem(value=EVIL, header=EVIL, message=EVIL, hint=EVIL, code="x", field=EVIL)],
        file=EVIL,
    )
    hostile.checked.sheet = EVIL
    hostile.run = EVIL
    hostile.annotated = Path("<img>")
    hostile.packages = [PackageSummary(EVIL, PackageType.UPSERT, EVIL, EVIL, 1, 1)]
    verdict = Verdict(3, EVIL, Status.REJECTED, (Message(EVIL, EVIL),))
    hostile.is_submitted = True
    hostile.verdicts = lambda: iter([verdict])
    text = page(hostile)
    assert text.count("<script") == 1
    assert "<img" not in text
    assert "{{ 7*7 }}" in text
    assert not {"\u202e", "\x00"} & set(text)


def test_of_a_row_s_many_messages_the_first_are_listed(outcome: MakeOutcome) -> None:
    wide = outcome()
    wide.is_submitted = True
    said = tuple(Message("too-many-columns", f"field {number}") for number in range(1, 16_001))
    wide.verdicts = lambda: iter([Verdict(3, "R", Status.INVALID, said)])
    ((*_, told),) = cells(page(wide), "//tr[@data-status]")
    assert told.endswith("too-many-columns field 20… and 15,980 more")


def test_long_lists_end_and_say_where_all_is(outcome: MakeOutcome, problem: MakeProblem) -> None:
    many = outcome([problem(row=row) for row in range(5, 2505)])
    many.is_submitted = True
    many.verdicts = lambda: (
        Verdict(row, "R", Status.PENDING if row % 10 else Status.REJECTED) for row in range(12_000)
    )
    text = page(many)
    assert len(cells(text, "//details//tbody/tr")) == 1000
    assert "… and 1,500 more: a report lists the first 1,000 of each code" in text
    assert len(cells(text, "//tr[@data-status='Rejected']")) == 1000
    assert "… and 200 more rows that are Rejected" in text
    assert "… and 9,800 more rows that are Pending" in text
