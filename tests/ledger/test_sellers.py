"""State of sellers, updated at the start of a run and the end of a pass."""

from datetime import timedelta

from sqlalchemy import select

from feedtool.ledger import Ledger
from feedtool.ledger.database import reading
from feedtool.ledger.records import seller_key
from feedtool.ledger.tables import sellers
from feedtool.model.errors import Interrupted
from feedtool.model.text import text_of_kept, tr
from tests.ledger.conftest import NOW, SERVICE, on_both

KEY = seller_key(SERVICE, "S1")
GONE = Interrupted(tr("no answer from {host}", host="service.example"))
LATER = NOW + timedelta(minutes=5)


def noted(ledger: Ledger, *names: str) -> list[tuple[object, ...]]:
    """Some columns of all sellers."""
    query = select(*(sellers.c[name] for name in names)).order_by(sellers.c.seller)
    with reading(ledger.engine) as db:
        return [tuple(row) for row in db.execute(query)]


def begin(ledger: Ledger, seller: str, profile: str | None, service: str = SERVICE) -> int:
    options = {"profile": profile}
    return ledger.start_run(now=NOW, seller=seller, service=service, options=options)


def test_a_run_that_begins_is_its_sellers_last(ledger: Ledger) -> None:
    begin(ledger, "S1", "shop")
    begin(ledger, "S2", None)
    begin(ledger, "S1", None, f"{SERVICE.upper()}/")
    last = begin(ledger, "S1", "shop-es")
    assert noted(ledger, "service", "seller", "profile", "run_id", "failures", "passed_at") == [
        (SERVICE, "S1", "shop-es", last, 0, None),
        (SERVICE, "S2", "", 2, 0, None),
    ]


def test_a_run_without_a_profile_keeps_the_known_one(ledger: Ledger) -> None:
    begin(ledger, "S1", "shop")
    begin(ledger, "S1", None)
    ledger.sellers.passed(KEY, None, None, None, None, NOW)
    assert noted(ledger, "profile", "run_id") == [("shop", 2)]


@on_both(
    ("errors", "passes", "failures", "exit_code"),
    [
        ((GONE, None, GONE), 3, 1, 5),
        ((None,), 1, 0, None),
        ((GONE,), 1, 1, 5),
        ((GONE, GONE), 2, 2, 5),
        ((GONE, None), 2, 0, None),
    ],
)
def test_failures_are_counted_until_a_pass_gets_to_its_end(
    ledger: Ledger,
    errors: tuple[Interrupted | None, ...],
    passes: int,
    failures: int,
    exit_code: int | None,
) -> None:
    for error in errors:
        ledger.sellers.passed(KEY, "shop", None, error, LATER if error else None, NOW)
    (row,) = noted(ledger, "passes", "failures", "exit_code", "passed_at", "not_before")
    not_before = LATER if exit_code else None
    assert row == (passes, failures, exit_code, NOW, not_before)
    ((message,),) = noted(ledger, "message")
    assert (message and text_of_kept(str(message))) == (GONE.message if exit_code else None)


def test_the_pace_of_a_seller_is_kept(ledger: Ledger) -> None:
    assert ledger.sellers.pace(KEY) is None
    for pace in ("2", "3", None, "4"):
        ledger.sellers.keep_pace(KEY, pace)
        assert ledger.sellers.pace(KEY) == pace
    begin(ledger, "S1", "shop")
    ledger.sellers.passed(KEY, "shop", 1, GONE, None, NOW)
    assert ledger.sellers.pace(KEY) == "4"
    assert noted(ledger, "profile", "run_id", "failures") == [("shop", 1, 1)]


def test_the_pace_is_each_sellers_own_and_the_last_one_counts(ledger: Ledger) -> None:
    of, other = ledger.sellers, (KEY[0], "S2")
    of.keep_pace(KEY, "slow")
    of.keep_pace(other, "slower")
    assert (of.pace(KEY), of.pace(other)) == ("slow", "slower")
    of.keep_pace(KEY, None)
    assert (of.pace(KEY), of.pace(other)) == (None, "slower")
