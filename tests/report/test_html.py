import io
import re
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from feedtool.areas.offers.delivery import PackageType
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Message, PackageSummary, RowResult, Status
from feedtool.report.html import write_html
from feedtool.report.sheet_result import RunFacts, SheetResult
from feedtool.runs.codes import all_codes
from tests.report.conftest import MADE, make_outcome, make_problem


def page(*outcomes: SheetResult) -> str:
    out = io.StringIO()
    write_html(outcomes, out, all_codes(), MADE, Path("reports"))
    return out.getvalue()


def cells(text: str, row: str) -> list[list[str]]:
    found: Any = html.fromstring(text).xpath(row)
    return [[" ".join(cell.text_content().split()) for cell in one] for one in found]


def test_headline_and_facts_come_first(sent: SheetResult) -> None:
    sent.annotated = Path("reports/offers 1.result.xlsx")
    sent.failed = Path("offers.failed.xlsx")
    tree: Any = html.fromstring(page(sent))
    assert tree.xpath("string(//p[@class='headline'])") == "1 of 5 rows accepted, 4 to correct"
    facts = dict(cells(page(sent), "//dl[@class='facts']/div"))
    assert facts["File"] == "offers.xlsx"
    assert facts["Date"] == "2026-11-23 09:30 UTC"
    assert facts["Header"] == "row 2"
    assert tree.xpath("//dl//a/@href") == ["offers%201.result.xlsx", "../offers.failed.xlsx"]


def test_the_circumstances_of_a_run_are_facts(sent: SheetResult) -> None:
    sent.run_facts = RunFacts(datetime(2026, 3, 2, 9, 1, tzinfo=UTC), "S1", "https://service/v2")
    facts = dict(cells(page(sent), "//dl[@class='facts']/div"))
    assert (facts["Date"], facts["Account"]) == ("2026-03-02 09:01 UTC", "S1, https://service/v2")


def test_problems_come_before_the_chart(sent: SheetResult) -> None:
    text = page(sent)
    listed = cells(text, "//table[@class='problems']/tbody/tr")
    assert [line[:5] for line in listed] == [
        ["gtin-checksum", "2", "error", "B gtin", "B5"],
        ["required-missing", "1", "error", "A Référence", "A6"],
        ["unknown-column", "1", "warning", "", ""],
    ]
    assert all(len(line) == 7 for line in listed)
    assert text.index('<table class="problems"') < text.index('<div class="chart"')
    widths = re.findall(r'class="(\w+)" style="flex-grow: ([\d.]+)"', text)
    assert widths == [("good", "20"), ("bad", "60"), ("bad", "20")]
    assert "The offer has been created." not in text, "a confirmation is no message to read"


def test_one_status_gets_no_chart() -> None:
    assert 'class="chart"' not in page(make_outcome((), RowResult(3, "R", Status.INTEGRATED)))


def test_skipped_rows_are_counted_by_their_reasons(skipping: SheetResult) -> None:
    shown = "5 skipped: 2 &lt;no&gt; stock, 1 total, header or example, 1 too dear, 1 Unchanged"
    assert f"<p>{shown}</p>" in page(skipping)


def test_every_problem_leads_to_its_cells(sent: SheetResult) -> None:
    tree: Any = html.fromstring(page(sent, sent))
    places = tree.xpath("//@id")
    assert len(set(places)) == len(places)
    links = tree.xpath("//table[@class='problems']//a/@href")
    assert len(links) == 2 * 3
    assert set(links) <= {f"#{place}" for place in places}


def test_colours_of_statuses() -> None:
    inks = {
        "good": (Status.INTEGRATED,),
        "bad": (Status.INVALID, Status.REJECTED, Status.REFUSED),
        "open": (Status.PENDING, Status.HELD, Status.UNKNOWN),
        "idle": (Status.SUPERSEDED, Status.SKIPPED),
    }
    told = (RowResult(3, "R", status) for statuses in inks.values() for status in statuses)
    found: Any = html.fromstring(page(make_outcome((), *told))).xpath(
        "//tr[@data-status]/td[3]/span/@class"
    )
    assert found == [f"badge {ink}" for ink, statuses in inks.items() for _ in statuses]


def test_a_code_of_many_problems_is_folded() -> None:
    for count, is_open in ((40, True), (41, False)):
        many = make_outcome([make_problem(row=row) for row in range(5, 5 + count)])
        tree: Any = html.fromstring(page(many))
        assert bool(tree.xpath("//details[@open]")) is is_open


def test_only_the_first_of_many_batches_are_listed() -> None:
    batches = [PackageSummary("p", "Products", "", "Reported", 25, 1)] * 120
    text = page(make_outcome(packages=batches))
    assert len(cells(text, "//table[@class='packages']/tbody/tr")) == 50
    assert "… and 70 more packages: all are in the .json report." in text


