"""Ctrl-C once, twice, and SIGTERM, while a call is under way; and two commands at once."""

import signal
import time
from collections.abc import Callable

import pytest

from tests.forked import Child
from tests.resume.world import DEADLINE, Gate, Ran, World, pipe

Made = Callable[..., World]
PACKAGES, UPLOADS = "offer-packages", "offer-requests"
PARKED = {"Ctrl-C": (signal.SIGINT, 130), "SIGTERM": (signal.SIGTERM, 5)}


def read_until(process: Child, word: str) -> str:
    """The text on stderr, up to the line with a word."""
    said = ""
    for line in pipe(process.stderr):
        said += line
        if word in line:
            return said
    pytest.fail(f"it never said {word!r}: {said}")


@pytest.mark.parametrize(
    ("number", "code"),
    [PARKED["Ctrl-C"], pytest.param(*PARKED["SIGTERM"], marks=pytest.mark.long)],
)
def test_the_calls_under_way_are_finished(world_of: Made, number: int, code: int) -> None:
    world = world_of("signal")
    with world.start_to(UPLOADS) as (process, gate):
        process.send_signal(number)
        said = read_until(process, "stopping") if number == signal.SIGINT else ""
        gate.open()
        said += process.communicate(timeout=DEADLINE)[1]
    assert process.returncode == code
    assert "feedtool resume" in said
    statuses = {status for told in world.answers().values() for status in told}
    assert statuses == {"Pending", "Invalid"}
    assert 0 < world.posts(UPLOADS) < 6
    assert not any("PATCH" in line for line in world.served.proxy.plan.asked)
    world.complete()
    # What was answered was noted: nothing of it was sent again.
    assert world.posts(UPLOADS) == 6


def assert_refused(ran: Ran, first: Child) -> None:
    """Assert that a command has named the process that works."""
    assert ran.code == 2
    assert f"process {first.pid} on " in ran.err
    assert "(feedtool submit, of " in ran.err


def test_a_second_command_is_refused_and_a_second_ctrl_c_ends_at_once(world_of: Made) -> None:
    world = world_of("signal")
    with world.start_to(PACKAGES) as (process, gate):
        asked = [*world.served.proxy.plan.asked]
        assert_refused(world.run(*world.SUBMIT), process)
        assert world.served.proxy.plan.asked == asked
        process.send_signal(signal.SIGINT)
        read_until(process, "stopping")
        asked_at = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=DEADLINE)
        took = time.monotonic() - asked_at
    gate.open()
    assert process.returncode == 130
    assert took < 15  # and not the minute that the answer is waited for
    assert "Traceback" not in said
    assert "feedtool resume" in said
    world.complete()


@pytest.mark.parametrize(
    ("number", "code"),
    [PARKED["SIGTERM"], pytest.param(*PARKED["Ctrl-C"], marks=pytest.mark.long)],
)
def test_parked_while_it_waits_for_the_service(world_of: Made, number: int, code: int) -> None:
    world = world_of("signal")
    with world.start(*World.SUBMIT) as process:
        deadline = time.monotonic() + DEADLINE
        while not any("PATCH" in line for line in world.served.proxy.plan.asked):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(number)
        _, said = process.communicate(timeout=DEADLINE)
    assert process.returncode == code
    assert "feedtool resume" in said
    world.complete()


# Two processes on one ledger: one works, the other says who does and sends nothing.

# What another seller sends stands before the same gate, and it gives up by itself.
OTHER = (*World.SUBMIT, "--seller", "another", "--answer-timeout", "0.2", "--out", "o.xlsx")


@pytest.mark.long
@pytest.mark.parametrize(
    "second", [World.SUBMIT, OTHER, ("resume",), ("resume", "1")], ids=" ".join
)
def test_the_second_command_reports_that_the_first_is_working(
    world_of: Made, second: tuple[str, ...]
) -> None:
    world = world_of("two")
    plan = world.served.proxy.plan
    gate = plan.wait = Gate("POST", PACKAGES)
    with world.start(*World.SUBMIT) as first:
        gate.wait()
        asked = len(plan.asked)
        ran = world.run(*second)
        if second is OTHER:
            assert ran.code == 5
            assert "is held for" not in ran.err
        else:
            assert len(plan.asked) == asked
            assert_refused(ran, first)
        first.kill()
        first.wait()
    gate.open()
    # The lock has ended with its holder.
    ran = world.run("resume", "1") if second is OTHER else world.go_on()[-1]
    assert ran.code == 1
    world.check()
