"""Each command ends with the one command that comes next, as a shell takes it."""

import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, made_by
from tests.conftest import Files, offer
from tests.pairs import sample

SEND = "submit 'my good.csv' --sandbox"
RELEASE = "submit cheap.csv --release price-factor --sandbox"
CASES: dict[str, tuple[str, str]] = {
    "valid": (
        "validate 'my good.csv' --as offers-upsert",
        "submit 'my good.csv' --dry-run --as offers-upsert",
    ),
    "invalid": ("validate bad.csv", "validate bad.csv --annotate"),
    "invalid, with a copy": ("validate bad.csv --annotate", "validate bad.result.csv"),
    "invalid, in place": ("validate bad.csv --in-place", "validate bad.csv"),
    "some of several": (
        "validate 'my good.csv' bad.csv",
        "validate 'my good.csv' bad.csv --annotate",
    ),
    "what --fix can fix": ("validate zeros.csv", "validate zeros.csv --fix"),
    "what --fix can fix, before sending": (
        "submit zeros.csv --dry-run --sandbox --as offers-upsert",
        "validate zeros.csv --fix --as offers-upsert",
    ),
    "what --fix has fixed": ("validate zeros.csv --fix", "submit zeros.fixed.csv --dry-run"),
    "fixed": ("validate fixable.csv --fix", "submit fixable.fixed.csv --dry-run"),
    "a dash first": ("validate -- -x.csv", "submit ./-x.csv --dry-run"),
    "cannot be read": ("validate none.csv", ""),
    "standard input": ("validate -", ""),
    "in JSON": ("validate bad.csv --format json", ""),
    "quietly": ("validate bad.csv -q", ""),
    "dry run": (f"{SEND} --dry-run", SEND),
    "dry run without an account": ("submit bad.csv --dry-run", "submit bad.csv --sandbox"),
    "dry run of an account": (
        "submit bad.csv --dry-run --base-url https://a.example --seller 7 --token t0ken",
        "submit bad.csv --base-url https://a.example --seller 7",
    ),
    "dry run of nothing valid": (
        "submit worse.csv --dry-run --sandbox",
        "validate worse.csv --annotate",
    ),
    "dry run with a plan": (
        f"{SEND} --dry-run --save-plan 'a plan' --home h",
        "submit --plan 'a plan' --home h",
    ),
    "options that it needs again": (
        "submit bad.csv --sandbox --home h --changed-only --out out.csv --as offers-upsert",
        "submit out.failed.xlsx --sandbox --changed-only --home h",
    ),
    "template": ("template offers-delete --out 'a b.xlsx'", "validate 'a b.xlsx'"),
    "convert": ("convert 'my good.csv' out.csv", "validate out.csv"),
    "convert to requests": ("convert 'my good.csv' out.json", ""),
    "map": ("map 'my good.csv' --out r.toml", "validate 'my good.csv' --recipe r.toml"),
    "map for another home": (
        "map 'my good.csv' --out r.toml --language en --home h",
        "validate 'my good.csv' --recipe r.toml --language en --home h",
    ),
    "diff": ("diff bad.csv 'my good.csv'", "submit 'my good.csv' --dry-run"),
    "diff with what is invalid": ("diff 'my good.csv' bad.csv", "validate bad.csv --annotate"),
    "answers are due in another home": (
        "submit bad.csv --sandbox --no-wait --home h",
        "results 1 --home h",
    ),
    "the sandbox's account": ("account check --sandbox --home h", "demo --home h"),
    "no runs": ("runs", "demo"),
    "init in a language": (
        "init --sandbox --language en",
        "account check --language en",
    ),
}
WALKS: dict[str, list[tuple[str, str]]] = {
    "mistakes": [
        ("submit bad.csv --sandbox", "submit bad.failed.xlsx --sandbox"),
        # What is wrong was not chosen.
        ("submit bad.csv --sandbox --rows 2", "status 2"),
        ("submit bad.csv --sandbox --no-failed", "results 3 --failed-only"),
        ("results 3 --failed-only --out 'to do.xlsx'", "submit 'to do.xlsx' --sandbox"),
        (
            "submit bad.csv --sandbox --all-or-nothing",
            "submit bad.result.csv --sandbox --all-or-nothing",
        ),
    ],
    "answers are due": [
        ("submit bad.csv --sandbox --no-wait", "results 1"),
        ("status 1", "resume 1"),
        ("runs", "resume"),
        ("resume", "submit bad.failed.xlsx --sandbox"),
    ],
    "settings": [
        ("config show", "init"),
        ("init --sandbox", "account check"),
        ("config show", "account check"),
    ],
    "answers are due in another home": [
        ("submit bad.csv --sandbox --no-wait --home h", "results 1 --home h"),
        ("results 1 --home h", "submit bad.failed.xlsx --sandbox --home h"),
    ],
}
SENT: dict[str, list[tuple[str, str]]] = {
    "sent": [
        (SEND, "status 2"),
        ("status 1", "results 1"),
        ("runs", "status 2"),
        ("runs --language en --home .", "demo --language en --home ."),
        ("diff bad.csv 1", ""),
        ("export offers --sandbox", "validate offers.xlsx"),
        ("export competing-offers --sandbox --gtin 1", ""),
        ("submit new.csv --sandbox", "status 3"),
        ("undo 3 --sandbox", "submit --plan undo-3.plan"),
    ],
    "held": [
        ("submit cheap.csv --sandbox --dry-run --changed-only", f"{RELEASE} --changed-only"),
        ("submit cheap.csv --sandbox --all-or-nothing", f"{RELEASE} --all-or-nothing"),
        ("submit cheap.csv --sandbox --home home", f"{RELEASE} --home home"),
        ("results 2", RELEASE),
        # Nothing is to be corrected.
        ("results 2 --failed-only", RELEASE),
        # Released but for one guard.
        (
            "submit cheap.csv --sandbox --release price-below-floor --rows 2 -v",
            "submit cheap.csv --release price-below-floor,price-factor --sandbox --rows 2",
        ),
        # Held beside what is wrong.
        ("submit both.csv --sandbox", "submit both.failed.xlsx --sandbox"),
        (RELEASE, "status 5"),
    ],
}
"""Walks from the home that `SEND` leaves."""


