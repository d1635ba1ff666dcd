"""File after file with --changed-only leaves just what sending every row leaves."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.feeds.selection import SelectionOptions
from tests.areas.offers.changes.conftest import CHANGED, PREFERRED, Market
from tests.conftest import gtin

CHANNELS = ("PRIMARY", "SECOND")

PRODUCTS = (
    {"product.gtin": gtin(1)},
    {"product.gtin": gtin(2)},
    {"product.gtin": gtin(2), "product.reference": "P2"},
    {"product.reference": "P2"},
    {"product.reference": "P3"},
    {"product.gtin": "2000000000008"},  # no product sheet: refused
)

PRICES = ("10", "10.00", "12.5", "20")


def rows_with(action: str) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries(
        {
            "action": st.just(action),
            "salesChannelId": st.sampled_from(CHANNELS),
            "sellerExternalReference": st.sampled_from("ABC"),
        }
    )


@st.composite
def upserts(draw: st.DrawFn) -> dict[str, str]:
    row = draw(rows_with("Upsert")) | draw(st.sampled_from(PRODUCTS))
    row |= {
        "condition": draw(st.sampled_from(("New", "New", "UsedLikeNew"))),
        "price.price": draw(st.sampled_from(PRICES)),
        "price.originPrice": draw(st.sampled_from(("", "", "20", "25"))),
        "taxes.VAT": draw(st.sampled_from(("20", "20", "5.5"))),
        "taxes.EcoPart": draw(st.sampled_from(("", "0", "0.5"))),
        "deliveryModes.TrackedHomeDelivery.cost": draw(st.sampled_from(("4.9", "4.90", "5"))),
        "deliveryModes.TrackedHomeDelivery.additionalCost": "1",
        "preparationTime": "2",
        "quantity": draw(st.sampled_from(("0", "5", "7"))),
    }
    return row


@st.composite
def updates(draw: st.DrawFn) -> dict[str, str]:
    changes: Mapping[str, tuple[str, ...]] = {
        "price.price": ("", "10", "12.5"),
        "price.originPrice": ("", "", "25"),
        "preparationTime": ("", "2", "3"),
        "quantity": ("", "5", "7"),
    }
    row = draw(rows_with("Update"))
    return row | {key: draw(st.sampled_from(values)) for key, values in changes.items()}


ROWS = st.one_of(upserts(), upserts(), updates(), rows_with("Delete"))
"""Rows of an offers sheet; a wrong row is wrong for both shops."""


class File(NamedTuple):
    """The rows of a file, and whether the command waits for results."""

    rows: list[dict[str, str]]
    is_waited_for: bool


EXPORT, ELSEWHERE = "export", "elsewhere"
"""Acts between two files: an export, or a submission from another machine with an empty ledger."""

Day = File | str


@st.composite
def days(draw: st.DrawFn) -> list[Day]:
    """Files, many of whose rows are those of earlier ones, and what comes between them."""
    pool = draw(st.lists(ROWS, min_size=2, max_size=8))
    key = itemgetter("salesChannelId", "sellerExternalReference")
    some = st.lists(st.sampled_from(pool) | ROWS, min_size=1, max_size=5, unique_by=key)
    file = st.builds(File, some, st.sampled_from((True, True, True, False)))
    one = st.one_of(file, file, file, file, st.sampled_from((EXPORT, ELSEWHERE)))
    return draw(st.lists(one, min_size=2, max_size=7))


def check_same(market: Market, coming: list[Day], selection: SelectionOptions) -> None:
    every, changed = market.shop(), market.shop()
    for day in coming:
        if isinstance(day, File):
            every.send(*day.rows, wait=day.is_waited_for)
            changed.send(*day.rows, wait=day.is_waited_for, selection=selection)
        elif day == EXPORT:
            for channel in CHANNELS:
                changed.export(channel)
        else:
            every.resume()
            changed.resume()
            changed = changed.elsewhere()
        if day is coming[-1] or not (isinstance(day, File) and not day.is_waited_for):
            every.resume()
            changed.resume()
            assert changed.offers() == every.offers()
    assert len(changed.applied()) <= len(every.applied())


@settings(max_examples=2)  # the first is always the simplest
@given(days(), st.sampled_from((CHANGED, PREFERRED)))
def test_the_offers_are_the_same(
    next_market: Callable[[], Market], coming: list[Day], selection: SelectionOptions
) -> None:
    check_same(next_market(), coming, selection)


@pytest.mark.long
@settings(max_examples=2_000)
@given(days(), st.sampled_from((CHANGED, PREFERRED)))
def test_the_offers_are_the_same_in_many_more_cases(
    next_market: Callable[[], Market], coming: list[Day], selection: SelectionOptions
) -> None:
    check_same(next_market(), coming, selection)
