"""Legacy zips delivered over a network that loses answers, by a process that is killed."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from feedtool.areas.offers.delivery import TEXTS
from feedtool.areas.offers.sandbox.records import stored_offers
from feedtool.delivery.steps import DeliverySettings
from feedtool.ledger import Phase
from feedtool.ledger.requeue import MOST_SENDS
from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply
from feedtool.model.errors import FeedtoolError
from feedtool.model.settings import PackageLimits
from tests.delivery.conftest import QUICK, Scene, legacy, quick
from tests.delivery.test_zips import bad, look_up, post, purge, xml

SWIFT = quick(replace(QUICK, integrate=timedelta(seconds=20)))
THREE = PackageLimits(legacy=3)
PAGED = DeliverySettings(results_limit=2)
ROWS = range(3, 11)
BAD = 6


class Killed(BaseException):
    """The process dies."""


class Network:
    """Ill luck for some of the calls; `killed_at` kills at that call, before or after it acts."""

    def __init__(
        self,
        scene: Scene,
        luck: random.Random | None = None,
        killed_at: int | None = None,
        *,
        acts: bool = True,
    ) -> None:
        self.scene = scene
        self.luck = luck
        self.killed_at = killed_at
        self.acts = acts
        self.count = 0

    def send(self, call: Call) -> Reply:
        self.count += 1
        if self.count == self.killed_at:
            if self.acts:
                self.scene.client.send(call)
            raise Killed
        if self.luck is None or self.luck.random() > 0.2:
            return self.scene.client.send(call)
        return self._fail(call, self.luck.randrange(7))

    def _fail(self, call: Call, kind: int) -> Reply:
        if kind in {0, 1, 2}:
            self.scene.client.send(call)
        if kind in {0, 3}:
            raise OutcomeUnknown("ReadTimeout")
        if kind in {1, 4}:
            raise Killed
        if kind == 5:
            raise NotSent("refused")
        return Reply(500 if kind == 2 else 429)


def killed(
    begun: Callable[[], Scene],
    finish: Callable[[Scene, Callable[[], Network]], None],
    *,
    acts: bool,
    step: int = 1,
    settings: DeliverySettings | None = None,
) -> Iterator[Scene]:
    """Deliveries at their end: one that nothing disturbs, then one for every `step`th of its calls.

    The process of each of these ends at that call, before or after it acts, and another goes on.
    """
    scene = begun()
    whole = Network(scene)
    finish(scene, lambda: whole)
    yield scene
    for number in range(1, whole.count + 1, step):
        scene = begun()
        with pytest.raises(Killed):
            scene.go_on(Network(scene, killed_at=number, acts=acts), settings=settings)
        finish(scene, partial(Network, scene))
        yield scene


def begun(scene_of: Callable[..., Scene], *, purges: bool = False) -> Scene:
    scene = scene_of(SWIFT)
    if purges:
        # In several zips no command plans it; each row's answer must be true nevertheless.
        scene.plan(purge(*ROWS))
    else:
        scene.plan([bad(row) if row == BAD else legacy(row) for row in ROWS], THREE)
    return scene


def finish(scene: Scene, network: Callable[[], Network]) -> None:
    """Go on until nothing is left to do."""
    for _ in range(60):
        try:
            scene.go_on(network(), settings=DeliverySettings(failures=4, results_limit=2))
        except (Killed, FeedtoolError):
            scene.transport.sleep(60)
        if all(package.phase is Phase.CLOSED for package in scene.packages):
            return
    raise AssertionError(scene.packages)


def check(scene: Scene) -> None:
    """Every row has one true answer, and none was sent again before its offer was looked up."""
    shown = {one["sellerExternalReference"] for one in stored_offers(scene.transport.sandbox)}
    for verdict in scene.verdicts:
        if verdict.messages[0].text == TEXTS.too_often:
            assert verdict.status == "Unknown"
            continue
        assert (verdict.status == "Integrated") is (verdict.reference in shown), verdict
        assert verdict.status == ("Rejected" if verdict.row == BAD else "Integrated")
    taken = Counter(one.reference for one in scene.applied)
    assert max(taken.values()) <= MOST_SENDS
    check_looked_up(scene)


def check_looked_up(scene: Scene) -> None:
    """Between two sendings of a reference, its offer was asked for."""
    sent: dict[int, int] = {}
    for at, call in enumerate(scene.client.calls):
        if not post(call):
            continue
        for row in ROWS:
            if f'SellerProductId="R{row}"'.encode() in xml(call):
                if row in sent:
                    between = scene.client.calls[sent[row] : at]
                    assert any(map(look_up, between)), row
                sent[row] = at


@pytest.mark.parametrize("acts", [True, False], ids=["after", "before"])
def test_killed_at_many_calls(scene_of: Callable[..., Scene], *, acts: bool) -> None:
    kill(scene_of, acts=acts, step=3)


@pytest.mark.long
@pytest.mark.parametrize("acts", [True, False], ids=["after", "before"])
def test_killed_at_any_call(scene_of: Callable[..., Scene], *, acts: bool) -> None:
    kill(scene_of, acts=acts, step=1)


def kill(scene_of: Callable[..., Scene], *, acts: bool, step: int) -> None:
    for scene in killed(partial(begun, scene_of), finish, acts=acts, step=step, settings=PAGED):
        check(scene)


@pytest.mark.parametrize("acts", [True, False], ids=["after", "before"])
def test_a_purge_killed_at_any_call_is_sent_once(
    scene_of: Callable[..., Scene], *, acts: bool
) -> None:
    purging = partial(begun, scene_of, purges=True)
    for scene in killed(purging, finish, acts=acts, settings=PAGED):
        meant = sum(package.attempts > 0 for package in scene.packages)
        assert (meant, len(scene.packages)) == (1, 1)
        shown = {one["sellerExternalReference"] for one in stored_offers(scene.transport.sandbox)}
        for verdict in scene.verdicts:
            expected = "Integrated" if verdict.reference in shown else "Unknown"
            assert verdict.status == expected


@pytest.mark.parametrize("seed", range(25))
def test_ill_luck(scene_of: Callable[..., Scene], seed: int) -> None:
    scene = begun(scene_of)
    luck = random.Random(seed)  # noqa: S311 - to be the same every time
    finish(scene, lambda: Network(scene, luck))
    check(scene)
