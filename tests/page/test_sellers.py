"""The sellers that a page shows, to whom, and how the rows of a run are drawn."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from feedtool.ledger.records import seller_key
from feedtool.model.errors import Interrupted
from feedtool.model.nouns import Status
from feedtool.page.access import OWNER, User
from feedtool.page.sellers import SellerSearch, bar_of, found_sellers
from feedtool.page.session import PageSession
from feedtool.runs.config import PageRights
from tests.page.conftest import made_session

SERVICE = "http://127.0.0.1:9/v2"
CONFIG = "".join(
    f"""
[profile.{name}]
base_url = "{SERVICE}"
insecure_http = true
seller = "{seller}"
"""
    for name, seller in (("shop", "1"), ("mall", "2"), ("new", "3"))
)
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ME = User("me", OWNER)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageSession]:
    """Sellers of two profiles, of one whose seller was another then, and of none; read only."""
    folder = tmp_path_factory.mktemp("fleet")
    (config := folder / "feedtool.toml").write_text(CONFIG)
    with made_session(folder / "home", "--config", str(config)) as session:
        with session.workspace() as workspace:
            for seller, profile in (("1", "shop"), ("2", "mall"), ("0", "shop"), ("9", None)):
                options = {"profile": profile}
                workspace.ledger.start_run(now=NOW, seller=seller, service=SERVICE, options=options)
            lost = Interrupted("no answer")
            workspace.ledger.sellers.passed(seller_key(SERVICE, "2"), "mall", 2, lost, None, NOW)
        yield session


def sellers_shown(
    session: PageSession, user: User, search: SellerSearch | None = None
) -> list[str]:
    found = found_sellers(session, user, search or SellerSearch(), NOW)
    return [state.line.key[1] for state in found.states]


def test_rights_to_all_accounts_show_all_sellers(fleet: PageSession) -> None:
    assert sellers_shown(fleet, ME) == ["2", "9", "3", "0", "1"]
    assert sellers_shown(fleet, User("bruno", PageRights(("*",)))) == ["2", "9", "3", "0", "1"]


@pytest.mark.parametrize(
    ("profiles", "sellers"),
    [((), []), (("shop",), ["0", "1"]), (("mall", "new"), ["2", "3"]), (("sandbox",), [])],
)
def test_others_see_those_of_their_accounts(
    fleet: PageSession, profiles: tuple[str, ...], sellers: list[str]
) -> None:
    assert sellers_shown(fleet, User("anna", PageRights(profiles))) == sellers


@pytest.mark.parametrize(
    ("search", "sellers", "words"),
    [
        (SellerSearch(), ["2", "9", "3", "0", "1"], {}),
        (SellerSearch(trouble=True), ["2"], {"trouble": "on"}),
        (SellerSearch(held=True), [], {"held": "on"}),
        (SellerSearch(waiting=10), [], {"waiting": 10}),
        (SellerSearch(never=True), ["3"], {"never": "on"}),
        (SellerSearch(page=2), [], {}),
    ],
)
def test_sellers_are_found_by_their_state(
    fleet: PageSession, search: SellerSearch, sellers: list[str], words: dict[str, str | int]
) -> None:
    assert sellers_shown(fleet, ME, search) == sellers
    assert search.words == words


def test_totals_do_not_depend_on_the_search(fleet: PageSession) -> None:
    found = found_sellers(fleet, ME, SellerSearch(held=True), NOW)
    assert (len(found.all), found.matches, found.pages) == (5, 0, 1)
    assert (found.in_trouble, found.never, found.with_held) == (1, 1, 0)
    assert (found.waiting, found.oldest, found.waiting_for(10, NOW)) == (0, None, 0)


@pytest.mark.parametrize(
    ("statuses", "parts"),
    [
        ({}, []),
        ({Status.INTEGRATED: 3}, [("good", 0, 100)]),
        (
            {Status.INTEGRATED: 2, Status.REJECTED: 1, Status.INVALID: 1},
            [("good", 0, 50), ("bad", 50, 50)],
        ),
        (
            {Status.SKIPPED: 1, Status.PENDING: 1, Status.UNCHANGED: 1},
            [("good", 0, 33.33), ("open", 33.33, 33.33), ("idle", 66.67, 33.33)],
        ),
    ],
)
def test_a_bar_has_a_part_for_each_sort_of_status(
    statuses: dict[Status, int], parts: list[tuple[str, float, float]]
) -> None:
    assert [*bar_of(statuses)] == parts


def test_every_status_has_its_place() -> None:
    looks = {status: next(bar_of({status: 1})).look for status in Status}
    assert looks[Status.HELD] == "open"
    assert {looks[status] for status in Status} == {"good", "bad", "open", "idle"}


def test_a_file_waits_for_long_after_some_minutes() -> None:
    since = SellerSearch(waiting=10).filter(NOW).waiting_since
    assert since == NOW - timedelta(minutes=10)
    assert SellerSearch().filter(NOW).waiting_since is None
