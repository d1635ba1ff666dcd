"""The books as files, and every file that other tests make."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest

from tests.agreement.books import BOOKS, ROOT

SUITES = (
    "sheets",
    "check",
    "corpus",
    "columns",
    "feeds",
    "rules",
    "cli",
    "test_samples.py",
    "test_template.py",
)
"""The tests that make files to be read."""
COPIES = "corpus/test_annotated.py"
"""These only make copies of the others' files."""
MOST = 30_000_000
"""Bytes of a file, unpacked; of more than that openpyxl makes gigabytes."""


@pytest.fixture
def book(tmp_path: Path) -> Callable[[str], Path]:
    """A book of `BOOKS`, written to a file."""

    def write(name: str) -> Path:
        path = tmp_path / "book.xlsx"
        path.write_bytes(BOOKS[name]())
        return path

    return write


@pytest.fixture(scope="session")
def harvest(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files that the other tests leave behind, each content once. It takes minutes."""
    folder = tmp_path_factory.mktemp("harvest") / "base"
    suites = [str(ROOT / "tests" / suite) for suite in SUITES]
    suites.append(f"--ignore={ROOT / 'tests' / COPIES}")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV_")}
    done = subprocess.run(  # noqa: S603  # our own tests
        [*command, f"--basetemp={folder}", *suites],
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
