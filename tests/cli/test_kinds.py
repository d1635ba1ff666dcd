"""What kind of feed a sheet is: it is said with the result, and asked where it is unclear."""

import sys
from contextlib import closing, redirect_stderr
from pathlib import Path
from sqlite3 import connect

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.cli import run
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import applied_requests
from tests.cli.conftest import Feedtool
from tests.cli.test_safe import Terminal
from tests.conftest import Files, offer, update

STATE = Path("home/sandbox.sqlite")
QUESTION = "New offers, or an update of existing ones?"
FORMS = ("text", "json", "jsonl")
COMMANDS = {
    "validate": ("validate", "offers.csv"),
    "submit": ("submit", "offers.csv", "--sandbox"),
    "a dry run": ("submit", "offers.csv", "--dry-run"),
    "convert": ("convert", "offers.csv", "out.xlsx"),
}


@pytest.fixture(autouse=True)
def _unclear(files: Files) -> None:
    """Two offers without VAT, in `offers.csv`."""
    files.csv(offer(1, taxes__VAT=None), offer(2, taxes__VAT=None))


def types_sent() -> list[str]:
    """The types of what the service was sent; it knows no offers, and refuses each Update."""
    if not STATE.exists():
        return []
    with Sandbox(sandbox_parts(), STATE) as sandbox:
        return [str(one.package_type) for one in applied_requests(sandbox)]


def on_terminal(monkeypatch: pytest.MonkeyPatch, answer: str, *arguments: str) -> tuple[int, str]:
    """The exit code of a command that somebody types, and what it says on stderr."""
    stdin, stderr = Terminal(is_terminal=True), Terminal(is_terminal=True)
    stdin.write(answer)
    stdin.seek(0)
    monkeypatch.setattr(sys, "stdin", stdin)
    with redirect_stderr(stderr):
        code = run(list(arguments))
    return code, stderr.shown()


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("form", FORMS)
def test_without_a_terminal_it_is_refused(
    feedtool: Feedtool, command: tuple[str, ...], form: str
) -> None:
    ran = feedtool(*command, "--format", form)
    assert ran.code == 3
    said = ran.out + ran.err
    assert "need the column taxes.VAT" in said
    assert "say --as offers-update" in said
    assert QUESTION not in said
    assert types_sent() == []


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(("answer", "code"), [("update\n", 0), ("new\n", 3), ("what\nnew\n", 3)])
def test_on_a_terminal_it_is_asked(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], answer: str, code: int
) -> None:
    # The service refuses the Updates, and an Update cannot hold all that `convert` is given.
    is_refused = "--sandbox" in command or command[0] == "convert"
    ended, said = on_terminal(monkeypatch, answer, *command)
    assert ended == (code or is_refused), said
    assert QUESTION in said
    assert "need the column taxes.VAT" in said
    is_sent = "--sandbox" in command and not code
    assert types_sent() == (["Update"] * 2 if is_sent else [])


SILENT = {
    "JSON": ("validate", "offers.csv", "--format", "json"),
    "JSON lines": ("submit", "offers.csv", "--sandbox", "--format", "jsonl"),
    "a plan": ("submit", "offers.csv", "--dry-run", "--save-plan", "plan.jsonl"),
}


@pytest.mark.parametrize("command", SILENT.values(), ids=SILENT)
def test_a_script_is_asked_nothing(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    code, said = on_terminal(monkeypatch, "update\n", *command)
    assert code == 3
    assert QUESTION not in said


@pytest.mark.parametrize("is_older", [False, True], ids=["a run", "a run of an older feedtool"])
def test_what_a_sheet_was_taken_for_holds_for_the_run(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch, *, is_older: bool
) -> None:
    code, _ = on_terminal(monkeypatch, "update\n", "submit", "offers.csv", "--sandbox")
    assert code == 1
    if is_older:
        with closing(connect("home/ledger.sqlite")) as ledger, ledger:
            ledger.execute("UPDATE runs SET options = json_remove(options, '$.kinds')")
    Path("offers.result.csv").unlink()
    ran = feedtool("results 1")
    assert ran.code == 1, ran.err
    assert "offers-update" in ran.out
    assert Path("offers.result.csv").exists()
    assert feedtool("results 1 --failed-only").code == 1
    ran = feedtool("validate offers.failed.xlsx")
    assert ran.code == 0
    assert "offers-update (as its template says)" in ran.out


SAID = {
    "an option": (("--as", "offers-update"), ""),
    "the configuration": ((), '[defaults]\nas = "offers-update"\n'),
}


@pytest.mark.parametrize(("options", "settings"), SAID.values(), ids=SAID)
def test_where_the_kind_is_said_it_is_not_asked(
    feedtool: Feedtool, files: Files, options: tuple[str, ...], settings: str
) -> None:
    files.text(settings, "feedtool.toml")
    ran = feedtool("submit offers.csv --sandbox", *options)
    assert ran.code == 1, ran.err
    assert types_sent() == ["Update"] * 2


FIRST = {
    "new offers": (offer(), "offers-upsert (every required column is there)"),
    "no product": (update(price__price="5"), "offers-update (no column names a product)"),
    "a stock list": (
        update(quantity="5", condition=None, product__gtin="4006381333931"),
        "offers-update (a stock list: no price, no condition)",
    ),
    "actions": (update(action="Delete"), "offers-delete (its action column says so)"),
}


@pytest.mark.parametrize(("row", "said"), FIRST.values(), ids=FIRST)
def test_the_first_line_says_what_it_is_and_why(
    feedtool: Feedtool, files: Files, row: dict[str, str], said: str
) -> None:
    path = files.csv(row, name="first.csv")
    ran = feedtool("validate", path.name)
    assert ran.out.splitlines()[0] == f"first.csv  {said}, header in row 1"
    kind, _, reason = said.partition(" (")
    told = feedtool("validate", path.name, "--format", "json").only
    assert (told["kind"], told["kindReason"]) == (kind, reason.removesuffix(")"))


def test_each_header_of_an_unclear_sheet_is_explained(feedtool: Feedtool) -> None:
    ran = feedtool("validate offers.csv --explain-columns")
    assert ran.code == 3
    assert "product.gtin" in ran.out.partition("error[kind-unclear]")[0]
