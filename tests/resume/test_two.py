"""Two processes on one ledger and seller: one works, the other says who does and sends nothing."""

from collections.abc import Callable

import pytest

from tests.resume.world import Gate, World


@pytest.mark.parametrize("second", [World.SUBMIT, ("resume",), ("resume", "1")], ids=" ".join)
def test_one_works_and_the_other_says_so(
    world_of: Callable[..., World], second: tuple[str, ...]
) -> None:
    world = world_of("two")
    plan = world.served.proxy.plan
    gate = plan.wait = Gate("POST", "offer-packages")
    with world.start(*world.SUBMIT) as first:
        gate.wait()
        asked = len(plan.asked)
        ran = world.run(*second)
        assert (ran.code, len(plan.asked)) == (2, asked)
        assert f"process {first.pid} on " in ran.err
        assert "(feedtool submit, of " in ran.err
        first.kill()
        first.wait()
    gate.open()
    # The lock has ended with its holder.
    assert world.go_on()[-1].code == 1
    world.check()


def test_another_seller_is_kept_from_nothing(world_of: Callable[..., World]) -> None:
    world = world_of("two")
    gate = world.served.proxy.plan.wait = Gate("POST", "offer-packages")
    with world.start(*world.SUBMIT) as first:
        gate.wait()
        # What it sends stands before the same gate, and it gives up by itself.
        ran = world.run(
            *world.SUBMIT, "--seller", "another", "--answer-timeout", "0.2", "--out", "o.xlsx"
        )
        assert ran.code == 5
        assert "is held for" not in ran.err
        first.kill()
        first.wait()
    gate.open()
    assert world.run("resume", "1").code == 1
    world.check()
