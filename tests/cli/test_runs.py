"""`runs`, `status`, `resume` and `results` as they are typed."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.catalog.cache import FILE, Cache
from feedtool.ledger import Ledger
from feedtool.ledger.lock import who
from feedtool.sandbox.transport import SandboxTransport
from tests.cli.conftest import STATE, Feedtool
from tests.conftest import Files, offer
from tests.pairs import sample


def leap(**passed: float) -> None:
    """Let time pass in the embedded sandbox."""
    with closing(SandboxTransport(sandbox_parts(), STATE)) as transport:
        transport.sleep(timedelta(**passed).total_seconds())


def test_the_history_is_a_line_each(feedtool: Feedtool, files: Files) -> None:
    begins = feedtool("runs")
    assert (begins.code, begins.out) == (0, "")
    assert "`feedtool demo` sends" in begins.next
    feedtool("submit --sandbox --no-failed", files.csv(offer(1), offer(2, quantity="x")).name)
    feedtool("submit --sandbox", files.csv(offer(3), name="late.csv").name, "--no-wait")
    ran = feedtool("runs")
    late, first = ran.out.splitlines()
    assert first.endswith("seller sandbox, offers.csv: 1 Integrated, 1 Invalid (finished)")
    assert f"by {who()}, seller sandbox, offers.csv (" in feedtool("runs -v").out
    assert "1 Pending (not finished; its results are deleted at " in late
    assert feedtool("runs --last 1").out == f"{late}\n"
    (newest, oldest) = feedtool("runs --format json").json
    assert (newest["run"], oldest["statuses"]) == ("2", {"Integrated": 1, "Invalid": 1})
    # A run that is unknown or finished is refused.
    for number in ("7", "x"):
        assert feedtool("status", number).code == 2
        assert feedtool("runs --abandon", number).code == 2
    assert feedtool("runs --abandon 1").code == 9


def test_near_deadlines_are_warned_of_on_stderr_and_a_run_is_given_up_after_them(
    feedtool: Feedtool, files: Files
) -> None:
    feedtool("submit --sandbox --no-wait", files.csv(offer(1)))
    assert feedtool("status 1").said == ""
    # It is not given up while it may be applied.
    ran = feedtool("runs --abandon 1")
    error, hint = ran.error()
    assert ran.code == 2
    assert error.startswith("run 1 cannot be given up yet: package ")
    assert error.endswith("is committed, and the service has not given its results yet")
    assert hint.startswith("go on with it: feedtool resume 1; or give it up after ")
    # The deadline is near.
    leap(days=2.5)
    for command in (["runs"], ["status", "1"], ["status", "1", "--format", "json"]):
        ran = feedtool(*command)
        assert ran.code == 0
        warning, way_out = ran.said.splitlines()
        assert warning.startswith("warning: run 1: package ")
        assert "its results are deleted at " in warning
        assert way_out == "help: feedtool resume 1"
    assert len(json.loads(ran.out)["warnings"]) == 1
    # It has passed.
    leap(days=0.5, minutes=1)
    ran = feedtool("runs --abandon 1")
    assert ran.code == 0
    warning = ran.err.splitlines()[0]
    assert warning.startswith("warning: package ")
    assert "rows without a result: 1; whether they are in force is not known" in warning
    assert feedtool("status 1 --format json").json["statuses"] == {"Unknown": 1}
    # It keeps no other run of the same references waiting.
    assert feedtool("submit --sandbox offers.csv").code == 0


NOBODY = ("--base-url", "http://127.0.0.1:9/v2", "--seller", "S", "--channel", "P")


@pytest.fixture
def unreachable(feedtool: Feedtool, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run 1, of a service that does not exist."""
    monkeypatch.setattr("feedtool.delivery.transition.back_off", lambda *_: timedelta(0))
    path = files.csv(offer(1), offer(2, quantity="x"))
    assert feedtool("submit --no-failed", path, *NOBODY, "--token", "t0ken-of-nobody").code == 5


@pytest.mark.usefixtures("unreachable")
def test_a_run_that_can_never_go_on_is_given_up(feedtool: Feedtool) -> None:
    ran = feedtool("runs --abandon 1")
    assert ran.code == 0
    assert "offers.csv: 1 Held, 1 Invalid (given up " in ran.out
    assert "note: run 1 is given up\n" in ran.err
    assert ran.next == "`feedtool results 1` writes the answers again"
    assert feedtool("runs --format json").only["finished"] is True
    assert feedtool("runs --format json").only["abandoned"] is not None
    assert "given up" in feedtool("status 1").out
    ran = feedtool("resume --channel PRIMARY")
    assert (ran.code, ran.error()[0]) == (9, "nothing is left to go on with")
    assert feedtool("resume 1").error()[0].startswith("run 1 was given up on ")
    told = feedtool("results 1 --format json")
    assert (told.code, told.statuses) == (1, ["Held", "Invalid"])
    assert feedtool("runs --abandon 1").error()[0] == "run 1 was given up before"


