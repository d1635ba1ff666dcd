"""The page on which rows are chosen: what is in force, what blocks it, and what cannot be."""

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from feedtool.model.nouns import Status
from feedtool.model.text import Language
from feedtool.page.access import Users
from feedtool.page.app import USER
from feedtool.page.plans import plan_of
from feedtool.page.session import PageSession
from feedtool.page.uploads import Choices
from feedtool.runs.config import ACTIONS, PageRights
from tests.conftest import Files, offer
from tests.page.browsing import spoken
from tests.page.conftest import (
    SAMPLES,
    application,
    lone_session,
    made_session,
    sent,
    settled,
    upload_file,
)

OFFERS = SAMPLES / "offers-upsert.xlsx"
NOT_THERE = "Offers-upsert.xlsx “Offers” has no rows 900-950"
CHANGED = """
[profile.changed]
changed_only = true
base_url = "http://127.0.0.1:9/v2"
insecure_http = true
seller = "7"
token = "t"
"""


def plan_page(client: FlaskClient, file: str, **form: str) -> str:
    """The page of a file, with some choices if they are given."""
    if form:
        answer = client.post(f"/en/files/{file}/plan", data=form)
        assert answer.status_code == 303, answer.text
    answer = settled(client, f"/en/files/{file}/plan")
    assert answer.status_code == 200, answer.text
    return answer.text


