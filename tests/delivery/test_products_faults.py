"""Products delivered over a network that loses answers, by a process that is killed."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from feedtool.areas.products.sandbox.records import reported_products, stored_products
from feedtool.areas.products.sandbox.settings import ProductBehaviour
from feedtool.delivery.steps import DeliverySettings
from feedtool.ledger import Package, Phase
from feedtool.model.errors import FeedtoolError
from feedtool.model.settings import PackageLimits
from tests.delivery.conftest import Scene, gtin, product, quick
from tests.delivery.network import Killed, Network, killed
from tests.delivery.test_products import FIND, bad, post

SWIFT = quick(ProductBehaviour(validate=timedelta(seconds=5), integrate=timedelta(seconds=20)))
THREE = PackageLimits(products=3)
ROWS = range(3, 11)
BAD = 6


def begun(scene_of: Callable[..., Scene]) -> Scene:
    scene = scene_of(SWIFT)
    scene.plan([bad(row) if row == BAD else product(row) for row in ROWS], THREE)
    return scene


def finish(scene: Scene, network: Callable[[], Network]) -> None:
    """Go on until nothing is left to do."""
    for _ in range(40):
        try:
            scene.go_on(network(), settings=DeliverySettings(failures=4))
        except (Killed, FeedtoolError):
            scene.transport.sleep(60)
        if all(package.phase is Phase.CLOSED or is_lost(package) for package in scene.packages):
            return
    raise AssertionError(scene.packages)


def is_lost(package: Package) -> bool:
    """Whether a batch was sent as often as it may be, and no answer ever came."""
    return package.phase is Phase.SUBMITTING and package.creations == DeliverySettings().submissions


def check(scene: Scene) -> None:
    """Every row has one true answer, and nothing was sent twice before the reports were read."""
    known = {sheet["gtin"] for sheet in stored_products(scene.transport.sandbox)}
    is_known = [gtin(row - 100_000_000_000) in known for row in ROWS]
    assert [status == "Integrated" for status in scene.statuses] == is_known
    if not any(map(is_lost, scene.packages)):
        expected = ["Rejected" if row == BAD else "Integrated" for row in ROWS]
        assert scene.statuses == expected
    taken = list(reported_products(scene.transport.sandbox))
    assert max(Counter(one.gtin for one in taken).values()) <= 2
    sent: dict[bytes | None, int] = {}
    for at, call in enumerate(scene.client.calls):
        if post(call) and call.body in sent:
            assert any(map(FIND, scene.client.calls[sent[call.body] : at]))
        if post(call):
            sent[call.body] = at


@pytest.mark.parametrize("acts", [True, False], ids=["after", "before"])
def test_killed_at_many_calls(scene_of: Callable[..., Scene], *, acts: bool) -> None:
    kill(scene_of, acts=acts, step=8)


@pytest.mark.long
@pytest.mark.parametrize("acts", [True, False], ids=["after", "before"])
def test_killed_at_any_call(scene_of: Callable[..., Scene], *, acts: bool) -> None:
    kill(scene_of, acts=acts, step=1)


def kill(scene_of: Callable[..., Scene], *, acts: bool, step: int) -> None:
    for scene in killed(partial(begun, scene_of), finish, acts=acts, step=step):
        check(scene)


LONG = [pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 60)]


@pytest.mark.parametrize("seed", [*range(12), *LONG])
def test_ill_luck(scene_of: Callable[..., Scene], seed: int) -> None:
    scene = begun(scene_of)
    luck = random.Random(seed)  # noqa: S311 - to be the same every time
    finish(scene, lambda: Network(scene, luck))
    check(scene)
