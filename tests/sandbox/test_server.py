import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Quota, SandboxSettings, StateUnreadableError
from feedtool.sandbox.server import Server
from tests.areas.offers.sandbox.records import stored_offers
from tests.forked import Child
from tests.sandbox.desk import HEADERS, Desk

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(sandbox_parts()) as server:
        yield server


def client_of(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.base, headers=HEADERS)


def until(answer: object, ask: Callable[[], object]) -> None:
    """Ask again and again, as a client over a port has to."""
    deadline = time.monotonic() + 60
    while (last := ask()) != answer:
        assert time.monotonic() < deadline, last
        time.sleep(0.02)


def test_a_package_with_concurrent_uploads(server: Server, new_desk: type[Desk]) -> None:
    with client_of(server) as client:
        created = client.post(
            "/offer-packages", json={"packageType": "Upsert"}, headers={"SalesChannelId": "PRIMARY"}
        )
        location = created.headers["Content-Location"]
        assert location.startswith(f"{server.base}/offer-packages/")
        uploads = [[new_desk.offer(f"A-{n}", n)] for n in range(30)]
        with ThreadPoolExecutor(6) as pool:
            answers = pool.map(
                lambda rows: client.post(f"{location}/offer-requests", json=rows), uploads
            )
            assert [answer.status_code for answer in answers] == [201] * 30
        until(204, lambda: client.patch(location, json={"state": "Ready"}).status_code)
        # Nobody asks for the package while it is integrated.
        until(30, lambda: len(list(stored_offers(server.sandbox))))
        first = f"{location}/offer-requests-results?limit=20"
        until(True, lambda: "next" in client.get(first).links)  # its end is a step of its own
        page = client.get(first)
        rest = client.get(page.links["next"]["url"])
        assert len(page.json()["items"] + rest.json()["items"]) == 30


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v2/offer-packages", 200),
        *(("GET", path, 404) for path in ("/v1/offer-packages", "/", "/v2//offer-packages")),
        *(("DELETE", "/v2/offer-packages", 405), ("OPTIONS", "/v2/offers", 405)),
    ],
)
def test_every_path_and_method_is_the_sandboxs(
    server: Server, method: str, path: str, status: int
) -> None:
    with client_of(server) as client:
        answer = client.request(method, server.base.removesuffix("/v2") + path)
    assert answer.status_code == status
    if status >= 400:
        assert answer.json()["statusCode"] == status
        assert answer.headers["Content-Type"].startswith("application/problem+json")


def test_an_empty_answer_has_no_type_and_one_date(server: Server) -> None:
    with client_of(server) as client:
        headers = {"SalesChannelId": "PRIMARY"}
        created = client.post("/offer-packages", json={"packageType": "Delete"}, headers=headers)
    assert created.content == b""
    assert "Content-Type" not in created.headers
    assert len(created.headers.get_list("Date")) == 1


def test_retry_after_is_in_real_seconds() -> None:
    settings = SandboxSettings(quota=Quota(requests=1, seconds=100_000))
    with (
        Server(sandbox_parts(), speed=100, settings=settings) as server,
        client_of(server) as client,
    ):
        assert client.get("/offer-packages").status_code == 200
        refused = client.get("/offer-packages")
    assert refused.status_code == 429
    assert 900 <= int(refused.headers["Retry-After"]) <= 1000


def test_a_stopped_server_lets_go_of_its_port_and_threads() -> None:
    threads = threading.active_count()
    with Server(sandbox_parts()) as server:
        port = int(server.base.rpartition(":")[2].removesuffix("/v2"))
        with pytest.raises(OSError, match="in use"):
            Server(sandbox_parts(), port)
    assert threading.active_count() == threads
    socket.create_server(("127.0.0.1", port)).close()


def test_a_server_without_a_readable_state_lets_go_of_its_port(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_text("something else")
    with pytest.raises(StateUnreadableError):
        Server(sandbox_parts(), 0, path)


SERVED = """
import resource
from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox.server import serve
def peak(*told):
    print(*told, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)
serve(sandbox_parts(), announce=peak)
peak()
"""


@contextlib.contextmanager
def served() -> Iterator[tuple[Child, list[str]]]:
    """A process that serves, and its address and memory at its start."""
    lines = "tests.ledger.lines:run_lines", SERVED
    with Child(*lines, folder=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().split()
        finally:
            process.kill()


def test_ctrl_c_ends_a_served_sandbox() -> None:
    with served() as (process, (base, _)):
        assert httpx.get(f"{base}/offers", headers=HEADERS).status_code == 400
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


HEAD = b"POST /v2/offer-packages HTTP/1.1\r\nHost: sandbox\r\n%b\r\n\r\n"
UNFINISHED = (
    b"GET /v2/offers HTTP/1.1\r\nHost: sandbox\r\nAuthoriz",
    HEAD % b"Content-Length: 1000" + b"{",
    HEAD % b"Transfer-Encoding: chunked" + b"3e8\r\n{",
)
"""Requests of which the rest never comes."""


def test_unfinished_requests_delay_no_others(server: Server) -> None:
    with contextlib.ExitStack() as stack, client_of(server) as client:
        for number in range(200):
            connection = stack.enter_context(socket.create_connection(address_of(server.base)))
            connection.sendall(UNFINISHED[number % len(UNFINISHED)])
        for _ in range(3):
            assert client.get("/offer-packages", timeout=5).status_code == 200


def address_of(base: str) -> tuple[str, int]:
    address = httpx.URL(base)
    assert address.port is not None
    return address.host, address.port


MEGABYTE = 1 << 20
HUGE = 200 * MEGABYTE


def test_huge_bodies_are_refused_unread_and_sigterm_ends_the_sandbox() -> None:
    with served() as (process, (base, before)):
        for _ in range(2):
            # Its length is told, so that none of it has to come.
            assert posted(base, b"Content-Length: %d" % HUGE, b"", 0)[0].startswith("HTTP/1.1 413")
            chunk = b"%x\r\n%b\r\n" % (MEGABYTE, b" " * MEGABYTE)
            answer, sent = posted(base, b"Transfer-Encoding: chunked", chunk, HUGE // MEGABYTE)
            # The rest is still on its way when the connection is closed, which may cost the answer.
            assert not answer or answer.startswith("HTTP/1.1 413")
            assert sent < HUGE // MEGABYTE
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        assert int(process.stdout.readline()) < 2 * int(before)
        assert process.wait(60) == 0


def posted(base: str, header: bytes, piece: bytes, times: int) -> tuple[str, int]:
    """The answer up to the end of the connection, and how many pieces were sent before."""
    sent, answer = 0, b""
    with socket.create_connection(address_of(base), timeout=20) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(HEAD % header)
            while sent < times:
                connection.sendall(piece)
                sent += 1
        with contextlib.suppress(ConnectionResetError):
            while received := connection.recv(1 << 16):
                answer += received
    return answer.decode(), sent


def test_the_package_is_light_to_import() -> None:
    code = (
        "import sys, feedtool.sandbox;"
        "print({'flask', 'waitress', 'httpx', 'sqlalchemy', 'click'} & set(sys.modules))"
    )
    found = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "set()"
