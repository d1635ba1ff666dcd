"""Offers and the products that they are for, in one run, against the service in-process."""

import json
from collections.abc import Callable

import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.products.sandbox.submission import ProductBehaviour
from feedtool.areas.registry import load
from feedtool.delivery import plan
from feedtool.ledger import Phase
from feedtool.model.call import Call
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Item
from tests.conftest import gtin
from tests.delivery.conftest import DAY, MINUTE, START, TWO, Scene, name_of, offer, product, quick
from tests.delivery.test_products import post, reports

OFFERS = 100
"""The number of an offer's row minus the number of its product's row."""


def offer_of(row: int) -> Item:
    """The offer of the product of a row."""
    number = gtin(row - 100_000_000_000)
    body = json.dumps(offer(row, product={"gtin": number})).encode()
    return Item(OFFERS + row, PackageType.UPSERT, "PRIMARY", f"R{row}", f"{number}||New", body)


def plan_products_and_offers(
    scene: Scene, *rows: int, stranger: int | None = None, **changes: object
) -> None:
    """A run with products in batches of two, and their offers in front of them.

    `stranger` is an offer of a product that the service knows.
    """
    base = scene.transport.base
    scene.run_id = scene.ledger.start_run(now=START, seller="S1", service=base)
    offers = [offer_of(row) for row in rows]
    if stranger is not None:
        body = json.dumps(offer(stranger)).encode()
        known = f"{gtin(stranger)}||New"
        offers.append(Item(999, PackageType.UPSERT, "PRIMARY", f"R{stranger}", known, body))
    waits = {item.row for item in offers if item.row != 999}
    stream = plan.uploads(
        [*offers, *(product(row, **changes) for row in rows)],
        load().routes,
        TWO,
        lambda one: one.row in waits,
    )
    scene.file = scene.ledger.add_file(scene.run_id, stream, path="a", sha256="", kind="k")


def places_of(scene: Scene, what: Callable[[Call], bool]) -> list[int]:
    """The places of the calls that fit."""
    return [index for index, call in enumerate(scene.client.calls) if what(call)]


def test_offers_are_sent_when_their_products_are_answered(scene: Scene) -> None:
    plan_products_and_offers(scene, 3, 4, 5, stranger=50)
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 7
    assert len(scene.applied) == 4
    # The one that waits for nothing goes at once.
    first, second = places_of(scene, lambda call: name_of(call) == "creation")
    assert first < max(places_of(scene, post)) or first < min(places_of(scene, reports))
    assert max(places_of(scene, reports)) < second
    (held,) = [event.text for event in scene.events if "held back" in event.text]
    assert held.endswith("(Upsert, PRIMARY): held back until its offers' products are answered")


def test_the_offer_of_a_refused_product_is_sent_all_the_same(scene: Scene) -> None:
    """The service may know the product; where it does not, it says so."""
    plan_products_and_offers(scene, 3, language="xx")
    scene.go_on()
    assert scene.statuses == ["Refused", "Rejected"]
    assert scene.verdicts[1].messages[0].code == "1324"


def test_without_waiting_the_products_of_offers_are_waited_for(scene: Scene) -> None:
    plan_products_and_offers(scene, 3, 4, 5)
    scene.go_on(wait=False)
    assert scene.statuses == ["Integrated"] * 3 + ["Pending"] * 3
    phases = [package.phase for package in scene.packages]
    assert phases == [Phase.COMMITTED, Phase.CLOSED, Phase.CLOSED]
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 6


def test_a_product_without_an_answer_holds_its_offer(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(quick(ProductBehaviour(validate=MINUTE, integrate=DAY)))
    plan_products_and_offers(scene, 3, stranger=50)
    with pytest.raises(Interrupted, match="its offers' products have had no answer yet"):
        scene.go_on()
    assert scene.statuses == ["Pending", "Pending", "Integrated"]
    scene.transport.sleep(DAY.total_seconds())
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 3
