"""Reports at the service: which there are at a time, and their files."""

from typing import Any

import pytest

from feedtool.sandbox.state import stamp
from tests.sandbox.desk import START, Desk

DAY = 86_400


def listed(desk: Desk, **query: Any) -> list[tuple[str, str]]:
    answer = desk.ask("GET", "/reports", query=query)
    assert answer.status == 200
    return [(item["type"], item["periodStart"][:7]) for item in answer.json["items"]]


def document(desk: Desk, number: int) -> Any:
    report = desk.ask("GET", "/reports").json["items"][number]["reportId"]
    return desk.ask("GET", f"/reports/{report}/report-documents")


PAST = [("SalesSummary", f"{month}") for month in ("2026-02", "2026-01", "2025-12")]
YEAR = ("Transactions", "2025-01")


def test_a_new_shop_has_a_past(desk: Desk) -> None:
    assert stamp(START)[:7] == "2026-03"
    assert sorted(listed(desk)) == sorted([*PAST, YEAR])


def test_each_past_month_has_its_summary(desk: Desk) -> None:
    before = listed(desk)
    desk.wait(29 * DAY)
    assert listed(desk) == before
    desk.wait(DAY)
    assert listed(desk) == [("SalesSummary", "2026-03"), *before]


def test_the_documents_have_names(desk: Desk) -> None:
    months = [document(desk, number) for number in range(2)]
    assert [answer.body[:5] for answer in months] == [b"%PDF-", b"%PDF-"]
    assert months[0].body != months[1].body
    assert (
        months[0].headers["Content-Disposition"]
        == 'attachment; filename="SalesSummary-2026-02.pdf"'
    )


def test_reports_of_another_seller_are_not_found(desk: Desk) -> None:
    report = desk.ask("GET", "/reports").json["items"][0]["reportId"]
    other = {"SellerId": "S2"}
    assert desk.ask("GET", f"/reports/{report}/report-documents", headers=other).status == 404
    shown = desk.ask("GET", "/reports", headers=other).json["items"]
    assert report not in {item["reportId"] for item in shown}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"pageIndex": 1, "pageSize": 3}, 3),
        ({"pageIndex": 2, "pageSize": 3}, 1),
        ({"pageIndex": 3, "pageSize": 3}, 0),
    ],
)
def test_pages(desk: Desk, query: dict[str, int], expected: int) -> None:
    assert len(listed(desk, **query)) == expected


@pytest.mark.parametrize("query", ["pageIndex=0", "pageIndex=101", "pageSize=101"])
def test_refused(desk: Desk, query: str) -> None:
    assert desk.ask("GET", "/reports", query=query).status == 400
