"""Whole deliveries of products, against the service in-process."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from feedtool.areas.products.sandbox.submission import ProductBehaviour
from feedtool.delivery.steps import CallSettings, DeliverySettings
from feedtool.delivery.submitted import LOST, NEVER_SEEN, PUT_OFF
from feedtool.ledger import Phase
from feedtool.ledger.admission import FEW
from feedtool.model.call import Call
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Message, PackageSummary
from feedtool.model.settings import PackageLimits
from feedtool.sandbox import SandboxSettings
from feedtool.sandbox.exchange import Quota
from tests.areas.products.sandbox.made_products import PIECES
from tests.areas.products.sandbox.records import reported_products
from tests.delivery.conftest import (
    HOUR,
    MINUTE,
    SECOND,
    TWO,
    Scene,
    Script,
    problem,
    product,
    product_of,
    quick,
)

HASTY = DeliverySettings(patience=15 * MINUTE)
"""Ends where an hour would show no more: a batch is sent again after ten minutes."""


def post(call: Call) -> bool:
    return call.target == "/products-integration"


def reports(call: Call) -> bool:
    return "products-integration-reports" in call.target


def reports_by(name: str) -> Callable[[Call], bool]:
    return lambda call: reports(call) and (name in dict(call.query) or f"{name}=" in call.target)


FIND, REPORT = reports_by("gtin"), reports_by("packageId")


def post_sizes(scene: Scene) -> list[int]:
    """The number of products in each POST."""
    return [
        len(json.loads(call.body or b"")["products"]) for call in scene.client.calls if post(call)
    ]


def service_products(scene: Scene) -> list[tuple[str, str]]:
    """The products of the service, which decide: GTIN and operation."""
    reported = reported_products(scene.transport.sandbox)
    return [(one.gtin, one.operation or one.status) for one in reported]


# The straight line.


def test_a_batch_is_one_post_and_its_report(scene_of: Callable[..., Scene]) -> None:
    slow = ProductBehaviour(validate=40 * SECOND, integrate=100 * SECOND)
    scene = scene_of(SandboxSettings(parts=(slow,)))
    verdicts = scene.deliver(*(product(row) for row in range(3, 6)))
    assert scene.statuses == ["Integrated"] * 3
    assert verdicts[0].reference == "P3"
    assert (post_sizes(scene), len(service_products(scene))) == ([3], 3)
    assert scene.ledger.packages(scene.file) == [
        PackageSummary(scene.packages[0].package_id, "Products", "", "Reported", 3, 1)
    ]
    # An empty page for 40 s, Validated until 100 s: pauses grow, and are not endless.
    assert 5 < sum(map(REPORT, scene.client.calls)) < 20
    assert not any(map(FIND, scene.client.calls))
    assert [event.text for event in scene.events] == [
        f"package 1 (Products): submitted as {scene.packages[0].package_id}",
        "package 1 (Products): results of 0 of 3 rows",
        "package 1 (Products): closed: results of 3 of 3 rows",
    ]


def test_the_pause_between_two_batches(scene: Scene) -> None:
    scene.plan([product(row) for row in range(3, 8)], TWO)
    began = scene.transport.now()
    scene.go_on(settings=DeliverySettings(batch_pause=10 * MINUTE))
    assert scene.statuses == ["Integrated"] * 5
    at = [package.committed_at for package in scene.packages if package.committed_at]
    assert [(one - began) // MINUTE for one in at] == [0, 10, 20]
    # The reports of the first are not kept waiting.
    finished = scene.packages[0].finished_at
    assert finished is not None
    assert finished - began < 10 * MINUTE


# What the report says.


def test_an_error_names_its_field(scene: Scene) -> None:
    verdicts = scene.deliver(product(3), product(4, _x=None, **{f"_{PIECES}": ["many"]}))
    assert scene.statuses == ["Integrated", "Refused"]
    (message,) = verdicts[1].messages
    assert (message.code, message.field) == ("NumberInvalid", PIECES)


def test_the_pages_of_a_report(scene: Scene) -> None:
    scene.plan([product(row) for row in range(3, 8)])
    scene.go_on(settings=DeliverySettings(CallSettings(results_limit=2)))
    assert scene.statuses == ["Integrated"] * 5
    assert sum("pageIndex=3" in call.target for call in scene.client.calls) > 1
    assert not any("pageIndex=4" in call.target for call in scene.client.calls)


def test_a_report_that_leaves_products_out(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(quick(ProductBehaviour(reported_products=2)))
    scene.plan([product(row) for row in range(3, 9)], PackageLimits(products=3))
    scene.go_on(settings=HASTY)
    assert scene.statuses == ["Integrated", "Integrated", "Pending"] * 2
    assert scene.verdicts[2].messages[0].text.endswith("has not said the last word on it yet.")
    # Three days later nothing is to be hoped for any more.
    scene.transport.sleep(3 * 86_400)
    scene.go_on()
    assert scene.statuses == ["Integrated", "Integrated", "Unknown"] * 2
    assert scene.verdicts[2].messages == (Message("", LOST),)


# The answer is lost.


def test_a_batch_that_arrived_is_found_by_its_report(scene: Scene) -> None:
    scene.plan([product(row) for row in range(3, 8)], TWO)
    scene.go_on(Script(scene.client, post, "lost"))
    assert scene.statuses == ["Integrated"] * 5
    assert post_sizes(scene) == [2, 2, 1]
    assert {operation for _, operation in service_products(scene)} == {"Creation"}
    texts = [event.text for event in scene.events if "found" in event.text]
    assert texts == [f"package 1 (Products): its report was found: {scene.packages[0].package_id}"]


def test_a_batch_is_sent_at_most_twice(scene: Scene) -> None:
    scene.plan([product(3)])
    network = Script(scene.client, post, "reset", forever=True)
    scene.go_on(network, settings=HASTY)
    assert (network.matched, scene.packages[0].phase) == (2, Phase.SUBMITTING)
    assert scene.statuses == ["Pending"]
    assert "nothing that the service shows names it yet" in scene.verdicts[0].messages[0].text
    scene.go_on(network, settings=HASTY)
    assert network.matched == 2
    scene.transport.sleep(3 * 86_400)
    scene.go_on(network)
    assert scene.statuses == ["Unknown"]
    assert scene.verdicts[0].messages == (Message("", NEVER_SEEN),)


def test_a_batch_of_our_own_is_not_taken_for_another(scene: Scene) -> None:
    """However quickly the same product is sent again."""
    scene.deliver(product(3))
    other = scene.another([product(3, title="B")])
    other.go_on(Script(scene.client, post, "lost"))
    assert other.statuses == ["Integrated"]
    assert other.packages[0].package_id != scene.packages[0].package_id
    assert [operation for _, operation in service_products(scene)] == ["Creation", "Modification"]


# The batch is refused.


def bad(row: int) -> Any:
    """A body that the service refuses as a whole."""
    return product_of(row, {**json.loads(product(row).body), "title": 1})


def test_a_refused_batch_goes_in_halves_until_the_row_is_alone(scene: Scene) -> None:
    scene.plan([product(3), product(4), bad(5), product(6), product(7)])
    scene.go_on()
    assert scene.statuses == ["Integrated", "Integrated", "Rejected", "Integrated", "Integrated"]
    # 5 = 3 + 2, 3 = 2 + 1: every half is a batch of its own.
    assert sorted(post_sizes(scene)) == [1, 2, 2, 3, 5]
    assert len(service_products(scene)) == 4
    assert all(len(package.uploads) == 1 for package in scene.packages)
    assert "title" in scene.verdicts[2].messages[0].text
    assert [one.rows for one in scene.ledger.packages(scene.file)] == [0, 0, 2, 2, 1]


@pytest.mark.long  # hundreds of batches; what is decided of them, tests/ledger shows
def test_refusals_of_every_batch_are_not_blamed_on_rows(scene: Scene) -> None:
    rows = [product(row) for row in range(3, 3 + 2 * (FEW + 3))]
    scene.plan(rows, TWO)
    network = Script(scene.client, post, problem(415), forever=True)
    scene.go_on(network)
    assert set(scene.statuses) == {"Rejected"}
    assert network.matched == len(rows) // 2 + 2 * FEW


# A quota.


def test_rows_refused_by_a_quota_are_sent_when_it_has_room(
    scene_of: Callable[..., Scene],
) -> None:
    """Three creations an hour, eight products, two in a batch."""
    scene = scene_of(quick(ProductBehaviour(creations=Quota(3, 3600))))
    scene.plan([product(row) for row in range(3, 11)], TWO)
    began = scene.transport.now()
    ends = (
        Interrupted("Enough.") if scene.transport.now() > began + HOUR / 2 else None
        for _ in count()
    )
    with pytest.raises(Interrupted):
        scene.go_on(stopping=lambda: next(ends))
    assert scene.statuses == ["Integrated"] * 3 + ["Pending"] * 5
    assert scene.verdicts[3].messages == (Message("", PUT_OFF),)
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 8
    assert len(service_products(scene)) == sum(post_sizes(scene))
    assert [operation for _, operation in service_products(scene)].count("Creation") >= 8
    assert 2 * 60 <= (scene.transport.now() - began) // MINUTE < 5 * 60
    assert max(package.creations for package in scene.packages) == 1
    told = [event.text for event in scene.events if "quota" in event.text]
    assert told[0] == (
        "package 2 (Products): a quota is used up, nothing more is sent before 10:00 UTC"
    )


# Other runs.


def test_only_sent_batches_are_fetched(scene: Scene) -> None:
    scene.plan([product(3), product(4)], PackageLimits(products=1))
    stop = iter([None, None, None, Interrupted("Enough.", "")])
    with pytest.raises(Interrupted):
        scene.go_on(Script(scene.client, post, "reset"), stopping=lambda: next(stop))
    scene.go_on(only_fetch=True, settings=HASTY)
    assert post_sizes(scene) == []
    assert scene.packages[0].phase is Phase.SUBMITTING
