"""What is unchanged, by what was sent before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from feedtool.areas.offers.changes.selection import SelectionOptions
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.errors import Interrupted
from feedtool.runs.deliver import Submission, results
from tests.areas.offers.changes.conftest import CHANGED, PREFERRED, Market, Shop, statuses
from tests.conftest import gtin, offer, update


class Step(NamedTuple):
    """A file, and how it is sent."""

    rows: Sequence[Mapping[str, str]]
    how: Mapping[str, Any] = {}


def step(*rows: Mapping[str, str], **how: Any) -> Step:
    return Step(rows, how)


def first(row: Mapping[str, str]) -> dict[str, str]:
    return {**row, "salesChannelId": "PRIMARY"}


def second(row: Mapping[str, str]) -> dict[str, str]:
    return {**row, "salesChannelId": "SECOND"}


ONE, TWO = offer(1), offer(2)
GONE = {"sellerExternalReference": "SKU-1"}
STRUCK = offer(1) | {"price.originPrice": "30"}
BY_REFERENCE = offer(1, product__gtin=None) | {"product.reference": "P1"}
TWO_BY_REFERENCE = offer(2, product__gtin=None) | {"product.reference": "P2"}
ANOTHER_PRODUCT = offer(1, product__gtin=gtin(9))
CHEAPER, FEWER = offer(1, price__price="18"), offer(1, quantity="3")
REDUCED, SOLD = update(1, price__price="18"), update(1, quantity="3")
KNOWN = update(1, price__price="19.99", quantity="7")
SIGNED = "deliveryModes.SignedHomeDelivery"
LEGACY = {"kind": "legacy-offers"}
STOCK_AND_PRICE = {"kind": "legacy-stock-and-price"}
DELETE = {"kind": "offers-delete"}

BOTH = step(first(ONE), second(ONE))

UNCHANGED, SENT, REFUSED = ["Unchanged"], ["Integrated"], ["Rejected"]

CASES: Mapping[str, tuple[list[Step], Step, list[str]]] = {
    "nothing was ever sent": ([], step(ONE), SENT),
    "the same again": ([step(ONE)], step(ONE), UNCHANGED),
    "one of two": ([step(ONE, TWO)], step(ONE, offer(2, quantity="8")), UNCHANGED + SENT),
    "one that is new": ([step(ONE)], step(ONE, TWO), UNCHANGED + SENT),
    "written otherwise": (
        [step(offer(1, price__price="20.00"))],
        step(offer(1, price__price="20") | {"taxes.EcoPart": "0", "taxes.DEA": ""}),
        UNCHANGED,
    ),
    "another price": ([step(ONE)], step(CHEAPER), SENT),
    "another VAT": ([step(ONE)], step(offer(1, taxes__VAT="5.5")), SENT),
    "another preparation time": ([step(ONE)], step(offer(1, preparationTime="3")), SENT),
    "another stock": ([step(ONE)], step(offer(1, quantity="8")), SENT),
    "another delivery mode": (
        [step(ONE)],
        step(ONE | {f"{SIGNED}.cost": "9", f"{SIGNED}.additionalCost": "1"}),
        SENT,
    ),
    "back to what it was before": ([step(ONE), step(CHEAPER)], step(ONE), SENT),
    "the struck price again": ([step(STRUCK)], step(STRUCK), UNCHANGED),
    "without the struck price": ([step(STRUCK)], step(ONE), SENT),
    "with a struck price": ([step(ONE)], step(STRUCK), SENT),
    "an Upsert removes the struck price": ([step(STRUCK), step(ONE)], step(ONE), UNCHANGED),
    "an Update leaves the struck price": (
        [step(STRUCK), step(REDUCED)],
        step(STRUCK | {"price.price": "18"}),
        UNCHANGED,
    ),
    "an Update of what is known": ([step(ONE)], step(KNOWN), UNCHANGED),
    "an Update of another price": ([step(ONE)], step(REDUCED), SENT),
    "an Update of what an Update said": ([step(ONE), step(REDUCED)], step(REDUCED), UNCHANGED),
    "an Upsert of what an Update said": (
        [step(ONE), step(update(1, price__price="18", quantity="3"))],
        step(offer(1, price__price="18", quantity="3")),
        UNCHANGED,
    ),
    "an Upsert of what an Update has changed": ([step(ONE), step(REDUCED)], step(ONE), SENT),
    "after a Delete": ([step(ONE), step(GONE, **DELETE)], step(ONE), SENT),
    "an Update after a Delete": (
        [step(ONE), step(GONE, **DELETE)],
        step(update(1, quantity="7")),
        REFUSED,
    ),
    "a Delete": ([step(ONE)], step(GONE, **DELETE), SENT),
    "a Delete after a Delete": ([step(ONE), step(GONE, **DELETE)], step(GONE, **DELETE), UNCHANGED),
    "a Delete of what was never there": ([], step(GONE, **DELETE), REFUSED),
    "a Delete that was refused": ([step(GONE, **DELETE)], step(GONE, **DELETE), REFUSED),
    "after a refusal": ([step(ONE), step(ANOTHER_PRODUCT)], step(ONE), SENT),
    "what was refused": ([step(ONE), step(ANOTHER_PRODUCT)], step(ANOTHER_PRODUCT), REFUSED),
    "once it was accepted again": (
        [step(ONE), step(ANOTHER_PRODUCT), step(ONE)],
        step(ONE),
        UNCHANGED,
    ),
    "what has no answer yet": ([step(ONE, wait=False)], step(ONE), SENT),
    "what was invalid": ([step(offer(1, quantity="-1"))], step(ONE), SENT),
    "an invalid row between": ([step(ONE), step(offer(1, quantity="-1"))], step(ONE), UNCHANGED),
    "on another channel": ([step(first(ONE))], step(second(ONE)), SENT),
    "on both channels": ([BOTH], BOTH, UNCHANGED * 2),
    "stock that another channel has changed": ([BOTH, step(second(FEWER))], step(first(ONE)), SENT),
    "stock that another channel has set just so": (
        [BOTH, step(second(SOLD))],
        step(first(SOLD)),
        UNCHANGED,
    ),
    "stock that another row changes": ([BOTH], step(first(ONE), second(FEWER)), SENT * 2),
    "a price beside stock that another row changes": (
        [BOTH],
        step(first(update(1, price__price="19.99")), second(SOLD)),
        UNCHANGED + SENT,
    ),
    "stock of another product": (
        [step(first(ONE), second(TWO)), step(second(offer(2, quantity="3")))],
        step(first(ONE)),
        UNCHANGED,
    ),
    "stock in another condition": (
        [step(first(ONE)), step(second(offer(1, condition="UsedLikeNew", quantity="3")))],
        step(first(ONE)),
        UNCHANGED,
    ),
    "stock of a product that goes by another name there": (
        [step(first(ONE)), step(second(BY_REFERENCE | {"quantity": "3"}))],
        step(first(ONE)),
        SENT,
    ),
    "stock that another row changes by another name of the product": (
        [step(first(ONE), second(TWO_BY_REFERENCE))],
        step(first(FEWER), second(TWO_BY_REFERENCE)),
        SENT * 2,
    ),
    "named by the reference alone": ([step(BY_REFERENCE)], step(BY_REFERENCE), UNCHANGED),
    "named by the reference alone where another one has a GTIN": (
        [step(BY_REFERENCE), step(TWO)],
        step(BY_REFERENCE),
        SENT,
    ),
    "named by the reference alone beside one that has a GTIN": (
        [step(BY_REFERENCE)],
        step(BY_REFERENCE, TWO),
        SENT * 2,
    ),
    "an Update of one that is known by its reference": (
        [step(BY_REFERENCE), step(TWO)],
        step(update(1, quantity="7")),
        UNCHANGED,
    ),
    "several actions": (
        [step(*({**row, "action": "Upsert"} for row in (ONE, TWO)))],
        step(update(1, quantity="7", action="Update"), update(2, action="Delete")),
        UNCHANGED + SENT,
    ),
    "a legacy zip": ([step(ONE, **LEGACY)], step(ONE, **LEGACY), UNCHANGED),
    "a legacy zip with another stock": ([step(ONE, **LEGACY)], step(FEWER, **LEGACY), SENT),
    "a legacy zip's price": ([step(ONE, **LEGACY)], step(KNOWN, **STOCK_AND_PRICE), UNCHANGED),
    "a legacy zip after the JSON packages": ([step(ONE)], step(ONE, **LEGACY), SENT),
    "an Update after a legacy zip": ([step(ONE, **LEGACY)], step(KNOWN), UNCHANGED),
}


@pytest.mark.parametrize(("history", "last", "expected"), CASES.values(), ids=CASES)
def test_what_is_sent(shop: Shop, history: list[Step], last: Step, expected: list[str]) -> None:
    for one in history:
        shop.send(*one.rows, **one.how)
    assert statuses(shop.send(*last.rows, selection=CHANGED, **last.how)) == expected


def test_without_the_option_every_row_is_sent(shop: Shop) -> None:
    shop.send(ONE)
    assert statuses(shop.send(ONE)) == SENT


def test_a_purge_is_sent_whole_and_leaves_nothing_known_of_others(shop: Shop) -> None:
    shop.send(ONE, TWO, kind="legacy-offers")
    sent = shop.send(ONE, selection=CHANGED, asked=shop.purging(), confirm=lambda _: None)
    assert statuses(sent) == SENT
    again = shop.send(ONE, TWO, selection=CHANGED, kind="legacy-offers")
    assert statuses(again) == UNCHANGED + SENT


def test_what_a_resume_would_send_is_not_known(shop: Shop) -> None:
    shop.send(ONE)
    cut = replace(shop.service, stopping=lambda: Interrupted("cut", "resume"))
    shop.send(CHEAPER, service=cut)
    assert statuses(shop.send(ONE, selection=CHANGED)) == SENT
    shop.resume()
    assert statuses(shop.send(ONE, selection=CHANGED)) == UNCHANGED
    assert [one[6] for one in shop.offers()] == [19.99]


def test_a_run_that_was_killed_before_its_rows_were_written_down_goes_first(shop: Shop) -> None:
    shop.send(ONE)
    shop.kill_while_recording(CHEAPER)
    assert statuses(shop.send(ONE, selection=CHANGED)) == SENT
    assert statuses(shop.send(ONE, selection=CHANGED)) == UNCHANGED
    shop.resume()
    assert [one[6] for one in shop.offers()] == [19.99]


PREFERRED_CASES: Mapping[str, tuple[Mapping[str, str], str, object]] = {
    "a price": (
        CHEAPER,
        "Update",
        {"sellerExternalReference": "SKU-1", "price": {"price": 18}},
    ),
    "a stock": (
        FEWER,
        "Update",
        {"sellerExternalReference": "SKU-1", "quantity": 3},
    ),
    "both": (
        offer(1, price__price="18.5", quantity="3"),
        "Update",
        {"sellerExternalReference": "SKU-1", "price": {"price": 18.5}, "quantity": 3},
    ),
    "more than these": (offer(1, price__price="18", preparationTime="3"), "Upsert", None),
    "a struck price": (STRUCK, "Upsert", None),
}


@pytest.mark.parametrize(
    ("row", "package_type", "body"), PREFERRED_CASES.values(), ids=PREFERRED_CASES
)
def test_an_update_of_just_that(
    shop: Shop, row: Mapping[str, str], package_type: str, body: object
) -> None:
    shop.send(ONE)
    found = shop.send(row, selection=PREFERRED)
    assert statuses(found) == SENT
    last = shop.applied()[-1]
    assert last.package_type == package_type
    assert body is None or last.body == body
    assert statuses(shop.send(row, selection=CHANGED)) == UNCHANGED


def test_what_is_unknown_or_failed_is_sent_whole(shop: Shop) -> None:
    shop.send(ONE)
    shop.send(ANOTHER_PRODUCT)
    shop.send(CHEAPER, TWO, selection=PREFERRED)
    assert {one.package_type for one in shop.applied()} == {"Upsert"}


def test_results_are_told_again_as_they_were(shop: Shop) -> None:
    shop.send(ONE)
    found = shop.send(ONE, offer(3, quantity="-1"), TWO, selection=CHANGED)
    number = int(found.outcomes[0].run or "")
    again = results(number, shop.books, shop.transport.now())
    expected = ["Unchanged", "Invalid", "Integrated"]
    assert statuses(found) == expected
    assert statuses(Submission(again)) == expected
    counts = again[0].counts()
    assert (counts.rows, counts.valid, counts.invalid, counts.skipped) == (3, 1, 1, 1)


def test_a_large_file_with_a_few_changes_is_one_upload(shop: Shop) -> None:
    rows = [offer(number) for number in range(250)]
    shop.send(*rows)
    for number in (3, 100, 249):
        rows[number] = offer(number, quantity="8")
    (found,) = shop.send(*rows, selection=CHANGED).outcomes
    assert [(one.package_type, one.rows, one.uploads) for one in found.packages] == [
        (PackageType.UPSERT, 3, 1)
    ]


def test_packages_are_sent_in_the_order_of_all_rows(shop: Shop) -> None:
    rows = [second(ONE), first(ONE), second(TWO)]
    shop.send(*rows)
    changed = [rows[0], first(CHEAPER)]
    changed += [second(offer(2, price__price="18"))]
    (found,) = shop.send(*changed, selection=CHANGED).outcomes
    assert [one.channel for one in found.packages] == ["SECOND", "PRIMARY"]


def test_sellers_are_kept_apart(market: Market) -> None:
    market.shop().send(ONE)
    assert statuses(market.shop().send(ONE, selection=CHANGED)) == SENT


def test_nobody_is_asked_where_nothing_is_sent(shop: Shop) -> None:
    shop.send(ONE)
    silent = replace(shop.service, client=shop.client("wrong"))
    found = shop.send(ONE, selection=SelectionOptions(changed_only=True), service=silent)
    assert (found.stopped, statuses(found)) == (None, UNCHANGED)
