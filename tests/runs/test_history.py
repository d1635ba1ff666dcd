"""Facts of runs: files, hashes, counts, users, times and deadlines."""

import hashlib
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.delivery.deadlines import ServiceClock
from feedtool.ledger.lock import who
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import Translator
from feedtool.runs.deliver import results, resume
from feedtool.runs.history import RunState, every_run, run_state, write_run, write_runs
from tests.conftest import Files, offer
from tests.pairs import sample
from tests.runs.conftest import ADDRESS, START, Desk

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def after(desk: Desk, passed: timedelta = timedelta(0), number: int = 1) -> RunState:
    """The state of a run at this time from now."""
    return run_state(desk.ledger, number, clocks(desk, desk.transport.now() + passed))


def clocks(desk: Desk, now: datetime) -> Callable[[str], ServiceClock]:
    """The services' clocks at this local time."""
    return lambda service: ServiceClock(now, desk.ledger.skew(service))


def text(found: RunState, form: str = "text", *, is_verbose: bool = False) -> str:
    out = io.StringIO()
    write_run(found, out, form, Translator("en"), is_verbose=is_verbose)
    return out.getvalue()


def fields(found: RunState) -> dict[str, Any]:
    one: dict[str, Any] = json.loads(text(found, "json"))
    return one


def submit_and_lose(desk: Desk, path: Path) -> None:
    """Submits a file and loses the line once its package is open."""
    calls = count()
    whole = desk.session
    lost = Interrupted("the line is gone")
    desk.session = replace(whole, stopping=lambda: lost if next(calls) > 2 else None)
    assert desk.submit(path).stopped
    desk.session = whole
    assert desk.ledger.read_packages(1)[0].package_id, "the package is open"


def test_a_finished_run_in_full(desk: Desk, files: Files) -> None:
    path = files.csv(offer(1), offer(2, quantity="-1"), offer(3, product__gtin="1"))
    desk.submit(path)
    found, digest = after(desk), hashlib.sha256(path.read_bytes()).hexdigest()
    ((_, package, *_),) = found.packages
    brief, kinds, _ = text(found).splitlines()
    assert brief.startswith("Run 1, 2026-03-02 09:00 UTC, seller seller, offers.csv: 1 Integrated")
    assert kinds == "  offers.csv: offers-upsert"
    assert text(found, is_verbose=True).splitlines() == [
        (
            f"Run 1, 2026-03-02 09:00 UTC, by {who()}, seller seller, offers.csv ({digest[:12]}):"
            " 1 Integrated, 2 Invalid (finished)"
        ),
        f"  offers.csv: offers-upsert, SHA-256 {digest}",
        (
            f"  offers.csv: package 1 ({package.package_id}), Upsert, channel PRIMARY, 1 row:"
            " integrated"
        ),
    ]
    told = fields(found)
    assert told["who"] == who()
    assert told["files"] == ["offers.csv"]
    assert told["inputs"] == [{"file": "offers.csv", "sha256": digest, "kinds": ["offers-upsert"]}]
    assert (told["rows"], told["statuses"]) == (3, {"Integrated": 1, "Invalid": 2})
    assert (told["warnings"], told["finished"]) == ([], True)


LOST = [
    (True, 0 * HOUR, "what was uploaded expires at {at}, in 6 h 0 min", False),
    (True, 4.9 * HOUR, "what was uploaded expires at {at}, in 1 h 6 min", False),
    (True, 5.5 * HOUR, "what was uploaded expires at {at}, in 30 min", True),
    (True, 6 * HOUR, "what was uploaded has expired ({at})", True),
    (False, DAY, "its results are deleted at {at}, in 2 days 0 h", False),
    (False, 2.5 * DAY, "its results are deleted at {at}, in 12 h 0 min", True),
    (False, 3 * DAY, "its results have been deleted ({at})", True),
]
"""An open package (or a committed one), the time since then, and what is said of it."""


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "committed"])
def test_an_open_package_is_kept_for_six_hours_and_results_for_three_days(
    desk: Desk, files: Files, *, is_open: bool
) -> None:
    path = files.csv(offer())
    if is_open:
        submit_and_lose(desk, path)
    else:
        desk.submit(path, wait=False)
    deadline = after(desk).packages[0].deadline
    assert deadline
    assert not is_open or deadline == START + 6 * HOUR
    kept = 6 * HOUR if is_open else 3 * DAY
    for passed, told, is_warned in (row[1:] for row in LOST if row[0] == is_open):
        found = run_state(desk.ledger, 1, clocks(desk, deadline - kept + passed))
        assert told.format(at=f"{deadline:%Y-%m-%d %H:%M} UTC") in text(found)
        assert not found.is_finished
        assert bool(found.warnings) is is_warned, told
        package = fields(found)["packages"][0]
        assert package["deadline"] == deadline.isoformat()
        assert package["secondsLeft"] == int((kept - passed).total_seconds())


def test_the_next_command_warns_of_another_run_s_deadline(desk: Desk, files: Files) -> None:
    submit_and_lose(desk, files.csv(offer(1), name="early.csv"))
    later = files.csv(offer(2), name="late.csv")
    desk.transport.sleep(4 * 3600)
    assert desk.submit(later).warnings == []
    desk.transport.sleep(1.5 * 3600)
    (warning,) = desk.submit(files.csv(offer(3), name="last.csv")).warnings
    assert warning.startswith("run 1: package ")
    assert warning.endswith(
        "what was uploaded expires at 2026-03-02 15:00 UTC; go on with it: feedtool resume 1"
    )


