"""Behaviour of SFTP servers alone: known keys, log-in, lost connections."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from feedtool.model.errors import Exit, Interrupted
from feedtool.places import Place, PlaceRefused, open_place
from tests.places.conftest import PASSWORD, USER, SftpSite, serving_sftp


def opened(url: str) -> closing[Place]:
    return closing(open_place(url, Path("/")))


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home folder of a user that has never heard of the server."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    (tmp_path / ".ssh").mkdir()
    return tmp_path


def refused(url: str) -> tuple[str, str]:
    """Message and hint of the refusal to log in."""
    with opened(url) as place, pytest.raises(PlaceRefused) as caught:
        place.listing("")
    assert caught.value.exit is Exit.USAGE
    return caught.value.message, caught.value.hint


def test_a_host_must_be_known(sftp: SftpSite, home: Path) -> None:
    known, url = home / ".ssh" / "known_hosts", sftp.url(known_hosts=None)
    message, hint = refused(url)
    assert message.endswith(f"there is no file {known} with the key of its host.")
    assert f"ssh-keyscan -p {sftp.port} 127.0.0.1 >> {known}" in hint
    # No configuration of ssh can switch it off.
    (home / ".ssh" / "config").write_text("UserKnownHostsFile none\nStrictHostKeyChecking no\n")
    assert refused(url) == (message, hint)
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    for line in ("", f"[127.0.0.1]:{sftp.port} {other}"):
        known.write_text(line)
        message, hint = refused(url)
        assert message.endswith(f"does not let feedtool in: its key is not in {known}.")
        assert "Compare the key" in hint
    known.write_bytes(sftp.known_hosts.read_bytes())
    with opened(url) as place:
        place.listing("")


def test_the_password_command_prints_the_password(sftp: SftpSite, home: Path) -> None:
    (secret := home / "secret").write_text(f"{PASSWORD}\nnot this")
    with opened(sftp.url(key=None, password_command=f"cat%20{secret}")) as place:
        place.listing("")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"key": None}, "it does not accept the user, the key or the password"),
        ({"key": "/absent"}, "the key /absent cannot be used: No such file or directory"),
        ({"key": "/dev/null"}, "the key /dev/null cannot be used: "),
        ({"password_command": "echo%20wrong", "key": None}, "it does not accept the user"),
        ({"password_command": "true", "key": None}, "true gives no password: it prints nothing"),
        ({"password_command": "false", "key": None}, "false gives no password: it ended with exit"),
        ({"password_command": "pass%20%27a", "key": None}, "password_command is not a command"),
    ],
)
@pytest.mark.usefixtures("home")
def test_a_user_must_be_let_in(sftp: SftpSite, settings: dict[str, Any], why: str) -> None:
    message, _ = refused(sftp.url(**settings))
    assert message.startswith(f"sftp://{USER}@127.0.0.1:{sftp.port}/ does not let feedtool in: ")
    assert why in message


def test_a_folder_that_is_absent(sftp: SftpSite, tmp_path: Path) -> None:
    (local := tmp_path / "local").touch()
    with opened(sftp.url("absent")) as place:
        assert place.find("a") is None
        with pytest.raises(PlaceRefused, match="no such folder"):
            place.put("a", local)
        with pytest.raises(PlaceRefused, match="No such file"):
            place.listing("")
    assert not (sftp.root / "absent").exists()


def test_paths_can_begin_at_the_home_of_the_user(sftp: SftpSite) -> None:
    (sftp.root / "begin").mkdir()
    (sftp.root / "begin" / "a").touch()
    with opened(sftp.url("~/begin")) as place:
        assert [entry.name for entry in place.listing("")] == ["a"]


def test_a_thread_with_a_running_loop_can_list(sftp: SftpSite) -> None:
    (sftp.root / "looping").mkdir()

    async def listed() -> int:
        with opened(sftp.url("looping")) as place:
            return len(place.listing(""))

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: asyncio.run(listed())).result() == 0


def test_a_connection_that_is_lost(tmp_path: Path) -> None:
    with ExitStack() as stack:
        with serving_sftp(tmp_path) as site:
            (site.root / "a").touch()
            place = stack.enter_context(opened(site.url()))
            for _ in range(2):
                assert len(place.listing("")) == 1
                site.end_connections()
        for _ in range(2):
            with pytest.raises(Interrupted, match="cannot be reached") as caught:
                place.listing("")
            assert caught.value.hint
