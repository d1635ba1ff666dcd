"""`runs` and `status` as they are typed."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from feedtool.ledger.lock import who
from feedtool.sandbox.transport import mount
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer


def test_the_history_is_a_line_each(feedtool: Feedtool, files: Files) -> None:
    assert feedtool("runs").out == ""
    feedtool("submit", "--sandbox", files.csv(offer(1), offer(2, quantity="x")).name)
    feedtool("submit", "--sandbox", files.csv(offer(3), name="late.csv").name, "--no-wait")
    ran = feedtool("runs")
    late, first = ran.out.splitlines()
    assert f"by {who()}, seller sandbox, offers.csv (" in first
    assert first.endswith("): 1 Integrated, 1 Invalid (finished)")
    assert "1 Pending (not finished; its results are deleted at " in late
    assert feedtool("runs", "--last", "1").out == f"{late}\n"
    (newest, oldest) = feedtool("runs", "--format", "json").json
    assert (newest["run"], oldest["statuses"]) == ("2", {"Integrated": 1, "Invalid": 1})


def test_what_is_lost_before_long_is_warned_of_on_stderr(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1))
    feedtool("submit", "--sandbox", path, "--no-wait")
    assert feedtool("status", "1").err == ""
    with closing(mount(Path("home/sandbox.sqlite"))) as transport:
        transport.sleep(2.5 * 86_400)  # its time is virtual
    for command in (["runs"], ["status", "1"], ["status", "1", "--format", "json"]):
        ran = feedtool(*command)
        assert ran.code == 0
        warning, way_out = ran.err.splitlines()
        assert warning.startswith("warning: run 1: package ")
        assert "its results are deleted at " in warning
        assert way_out == "help: feedtool resume 1"
    assert len(json.loads(ran.out)["warnings"]) == 1


@pytest.mark.parametrize("number", ["7", "x"])
def test_a_run_that_there_is_not(feedtool: Feedtool, number: str) -> None:
    assert feedtool("status", number).code == 2
