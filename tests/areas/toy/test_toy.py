"""An area from outside: a folder that the package does not know, through all public commands."""

import csv
import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest
from openpyxl import load_workbook

from feedtool.areas import registry
from feedtool.check import Input, ReadOptions, check
from feedtool.check import requests as check_requests
from feedtool.model.sheet import CheckedSheet
from tests.cli.conftest import Feedtool, enter
from tests.conftest import Files, codes
from tests.resume.runner import killed

TOY = "tests.areas.toy"


def row(order: str, toy: str, quantity: str = "1", channels: str = "") -> dict[str, str]:
    return {"order": order, "toy": toy, "quantity": quantity, "channels": channels}


def checked(path: Path) -> CheckedSheet:
    (sheet,) = check([Input(path.name, path)], ReadOptions(), registry.load([TOY]))
    return sheet


def requests(sheet: CheckedSheet) -> list[tuple[object, ...]]:
    """The rows of each request, its number, its channel, its toys."""
    return [
        (
            (item.row, *item.further_rows),
            item.number,
            item.channel,
            [toy["toy"] for toy in json.loads(item.body)["toys"]],
        )
        for item in sheet.valid_items()
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row("O-1", "Kite")], [((2,), 0, "PRIMARY", ["Kite"])]),
        (
            [row("O-1", "Kite"), row("O-2", "Ball"), row("O-1", "Top")],
            [((2, 4), 0, "PRIMARY", ["Kite", "Top"]), ((3,), 0, "PRIMARY", ["Ball"])],
        ),
        (
            [row("O-1", "Kite", channels="A B"), row("O-1", "Top", channels="B C A")],
            [
                ((2, 3), 0, "A", ["Kite", "Top"]),
                ((2, 3), 1, "B", ["Kite", "Top"]),
                ((3,), 0, "C", ["Top"]),
            ],
        ),
    ],
    ids=["a row", "rows apart", "rows of several channels"],
)
def test_rows_become_requests(
    files: Files, rows: list[Mapping[str, str]], expected: list[tuple[object, ...]]
) -> None:
    assert requests(checked(files.csv(*rows))) == expected
    with mock.patch.object(check_requests, "TOGETHER", 1):
        assert requests(checked(files.csv(*rows))) == expected


WRONG = row("O-1", "Kite", "none")


