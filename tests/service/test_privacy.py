"""No token, secret or Authorization header is in what the service's modules say of a failure."""

import base64
import json
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import httpx
import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire.offers import offers_page, packages_page, read_offers, read_packages
from feedtool.areas.offers.wire.packages import (
    commit,
    create_package,
    package_id,
    package_view,
    read_package,
    read_results,
    results_page,
    upload,
)
from feedtool.model.call import Call, Failure, Reply
from feedtool.model.errors import FeedtoolError
from feedtool.service.answers import Unreadable, refusal
from feedtool.service.auth import SECRET, CommandToken, FileToken, Grant, StaticToken
from feedtool.service.client import Client, post_form
from feedtool.service.network import Timeouts
from tests.pairs import sample
from tests.service.test_network import answering, port

PLANTED = "planted/t0ken+31=="
SECRETS = {
    *(PLANTED, quote(PLANTED, safe=""), quote_plus(PLANTED)),
    json.dumps(PLANTED).replace("/", "\\/"),
    *(base64.b64encode(text.encode()).decode() for text in (PLANTED, f"me:{PLANTED}")),
}
BASE = "https://service.example/v2"
SAID = f"Bearer {PLANTED}\r\n\r\n".encode()

CALLS = (
    *(create_package("PRIMARY", PackageType.UPSERT, "en"), upload("p1", [b"{}"]), commit("p1")),
    *(read_package("p1"), read_results("p1"), read_offers("PRIMARY"), read_packages()),
)
READERS: tuple[Callable[[Reply], Any], ...] = (
    *(package_id, package_view, results_page, offers_page, packages_page, refusal),
)


def exception_texts(error: BaseException | None) -> Iterator[str]:
    """All texts of an exception, and of its causes and contexts."""
    if error is not None:
        yield from (str(error), repr(error), repr(error.args))
        yield from traceback.format_exception(error)
        if isinstance(error, FeedtoolError):
            yield from (error.message, error.hint)
        yield from exception_texts(error.__cause__)
        yield from exception_texts(error.__context__)


def result_texts(do: Callable[[], object]) -> str:
    """All texts of the result of a call, its failure included."""
    try:
        return repr(do())
    except (FeedtoolError, Failure, Unreadable) as error:
        return "\n".join(exception_texts(error))


def reported(send: Callable[[Call], Reply], call: Call) -> str:
    """All texts of the result of a call, and of every reading of its answer."""
    replies: list[Reply] = []
    texts = [result_texts(lambda: replies.append(send(call)))]
    for reply in replies:
        texts += [repr(reply), refusal(reply).text]
        texts += [result_texts(partial(read, reply)) for read in READERS]
    return "\n".join(texts)


