"""Meaning of a file's numbers, by the last accepted values."""

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import pytest

from feedtool.areas.offers.changes.accepted import AcceptedOffers
from feedtool.areas.offers.changes.effects import OfferEffects, effects_of
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.delivery import PackageType
from feedtool.model.nouns import Item

Known = tuple[AcceptedOffer | None, str, int | None]


def known(fields: Mapping[str, object] | None, quantity: int | None = None) -> Known:
    return AcceptedOffer(None if fields is None else {**fields}, True, "", 1), "", quantity


THERE = known({"price": 10.0, "condition": "New"}, 5)
GONE = known(None)
BARE = known({"condition": "New"})
UNKNOWN = (None, "", None)
FORGOTTEN = known({})


def item(
    number: int = 1,
    kind: str = PackageType.UPSERT,
    price: str | None = None,
    quantity: int | None = None,
    channel: str = "PRIMARY",
) -> Item:
    parts = [f'"price": {{"price": {price}}}'] if price else []
    parts += [f'"quantity": {quantity}'] if quantity is not None else []
    return Item(number, kind, channel, f"SKU-{number}", "", f"{{{','.join(parts)}}}".encode())


def zipped(price: str) -> Item:
    """An offer of a legacy zip, in its feed's form."""
    body = {"Price": price, "Stock": "5", "PreparationTime": "2", "ProductCondition": "6"}
    return Item(1, PackageType.FULL, "PRIMARY", "SKU-1", "", json.dumps(body).encode())


def lines(result: Mapping[str, OfferEffects]) -> list[str]:
    return [line for channel, effect in result.items() for line in effect.describe(channel)]


def effects(*rows: tuple[Item, Known]) -> dict[str, OfferEffects]:
    known = dict(rows)
    accepted = SimpleNamespace(look_up=lambda items: [known[item] for item in items])
    return effects_of(([item] for item, _ in rows), lambda: cast("AcceptedOffers", accepted))


COUNTED = {
    "an Upsert of what is there": (item(), THERE, "changed"),
    "an Upsert of what is gone": (item(), GONE, "created"),
    "an Upsert of what nobody knows": (item(), UNKNOWN, "unknown"),
    "an Upsert of what is not known any more": (item(), FORGOTTEN, "unknown"),
    "an Update of what is there": (item(1, PackageType.UPDATE, "9"), THERE, "changed"),
    "an Update of what is gone": (item(1, PackageType.UPDATE), GONE, "absent"),
    "a Delete of what is there": (item(1, PackageType.DELETE), THERE, "removed"),
    "a Delete of what is gone": (item(1, PackageType.DELETE), GONE, "absent"),
    "a Delete of what nobody knows": (item(1, PackageType.DELETE), UNKNOWN, "unknown"),
    "what is as it was": (item(1, PackageType.UPDATE, "10", 5), THERE, "unchanged"),
    "an offer of a legacy zip": (zipped("10.00"), THERE, "changed"),
}


@pytest.mark.parametrize(("row", "before", "counted"), COUNTED.values(), ids=COUNTED)
def test_each_row_is_counted_once(row: Item, before: Known, counted: str) -> None:
    result = effects((row, before))["PRIMARY"].as_json()
    counts = ("created", "changed", "unchanged", "removed", "absent", "unknown")
    assert {name: result[name] for name in counts if result[name]} == {counted: 1}
    assert result["rows"] == 1


def test_effects_are_unknown_without_an_account() -> None:
    assert effects_of([[item()]], lambda: None)["PRIMARY"].counts == {"unknown": 1}


MOVES = {
    "a price that rises": (item(price="11.09"), THERE, "pricesUp", "1.09"),
    "a price that falls": (item(price="9.5"), THERE, "pricesDown", "0.5"),
    "stock that rises": (item(quantity=7), THERE, "stockUp", "2"),
    "stock that falls": (item(quantity=1), THERE, "stockDown", "4"),
    "a price in a legacy zip": (zipped("12"), THERE, "pricesUp", "2.0"),
    "the same price, written otherwise": (item(price="10"), THERE, None, ""),
    "the same stock": (item(quantity=5), THERE, None, ""),
    "a price that was not known": (item(price="1"), BARE, None, ""),
    "stock that was not known": (item(quantity=1), BARE, None, ""),
    "a cell that changes nothing": (item(), THERE, None, ""),
}


@pytest.mark.parametrize(("row", "before", "moved", "total"), MOVES.values(), ids=MOVES)
def test_moves_of_prices_and_stocks(
    row: Item, before: Known, moved: str | None, total: str
) -> None:
    result = effects((row, before))["PRIMARY"].as_json()
    names = ("pricesUp", "pricesDown", "stockUp", "stockDown")
    moves = {name: result[name] for name in names if result[name]["count"]}
    assert list(moves) == ([moved] if moved else [])
    if moved:
        assert (moves[moved]["count"], moves[moved]["total"]) == (1, total)
        assert moves[moved]["most"]["sellerExternalReference"] == "SKU-1"


def test_effects_in_words() -> None:
    result = effects(
        (item(1, price="11.09"), THERE),
        (item(2, price="12", quantity=0), THERE),
        (item(3, price="1", quantity=6), THERE),
        (item(4), GONE),
        (item(5, PackageType.DELETE), THERE),
        (item(6, PackageType.UPDATE), GONE),
        (item(7), UNKNOWN),
        (item(8, channel="SECOND"), UNKNOWN),
        (item(9, PackageType.UPDATE, "9", channel="THIRD"), BARE),
        (item(10, "Products", channel=""), UNKNOWN),
    )
    assert "\n".join(lines(result)) == (
        "PRIMARY: 7 offers: 1 created, 3 changed, 1 removed, 1 not there any more, 1 of which"
        " nothing is known: no run here has had them accepted\n"
        "PRIMARY: prices: 2 rise by 3.09 in all, most of all row 2, SKU-2: 10.0 → 12 (+20 %);"
        " 1 falls, row 3, SKU-3: 10.0 → 1 (-90 %)\n"
        "PRIMARY: stock: 1 rises, row 3, SKU-3: 5 → 6 (+20 %);"
        " 1 falls, row 2, SKU-2: 5 → 0 (-100 %); 1 of them to zero\n"
        "SECOND: 1 offer, of which nothing is known: no run here has had them accepted\n"
        "THIRD: 1 offer: 1 changed\n"
        "THIRD: no price and no stock moves\n"
        "1 product"
    )


def test_a_rise_from_zero_is_the_largest() -> None:
    nothing = known({"price": 10.0}, 0)
    result = effects((item(1, quantity=500), THERE), (item(2, quantity=1), nothing))
    (_, stock) = lines(result)
    assert stock.endswith("most of all row 2, SKU-2: 0 → 1")
