"""Every file that the other tests make is read and annotated as it should be; it takes minutes."""

import os
import subprocess
import sys
import zipfile
from collections import Counter
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem, UsageProblem
from tests.corpus.copies import annotate_and_compare
from tests.corpus.measured import ROOT
from tests.corpus.reading import both_read, differing, explanation, ours

pytestmark = pytest.mark.long

SUITES = ("sheets", "check", "corpus", "feeds", "areas", "cli", "templates", "test_samples.py")
"""The tests that make files to be read."""
COPIES = "corpus/test_annotated.py"
"""These only make copies of the others' files."""
MOST = 30_000_000
"""Bytes of a file, unpacked; of more than that openpyxl makes gigabytes."""


@pytest.fixture(scope="session")
def harvest(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files that the other tests leave behind, each content once. It takes minutes."""
    folder = tmp_path_factory.mktemp("harvest") / "base"
    suites = [str(ROOT / "tests" / suite) for suite in SUITES]
    suites.append(f"--ignore={ROOT / 'tests' / COPIES}")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    done = subprocess.run(  # noqa: S603  # our own tests
        [*command, "-o", "tmp_path_retention_policy=all", f"--basetemp={folder}", *suites],
        cwd=ROOT,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    by_content = {sha256(path.read_bytes()).digest(): path for path in files if _size(path) < MOST}
    return list(by_content.values())


def _size(path: Path) -> int:
    """Bytes of a file, or of what is in it, as far as it says so."""
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as package:
        return sum(info.file_size for info in package.infolist())
    return path.stat().st_size


def _is_workbook(path: Path) -> bool:
    return path.read_bytes().startswith(b"PK")


def test_every_workbook_is_read_as_openpyxl_reads_it(harvest: list[Path]) -> None:
    workbooks = [path for path in harvest if _is_workbook(path) and both_read(path)]
    assert len(workbooks) > 100
    strange = {
        str(path): left
        for path in workbooks
        if (left := [pair for pair in differing(path) if explanation(pair) is None])
    }
    assert strange == {}


def test_every_file_is_annotated(harvest: list[Path], tmp_path: Path) -> None:
    done, refused = Counter[bool](), []
    for path in harvest:
        is_workbook = _is_workbook(path)
        if not is_workbook and path.suffix not in {".csv", ".txt", ".tsv"}:
            continue
        with suppress(FileProblem):
            ours(path)
            try:
                done[is_workbook] += annotate_and_compare(path, tmp_path / "out")
            except UsageProblem as error:
                refused.append((path, error))  # no room for our columns
    assert min(done[True], done[False]) > 100
    assert all("no room" in error.message for _, error in refused), refused
