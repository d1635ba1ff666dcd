"""Overview of all sellers: order, filters, and the facts of each."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest
from sqlalchemy import event, insert, text, update

from feedtool.ledger import Ledger
from feedtool.ledger.database import reading, writing
from feedtool.ledger.lock import Holder, hold
from feedtool.ledger.parcels import ParcelState
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.ledger.sellers import (
    EVERYBODY,
    RATE_OF,
    SellerFilter,
    SellersOverview,
    SellerState,
)
from feedtool.ledger.tables import counts, parcels
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Message, RowResult, Status
from tests.ledger.conftest import KEPT, NOW, SERVICE, add_run, item
from tests.ledger.test_row_history import close

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GONE = Interrupted("no answer")
DEAR = RowResult(7, "R7", Status.HELD, (Message("price-factor", "Too dear."),), "P")


def key(seller: str) -> SellerKey:
    return seller_key(SERVICE, seller)


def wait(ledger: Ledger, seller: str, since: datetime, state: str = "waiting") -> None:
    """A file that arrived then."""
    told: dict[str, Any] = dict.fromkeys(("kind", "origin"), "")
    told |= {"service": SERVICE, "seller": seller, "profile": f"p-{seller}", "state": state}
    told |= {"sha256": f"{since}{state}", "name": "a.csv", "size": 1, "priority": 0}
    with writing(ledger.engine) as db:
        db.execute(insert(parcels).values(**told, arrived_at=since))


def sent(ledger: Ledger, seller: str, *results: Status, now: datetime = NOW) -> int:
    """A run of two rows that were answered, or wait for that."""
    run, _ = add_run(ledger, [item(3), item(4)], seller=seller)
    if results:
        close(ledger, run, *results)
    ledger.counts.note(run, now)
    return run


def overview(ledger: Ledger) -> SellersOverview:
    return SellersOverview(ledger.engine, ledger.counts)


def sellers_found(ledger: Ledger, wanted: SellerFilter = EVERYBODY, **more: Any) -> list[str]:
    return [line.key[1] for line in overview(ledger).lines(wanted, **more)]


def state(ledger: Ledger, seller: str = "S1", now: datetime = NOW) -> SellerState:
    of = overview(ledger)
    (one,) = of.states([line for line in of.lines() if line.key == key(seller)], now)
    return one


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def market(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ledger]:
    """Sellers of every sort, only to be looked at."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            place = tmp_path_factory.mktemp("market") / "ledger.db"
            ledger = stack.enter_context(Ledger(place))
        else:
            ledger = KEPT[stack.enter_context(request.getfixturevalue("server").ledger())]
        add_sellers(ledger)
        yield ledger


def add_sellers(ledger: Ledger) -> None:
    sent(ledger, "plain", Status.INTEGRATED, Status.INTEGRATED)
    sent(ledger, "also", Status.INTEGRATED, Status.INTEGRATED)
    run, _ = add_run(ledger, [item(3)], seller="holding", withheld=[DEAR])
    ledger.counts.note(run, NOW)
    wait(ledger, "late", NOW - HOUR)
    wait(ledger, "later", NOW - HOUR / 2)
    wait(ledger, "later", NOW)
    wait(ledger, "put off", NOW - DAY, "held")
    wait(ledger, "plain", NOW - DAY, "answered")
    for seller in ("lost", "gone"):
        ledger.sellers.passed(key(seller), None, None, GONE, NOW + HOUR, NOW)
    wait(ledger, "gone", NOW)


KNOWN = {key("new"): "shop-new", key("plain"): "shop-plain"}
NAMES = ["gone", "lost", "late", "later", "also", "holding", "put off", "new", "plain"]


def test_sellers_in_trouble_come_first_then_the_longest_waiting(market: Ledger) -> None:
    assert sellers_found(market, known=KNOWN) == NAMES
    assert sellers_found(market) == [
        "gone",
        "lost",
        "late",
        "later",
        "also",
        "holding",
        "put off",
        "plain",
    ]


