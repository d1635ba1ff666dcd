"""Files and output of a check or a delivery, and their names."""

import csv
import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import OURS, Feedtool
from tests.conftest import Files, offer, table


@pytest.fixture
def file(files: Files) -> Path:
    """Two offers, one of them invalid."""
    return files.csv(offer(1), offer(2, quantity="-1", sellerExternalReference=" SKU-2"))


def annotated(path: Path) -> list[list[str]]:
    """The last three fields of every record."""
    with path.open(encoding="utf-8", newline="") as file:
        return [record[-3:] for record in csv.reader(file)]


def test_the_answer_is_beside_every_row(feedtool: Feedtool, file: Path) -> None:
    before = file.read_bytes()
    assert feedtool("submit --sandbox --no-failed", file).code == 1
    assert file.read_bytes() == before
    head, integrated, invalid = annotated(Path("offers.result.csv"))
    assert [head, integrated] == [OURS, ["Integrated", "", "8000"]]
    assert (invalid[0], invalid[2]) == ("Invalid", "number-range, trimmed")
    again = feedtool("validate offers.result.csv --format json")
    assert (again.counts[1:], again.only["headerRow"]) == ([1, 1, 0, 1], 1)
    feedtool("submit --sandbox --no-failed offers.result.csv")
    assert Path("offers.result-2.csv").exists()


def test_planned_requests_equal_the_sent_ones(feedtool: Feedtool, file: Path) -> None:
    feedtool("submit --dry-run", file, "--requests", "planned")
    assert sorted(path.name for path in Path().iterdir()) == ["offers.csv", "planned"], "no copy"
    feedtool("submit --sandbox --no-failed", file, "--requests", "sent")
    name = "offers.csv/package-001-Upsert-PRIMARY/upload-001.json"
    assert Path("planned", name).read_bytes() == Path("sent", name).read_bytes()
    assert len(json.loads(Path("sent", name).read_bytes())) == 1


COPIES = {"--annotate": "offers.result.csv", "--out c.csv": "c.csv", "--in-place": "offers.csv"}


@pytest.mark.parametrize(("options", "copy"), COPIES.items())
def test_the_place_of_the_copy_of_a_check(
    feedtool: Feedtool, file: Path, options: str, copy: str
) -> None:
    ran = feedtool(f"validate {file.name} {options} --format json")
    assert [row[0] for row in annotated(Path(copy))] == [OURS[0], "Valid", "Invalid"]
    assert Path(ran.only["annotated"]).name == copy


def test_standard_input(feedtool: Feedtool) -> None:
    text = table([offer(1), offer(2, quantity="-1")]).encode()
    ran = feedtool("validate - --format json", stdin=text)
    assert (ran.code, ran.only["file"], ran.only["rows"]) == (1, "-", 2)
    assert feedtool("submit --sandbox --no-failed - --out copy.csv", stdin=text).code == 1
    assert [row[0] for row in annotated(Path("copy.csv"))] == [OURS[0], "Integrated", "Invalid"]
    feedtool("submit --dry-run - --requests out", stdin=text)
    (request,) = Path("out").rglob("*.json")
    assert request.as_posix() == "out/stdin/package-001-Upsert-PRIMARY/upload-001.json"


def test_unreadable_files_make_no_run(feedtool: Feedtool, file: Path) -> None:
    assert feedtool("submit --sandbox nowhere.csv").code == 3
    assert feedtool("runs --format json").json == []
    feedtool("submit --sandbox --no-failed nowhere.csv", file)
    assert [Path(one).name for one in feedtool("runs --format json").only["files"]] == [file.name]


@pytest.mark.parametrize(
    ("command", "types"),
    [
        ("validate", {"file", "problem", "summary"}),
        ("submit --dry-run", {"file", "problem", "row", "summary"}),
        ("submit --sandbox --no-failed", {"file", "problem", "row", "summary", "progress"}),
    ],
)
def test_an_event_a_line(feedtool: Feedtool, file: Path, command: str, types: set[str]) -> None:
    ran = feedtool(command, file, "--format", "jsonl", "--report", "report.csv")
    assert "report: report.csv" in ran.err
    assert Path("report.csv").exists()
    told = [event["type"] for event in ran.events]
    assert types - {"progress"} <= set(told) <= types
    assert told[-1] == "summary"


