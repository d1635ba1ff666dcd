import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import pytest

from feedtool import __version__
from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire import packages
from feedtool.model.call import READ, Call, NotSent, NotYet, OutcomeUnknown, Reply
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised, UsageProblem
from feedtool.service.auth import FileToken, StaticToken
from feedtool.service.client import Client

BASE = "https://service.example/v2"
TOKEN = StaticToken("t0ken")


def client(
    answer: Callable[[httpx.Request], httpx.Response], seller: str | None = "S1", **more: Any
) -> Client:
    transport = httpx.MockTransport(answer)
    return Client(BASE + "/", seller, TOKEN, language="fr", transport=transport, **more)


def test_the_headers_of_every_request() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(201, headers={"X-Any": "1"}, content=b"body")

    reply = client(answer).send(packages.upload("p1", [b'{"a":1}']))
    assert (reply.status, reply.headers["x-any"], reply.body) == (201, "1", b"body")
    assert reply.url == f"{BASE}/offer-packages/p1/offer-requests"
    sent = seen[0]
    assert (sent.method, str(sent.url), sent.content) == ("POST", reply.url, b'[{"a":1}]')
    expected = {
        "SellerId": "S1",
        "Authorization": "Bearer t0ken",
        "Accept-Language": "fr-FR",
        "Accept-Encoding": "gzip",
        "Content-Type": "application/json",
        "User-Agent": f"feedtool/{__version__}",
    }
    assert {name: sent.headers[name] for name in expected} == expected
    # A call's own headers win; without a seller brands and categories can be read.
    client(answer, None).send(packages.create_package("PRIMARY", PackageType.DELETE, "es"))
    assert "SellerId" not in seen[1].headers
    own = (seen[1].headers["accept-language"], seen[1].headers["saleschannelid"])
    assert own == ("es-ES", "PRIMARY")


def test_a_link_is_followed_as_it_is() -> None:
    link = f"{BASE}/offer-packages/p1/offer-requests-results?limit=5&cursor=a%2Bb"
    reply = client(lambda r: httpx.Response(200, text=str(r.url))).send(
        packages.read_results("p1", link, limit=100)
    )
    assert reply.body.decode() == link


@pytest.mark.parametrize(
    "link",
    [
        *("https://evil.example/v2/x", "http://service.example/v2/x"),
        *("https://a@b.example/", "https://a:b@service.example/v2/x"),
    ],
)
def test_no_token_goes_to_another_origin(link: str) -> None:
    answer = mock.Mock()
    with pytest.raises(UsageProblem, match="no token goes there"):
        client(answer).send(packages.read_results("p1", link))
    answer.assert_not_called()


def test_no_redirect_is_followed() -> None:
    moved = httpx.Response(307, headers={"Location": "https://evil.example/"})
    assert client(lambda _: moved).send(packages.read_package("p1")).status == 307


def packed(body: bytes, *codings: str) -> Callable[[httpx.Request], httpx.Response]:
    """A compressed answer from the network: httpx has not unpacked it."""
    headers = [("Content-Encoding", coding) for coding in codings]
    return lambda _: httpx.Response(200, headers=headers, stream=httpx.ByteStream(body))


BODY = b'{"a": 1}' * 100_000
PACKED = gzip.compress(BODY, mtime=0)  # without the time, which is in the name of a test


@pytest.mark.parametrize(
    ("body", "codings"),
    [
        *((BODY, codings) for codings in ([], [""], ["identity"])),
        *((PACKED, [coding]) for coding in ("gzip", "GZip", " x-gzip ")),
        (zlib.compress(BODY), ["deflate"]),
        (PACKED + b"\0" * 9, ["gzip"]),
        (b"", ["gzip"]),
    ],
)
def test_an_answer_is_unpacked(body: bytes, codings: list[str]) -> None:
    reply = client(packed(body, *codings)).send(packages.read_package("p1"))
    assert reply.body == (BODY if body else b"")


@pytest.mark.parametrize(
    ("body", "codings"),
    [
        (gzip.compress(PACKED, mtime=0), ["gzip, gzip"]),
        (gzip.compress(PACKED, mtime=0), ["gzip", "gzip"]),
        *((BODY, [coding]) for coding in ("br", "zstd", "compress")),
        *((body, ["gzip"]) for body in (BODY, PACKED[:-9])),
    ],
)
def test_an_answer_in_another_coding_is_not_read(body: bytes, codings: list[str]) -> None:
    with pytest.raises(OutcomeUnknown, match="packed in a way that cannot be unpacked"):
        client(packed(body, *codings)).send(packages.read_package("p1"))