FOUND = [
    (SellerFilter(is_in_trouble=True), ["gone", "lost"]),
    (SellerFilter(is_held=True), ["holding"]),
    (SellerFilter(waiting_since=NOW - HOUR / 2), ["late", "later"]),
    (SellerFilter(waiting_since=NOW - DAY), []),
    (SellerFilter(has_never_begun=True), ["late", "later", "put off", "new"]),
    (SellerFilter(is_in_trouble=True, waiting_since=NOW), ["gone"]),
    (SellerFilter(is_in_trouble=True, is_held=True), []),
]


def test_a_filter_finds_sellers_that_meet_all_its_parts(market: Ledger) -> None:
    for wanted, sellers in FOUND:
        assert sellers_found(market, wanted, known=KNOWN) == sellers, wanted


def test_only_permitted_sellers_are_shown(market: Ledger) -> None:
    among = {key("late"), key("new")}
    assert sellers_found(market, known=KNOWN, among=among) == ["late", "new"]
    assert sellers_found(market, among=[]) == []


def test_facts_of_waiting_sellers(market: Ledger) -> None:
    lines = {line.key[1]: line for line in overview(market).lines(known=KNOWN)}
    assert (lines["later"].waiting, lines["later"].oldest) == (2, NOW - HOUR / 2)
    assert (lines["put off"].waiting, lines["put off"].on_hold) == (0, 1)
    assert (lines["plain"].waiting, lines["plain"].profile) == (0, "shop-plain")
    assert (lines["late"].profile, lines["new"].profile) == ("p-late", "shop-new")
    assert lines["holding"].held == 1


def test_the_last_run_is_counted_by_status(ledger: Ledger) -> None:
    sent(ledger, "S1", Status.INTEGRATED, Status.REJECTED)
    last = state(ledger).last
    assert last is not None
    assert (last.run_id, last.started_at, last.is_finished) == (1, NOW, True)
    assert last.statuses == {Status.INTEGRATED: 1, Status.REJECTED: 1}
    sent(ledger, "S1")
    last = state(ledger).last
    assert last is not None
    assert (last.run_id, last.is_finished, last.statuses) == (2, False, {Status.PENDING: 2})
    wait(ledger, "S2", NOW)
    assert state(ledger, "S2").last is None


def test_refusals_count_for_seven_days(ledger: Ledger) -> None:
    sent(ledger, "S1", Status.REJECTED, Status.REJECTED, now=NOW - 8 * DAY)
    sent(ledger, "S1", Status.REJECTED, Status.INTEGRATED, now=NOW - 6 * DAY)
    sent(ledger, "S1", Status.INTEGRATED, Status.INTEGRATED)
    sent(ledger, "S1")
    sent(ledger, "S2", Status.REJECTED, Status.REJECTED)
    assert (state(ledger).answered, state(ledger).refused) == (4, 1)
    assert state(ledger).refused_rate == 0.25
    assert state(ledger, now=NOW + RATE_OF + DAY).refused_rate is None


def test_the_lock_names_the_working_process(place: Any) -> None:
    with Ledger(place) as ledger:
        sent(ledger, "S1")
        assert not state(ledger).is_in_work
        with hold(ledger.engine, "S1", SERVICE, command="worker", now=NOW):
            told = state(ledger)
            assert told.is_in_work
            assert told.holder is not None
            assert (told.holder.command, told.holder.pid) == ("worker", Holder.here("", NOW).pid)
            assert overview(ledger).figures().processes == {"worker": 1}
        assert not state(ledger).is_in_work
        assert overview(ledger).figures().processes == {}


def test_runs_that_are_older_than_the_counts_are_counted_when_they_are_shown(
    ledger: Ledger,
) -> None:
    run = sent(ledger, "S1", Status.REJECTED, Status.INTEGRATED)
    with writing(ledger.engine) as db:
        nothing = {"statuses": "", "answered": 0, "refused": 0}
        db.execute(update(counts).values(nothing))
    told = state(ledger, now=NOW + DAY)
    assert told.last is not None
    assert told.last.statuses == {Status.INTEGRATED: 1, Status.REJECTED: 1}
    assert told.refused_rate == 0.5
    with reading(ledger.engine) as db:
        kept = db.execute(text("SELECT statuses, counted_at FROM counts")).one()
    assert (json.loads(kept[0]), run) == ({"Integrated": 1, "Rejected": 1}, 1)
    assert datetime.fromisoformat(kept[1]) == NOW