@pytest.mark.parametrize(
    ("rows", "problems", "sent"),
    [
        ([WRONG, row("O-2", "Ball")], [(2, "number-format")], [(3,)]),
        (
            [row("O-1", "Ball"), row("O-2", "Ball"), WRONG],
            [(2, "request-incomplete"), (4, "number-format")],
            [(3,)],
        ),
        (
            [
                row("O-2", "Ball", channels="A"),
                row("O-2", "Doll", channels="B"),
                *(row("O-1", "Top", channels="B"), row("O-1", "Kite", "none", "A B")),
            ],
            [(4, "request-incomplete"), (5, "number-format")],
            [(2,), (3,)],
        ),
        (
            [row("O-1", "Kite", channels=f"{index} {index + 1}") for index in range(3)]
            + [row("O-1", "Kite", "none", "3")],
            [*((at, "request-incomplete") for at in (2, 3, 4)), (5, "number-format")],
            [],
        ),
        (
            [row("O-1", toy) for toy in "ABCDEFGHIJ"],
            [(2, "schema-mismatch"), *((at, "request-incomplete") for at in range(3, 12))],
            [],
        ),
    ],
    ids=["alone", "apart", "of a channel", "in a chain", "too many"],
)
def test_a_request_is_sent_whole_or_not_at_all(
    files: Files,
    rows: list[Mapping[str, str]],
    problems: list[tuple[int, str]],
    sent: list[tuple[int, ...]],
) -> None:
    sheet = checked(files.csv(*rows))
    assert codes(sheet) == problems
    assert [rows for rows, *_ in requests(sheet)] == sent
    assert [refused.row for refused in sheet.rows.refused] == sorted({at for at, _ in problems})


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home where all commands know the area."""
    monkeypatch.setattr(registry, "NAMES", (*registry.NAMES, TOY))
    enter(tmp_path, monkeypatch)


ROWS = (
    row("O-1", "Kite"),
    row("O-2", "Ball"),
    row("O-1", "Top", channels="PRIMARY SECOND"),
    row("O-2", "Dragon"),
)
PARCELS = [("O-1", "PRIMARY", ["Kite", "Top"]), ("O-1", "SECOND", ["Top"])]


def parcels() -> list[tuple[str, str, list[str]]]:
    """The parcels that the service has received, by order and channel."""
    with closing(sqlite3.connect("home/sandbox.sqlite")) as state, state:
        bodies = [json.loads(body) for (body,) in state.execute("SELECT body FROM parcels")]
    return sorted(
        (body["order"], body["channel"], [toy["toy"] for toy in body["toys"]]) for body in bodies
    )


@pytest.mark.usefixtures("toys")
def test_its_template_is_filled_and_validated(feedtool: Feedtool) -> None:
    assert feedtool("template", "toy-parcels").code == 0
    book = load_workbook("toy-parcels.xlsx")
    sheet = book["Parcels"]
    assert [cell.value for cell in sheet[1]] == [
        *(
            "Order number\u00a0*",
            "Name of the toy\u00a0*",
            "Number of toys\u00a0*",
            "Sales channels",
        ),
    ]
    sheet.delete_rows(3)  # the example
    sheet.append(["O-1", "Kite", 0, None])
    sheet.append(["O-1", "Top", 1, None])
    book.save("toy-parcels.xlsx")
    ran = feedtool("validate", "toy-parcels.xlsx", "--format", "json")
    assert (ran.code, ran.only["kindReason"]) == (1, "as its template says")
    assert [(problem["row"], problem["code"]) for problem in ran.only["problems"]] == [
        (3, "number-range"),
        (4, "request-incomplete"),
    ]


@pytest.mark.usefixtures("toys")
def test_a_dry_run_writes_its_requests(files: Files, feedtool: Feedtool) -> None:
    path = files.csv(*ROWS, name="toys.csv")
    ran = feedtool("submit", path, "--dry-run", "--requests", "requests", "--format", "json")
    assert ran.only["packages"] == []
    assert [(one["act"], one["key"], one["rows"]) for one in ran.only["acts"]] == [
        *((1, "O-1", [2, 4]), (2, "O-2", [3, 5]), (3, "O-1", [4])),
    ]
    written = sorted(Path("requests/toys.csv").iterdir())
    assert [path.name for path in written] == [
        "request-001-Parcel-PRIMARY.json",
        "request-002-Parcel-PRIMARY.json",
        "request-003-Parcel-SECOND.json",
    ]
    assert json.loads(written[2].read_bytes())["toys"] == [{"toy": "Top", "quantity": 1}]


@pytest.mark.usefixtures("toys")
def test_a_profile_has_its_settings(files: Files, feedtool: Feedtool) -> None:
    path, profile = files.csv(ROWS[0], name="toys.csv"), Path("feedtool.toml")
    profile.write_text('[profile.shop.toys]\nwrapping = "bag"\n')
    feedtool("submit", path, "--profile", "shop", "--dry-run", "--requests", "requests")
    (request,) = Path("requests").rglob("*.json")
    assert json.loads(request.read_bytes())["wrapping"] == "bag"
    assert "toys.wrapping  bag" in feedtool("config", "show", "--profile", "shop").out
    properties = feedtool("config", "show", "--json-schema").json["properties"]
    toys = properties["profile"]["additionalProperties"]["properties"]["toys"]
    assert toys["properties"]["wrapping"] == {
        "enum": ["box", "bag"],
        "default": "box",
        "description": "The wrapping of every parcel.",
    }
    profile.write_text('[profile.shop.toys]\nwrapping = "sack"\n')
    ran = feedtool("validate", path, "--profile", "shop")
    assert ran.error() == (
        f"{profile}, shop, [toys]: wrapping = 'sack' is not possible",
        "use one of 'box', 'bag'",
    )


@pytest.mark.usefixtures("toys")
def test_toys_are_submitted_answered_and_exported(files: Files, feedtool: Feedtool) -> None:
    path = files.csv(*ROWS, name="toys.csv")
    ran = feedtool("submit", path, "--sandbox", "--format", "json")
    results = {
        (result["row"], result["salesChannelId"]): result["status"]
        for result in ran.only["results"]
    }
    assert (ran.code, results) == (
        1,
        {
            (2, "PRIMARY"): "Packed",
            (3, "PRIMARY"): "Rejected",
            (4, "PRIMARY"): "Packed",
            (4, "SECOND"): "Packed",
            (5, "PRIMARY"): "Rejected",
        },
    )
    with Path("toys.result.csv").open(encoding="utf-8-sig", newline="") as file:
        beside = [(one["feedtool status"], one["feedtool message"]) for one in csv.DictReader(file)]
    assert [status for status, _ in beside] == ["Packed", "Rejected", "Packed", "Rejected"]
    assert sorted(beside[2][1].split("; ")) == ["PRIMARY Packed", "SECOND Packed"]
    assert "Nobody sends dragons" in beside[1][1]
    assert parcels() == PARCELS
    again = feedtool("submit", path, "--sandbox", "--format", "json")
    assert again.only["results"][0]["messages"][0]["message"] == "It was sent before."
    assert parcels() == PARCELS
    # Its status is counted, and explained.
    assert "2 Packed" in feedtool("submit", files.csv(ROWS[0], ROWS[2]), "--sandbox").out
    assert "2 Packed" in feedtool("runs").out
    explained = feedtool("explain", "Packed").out
    assert "The parcel is packed, with all toys of the order." in explained
    assert "Packed" in feedtool("explain").out
    assert feedtool("export", "toy-parcels", "--sandbox", "--out", "had.csv").code == 0
    exported = list(csv.DictReader(Path("had.csv").read_text("utf-8-sig").splitlines()))
    assert [(one["order"], one["toy"], one["channels"]) for one in exported] == [
        *(("O-1", "Kite", "PRIMARY"), ("O-1", "Top", "PRIMARY"), ("O-1", "Top", "SECOND")),
    ]


@pytest.mark.usefixtures("toys")
def test_its_files_are_brought_into_a_folder(files: Files, feedtool: Feedtool) -> None:
    """Whole, under names that lead nowhere else; none is written over, or brought twice."""
    feedtool("submit", files.csv(*ROWS, name="toys.csv"), "--sandbox")
    Path("labels").mkdir()
    Path("labels/label_.txt").write_text("mine")
    for _ in range(2):
        ran = feedtool("export", "toy-labels", "--sandbox", "--out", "labels")
        assert (ran.code, "1 file is not there" in ran.err) == (1, True)
        table = Path("labels/toy-labels.csv").read_text("utf-8-sig").splitlines()
        listed = list(csv.DictReader(table))
        assert [(row["id"], row["file"]) for row in listed] == [("1", "label_ (2).txt"), ("2", "")]
        assert "The label does not exist" in listed[1]["problem"]
        assert sorted(path.name for path in Path("labels").iterdir()) == [
            *("label_ (2).txt", "label_.txt", "toy-labels.csv"),
        ]
    brought = Path("labels/label_ (2).txt")
    assert (brought.read_text(), brought.stat().st_mode & 0o777) == ("To O-1", 0o600)
    assert hashlib.sha256(b"To O-1").hexdigest() == listed[0]["sha256"]


WRITES = 40
"""A submit of two requests reaches fewer points; at a later one nothing dies."""


# The normal run kills acts of the package's own areas.
@pytest.mark.long
@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("at", range(WRITES))
def test_killed_at_a_write_each_parcel_is_sent_once(
    files: Files, feedtool: Feedtool, at: int
) -> None:
    files.csv(ROWS[0], ROWS[2], name="toys.csv")
    points = killed(at, "submit", "toys.csv", "--sandbox")
    assert len(points) <= WRITES
    assert feedtool("resume").code in {0, 9}
    ran = feedtool("results", "1", "--format", "json")
    if not ran.out or not ran.only["results"]:  # it died before its rows were written down
        assert not any(" before add_output" in point for point in points)
        ran = feedtool("submit", "toys.csv", "--sandbox", "--format", "json")
    assert [(result["row"], result["status"]) for result in ran.only["results"]] == [
        *((2, "Packed"), (3, "Packed"), (3, "Packed")),
    ]
    assert parcels() == PARCELS