def checked_boxes(page: str) -> set[str]:
    """The names of all ticked boxes, and the values of radio buttons."""
    boxes = re.findall(r'<input type="(\w+)" name="([\w ]+)"([^>]*) checked>', page)
    return {re.findall('value="(.*?)"', rest)[0] if rest else name for _, name, rest in boxes}


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after a run of three offers, to be copied."""
    folder = tmp_path_factory.mktemp("offered")
    with lone_session(folder) as session:
        client = application(session).test_client()
        sent(client, upload_file(client, Files(folder).csv(*map(offer, (1, 2, 3)))))
    return folder / "home"


@pytest.fixture
def session_again(offered: Path, tmp_path: Path) -> Iterator[PageSession]:
    """A session in which three offers were sent."""
    shutil.copytree(offered, tmp_path / "home")
    with lone_session(tmp_path) as session:
        yield session


@pytest.fixture
def again(session_again: PageSession) -> FlaskClient:
    return application(session_again).test_client()


@pytest.fixture
def guarded(files: Files) -> Path:
    """A file with a row that a guard holds once the offers were sent."""
    return files.csv(offer(1, price__price="1999"), offer(2))


def test_rows_that_are_not_valid_block_all_and_are_one_click_away(
    client: FlaskClient, files: Files
) -> None:
    path = files.csv(offer(1), offer(2, quantity="many"), offer(3, quantity="-1"))
    page = plan_page(client, id_ := upload_file(client, path), all_or_nothing="on")
    said = re.search(r'<p class="notice bad">(.*?) <a href="(.*?)">(.*?)</a></p>', page)
    assert said
    text, link, label = said.groups()
    assert text == "Nothing is sent: 2 rows are not valid, and all are to be sent or none."
    assert label == "Show the rows that are not valid"
    assert link == f"/en/files/{id_}/plan?which=status:Invalid#rows"
    assert 'id="rows"' in page
    assert page.index("notice bad") < page.index('class="tiles"')
    assert '<p role="status">2 rows</p>' in settled(client, link.partition("#")[0]).text
    assert "notice bad" not in plan_page(client, id_, which="all")


@pytest.mark.parametrize("language", spoken("en"))
def test_rows_that_are_held_block_all_and_no_page_names_an_option(
    again: FlaskClient, guarded: Path, language: Language
) -> None:
    """On the pages of guards, a block of all rows, and rows held over all runs; also in the plain
    table."""
    page = plan_page(again, id_ := upload_file(again, guarded), all_or_nothing="on")
    assert "Nothing is sent: rows are held back, and all are to be sent or none." in page
    link = f"/en/files/{id_}/plan?which=code:price-factor"
    assert f'href="{link}#rows"' in page
    assert '<p role="status">1 row</p>' in settled(again, link).text
    sent(again, upload_file(again, guarded))
    for address in (
        f"files/{id_}/plan",
        f"files/{id_}/plan?plain=1",
        "runs/2",
        "runs/2?plain=1",
        "held",
    ):
        page = settled(again, f"/{language}/{address}").text
        text = re.sub("<[^>]+>", " ", page.partition("<main")[2])
        assert "1999" in text, address
        assert not re.search(r"(?<![\w-])--[a-z]", text), address


def test_a_sheet_that_cannot_be_read_blocks_all(
    client: FlaskClient, session: PageSession, files: Files
) -> None:
    path = files.book({"A": [offer(1)], "B": [dict.fromkeys(offer(1), "")]})
    file = session.uploads.file(id_ := upload_file(client, path))
    choices = Choices(sheets=("A", "B"), all_or_nothing=True)
    session.uploads.choose(file, choices, is_read_anew=True)
    page = plan_page(client, id_)
    assert "Nothing is sent: a sheet cannot be read, and all are to be sent or none." in page
    assert f'href="/en/files/{id_}/plan?sheet=1&amp;which=all#rows"' in page


def test_missing_rows_are_refused_and_not_chosen(client: FlaskClient, session: PageSession) -> None:
    plan_page(client, id_ := upload_file(client, OFFERS), which="rows", rows="3-5", sheet="Offers")
    form = {"which": "rows", "rows": "4,900-950", "sheet": "Offers"}
    answer = client.post(f"/en/files/{id_}/plan", data=form)
    assert (answer.status_code, NOT_THERE in answer.text) == (422, True), answer.text
    assert "Its rows are 3 to 42; blank ones do not count" in answer.text
    assert f'href="/en/files/{id_}/plan"' in answer.text
    file = session.uploads.file(id_)
    assert file.choices.rows == {"Offers": "3-5"}
    # A plan of such rows leads back to all.
    session.uploads.choose(file, Choices(rows={"Offers": "900-950"}), is_read_anew=False)
    answer = settled(client, f"/en/files/{id_}/plan")
    assert (answer.status_code, NOT_THERE in answer.text) == (422, True), answer.text
    assert "Send 40 rows to the sandbox" in plan_page(client, id_)


def test_user_and_reason_of_a_release_are_kept_with_the_run(
    session_again: PageSession, guarded: Path
) -> None:
    """Anna releases held rows, and Bruno, who may not, sends them."""
    rights = {
        "anna": PageRights(("sandbox",), ACTIONS),
        "bruno": PageRights(("sandbox",), ("check", "send")),
    }
    app = application(replace(session_again, users=Users("", rights)))
    anna, bruno = app.test_client(), app.test_client()
    anna.environ_base[USER], bruno.environ_base[USER] = rights
    address = f"/en/files/{(id_ := upload_file(anna, guarded))}/plan"
    settled(anna, address)
    form = {"which": "all", "release price-factor": "on"}
    asked = {**form, "reason price-factor": "a new supplier"}
    tries = (anna, form), (bruno, asked), (anna, asked)
    assert [by.post(address, data=data).status_code for by, data in tries] == [422, 403, 303]
    page = settled(bruno, address).text
    assert "Released by anna: a new supplier" in page
    hidden = dict(re.findall(r'<input type="hidden" name="(re.*?)" value="(.*?)">', page))
    assert {"which": "all", **hidden} == asked
    assert bruno.post(address, data={"which": "all", **hidden}).status_code == 303
    page = settled(anna, f"/en/runs/{sent(bruno, id_)}").text
    assert ", by bruno</p>" in page
    assert "Released by anna: a new supplier" in page


@pytest.fixture
def changed_session(tmp_path: Path) -> Iterator[PageSession]:
    """A session with an account that sends only changed rows."""
    config = tmp_path / "feedtool.toml"
    config.write_text(CHANGED)
    with made_session(tmp_path / "home", "--config", str(config)) as session:
        yield session


def test_the_page_shows_the_account_s_settings(changed_session: PageSession, files: Files) -> None:
    client, path = application(changed_session).test_client(), files.csv(offer(1))
    id_ = upload_file(client, path, account="changed")
    assert checked_boxes(plan_page(client, id_)) == {"all", "changed_only"}
    assert checked_boxes(plan_page(client, id_, which="all")) == {"all"}
    assert changed_session.uploads.file(id_).choices.changed_only is False
    other = upload_file(client, path, account="sandbox")
    assert checked_boxes(plan_page(client, other)) == {"all"}


CHOSEN: Mapping[str, tuple[Mapping[str, str], Mapping[Status, int]]] = {
    "all": ({}, {Status.VALID: 3}),
    "those that change something": (
        {"changed_only": "on"},
        {Status.UNCHANGED: 2, Status.VALID: 1},
    ),
    "some": ({"which": "rows", "rows": "2-3"}, {Status.VALID: 2, Status.NOT_CHOSEN: 1}),
    "those of some that change something": (
        {"which": "rows", "rows": "2-3", "changed_only": "on"},
        {Status.VALID: 1, Status.UNCHANGED: 1, Status.NOT_CHOSEN: 1},
    ),
}


def test_rows_are_chosen_and_left_out_together(
    again: FlaskClient, session_again: PageSession, files: Files
) -> None:
    id_ = upload_file(again, files.csv(offer(1, quantity="9"), offer(2), offer(3)))
    for form, statuses in CHOSEN.values():
        page = plan_page(again, id_, **{"which": "all", "sheet": "", **form})
        plan = plan_of(session_again, session_again.uploads.file(id_))
        assert plan
        assert plan.statuses == statuses
        assert checked_boxes(page) == {form.get("which", "all"), *form} - {"which", "rows"} | (
            {"rows"} if "rows" in form else set()
        )
    # An unchanged file needs no correction.
    page = plan_page(again, upload_file(again, files.csv(offer(1))), changed_only="on")
    assert "Nothing would be sent: no row changes anything." in page


def test_rows_that_were_not_chosen_are_no_held_ones(
    again: FlaskClient, session_again: PageSession, files: Files
) -> None:
    """In the plan, the run, the runs and the sellers; only chosen rows count as held."""
    id_ = upload_file(again, files.csv(offer(1, price__price="1999"), offer(2), offer(3)))
    page = plan_page(again, id_, which="rows", rows="2-3", sheet="")
    number = sent(again, id_)
    run, filtered, every = (
        settled(again, address).text
        for address in (
            f"/en/runs/{number}",
            f"/en/runs/{number}?which=status:NotChosen&plain=1",
            "/en/runs",
        )
    )
    sellers = again.get("/en/sellers").text
    for tiles in (page, run):
        assert {("1", "Held"), ("1", "Not chosen")} <= set(re.findall(TILE, tiles))
    assert re.findall('<th scope="row" class="number">(.*?)<', filtered) == ["4"]
    assert all("1 Held, 1 Integrated, 1 not chosen" in listed for listed in (every, sellers))
    with session_again.workspace() as workspace:
        assert workspace.ledger.statuses(number)[Status.HELD] == 2  # as all other commands tell it


TILE = re.compile(r"<li><strong class=.*?>(.*?)</strong>(.*?)</li>")


def test_a_purge_is_sent_whole(client: FlaskClient, session: PageSession) -> None:
    id_ = upload_file(client, SAMPLES / "legacy-offers.xlsx")
    page = plan_page(client, id_, changed_only="on")
    assert checked_boxes(page) == {"all", "changed_only"}
    page = plan_page(client, id_, which="all", changed_only="on", purges="on")
    assert checked_boxes(page) == {"all", "purges"}
    assert session.uploads.file(id_).choices.changed_only is True


LACKING = """
[profile.shop]
seller = "7"
[profile.mall]
base_url = "http://127.0.0.1:9/v2"
insecure_http = true
seller = "7"
token = "t"
"""
LACKS = {
    "shop": "missing: the address of the service, the sales channel, the token.",
    "mall": "missing: the sales channel.",
    "sandbox": "",
}


@pytest.fixture
def lacking(tmp_path: Path) -> Iterator[FlaskClient]:
    """A client of a page some of whose accounts can only be used for checks."""
    config = tmp_path / "feedtool.toml"
    config.write_text(LACKING)
    with made_session(tmp_path / "home", "--config", str(config)) as session:
        yield application(session).test_client()


def test_missing_settings_are_shown_before_sending(lacking: FlaskClient, files: Files) -> None:
    path, who = files.csv(offer(1)), "The person who keeps the configuration"
    for account, lacks in LACKS.items():
        page = plan_page(lacking, upload_file(lacking, path, account=account))
        told = f"Nothing can be sent from “{account}”: {lacks} {who}"
        assert (told in page) == bool(lacks)
        assert ('<button class="main" disabled aria-describedby="lack">' in page) == bool(lacks)
    page = lacking.get("/en/").text
    assert "“shop”: missing: the address of the service, the token. The person" in page
    assert re.findall(r"<option.*?>(.*?)</option>", page) == [
        "shop (files can be checked, not sent)",
        "mall",
        "sandbox (for practice: nothing leaves this machine)",
    ]


def test_rows_are_sent_from_the_account_of_the_options(files: Files, tmp_path: Path) -> None:
    words = ("--base-url", "http://127.0.0.1:9/v2", "--insecure-http", "--token", "t")
    with made_session(
        tmp_path / "home", *words, "--seller", "9", "--channel", "PRIMARY"
    ) as session:
        client = application(session).test_client()
        page = plan_page(client, upload_file(client, files.csv(offer(1), offer(2))))
        assert "Send 2 rows to seller 9 (9@127.0.0.1:9)" in page
        assert "disabled" not in page
