"""A planted token is found in no file and no output, whatever goes wrong."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.resume.proxy import MANY, NONE, Answer, Faults, Plan
from tests.resume.world import Ran, World

TOKEN = "planted-T0ken.of/nobody+else"
PLANTED = ("feedtool.toml", "token.txt")


class Way(NamedTuple):
    """How the command has its token."""

    options: Sequence[str] = ()
    environment: Mapping[str, str] = {}
    profile: str = ""


WAYS = {
    "option": Way(("--token", TOKEN)),
    "one word": Way((f"--token={TOKEN}",)),
    "environment": Way(environment={"FEEDTOOL_TOKEN": TOKEN}),
    "profile": Way(profile=f'token = "{TOKEN}"'),
    "file": Way(("--token-file", "token.txt")),
    "command": Way(("--token-command", "cat token.txt")),
    "command, told": Way(("--token-command", f"printf %s '{TOKEN}'")),
    "command, failing": Way(("--token-command", "cat token.txt; cat token.txt >&2; exit 3")),
}

ECHO = json.dumps({"title": f"Bad Bearer {TOKEN}", "detail": f"{TOKEN} is wrong", "status": 400})


def echo(status: int) -> Answer:
    headers = [("Content-Type", "application/problem+json"), ("X-Trace-Id", TOKEN)]
    return Answer(status, headers, ECHO.encode())


FAILURES: dict[str, Plan] = {
    "none": Plan(token=(TOKEN, "sandbox")),
    "401": Plan(),
    "403": Plan(token=(TOKEN, "forbidden")),
    "garbage": Plan(faults=Faults(garbage=1000)),
    "reset": Plan(faults=Faults(reset=1000)),
    "all kinds": Plan(seed="secrets", faults=MANY, token=(TOKEN, "sandbox")),
    **{f"echo {status}": Plan(instead=echo(status)) for status in (200, 302, 400, 401, 403, 500)},
}


def plant(world: World, way: Way, plan: Plan) -> None:
    (world.folder / "token.txt").write_text(TOKEN, "utf-8")
    config = world.folder / "feedtool.toml"
    text = config.read_text("utf-8")
    config.write_text(text.replace('token = "sandbox"', way.profile), "utf-8")
    (world.folder / "temporary").mkdir()
    world.served.proxy.plan = replace(plan, asked=[], done=Counter())


def run(world: World, way: Way, *arguments: str, bug: str | None = None) -> Ran:
    environment = {"TMPDIR": str(world.folder / "temporary"), **way.environment}
    ran = world.run(*arguments, *way.options, environment=environment, bug=bug)
    assert TOKEN not in ran.out + ran.err
    return ran


def search(folder: Path) -> int:
    """How many files were looked at; none of them has the token."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in PLANTED]
    for path in files:
        assert TOKEN.encode() not in path.read_bytes(), path
    return len(files)


def submit(world: World, way: Way, *more: str, bug: str | None = None) -> list[Ran]:
    first = ("submit", "offers.xlsx", "--profile", "shop", *more)
    return [run(world, way, *first, bug=bug), run(world, way, "resume", "-v")]


CASES = [(way, "none") for way in WAYS] + [("option", one) for one in FAILURES if one != "none"]
CASES += [("file", "401"), ("command", "garbage")]


@pytest.mark.parametrize(("way", "failure"), CASES)
def test_it_is_nowhere(world_of: Callable[..., World], way: str, failure: str) -> None:
    world = world_of("secrets")
    plant(world, WAYS[way], FAILURES[failure])
    done = submit(world, WAYS[way], "-v", "--format", "json", "--report", "report.html")
    codes = {ran.code for ran in done}
    assert 70 not in codes
    if failure == "none" and way != "command, failing":
        assert done[0].code == 1, done[0]
    else:
        assert codes & {1, 4, 5}, done
    assert search(world.folder) >= 4


ESCAPED = TOKEN.replace("/", "\\/").replace("+", "\\u002B")


@pytest.mark.parametrize("form", [TOKEN, ESCAPED], ids=["as it is", "escaped"])
def test_what_a_success_repeats_is_masked(world_of: Callable[..., World], form: str) -> None:
    world = world_of("secrets")
    texts = re.compile(rb'("(?:message|resultCode|state|title)": ?")')
    repeated = rb"\g<1>Bearer " + form.encode().replace(b"\\", b"\\\\") + b" "

    def repeat(body: bytes) -> bytes:
        return texts.sub(repeated, body) if b'"items"' in body else body

    plant(world, WAYS["option"], Plan(token=(TOKEN, "sandbox"), rewrite=repeat))
    done = submit(
        world,
        *(WAYS["option"], "-v", "--format", "json", "--report", "report.html"),
        *("--requests", "requests", "--log", "log.jsonl", "--hook", "tee hook.json"),
    )
    assert done[0].code == 1, done[0]
    assert "Bearer ********" in done[0].out
    assert "Bearer ********" in (world.folder / "report.html").read_text("utf-8")
    assert (world.folder / "hook.json").exists()
    assert search(world.folder) >= 6


# Without a token no run is begun.
@pytest.mark.parametrize("way", [way for way in WAYS if way != "command, failing"])
def test_it_is_in_no_report_of_a_bug(world_of: Callable[..., World], way: str) -> None:
    world = world_of("secrets")
    plant(world, WAYS[way], FAILURES["none"])
    done = submit(world, WAYS[way], "--report", "report.json", bug=f"it was {TOKEN}")
    assert done[0].code == 70, done[0]
    assert list((world.folder / "temporary").glob("feedtool-bug-*"))
    assert search(world.folder) >= 4


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", ["text", "json"])
def test_it_is_in_no_settings(world_of: Callable[..., World], way: str, form: str) -> None:
    world = world_of("secrets")
    plant(world, WAYS[way], FAILURES["none"])
    chosen = WAYS[way]
    ran = world.run("config", "show", "--profile", "shop", "--format", form, *chosen.options)
    assert TOKEN not in ran.out + ran.err


def test_the_search_finds_what_is_there(world_of: Callable[..., World]) -> None:
    world = world_of("secrets", NONE)
    (world.folder / "planted.log").write_text(f"x{TOKEN}x", "utf-8")
    with pytest.raises(AssertionError, match=r"planted\.log"):
        search(world.folder)
