"""Address and access rules of the page, and options that contradict each other."""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from feedtool.cli.page_access import AccessOptions, Listener, kept_secret, open_listener
from feedtool.model.errors import UsageProblem
from feedtool.page.access import LocalAccess, SharedAccess
from feedtool.runs.config import PageRights
from feedtool.serving import LOOPBACK, listen

USERS = {"anna": PageRights()}
SHARED: dict[str, Any] = {"shared": True, "host_name": ("Feeds.Example.org", "feeds:8443")}
NAMES = frozenset({"feeds.example.org", "feeds:8443"})


@contextmanager
def entered(**given: Any) -> Iterator[Listener]:
    made = open_listener(AccessOptions(**given), USERS)
    with made.server_socket:
        yield made


def test_a_page_of_one_user_has_a_new_secret_address() -> None:
    with entered() as one, entered(host_name=("Laptop:8000",)) as other:
        for made in (one, other):
            assert isinstance(made.access, LocalAccess)
            host, port = made.server_socket.getsockname()
            assert host == LOOPBACK
            assert made.access.hosts >= {f"localhost:{port}", f"[::1]:{port}", f"{host}:{port}"}
            assert made.address == f"http://{host}:{port}/{made.access.token}/"
            assert len(made.access.token) >= 32
        assert one.address.split("/")[3] != other.address.split("/")[3]
        assert "laptop:8000" in other.access.hosts - one.access.hosts


@pytest.mark.parametrize(
    ("proxy", "listens"), [(LOOPBACK, LOOPBACK), ("::1", "::1"), ("127.1.2.3", LOOPBACK)]
)
def test_a_shared_page_on_a_port_listens_only_to_the_proxy(proxy: str, listens: str) -> None:
    with entered(**SHARED, trusted_proxy=proxy) as made:
        host, port, *_ = made.server_socket.getsockname()
        assert host == listens
        assert made.access == SharedAccess(NAMES, proxy, "Remote-User", frozenset(USERS))
        shown = f"[{listens}]" if ":" in listens else listens
        assert (made.address, made.rights) == (f"http://{shown}:{port}/", USERS)


def test_shared_on_a_socket(socket_path: Path) -> None:
    path = socket_path
    with entered(**SHARED, socket=path, user_header="X-User") as made:
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        assert made.access == SharedAccess(NAMES, "localhost", "X-User", frozenset(USERS))
        assert made.address == f"unix:{path}"
        with pytest.raises(UsageProblem, match="sock cannot be used"):
            open_listener(AccessOptions(**SHARED, socket=path), USERS)


REFUSED = [
    ({"socket": Path("x")}, "--socket is for a shared page"),
    ({"trusted_proxy": LOOPBACK}, "--trusted-proxy is for"),
    ({"user_header": "X-User"}, "--user-header is for"),
    ({"shared": True, "trusted_proxy": LOOPBACK}, "needs --host-name"),
    (SHARED, "either --socket or --trusted-proxy"),
    ({**SHARED, "port": 8000}, "either --socket or --trusted-proxy"),
    ({**SHARED, "trusted_proxy": LOOPBACK, "socket": Path("x")}, "either --socket or"),
    ({**SHARED, "trusted_proxy": "proxy.example.org"}, "is not an address"),
    ({**SHARED, "trusted_proxy": "10.0.0.0/8"}, "is not an address"),
    ({**SHARED, "trusted_proxy": "*"}, "is not an address"),
    ({**SHARED, "trusted_proxy": LOOPBACK, "user_header": "Remote_User"}, "is not a header"),
    ({**SHARED, "trusted_proxy": LOOPBACK, "user_header": "a: b"}, "is not a header"),
    ({**SHARED, "trusted_proxy": LOOPBACK, "secret_file": Path("x")}, "no secret address"),
    ({**SHARED, "socket": Path("no/such/folder/x")}, "folder/x cannot be used: No such file"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_contradicting_options_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageProblem) as raised:
        open_listener(AccessOptions(**given), USERS)
    assert said in raised.value.message
    assert raised.value.hint


def test_a_shared_page_without_users_is_refused() -> None:
    with pytest.raises(UsageProblem, match="nobody may use"):
        open_listener(AccessOptions(**SHARED, trusted_proxy=LOOPBACK), {})


def test_a_port_that_is_taken_is_named() -> None:
    with listen(LOOPBACK, 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageProblem) as raised:
            open_listener(AccessOptions(port=port), USERS)
    assert f"port {port} cannot be used" in raised.value.message
    assert "--port" in raised.value.hint


def test_a_kept_secret_is_private_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    secret = kept_secret(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_secret(path) == path.read_text() == secret != kept_secret(None)


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        ("x" * 32, 0o640, "others may read"),
        ("x" * 32, 0o604, "others may read"),
        ("x" * 31, 0o600, "holds no secret"),
        ("", 0o600, "holds no secret"),
        ("x" * 32 + "/y", 0o600, "holds no secret"),
        ("\xff", 0o600, "cannot be used"),
    ],
)
def test_a_file_that_keeps_no_secret(tmp_path: Path, content: str, mode: int, said: str) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content.encode("latin-1"))
    path.chmod(mode)
    with pytest.raises(UsageProblem, match=said):
        kept_secret(path)
    assert path.read_bytes() == content.encode("latin-1")


def test_a_folder_keeps_no_secret(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="cannot be used"):
        kept_secret(tmp_path)
    assert not any(tmp_path.iterdir())
