"""Runs are found by what is known of them."""

import json
from collections.abc import Iterator

import pytest
from sqlalchemy import update

from feedtool.cli import run
from feedtool.cli.options import SANDBOX, SANDBOX_SELLER
from feedtool.ledger import tables as t
from feedtool.ledger.database import writing
from feedtool.ledger.records import FORGOTTEN, seller_key
from feedtool.page.access import OWNER, User
from feedtool.page.runs import RunSearch, found_runs
from feedtool.page.session import PageSession, now
from feedtool.runs.config import PageRights
from tests.conftest import Files, offer
from tests.page.conftest import application, lone_session

NAMES = ("autumn.csv", "Winter.csv", "winter-2.csv")


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageSession]:
    """Three runs, to be looked at."""
    folder = tmp_path_factory.mktemp("submitted")
    with lone_session(folder) as session:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for name in NAMES:
                Files(folder).csv(offer(1), name=name)
                assert run(["submit", name, "--sandbox", "--home", "home"]) == 0
        yield session


@pytest.mark.parametrize(
    ("search", "found"),
    [
        (RunSearch(), [3, 2, 1]),
        (RunSearch("winter"), [3, 2]),
        (RunSearch("SANDBOX"), [3, 2, 1]),
        (RunSearch("winter", before=3), [2]),
        (RunSearch(is_open=True), []),
        (RunSearch("spring"), []),
        (RunSearch(seller=seller_key(SANDBOX, SANDBOX_SELLER)), [3, 2, 1]),
        (RunSearch(seller=seller_key(SANDBOX, "another")), []),
    ],
)
def test_runs_are_found(submitted: PageSession, search: RunSearch, found: list[int]) -> None:
    runs = found_runs(submitted, User("me", OWNER), search)
    assert [state.run.run_id for state in runs.states] == found
    assert runs.older is None


def test_runs_of_hidden_accounts_are_not_found(submitted: PageSession) -> None:
    assert found_runs(submitted, User("anna", PageRights(("shop",))), RunSearch()).states == []


def test_the_page_lists_them(submitted: PageSession) -> None:
    client = application(submitted).test_client()
    text = client.get("/en/runs?q=winter").text
    assert [name in text for name in NAMES] == [False, True, True]
    assert "No run is like that." in client.get("/en/runs?q=spring").text


@pytest.fixture
def begun(session: PageSession) -> PageSession:
    """Twelve runs in the sandbox and of a seller of no account, in turns."""
    with session.workspace() as workspace:
        for number in range(12):
            options = {"sandbox": True, "inputs": [[f"{number}.csv", ""]]}
            service = SANDBOX if number % 2 else "https://other.example/v2"
            workspace.ledger.start_run(now=now(), seller="S", service=service, options=options)
    return session


def test_every_page_but_the_last_links_to_the_next(
    begun: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feedtool.page.runs.SHOWN", 5)
    me, pages, before = User("me", OWNER), [], None
    while True:
        found = found_runs(begun, me, RunSearch(before=before))
        pages.append([state.run.run_id for state in found.states])
        if (before := found.older) is None:
            break
    assert pages == [[12, 11, 10, 9, 8], [7, 6, 5, 4, 3], [2, 1]]


def test_few_are_looked_at_for_a_page_and_it_leads_on(
    begun: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feedtool.page.runs.SHOWN", 1)
    monkeypatch.setattr("feedtool.page.runs.AT_ONCE", 3)
    monkeypatch.setattr("feedtool.page.runs.MOST", 4)
    me = User("me", OWNER)
    found = found_runs(begun, me, RunSearch("0.csv"))
    assert ([state.run.run_id for state in found.states], found.older) == ([11], 8)
    found = found_runs(begun, me, RunSearch("0.csv", before=8))
    assert (found.states, found.older) == ([], 3)
    found = found_runs(begun, me, RunSearch("0.csv", before=3))
    assert ([state.run.run_id for state in found.states], found.older) == ([1], None)


def test_no_link_leads_to_a_run_that_is_forgotten(submitted: PageSession) -> None:
    with submitted.workspace() as workspace:
        ledger = workspace.ledger
        begun = ledger.run(1)
        assert begun
        options = json.dumps({**begun.options, FORGOTTEN: now().isoformat()})
        with writing(ledger.engine) as db:
            db.execute(update(t.runs).filter_by(run_id=1).values(options=options))
    text = application(submitted).test_client().get("/en/runs").text
    assert "Run 1" in text
    linked = [f'href="/en/runs/{number}"' in text for number in (1, 2, 3)]
    assert linked == [False, True, True]
