"""Runs are found by what is known of them."""

import shutil
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from feedtool.cli import run
from feedtool.page.desk import Desk
from feedtool.page.run_list import RunSearch, found_runs
from feedtool.page.users import OWNER, User
from feedtool.runs.page_rights import PageRights
from tests.page.conftest import SAMPLES

NAMES = ("autumn.xlsx", "Winter.xlsx", "winter-2.xlsx")


@pytest.fixture
def submitted(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Three runs."""
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        shutil.copyfile(SAMPLES / "offers-update.xlsx", name)
        run(["submit", name, "--sandbox", "--home", "home"])
    return desk


@pytest.mark.parametrize(
    ("search", "found"),
    [
        (RunSearch(), [3, 2, 1]),
        (RunSearch("winter"), [3, 2]),
        (RunSearch("SANDBOX"), [3, 2, 1]),
        (RunSearch("winter", before=3), [2]),
        (RunSearch(is_open=True), []),
        (RunSearch("spring"), []),
    ],
)
def test_runs_are_found(submitted: Desk, search: RunSearch, found: list[int]) -> None:
    states = found_runs(submitted, User("me", OWNER), search)
    assert [state.run.run_id for state in states] == found


def test_nobody_finds_the_runs_of_accounts_that_he_does_not_see(submitted: Desk) -> None:
    assert found_runs(submitted, User("anna", PageRights(("shop",))), RunSearch()) == []


@pytest.mark.usefixtures("submitted")
def test_the_page_lists_them(client: FlaskClient) -> None:
    text = client.get("/en/runs?q=winter").text
    assert [name in text for name in NAMES] == [False, True, True]
    assert "No run is like that." in client.get("/en/runs?q=spring").text
