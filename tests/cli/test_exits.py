"""Every way to end: its exit code, and one line that says what and one that says what to do."""

from collections.abc import Sequence

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer


@pytest.fixture(autouse=True)
def _folder(files: Files) -> None:
    """The files that the commands name."""
    files.csv(offer(1), name="good.csv")
    files.csv(offer(1, quantity="-1"), offer(2), name="bad.csv")
    files.csv(offer(1, quantity="-1"), name="none.csv")
    files.csv(offer(1, product__gtin=restricted(1)), offer(2), name="refused.csv")
    files.book({"March": [offer()], "April": [offer(2)]}, name="book.xlsx")
    files.text("something else\n", "other.csv")
    files.text("", "empty.csv")


def restricted(number: int) -> str:
    """A GTIN of the restricted range, whose product sheet the sandbox does not know."""
    digits = f"2{number:011d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


ENDS = {
    "validate good.csv": 0,
    "submit --dry-run good.csv": 0,
    "submit --sandbox good.csv": 0,
    "validate bad.csv": 1,
    "submit --sandbox bad.csv": 1,
    "submit --sandbox none.csv": 1,
    "submit --sandbox refused.csv": 1,
    "submit --sandbox --all-or-nothing bad.csv": 1,
    "submit --sandbox --all-or-nothing good.csv": 0,
    "validate nope.csv": 3,
    "validate .": 3,
    "validate empty.csv": 3,
    "validate other.csv": 3,
    "validate book.xlsx": 3,
    "submit --sandbox nope.csv": 3,
    "validate bad.csv nope.csv": 3,
    "validate good.csv bad.csv": 1,
    "submit --sandbox good.csv --token wrong": 4,
    "submit --sandbox good.csv nope.csv --token wrong": 4,
    "submit --sandbox --no-wait good.csv": 6,
    "demo": 0,
    "--help": 0,
    "": 0,
    "--version": 0,
    "help help": 0,
    "explain": 0,
    "explain gtin-checksum": 0,
    "validate . --annotate": 3,
    "explain 2403": 0,
    "explain GtinInvalid": 0,
    "config show": 0,
}


@pytest.mark.parametrize("command", [[], ["submit"], ["catalog"], ["catalog", "sync"]], ids=str)
def test_help_is_a_word_too(feedtool: Feedtool, command: Sequence[str]) -> None:
    ran = feedtool("help", *command)
    assert ran == feedtool(*command, "--help")
    assert ran.out.startswith("Usage: ")


@pytest.mark.parametrize(("command", "code"), ENDS.items())
def test_ends(feedtool: Feedtool, command: str, code: int) -> None:
    ran = feedtool(command)
    assert ran.code == code, ran
    assert "Traceback" not in ran.err + ran.out


WRONG_TOKEN = "submit --sandbox good.csv --token wrong"
ANY_FORM = ("validate good.csv", "validate bad.csv", "validate bad.csv nope.csv", WRONG_TOKEN)


@pytest.mark.parametrize("form", ["json", "jsonl"])
@pytest.mark.parametrize("command", ANY_FORM)
def test_the_form_never_changes_the_code(feedtool: Feedtool, command: str, form: str) -> None:
    assert feedtool(command, "--format", form).code == ENDS[command]


def test_json_tells_what_stopped_a_delivery(feedtool: Feedtool) -> None:
    ran = feedtool(f"{WRONG_TOKEN} --format json")
    assert "--token wrong" not in ran.out + ran.err
    assert ran.only["stopped"]["message"] == ran.error()[0]
    (row,) = ran.only["results"]
    assert (row["status"], row["messages"][0]["message"][:8]) == ("Pending", "Not sent")


@pytest.mark.parametrize("file", ["nope.csv", ".", "empty.csv", "other.csv"])
def test_a_file_that_cannot_be_read_is_told_once(feedtool: Feedtool, file: str) -> None:
    ran = feedtool("validate", file)
    assert ran.code == 3
    lines = [line.strip() for line in (ran.out + ran.err).splitlines()]
    assert len([line for line in lines if line.startswith("error")]) == 1
    assert len([line for line in lines if line.startswith("help:")]) == 1
