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
    files.text('[profile.mine]\nseller = "1"\n', "shops.toml")
    files.text("[profile\n", "broken.toml")
    files.text("[profil.shop]\n", "table.toml")
    files.text('[defaults]\nlangauge = "fr"\n', "default.toml")
    files.text('[profile.shop]\ncurency = ["CHF"]\n', "field.toml")
    files.text("[profile.shop]\nvat_scale = 10\n", "value.toml")


def restricted(number: int) -> str:
    """A GTIN of the restricted range, whose product sheet the sandbox does not know."""
    digits = f"2{number:011d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


ENDS = {
    "valid": (["validate", "good.csv"], 0),
    "valid with warnings": (["validate", "good.csv", "--as", "offers-delete"], 0),
    "planned": (["submit", "--dry-run", "good.csv"], 0),
    "sent and integrated": (["submit", "--sandbox", "good.csv"], 0),
    "some invalid": (["validate", "bad.csv"], 1),
    "some invalid, planned": (["submit", "--dry-run", "bad.csv"], 1),
    "some invalid, the others sent": (["submit", "--sandbox", "bad.csv"], 1),
    "none valid": (["validate", "none.csv"], 1),
    "none valid, nothing sent": (["submit", "--sandbox", "none.csv"], 1),
    "some refused by the service": (["submit", "--sandbox", "refused.csv"], 1),
    "one held back by the other": (["submit", "--sandbox", "--all-or-nothing", "bad.csv"], 1),
    "all or nothing, and all valid": (["submit", "--sandbox", "--all-or-nothing", "good.csv"], 0),
    "missing": (["validate", "nope.csv"], 3),
    "a folder": (["validate", "."], 3),
    "empty": (["validate", "empty.csv"], 3),
    "no known template": (["validate", "other.csv"], 3),
    "several sheets": (["validate", "book.xlsx"], 3),
    "missing, not sent": (["submit", "--sandbox", "nope.csv"], 3),
    "missing, not planned": (["submit", "--dry-run", "nope.csv"], 3),
    "one missing, one valid": (["validate", "good.csv", "nope.csv"], 3),
    "one missing, one invalid": (["validate", "bad.csv", "nope.csv"], 3),
    "one invalid, one valid": (["validate", "good.csv", "bad.csv"], 1),
    "a wrong token": (["submit", "--sandbox", "good.csv", "--token", "wrong"], 4),
    "a wrong token, and a missing file": (
        ["submit", "--sandbox", "good.csv", "nope.csv", "--token", "wrong"],
        4,
    ),
    "not waited for": (["submit", "--sandbox", "--no-wait", "good.csv"], 6),
    "the demo, although some rows are refused": (["demo"], 0),
    "help": (["--help"], 0),
    "nothing": ([], 0),
    "version": (["--version"], 0),
    "help of a command": (["submit", "--help"], 0),
    "help by its name": (["help", "help"], 0),
    "a page": (["explain", "gtin-checksum"], 0),
    "all codes": (["explain"], 0),
    "a result code": (["explain", "2403"], 0),
    "a code of a report": (["explain", "GtinInvalid"], 0),
    "a template": (["template", "offers-upsert"], 0),
    "settings": (["config", "show"], 0),
}


@pytest.mark.parametrize("command", [[], ["submit"], ["catalog"], ["catalog", "sync"]], ids=str)
def test_help_is_a_word_too(feedtool: Feedtool, command: Sequence[str]) -> None:
    ran = feedtool("help", *command)
    assert ran == feedtool(*command, "--help")
    assert ran.out.startswith("Usage: ")


@pytest.mark.parametrize(("arguments", "code"), ENDS.values(), ids=ENDS)
def test_ends(feedtool: Feedtool, arguments: Sequence[str], code: int) -> None:
    ran = feedtool(*arguments)
    assert ran.code == code, ran
    assert "Traceback" not in ran.err + ran.out


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
@pytest.mark.parametrize(
    "name", ["valid", "some invalid", "missing", "one missing, one invalid", "a wrong token"]
)
def test_the_form_never_changes_the_code(feedtool: Feedtool, name: str, form: str) -> None:
    arguments, code = ENDS[name]
    assert feedtool(*arguments, "--format", form).code == code


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_wrong_token_is_told_in_one_line(feedtool: Feedtool, form: str) -> None:
    ran = feedtool("submit", "--sandbox", "good.csv", "--token", "wrong", "--format", form)
    assert ran.code == 4
    error, hint = ran.error()
    assert "token" in error
    assert "oken" in hint
    assert "wrong" not in ran.out + ran.err


def test_json_tells_what_stopped_a_delivery(feedtool: Feedtool) -> None:
    ran = feedtool("submit", "--sandbox", "good.csv", "--token", "wrong", "--format", "json")
    assert ran.only["stopped"]["message"] == ran.error()[0]
    (row,) = ran.only["results"]
    assert (row["status"], row["messages"][0]["message"][:8]) == ("Pending", "Not sent")


@pytest.mark.parametrize("name", ["missing", "a folder", "empty", "no known template"])
def test_a_file_that_cannot_be_read_is_told_once(feedtool: Feedtool, name: str) -> None:
    arguments, code = ENDS[name]
    ran = feedtool(*arguments)
    assert ran.code == code
    told = (ran.out + ran.err).splitlines()
    assert len([line for line in told if line.lstrip().startswith("error")]) == 1
    assert len([line for line in told if line.lstrip().startswith("help:")]) == 1
