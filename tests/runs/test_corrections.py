"""The place of the workbook of rows to correct, and its rows, from a check and from a run."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.feeds.template import FIRST_ROW
from feedtool.model.text import LanguageChoice
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.corrections import (
    place_of,
    places,
    results_to_correct,
    write_rows_to_correct,
)
from feedtool.runs.outputs import Outputs
from feedtool.runs.row_results import results_of_check
from feedtool.runs.workspace import kept_inputs, options_of
from tests.conftest import Files, checked, offer
from tests.runs.conftest import Desk


@pytest.mark.parametrize(
    ("copy", "place"),
    [
        ("a/offers.result.xlsx", "a/offers.failed.xlsx"),
        ("a/offers.result.csv", "a/offers.failed.xlsx"),
        ("offers.xlsm", "offers.failed.xlsx"),
        ("offers.failed.result.xlsx", "offers.failed-2.xlsx"),
        ("offers.failed-2.result.xlsx", "offers.failed-3.xlsx"),
        ("offers.failed-x.result.xlsx", "offers.failed-x.failed.xlsx"),
    ],
)
def test_the_place_of_the_corrections(copy: str, place: str) -> None:
    assert place_of(Path(copy)) == Path(place)


def test_no_two_go_to_one_place() -> None:
    targets = {"a.xlsx": Path("a.result.xlsx"), "a.csv": Path("a.result.csv")}
    found = places(targets)
    assert found == {"a.xlsx": Path("a.failed.xlsx"), "a.csv": Path("a.csv.failed.xlsx")}


ENGLISH = LanguageChoice("en")
MISTAKES = (offer(1), offer(2, quantity="-1"), offer(3), offer(4, condition="Shiny"))


def written(file: Input, results: Sequence[SheetResult], place: Path) -> int:
    return write_rows_to_correct(file, results, place, ReadOptions(), ENGLISH)


def problems(path: Path) -> list[str]:
    """The codes of the problems of each row."""
    return [
        f"{problem.row} {problem.code}" for sheet in checked(path) for problem in sheet.problems()
    ]


def test_a_check_gives_the_rows_to_correct_too(files: Files) -> None:
    file, place = Input("offers.csv", files.csv(*MISTAKES)), files.folder / "failed.xlsx"
    results = results_of_check(check([file], ReadOptions(), load()))
    assert written(file, results, place) == 2
    assert problems(file.path) == ["3 number-range", "5 enum-value"]
    first, second = FIRST_ROW, FIRST_ROW + 1
    assert problems(place) == [f"{first} number-range", f"{second} enum-value"]
    texts = [str(cell.value) for row in load_workbook(place).worksheets[0] for cell in row]
    assert any("The rows of offers.csv that cannot be sent as they are." in it for it in texts)
    assert not any("run" in text.split() for text in texts)


def test_no_file_is_written_without_rows_to_correct(files: Files) -> None:
    file, place = Input("offers.csv", files.csv(offer(1))), files.folder / "failed.xlsx"
    assert written(file, results_of_check(check([file], ReadOptions(), load())), place) == 0
    assert not place.exists()


def test_the_workbook_of_a_run_can_be_had_anywhere_and_is_the_same(
    desk: Desk, files: Files
) -> None:
    path = files.csv(*MISTAKES)
    targets = {"offers.csv": files.folder / "offers.result.csv"}
    desk.submit(path, outputs=Outputs(targets, language=ENGLISH))
    ours, elsewhere = files.folder / "offers.failed.xlsx", files.folder / "page/offers.failed.xlsx"
    ours.rename(kept := files.folder / "kept.xlsx")
    elsewhere.parent.mkdir()
    workspace = desk.workspace
    (file,) = kept_inputs(options_of(1, workspace), workspace)
    assert written(file, results_to_correct(1, workspace), elsewhere) == 2
    assert elsewhere.read_bytes() == kept.read_bytes()
    assert not ours.exists()
    assert desk.ledger.output(str(elsewhere)) is None
