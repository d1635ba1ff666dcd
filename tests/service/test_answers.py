"""The meaning of answers, and identifiers and links in them."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire.packages import commit, create_package, read_package, upload
from feedtool.model.call import Call, Reply
from feedtool.service.answers import (
    LONGEST_ID,
    LONGEST_WAIT,
    ROUTE_NAMES,
    AnswerKind,
    Unreadable,
    kind_of,
    last_segment,
    next_link,
    refusal,
    retry_after,
    text,
)

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

ABSURD = [
    *(f"Fri, 31 Dec 9999 23:59:59 {zone}" for zone in ("GMT", "-0100")),
    *(f"Mon, 01 Jan 0001 00:00:00 {zone}" for zone in ("GMT", "+0100")),
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Fri, 01 Jan 2100 00:00:00 GMT",
    "Mon, 02 Mar 2026 09:00:00 +9999",
    *(f"Mon, 02 Mar {year} 09:00:00 GMT" for year in (99999999999, -2026)),
    *("9" * 5000, "1e999"),
]

CREATE, READ = create_package("PRIMARY", PackageType.UPSERT, "en"), read_package("p")
UPLOAD, COMMIT = upload("p", [b"{}"]), commit("p")
KINDS = {
    AnswerKind.DONE: [(CREATE, 201), (UPLOAD, 201), (COMMIT, 204), (COMMIT, 200), (READ, 200)],
    AnswerKind.REFUSED: [*((UPLOAD, s) for s in (400, 409, 413, 415, 422)), (READ, 404)],
    AnswerKind.AUTH: [(UPLOAD, 401), (UPLOAD, 403)],
    AnswerKind.WAIT: [(UPLOAD, 429)],
    AnswerKind.UNKNOWN: [
        *((CREATE, 204), (UPLOAD, 206), (COMMIT, 201), (READ, 204)),
        *((UPLOAD, status) for status in (100, 302, 307, 408, 425, 500, 503, 599, 999)),
    ],
}


@pytest.mark.parametrize(
    ("call", "status", "kind"), [(*case, kind) for kind, cases in KINDS.items() for case in cases]
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
TOLD = (
    "Bad Request. The body is not valid. ER400-7480 gtin: gtin is required. ER400-9250 price: price"
    " is null or empty (HTTP 400) [traceId 0af7651916cd43dd]"
)
NO_REASON = "no reason given (HTTP 400)"


def refused(document: Any) -> Reply:
    return Reply(400, body=json.dumps(document).encode())


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (PROBLEM, TOLD),
        (
            {**PROBLEM, "errors": [{"reason": "The body is not valid."}]},
            "Bad Request. The body is not valid (HTTP 400) [traceId 0af7651916cd43dd]",
        ),
        ({"title": "No", "detail": "Because."}, "No. Because (HTTP 400)"),
        ({"title": "No", "errors": None, "type": "about:blank", "status": 400}, "No (HTTP 400)"),
        ({"errors": ["text", 1, {"code": 7}], "traceId": 5}, "7 (HTTP 400) [traceId 5]"),
        ({"title": ["a"], "description": {"b": 1}}, NO_REASON),
        ({"title": "a\r\n\x1b[31mb" + "\u202e"}, "a [31mb (HTTP 400)"),
        (
            {"title": "Bad", "errors": {"reason": ["too short", "no such word"], "lines": "none"}},
            "Bad. reason: too short. reason: no such word. lines: none (HTTP 400)",
        ),
        ({"title": "Bad", "errors": {"a": [{"b": 1}], "c": []}}, "Bad. a (HTTP 400)"),
        *(({}, NO_REASON), ([], NO_REASON), ("text", NO_REASON)),
        ({"title": "Bad", "more": "x" * 1024 * 1024}, NO_REASON),
    ],
)
def test_problem_bodies(document: Any, told: str) -> None:
    assert refusal(refused(document)).text == told


def test_the_codes_of_a_problem_are_only_so_many() -> None:
    assert refusal(refused(PROBLEM)).code == "ER400-7480"
    many = {"title": "Bad", "errors": [{"code": str(code)} for code in range(1000)]}
    assert refusal(refused(many)).errors == tuple(str(code) for code in range(100))


@pytest.mark.parametrize(
    "body", [b"", b"<html>502</html>", b"{", b"\xff", b"[" * 100_000, b"null", b"1" * 5000]
)
def test_bodies_that_are_no_problem(body: bytes) -> None:
    assert refusal(Reply(502, body=body)).text == "no reason given (HTTP 502)"


@given(st.binary())
def test_no_body_breaks_it(body: bytes) -> None:
    assert refusal(Reply(400, body=body)).text


LATER = "Mon, 02 Mar 2026 09:01:30 GMT"
NO_TIMES = ("", "soon", "-5", "1.5", "١٢", LATER.replace(" 02", " 32"))


@pytest.mark.parametrize(
    ("after", "date", "seconds"),
    [
        *(("120", None, 120.0), (" 0 ", None, 0.0), (LATER, None, 90.0)),
        ("Mon, 02 Mar 2026 10:01:30 +0100", None, 90.0),
        (LATER.replace("GMT", "-0000"), None, 90.0),
        # The service's clock goes half an hour ahead of ours.
        ("Mon, 02 Mar 2026 09:31:30 GMT", "Mon, 02 Mar 2026 09:30:00 GMT", 90.0),
        ("Mon, 02 Mar 2026 08:00:00 GMT", None, 0.0),
        *((value, None, None) for value in NO_TIMES),
        # No command waits for longer than a day, whatever is asked for.
        *((value, None, LONGEST_WAIT) for value in ("9" * 40, "Tue, 02 Mar 2027 09:00:00 GMT")),
        # What is no plausible time counts as if it had not been said.
        *((absurd, None, None) for absurd in ABSURD if not absurd.isdigit()),
        *((LATER, absurd, 90.0) for absurd in ABSURD),
    ],
)
def test_retry_after_in_both_forms(after: str, date: str | None, seconds: float | None) -> None:
    headers = {"retry-after": after} if after else {}
    assert retry_after(Reply(429, headers | ({"date": date} if date else {})), NOW) == seconds


@given(st.text())
def test_no_header_breaks_it(value: str) -> None:
    seconds = retry_after(Reply(429, {"retry-after": value, "date": value}), NOW)
    assert seconds is None or 0 <= seconds <= LONGEST_WAIT


def test_text() -> None:
    values: tuple[object, ...] = ("a", 1003, None, True, [], " a \n b ", "x" * 10_000)
    assert [text(value) for value in values] == ["a", "1003", "", "", "", "a b", "x" * 2000]


# Identifiers and links.

BASE = "https://service.example/v2"
PAGE = f"{BASE}/offer-packages/p1/offer-requests-results"


def linking(link: str) -> Reply:
    return Reply(200, {"link": link}, b"", PAGE)


@given(
    st.text(min_size=1, max_size=LONGEST_ID).filter(lambda n: n.isprintable() and n.strip() == n),
    st.sampled_from(
        [f"{BASE}/offer-packages/", "/v2/offer-packages/", "offers-packages/", "/", ""]
    ),
    st.sampled_from(["", "/", "?x=1/2", "#y/z", "/?x#y"]),
)
def test_any_id_survives_any_form(name: str, before: str, after: str) -> None:
    assume(name not in ROUTE_NAMES)
    assert last_segment(before + quote(name, safe="") + after) == name


@given(st.text())
def test_no_address_breaks_it(address: str) -> None:
    assert last_segment(address) not in ROUTE_NAMES - {""}


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (f'<{PAGE}?cursor=2>; rel="next"', f"{PAGE}?cursor=2"),
        (f"<{PAGE}?cursor=2>;rel=next", f"{PAGE}?cursor=2"),
        (f"<{PAGE}?cursor=2>; REL=Next", f"{PAGE}?cursor=2"),
        (f'<{PAGE}?cursor=a,b;c>; title="x, <y>"; rel="last next"', f"{PAGE}?cursor=a,b;c"),
        (f'<{BASE}/1>; rel="prev", <{BASE}/3>; rel="next"', f"{BASE}/3"),
        (f'<{BASE}/1>; title="; rel=next", <{BASE}/3>; rel="next"', f"{BASE}/3"),
        ('<?cursor=2>; rel="next"', f"{PAGE}?cursor=2"),
        ('</other/path?cursor=2>; rel="next"', "https://service.example/other/path?cursor=2"),
        ('<https://SERVICE.example:443/v2/x>; rel="next"', "https://SERVICE.example:443/v2/x"),
        *((f'<{BASE}/1>; rel="prev"', None), (f"<{BASE}/1>", None), ("nonsense", None)),
        *((f'<{BASE}/1>; rel="nextish"', None), ("", None)),
    ],
)
def test_the_link_names_the_next_page(link: str, expected: str | None) -> None:
    assert next_link(linking(link)) == expected


@pytest.mark.parametrize(
    "address",
    [
        *("https://evil.example/v2/x", "//evil.example/x", "http://service.example/v2/x"),
        *("https://service.example:8443/v2/x", "https://service.example@evil.example/x"),
        *("https://service.example.evil.example/x", "ftp://service.example/x", "http://[broken"),
        *("https://service.example:port/x", "https://me:pw@service.example/v2/x", PAGE),
        "https://service.example/v2/" + "x" * 8000,
    ],
)
def test_no_link_leads_to_another_origin(address: str) -> None:
    with pytest.raises(Unreadable, match="next page"):
        next_link(linking(f'<{address}>; rel="next"'))


words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)


@given(
    st.lists(st.tuples(words, words.filter(lambda rel: rel.lower() != "next")), max_size=3),
    st.text(st.sampled_from("abc,;=&%20\"'"), max_size=12),
    st.text(st.sampled_from('ab,;<> =\\"'), max_size=12),
)
def test_the_next_page_is_found_among_others(
    others: list[tuple[str, str]], query: str, title: str
) -> None:
    escaped = title.replace("\\", "\\\\").replace('"', '\\"')
    links = [f'<{BASE}/{path}>; title="{escaped}"; rel="{rel}"' for path, rel in others]
    links.append(f'<{PAGE}?c={query}>; title="{escaped}"; rel="next"')
    assert next_link(linking(", ".join(links))) == f"{PAGE}?c={query}"


@given(st.text())
def test_no_link_header_breaks_it(link: str) -> None:
    with suppress(Unreadable):
        assert (next_link(linking(link)) or "https://").startswith("https://")