def test_the_figures_of_all(market: Ledger) -> None:
    figures = overview(market).figures()
    assert (figures.waiting, figures.oldest, figures.on_hold) == (4, NOW - HOUR, 1)
    assert (figures.sellers, figures.sellers_waiting, figures.in_trouble) == (8, 3, 2)
    assert (figures.held, figures.passes, figures.answers) == (1, 2, {"Integrated": 4})


# However many runs there are.


@pytest.fixture
def statements(market: Ledger) -> Iterator[list[tuple[str, Any]]]:
    """All that is asked of the database from here on."""
    asked: list[tuple[str, Any]] = []

    def note(_db: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        asked.append((statement, values))

    event.listen(market.engine, "before_cursor_execute", note)
    yield asked
    event.remove(market.engine, "before_cursor_execute", note)


def test_the_number_of_statements_does_not_grow_with_sellers(
    market: Ledger, statements: list[tuple[str, Any]]
) -> None:
    of = overview(market)
    asked = []
    for lines in (of.lines()[:1], of.lines()):
        statements.clear()
        of.states(lines, NOW)
        asked.append(len(statements))
    assert asked[0] == asked[1]


def test_no_statement_scans_runs_or_counts(
    market: Ledger, statements: list[tuple[str, Any]]
) -> None:
    of = overview(market)
    statements.clear()
    of.states(of.lines(), NOW)
    of.figures()
    market.pages.numbers(50, before=3, of=[key("plain")])
    market.pages.rows([1, 2])
    market.pages.may_go_on()
    market.unfinished()
    selects = [it for it in statements if it[0].lstrip().startswith(("SELECT", "WITH"))]
    assert len(selects) > 9
    assert [plan for it in selects for plan in scans(market, *it)] == []


def scans(ledger: Ledger, statement: str, values: Any) -> Iterator[str]:
    """The steps of a plan that go through all runs, counts, files or packages."""
    tables = ("runs", "counts", "files", "packages")
    parts = ("counts_held", "counts_unfinished", "counts_uncounted", "package_open")
    is_sqlite = ledger.engine.dialect.name == "sqlite"
    with reading(ledger.engine) as db:
        if is_sqlite:
            plan = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()
            steps = [str(row[-1]) for row in plan]
        else:
            db.exec_driver_sql("SET enable_seqscan = off")  # of tables as small as these
            steps = [str(row[0]) for row in db.exec_driver_sql(f"EXPLAIN {statement}", values)]
    for step in steps:
        words = step.split()
        is_scan = words[0] == "SCAN" if is_sqlite else "Seq Scan" in step
        is_of_part = any(index in words for index in parts)
        if is_scan and not is_of_part and any(table in words for table in tables):
            yield f"{step}: {statement}"


def test_the_queue_and_the_sellers_agree(ledger: Ledger) -> None:
    states = (ParcelState.WAITING, ParcelState.HELD, ParcelState.ANSWERED)
    for hours, (seller, of) in enumerate(product("ABC", states)):
        for more in range(1 + (seller == "A")):
            wait(ledger, seller, NOW - hours * HOUR - more * timedelta(minutes=1), of)
    first, *_, last = (
        entry.parcel for entry in ledger.parcels.listing() if entry.state == "waiting"
    )
    ledger.parcels.begin(first, NOW)
    ledger.parcels.drop(last)
    queue = ledger.parcels.listing()
    lines = overview(ledger).lines()
    assert {line.key for line in lines} == {parcel.key for parcel in queue}
    for line in lines:
        own = [parcel for parcel in queue if parcel.key == line.key]
        waiting = [parcel.arrived_at for parcel in own if parcel.state is ParcelState.WAITING]
        assert (line.waiting, line.oldest) == (len(waiting), min(waiting, default=None))
        assert line.on_hold == sum(parcel.state is ParcelState.HELD for parcel in own)
    figures = overview(ledger).figures()
    assert figures.waiting == ledger.parcels.count_waiting() == sum(it.waiting for it in lines)
    assert figures.on_hold == sum(line.on_hold for line in lines)
