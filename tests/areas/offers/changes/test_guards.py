"""Rows that guards hold, and their release."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from feedtool.feeds.selection import ReleasedGuard, SelectionOptions
from feedtool.model.settings import Guards
from feedtool.report.sheet_result import exit_code
from tests.areas.offers.changes.conftest import CHANGED, Market, Shop, codes, statuses
from tests.conftest import offer, update

ONE, TWO = offer(1), offer(2)
LOST = offer(1, price__price="1999")
MANY = [offer(number) for number in range(30)]


@pytest.fixture
def shop(market: Market) -> Shop:
    return market.shop(Guards())


def released(*names: str) -> SelectionOptions:
    return SelectionOptions(released=tuple(map(ReleasedGuard, names)))


def test_a_held_row_keeps_no_other_back(shop: Shop) -> None:
    shop.send(ONE)
    submission = shop.send(LOST, TWO)
    assert statuses(submission) == ["Held", "Integrated"]
    assert codes(submission)[0] == (2, ["price-factor"])
    assert exit_code(submission.outcomes) == 1
    counts = submission.outcomes[0].counts()
    assert (counts.rows, counts.valid, counts.invalid, counts.skipped) == (2, 1, 0, 1)


def test_a_held_row_is_sent_once_released(shop: Shop) -> None:
    shop.send(ONE)
    assert statuses(shop.send(LOST, selection=released("mass-removal"))) == ["Held"]
    # What was held is not compared with.
    assert statuses(shop.plan(LOST, selection=released("mass-removal"))) == ["Held"]
    assert statuses(shop.send(LOST, selection=released("price-factor"))) == ["Integrated"]
    assert statuses(shop.plan(LOST, selection=CHANGED)) == ["Unchanged"]


def test_every_guard_that_holds_it_has_to_be_released(market: Market) -> None:
    shop = market.shop(Guards(price_change=Decimal(30)))
    shop.send(ONE)
    assert codes(shop.plan(LOST)) == [(2, ["price-change", "price-factor"])]
    assert statuses(shop.plan(LOST, selection=released("price-factor"))) == ["Held"]
    both = released("price-factor", "price-change")
    assert statuses(shop.plan(LOST, selection=both)) == ["Valid"]


def test_without_a_history_no_row_is_held(shop: Shop) -> None:
    zero = [{**row, "quantity": "0"} for row in MANY]
    assert set(statuses(shop.plan(*zero))) == {"Valid"}


def test_the_last_price_is_known_after_any_end_of_the_offer(shop: Shop) -> None:
    numbers = (1, 3, 4)
    shop.send(*map(offer, numbers))
    shop.send({"sellerExternalReference": "SKU-1"}, kind="offers-delete")
    # Deleted by somebody else, as an export shows.
    shop.elsewhere().send({"sellerExternalReference": "SKU-3"}, kind="offers-delete")
    shop.export()
    # One whose results were never read, and that somebody else has changed since.
    run = shop.send(offer(4, price__price="18"), wait=False).outcomes[0].run
    shop.elsewhere().send(offer(4, price__price="17"))
    shop.transport.sleep(4 * 24 * 3600)
    shop.resume()
    (file,) = shop.ledger.files(int(run or 0))
    assert [str(verdict.status) for verdict in shop.ledger.verdicts(file.file)] == ["Unknown"]
    lost = [offer(number, price__price="1999") for number in numbers]
    assert codes(shop.plan(*lost)) == [(row, ["price-factor"]) for row in (2, 3, 4)]
    assert statuses(shop.plan(*map(offer, numbers), selection=CHANGED)) == ["Valid"] * 3


def test_the_last_price_is_known_after_a_purge(shop: Shop) -> None:
    shop.send(ONE)
    shop.send(TWO, asked=shop.purging(), confirm=lambda _: None)
    assert codes(shop.plan(LOST)) == [(2, ["price-factor"])]
    assert statuses(shop.plan(ONE, selection=CHANGED)) == ["Valid"]


Rows = list[dict[str, str]]


def out_of_stock(count: int, start: int = 0) -> Rows:
    return [offer(n, quantity="0") for n in range(start, start + count)]


def emptied(count: int, start: int = 0) -> Rows:
    """The same rows as Updates."""
    return [update(n, quantity="0", action="Update") for n in range(start, start + count)]


def deletes(count: int, start: int = 0) -> Rows:
    return [update(n, action="Delete") for n in range(start, start + count)]


def on_second(rows: Rows) -> Rows:
    return [{**row, "salesChannelId": "SECOND"} for row in rows]


TEN, TWENTY = ([offer(number) for number in range(count)] for count in (10, 20))
REMOVALS: Mapping[str, tuple[Sequence[Rows], Mapping[str, tuple[Rows, int]]]] = {
    # The files that were sent, and the number of held rows by what is to be removed then.
    "of those that were sent": (
        [TEN],
        {
            "more to zero": (emptied(6), 6),
            "more to zero by Upserts": (out_of_stock(6), 6),
            "more deleted": (deletes(6), 6),
            "deleted and to zero": (deletes(3) + emptied(3, 3), 6),
            "one that nobody knows, with the others": (emptied(6) + emptied(1, 99), 7),
            # A stock is shared by channels that do not know the offer.
            "all to zero elsewhere": (on_second(out_of_stock(10)), 10),
            "more than half to zero elsewhere": (on_second(out_of_stock(6)), 6),
            "a part on each channel": (on_second(out_of_stock(3)) + out_of_stock(3, 3), 6),
            "half to zero": (emptied(5), 0),
            "those that nobody knows do not count": (emptied(5) + emptied(1, 99), 0),
            "what is not removed is sent": (
                [*emptied(6), update(8, quantity="5", action="Update")],
                6,
            ),
            "half to zero elsewhere": (on_second(out_of_stock(5)), 0),
            "half to zero on both channels": (on_second(out_of_stock(5)) + out_of_stock(5), 0),
            "none to zero elsewhere": (on_second(TEN), 0),
        },
    ),
    "of what is left": (
        [TWENTY, out_of_stock(10)],
        {
            "the other half to zero": (out_of_stock(10, 10), 10),
            "more than half of what is left deleted": (deletes(6, 10), 6),
            "those at zero and few more deleted": (deletes(11), 11),
            "a half of what is left": (out_of_stock(5, 10), 0),
            "those at zero deleted": (deletes(10), 0),
            "those at zero and few more to zero": (out_of_stock(11), 0),
        },
    ),
}


def held_rows(shop: Shop, rows: Rows) -> int:
    """The number of rows that a dry run holds, all of them by this guard."""
    plan = shop.plan(*rows)
    held = statuses(plan).count("Held")
    assert [names for _, names in codes(plan) if "mass-removal" in names] == [
        ["mass-removal"]
    ] * held
    return held


@pytest.mark.parametrize(("sent", "removals"), REMOVALS.values(), ids=REMOVALS)
def test_removals_of_more_than_half_are_held(
    market: Market, sent: Sequence[Rows], removals: Mapping[str, tuple[Rows, int]]
) -> None:
    shop = market.shop(Guards(least=10))
    for rows in sent:
        assert "Held" not in statuses(shop.send(*rows))
    held = {name: held_rows(shop, rows) for name, (rows, _) in removals.items()}
    assert held == {name: count for name, (_, count) in removals.items()}
    rows, count = next(iter(removals.values()))
    assert statuses(shop.send(*rows)) == ["Held"] * count
    assert held_rows(shop, rows) == count, "what was held is not removed"


def test_few_offers_may_be_removed_at_once(market: Market) -> None:
    shop = market.shop(Guards(least=11))
    shop.send(*TEN)
    assert "Held" not in statuses(shop.plan(*deletes(10)))


def test_a_stock_known_only_from_an_export_is_shared_too(shop: Shop) -> None:
    shop.elsewhere().send(*MANY)
    shop.export()
    assert statuses(shop.plan(*on_second(out_of_stock(30)))) == ["Held"] * 30


def test_stocks_of_deleted_offers_do_not_reduce_a_removal(market: Market) -> None:
    shop = market.shop(Guards(least=10))
    shop.send(*(offer(number) for number in range(24)))
    shop.send(*deletes(14), selection=released("mass-removal"))
    assert statuses(shop.plan(*on_second(out_of_stock(10, 14)))) == ["Held"] * 10


FLOOR = {"price.floor": "15"}


def test_the_floor_needs_no_history(shop: Shop) -> None:
    below = offer(1, price__price="14.99") | FLOOR
    submission = shop.send(below, TWO | FLOOR)
    assert statuses(submission) == ["Held", "Integrated"]
    assert codes(submission)[0] == (2, ["price-below-floor"])
    assert [request.reference for request in shop.applied()] == ["SKU-2"]
    assert statuses(shop.send(below, selection=released("price-below-floor"))) == ["Integrated"]


def test_a_floor_that_cannot_be_read_is_no_floor_that_is_not_there(shop: Shop) -> None:
    assert statuses(shop.plan(ONE | {"price.floor": "cheap"})) == ["Invalid"]


def test_a_shorter_file_of_the_same_name_is_held(market: Market) -> None:
    shop = market.shop(Guards(fewer_rows=Decimal(40)))
    shop.send(*MANY, name="stock-2026-03-01.csv")
    assert set(statuses(shop.plan(*MANY[:18], name="other.csv"))) == {"Valid"}
    submission = shop.send(*MANY[:17], name="stock-2026-03-02.csv")
    assert statuses(submission) == ["Held"] * 17
    held = shop.plan(*MANY[:17], name="stock-2026-03-02.csv")
    assert statuses(held) == ["Held"] * 17, "what was held is no predecessor"
    again = shop.plan(*MANY[:17], name="stock-2026-03-02.csv", selection=released("file-shrunk"))
    assert set(statuses(again)) == {"Valid"}


def test_all_or_nothing_sends_no_rows_if_one_is_held(shop: Shop) -> None:
    shop.send(ONE)
    submission = shop.send(LOST, TWO, is_all_or_nothing=True)
    assert statuses(submission) == ["Held", "Held"]
    assert submission.outcomes[0].run is None
    assert len(shop.offers()) == 1


def test_a_purge_is_never_sent_without_its_held_rows(shop: Shop) -> None:
    shop.send(ONE, TWO, kind="legacy-offers")
    asked = shop.purging()
    submission = shop.send(LOST, TWO, asked=asked, confirm=lambda _: None)
    assert statuses(submission) == ["Held", "Held"]
    assert len(shop.offers()) == 2


def test_a_reference_sent_before_is_accepted_in_any_form(
    shop: Shop,
) -> None:
    rows = [offer(1, sellerExternalReference="1-Feb"), offer(2, sellerExternalReference="A-2")]
    assert statuses(shop.send(*rows)) == ["Held", "Integrated"]
    assert statuses(shop.plan(*rows)) == ["Held", "Valid"], "what was held was not sent"
    release = released("reference-rewritten")
    assert statuses(shop.send(*rows, selection=release)) == ["Integrated", "Integrated"]
    assert statuses(shop.plan(*rows)) == ["Valid", "Valid"]
    assert statuses(shop.plan(rows[0] | {"action": "Delete"})) == ["Valid"]
    assert statuses(shop.plan(offer(3, sellerExternalReference="2-Feb"))) == ["Held"]
