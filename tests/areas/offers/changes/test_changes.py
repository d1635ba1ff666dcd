"""Unchanged rows, by earlier requests."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType
from feedtool.feeds.selection import SelectionOptions
from feedtool.model.errors import Interrupted
from feedtool.runs.deliver import Submission, results
from tests.areas.offers.changes.conftest import CHANGED, PREFERRED, Market, Shop, statuses
from tests.conftest import gtin, offer, update


class Step(NamedTuple):
    """A file, and how it is sent."""

    rows: Sequence[Mapping[str, str]]
    how: Mapping[str, Any] = {}


Sent = Step | Mapping[str, str]
"""A file, or the one row of one."""


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

UNCHANGED, SENT, VALID = ["Unchanged"], ["Integrated"], ["Valid"]

CASES: Mapping[str, tuple[list[Sent], Sent, list[str]]] = {
    # What was sent before, what is planned now, and its statuses.
    "nothing was ever sent": ([], ONE, VALID),
    "the same again": ([ONE], ONE, UNCHANGED),
    "one of two": ([step(ONE, TWO)], step(ONE, offer(2, quantity="8")), UNCHANGED + VALID),
    "one that is new": ([ONE], step(ONE, TWO), UNCHANGED + VALID),
    "written otherwise": (
        [offer(1, price__price="20.00")],
        offer(1, price__price="20") | {"taxes.EcoPart": "0", "taxes.DEA": ""},
        UNCHANGED,
    ),
    "another price": ([ONE], CHEAPER, VALID),
    "another VAT": ([ONE], offer(1, taxes__VAT="5.5"), VALID),
    "another preparation time": ([ONE], offer(1, preparationTime="3"), VALID),
    "another stock": ([ONE], offer(1, quantity="8"), VALID),
    "another delivery mode": (
        [ONE],
        ONE | {f"{SIGNED}.cost": "9", f"{SIGNED}.additionalCost": "1"},
        VALID,
    ),
    "back to what it was before": ([ONE, CHEAPER], ONE, VALID),
    "the struck price again": ([STRUCK], STRUCK, UNCHANGED),
    "without the struck price": ([STRUCK], ONE, VALID),
    "with a struck price": ([ONE], STRUCK, VALID),
    "an Upsert removes the struck price": ([STRUCK, ONE], ONE, UNCHANGED),
    "an Update leaves the struck price": (
        [STRUCK, REDUCED],
        STRUCK | {"price.price": "18"},
        UNCHANGED,
    ),
    "an Update of what is known": ([ONE], KNOWN, UNCHANGED),
    "an Update of another price": ([ONE], REDUCED, VALID),
    "an Update of what an Update said": ([ONE, REDUCED], REDUCED, UNCHANGED),
    "an Upsert of what an Update said": (
        [ONE, update(1, price__price="18", quantity="3")],
        offer(1, price__price="18", quantity="3"),
        UNCHANGED,
    ),
    "an Upsert of what an Update has changed": ([ONE, REDUCED], ONE, VALID),
    "after a Delete": ([ONE, step(GONE, **DELETE)], ONE, VALID),
    "an Update after a Delete": ([ONE, step(GONE, **DELETE)], update(1, quantity="7"), VALID),
    "a Delete": ([ONE], step(GONE, **DELETE), VALID),
    "a Delete after a Delete": ([ONE, step(GONE, **DELETE)], step(GONE, **DELETE), UNCHANGED),
    "a Delete of what was never there": ([], step(GONE, **DELETE), VALID),
    "a Delete that was refused": ([step(GONE, **DELETE)], step(GONE, **DELETE), VALID),
    "after a refusal": ([ONE, ANOTHER_PRODUCT], ONE, VALID),
    "what was refused": ([ONE, ANOTHER_PRODUCT], ANOTHER_PRODUCT, VALID),
    "once it was accepted again": ([ONE, ANOTHER_PRODUCT, ONE], ONE, UNCHANGED),
    "what has no answer yet": ([step(ONE, wait=False)], ONE, VALID),
    "what was invalid": ([offer(1, quantity="-1")], ONE, VALID),
    "an invalid row between": ([ONE, offer(1, quantity="-1")], ONE, UNCHANGED),
    "on another channel": ([first(ONE)], second(ONE), VALID),
    "on both channels": ([BOTH], BOTH, UNCHANGED * 2),
    "stock that another channel has changed": ([BOTH, second(FEWER)], first(ONE), VALID),
    "stock that another channel has set just so": ([BOTH, second(SOLD)], first(SOLD), UNCHANGED),
    "stock that another row changes": ([BOTH], step(first(ONE), second(FEWER)), VALID * 2),
    "a price beside stock that another row changes": (
        [BOTH],
        step(first(update(1, price__price="19.99")), second(SOLD)),
        UNCHANGED + VALID,
    ),
    "stock of another product": (
        [step(first(ONE), second(TWO)), second(offer(2, quantity="3"))],
        first(ONE),
        UNCHANGED,
    ),
    "stock in another condition": (
        [first(ONE), second(offer(1, condition="UsedLikeNew", quantity="3"))],
        first(ONE),
        UNCHANGED,
    ),
    "stock of a product that goes by another name there": (
        [first(ONE), second(BY_REFERENCE | {"quantity": "3"})],
        first(ONE),
        VALID,
    ),
    "stock that another row changes by another name of the product": (
        [step(first(ONE), second(TWO_BY_REFERENCE))],
        step(first(FEWER), second(TWO_BY_REFERENCE)),
        VALID * 2,
    ),
    "named by the reference alone": ([BY_REFERENCE], BY_REFERENCE, UNCHANGED),
    "named by the reference alone where another one has a GTIN": (
        [BY_REFERENCE, TWO],
        BY_REFERENCE,
        VALID,
    ),
    "named by the reference alone beside one that has a GTIN": (
        [BY_REFERENCE],
        step(BY_REFERENCE, TWO),
        VALID * 2,
    ),
    "an Update of one that is known by its reference": (
        [BY_REFERENCE, TWO],
        update(1, quantity="7"),
        UNCHANGED,
    ),
    "several actions": (
        [step(*({**row, "action": "Upsert"} for row in (ONE, TWO)))],
        step(update(1, quantity="7", action="Update"), update(2, action="Delete")),
        UNCHANGED + VALID,
    ),
    "a legacy zip": ([step(ONE, **LEGACY)], step(ONE, **LEGACY), UNCHANGED),
    "a legacy zip with another stock": ([step(ONE, **LEGACY)], step(FEWER, **LEGACY), VALID),
    "a legacy zip's price": ([step(ONE, **LEGACY)], step(KNOWN, **STOCK_AND_PRICE), UNCHANGED),
    "a legacy zip after the JSON packages": ([ONE], step(ONE, **LEGACY), VALID),
    "an Update after a legacy zip": ([step(ONE, **LEGACY)], KNOWN, UNCHANGED),
}


PRODUCTS = (1, 2, 9)
"""The numbers of the products in the cases."""


def history_of(name: str) -> list[Step]:
    """The files that were sent before in a case."""
    return [file if isinstance(file, Step) else Step([file]) for file in CASES[name][0]]


def is_alone(name: str) -> bool:
    """Whether rows of a case, named by references, have a say in what becomes of another's."""
    return any("product.reference" in row for file in history_of(name) for row in file.rows)


