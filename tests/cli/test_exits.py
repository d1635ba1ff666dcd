"""Exit codes, with any form of output."""

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, gtin, offer

WRONG_TOKEN = "submit --sandbox good.csv --token wrong"
CODES = {
    0: (
        *("validate good.csv", "submit --dry-run good.csv", "--help", "", "--version"),
        "submit --sandbox --all-or-nothing good.csv",
        *("help help", "explain", "explain gtin-checksum", "explain 2403", "explain GtinInvalid"),
        "config show",
    ),
    1: (
        *("validate bad.csv", "validate good.csv bad.csv"),
        "submit --sandbox none.csv --no-failed",
        "submit --sandbox refused.csv --no-failed",
        "submit --sandbox --all-or-nothing bad.csv --no-failed",
    ),
    3: (
        *("validate book.xlsx", "submit --sandbox nope.csv", "validate bad.csv nope.csv"),
        "validate . --annotate",
    ),
    4: (WRONG_TOKEN, "submit --sandbox good.csv nope.csv --token wrong"),
    6: ("submit --sandbox --no-wait good.csv",),
}
ENDS = {command: code for code, commands in CODES.items() for command in commands}


@pytest.fixture(autouse=True)
def _folder(files: Files) -> None:
    """The files that the commands name."""
    bad = offer(1, quantity="-1")
    for name, rows in {"good": [offer(1)], "bad": [bad, offer(2)], "none": [bad]}.items():
        files.csv(*rows, name=f"{name}.csv")
    # The sandbox knows no product sheet of a GTIN of the restricted range.
    files.csv(offer(1, product__gtin=gtin(1, first=2)), offer(2), name="refused.csv")
    files.book({"March": [offer()], "April": [offer(2)]}, name="book.xlsx")
    files.text("something else\n", "other.csv")
    files.text("", "empty.csv")


@pytest.mark.parametrize("command", ["", "submit", "catalog", "catalog sync"])
def test_help_is_a_word_too(feedtool: Feedtool, command: str) -> None:
    ran = feedtool(f"help {command}")
    assert ran == feedtool(f"{command} --help")
    assert ran.out.startswith("Usage: ")


@pytest.mark.parametrize("code", CODES)
def test_ends(feedtool: Feedtool, code: int) -> None:
    for command in CODES[code]:
        ran = feedtool(command)
        assert ran.code == code, ran
        assert "Traceback" not in ran.err + ran.out


ANY_FORM = ("validate good.csv", "validate bad.csv", "validate bad.csv nope.csv", WRONG_TOKEN)


@pytest.mark.parametrize("command", ANY_FORM)
def test_the_form_never_changes_the_code(feedtool: Feedtool, command: str) -> None:
    for form in ("json", "jsonl"):
        assert feedtool(command, "--format", form).code == ENDS[command]


def test_json_names_the_stop_of_a_delivery(feedtool: Feedtool) -> None:
    ran = feedtool(f"{WRONG_TOKEN} --format json")
    assert "--token wrong" not in ran.out + ran.err
    assert ran.only["stopped"]["message"] == ran.error()[0]
    (row,) = ran.only["results"]
    assert (row["status"], row["messages"][0]["message"][:8]) == ("Pending", "Not sent")


@pytest.mark.parametrize("file", ["nope.csv", ".", "empty.csv", "other.csv"])
def test_an_unreadable_file_is_reported_once(feedtool: Feedtool, file: str) -> None:
    ran = feedtool("validate", file)
    assert ran.code == 3
    lines = [line.strip() for line in (ran.out + ran.err).splitlines()]
    assert len([line for line in lines if line.startswith("error")]) == 1
    assert len([line for line in lines if line.startswith("help:")]) == 1
