"""A planted token is found in no file and no output, with any fault."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.pairs import sample
from tests.resume.proxy import MANY, Answer, Faults, Plan
from tests.resume.world import Ran, World

TOKEN = "planted-T0ken.of/nobody+else"
PLANTED = ("feedtool.toml", "token.txt")


class Way(NamedTuple):
    """The command's source of its token."""

    options: Sequence[str] = ()
    environment: Mapping[str, str] = {}
    profile: str = ""


FAILING = "command, failing"
WAYS = {
    "option": Way(("--token", TOKEN)),
    "one word": Way((f"--token={TOKEN}",)),
    "environment": Way(environment={"FEEDTOOL_TOKEN": TOKEN}),
    "profile": Way(profile=f'token = "{TOKEN}"'),
    "file": Way(("--token-file", "token.txt")),
    "command": Way(("--token-command", "cat token.txt")),
    "command, told": Way(("--token-command", f"printf %s '{TOKEN}'")),
    FAILING: Way(("--token-command", "cat token.txt; cat token.txt >&2; exit 3")),
}

ECHO = json.dumps({"title": f"Bad Bearer {TOKEN}", "detail": f"{TOKEN} is wrong", "status": 400})
HEADERS = [("Content-Type", "application/problem+json"), ("X-Trace-Id", TOKEN)]
FAILURES: dict[str, Plan] = {
    "none": Plan(tokens={TOKEN: "sandbox"}),
    "401": Plan(),
    "403": Plan(tokens={TOKEN: "forbidden"}),
    "garbage": Plan(faults=Faults(garbage=1000)),
    "reset": Plan(faults=Faults(reset=1000)),
    "all kinds": Plan(seed="secrets", faults=MANY, tokens={TOKEN: "sandbox"}),
    **{
        f"echo {status}": Plan(instead=Answer(status, HEADERS, ECHO.encode()))
        for status in (200, 302, 400, 401, 403, 500)
    },
}


class Planted:
    """A seller whose token is the planted one, had in a way, and a proxy that goes by a plan."""

    def __init__(self, world: World, way: str = "option", plan: Plan = FAILURES["none"]) -> None:
        self.world, self.folder, self.way = world, world.folder, WAYS[way]
        (self.folder / "token.txt").write_text(TOKEN, "utf-8")
        config = self.folder / "feedtool.toml"
        text = config.read_text("utf-8")
        config.write_text(text.replace('token = "sandbox"', self.way.profile), "utf-8")
        (self.folder / "temporary").mkdir()
        world.served.proxy.plan = replace(plan, asked=[], done=Counter())

    def run(self, *arguments: str, **wrong: str) -> Ran:
        environment = {"TMPDIR": str(self.folder / "temporary"), **self.way.environment}
        ran = self.world.run(*arguments, *self.way.options, environment=environment, **wrong)
        assert TOKEN not in ran.out + ran.err
        return ran

    def submit(self, *more: str, **wrong: str) -> list[Ran]:
        first = self.run("submit", "offers.xlsx", "--profile", "shop", *more, **wrong)
        return [first, self.run("resume", "-v")]


def search(folder: Path) -> int:
    """The number of files that were searched; none of them holds the token."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in PLANTED]
    for path in files:
        assert TOKEN.encode() not in path.read_bytes(), path
    return len(files)


WORDY = ("-v", "--format", "json", "--report", "report.html")
ABLE = [way for way in WAYS if way != FAILING]
CASES = [("one word", "echo 401"), ("profile", "all kinds"), (FAILING, "none")]
"""Ways and failures of each sort; the long run has all, and `test_privacy` all answers."""
ALL = [(way, "none") for way in ABLE] + [("option", one) for one in FAILURES]
ALL += [("file", "401"), ("file", "echo 200"), ("command", "garbage"), ("command", "echo 302")]
ALL += [("environment", "garbage"), ("command, told", "echo 400")]
EVERY = [*CASES, *sorted({*ALL} - {*CASES})]


@pytest.mark.parametrize(("way", "failure"), sample(EVERY, len(CASES)))
def test_the_token_is_in_no_file_and_no_output(
    world_of: Callable[..., World], way: str, failure: str
) -> None:
    planted = Planted(world_of("secrets", rows=6), way, FAILURES[failure])
    done = planted.submit(*WORDY)
    codes = {ran.code for ran in done}
    assert 70 not in codes
    if failure == "none" and way != FAILING:
        assert done[0].code == 1, done[0]
    assert codes & {1, 4, 5}, done
    assert search(planted.folder) >= 4


ESCAPED = TOKEN.replace("/", "\\/").replace("+", "\\u002B")


def test_tokens_repeated_by_a_success_are_masked(world_of: Callable[..., World]) -> None:
    texts = re.compile(rb'("(?:message|resultCode|state|title)": ?")')
    forms = f"{TOKEN} {ESCAPED}".encode().replace(b"\\", b"\\\\")
    repeated = rb"\g<1>Bearer " + forms + b" "

    def repeat(body: bytes) -> bytes:
        return texts.sub(repeated, body) if b'"items"' in body else body

    planted = Planted(world_of("secrets"), plan=Plan(tokens={TOKEN: "sandbox"}, rewrite=repeat))
    files = ("--requests", "requests", "--log", "log.jsonl", "--hook", "tee hook.json")
    done = planted.submit(*WORDY, *files)
    assert done[0].code == 1, done[0]
    assert "Bearer ******** ********" in done[0].out
    assert "Bearer ******** ********" in (planted.folder / "report.html").read_text("utf-8")
    assert (planted.folder / "hook.json").exists()
    assert search(planted.folder) >= 6


SHOWN = ("one word", "command, told")
"""Ways whose command line has the token."""


@pytest.mark.parametrize("way", sample([*SHOWN, *sorted({*WAYS} - {*SHOWN})], len(SHOWN)))
def test_the_token_is_in_no_settings_and_no_bug_report(
    world_of: Callable[..., World], way: str
) -> None:
    planted = Planted(world_of("secrets"), way)
    for form in ("text", "json"):
        planted.run("config", "show", "--profile", "shop", "--format", form)
    if way != FAILING:  # without a token no run is begun
        words = ("submit", "offers.xlsx", "--profile", "shop", "--report", "report.json")
        ran = planted.run(*words, bug=f"it was {TOKEN}")
        assert ran.code == 70, ran
        assert list((planted.folder / "temporary").glob("feedtool-bug-*"))
        assert search(planted.folder) >= 4


def test_search_finds_a_planted_token(tmp_path: Path) -> None:
    (tmp_path / "planted.log").write_text(f"x{TOKEN}x", "utf-8")
    with pytest.raises(AssertionError, match=r"planted\.log"):
        search(tmp_path)