def kinds(name: str) -> list[object]:
    """The kinds of the files of a history; the history itself where no other goes with it."""
    history = history_of(name)
    return [*history] if is_alone(name) else [*map(kind_of, history)]


def kind_of(file: Step) -> object:
    marks = ("condition", "salesChannelId", "action")
    return [mark in file.rows[0] for mark in marks], file.how


def moved(row: Mapping[str, str], place: int) -> dict[str, str]:
    """The row, of an offer and a product that are of one case alone."""
    products = {gtin(number): gtin(100 * (place + 1) + number) for number in PRODUCTS}
    reference = f"{row['sellerExternalReference']}-{place}"
    own = {**row, "sellerExternalReference": reference}
    return {key: products.get(value, value) for key, value in own.items()}


def grouped() -> list[list[str]]:
    """The cases whose histories end alike, and go together; the longest history is the first's."""
    groups: list[list[str]] = []
    for name in sorted(CASES, key=lambda name: -len(history_of(name))):
        for group in groups:
            longest = kinds(group[0])
            if longest[len(longest) - len(kinds(name)) :] == kinds(name):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


@pytest.mark.parametrize("names", grouped(), ids=lambda names: f"{names[0]} ({len(names)})")
def test_unchanged_rows_are_not_sent(shop: Shop, names: list[str]) -> None:
    """Each case has its own offers, or all the same; what is planned last changes nothing.

    Files of one kind are one.
    """
    places = {name: 0 if is_alone(name) else place for place, name in enumerate(names)}
    senders = names[: len({*places.values()})]
    longest = history_of(names[0])
    for number, file in enumerate(longest, start=-len(longest)):
        coming = [name for name in senders if len(history_of(name)) >= -number]
        shop.send(
            *(moved(row, places[it]) for it in coming for row in history_of(it)[number].rows),
            **file.how,
        )
    found: dict[str, list[str]] = {}
    for together in planned_together(names):
        files = [last_of(name) for name in together]
        rows = [
            moved(row, places[name])
            for name, file in zip(together, files, strict=True)
            for row in file.rows
        ]
        came = iter(statuses(shop.plan(*rows, selection=CHANGED, **files[0].how)))
        for name, file in zip(together, files, strict=True):
            found[name] = [*islice(came, len(file.rows))]
        assert not [*came]
    assert found == {name: CASES[name][2] for name in names}


def last_of(name: str) -> Step:
    """The file that is planned last in a case."""
    _, last, _ = CASES[name]
    return last if isinstance(last, Step) else Step([last])


