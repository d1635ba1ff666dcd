"""`forget` on the command line."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, made_by
from tests.conftest import Files, offer

LEDGER, SNAPSHOTS = Path("home/ledger.sqlite"), Path("home/snapshots")
FORGET = "forget --older-than 90d"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody with three old runs."""
    folder = tmp_path_factory.mktemp("old")
    for quantity in ("1", "2", "3"):
        Files(folder).csv(offer(1, quantity=quantity), offer(2))
        home = made_by(folder, "submit --sandbox offers.csv")
    with closing(sqlite3.connect(folder / LEDGER, isolation_level=None)) as opened:
        opened.execute("UPDATE runs SET started_at = '2025-01-02T03:04:05.000000+00:00'")
    for path in (folder / SNAPSHOTS).iterdir():  # as if they were kept with their runs
        os.utime(path, (0, 0))
    return home


@pytest.fixture
def ledger(home: Path) -> Iterator[sqlite3.Connection]:
    """The ledger of these runs, in the test's own home."""
    shutil.copytree(home, "home")
    with closing(sqlite3.connect(LEDGER, isolation_level=None)) as opened:
        yield opened


@pytest.mark.usefixtures("ledger")
def test_forget_lists_its_runs(feedtool: Feedtool) -> None:
    there = {*SNAPSHOTS.iterdir()}
    would, done = feedtool(f"{FORGET} --dry-run"), feedtool(FORGET)
    assert would.code == done.code == 0
    assert would.out == done.out
    assert [line.split() for line in done.out.splitlines()] == [
        ["Seller", "Runs", "Rows", "Oldest", "Newest", "Stays"],
        ["sandbox", "2", "4", "2025-01-02", "2025-01-02"],
    ]
    assert would.err == "note: would be forgotten: 2 runs, 4 rows, 2 snapshots\n"
    assert done.err == "note: forgotten: 2 runs, 4 rows, 2 snapshots\n"
    assert len(there - {*SNAPSHOTS.iterdir()}) == 2
    again = feedtool(FORGET)
    assert (again.code, again.out, again.err) == (0, "", "note: no run is to be forgotten\n")
    # Any command names a forgotten run as such.
    for command in ("results 1", "resume 1", "status 1", "undo 1 --sandbox"):
        ran = feedtool(command)
        assert ran.code == 2
        what, way_out = ran.error()
        assert what.startswith("run 1 was forgotten on 20")
        assert way_out.startswith("its answers are in the annotated copy")


@pytest.mark.usefixtures("ledger")
def test_json_names_every_run(feedtool: Feedtool) -> None:
    (one,) = feedtool(f"{FORGET} --format json").events
    (of,) = one.pop("sellers")
    assert one == {"runs": 2, "rows": 4, "snapshots": 2}
    assert (of["seller"], of["runs"], of["rows"], of["stays"]) == ("sandbox", ["1", "2"], 4, None)
    assert of["from"] == "2025-01-02T03:04:05+00:00"


def test_forget_names_kept_runs_with_their_reason(
    feedtool: Feedtool, ledger: sqlite3.Connection
) -> None:
    ledger.execute("UPDATE counts SET held = 1 WHERE run_id = 2")
    line = feedtool(FORGET).out.splitlines()[1]
    assert line.endswith("from run 2 on: guards hold rows of it")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("forget", "Missing option '--older-than'"),
        ("forget --older-than 90", "--older-than 90 is not a time"),
        ("forget --older-than 6d", "runs are kept for at least 7 days"),
    ],
)
def test_runs_are_forgotten_only_by_age(feedtool: Feedtool, words: str, reason: str) -> None:
    ran = feedtool(words)
    assert ran.code == 2
    assert reason in ran.err


@pytest.mark.usefixtures("ledger")
def test_counts_are_kept_where_that_is_wanted(feedtool: Feedtool) -> None:
    before = feedtool("runs").out.splitlines()
    feedtool(f"{FORGET} --keep-counts")
    lines = feedtool("runs").out.splitlines()
    assert lines[0] == before[0]
    assert [line.partition(" (forgotten 20")[0] for line in lines[1:]] == [
        line.removesuffix(" (finished)") for line in before[1:]
    ]
    shown = feedtool("status 1 --format json").events[0]
    assert shown["statuses"] == {"Integrated": 2}
    assert shown["forgotten"].startswith("20")
    assert shown["packages"] == []
    feedtool(FORGET)
    assert feedtool("runs").out.splitlines() == lines[:1]


def test_the_ledger_s_file_becomes_smaller(feedtool: Feedtool, ledger: sqlite3.Connection) -> None:
    # As if the requests of the first run were large.
    ledger.execute(
        "UPDATE requests SET body = zeroblob(2000000) WHERE file IN"
        " (SELECT file FROM files WHERE run_id = 1)"
    )
    ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = LEDGER.stat().st_size
    ran = feedtool(FORGET)
    assert "note: the ledger's file had 4." in ran.err
    assert LEDGER.stat().st_size < before - 3_900_000
    assert ledger.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