# Names that are too long, or no UTF-8: they work where they can, else a line says why.

NOT_UTF8 = os.fsdecode(b"caf\xe9")
LONG, LONGEST, TOO_LONG = ("x" * length for length in (244, 251, 300))
"""The copy of the first fits, only the file of the second, nothing of the third."""
WORK = {
    "not UTF-8": (["validate", f"{NOT_UTF8}.csv", "--annotate"], f"{NOT_UTF8}.result.csv"),
    "a long one": (["validate", f"{LONG}.csv", "--annotate"], f"{LONG}.result.csv"),
    "the longest": (["validate", f"{LONGEST}.csv"], ""),
    "the longest, copied elsewhere": (["validate", f"{LONGEST}.csv", "--out", "o.csv"], "o.csv"),
    "a plan": (["submit", "--dry-run", f"{NOT_UTF8}.csv", "--requests", "all"], "all"),
    "line breaks": (["submit", "--sandbox", "two\nlines.csv"], "two\nlines.result.csv"),
    "controls": (["submit", "--sandbox", "bell\x07\x1b[31m.csv"], "bell\x07\x1b[31m.result.csv"),
}
NO_NAMES = {
    "not UTF-8": (["submit", "--sandbox", f"{NOT_UTF8}.csv"], "not UTF-8"),
    "its folder": (["submit", "--sandbox", f"{NOT_UTF8}/a.csv"], "not UTF-8"),
    "its copy": (["submit", "--sandbox", "a.csv", "--out", f"{NOT_UTF8}.csv"], "not UTF-8"),
    "no room for the copy": (["submit", "--sandbox", f"{LONGEST}.csv"], "name is too long"),
    "no room for its check": (["validate", "--annotate", f"{LONGEST}.csv"], "name is too long"),
    "a copy too long": (["validate", "a.csv", "--out", f"{TOO_LONG}.csv"], "name is too long"),
    "sent, too long": (["submit", "--sandbox", f"{TOO_LONG}.csv"], "is too long"),
    "a template": (["template", "offers-update", "--out", f"{TOO_LONG}.xlsx"], "is too long"),
}


@pytest.fixture
def _odd_names(files: Files) -> None:
    for name in ("a", NOT_UTF8, f"{NOT_UTF8}/a", LONG, LONGEST, "two\nlines", "bell\x07\x1b[31m"):
        files.csv(offer(), name=f"{name}.csv")


@pytest.mark.usefixtures("_odd_names")
@pytest.mark.parametrize(("arguments", "written"), WORK.values(), ids=WORK)
def test_names_that_work(feedtool: Feedtool, arguments: list[str], written: str) -> None:
    ran = feedtool(*arguments)
    assert (ran.code, ran.said) == (0, "")
    assert Path(written).exists()


@pytest.mark.usefixtures("_odd_names")
@pytest.mark.parametrize(("arguments", "message"), NO_NAMES.values(), ids=NO_NAMES)
def test_names_that_are_refused(feedtool: Feedtool, arguments: list[str], message: str) -> None:
    ran = feedtool(*arguments)
    assert ran.code == 2
    assert message in ran.error()[0]
    assert not list(Path().rglob("*.result.csv"))
    assert feedtool("runs --format json").json == []


@pytest.mark.usefixtures("_odd_names")
def test_a_workbook_of_failed_rows_has_a_name_that_can_be_recorded(feedtool: Feedtool) -> None:
    assert feedtool("submit --sandbox --no-failed a.csv --as offers-update").code == 1
    for name, message in ((NOT_UTF8, "not UTF-8"), (TOO_LONG, "is too long")):
        ran = feedtool("results 1 --failed-only --out", f"{name}.xlsx")
        assert (ran.code, message in ran.error()[0]) == (2, True)
