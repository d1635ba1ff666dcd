"""Files spoilt by the thousand: each ends in rows or in a file error.

The short run is part of every suite. The long one (`-m long`) judges 20,000 files (those that
Hypothesis makes up are in `tests/corpus/test_annotated.py`):
`FUZZ_SEED` chooses another seed than 1, and a failing case says how to run it again.
"""

import json
import os
from collections.abc import Collection
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from tests.forked import ROOT, Child
from tests.fuzz.worker import KINDS, NOW

SEED = int(os.environ.get("FUZZ_SEED", "1"))

FIRST, SHORT = 9, 6
"""The number of the first file, and files of each kind; the long run has them, too."""
LONG = {
    "zip-bytes": 3000,
    "zip-parts": 2000,
    "zip-markup": 9000,
    "csv-bytes": 1500,
    "csv-text": 4500,
}

MOST_MIB = 125
"""Memory that a process takes to judge, beyond that of feedtool and of the test's own tools."""


def figures_of(
    kinds: Collection[str], count: int, folder: Path, *, minutes: float, first: int = 0
) -> dict[str, Any]:
    """The figures of each kind, from a process of its own that judged so many files of each."""
    options = [f"--seed={SEED}", f"--first={first}", f"--count={count}", f"--keep={folder}"]
    function = "tests.fuzz.worker:main"
    child = Child(function, [*kinds, *options], folder=ROOT, stdout=PIPE, stderr=PIPE)
    said, complained = child.communicate(60 * minutes)
    assert child.wait() == 0, f"{said}\n{complained}\n{(folder / NOW).read_text('utf-8')}"
    return dict(zip(kinds, map(json.loads, said.splitlines()), strict=True))


def assert_good(figures: dict[str, Any], count: int) -> None:
    assert figures["failures"] == [], json.dumps(figures["failures"], indent=2)
    assert figures["cases"] >= count
    assert figures["peak_mib"] < MOST_MIB, figures["hungriest"]
    assert figures["outcomes"].get("rows", 0) > count / 20, figures["outcomes"]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return figures_of(KINDS, SHORT, tmp_path_factory.mktemp("few"), minutes=25, first=FIRST)


@pytest.mark.parametrize("kind", KINDS)
def test_a_few(few: dict[str, Any], kind: str) -> None:
    assert_good(few[kind], SHORT)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_thousands(kind: str, tmp_path: Path) -> None:
    count = LONG[kind]
    assert_good(figures_of([kind], count, tmp_path, minutes=120)[kind], count)


def test_the_long_run_is_long_enough() -> None:
    assert sum(LONG.values()) >= 20_000
