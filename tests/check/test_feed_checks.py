"""Rules that look at blanks alone are not asked of each row, and say what they said."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.check.feed_checks import shapes
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import Feed
from tests.conftest import offer, table

CELLS = {
    "product.reference": ("ER400-8614",),
    "price.price": ("9.99", "0.01", "x"),
    "price.originPrice": ("5", "12"),
    "taxes.VAT": ("20",),
    "taxes.EcoPart": ("0", "10"),
    "taxes.DEA": ("0",),
    "deliveryModes.TrackedHomeDelivery.cost": ("4.90", "4,900"),
    "deliveryModes.TrackedHomeDelivery.additionalCost": ("1",),
    "deliveryModes.ExpressHomeDelivery.cost": ("9",),
    "deliveryModes.ExpressHomeDelivery.additionalCost": ("1",),
    "preparationTime": ("2",),
    "quantity": ("7",),
}
OFFERS = (
    *("offers-upsert", "offers-update", "offers-delete"),
    *("legacy-offers", "legacy-stock-and-price"),
)
BLANK_ONES = st.sets(st.sampled_from(sorted(CELLS)))
VALUES = st.fixed_dictionaries({key: st.sampled_from(values) for key, values in CELLS.items()})
ROWS = st.lists(BLANK_ONES, min_size=1, max_size=2).flatmap(
    lambda shapes: st.lists(st.tuples(st.sampled_from(shapes), VALUES), min_size=1, max_size=8)
)
"""Rows, most of which have the same blanks as another one."""


@cache
def areas_asking_each_row() -> Areas:
    """Our areas with rules that are asked of every row."""

    def never(_: Feed) -> bool:
        return False

    return Areas(
        tuple(
            area._replace(
                rules=tuple(replace(rule, is_by_blanks=never) for rule in area.rules),
                feeds=tuple(asking_every_row(feed) for feed in area.feeds),
            )
            for area in load().areas
        )
    )


def asking_every_row(feed: Feed) -> Feed:
    """A feed that checks every row for missing keys."""
    requests = replace(feed.requests, required=feed.requests.unfilled, is_required_by_blanks=False)
    return replace(feed, requests=requests)


@pytest.mark.parametrize("kind", OFFERS)
@settings(max_examples=5)
@given(rows=ROWS)
def test_rules_by_blanks_and_by_rows_find_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    rows: list[tuple[set[str], dict[str, str]]],
) -> None:
    assert_the_same_is_said(tmp_path_factory, kind, rows)


@pytest.mark.long
@pytest.mark.parametrize("kind", OFFERS)
@given(rows=ROWS)
def test_rules_by_blanks_and_by_rows_find_the_same_in_many(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    rows: list[tuple[set[str], dict[str, str]]],
) -> None:
    assert_the_same_is_said(tmp_path_factory, kind, rows)


def assert_the_same_is_said(
    tmp_path_factory: pytest.TempPathFactory,
    kind: str,
    rows: list[tuple[set[str], dict[str, str]]],
) -> None:
    path = tmp_path_factory.mktemp("blanks") / "offers.csv"
    offers = [
        offer(number) | values | dict.fromkeys(blank, "")
        for number, (blank, values) in enumerate(rows, 1)
    ]
    path.write_text(table(offers), "utf-8")
    found = [findings(path, areas, kind) for areas in (load(), areas_asking_each_row())]
    assert found[0] == found[1]


def findings(path: Path, areas: Areas, kind: str) -> list[Any]:
    (sheet,) = check([Input(path.name, path)], ReadOptions(kind=kind), areas)
    return [*sheet.problems(), *sheet.rows.items, bytes(sheet.rows.marks)]


BLANK, FILLED = None, "x"


@pytest.mark.parametrize(
    ("rows", "different"),
    [
        ([(FILLED, FILLED)], 1),
        ([(FILLED, BLANK), (FILLED, BLANK)], 1),
        ([(FILLED, BLANK), (FILLED, FILLED)], 2),
        ([(FILLED, BLANK), (BLANK, FILLED), (FILLED, BLANK)], 2),
        ([(FILLED, 0), (FILLED, "")], 1),
        ([(), ()], 1),
    ],
)
def test_rows_of_one_shape_have_the_same_blanks(rows: list[tuple[object]], different: int) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    found = list(shapes(columns, len(rows)))
    assert len(found) == len(rows)
    assert len(set(found)) == different
