"""Each benchmark still works, with few rows; what it measures then says nothing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WAYS = {
    "validate": ["openpyxl read-only + jsonschema + json", "feedtool"],
    "recipe": ["feedtool with a recipe", "feedtool"],
    "annotate": ["openpyxl load + save, unchecked", "feedtool"],
    "million": ["feedtool, one process", "feedtool"],
    "start": ['`python -c "import click"`', "feedtool"],
    "ten": ['`python -c "import click"`', "feedtool"],
    "ten-sent": ['`python -c "import sqlalchemy, httpx"`', "feedtool"],
    "cells": ["lxml, bare parse", "feedtool"],
}


def printed_by(folder: Path, *command: str) -> list[list[str]]:
    """The cells of the table that a benchmark prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    done = subprocess.run(  # noqa: S603  # our own
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    table = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in table[2:]]


USUAL = {"annotate"}
"""Benchmarks that use all parts of the others, and of `cells.py`, which has tests of its own."""


@pytest.mark.parametrize(
    "name",
    [name if name in USUAL else pytest.param(name, marks=pytest.mark.long) for name in WAYS],
)
def test_a_job_measures_each_way(tmp_path: Path, name: str) -> None:
    rows = printed_by(tmp_path, "benchmarks/run.py", name, "--small")
    assert [row[1] for row in rows] == WAYS[name]
    for _, _, time, _, _, memory, _ in rows:
        assert float(time.removesuffix(" s")) > 0
        assert int(memory.removesuffix(" MiB")) > 0


@pytest.mark.long
def test_a_delivery_prints_its_three_figures(tmp_path: Path) -> None:
    ((title, _, _, _, ratios, memory, _),) = printed_by(
        tmp_path, "benchmarks/load.py", "--rows=300", "--latency=1"
    )
    assert title == "deliver 300 rows"
    lanes, ledger = ratios.split(", ")
    assert re.fullmatch(r"lanes ([0-9.]+|inf) \(at most 1.15\)", lanes)
    assert re.fullmatch(r"ledger [0-9.]+% \(at most 10%\)", ledger)
    assert re.fullmatch(r"[0-9]+ MiB \(at most 80\)", memory)


def test_there_are_no_other_jobs() -> None:
    from benchmarks.run import JOBS

    assert list(JOBS) == list(WAYS)
