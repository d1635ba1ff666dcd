import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from feedtool.model.call import Reply
from feedtool.model.errors import NotAuthorised, UsageProblem
from feedtool.service.auth import CommandToken, FileToken, StaticToken, Token, send_with, words_of


class Door:
    """Answers 401 to all but one token, and remembers which were shown."""

    def __init__(self, valid: str) -> None:
        self.valid = valid
        self.shown: list[str] = []

    def send(self, token: str) -> Reply:
        self.shown.append(token)
        return Reply(200 if token == self.valid else 401)


def command(tmp_path: Path, *lines: str) -> CommandToken:
    """A command that prints the lines, `{n}` in them being how often it has been run."""
    script = tmp_path / "token.py"
    script.write_text(
        "import pathlib\n"
        "count = pathlib.Path(__file__).with_name('count')\n"
        "n = int(count.read_text()) + 1 if count.exists() else 1\n"
        "count.write_text(str(n))\n" + "".join(f"print({line!r}.format(n=n))\n" for line in lines)
    )
    return CommandToken([sys.executable, str(script)])


def test_a_static_token_is_tried_once() -> None:
    door = Door("new")
    assert send_with(StaticToken(" old\n"), door.send).status == 401
    assert door.shown == ["old"]


def test_a_file_is_read_again_although_no_change_of_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("aaaa\nsecond line\n")
    token = FileToken(path)
    assert token.get() == "aaaa"
    seen = path.stat()
    with path.open("r+") as file:
        file.write("bbbb")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    door = Door("bbbb")
    assert send_with(token, door.send).status == 200
    assert token.renew("aaaa") == "bbbb"


def test_a_command_is_run_once_and_again_on_a_401(tmp_path: Path) -> None:
    token = command(tmp_path, "token-{n}", "chatter")
    assert (token.get(), token.get()) == ("token-1", "token-1")
    door = Door("token-2")
    assert send_with(token, door.send).status == 200
    assert door.shown == ["token-1", "token-2"]
    assert token.get() == "token-2"


def test_a_second_401_stands(tmp_path: Path) -> None:
    door = Door("never")
    assert send_with(command(tmp_path, "token-{n}"), door.send).status == 401
    assert door.shown == ["token-1", "token-2"]


def test_many_threads_renew_once(tmp_path: Path) -> None:
    token: Token = command(tmp_path, "token-{n}")
    stale = token.get()
    together = threading.Barrier(4)

    def renew(_: int) -> str:
        together.wait()
        return token.renew(stale)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(renew, range(4))) == {"token-2"}


@pytest.mark.parametrize("held", ["", "\n", "two words\ttab", "clé", "a\x00b"])
def test_what_is_no_token_is_not_shown(tmp_path: Path, held: str) -> None:
    path = tmp_path / "token"
    path.write_text(held)
    for make in (lambda: StaticToken(held), lambda: FileToken(path).get()):
        with pytest.raises(NotAuthorised) as caught:
            make()
        assert not held.strip() or held.strip() not in caught.value.message


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["-c", "import sys; sys.exit(3)"], "exit code 3"),
        (["-c", "import sys; sys.stdout.buffer.write(b'\\xff')"], "no text"),
        (["-c", ""], "is no token"),
    ],
)
def test_a_command_that_gives_no_token(arguments: list[str], why: str) -> None:
    with pytest.raises(NotAuthorised, match=why):
        CommandToken([sys.executable, *arguments]).get()


@pytest.mark.parametrize("text", ["", "  ", "pass 'unclosed"])
def test_a_command_that_is_none(text: str) -> None:
    with pytest.raises(UsageProblem, match="token command"):
        CommandToken(text)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_bytes(b"\xff\xfe\x00")
    missing: list[tuple[Token, str]] = [
        (FileToken(path), "no text"),
        (FileToken(tmp_path / "none"), "No such file"),
        (CommandToken("/nowhere/token --quiet"), "No such file"),
    ]
    for token, why in missing:
        with pytest.raises(NotAuthorised, match=why):
            token.get()


@pytest.mark.parametrize(
    ("command", "is_windows", "words"),
    [
        ("told --now", False, ["told", "--now"]),
        ("'/opt/my tools/told' a\\ b", False, ["/opt/my tools/told", "a b"]),
        (r"C:\tools\told.exe --now", True, [r"C:\tools\told.exe", "--now"]),
        (r'"C:\my tools\told.exe" "a b"', True, [r"C:\my tools\told.exe", "a b"]),
        (" ", False, []),
        (" ", True, []),
    ],
)
def test_a_command_is_split(command: str, words: list[str], *, is_windows: bool) -> None:
    assert words_of(command, is_windows=is_windows) == words


@pytest.mark.parametrize("is_windows", [False, True])
def test_a_quote_is_closed(*, is_windows: bool) -> None:
    with pytest.raises(ValueError, match="quotation"):
        words_of('told "a b', is_windows=is_windows)
