"""Commands of areas at a sandbox whose lists were exported once.

The desk of `tests.sandbox.desk`, the command of `tests.cli`, and the stores of `tests.buckets`.
"""

import csv
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox
from tests.buckets import bucket, s3, store
from tests.cli.conftest import (
    STATE,
    Feedtool,
    Ran,
    catalogue,
    enter,
    feedtool,
    made_by,
    rows_of,
    synced,
)
from tests.resume.runner import killed
from tests.sandbox.desk import desk, new_desk

__all__ = ["bucket", "catalogue", "desk", "feedtool", "new_desk", "s3", "store", "synced"]

Enter = Callable[..., None]
"""Commands that export; from now on the test is in a copy of the folder that they leave."""


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The folder in which these commands ran, with its home; the same one each time."""
    folders: dict[tuple[str, ...], Path] = {}

    def folder(*commands: str) -> Path:
        if commands not in folders:
            folders[commands] = tmp_path_factory.mktemp("exported")
            made_by(folders[commands], *commands)
        return folders[commands]

    return folder


@pytest.fixture
def enter_exported(
    exported: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Enter:
    def copy(*commands: str) -> None:
        shutil.copytree(exported(*commands), tmp_path, dirs_exist_ok=True)
        enter(tmp_path, monkeypatch)

    return copy


def rows_read_once(path: str, sheet: str) -> list[dict[str, Any]]:
    """The rows of an exported sheet; those of a file's copies are read once."""
    return [dict(row) for row in _rows_of_content(Path(path).read_bytes(), sheet)]


@lru_cache(maxsize=16)
def _rows_of_content(content: bytes, sheet: str) -> list[dict[str, Any]]:
    return rows_of(BytesIO(content), sheet)


def submit(feedtool: Feedtool, path: str | Path, *more: str) -> Ran:
    return feedtool("submit", path, "--sandbox", "--format", "json", *more)


def fill_csv(
    path: str, target: str, wanted: Iterable[Mapping[str, Any]], *new: Mapping[str, Any]
) -> None:
    """Fills the rows of an exported CSV as a person does, each with its cells, and adds some.

    A CSV is much quicker to read and to answer than a workbook. Columns that it lacks come last.
    """
    filled = [*wanted]
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    names = dict.fromkeys(name for cells in (rows[0], *filled, *new) for name in cells)
    with Path(target).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows({**row, **cells} for row, cells in zip(rows, filled, strict=True))
        writer.writerows(new)


def effects() -> Counter[tuple[str, str]]:
    """The number of times of each effect in the embedded sandbox."""
    with Sandbox(sandbox_parts(), STATE) as sandbox:
        return Counter((effect.kind, effect.key) for effect in sandbox.effects())


@contextmanager
def state() -> Iterator[Connection]:
    """The database of the embedded sandbox."""
    with Sandbox(sandbox_parts(), STATE) as sandbox, sandbox.state.transaction() as db:
        yield db


def pass_time(duration: timedelta) -> None:
    """Let time pass at the embedded sandbox."""
    microseconds = duration // timedelta(microseconds=1)
    with state() as db:
        db.execute("UPDATE clock SET offset_us = offset_us + ?", (microseconds,))


def killed_and_resumed(feedtool: Feedtool, at: int, most: int, *arguments: str) -> Ran:
    """The results of run 1, of which the process died at a write, and which then went on.

    The command is given again where it died before its rows were written down.
    """
    points = killed(at, *arguments)
    assert len(points) <= most
    feedtool("resume")
    ran = feedtool("results", "1", "--format", "json")
    if not ran.out or not ran.only["results"]:
        assert not any(" before add_output" in point for point in points)
        ran = feedtool(*arguments, "--format", "json")
    return ran
