import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TextIO

import pytest

from feedtool.model.nouns import Message, RowResult, Status
from feedtool.report.as_json import progress_events, row_fields, write_json, write_jsonl
from feedtool.report.sheet_result import SheetResult
from tests.report.conftest import make_outcome, make_problem

KEYS = [
    *("file", "kind", "kindReason", "sheet", "headerRow"),
    *("rows", "valid", "invalid", "skipped"),
    *("error", "problems", "warnings"),
]
PROBLEM = (
    *("row", "line", "column", "header", "field"),
    *("code", "severity", "value", "message", "hint"),
)


def written(write: Callable[[Iterable[SheetResult], TextIO], None], *outcomes: SheetResult) -> str:
    out = io.StringIO()
    write(outcomes, out)
    return out.getvalue()


def read(*outcomes: SheetResult) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(written(write_json, *outcomes))
    return loaded


def events(*outcomes: SheetResult) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written(write_jsonl, *outcomes).splitlines()]


def test_a_checked_sheet_has_the_fields_of_the_contract(mistaken: SheetResult) -> None:
    (sheet,) = read(mistaken)
    assert list(sheet) == [*KEYS, "annotated"]
    values = ["offers.xlsx", "offers-upsert", None, "Offers", 2, 5, 2, 3, 0, None, 1]
    assert [sheet[name] for name in KEYS if name != "problems"] == values
    codes = ["unknown-column", "gtin-checksum", "required-missing", "gtin-checksum"]
    assert [problem["code"] for problem in sheet["problems"]] == codes
    assert list(sheet["problems"][1].items()) == list(zip(PROBLEM, make_problem(), strict=True))
    assert sheet["problems"][0]["row"] is None


def test_a_sent_sheet_has_packages_and_every_row(sent: SheetResult) -> None:
    sent.annotated = Path("offers.result.xlsx")
    (sheet,) = read(sent)
    assert sheet["run"] == "run-7"
    assert sheet["annotated"] == "offers.result.xlsx"
    package = {"packageId": "p-1", "packageType": "Upsert", "salesChannelId": "PRIMARY"}
    assert sheet["packages"] == [{**package, "state": "Integrated", "rows": 2, "uploads": 1}]
    assert [result["row"] for result in sheet["results"]] == [3, 4, 5, 6, 7]
    assert sheet["results"][1] == {
        "row": 4,
        "sellerExternalReference": "SKU-2",
        "salesChannelId": None,
        "status": "Rejected",
        "messages": [{"resultCode": "1324", "message": "No product sheet <exists>"}],
    }


def test_skipped_rows_are_counted_by_their_reasons(skipping: SheetResult) -> None:
    (sheet,) = read(skipping)
    reasons = {"<no> stock": 2, "not-a-row": 1, "too dear": 1, "Unchanged": 1}
    assert (sheet["skippedBecause"], sum(reasons.values())) == (reasons, sheet["skipped"])
    assert events(skipping)[-1]["skippedBecause"] == reasons


def test_an_unreadable_file_has_its_error_and_no_rows(unreadable: SheetResult) -> None:
    unreadable.is_submitted = True
    (sheet,) = read(unreadable)
    assert sheet["error"] == {"code": "zip-bomb", "message": "unpacks to 4 GB", "hint": "split it"}
    assert (sheet["rows"], sheet["problems"], sheet["kind"]) == (0, [], None)
    assert (sheet["run"], sheet["packages"], sheet["results"]) == (None, [], [])
    assert (sheet["sheet"], read()) == (None, [])


def test_events_in_their_order(sent: SheetResult, unreadable: SheetResult) -> None:
    found = events(sent, unreadable)
    assert [one["type"] for one in found] == [
        *("file", *["problem"] * 4, *["row"] * 5, "summary"),
        *("file", "summary"),
    ]
    assert all(one["file"] == "offers.xlsx" for one in found[:11])
    assert found[2]["code"] == "gtin-checksum"
    assert found[6]["messages"][0]["resultCode"] == "1324"
    assert found[10]["statuses"] == {"Invalid": 3, "Integrated": 1, "Rejected": 1}
    assert found[11]["error"]["code"] == "zip-bomb"


def test_a_check_reports_no_row_results_even_if_it_annotates(sent: SheetResult) -> None:
    sent.is_submitted = False
    assert "results" not in read(sent)[0]
    assert {event["type"] for event in events(sent)} == {"file", "problem", "summary"}


def test_progress_is_an_event() -> None:
    out = io.StringIO()
    progress_events(out)("uploading", 3, 12, "a.csv")
    event = {"type": "progress", "file": "a.csv", "step": "uploading", "done": 3, "total": 12}
    assert json.loads(out.getvalue()) == event


def test_a_message_about_a_field_names_it() -> None:
    told = (Message("C", "No.", "title"), Message("8000", "Created."))
    assert row_fields(RowResult(5, "P1", Status.REFUSED, told))["messages"] == [
        {"resultCode": "C", "message": "No.", "field": "title"},
        {"resultCode": "8000", "message": "Created."},
    ]


@pytest.mark.parametrize("text", ["x", '}, {"row": 5', "}, {", '"row": ', "}, {\n\x85"])
def test_every_problem_is_one_line_with_any_text(text: str) -> None:
    problems = [make_problem(row=row, value=text, hint=text) for row in range(3, 253)]
    lines = written(write_json, make_outcome(problems)).splitlines()
    told = [line.strip().rstrip(",") for line in lines if line.startswith('      {"row": ')]
    assert [json.loads(line) for line in told] == [problem._asdict() for problem in problems]
