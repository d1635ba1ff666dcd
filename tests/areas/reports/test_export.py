"""Reports and their files, from any list and any names of the service."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.reports import wire
from feedtool.areas.reports.export import EXPORTS, REPORTS
from feedtool.feeds.export import Export
from feedtool.model.call import Call, Reply
from feedtool.model.errors import Exit, NothingToDo
from tests.answers import BASE, Answers
from tests.answers import exported as export
from tests.cli.conftest import Feedtool

(_, DOCUMENTS) = EXPORTS


class Service:
    """Lists reports, and gives the files that it has; a client takes these into a file."""

    def __init__(self, reports: Any, files: Mapping[str, bytes] | None = None) -> None:
        self._reports, self._files = reports, files or {}

    def send(self, call: Call) -> Reply:
        """A file, the list on any page, or 404."""
        name = call.target.removeprefix("/reports/").removesuffix("/report-documents")
        if call.target == "/reports":
            return Reply(200, {}, json.dumps(self._reports).encode(), f"{BASE}{call.target}")
        if name not in self._files or call.into is None:
            return Reply(404, url=BASE)
        call.into.write_bytes(self._files[name])
        return Reply(200, {"content-type": "application/pdf"}, url=BASE)


def table(kind: Export, folder: Path, service: Any) -> list[dict[str, str]]:
    path = folder / "list.csv"
    export(kind, path, service=service)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


LISTS: dict[str, tuple[Any, list[str]]] = {
    "bare": ([{"reportId": "R1"}, {"reportId": "R2"}], ["R1", "R2"]),
    "in a wrapper, by another name": ({"items": [{"id": 7}]}, ["7"]),
    "with what is no report, and one without an identifier": (
        [{"reportId": "R1"}, "R2", {"label": "?"}],
        ["R1", ""],
    ),
}


@pytest.mark.parametrize(("reports", "expected"), LISTS.values(), ids=LISTS)
def test_the_list(tmp_path: Path, reports: Any, expected: list[str]) -> None:
    assert [row["reportId"] for row in table(REPORTS, tmp_path, Service(reports))] == expected


def test_unspecified_members_are_exported_unchanged(tmp_path: Path) -> None:
    report = {"reportId": "R1", "createdAt": "2026-11-01T00:00:00Z", "new": {"part": 1}}
    (row,) = table(REPORTS, tmp_path, Service([report]))
    assert row == {"reportId": "R1", "createdAt": "2026-11-01T00:00:00", "new.part": "1"}


def test_pages_are_followed(tmp_path: Path) -> None:
    service = Answers([{"reportId": "R1"}], [{"reportId": "R2"}])
    assert [row["reportId"] for row in table(REPORTS, tmp_path, service)] == ["R1", "R2"]


def test_an_empty_export_writes_no_file(tmp_path: Path) -> None:
    with pytest.raises(NothingToDo):
        table(REPORTS, tmp_path, Service([]))
    assert not list(tmp_path.iterdir())


GIVEN = "content-disposition"
NAMES: dict[str, tuple[dict[str, str], str]] = {
    "the service's": ({GIVEN: 'attachment; filename="May 2026.pdf"'}, "May 2026.pdf"),
    "of any alphabet": ({GIVEN: "inline; filename*=UTF-8''%C3%A9t%C3%A9.pdf"}, "été.pdf"),
    "none": ({}, "R1"),
    "none, of a sort": ({"content-type": "application/pdf"}, "R1.pdf"),
    "none in it": ({GIVEN: "inline", "content-type": "text/csv; a=b"}, "R1.csv"),
    "of an unknown sort": ({"content-type": "x/y"}, "R1"),
}


@pytest.mark.parametrize(("headers", "expected"), NAMES.values(), ids=NAMES)
def test_the_name_of_a_file(headers: dict[str, str], expected: str) -> None:
    assert wire.file_name(Reply(200, headers), "R1") == expected


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    service = Service([{"reportId": "A/B"}, {"reportId": "R2"}], {"A%2FB": b"%PDF-1"})
    one, other = table(DOCUMENTS, tmp_path, service)
    assert (one["file"], other["file"]) == ("A/B.pdf", "")
    assert (tmp_path / "A/B.pdf").read_bytes() == b"%PDF-1"
    assert other["problem"]


def test_reports_are_exported_by_the_command(feedtool: Feedtool, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    for _ in range(2):
        code, out, err = feedtool(f"export report-documents --sandbox --out {folder}")
        assert (code, out.splitlines()[-1]) == (Exit.OK, "4 rows"), err
        assert sorted(path.suffix for path in folder.iterdir()) == [".csv", ".csv", *[".pdf"] * 3]
