"""The list of packages of all users, by state and channel."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.offers.package_list import EXPORT
from feedtool.model.errors import NothingToDo
from tests.answers import Answers
from tests.answers import exported as export
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer

PAGES: tuple[Sequence[Mapping[str, Any]], ...] = (
    [
        {
            "packageId": "p1",
            "packageType": "Upsert",
            "state": "Ready",
            "submissionDate": "2026-11-20",
        }
    ],
    [{"packageId": "p2", "state": "Rejected", "result": {"message": "Empty."}}, {"state": "None"}],
)
CALLS: dict[str, tuple[dict[str, Any], list[dict[str, str]]]] = {
    "all": ({}, [{}]),
    "a state": ({"state": ("Ready",)}, [{"state": "Ready"}]),
    "states of channels": (
        {"state": ("Ready", "Integrated"), "sales_channel": ("B",)},
        [
            {"state": "Ready", "salesChannelId": "B"},
            {"state": "Integrated", "salesChannelId": "B"},
        ],
    ),
}


@pytest.mark.parametrize(("filters", "queries"), CALLS.values(), ids=CALLS)
def test_packages_are_asked_for_by_state_and_channel(
    tmp_path: Path, filters: dict[str, Sequence[str]], queries: list[dict[str, str]]
) -> None:
    service = Answers([{"packageId": "p1"}], [{"packageId": "p2"}])
    service.ends_after(0)
    export(EXPORT, tmp_path / "packages.csv", service=service, **filters)
    assert [dict(call.query) for call in service.calls] == queries


def test_every_page_is_read(tmp_path: Path) -> None:
    path = tmp_path / "packages.csv"
    assert export(EXPORT, path, *PAGES).rows == 3
    header, *rows = path.read_text("utf-8-sig").splitlines()
    assert header == "packageId,packageType,state,submissionDate,result.message"
    assert rows[0] == "p1,Upsert,Ready,2026-11-20T00:00:00,"
    assert rows[1] == "p2,,Rejected,,Empty."


def test_without_packages_the_list_is_empty(tmp_path: Path) -> None:
    with pytest.raises(NothingToDo):
        export(EXPORT, tmp_path / "packages.csv", [])
    assert not list(tmp_path.iterdir())


def test_packages_from_the_command_line(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1))
    assert feedtool("submit", path, "--sandbox").code == 0
    assert feedtool("export offer-packages --sandbox --out packages.csv").code == 0
    assert "PRIMARY,Integrated" in Path("packages.csv").read_text("utf-8-sig")
