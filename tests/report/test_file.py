import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from feedtool.model.errors import UsageProblem
from feedtool.report import SheetResult, write_report
from feedtool.runs.codes import all_codes

CODES = all_codes()


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.json", b'[\n  {\n    "file": "offers.xlsx"'),
        ("r.csv", b"\xef\xbb\xbfrecord,file,"),
        ("R.HTML", b"<!doctype html>"),
    ],
)
def test_the_name_says_the_form(
    mistaken: SheetResult, tmp_path: Path, name: str, start: bytes
) -> None:
    write_report(tmp_path / name, [mistaken], CODES)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["report", "report.xlsx", "report.txt"])
def test_another_name_is_refused_naming_the_three(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageProblem, match="says what it is") as caught:
        write_report(tmp_path / name, [], CODES)
    assert caught.value.hint == "end it in .json, .csv or .html"


def test_an_earlier_report_is_replaced(mistaken: SheetResult, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("old")
    write_report(path, [mistaken], CODES)
    assert json.loads(path.read_bytes())[0]["invalid"] == 3


@pytest.mark.parametrize("name", ["missing/r.csv", "folder.csv"])
def test_what_cannot_be_written_is_one_clear_line(
    mistaken: SheetResult, tmp_path: Path, name: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageProblem, match=r"the report .* cannot be written: "):
        write_report(tmp_path / name, [mistaken], CODES)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


def test_a_report_that_breaks_off_leaves_the_old_one(mistaken: SheetResult, tmp_path: Path) -> None:
    def breaking() -> Iterator[SheetResult]:
        yield mistaken
        raise OSError(28, "No space left on device")

    path = tmp_path / "r.json"
    path.write_text("old")
    with pytest.raises(UsageProblem, match="No space left on device"):
        write_report(path, breaking(), CODES)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["r.json"]