@pytest.fixture(autouse=True)
def logs(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.set_level(logging.DEBUG)
    yield
    assert_private(caplog.text)


def assert_private(text: str) -> None:
    assert not [secret for secret in SECRETS if secret in text]


Answering = Callable[[httpx.Request], httpx.Response]


def echoing(status: int, form: Callable[[object], str]) -> Answering:
    """An error that repeats what it was sent, as some gateways do."""

    def answer(request: httpx.Request) -> httpx.Response:
        sent = request.headers["Authorization"]
        body = form({"title": sent, "description": f"Not: {sent}", "errors": [{"code": sent}]})
        return httpx.Response(status, headers={"WWW-Authenticate": sent}, content=body.encode())

    return answer


def done_as(form: Callable[[str], str]) -> Answering:
    """A success of every route, which says the token wherever a text may stand."""

    def answer(request: httpx.Request) -> httpx.Response:
        said = request.headers["Authorization"].removeprefix("Bearer ")
        message = {"resultCode": said, "message": f"Hello {said}!"}
        places = ("packageId", "state", "traceId", "updatedAt", "offerState")
        named = {"sellerExternalReference": f"R{said}", "integrationStatus": "Rejected"}
        entry = {**named, "messages": [message], "product": {"gtin": said}}
        entry |= dict.fromkeys(places, said)
        body = {**entry, "results": [message], "items": [entry]}
        status = {"POST": 201, "PATCH": 204}.get(request.method, 200)
        link = f'<{BASE}/next?access_token={quote(said, safe="")}>; rel="next"'
        headers = {"Content-Location": f"/offer-packages/{said}", "Link": link, "Date": said}
        return httpx.Response(status, headers=headers, content=form(json.dumps(body)).encode())

    return answer


FORMS: dict[str, Callable[[str], str]] = {
    "echoed": str,
    "slashes escaped": lambda body: body.replace("/", "\\/"),
    "escaped as .NET does": lambda body: body.replace("+", "\\u002B"),
    "all escaped": lambda body: body.replace(PLANTED, "".join(f"\\u{ord(c):04x}" for c in PLANTED)),
    "as in an address": lambda body: body.replace(PLANTED, quote(PLANTED, safe="")),
}

AWAY = {"Link": '<https://evil.example/>; rel="next"'}
ANSWERS: dict[str, Answering] = {
    **{
        f"{status} echoed as {form.__name__}": echoing(status, form)
        for status in (302, 400, 401, 403, 404, 408, 409, 415, 429, 500, 503)
        for form in (json.dumps, repr)
    },
    "slashes escaped": echoing(400, lambda body: json.dumps(body).replace("/", "\\/")),
    **{f"done, and {name}": done_as(form) for name, form in FORMS.items()},
    "no JSON": lambda _: httpx.Response(200, content=b"<html>"),
    "nothing": lambda _: httpx.Response(200),
    "another success": lambda _: httpx.Response(206),
    "too long": lambda _: httpx.Response(200, content=b"x" * 2000),
    "away": lambda _: httpx.Response(200, json=[], headers=AWAY),
}


REPEATED = {name for name in ANSWERS if name.endswith("as repr") and name[:3] not in {"400", "500"}}
"""Answers that have the text of another one, and the status of yet another."""


@pytest.mark.parametrize(
    "name", sample(sorted(ANSWERS, key=REPEATED.__contains__), len(ANSWERS) - len(REPEATED))
)
def test_no_answer_shows_the_token(name: str) -> None:
    transport, token = httpx.MockTransport(ANSWERS[name]), StaticToken(PLANTED)
    with Client(BASE, "S1", token, transport=transport, largest_reply=1000) as one:
        for call in CALLS:
            assert_private(reported(one.send, call) + repr(one) + repr(vars(one)))


def test_no_call_to_another_host_shows_the_token() -> None:
    with Client(BASE, "S1", StaticToken(PLANTED)) as client:
        for link in ("https://evil.example/", f"https://me:{PLANTED}@service.example/v2/x", "x:"):
            assert_private(reported(client.send, read_results("p1", link)))


@pytest.mark.parametrize(
    "base",
    [
        f"https://me:{quote(PLANTED, safe='')}@service.example/v2",
        f"https://me:{PLANTED}@service.example:port/v2",
        f"ftp://me:{PLANTED}@service.example",
        f"https://service.example/v2?token={PLANTED}",
        f"https://service.example/v2#{PLANTED}",
    ],
)
def test_no_address_shows_the_token(base: str) -> None:
    assert_private(result_texts(lambda: Client(base, "S1", StaticToken("t0ken"))))
    assert_private(
        result_texts(lambda: Grant(base.replace("https", "http"), "me", StaticToken("t0ken")))
    )


@pytest.mark.parametrize(
    ("said", "is_quoted"),
    [
        (b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", False),
        *((b"nonsense", False), (b"", False)),
        *((before + SAID, True) for before in (b"", b"HTTP/1.1 200 OK\r\n")),
    ],
)
def test_no_network_error_shows_the_token(
    caplog: pytest.LogCaptureFixture, said: bytes, *, is_quoted: bool
) -> None:
    with port(answering(said)) as base, Client(base, "S1", StaticToken(PLANTED)) as one:
        assert_private(reported(one.send, CALLS[0]))
    with port(answering(said)) as base:
        assert_private(
            result_texts(lambda: post_form(base, quote(PLANTED).encode(), Timeouts(1, 1, 1)))
        )
    if is_quoted:
        caplog.clear()  # httpcore's own log, which no command shows, quotes what is no HTTP


# Where tokens and secrets come from.


def test_no_source_of_a_token_shows_it(tmp_path: Path) -> None:
    held = tmp_path / "held"
    for content in (f"{PLANTED}\x07", f"{PLANTED}é"):
        held.write_text(content)
        assert_private(
            result_texts(partial(StaticToken, content)) + result_texts(FileToken(held).get)
        )
    held.write_bytes(PLANTED.encode() + b"\xff")
    assert_private(result_texts(FileToken(held).get) + result_texts(FileToken(held, SECRET).get))
    python = [sys.executable, "-c"]
    for code in (
        f"print({PLANTED!r}); raise SystemExit(3)",
        f"print({PLANTED + chr(7)!r})",
        f"import sys; sys.stdout.buffer.write({PLANTED.encode()!r} + b'\\xff')",
    ):
        assert_private(result_texts(CommandToken([*python, code]).get))
    assert_private(result_texts(CommandToken(["/nowhere/command", PLANTED]).get))
    assert_private(result_texts(lambda: CommandToken(f"command '{PLANTED}")))
    held.write_text(PLANTED)
    printing = CommandToken([*python, f"print({PLANTED!r})"])
    for token in (StaticToken(PLANTED), FileToken(held), printing):
        assert token.get() == PLANTED
        assert_private(repr(token))
