from datetime import datetime, timedelta, timezone

import pytest

from feedtool.sandbox import Quota
from tests.sandbox.desk import Desk


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        *(("GET", path, 404, None) for path in ("/", "/offer-package", "/offer-packages/")),
        *(("GET", f"/offer-packages/{of}", 404, None) for of in ("1/2/3", "unknown")),
        ("PATCH", "/offer-packages/unknown", 404, None),
        ("POST", "/offer-packages/unknown/offer-requests", 404, None),
        ("GET", "/offer-packages/unknown/offer-requests-results", 404, None),
        ("PUT", "/offer-packages", 405, "GET, POST"),
        ("DELETE", "/offer-packages/unknown", 405, "GET, PATCH"),
        ("GET", "/offer-packages/unknown/offer-requests", 405, "POST"),
        ("POST", "/offers", 405, "GET"),
    ],
)
def test_routes(desk: Desk, method: str, path: str, status: int, allowed: str | None) -> None:
    answer = desk.ask(method, path, {})
    assert answer.status == status
    assert answer.headers.get("Allow") == allowed


def test_a_problem_in_full(desk: Desk) -> None:
    answer = desk.ask("GET", "/offers")
    assert answer.headers["Content-Type"] == "application/problem+json; charset=utf-8"
    trace_id = answer.json["traceId"]
    assert len(trace_id) == 32
    why = "salesChannelId is required."
    assert answer.json == {
        "title": "Bad Request",
        "description": why,
        "statusCode": 400,
        "traceId": trace_id,
        "errors": [{"code": "ER400-7480", "cause": "salesChannelId", "reason": why}],
    }


def test_time_may_come_in_any_zone_but_never_runs_backwards(desk: Desk) -> None:
    dates = []
    for hour, ahead, path in ((9, 1, "/nowhere"), (9, 0, "/offers"), (8, 0, "/offer-packages")):
        desk.now = datetime(2026, 3, 2, hour, tzinfo=timezone(timedelta(hours=ahead)))
        dates.append(desk.ask("GET", path).headers["Date"])
    assert dates == [f"Mon, 02 Mar 2026 {hour}:00:00 GMT" for hour in ("08", "09", "09")]


def test_the_same_story_gets_the_same_answers(new_desk: type[Desk]) -> None:
    def story() -> list[bytes]:
        with new_desk() as desk:
            package_id = desk.committed("Upsert", [desk.offer("A"), desk.offer("B")])
            desk.wait(100)
            return [package_id.encode(), desk.results(package_id).body, desk.ask("GET", "/").body]

    assert story() == story()


def test_a_failure_is_a_500_and_undone(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    package_id = desk.create()
    with desk.sandbox.state.transaction() as db:
        db.execute("DROP TABLE request")
    answer = desk.upload(package_id, desk.offer())
    assert (answer.status, answer.json["title"]) == (500, "Internal Server Error")
    assert "no such table" in caplog.text
    assert desk.read(package_id).json["offerRequestsCount"] == 0


def test_a_quota_counts_a_sellers_package_requests_in_a_window(new_desk: type[Desk]) -> None:
    with new_desk(quota=Quota(requests=3, seconds=60)) as desk:

        def statuses(path: str, times: int) -> list[int]:
            return [desk.ask("GET", path).status for _ in range(times)]

        assert statuses("/offer-packages", 2) == [200, 200]
        desk.wait(20)
        assert statuses("/offer-packages/unknown", 3) == [404, 429, 429]
        refused = desk.ask("GET", "/offer-packages")
        told = refused.headers["Retry-After"], refused.json["title"]
        assert told == ("40", "Too Many Requests")
        assert desk.ask("GET", "/offers", query="salesChannelId=PRIMARY").status == 200
        desk.headers["SellerId"] = "S2"
        assert statuses("/offer-packages", 1) == [200]
        desk.headers["SellerId"] = "S1"
        desk.wait(39.5)
        assert desk.ask("GET", "/offer-packages").headers["Retry-After"] == "1"
        desk.wait(0.5)
        assert statuses("/offer-packages", 4) == [200, 200, 200, 429]
