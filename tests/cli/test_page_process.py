"""`feedtool page` as a process: what others on the machine can see of it, and who is answered."""

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from urllib.parse import urlsplit

import pytest

from feedtool.cli.page_access import kept_secret
from tests.cli.conftest import Feedtool
from tests.forked import Child

ROOT = Path(__file__).parents[2]
GIGABYTE = 1 << 30

BROWSER = """#!/bin/sh
# Tells of the file that it is to open, and of all command lines.
file="${1#file://}"
{ echo "$1"; cat "$file"; cat /proc/[0-9]*/cmdline | tr '\\0\\n' '  '; } > "${0%/*}/told"
exec sleep 60  # as a browser that stays
"""

USERS = """
[page.users.anna]
profiles = "*"
may = ["check"]
"""


@contextmanager
def page(*words: str | Path, **environment: str) -> Iterator[str]:
    """The address that the process prints, which is stopped in the end."""
    with subprocess.Popen(  # noqa: S603  # our own code
        [sys.executable, "-m", "feedtool", "page", *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield from address_of(process)


@contextmanager
def forked_page(*words: str | Path) -> Iterator[str]:
    """The page in a forked process, without its start-up."""
    arguments = ["page", *map(str, words)]
    with Child(
        "feedtool.cli:run",
        arguments,
        folder=Path.cwd(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield from address_of(process)


def address_of(process: "subprocess.Popen[str] | Child") -> Iterator[str]:
    """The address that a process prints, until it is stopped."""
    try:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("page: ").strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def read(pipe: Path) -> str:
    """All that somebody else writes into a pipe."""
    content: Queue[str] = Queue()
    Thread(target=lambda: content.put(pipe.read_text("utf-8", "replace")), daemon=True).start()
    return content.get(timeout=60)


def status(
    server: tuple[str, int] | Path, path: str, method: str = "GET", source: str = "", **headers: str
) -> int:
    """The status of an answer over a port or a unix socket."""
    connection = http.client.HTTPConnection("feeds.example.org")
    if isinstance(server, Path):
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(server))
    else:
        connection.sock = socket.create_connection(server, 30, source_address=(source, 0))
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_secret_is_in_no_command_line(tmp_path: Path) -> None:
    browser, told = tmp_path / "browser", tmp_path / "told"
    browser.write_text(BROWSER)
    browser.chmod(0o700)
    os.mkfifo(told)
    with page(BROWSER=str(browser), DISPLAY=":0") as address:
        url, secret = urlsplit(address), address.split("/")[3]
        opened, *lines = read(told).splitlines()
        content, processes = "\n".join(lines[:-1]), lines[-1]
        assert len(secret) >= 32
        assert opened.startswith("file:///")
        assert f'url={address}"' in content
        assert "feedtool page" in processes, "it lists this very process"
        assert secret not in opened + processes
        server = (str(url.hostname), url.port or 0)
        assert status(server, f"{url.path}en/", Host=url.netloc) == 200, "the browser is still open"


def test_a_page_of_one_user(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    kept = kept_secret(secret)
    with forked_page("--no-open", "--secret-file", secret) as address:
        url = urlsplit(address)
        server, host = ("127.0.0.1", url.port or 0), url.netloc
        assert url.path == f"/{kept}/"
        own = {"Host": host, "Origin": f"http://{host}"}
        assert status(server, f"{url.path}en/", Host=host) == 200
        assert status(server, f"{url.path}en/", Host="evil.example") == 421
        assert [status(server, path, Host=host) for path in ("/", "/en/", "/health")] == [404] * 3
        large = str(2 * GIGABYTE)
        put = f"{url.path}en/files/a.csv"
        assert status(server, put, "PUT", **own, Content_Length=large) == 413
        assert status(server, put, "PUT", Host=host, Origin="http://evil.example") == 403
        # The body of a request that may not enter is not waited for.
        body = {"Origin": f"http://{host}", "Content_Length": "1000"}
        assert status(server, put, "PUT", **body, Host="evil.example") == 421
        assert status(server, "/another/en/files/a.csv", "PUT", **body, Host=host) == 404


def test_a_shared_page_on_a_socket(socket_path: Path, tmp_path: Path) -> None:
    config, path = tmp_path / "feedtool.toml", socket_path
    config.write_text(USERS, "utf-8")
    words = ("--shared", "--socket", path, "--host-name", "feeds.example.org", "--config", config)
    with forked_page(*words) as address:
        assert address == f"unix:{path}"
        assert status(path, "/health") == 200
        assert status(path, "/en/") == 401
        assert status(path, "/en/", Remote_User="eve") == 403
        assert status(path, "/en/", Remote_User="anna") == 200
        assert status(path, "/en/", Remote_User="anna", Host="evil.example") == 421
        changed = {"Remote_User": "anna", "Origin": "https://feeds.example.org"}
        put = "/en/files/a.csv?account=sandbox"
        assert status(path, put, "PUT", **changed) == 403
        assert status(path, put, "PUT", **changed, X_Forwarded_Proto="https") == 201
    assert not path.exists()


def test_a_shared_page_on_a_port_answers_only_its_proxy(tmp_path: Path) -> None:
    config = tmp_path / "feedtool.toml"
    config.write_text(USERS, "utf-8")
    words = ("--shared", "--trusted-proxy", "127.0.0.2", "--host-name", "feeds.example.org")
    with forked_page(*words, "--config", config) as address:
        url = urlsplit(address)
        server = (str(url.hostname), url.port or 0)
        assert status(server, "/en/", source="127.0.0.2", Remote_User="anna") == 200
        assert status(server, "/en/", source="127.0.0.2") == 401
        assert status(server, "/en/", source="127.0.0.1", Remote_User="anna") == 403
        assert status(server, "/health", source="127.0.0.1") == 200
        put = {"method": "PUT", "Content_Length": "1000"}
        assert status(server, "/en/files/a.csv", source="127.0.0.2", **put) == 401
        assert status(server, "/en/files/a.csv", source="127.0.0.1", **put) == 403


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--port {port}", "port {port} cannot be used"),
        ("--shared --port 0 --host-name a", "either --socket or --trusted-proxy"),
        ("--shared --trusted-proxy 127.0.0.1 --host-name a", "nobody may use the shared page"),
        ("--socket page.sock", "--socket is for a shared page"),
    ],
)
def test_a_page_that_cannot_be_served_ends_at_once(
    feedtool: Feedtool, words: str, said: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = feedtool(f"page --no-open {words.format(port=port)}")
    assert (ran.code, ran.out) == (2, "")
    assert said.format(port=port) in ran.error()[0]