@pytest.mark.parametrize("ahead", [2 * HOUR, -2 * HOUR], ids=["fast", "slow"])
def test_the_service_s_clock_counts(tmp_path: Path, files: Files, ahead: timedelta) -> None:
    desk = Desk(tmp_path / "home")
    desk.session = replace(desk.session, now=lambda: desk.transport.now() - ahead)
    submit_and_lose(desk, files.csv(offer(1)))
    assert abs(desk.ledger.skew(desk.session.address) - ahead) <= timedelta(seconds=1)
    desk.transport.sleep(5.5 * 3600)
    assert len(desk.submit(files.csv(offer(2), name="late.csv")).warnings) == 1
    desk.close()


def test_all_of_them_newest_first_or_the_last(desk: Desk, files: Files) -> None:
    for number in range(3):
        desk.submit(files.csv(offer(number), name=f"{number}.csv"))
    for last, runs in ((None, [3, 2, 1]), (2, [3, 2])):
        found = [*every_run(desk.ledger, clocks(desk, START), last)]
        assert [one.run.run_id for one in found] == runs
    out = io.StringIO()
    write_runs(found, out, "jsonl", Translator("en"))
    files_of = [json.loads(line)["files"] for line in out.getvalue().splitlines()]
    assert files_of == [["2.csv"], ["1.csv"]]


def test_counts_are_those_of_the_verdicts(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(1), offer(2), name="first.csv"))
    rows = [offer(1), offer(2, product__gtin=offer(9)["product.gtin"]), offer(4, quantity="x")]
    submission = desk.submit(files.csv(*rows, offer(5), name="second.csv"))
    verdicts = [
        verdict.status for outcome in submission.outcomes for verdict in outcome.every_verdict()
    ]
    counts = after(desk, number=2).counts
    assert counts == {status: verdicts.count(status) for status in set(verdicts)}
    assert len(counts) > 2
    results(2, desk.workspace, START)


# Rows that cannot be as they are.


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a seller's home and ledger of three runs, to be copied."""
    folder = tmp_path_factory.mktemp("three")
    files = Files(tmp_path_factory.mktemp("files"))
    with closing(Desk(folder / "home", folder / "ledger.sqlite")) as desk:
        for number in (1, 2, 3):
            desk.submit(files.csv(offer(number), name=f"{number}.csv"))
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home", tmp_path / "ledger.sqlite")
    yield made
    made.close()


def damage(folder: Path, statement: str, *values: str) -> None:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db, db:
        db.execute(statement, values)


@pytest.mark.parametrize(
    ("column", "moment"),
    [
        *sample(
            [
                ("created_at", "9999-12-31T23:59:59.000000+00:00"),
                ("finished_at", "0001-01-01T00:00:00.000000+00:00"),
                ("created_at", "0001-01-01T00:00:00.000000+00:00"),
                ("finished_at", "9999-12-31T23:59:59.000000+00:00"),
            ],
            2,
        )
    ],
)
def test_an_old_ledger_with_an_absurd_time_is_read(
    kept: Desk, files: Files, column: str, moment: str
) -> None:
    """An earlier version recorded any Date header."""
    submit_and_lose(kept, files.csv(offer(1)))
    damage(files.folder, f"UPDATE packages SET {column} = ?", moment)  # noqa: S608  # our own
    found = after(kept)
    assert len([*every_run(kept.ledger, clocks(kept, kept.transport.now()))]) == 1
    assert not found.is_finished
    assert text(found)
    assert (found.packages[0].created is None) == (column == "created_at")
    assert abs(kept.ledger.skew(ADDRESS)) < DAY
    assert kept.submit(files.csv(offer(2), name="later.csv")).stopped is None
    assert resume(1, kept.session, kept.workspace).stopped is None
    assert after(kept).is_finished


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET options = '{' WHERE run_id = 2",
        """UPDATE runs SET options = '{"dialect": {"gone": 1}}' WHERE run_id = 2""",
        "UPDATE runs SET started_at = 'once' WHERE run_id = 2",
        "UPDATE packages SET phase = 'unheard of' WHERE file = 2",
        "UPDATE packages SET committed_at = 'once' WHERE file = 2",
    ],
)
def test_a_row_that_cannot_be_read_hides_no_other_run(
    three: Path, tmp_path: Path, statement: str
) -> None:
    shutil.copytree(three, tmp_path, dirs_exist_ok=True)
    damage(tmp_path, statement)
    reasons: list[str] = []
    with closing(Desk(tmp_path / "home", tmp_path / "ledger.sqlite")) as desk:
        clock_of = clocks(desk, desk.transport.now())
        shown = [*every_run(desk.ledger, clock_of, on_unreadable=reasons.append)]
        assert [state.run.run_id for state in shown] == [3, 1]
        (reason,) = reasons
        assert reason.startswith("run 2 cannot be shown: ")
        with pytest.raises(UsageProblem):
            resume(2, desk.session, desk.workspace)
