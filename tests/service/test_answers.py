import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.wire.packages import commit, create_package, read_package, upload
from feedtool.model.call import Call, Reply
from feedtool.service.answers import (
    LONGEST_WAIT,
    AnswerKind,
    http_date,
    kind_of,
    refusal,
    retry_after,
    text,
)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

ABSURD = [
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "Fri, 31 Dec 9999 23:59:59 -0100",
    "Mon, 01 Jan 0001 00:00:00 GMT",
    "Mon, 01 Jan 0001 00:00:00 +0100",
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Fri, 01 Jan 2100 00:00:00 GMT",
    "Mon, 02 Mar 2026 09:00:00 +9999",
    "Mon, 02 Mar 99999999999 09:00:00 GMT",
    "Mon, 02 Mar -2026 09:00:00 GMT",
    "9" * 5000,
    "1e999",
]

CREATE = create_package("PRIMARY", PackageType.UPSERT, "en")
UPLOAD = upload("p", [b"{}"])
COMMIT = commit("p")
READ = read_package("p")


@pytest.mark.parametrize(
    ("call", "status", "kind"),
    [
        (CREATE, 201, AnswerKind.DONE),
        (CREATE, 204, AnswerKind.UNKNOWN),
        (UPLOAD, 201, AnswerKind.DONE),
        (UPLOAD, 206, AnswerKind.UNKNOWN),
        (COMMIT, 204, AnswerKind.DONE),
        (COMMIT, 200, AnswerKind.DONE),
        (COMMIT, 201, AnswerKind.UNKNOWN),
        (READ, 200, AnswerKind.DONE),
        (READ, 204, AnswerKind.UNKNOWN),
        (UPLOAD, 100, AnswerKind.UNKNOWN),
        (UPLOAD, 302, AnswerKind.UNKNOWN),
        (UPLOAD, 307, AnswerKind.UNKNOWN),
        (UPLOAD, 400, AnswerKind.REFUSED),
        (UPLOAD, 401, AnswerKind.AUTH),
        (UPLOAD, 403, AnswerKind.AUTH),
        (READ, 404, AnswerKind.REFUSED),
        (UPLOAD, 408, AnswerKind.UNKNOWN),
        (UPLOAD, 409, AnswerKind.REFUSED),
        (UPLOAD, 413, AnswerKind.REFUSED),
        (UPLOAD, 415, AnswerKind.REFUSED),
        (UPLOAD, 422, AnswerKind.REFUSED),
        (UPLOAD, 425, AnswerKind.UNKNOWN),
        (UPLOAD, 429, AnswerKind.WAIT),
        (UPLOAD, 500, AnswerKind.UNKNOWN),
        (UPLOAD, 503, AnswerKind.UNKNOWN),
        (UPLOAD, 599, AnswerKind.UNKNOWN),
        (UPLOAD, 999, AnswerKind.UNKNOWN),
    ],
)
def test_kinds(call: Call, status: int, kind: AnswerKind) -> None:
    assert kind_of(call, Reply(status)) is kind


PROBLEM = {
    "title": "Bad Request",
    "description": "The body is not valid.",
    "statusCode": 400,
    "traceId": "0af7651916cd43dd",
    "errors": [
        {"code": "ER400-7480", "cause": "gtin", "reason": "gtin is required."},
        {"code": "ER400-9250", "cause": "price", "reason": "price is null or empty."},
    ],
}


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (
            PROBLEM,
            (
                "Bad Request. The body is not valid. ER400-7480 gtin: gtin is required. ER400-9250"
                " price: price is null or empty (HTTP 400) [traceId 0af7651916cd43dd]"
            ),
        ),
        (
            {**PROBLEM, "errors": [{"reason": "The body is not valid."}]},
            "Bad Request. The body is not valid (HTTP 400) [traceId 0af7651916cd43dd]",
        ),
        ({"title": "No", "detail": "Because."}, "No. Because (HTTP 400)"),
        ({"title": "No", "errors": None, "type": "about:blank", "status": 400}, "No (HTTP 400)"),
        ({"errors": ["text", 1, {"code": 7}], "traceId": 5}, "7 (HTTP 400) [traceId 5]"),
        ({"title": ["a"], "description": {"b": 1}}, "no reason given (HTTP 400)"),
        ({"title": "a\r\n\x1b[31mb" + "\u202e"}, "a [31mb (HTTP 400)"),
        ({}, "no reason given (HTTP 400)"),
        ([], "no reason given (HTTP 400)"),
        ("text", "no reason given (HTTP 400)"),
    ],
)
def test_problem_bodies(document: Any, told: str) -> None:
    found = refusal(Reply(400, body=json.dumps(document).encode()))
    assert found.text == told


