"""Every file that the tests make is annotated: nothing else changes, and it reads the same."""

from contextlib import suppress
from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem, UsageProblem
from tests.agreement.again import annotate_and_compare, annotate_and_compare_csv
from tests.agreement.reading import ours


@pytest.mark.long
def test_every_csv_that_the_tests_make(harvest: list[Path], tmp_path: Path) -> None:
    done = 0
    for path in harvest:
        if path.suffix in {".csv", ".txt", ".tsv"} and not path.read_bytes().startswith(b"PK"):
            with suppress(FileProblem):
                ours(path)
                done += annotate_and_compare_csv(path, tmp_path / "out")
    assert done > 100


@pytest.mark.long
def test_every_workbook_that_the_tests_make(harvest: list[Path], tmp_path: Path) -> None:
    done, refused = 0, []
    for path in harvest:
        if not path.read_bytes().startswith(b"PK"):
            continue
        with suppress(FileProblem):
            ours(path)
            try:
                done += annotate_and_compare(path, tmp_path / "out")
            except UsageProblem as error:
                refused.append((path, error))  # no room for our columns
    assert done > 100
    assert all("no room" in error.message for _, error in refused), refused
