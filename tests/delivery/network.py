"""A network that loses answers, under a process that is killed."""

import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from feedtool.delivery.steps import DeliverySettings
from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply
from tests.delivery.conftest import Scene


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
