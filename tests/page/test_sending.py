"""Just the plan that was seen is sent, or nothing."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from feedtool.cli import run
from feedtool.cli.options import SANDBOX, SANDBOX_SELLER
from feedtool.ledger.lock import hold
from feedtool.page.session import PageSession, now
from feedtool.runs.workspace import options_of
from tests.conftest import Files, offer
from tests.page.conftest import application, made_session, sent, settled, upload_file
from tests.page.own_sheets import mixed_offers

ACCOUNT = """
[profile.shop]
base_url = "http://127.0.0.1:9/v2"
insecure_http = true
seller = "7"
token = "t"
vat_rate = 20
"""
"""An account that nobody asks: it is found out before that nothing may be sent."""


@pytest.fixture
def few(files: Files) -> Path:
    return files.book({"Offers": [offer(number) for number in (1, 2, 3)]})


def runs_of(session: PageSession) -> int:
    with session.workspace() as workspace:
        return len(workspace.ledger.run_ids())


def digest_of(client: FlaskClient, file: str) -> str:
    text = settled(client, f"/en/files/{file}/plan").text
    return text.partition('name="plan" value="')[2].partition('"')[0]


def test_the_copies_of_a_run_are_those_of_the_command(
    client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    offers = mixed_offers(tmp_path / "offers.xlsx")
    home = ["--home", str(tmp_path / "home"), "--language", "en"]
    run(["submit", offers.name, "--sandbox", "--report", "report.csv", *home])
    names = {"marked": "*.result.xlsx", "failed": "*.failed.xlsx", "csv": "report.csv"}
    for what, name in names.items():
        (written,) = tmp_path.glob(name)
        copy = settled(client, f"/en/runs/1/copies/{what}").data
        assert copy == written.read_bytes(), what
    page = settled(client, "/en/runs/1").text
    assert [status in page for status in ("Integrated", "Rejected")] == [True, True]


def test_rows_to_correct_are_offered_until_they_are_sent_again(
    client: FlaskClient, files: Files
) -> None:
    link = "/copies/failed"
    first = sent(client, upload_file(client, files.csv(offer(1), offer(2, quantity="many"))))
    page = settled(client, f"/en/runs/{first}").text
    assert (link in page, "Correct the rows" in page) == (True, True)
    second = sent(client, upload_file(client, files.csv(offer(2))))
    for number in (first, second):
        page = settled(client, f"/en/runs/{number}").text
        assert (link in page, "Correct the rows" in page) == (False, False)
        assert "/copies/marked" in page


def test_another_plan_than_was_seen_is_not_sent(
    client: FlaskClient, session: PageSession, few: Path
) -> None:
    file = session.uploads.file(id_ := upload_file(client, few))
    chosen = replace(file, choices=replace(file.choices, rows={"Offers": "3-4"}))
    changes: list[tuple[str, Callable[[], object]]] = [
        ("sha256:00", lambda: None),
        ("", lambda: session.uploads.save(chosen)),
        ("", lambda: session.uploads.input(file).path.write_bytes(b"something else")),
    ]
    for other, change in changes:
        digest = digest_of(client, id_)
        change()
        client.post(f"/en/files/{id_}/send", data={"plan": other or digest})
        answer = settled(client, f"/en/files/{id_}/sending")
        assert (answer.status_code, runs_of(session)) == (409, 0), answer.text
        assert "--" not in answer.text.partition("<main")[2], answer.text


def test_a_plan_is_sent_once(client: FlaskClient, session: PageSession, few: Path) -> None:
    file = session.uploads.file(id_ := upload_file(client, few))
    assert "not sent" in client.get("/en/").text
    digest, first = digest_of(client, id_), sent(client, id_)
    client.post(f"/en/files/{id_}/send", data={"plan": digest})
    answer = settled(client, f"/en/files/{id_}/sending")
    assert answer.request.path == f"/en/runs/{first}"
    assert runs_of(session) == 1
    # It counts as sent by the ledger: a page may be killed before it records the run, which is
    # then continued elsewhere.
    session.uploads.save(file)
    assert f'href="/en/runs/{first}">sent, run {first}</a>' in client.get("/en/").text
    assert session.uploads.file(id_).run == first
    # Its results are shown without its file, too.
    shutil.rmtree(session.uploads.folder("runs"), ignore_errors=True)
    with session.workspace() as workspace:
        (_, sha256), *_ = options_of(first, workspace).snapshots.inputs
        workspace.snapshots.path_of(sha256).unlink()
    answer = settled(client, f"/en/runs/{first}")
    assert (answer.status_code, "Integrated" in answer.text) == (200, True), answer.text
    assert "no longer kept here" in answer.text


def test_a_plan_overtaken_by_another_run_is_made_again(
    client: FlaskClient, session: PageSession, files: Files
) -> None:
    slow, fast = (
        upload_file(client, files.csv(offer(1, price__price=price))) for price in ("18.99", "19.99")
    )
    digest = digest_of(client, slow)
    assert digest_of(client, slow) == digest
    sent(client, fast)
    client.post(f"/en/files/{slow}/send", data={"plan": digest})
    answer = settled(client, f"/en/files/{slow}/sending")
    assert (answer.status_code, runs_of(session)) == (409, 1), answer.text
    assert "rows of this seller were sent since" in answer.text
    assert f'href="/en/files/{slow}/plan"' in answer.text
    page = settled(client, f"/en/files/{slow}/plan").text
    assert "19.99" in page  # the price that would be changed now
    assert sent(client, slow) == 2


MEANINGLESS: list[tuple[Mapping[str, str], str]] = [
    ({"which": "rows", "rows": "", "sheet": "Offers"}, "No rows were chosen"),
    ({"which": "rows", "rows": "three", "sheet": "Offers"}, "“three” names no rows"),
    ({"which": "all", "release price-jump": "on"}, "no reason says why"),
    ({"which": "rows", "rows": "3", "sheet": "Offers", "purges": "on"}, "would be removed"),
]


def test_choices_that_cannot_be_meant(client: FlaskClient, few: Path) -> None:
    file = upload_file(client, few)
    for form, says in MEANINGLESS:
        answer = client.post(f"/en/files/{file}/plan", data=form)
        assert (answer.status_code, says in answer.text) == (422, True), answer.text


def test_the_error_of_a_second_sending_names_the_first(
    client: FlaskClient, session: PageSession, few: Path
) -> None:
    file = upload_file(client, few)
    digest = digest_of(client, file)
    with (
        session.workspace() as workspace,
        hold(workspace.ledger.engine, SANDBOX_SELLER, SANDBOX, command="watch", now=now()),
    ):
        client.post(f"/en/files/{file}/send", data={"plan": digest})
        answer = settled(client, f"/en/files/{file}/sending")
    assert (answer.status_code, "(feedtool watch, of " in answer.text) == (423, True), answer.text
    assert runs_of(session) == 0


def test_errors_on_the_page_name_no_options(few: Path, tmp_path: Path) -> None:
    config = tmp_path / "feedtool.toml"
    config.write_text(ACCOUNT.replace('token = "t"', ""))
    with made_session(tmp_path / "home", "--config", str(config)) as session:
        client = application(session).test_client()
        file = upload_file(client, few, account="shop")
        client.post(f"/en/files/{file}/send", data={"plan": digest_of(client, file)})
        page = settled(client, f"/en/files/{file}/sending").text
        assert [word in page for word in ("no token", "person who keeps", "--token")] == [
            True,
            True,
            False,
        ]


def test_a_plan_of_settings_that_have_changed_is_not_sent(few: Path, tmp_path: Path) -> None:
    config = tmp_path / "feedtool.toml"
    config.write_text(ACCOUNT)
    with made_session(tmp_path / "home", "--config", str(config)) as session:
        client = application(session).test_client()
        file = upload_file(client, few, account="shop")
        digest = digest_of(client, file)
        config.write_text(config.read_text().replace("20", "5.5"))
        client.post(f"/en/files/{file}/send", data={"plan": digest})
        answer = settled(client, f"/en/files/{file}/sending")
        assert (answer.status_code, runs_of(session)) == (409, 0), answer.text
