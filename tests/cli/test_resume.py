"""`resume` and `results` as they are typed."""

from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer


@pytest.fixture
def left(feedtool: Feedtool, files: Files) -> None:
    """Three runs, committed and not fetched: of one.csv, two.csv and three.csv."""
    for number, name in enumerate(("one", "two", "three"), 1):
        path = files.csv(offer(number), name=f"{name}.csv")
        assert feedtool("submit --sandbox --no-wait", path).code == 6


def lose_the_snapshot_of(path: str) -> None:
    content = Path(path).read_bytes()
    (kept,) = (
        one
        for one in Path("home/snapshots").rglob("*")
        if one.is_file() and one.read_bytes() == content
    )
    kept.unlink()


@pytest.mark.usefixtures("left")
def test_a_run_that_cannot_go_on_is_named_and_stops_no_other(feedtool: Feedtool) -> None:
    lose_the_snapshot_of("one.csv")
    ran = feedtool("resume")
    error, _ = ran.error()
    assert error.startswith("run 1: ")
    assert ran.code == 3
    answers = (Path(f"{name}.result.csv").read_text("utf-8") for name in ("one", "two", "three"))
    assert ["Integrated" in answer for answer in answers] == [False, True, True]


@pytest.mark.usefixtures("left")
def test_the_code_is_the_first_that_occurred(feedtool: Feedtool) -> None:
    lose_the_snapshot_of("two.csv")
    assert feedtool("resume --no-wait").code == 3
    ran = feedtool("resume --token wrong")
    assert ran.code == 4
    errors = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert [line.split(":")[1] for line in errors] == [" run 1", " run 2", " run 3"]


@pytest.mark.parametrize("command", ["resume", "results"])
@pytest.mark.parametrize(
    ("channel", "told"),
    [("PRIMARY", ""), ("OTHER", "note: run 1 keeps its channel PRIMARY, not OTHER\n")],
)
def test_a_run_keeps_its_channel(
    feedtool: Feedtool, files: Files, command: str, channel: str, told: str
) -> None:
    feedtool("submit --sandbox --no-wait", files.csv(offer(1)))
    ran = feedtool(command, "1", "--channel", channel, "--format", "json")
    assert ran.code == 0
    assert ran.err == told
    assert ran.only["packages"][0]["salesChannelId"] == "PRIMARY"


def test_nothing_is_left(feedtool: Feedtool) -> None:
    ran = feedtool("resume --channel PRIMARY")
    assert (ran.code, ran.error()[0]) == (9, "nothing is left to go on with")
