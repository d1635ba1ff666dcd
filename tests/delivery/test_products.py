"""Whole deliveries of products, against the service in-process."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from feedtool.delivery.decide import Settings
from feedtool.dialect import Limits
from feedtool.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.ledger import Phase, Stage
from feedtool.model import Message, PackageSummary, PackageType, Severity, Status
from feedtool.sandbox import Quota
from feedtool.sandbox import Settings as SandboxSettings
from feedtool.service.wire import NotSent, Reply
from tests.delivery.conftest import gtin, product, product_of, upsert
from tests.delivery.test_deliver import Script, problem
from tests.sandbox.made_products import KEY_FEATURES, MUGS, PIECES

if TYPE_CHECKING:
    from collections.abc import Callable

    from feedtool.service.wire import Call
    from tests.delivery.conftest import Scene

TWO = Limits(products=2)
MINUTE = timedelta(minutes=1)
UPSERT = PackageType.UPSERT


def post(call: Call) -> bool:
    return call.target == "/products-integration"


def reports(call: Call) -> bool:
    return "products-integration-reports" in call.target


def found_by(name: str) -> Callable[[Call], bool]:
    return lambda call: reports(call) and (name in dict(call.query) or f"{name}=" in call.target)


FIND, REPORT = found_by("gtin"), found_by("packageId")


def sent(scene: Scene) -> list[int]:
    """How many products each POST had."""
    return [len(json.loads(call.body or b"")["products"]) for call in scene.client.calls if post(call)]


def taken(scene: Scene) -> list[tuple[str, str]]:
    """What the service did, which is what counts: GTIN and operation."""
    reported = scene.transport.sandbox.reported()
    return [(one.gtin, one.operation or one.status) for one in reported]


def number(row: int) -> str:
    return gtin(row - 200_000_000_000)


# The straight line.


def test_a_batch_is_one_post_and_its_report(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(SandboxSettings())
    verdicts = scene.deliver(*(product(row) for row in range(3, 6)))
    assert scene.statuses == ["Integrated"] * 3
    assert verdicts[0].reference == "P3"
    assert (sent(scene), len(taken(scene))) == ([3], 3)
    assert scene.ledger.packages(scene.file) == [
        PackageSummary(
            scene.packages[0].package_id, PackageType.PRODUCTS, "", "Reported", 3, 1
        )
    ]
    # An empty page for 40 s, Validated until 100 s: pauses grow, and are not endless.
    assert 5 < sum(map(REPORT, scene.client.calls)) < 20
    assert not any(map(FIND, scene.client.calls))
    assert [event.text for event in scene.events] == [
        f"package 1 (Products): submitted as {scene.packages[0].package_id}",
        "package 1 (Products): results of 0 of 3 rows",
        "package 1 (Products): closed: results of 3 of 3 rows",
    ]


def test_batches_are_posted_one_after_the_other(scene: Scene) -> None:
    scene.plan([product(row) for row in range(3, 8)], TWO)
    scene.go_on(pool=4)
    assert scene.statuses == ["Integrated"] * 5
    assert sent(scene) == [2, 2, 1]
    kinds = ["post" if post(call) else "report" for call in scene.client.calls]
    # No batch waits for the reports of the one before.
    assert kinds.index("post") < kinds.index("report")
    assert len({package.package_id for package in scene.packages}) == 3


def test_the_pause_between_two_batches(scene: Scene) -> None:
    scene.plan([product(row) for row in range(3, 8)], TWO)
    began = scene.transport.now()
    scene.go_on(settings=Settings(batch_pause=10 * MINUTE))
    assert scene.statuses == ["Integrated"] * 5
    at = [package.committed_at for package in scene.packages if package.committed_at]
    assert [(one - began) // MINUTE for one in at] == [0, 10, 20]
    # The reports of the first are not kept waiting.
    finished = scene.packages[0].finished_at
    assert finished is not None
    assert finished - began < 10 * MINUTE


def test_a_product_without_a_reference_goes_by_its_gtin(scene: Scene) -> None:
    verdicts = scene.deliver(product(3, None), product(4))
    assert [(one.reference, str(one.status)) for one in verdicts] == [
        (number(3), "Integrated"),
        ("P4", "Integrated"),
    ]


def test_products_and_offers_in_one_run(scene: Scene) -> None:
    scene.plan([upsert(3), product(4), upsert(5), product(6)])
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 4
    assert len(taken(scene)) == len(scene.applied) == 2


# What the report says.


def test_a_mistake_is_told_with_its_field(scene: Scene) -> None:
    verdicts = scene.deliver(product(3), product(4, _x=None, **{f"_{PIECES}": ["many"]}))
    assert scene.statuses == ["Integrated", "Refused"]
    (message,) = verdicts[1].messages
    assert (message.code, message.field, message.severity) == (
        "NumberInvalid",
        PIECES,
        Severity.ERROR,
    )


def test_integrated_is_not_the_same_as_taken_over(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of()
    scene.deliver(product(3))
    other = scene.another([product(3, title="Mug rouge")])
    other.client.sender = scene.client_of("S2") if hasattr(scene, "client_of") else scene.client
    verdicts = other.go_on()
    assert other.statuses == ["Integrated"]
    assert verdicts[0].messages