def test_the_first_code_of_a_problem() -> None:
    assert refusal(Reply(400, body=json.dumps(PROBLEM).encode())).code == "ER400-7480"


@pytest.mark.parametrize(
    "body", [b"", b"<html>502</html>", b"{", b"\xff", b"[" * 100_000, b"null", b"1" * 5000]
)
def test_bodies_that_are_no_problem(body: bytes) -> None:
    assert refusal(Reply(502, body=body)).text == "no reason given (HTTP 502)"


@given(st.binary())
def test_no_body_breaks_it(body: bytes) -> None:
    assert refusal(Reply(400, body=body)).text


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "120"}, 120.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "Mon, 02 Mar 2026 09:01:30 GMT"}, 90.0),
        # The service's clock goes half an hour ahead of ours.
        (
            {
                "retry-after": "Mon, 02 Mar 2026 09:31:30 GMT",
                "date": "Mon, 02 Mar 2026 09:30:00 GMT",
            },
            90.0,
        ),
        ({"retry-after": "Mon, 02 Mar 2026 08:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "1.5"}, None),
        ({"retry-after": "١٢"}, None),
        # No command waits for longer than a day, whatever is asked for.
        ({"retry-after": "9" * 40}, LONGEST_WAIT),
        ({"retry-after": "Tue, 02 Mar 2027 09:00:00 GMT"}, LONGEST_WAIT),
        # What is no plausible time counts as if it had not been said.
        *(({"retry-after": absurd}, None) for absurd in ABSURD if not absurd.isdigit()),
        *(({"retry-after": "Mon, 02 Mar 2026 09:01:30 GMT", "date": d}, 90.0) for d in ABSURD),
        ({}, None),
    ],
)
def test_retry_after_in_both_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(Reply(429, headers), NOW) == seconds


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Mon, 02 Mar 2026 09:00:00 GMT", NOW),
        ("Mon, 02 Mar 2026 10:00:00 +0100", NOW),
        ("Mon, 02 Mar 2026 09:00:00 -0000", NOW),
        ("Mon, 32 Mar 2026 09:00:00 GMT", None),
        ("", None),
        ("yesterday", None),
        *((absurd, None) for absurd in ABSURD),
    ],
)
def test_dates(value: str, expected: datetime | None) -> None:
    assert http_date(value) == expected


@given(st.text())
def test_no_header_breaks_it(value: str) -> None:
    seconds = retry_after(Reply(429, {"retry-after": value, "date": value}), NOW)
    assert seconds is None or 0 <= seconds <= LONGEST_WAIT


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a", "a"), (1003, "1003"), (None, ""), (True, ""), ([], ""), (" a \n b ", "a b")],
)
def test_text(value: object, expected: str) -> None:
    assert text(value) == expected
    assert len(text("x" * 10_000)) == 2000


def test_a_refusal_is_only_so_long() -> None:
    many = {"title": "Bad", "errors": [{"code": str(code)} for code in range(1000)]}
    found = refusal(Reply(400, {}, json.dumps(many).encode()))
    assert found.errors == tuple(str(code) for code in range(100))
    large = {"title": "Bad", "more": "x" * 1024 * 1024}
    assert refusal(Reply(400, {}, json.dumps(large).encode())).text == "no reason given (HTTP 400)"
