"""Each guard with rows and files that it lets pass, and with what it says of others."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from feedtool.areas.offers.changes.guards import (
    ROW_CHECKS,
    Candidate,
    Removals,
    check_removals,
    check_shrunk,
)
from feedtool.areas.offers.changes.offer_state import AcceptedOffer, OfferFields
from feedtool.areas.offers.delivery import PackageType
from feedtool.feeds.selection import EarlierFile
from feedtool.model.nouns import Item
from feedtool.model.settings import Guards

USUAL = Guards()
"""The default settings."""
CHANGE = Guards(price_change=Decimal(30))
SHRUNK = Guards(fewer_rows=Decimal(40))


def row(
    price: float | None, accepted: OfferFields | None = None, floor: float | None = None
) -> Candidate:
    """A row with a price, or without one; `accepted` is what was of its reference."""
    item = Item(2, PackageType.UPSERT, "PRIMARY", "SKU-1", "", b"{}", floor)
    offer = accepted and AcceptedOffer(accepted, True, "", 1, accepted.get("price"))
    return Candidate(item, {} if price is None else {"price": price}, offer or None)


def after(fields: OfferFields | None, price: float, last_price: float | None) -> Candidate:
    """A row after an offer whose price is unknown or unsure."""
    offer = AcceptedOffer(fields, fields is None, "", 1, last_price)
    return row(price)._replace(offer=offer)


def held(code: str, candidate: Candidate, settings: Guards) -> str:
    """The message of a guard on a row; empty if it passes."""
    issue = ROW_CHECKS[code](candidate, settings)
    if issue is None:
        return ""
    assert (issue.code.name, issue.field) == (code, "price.price")
    assert issue.hint == f"if it is meant: submit it with --release {code}"
    return issue.message


OLD, SOME = {"price": 20}, {"price": 19.99}

ROWS_PASS: Mapping[str, tuple[str, Candidate, Guards]] = {
    "no floor": ("price-below-floor", row(0.01), USUAL),
    "at the floor": ("price-below-floor", row(14.99, floor=14.99), USUAL),
    "above": ("price-below-floor", row(15, floor=14.99), USUAL),
    "no price above a floor": ("price-below-floor", row(None, floor=14.99), USUAL),
    "just as much less": ("price-change", row(14, OLD), CHANGE),
    "just as much more": ("price-change", row(26, OLD), CHANGE),
    "never accepted": ("price-change", row(1), CHANGE),
    "no price known": ("price-change", row(1, {"preparation": 2}), CHANGE),
    "no price in the row": ("price-change", row(None, OLD), CHANGE),
    "a tenth that is a little more as a float": ("price-change", row(0.63, {"price": 0.9}), CHANGE),
    "no change is forbidden": ("price-change", row(1, OLD), USUAL),
    "nine times": ("price-factor", row(179.99, SOME), USUAL),
    "a ninth": ("price-factor", row(2.23, SOME), USUAL),
    "new": ("price-factor", row(1999.0), USUAL),
    "deleted before it had a price": ("price-factor", after({}, 1999, None), USUAL),
    "no price before": ("price-factor", row(1999.0, {"preparation": 2}), USUAL),
    "no price to compare": ("price-factor", row(None, SOME), USUAL),
    "it is off": ("price-factor", row(1999, SOME), Guards(price_factor=Decimal(0))),
    "below its setting": ("price-factor", row(1999, SOME), Guards(price_factor=Decimal(200))),
}


@pytest.mark.parametrize(("code", "candidate", "settings"), ROWS_PASS.values(), ids=ROWS_PASS)
def test_a_row_passes(code: str, candidate: Candidate, settings: Guards) -> None:
    assert held(code, candidate, settings) == ""


LESS = "from 20, as last accepted, to 12: 40 % less (allowed: 30 %)"
LOST = "up from 19.99, as last accepted, to 1999: by a factor of 100"
ROWS_HELD: Mapping[str, tuple[str, Candidate, Guards, str]] = {
    "below the floor": (
        *("price-below-floor", row(12.5, floor=14.99), USUAL),
        "the price 12.5 is below its floor of 14.99",
    ),
    "less": ("price-change", row(12, OLD), CHANGE, LESS),
    "less than before it was deleted": ("price-change", after(None, 12, 20), CHANGE, LESS),
    "less than before an unknown outcome": ("price-change", after({}, 12, 20), CHANGE, LESS),
    "more": ("price-change", row(26.01, OLD), CHANGE, "to 26.01: 30.1 % more (allowed: 30 %)"),
    "a lost decimal sign": ("price-factor", row(1999, SOME), USUAL, LOST),
    "ten times": ("price-factor", row(199.9, SOME), USUAL, "by a factor of 10"),
    "a tenth": (
        *("price-factor", row(2.0, SOME), USUAL),
        "down from 19.99, as last accepted, to 2.0: by a factor of 10",
    ),
    "a hundredth": ("price-factor", row(0.2, SOME), USUAL, "by a factor of 99.9"),
    "deleted before": ("price-factor", after(None, 1999, 19.99), USUAL, LOST),
    "of an unknown outcome before": ("price-factor", after({}, 1999, 19.99), USUAL, LOST),
    "at its setting": ("price-factor", row(1999, SOME), Guards(price_factor=Decimal(100)), LOST),
}


@pytest.mark.parametrize(
    ("code", "candidate", "settings", "message"), ROWS_HELD.values(), ids=ROWS_HELD
)
def test_a_row_is_held(code: str, candidate: Candidate, settings: Guards, message: str) -> None:
    assert message in held(code, candidate, settings)


def removing(removed: int, known: int, channel: str | None = "PRIMARY") -> list[Removals]:
    return [Removals(removed, known, channel)]


FILES_PASS: Mapping[str, tuple[int, EarlierFile | None, Guards]] = {
    "the first": (1, None, SHRUNK),
    "just so many fewer": (60, EarlierFile(7, 100), SHRUNK),
    "a short predecessor": (1, EarlierFile(7, 19), SHRUNK),
    "not set": (1, EarlierFile(7, 1204), USUAL),
}


@pytest.mark.parametrize(("rows", "before", "settings"), FILES_PASS.values(), ids=FILES_PASS)
def test_a_file_passes(rows: int, before: EarlierFile | None, settings: Guards) -> None:
    assert list(check_shrunk(rows, before, settings)) == []


def test_a_shorter_file_is_held_as_a_whole() -> None:
    (holding,) = check_shrunk(310, EarlierFile(7, 1204), SHRUNK)
    assert (holding.channel, holding.only_removals) == (None, False)
    assert holding.issue.message == (
        "the file has 310 rows, and its predecessor, of run 7, had 1,204: 74.3 % fewer"
        " (allowed: 40 %)"
    )


REMOVALS_PASS: Mapping[str, tuple[list[Removals], Guards]] = {
    "nothing": ([], USUAL),
    "just half": (removing(20, 40), USUAL),
    "just half of all stocks": (removing(20, 40, None), USUAL),
    "few are known": (removing(19, 19), USUAL),
    "nothing is known": (removing(0, 0), USUAL),
    "off": (removing(40, 40), Guards(removals=Decimal(0))),
    "fewer than the least": (removing(40, 40), Guards(least=41)),
}


@pytest.mark.parametrize(("removals", "settings"), REMOVALS_PASS.values(), ids=REMOVALS_PASS)
def test_removals_pass(removals: list[Removals], settings: Guards) -> None:
    assert list(check_removals(removals, settings)) == []


REMOVALS = {
    "to zero": (
        Removals(21, 40, "PRIMARY"),
        "PRIMARY, not counting those at stock zero, would be deleted or set to stock zero, 52.5 %",
    ),
    "deleted": (
        Removals(21, 40, "PRIMARY", are_deleted=True),
        "21 of the 40 offers known on PRIMARY would be deleted, 52.5 % (allowed: 50 %)",
    ),
    "stocks of all channels": (
        Removals(21, 40, None),
        "21 of the 40 stocks known above zero, which all channels share, would be set to zero,",
    ),
}


@pytest.mark.parametrize(("removals", "message"), REMOVALS.values(), ids=REMOVALS)
def test_removals_are_held_on_the_channel_where_they_are_many(
    removals: Removals, message: str
) -> None:
    (holding,) = check_removals([Removals(20, 40, "SECOND"), removals], USUAL)
    assert (holding.channel, holding.only_removals) == (removals.channel, True)
    assert message in holding.issue.message


@pytest.mark.parametrize(
    "settings", [Guards(removals=Decimal(99)), Guards(least=40), Guards(least=0)]
)
def test_settings_of_removals(settings: Guards) -> None:
    assert list(check_removals(removing(40, 40), settings))