def test_an_answer_is_read_only_so_far() -> None:
    """A few thousand bytes that would be millions take no memory for that."""
    bomb = gzip.compress(bytes(30_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(OutcomeUnknown, match="longer than 50000 bytes"):
            client(packed(bomb, "gzip"), largest_reply=50_000).send(packages.read_package("p1"))
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()


def test_a_name_may_come_more_than_once_in_a_query() -> None:
    ids = (("invoiceIds", "1"), ("invoiceIds", "2"))
    call = Call("GET", "/invoice-documents", READ, query=ids)
    reply = client(lambda request: httpx.Response(200, text=str(request.url))).send(call)
    assert reply.body.decode() == f"{BASE}/invoice-documents?invoiceIds=1&invoiceIds=2"


def test_a_success_goes_into_a_file_and_a_refusal_does_not(tmp_path: Path) -> None:
    label = tmp_path / "label.pdf"
    call = Call("GET", "/returns/r1/labels", READ, into=label, largest=30)
    answers = [
        httpx.Response(404, json={"title": "No label"}),
        httpx.Response(200, content=b"%PDF-1.7 \x00\xff"),
        httpx.Response(200, content=b"%PDF-" + b"x" * 30),
    ]
    service = client(lambda _: answers.pop(0))
    assert service.send(call).body == b'{"title":"No label"}'
    assert not label.exists()
    assert (service.send(call).body, label.read_bytes()) == (b"", b"%PDF-1.7 \x00\xff")
    with pytest.raises(OutcomeUnknown, match="longer than 30 bytes"):
        service.send(call)


NEVER_LEFT = (
    *(httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError),
    httpx.UnsupportedProtocol,
)
PERHAPS = (
    *(httpx.ReadTimeout, httpx.WriteTimeout, httpx.WriteError, httpx.ReadError),
    *(httpx.DecodingError, httpx.LocalProtocolError, httpx.RemoteProtocolError),
    httpx.TooManyRedirects,
)


@pytest.mark.parametrize("text", ["", "refused"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [*((kind, NotSent) for kind in NEVER_LEFT), *((kind, OutcomeUnknown) for kind in PERHAPS)],
)
def test_failures(kind: type[httpx.HTTPError], text: str, expected: type[Exception]) -> None:
    with pytest.raises(expected) as caught:
        client(mock.Mock(side_effect=kind(text))).send(packages.read_package("p1"))
    said = str(caught.value)
    assert said
    assert "t0ken" not in said
    assert kind.__name__ not in said
    # Nor in what it was raised from, or while.
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    "base",
    [
        *("", "service.example/v2", "ftp://service.example", "https://", "http://[x", "/v2"),
        *("https://x:port/", "https://service.example/v2?a=b", "https://service.example/v2#a"),
        "https://me:pw@service.example/v2",
    ],
)
def test_base_addresses_that_are_none(base: str) -> None:
    why = "user name or a password" if "@" in base else "not a base address"
    with pytest.raises(UsageProblem, match=why):
        Client(base, "S1", TOKEN)


HERE = (
    *("localhost", "LocalHost:8080", "127.0.0.1", "127.255.3.1:1", "[::1]", "[::1]:8080"),
    "[0:0:0:0:0:0:0:1]",
)
ELSEWHERE = (
    *("service.example", "10.0.0.5", "192.168.1.2:80", "0.0.0.0:80", "128.0.0.1", "[::2]"),
    *("[fe80::1]", "localhost.example", "127.0.0.1.example", "127.0.0.1x", "127.1", "2130706433"),
)


@pytest.mark.parametrize(
    ("host", "is_here"), [*((one, True) for one in HERE), *((one, False) for one in ELSEWHERE)]
)
def test_a_token_leaves_this_machine_encrypted(host: str, *, is_here: bool) -> None:
    base = f"http://{host}/v2"
    Client(base, "S1", TOKEN, allows_http=True).close()
    if is_here:
        Client(base, "S1", TOKEN).close()
    else:
        with pytest.raises(UsageProblem, match="unencrypted") as caught:
            Client(base, "S1", TOKEN)
        assert "--insecure-http" in caught.value.hint


def test_encrypted_tokens_may_go_anywhere() -> None:
    for host in (HERE[0], ELSEWHERE[0]):
        Client(f"https://{host}/v2", "S1", TOKEN).close()


@pytest.mark.parametrize("first", ["", "t0ken"], ids=["at first", "after a 401"])
@pytest.mark.parametrize(
    ("error", "expected"),
    [(Interrupted("not just now"), NotSent), (NotAuthorised("not just now"), NotAuthorised)],
)
def test_no_token_just_now_is_a_call_that_was_not_sent(
    error: FeedtoolError, first: str, expected: type[Exception]
) -> None:
    absent = mock.Mock(**{"get.side_effect": [first or error], "renew.side_effect": error})
    transport = httpx.MockTransport(lambda _: httpx.Response(401))
    client = Client(BASE, "S1", absent, transport=transport)
    with client, pytest.raises(expected, match="not just now"):
        client.send(packages.commit("p1"))


def test_a_seller_that_no_header_carries() -> None:
    with pytest.raises(UsageProblem, match="The seller cannot be sent"):
        Client(BASE, "S1\r\nX: y", TOKEN)


# What several clients share.


class Counted:
    """An allowance that says at each call how often it was asked."""

    def __init__(self, *errors: Exception) -> None:
        self.errors, self.taken, self.heard_of = [*errors], 0, list[int]()

    def take(self) -> None:
        self.taken += 1
        if self.errors:
            raise self.errors.pop(0)

    def note_reply(self, reply: Reply) -> None:
        self.heard_of.append(reply.status)


def test_each_call_takes_of_the_allowance_before_it_leaves(tmp_path: Path) -> None:
    held = tmp_path / "token"
    held.write_text("first", "utf-8")
    allowance = Counted()

    def answer(request: httpx.Request) -> httpx.Response:
        assert allowance.taken == len(allowance.heard_of) + 1
        held.write_text("second", "utf-8")
        is_renewed = request.headers["authorization"] == "Bearer second"
        return httpx.Response(429 if is_renewed else 401)

    transport = httpx.MockTransport(answer)
    one = Client(BASE, "S1", FileToken(held), transport=transport, allowance=allowance)
    assert one.send(Call("GET", "/x", READ)).status == 429
    assert allowance.heard_of == [401, 429]


@pytest.mark.parametrize("error", [NotYet("used up", 60), NotSent("stopped"), Interrupted("lost")])
def test_a_call_without_allowance_is_not_sent(error: Exception) -> None:
    answer = mock.Mock()
    with pytest.raises(NotSent) as raised:
        client(answer, allowance=Counted(error)).send(Call("GET", "/x", READ))
    answer.assert_not_called()
    assert getattr(raised.value, "wait", None) == getattr(error, "wait", None)
