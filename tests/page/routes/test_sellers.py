"""The page of all sellers, in each language, and the figures for programs."""

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from feedtool.ledger.records import seller_key
from feedtool.model.errors import Interrupted
from feedtool.model.text import tr
from feedtool.page.access import Users
from feedtool.page.session import PageSession, now
from feedtool.runs.config import PageRights
from tests.figures import figures_in
from tests.page.conftest import application, lone_session, sent, upload_file
from tests.page.own_sheets import mixed_offers

OTHER = seller_key("https://other.example/v2", "<b>7</b>")
GONE = Interrupted(tr("no answer from {host}", host="<i>other.example</i>"))


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """A seller with a run, and one in trouble whose name and reason are hostile; read only."""
    folder = tmp_path_factory.mktemp("busy")
    with lone_session(folder) as session:
        client = application(session).test_client()
        sent(client, upload_file(client, mixed_offers(folder / "offers.xlsx")))
        with session.workspace() as workspace:
            workspace.ledger.sellers.passed(OTHER, "", None, GONE, None, now())
        yield client


def main_of(client: FlaskClient, address: str) -> str:
    """The page's content below the head that all pages share."""
    return client.get(address).text.partition("<main")[2].partition("</main>")[0]


def test_each_has_a_row_that_leads_to_its_runs(busy: FlaskClient) -> None:
    page = busy.get("/en/sellers").text
    assert page.index("&lt;b&gt;7&lt;/b&gt;") < page.index(">sandbox</a>")
    assert "no answer from &lt;i&gt;other.example&lt;/i&gt;" in page
    assert 'href="/en/runs?service=http://sandbox.invalid/v2&amp;seller=sandbox"' in page
    assert 'class="bad"' in page
    runs = busy.get("/en/runs?service=http://sandbox.invalid/v2&seller=sandbox").text
    assert "Runs of seller sandbox" in runs
    assert "Run 1" in runs
    assert "Run 1" not in busy.get("/en/runs?service=http://sandbox.invalid/v2&seller=x").text


def test_the_overview_needs_no_script_and_no_own_style(busy: FlaskClient) -> None:
    page = main_of(busy, "/en/sellers")
    assert "<script" not in page
    assert "style=" not in page


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "in trouble"), ("fr", "en difficulté"), ("es", "con problemas")],
)
def test_the_overview_is_translated(busy: FlaskClient, language: str, words: str) -> None:
    assert words in busy.get(f"/{language}/sellers").text


@pytest.mark.parametrize(
    ("query", "is_shown"),
    [
        ("", True),
        ("trouble=on", False),
        ("held=on", False),
        ("waiting=10", False),
        ("page=9", False),
    ],
)
def test_filters_are_links(busy: FlaskClient, query: str, *, is_shown: bool) -> None:
    page = main_of(busy, f"/en/sellers?{query}")
    assert (">sandbox</a>" in page) is is_shown
    for link in ("trouble=on", "held=on", "waiting=10", "never=on"):
        assert (f"/en/sellers?{link}" in page) is (link != query)


def test_senseless_filters_are_ignored(busy: FlaskClient) -> None:
    assert ">sandbox</a>" in busy.get("/en/sellers?page=-1&waiting=x").text


def figures(client: FlaskClient) -> dict[str, float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type.startswith("application/openmetrics-text; version=1.0.0")
    return figures_in(answer.text)


def test_programs_read_the_figures_of_all(busy: FlaskClient) -> None:
    found = figures(busy)
    assert found["feedtool_sellers:all"] == 2
    assert found["feedtool_sellers:in_trouble"] == 1
    assert found["feedtool_passes_total"] == 2
    assert found["feedtool_answers_total:Invalid"] > 0


@pytest.mark.parametrize(
    ("user", "status"), [("", 200), ("bruno", 200), ("anna", 403), ("eve", 403)]
)
def test_metrics_behind_the_proxy_need_rights_to_all_accounts(
    session: PageSession, user: str, status: int
) -> None:
    rights = {"bruno": PageRights(("*",)), "anna": PageRights(("shop",))}
    shared = application(replace(session, users=Users("me", rights)))
    answer = shared.test_client().get("/metrics", environ_overrides={"feedtool.user": user})
    assert answer.status_code == status
