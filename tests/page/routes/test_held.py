"""Rows held by guards over all runs: shown, sent by way of a plan, or dropped."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from feedtool.feeds.selection import ReleasedGuard
from feedtool.ledger.lock import who
from feedtool.page.access import Users
from feedtool.page.app import USER
from feedtool.page.session import PageSession
from feedtool.page.uploads import RunFile
from feedtool.runs.config import ACTIONS, PageRights
from tests.cli.conftest import Feedtool
from tests.cli.conftest import feedtool as the_command
from tests.conftest import Files, offer
from tests.page.conftest import application, made_session, sent, settled, upload_file

feedtool = the_command

GUARD = "price-factor"
FORM = {"run": "2", "file": "offers.csv", "code": GUARD, "reason": "a new supplier"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after a run of nine offers, and one of eight of them at a hundred times the price."""
    folder = tmp_path_factory.mktemp("held")
    with made_session(folder / "home") as session:
        client, files = application(session).test_client(), Files(folder)
        for price in ("19.99", "1999"):
            rows = [offer(number, price__price=price) for number in range(1, 9)]
            sent(client, upload_file(client, files.csv(*rows, offer(9))))
    return folder / "home"


@pytest.fixture
def held(home: Path, tmp_path: Path) -> Iterator[PageSession]:
    """A session with its own copy of this home."""
    with made_session(Path(shutil.copytree(home, tmp_path / "held"))) as session:
        yield session


def text_of(client: FlaskClient) -> str:
    """The page of held rows, without its markup and with single blanks."""
    text = client.get("/en/held").text.partition("<main")[2]
    return " ".join(re.sub("<[^>]+>", " ", text).split())


def test_without_held_rows_the_page_says_so(client: FlaskClient) -> None:
    assert "Nothing is held back." in text_of(client)


def test_held_rows_are_shown_with_the_message_of_their_guard(held: PageSession) -> None:
    client = application(held).test_client()
    text = text_of(client)
    assert f"offers.csv: 8 rows, {GUARD} Run 2" in text
    assert "SKU-1 2 The price goes up from 19.99, as last accepted, to 1999: by a factor" in text
    assert "SKU-5 6 The price goes up from 19.99, as last accepted, to 1999: by a factor" in text
    assert f'href="/en/explain/{GUARD}"' in client.get("/en/held").text
    # Many rows are counted.
    assert "SKU-6" not in text
    assert "and 3 more" in text


def test_a_release_chooses_its_rows_with_the_reason(held: PageSession) -> None:
    client = application(held).test_client()
    answer = client.post("/en/held/release", data=FORM)
    assert (answer.status_code, answer.location.endswith("/plan")) == (303, True)
    file = held.uploads.file(answer.location.split("/")[-2])
    choices = file.choices
    assert choices.rows == {"": "2-9"}
    assert choices.releases == (ReleasedGuard(GUARD, who(), "a new supplier"),)
    assert choices.as_in == RunFile(2, "offers.csv")
    plan = settled(client, answer.location).text
    assert "Send 8 rows to" in plan
    assert "a new supplier" in plan
    assert sent(client, file.id) == 3
    assert "Nothing is held back." in text_of(client)
    shutil.rmtree(held.uploads.folder(file.id))
    run = settled(client, "/en/runs/3").text
    assert f"Released by {who()}: a new supplier" in run
    assert f'href="/en/explain/{GUARD}"' in run
    with held.workspace() as workspace:
        assert {str(it): count for it, count in workspace.ledger.statuses(3).items()} == {
            "Integrated": 8,
            "Held": 1,
        }


def test_a_file_of_the_command_is_read_with_its_options(
    client: FlaskClient, feedtool: Feedtool, files: Files
) -> None:
    """Its folder is not part of its name here, and its column of conditions is an option."""
    for price in ("19.99", "1999"):
        rows = [offer(number, price__price=price, condition=None) for number in (1, 2)]
        files.csv(*rows, offer(3, condition=None), name="in/offers.csv")
        assert feedtool("submit in/offers.csv --sandbox --default condition=New").code in {0, 1}
    form = {**FORM, "file": "in/offers.csv"}
    answer = client.post("/en/held/release", data=form)
    plan = settled(client, answer.location).text
    assert "Send 2 rows to" in plan, plan
    assert "What is sent of offers.csv" in plan


def test_dropped_rows_are_gone(held: PageSession) -> None:
    client = application(held).test_client()
    answer = client.post("/en/held/drop", data={"run": "2", "code": GUARD})
    assert (answer.status_code, answer.location) == (303, "/en/held")
    assert "Nothing is held back." in text_of(client)
    with held.workspace() as workspace:
        assert workspace.ledger.run_ids() == [2, 1]


NOT_HELD, NOT_THERE = "Nothing of this is held any more", "There is nothing at this address."
WRONG: list[tuple[dict[str, str], int, str]] = [
    ({"reason": " "}, 422, "no reason says why they are sent"),
    ({"code": "fewer-rows"}, 422, NOT_HELD),
    ({"file": "others.csv"}, 422, NOT_HELD),
    ({"run": "1"}, 422, NOT_HELD),
    ({"run": "7"}, 404, NOT_THERE),
    ({"run": "two"}, 404, NOT_THERE),
]
RIGHTS = {
    403: PageRights(("sandbox",), ("check", "send")),
    404: PageRights((), ACTIONS),
    303: PageRights(("sandbox",), ACTIONS),
}
"""The status of an answer to a user who has such rights."""


def test_wrong_and_forbidden_releases_are_refused(held: PageSession) -> None:
    client, count = application(held).test_client(), len(held.uploads.files())
    for changes, status, says in WRONG:
        answer = client.post("/en/held/release", data={**FORM, **changes})
        assert (answer.status_code, says in answer.text) == (status, True), answer.text
        assert len(held.uploads.files()) == count
    # A user needs the account, and the right to overrule guards.
    environ = {USER: "anna"}
    for status, rights in RIGHTS.items():
        client = application(replace(held, users=Users("", {"anna": rights}))).test_client()
        for what in ("release", "drop"):
            text = client.get("/en/held", environ_overrides=environ).text
            assert ("SKU-1" in text) == (status != 404)
            assert (f'action="/en/held/{what}"' in text) == (status == 303)
            answer = client.post(f"/en/held/{what}", data=FORM, environ_overrides=environ)
            assert answer.status_code == status
