"""Ctrl-C once, twice, and SIGTERM, while a call of the real command is under way."""

import os
import signal
import subprocess
import time
from collections.abc import Callable

import pytest

from tests.resume.world import DEADLINE, Gate, World, pipe


def read_until(process: subprocess.Popen[str], word: str) -> str:
    """What it says on stderr, up to the line with a word."""
    said = ""
    for line in pipe(process.stderr):
        said += line
        if word in line:
            return said
    pytest.fail(f"it never said {word!r}: {said}")


def is_sent(world: World, what: str) -> int:
    return sum(line.endswith(what) for line in world.served.proxy.plan.asked)


PARKED = {"Ctrl-C": (signal.SIGINT, 130), "SIGTERM": (signal.SIGTERM, 5)}


@pytest.mark.parametrize(("number", "code"), PARKED.values(), ids=PARKED)
def test_the_calls_under_way_are_finished(
    world_of: Callable[..., World], number: int, code: int
) -> None:
    world = world_of("signal")
    gate = world.served.proxy.plan.wait = Gate("POST", "offer-requests")
    with world.start(*world.SUBMIT, "--answer-timeout", "60") as process:
        gate.wait()
        process.send_signal(number)
        said = read_until(process, "stopping") if number == signal.SIGINT else ""
        gate.open()
        said += process.communicate(timeout=DEADLINE)[1]
    assert process.returncode == code
    assert "feedtool resume" in said
    statuses = {status for told in world.answers().values() for status in told}
    assert statuses == {"Pending", "Invalid"}
    uploads = is_sent(world, "offer-requests")
    assert 0 < uploads < 6
    assert not is_sent(world, "PATCH")
    done = world.go_on()
    assert done[-1].code == 1
    world.check()
    # What was answered was noted: nothing of it was sent again.
    assert is_sent(world, "offer-requests") == 6


def test_a_second_ctrl_c_ends_at_once(world_of: Callable[..., World]) -> None:
    world = world_of("signal")
    gate = world.served.proxy.plan.wait = Gate("POST", "offer-requests")
    with world.start(*world.SUBMIT, "--answer-timeout", "60") as process:
        gate.wait()
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
    assert world.go_on()[-1].code == 1
    world.check()


@pytest.mark.parametrize(("number", "code"), PARKED.values(), ids=PARKED)
def test_parked_while_it_waits_for_the_service(
    world_of: Callable[..., World], number: int, code: int
) -> None:
    world = world_of("signal")
    gate = world.served.proxy.plan.wait = Gate("PATCH", "none")
    with world.start(*world.SUBMIT) as process:
        deadline = time.monotonic() + DEADLINE
        while not any("PATCH" in line for line in world.served.proxy.plan.asked):
            assert time.monotonic() < deadline
            assert process.poll() is None
            os.sched_yield()
        process.send_signal(number)
        _, said = process.communicate(timeout=DEADLINE)
    gate.open()
    assert process.returncode == code
    assert "feedtool resume" in said
    assert world.go_on()[-1].code == 1
    world.check()
