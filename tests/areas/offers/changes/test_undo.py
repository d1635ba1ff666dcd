"""A run that is taken back: what it changed is as before, what was changed since stays."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.offers.changes.memory import LiveOffers
from feedtool.areas.offers.changes.undo import undo_rows
from feedtool.feeds.memory import UndoOptions, UndoRow
from feedtool.model.cells import Value
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.runs.selection import accepted_rows
from feedtool.runs.workspace import fetch_context_of
from tests.areas.offers.changes.conftest import ADDRESS, Market, Shop
from tests.areas.offers.changes.test_same_offers import ROWS
from tests.conftest import gtin, offer, update

ONE, GONE = offer(1), {"sellerExternalReference": "SKU-1"}
STRUCK = ONE | {"price.originPrice": "30"}
DELETED = ("offers-delete", GONE)
SIGNED = {
    "deliveryModes.SignedHomeDelivery.cost": "9",
    "deliveryModes.SignedHomeDelivery.additionalCost": "1",
}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    market = Market(tmp_path)
    yield market.shop()
    market.close()


def undone(shop: Shop, run: int, *, stock: bool = False, delete: bool = False) -> list[UndoRow]:
    session = shop.service
    live = LiveOffers(session.client, fetch_context_of(session), AccountSettings())
    options = UndoOptions(stock, live.created_since if delete else None)
    began = shop.ledger.run(run)
    assert began is not None
    known = accepted_rows(shop.books, (ADDRESS, shop.seller))
    return [*undo_rows(shop.ledger.engine, began, known, AccountSettings(), options)]


def send(shop: Shop, *steps: object) -> None:
    for step in steps:
        kind, row = step if isinstance(step, tuple) else (None, step)
        assert isinstance(row, Mapping)
        shop.send(row, kind=kind)


def cells(row: UndoRow) -> dict[str, str]:
    """The restored cells, without those of every row."""
    always = ("sellerExternalReference", "salesChannelId")
    return {key: str(value) for key, value in row.values.items() if key not in always}


def numbered(row: Mapping[str, str], number: int) -> dict[str, str]:
    """The row, with an offer and a product of this number."""
    products = {"product.gtin": gtin(100 + number)} if row.get("product.gtin") == gtin(1) else {}
    return {**row, "sellerExternalReference": f"SKU-1-{number}", **products}


UPDATE = {"action": "Update"}
RESTORED: dict[str, tuple[dict[str, str], dict[str, str], dict[str, str] | None]] = {
    # What the first run sent, what the second one, and the values that its undo restores.
    "the price": (ONE, update(1, price__price="18"), {"price.price": "19.99"}),
    "the price of an Upsert": (ONE, offer(1, price__price="18"), {"price.price": "19.99"}),
    "the preparation time": (ONE, update(1, preparationTime="9"), {"preparationTime": "2"}),
    "all taxes": (
        ONE,
        offer(1, taxes__VAT="5.5"),
        {"taxes.VAT": "20", "taxes.EcoPart": "0", "taxes.DEA": "0"},
    ),
    "all delivery modes, with the preparation time": (
        ONE,
        ONE | SIGNED,
        {
            "deliveryModes.TrackedHomeDelivery.cost": "4.9",
            "deliveryModes.TrackedHomeDelivery.additionalCost": "1.5",
            "preparationTime": "2",
        },
    ),
    "a struck price that an Upsert removed": (
        STRUCK,
        ONE,
        {"price.originPrice": "30", "price.price": "19.99"},
    ),
    "nothing": (ONE, ONE, None),
    "nothing of a refused row": (ONE, offer(1, product__gtin="2000000000008"), None),
}


def test_undo_restores_changed_values(shop: Shop) -> None:
    """Offers that are unchanged, or whose row was refused, get no row."""
    first, second, _ = zip(*RESTORED.values(), strict=True)
    for sent in (first, second):
        rows = [numbered(row, number) for number, row in enumerate(sent)]
        shop.send(*(row | {"action": "Upsert" if len(row) > 3 else "Update"} for row in rows))
    rows_of_undo = undone(shop, 2)
    changes = {row.reference: cells(row) for row in rows_of_undo}
    assert len(changes) == len(rows_of_undo)
    assert {values.pop("action") for values in changes.values()} == {"Update"}
    as_numbers = {
        reference: {key: float(value) for key, value in values.items()}
        for reference, values in changes.items()
    }
    assert as_numbers == {
        f"SKU-1-{number}": {key: float(value) for key, value in restored.items()}
        for number, (*_, restored) in enumerate(RESTORED.values())
        if restored
    }


CHEAPER = update(1, price__price="18", action="Update")
UPSERT, DELETE = ONE | {"action": "Upsert"}, GONE | {"action": "Delete"}
LEFT: dict[str, tuple[list[dict[str, str]], int, str]] = {
    # What is sent of an offer run by run, the run that is taken back, and why that leaves it alone.
    "sent since": ([UPSERT, CHEAPER, UPSERT], 2, "run 3 has sent it since"),
    "refused since": (
        [UPSERT, CHEAPER, UPSERT | {"product.gtin": "2000000000008"}],
        2,
        "run 3 has sent it since",
    ),
    "removed by the run": ([UPSERT, DELETE], 2, "the run removed it"),
    "created by the run": ([UPSERT, DELETE, UPSERT], 3, "the run created it"),
    "not known before": ([UPSERT], 1, "if the run created it"),
    "only stock": (
        [UPSERT, update(1, quantity="1", action="Update")],
        2,
        "the run changed its stock alone",
    ),
    "a struck price that cannot go": (
        [UPSERT, UPSERT | {"price.originPrice": "30"}],
        2,
        "no strike-through price before",
    ),
}


def test_offers_that_undo_leaves_alone(shop: Shop) -> None:
    for step in range(3):
        shop.send(
            *(
                numbered(rows[step], number)
                for number, (rows, *_) in enumerate(LEFT.values())
                if step < len(rows)
            )
        )
    runs = {run: undone(shop, run) for run in (1, 2, 3)}
    for number, (name, (_, run, reason)) in enumerate(LEFT.items()):
        (row,) = (row for row in runs[run] if row.reference == f"SKU-1-{number}")
        assert (cells(row), reason in row.reason) == ({}, True), (name, row)


def test_stock_is_restored_where_that_is_asked_for(shop: Shop) -> None:
    send(shop, ONE, update(1, quantity="1", price__price="18"))
    (row,) = undone(shop, 2, stock=True)
    assert cells(row) == UPDATE | {"price.price": "19.99", "quantity": "7"}
    (row,) = undone(shop, 2)
    assert "quantity" not in row.values
    # A row that is on its way since is left alone.
    shop.send(update(1, price__price="17"), wait=False)
    (row,) = undone(shop, 2)
    assert "on its way" in row.reason


def test_stock_that_another_channel_has_moved_is_left_alone(shop: Shop) -> None:
    second = {"salesChannelId": "SECOND"}
    shop.send(ONE, ONE | second)
    send(shop, update(1, quantity="1"), update(1, quantity="3") | second)
    (row,) = undone(shop, 2, stock=True)
    assert row.reason == "its stock was changed since"


def test_created_offers_are_deleted_on_request(shop: Shop) -> None:
    send(shop, ONE)
    # Earlier offers are not taken for created ones.
    since = shop.service.now()
    live = LiveOffers(shop.service.client, fetch_context_of(shop.service), AccountSettings())
    created = partial(live.created_since, "PRIMARY", ["SKU-1", "a,b"])
    assert created(since.replace(year=since.year + 1)) == frozenset()
    assert created(datetime.min.replace(tzinfo=since.tzinfo)) == {"SKU-1"}
    shop.send(ONE, offer(2))
    rows = undone(shop, 2, delete=True)
    assert [(row.reference, cells(row)) for row in rows] == [("SKU-2", {"action": "Delete"})]


def test_a_difference_in_an_export_is_a_later_change(shop: Shop) -> None:
    send(shop, ONE, update(1, price__price="18"))
    other = shop.elsewhere()
    other.send(update(1, price__price="15"))
    shop.export()
    (row,) = undone(shop, 2)
    assert row.reason == "it was changed since, as an export has shown"


def test_a_run_of_legacy_packages_is_refused(shop: Shop) -> None:
    shop.send(ONE, kind="legacy-offers")
    with pytest.raises(UsageProblem, match="run 1 sent legacy packages"):
        undone(shop, 1)


# Whatever is sent, and however it is interrupted.

Key = tuple[str, str]
Sent = list[dict[str, str]]


def on_primary(row: dict[str, str]) -> dict[str, str]:
    return row | {"salesChannelId": "PRIMARY"}


CHANGES = st.builds(
    lambda reference, price, days: {
        "action": "Update",
        "sellerExternalReference": reference,
        "price.price": price,
        "preparationTime": days,
    },
    st.sampled_from("ABC"),
    st.sampled_from(("12", "15", "18")),
    st.sampled_from(("", "3", "5")),
).map(on_primary)
"""Changes most of which are accepted, unlike `ROWS`."""
KNOWN = [
    on_primary(offer(number, sellerExternalReference=reference, action="Upsert"))
    for number, reference in enumerate("ABC", 1)
]


@st.composite
def files(draw: st.DrawFn) -> Sent:
    key = itemgetter("salesChannelId", "sellerExternalReference")
    rows = draw(st.sampled_from((CHANGES, CHANGES, ROWS, ROWS.map(on_primary))))
    return draw(st.lists(rows, min_size=1, max_size=3, unique_by=key))


WAYS = st.sampled_from(("waited for", "resumed", "killed"))


def deliver(shop: Shop, rows: Sent, way: str) -> None:
    if way == "killed":
        shop.kill_while_recording(*rows)
    else:
        shop.send(*rows, wait=way == "waited for")
    shop.resume()


def restored(shop: Shop) -> dict[Key, tuple[object, ...]]:
    """The restored columns of each offer."""
    return {(str(row[0]), str(row[1])): row[6:11] for row in shop.offers()}


def keys(rows: Iterable[Mapping[str, Value]]) -> set[Key]:
    return {(str(row["salesChannelId"]), str(row["sellerExternalReference"])) for row in rows}


STORIES = given(st.just(KNOWN) | files(), files(), st.none() | files(), st.tuples(WAYS, WAYS, WAYS))


@settings(max_examples=2)  # the first is always the simplest
@STORIES
def test_undo_restores_the_changes_of_the_run_and_nothing_else(
    next_market: Callable[[], Market],
    before: Sent,
    run: Sent,
    since: Sent | None,
    ways: tuple[str, str, str],
) -> None:
    assert_undone(next_market().shop(), before, run, since, ways)


@pytest.mark.long
@settings(max_examples=1_000)
@STORIES
def test_undo_restores_it_in_many_more_cases(
    next_market: Callable[[], Market],
    before: Sent,
    run: Sent,
    since: Sent | None,
    ways: tuple[str, str, str],
) -> None:
    assert_undone(next_market().shop(), before, run, since, ways)


def assert_undone(
    shop: Shop, before: Sent, run: Sent, since: Sent | None, ways: tuple[str, str, str]
) -> None:
    way, next_way, last_way = ways
    deliver(shop, before, way)
    was = restored(shop)
    deliver(shop, run, next_way)
    number = shop.ledger.run_ids()[0]
    changed = restored(shop)
    if since:
        deliver(shop, since, way)
    left = restored(shop)
    rows = undone(shop, number)
    sent = [
        {key: str(value) for key, value in row.values.items()} for row in rows if not row.reason
    ]
    if sent:
        deliver(shop, sent, last_way)
    now, touched = restored(shop), keys(since or [])
    assert not keys(sent) & touched
    for key, fields in now.items():
        assert fields == (was if key in keys(sent) else left)[key]
    alone = {(row.channel, row.reference) for row in rows if row.reason}
    for key in changed.keys() & was.keys() - touched:
        assert changed[key] == was[key] or key in keys(sent) | alone