def planned_together(names: list[str]) -> list[list[str]]:
    """The cases whose last files are of one kind, if no row may change another channel's stock."""
    if is_alone(names[0]) or any("salesChannelId" in last_of(name).rows[0] for name in names):
        return [[name] for name in names]
    groups: list[list[str]] = []
    for name in names:
        for group in groups:
            if kind_of(last_of(group[0])) == kind_of(last_of(name)):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def test_a_purge_is_sent_whole_and_forgets_other_offers(shop: Shop) -> None:
    shop.send(ONE, TWO, kind="legacy-offers")
    sent = shop.send(ONE, selection=CHANGED, asked=shop.purging(), confirm=lambda _: None)
    assert statuses(sent) == SENT
    again = shop.plan(ONE, TWO, selection=CHANGED, kind="legacy-offers")
    assert statuses(again) == UNCHANGED + VALID


def test_requests_that_a_resume_would_send_do_not_count(shop: Shop) -> None:
    shop.send(ONE)
    cut = replace(shop.service, stopping=lambda: Interrupted("cut", "resume"))
    shop.send(CHEAPER, service=cut)
    assert statuses(shop.send(ONE, selection=CHANGED)) == SENT
    shop.resume()
    assert statuses(shop.plan(ONE, selection=CHANGED)) == UNCHANGED
    assert [one[6] for one in shop.offers()] == [19.99]


def test_a_run_that_was_killed_before_its_rows_were_written_down_goes_first(shop: Shop) -> None:
    shop.send(ONE)
    shop.kill_while_recording(CHEAPER)
    assert statuses(shop.send(ONE, selection=CHANGED)) == SENT
    assert statuses(shop.send(ONE, selection=CHANGED)) == UNCHANGED
    shop.resume()
    assert [one[6] for one in shop.offers()] == [19.99]


BOTH_CHANGED = offer(1, price__price="18.5", quantity="3")
PREFERRED_CASES: Mapping[str, tuple[Mapping[str, str], dict[str, object] | None]] = {
    "a price": (CHEAPER, {"price": {"price": 18}}),
    "a stock": (FEWER, {"quantity": 3}),
    "both": (BOTH_CHANGED, {"price": {"price": 18.5}, "quantity": 3}),
    "more than these": (offer(1, price__price="18", preparationTime="3"), None),
    "a struck price": (STRUCK, None),
}


def test_an_update_of_just_that(shop: Shop) -> None:
    shop.send(*(moved(ONE, place) for place in range(len(PREFERRED_CASES))))
    rows = [moved(row, place) for place, (row, _) in enumerate(PREFERRED_CASES.values())]
    assert statuses(shop.send(*rows, selection=PREFERRED)) == SENT * len(rows)
    last = {request.reference: request for request in shop.applied()}
    for place, (name, (_, changes)) in enumerate(PREFERRED_CASES.items()):
        reference = f"SKU-1-{place}"
        request = last[reference]
        assert request.package_type == ("Update" if changes else "Upsert"), name
        if changes:
            assert request.body == {"sellerExternalReference": reference, **changes}, name
    assert statuses(shop.plan(*rows, selection=CHANGED)) == UNCHANGED * len(rows)


def test_unknown_or_failed_offers_are_sent_whole(shop: Shop) -> None:
    shop.send(ONE)
    shop.send(ANOTHER_PRODUCT)
    shop.send(CHEAPER, TWO, selection=PREFERRED)
    assert {request.package_type for request in shop.applied()} == {"Upsert"}


def test_results_can_be_shown_again_unchanged(shop: Shop) -> None:
    shop.send(ONE)
    submission = shop.send(ONE, offer(3, quantity="-1"), TWO, selection=CHANGED)
    number = int(submission.outcomes[0].run or "")
    again = results(number, shop.books, shop.transport.now())
    expected = ["Unchanged", "Invalid", "Integrated"]
    assert statuses(submission) == expected
    assert statuses(Submission(again)) == expected
    counts = again[0].counts()
    assert (counts.rows, counts.valid, counts.invalid, counts.skipped) == (3, 1, 1, 1)


def test_a_large_file_with_a_few_changes_is_one_upload(shop: Shop) -> None:
    rows = [offer(number) for number in range(130)]
    shop.send(*rows)
    for number in (3, 100, 129):
        rows[number] = offer(number, quantity="8")
    (found,) = shop.send(*rows, selection=CHANGED).outcomes
    assert [
        (package.package_type, package.rows, package.uploads) for package in found.packages
    ] == [(PackageType.UPSERT, 3, 1)]


def test_packages_are_sent_in_the_order_of_all_rows(shop: Shop) -> None:
    shop.send(second(ONE), first(ONE), second(TWO))
    changed = (second(ONE), first(CHEAPER), second(offer(2, price__price="18")))
    (found,) = shop.send(*changed, selection=CHANGED).outcomes
    assert [package.channel for package in found.packages] == ["SECOND", "PRIMARY"]


def test_sellers_are_kept_apart_and_no_call_is_made_without_rows(
    market: Market, shop: Shop
) -> None:
    market.shop().send(ONE)
    assert statuses(shop.send(ONE, selection=CHANGED)) == SENT
    silent = replace(shop.service, client=shop.client("wrong"))
    submission = shop.send(ONE, selection=SelectionOptions(changed_only=True), service=silent)
    assert (submission.stopped, statuses(submission)) == (None, UNCHANGED)