def test_a_run_without_recorded_rows_is_given_up(feedtool: Feedtool, files: Files) -> None:
    """It was killed before they were recorded, and its snapshot is gone: it cannot go on."""
    files.csv(offer(1))
    feedtool("runs")
    with Ledger(Path("home/ledger.sqlite")) as ledger:
        options = {"inputs": [["offers.csv", "00"]], "sheets": [["offers.csv", None]]}
        begun = datetime(2026, 3, 2, tzinfo=UTC)
        address = "http://sandbox.invalid/v2"
        ledger.start_run(now=begun, seller="sandbox", service=address, options=options)
    assert feedtool("resume").code == 2  # it says neither where nor with what token
    assert feedtool("runs --abandon 1").code == 0
    assert feedtool("resume").code == 9
    assert feedtool("submit --sandbox --changed-only offers.csv").code == 0


def test_times_of_the_sandbox_are_shown_in_real_time(feedtool: Feedtool, files: Files) -> None:
    """The sandbox's own time skips all waits."""
    begun = datetime.now(UTC)
    feedtool("submit --sandbox", files.csv(offer(1), name="one.csv"))
    leap(days=30)
    feedtool("submit --sandbox --no-wait", files.csv(offer(2), name="two.csv"))
    feedtool("catalog sync --sandbox --category 0203")
    found = feedtool("runs --format json").json
    ended = datetime.now(UTC)
    for one in found:
        created = one["packages"][0]["created"]
        for moment in (one["started"], created):
            assert begun <= datetime.fromisoformat(moment) <= ended
    deadline = datetime.fromisoformat(found[0]["packages"][0]["deadline"])
    # Some minutes of the three days have been leapt over.
    assert begun - timedelta(minutes=30) < deadline - timedelta(days=3) <= ended
    with Cache(Path("home") / FILE) as cache:
        (origin,) = cache.origins()
    assert origin.synced_at
    assert begun <= origin.synced_at <= ended


# Going on.


@pytest.fixture
def open_runs(feedtool: Feedtool, files: Files) -> None:
    """Three runs, committed and not fetched: of one.csv, two.csv and three.csv."""
    for number, name in enumerate(("one", "two", "three"), 1):
        path = files.csv(offer(number), name=f"{name}.csv")
        assert feedtool("submit --sandbox --no-wait", path).code == 6


def lose_the_snapshot_of(path: str) -> None:
    content, files = Path(path).read_bytes(), Path("home/snapshots").rglob("*")
    (kept,) = (file for file in files if file.is_file() and file.read_bytes() == content)
    kept.unlink()


@pytest.mark.usefixtures("open_runs")
def test_a_run_that_cannot_go_on_is_named_and_stops_no_other(feedtool: Feedtool) -> None:
    lose_the_snapshot_of("two.csv")
    ran = feedtool("resume --token wrong")
    assert ran.code == 4, "the first that occurred"
    errors = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert [line.split(":")[1] for line in errors] == [" run 1", " run 2", " run 3"]
    ran = feedtool("resume")
    assert (ran.code, ran.error()[0][:7]) == (3, "run 2: ")
    answers = (Path(f"{name}.result.csv").read_text("utf-8") for name in ("one", "two", "three"))
    assert ["Integrated" in answer for answer in answers] == [True, False, True]


@pytest.mark.parametrize("channel", sample(["OTHER", "PRIMARY"], 1))
def test_a_run_keeps_its_channel(feedtool: Feedtool, files: Files, channel: str) -> None:
    for run, command in enumerate(("resume", "results"), start=1):
        feedtool("submit --sandbox --no-wait", files.csv(offer(run)))
        told = f"note: run {run} keeps its channel PRIMARY, not OTHER\n"
        told = told if channel == "OTHER" else ""
        ran = feedtool(command, str(run), "--channel", channel, "--format", "json")
        assert (ran.code, ran.err) == (0, told)
        assert ran.only["packages"][0]["salesChannelId"] == "PRIMARY"


def test_files_are_named_from_the_working_folder_on(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer(1), offer(2, quantity="-1"))
    feedtool("submit offers.csv --sandbox --no-wait")
    shown = feedtool("results 1 --report out.html").out.splitlines()
    assert "Annotated copy: offers.result.csv" in shown
    assert "Rows to correct: offers.failed.xlsx (1 row)" in shown
    assert "sandbox.invalid" not in Path("out.html").read_text("utf-8")
