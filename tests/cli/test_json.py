"""`--format json` and `jsonl` of commands; their fields are shown one by one in `tests/report`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer, update

SPLIT = {"action": "Upsert", "salesChannelId": ""}
PLACES = (("Upsert", "PRIMARY"), ("Upsert", "SECOND"), ("Delete", "PRIMARY"))


@pytest.fixture
def mixed(files: Files) -> Path:
    """Two Upserts, one of them for another channel, a Delete, and a row that is invalid."""
    return files.csv(
        offer(1, colour="red") | SPLIT,
        offer(2) | SPLIT | {"salesChannelId": "SECOND"},
        update(3, action="Delete"),
        offer(4, product__gtin="4006381333932") | SPLIT,
        name="mixed.csv",
    )


def statuses(found: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["row"], row["status"]) for row in found["results"]]


def test_validate(feedtool: Feedtool, mixed: Path) -> None:
    read, missing = feedtool("validate --format json", mixed, "nope.csv").json
    assert (read["file"], read["kind"]) == (str(mixed), "offers-upsert")
    assert (read["sheet"], read["headerRow"], read["error"]) == (None, 1, None)
    assert (read["rows"], read["valid"], read["invalid"], read["skipped"]) == (4, 3, 1, 0)
    assert read["warnings"] == 1
    problems = {one["severity"]: (one["row"], one["line"], one["code"]) for one in read["problems"]}
    assert problems == {
        "warning": (None, None, "unknown-column"),
        "error": (5, 5, "gtin-checksum"),
    }
    assert missing["error"]["code"] == "file-missing"
    assert (missing["file"], missing["rows"], missing["problems"]) == ("nope.csv", 0, [])


def test_a_dry_run(feedtool: Feedtool, mixed: Path) -> None:
    found = feedtool("submit --dry-run --format json", mixed).only
    assert found["run"] is None
    assert [tuple(package.values()) for package in found["packages"]] == [
        (None, kind, channel, None, 1, 1) for kind, channel in PLACES
    ]
    assert statuses(found) == [(2, "Valid"), (3, "Valid"), (4, "Valid"), (5, "Invalid")]
    assert found["results"][3]["messages"][0]["resultCode"] == "gtin-checksum"


def test_the_sandbox(feedtool: Feedtool, mixed: Path) -> None:
    ran = feedtool("submit --sandbox --format json", mixed)
    assert (ran.code, ran.only["run"]) == (1, "1")
    identifiers, *_ = zip(*(package.values() for package in ran.only["packages"]), strict=True)
    assert [tuple(package.values())[1:] for package in ran.only["packages"]] == [
        (kind, channel, "Integrated", 1, 1) for kind, channel in PLACES
    ]
    assert all(identifiers)
    expected = [(2, "Integrated"), (3, "Integrated"), (4, "Rejected"), (5, "Invalid")]
    assert statuses(ran.only) == expected
    assert ran.only["results"][0]["messages"][0]["resultCode"] == "8000"


@pytest.mark.parametrize("way", ["--dry-run", "--sandbox"])
def test_a_file_that_cannot_be_sent_has_an_object_too(
    feedtool: Feedtool, mixed: Path, way: str
) -> None:
    _, missing = feedtool("submit --format json", way, mixed, "nope.csv").json
    assert (missing["packages"], missing["results"]) == ([], [])
    assert missing["error"]["code"] == "file-missing"


@pytest.mark.parametrize(
    ("command", "types"),
    [
        ("validate", {"file", "problem", "summary"}),
        ("submit --dry-run", {"file", "problem", "row", "summary"}),
        ("submit --sandbox", {"file", "problem", "row", "summary", "progress"}),
    ],
)
def test_an_event_a_line(feedtool: Feedtool, mixed: Path, command: str, types: set[str]) -> None:
    ran = feedtool(command, mixed, "--format", "jsonl")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert {event["type"] for event in events} <= types
    assert types - {event["type"] for event in events} <= {"progress"}
    assert events[-1]["type"] == "summary"


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_data_alone_goes_to_stdout(feedtool: Feedtool, mixed: Path, form: str) -> None:
    ran = feedtool("submit --sandbox --report report.csv", mixed, "--format", form)
    for line in ran.out.splitlines() if form == "jsonl" else [ran.out]:
        json.loads(line)
    assert "report" in ran.err
