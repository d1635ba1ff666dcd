"""Every file of the corpus annotated: nothing but ours differs, and the copy reads the same.

What is read of a workbook is what openpyxl reads of it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from tests.corpus import test_operator, test_texts, test_workbooks
from tests.corpus.books import BOOKS, parameters
from tests.corpus.books import SIMILAR as SIMILAR_BOOKS
from tests.corpus.copies import NO_ROOM, assert_copied
from tests.corpus.made import Case
from tests.corpus.reading import DIFFERENCES, UNREADABLE_TO_OPENPYXL, assert_read_alike
from tests.fuzz import shapes
from tests.fuzz.seeds import texts

CASES: dict[str, Case] = {
    **{f"workbook: {name}": case for name, case in test_workbooks.CASES.items()},
    **{f"writing: {name}": case for name, case in test_texts.WRITINGS.items()},
    **{f"text: {name}": case for name, case in test_texts.CASES.items()},
    **{f"operator: {name}": case for name, case in test_operator.OTHERS.items()},
}
OF_WORKBOOKS = {"workbook", "operator"}
NO_COPY = {
    "workbook: a lone cell in the last corner": NO_ROOM,
}
"""Files without room for three more columns."""
ENDS = {
    "samples/products.xlsx": "catalog-missing",
}
"""The books that no check reads to its end, and what it says."""


SIMILAR = {
    *(f"writing: {name}" for name in test_texts.SIMILAR),
    *("workbook: a workbook", "workbook: shared strings", "workbook: labels above keys"),
    *("workbook: headers as numbers stand beside known ones", "workbook: a hidden sheet first"),
    *("workbook: a row without a number counts on", "workbook: a row that is hidden"),
    "workbook: UTF-16, most significant byte first",
    *("operator: an example beside the operator's own sheet", "operator: the example, named"),
}
"""Files that differ for a reader, and are annotated as one of the others or of `BOOKS`."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long) if name in SIMILAR else name for name in CASES],
)
def test_cases(tmp_path: Path, name: str) -> None:
    case, (kind, _, own) = CASES[name], name.partition(": ")
    file = case.write(tmp_path)
    if kind in OF_WORKBOOKS:
        assert_read_alike(file, own)
    outcome = assert_copied(file, tmp_path / "out", case.sheet)
    assert outcome == NO_COPY.get(name, case.error or "rows")


@pytest.mark.parametrize("name", parameters(BOOKS))
def test_books(tmp_path: Path, name: str) -> None:
    file = tmp_path / "book.xlsx"
    file.write_bytes(BOOKS[name]())
    assert_read_alike(file, name)
    assert assert_copied(file, tmp_path / "out") == ENDS.get(name, "rows")


def test_workbooks_that_are_read_otherwise_are_in_the_usual_run() -> None:
    """A workbook that goes by another name would no longer show its difference."""
    usual = {*BOOKS} - SIMILAR_BOOKS
    assert {*DIFFERENCES.values()} <= usual
    assert {*UNREADABLE_TO_OPENPYXL} <= usual | {*test_workbooks.CASES}


@pytest.mark.parametrize("name", texts())
def test_seeds(tmp_path: Path, name: str) -> None:
    file = tmp_path / "text.csv"
    file.write_bytes(texts()[name])
    assert assert_copied(file, tmp_path / "out") == "rows"


@settings(max_examples=2, derandomize=True)
@given(shapes.workbooks())
def test_workbooks_made_up(content: bytes) -> None:
    check_made_up("made.xlsx", content)


@settings(max_examples=5, derandomize=True)
@given(shapes.csv_files())
def test_texts_made_up(content: bytes) -> None:
    check_made_up("made.csv", content)


@pytest.mark.long
@settings(max_examples=2500, deadline=None)
@given(shapes.workbooks() | shapes.csv_files())
def test_thousands_made_up(content: bytes) -> None:
    check_made_up("made.xlsx", content)


def check_made_up(name: str, content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(content)
        assert assert_copied(file, Path(folder) / "out")