def test_page_names_the_stop_and_the_file_of_rows_to_correct(sent: SheetResult) -> None:
    sent.stopped = Interrupted("the line is gone", "feedtool resume 1 goes on")
    sent.failed = Path("offers.failed.xlsx")
    tree: Any = html.fromstring(page(sent))
    text = tree.text_content()
    assert "stopped the line is gone" in text
    assert "help: feedtool resume 1 goes on" in text
    assert "Rows to correct" in text


def test_results_carry_their_status_for_the_filter(sent: SheetResult) -> None:
    tree: Any = html.fromstring(page(sent))
    (filtered,) = tree.xpath("//fieldset[@class='filter'][@hidden]/..")
    boxes = filtered.xpath("./fieldset//input[@checked]/@value")
    assert boxes == ["Invalid", "Integrated", "Rejected"]
    rows = filtered.xpath(".//tbody/tr/@data-status")
    assert rows == ["Integrated", "Rejected", *["Invalid"] * 3]
    shown = cells(page(sent), "//tr[@data-status]")
    assert [row[2] for row in shown] == rows
    assert shown[1] == ["4", "SKU-2", "Rejected", "1324 No product sheet <exists>"]


def test_print_shows_all_and_hides_the_filter(sent: SheetResult) -> None:
    text = page(sent)
    on_paper = text[text.index("@media print") :]
    assert "fieldset.filter { display: none; }" in on_paper
    assert "thead { display: table-header-group; }" in on_paper
    assert '"beforeprint"' in text


def test_problems_are_grouped_with_their_cells(mistaken: SheetResult) -> None:
    listed = cells(page(mistaken), "//details//tbody/tr")
    assert listed == [
        ["B5", "gtin", "4006381333932", "the check digit is wrong", "4006381333931 would fit"],
        ["B7", "gtin", "12345670<U+001B>[2J", "the check digit is wrong", "12345678 would fit"],
        ["A6", "Référence", "", "sellerExternalReference is missing"],
    ]


def test_problems_of_the_whole_sheet_name_no_cell(mistaken: SheetResult) -> None:
    found: Any = html.fromstring(page(mistaken)).xpath("//details/p")
    assert [said.text_content() for said in found] == ["not sent: “colour” in Z"]


PLACES: dict[str, dict[str, object]] = {
    "B5": {},
    "B5 (line 9)": {"line": 9},
    "row 5": {"column": None},
    "B": {"row": None},
}


@pytest.mark.parametrize("cell", PLACES)
def test_places(cell: str) -> None:
    text = page(make_outcome([make_problem(**PLACES[cell])]))
    assert cells(text, "//details//tbody/tr")[0][0] == cell


def test_the_plan_is_shown() -> None:
    package = PackageSummary(None, PackageType.UPSERT, "PRIMARY", None, 50_000, 500)
    shown = cells(page(make_outcome(packages=[package])), "//tbody/tr")
    assert ["planned", "Upsert", "PRIMARY", "", "50,000", "500"] in shown


def test_an_unreadable_file_is_shown_beside_the_others(
    mistaken: SheetResult, unreadable: SheetResult
) -> None:
    text = page(unreadable, mistaken)
    assert "error[zip-bomb]</strong> unpacks to 4 GB" in text
    assert "5 rows in 2 files: 2 valid, 3 invalid, 1 warning. 1 file could not be read." in text


def test_a_page_is_one_file_that_runs_only_our_script(
    sent: SheetResult,
) -> None:
    text = page(sent)
    assert not re.search(r"https?:|//[a-z]|\ssrc=|<link|@import|url\(|{{|{%", text)
    assert not re.search(r'href="(?!#)', text), "a link leads to a file beside it alone"
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert not re.search(r"import|require|fetch|XMLHttp|eval|innerHTML", script)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in text


def test_only_the_first_of_many_messages_of_a_row_are_listed() -> None:
    said = tuple(Message("too-many-columns", f"field {number}") for number in range(1, 16_001))
    wide = make_outcome((), RowResult(3, "R", Status.INVALID, said))
    ((*_, told),) = cells(page(wide), "//tr[@data-status]")
    assert told.endswith("too-many-columns field 20… and 15,980 more")


def test_long_lists_are_cut_and_name_the_whole_list() -> None:
    many = make_outcome([make_problem(row=row) for row in range(5, 2505)])
    many.is_submitted = True
    many.verdicts = lambda: (
        RowResult(row, "R", Status.PENDING if row % 10 else Status.REJECTED)
        for row in range(12_000)
    )
    text = page(many)
    assert len(cells(text, "//details//tbody/tr")) == 1000
    assert "… and 1,500 more: a report lists the first 1,000 of each code" in text
    assert len(cells(text, "//tr[@data-status='Rejected']")) == 1000
    assert "… and 200 more rows that are Rejected" in text
    assert "… and 9,800 more rows that are Pending" in text
