"""`feedtool init`: what the answers become, and the way from there to a submission."""

import os
import re
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from feedtool.model.errors import Exit
from feedtool.runs import config
from tests.cli.conftest import Feedtool, OnTerminal
from tests.forked import forking

ADDRESS = "https://a.example/v2"
SHOP = {"base_url": ADDRESS, "seller": "7", "token_file": "t.txt", "channel": "PRIMARY"}
IN_A_FILE = {"defaults": {"language": "en", "profile": "shop"}, "profile": {"shop": SHOP}}
COMMAND = {key: value for key, value in SHOP.items() if key != "token_file"}
BY_COMMAND = {**IN_A_FILE, "profile": {"shop": {**COMMAND, "token_command": "pass shop"}}}
PRACTICE = {"defaults": {"language": "en", "sandbox": True}}
ACCOUNT = f"--base-url {ADDRESS} --seller 7"


def written() -> Any:
    config.load(Path(config.FILE))  # else it would be an error of the next command
    return tomllib.loads(Path(config.FILE).read_text("utf-8"))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("\n", PRACTICE),
        (f"{ADDRESS}\n7\nt.txt\n\n", IN_A_FILE),
        (f"{ADDRESS}\n7\ncommand: pass shop\n\n", BY_COMMAND),
        (f"a.example\nhttp://a.example/v2\n{ADDRESS}\né\n7\nt.txt\n\n", IN_A_FILE),
    ],
)
def test_four_answers(on_terminal: OnTerminal, typed: str, expected: object) -> None:
    code, shown = on_terminal(typed, "init", "--language", "en")
    assert (code, written()) == (0, expected)
    assert shown.count("help:") == max(0, typed.count("\n") - 4)
    assert "`feedtool account check --language en` tries" in shown.splitlines()[-1]
    assert ("write your token into t.txt" in shown) == (expected == IN_A_FILE)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--sandbox", PRACTICE),
        (f"{ACCOUNT} --token-file t.txt --channel PRIMARY", IN_A_FILE),
        (f"{ACCOUNT} --token-command 'pass shop' --channel PRIMARY", BY_COMMAND),
    ],
)
def test_options_answer_without_a_terminal(
    feedtool: Feedtool, options: str, expected: object
) -> None:
    assert feedtool(f"init {options}").code == 0
    assert written() == expected


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ("", "--base-url, --seller, --token-file, --channel"),
        (f"{ACCOUNT} --token-command x", "missing: --channel"),
        (f"{ACCOUNT} --token-file x --channel P --base-url a.example", "“a.example” is not a base"),
    ],
)
def test_an_incomplete_account_is_refused(feedtool: Feedtool, options: str, missing: str) -> None:
    ran = feedtool(f"init {options}")
    assert ran.code == Exit.USAGE
    assert missing in ran.error()[0]
    assert not Path(config.FILE).exists()


def test_an_existing_configuration_is_kept(feedtool: Feedtool, on_terminal: OnTerminal) -> None:
    Path(config.FILE).write_text("# mine\n", "utf-8")
    ran = feedtool("init --sandbox")
    assert (ran.code, "--yes" in ran.error()[1]) == (Exit.USAGE, True)
    assert on_terminal("n\n", "init")[0] == Exit.USAGE
    assert Path(config.FILE).read_text("utf-8") == "# mine\n"
    code, shown = on_terminal("y\n\n", "init", "--language", "en")
    assert (code, written()) == (0, PRACTICE)
    assert "the feedtool.toml of before is feedtool.toml.old now" in shown
    assert Path("feedtool.toml.old").read_text("utf-8") == "# mine\n"


def test_a_folder_without_write_access(feedtool: Feedtool) -> None:
    Path(config.FILE).mkdir()
    Path("feedtool.toml.old").write_text("in the way", "utf-8")
    ran = feedtool("init --sandbox --yes")
    assert (ran.code, "cannot be written here" in ran.error()[0]) == (Exit.USAGE, True)


MOST_STEPS = 5
LAST = "feedtool submit feedtool-demo/offers-upsert.failed.xlsx --sandbox"


@pytest.mark.skipif(os.name == "nt", reason="terminals of another kind")
def test_following_the_screen_leads_to_a_submission(tmp_path: Path) -> None:
    """In a fresh folder and home, on a real terminal, by typing only what is shown there.

    The first answer that is offered is taken, and the first command that is named next.
    """
    typed, screen = ["feedtool init"], ""
    with forking(tmp_path):
        while "Annotated copy:" not in screen:
            assert len(typed) <= MOST_STEPS, typed
            code, screen = type_on_terminal(typed[-1], tmp_path)
            assert code == 0, screen
            typed.append(re.findall(r"^next: [^`]*`(feedtool [^`\n]+)`", screen, re.MULTILINE)[0])
        assert "40 rows: 36 Integrated, 4 Rejected. Run" in screen
        assert typed[1:] == ["feedtool account check", "feedtool demo", LAST]
        code, screen = type_on_terminal(LAST, tmp_path)
    assert (code, "4" in screen) == (Exit.ROWS, True)


def type_on_terminal(command: str, folder: Path) -> tuple[int, str]:
    """The exit code of a command and all that the terminal showed, its questions answered."""
    import pty  # there is none on Windows

    ours, its = pty.openpty()
    settings = {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C", "NO_COLOR": "1"}
    with ThreadPoolExecutor() as pool:
        screen = pool.submit(_watch_and_answer, ours)
        ran = subprocess.run(  # noqa: S603  # our own command
            [str(folder / "feedtool"), *command.split()[1:]],
            stdin=its,
            stdout=its,
            stderr=its,
            cwd=folder,
            env=settings,
            check=False,
        )
        os.close(its)
    os.close(ours)
    return ran.returncode, screen.result().replace("\r\n", "\n")


def _watch_and_answer(terminal: int) -> str:
    shown = ""
    with suppress(OSError):  # Linux says so that the other side is closed
        while chunk := os.read(terminal, 4096):
            shown += chunk.decode("utf-8", "replace")
            if shown.endswith("]: "):  # a question, and what Enter answers
                os.write(terminal, b"\n")
    return shown