@pytest.fixture(autouse=True)
def _files(files: Files) -> None:
    files.csv(offer(1), name="my good.csv")
    files.csv(offer(1, price__price="8"), name="new.csv")
    files.csv(offer(1), name="-x.csv")
    files.csv(offer(1, price__price="1"), name="cheap.csv")
    files.csv(offer(1, product__gtin="36000291452"), name="zeros.csv")
    files.csv(offer(1, price__price="1"), offer(2, quantity="-1"), name="both.csv")
    files.csv(offer(1), offer(2, quantity="-1"), name="bad.csv")
    files.csv(offer(2, quantity="-1"), name="worse.csv")
    files.csv(offer(1, sellerExternalReference=" SKU-1\u00a0"), name="fixable.csv")


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home that `SEND` leaves."""
    folder = tmp_path_factory.mktemp("sent")
    Files(folder).csv(offer(1), name="good.csv")
    return made_by(folder, "submit good.csv --sandbox")


@pytest.mark.parametrize("case", CASES)
def test_the_next_command(feedtool: Feedtool, case: str) -> None:
    follow(feedtool, *CASES[case])


@pytest.mark.parametrize("walk", sample(WALKS, 3))
def test_the_next_commands_of_a_walk(feedtool: Feedtool, walk: str) -> None:
    for command, wanted in WALKS[walk]:
        follow(feedtool, command, wanted)


@pytest.mark.parametrize("walk", SENT)
def test_the_next_commands_after_sending(feedtool: Feedtool, sent: Path, walk: str) -> None:
    shutil.copytree(sent, "home")
    for command, wanted in SENT[walk]:
        follow(feedtool, command, wanted)


def follow(feedtool: Feedtool, command: str, wanted: str) -> None:
    """Assert that a command names this one as the next, or none."""
    ran = feedtool(command)
    assert ran.err.count("next: ") == bool(wanted), ran
    _, *named = ran.next.split("`")
    assert named[:1] == ([f"feedtool {wanted}"] if wanted else []), ran.err


def test_named_commands_can_be_run(feedtool: Feedtool) -> None:
    """Begin with a sheet with mistakes, and run the command that each one names."""
    line, typed, codes = "validate bad.csv --language fr", list[str](), list[int]()
    while len(typed) < len(WAY):
        typed.append(line.split(maxsplit=1)[0])
        ran = feedtool(line)
        codes.append(ran.code)
        if len(typed) == len(MISTAKEN):  # in the copy
            copy = Path("bad.result.csv")
            copy.write_bytes(copy.read_bytes().replace(b"-1,", b"1,").replace(b"-1;", b"1;"))
        line = ran.next.split("`")[1].removeprefix("feedtool ")
    assert (typed, codes) == (WAY, [*MISTAKEN, 0, 0, 0, 0])


WAY = ["validate", "validate", "validate", "submit", "submit", "status"]
MISTAKEN = [1, 1]


def test_a_secret_is_not_named(feedtool: Feedtool) -> None:
    ran = feedtool("submit bad.csv --dry-run --sandbox --token t0ken --client-secret s3cret")
    assert "`feedtool submit bad.csv --sandbox`" in ran.next


def test_a_name_that_cannot_be_typed_is_not_named(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1), name="bell\x07.csv")
    assert "next: " not in feedtool("validate", path).err


@pytest.mark.parametrize("language", sample(["fr", "es"], 1))
def test_the_next_command_is_in_the_user_s_language(feedtool: Feedtool, language: str) -> None:
    ran = feedtool(f"validate bad.csv --annotate --language {language}")
    label, _, text = ran.err.splitlines()[-1].partition(": ")
    assert label == {"fr": "ensuite\u00a0", "es": "después"}[language]
    command = text.split("`")[1]
    assert command == f"feedtool validate bad.result.csv --language {language}"
    read = feedtool(*shlex.split(command)[1:])
    assert read.code == 1


def test_a_sheet_of_ones_own_needs_its_recipe_again(feedtool: Feedtool, files: Files) -> None:
    files.text(
        "Réf;EAN;Prix TTC;Stock\nA-1;3760452700039;11,90;7\nA-2;4006381333931;5;x\n", "own.csv"
    )
    assert feedtool("map own.csv --as offers-update --out r.toml --yes").code == 0
    ran = feedtool("submit own.csv --sandbox --recipe r.toml")
    assert "`feedtool submit own.failed.xlsx --sandbox --recipe r.toml`" in ran.next
    assert feedtool(*shlex.split(ran.next.split("`")[1])[1:], "--dry-run").code == 1
