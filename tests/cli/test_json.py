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


@pytest.mark.parametrize(
    ("command", "types"),
    [
        ("validate", {"file", "problem", "summary"}),
        ("submit --dry-run", {"file", "problem", "row", "summary"}),
        ("submit --sandbox", {"file", "problem", "row", "summary", "progress"}),
    ],
)
def test_an_event_a_line(feedtool: Feedtool, mixed: Path, command: str, types: set[str]) -> None:
    ran = feedtool(command, mixed, "--format", "jsonl", "--report", "report.csv")
    assert "report: report.csv" in ran.err
    assert Path("report.csv").exists()
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert {event["type"] for event in events} <= types
    assert types - {event["type"] for event in events} <= {"progress"}
    assert events[-1]["type"] == "summary"
