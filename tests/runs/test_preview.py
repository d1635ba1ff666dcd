"""A preview of a plan: what would happen to each offer, the biggest change first."""

from collections import Counter
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.offers.changes.effects import KnownOffer, KnownOffers, OfferEffects, effects_of
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.delivery import PackageType
from feedtool.delivery.plan import Plan
from feedtool.model.nouns import Item
from feedtool.model.sheet import CheckedSheet
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.preview import preview_of

PRICES, STOCKS = st.sampled_from((None, 0.0, 9.9, 10.0, 12.5)), st.sampled_from((None, 0, 5, 7))


@st.composite
def rows(draw: st.DrawFn) -> tuple[Item, KnownOffer]:
    package_type = draw(st.sampled_from((PackageType.UPSERT, PackageType.UPDATE, "Delete")))
    price, stock = draw(PRICES), draw(STOCKS)
    parts = [] if price is None else [f'"price": {{"price": {price}}}']
    parts += [] if stock is None else [f'"quantity": {stock}']
    item = Item(0, package_type, "PRIMARY", "SKU", "", f"{{{', '.join(parts)}}}".encode())
    old = draw(PRICES)
    there = AcceptedOffer({"condition": "New", **({"price": old} if old else {})}, True, "", 1)
    gone = AcceptedOffer(None, True, "", 1)
    return item, (draw(st.sampled_from((None, gone, there, there, there))), "", draw(STOCKS))


def planned(made: list[tuple[Item, KnownOffer]]) -> tuple[OfferEffects, list[dict[str, Any]]]:
    known = {number: offer for number, (_, offer) in enumerate(made)}
    items = [item._replace(row=number) for number, (item, _) in enumerate(made)]
    look_up = SimpleNamespace(look_up=lambda asked: [known[item.row] for item in asked])
    offers = cast("KnownOffers", look_up)
    sheet = CheckedSheet("offers.csv", "offers-update")
    sent = [(1, SimpleNamespace(items=items))]
    uploads = SimpleNamespace(sheets=[sheet], blocked="", uploads=lambda _: sent)
    with preview_of(lambda: offers) as preview:
        preview.add(cast("Plan", uploads))
        preview.attach([result := SheetResult(sheet)])
        changes = [dict(row) for row in result.changes or ()]
    return effects_of([items], lambda: offers)["PRIMARY"], changes


def moved(changes: list[dict[str, Any]], old: str, new: str) -> list[Decimal]:
    pairs = [(row[old], row[new]) for row in changes if row["change"] == "changed"]
    return [
        Decimal(str(after)) - Decimal(str(before))
        for before, after in pairs
        if None not in (before, after)
    ]


@given(st.lists(rows(), min_size=1, max_size=8))
def test_a_preview_adds_up_to_the_effects(made: list[tuple[Item, KnownOffer]]) -> None:
    effects, changes = planned(made)
    assert Counter(row["change"] for row in changes) == effects.counts
    for names, up, down in (
        (("oldPrice", "newPrice"), effects.prices_up, effects.prices_down),
        (("oldStock", "newStock"), effects.stock_up, effects.stock_down),
    ):
        moves = moved(changes, *names)
        assert sum(move for move in moves if move > 0) == up.total
        assert sum(move for move in moves if move < 0) == down.total


def test_the_biggest_change_comes_first() -> None:
    there = AcceptedOffer({"price": 10.0}, True, "", 1)

    def row(
        kind: str, price: float, offer: AcceptedOffer | None = there
    ) -> tuple[Item, KnownOffer]:
        body = f'{{"price": {{"price": {price}}}}}'.encode()
        return Item(0, kind, "PRIMARY", "SKU", "", body), (offer, "", None)

    _, changes = planned(
        [
            row("Update", 10),
            row("Update", 11),
            row("Upsert", 5, None),
            row("Update", 2),
            row("Delete", 0),
            row("Upsert", 5, there._replace(fields=None)),
        ]
    )
    assert [(change["row"], change["change"]) for change in changes] == [
        (4, "removed"),
        (3, "changed"),
        (1, "changed"),
        (5, "created"),
        (2, "unknown"),
        (0, "unchanged"),
    ]
