"""Empty workbooks from the page: those of the command, byte for byte."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from feedtool.areas.registry import load
from tests.cli.conftest import Feedtool
from tests.cli.conftest import feedtool as the_command
from tests.page.conftest import application, lone_session, with_catalogue

feedtool = the_command

DOWNLOAD = "/en/templates/download"


@pytest.fixture(scope="module")
def home(catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a page that is only read, with a catalogue."""
    return with_catalogue(catalogue, tmp_path_factory.mktemp("templates") / "home")


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[FlaskClient]:
    with lone_session(home.parent) as session:
        yield application(session).test_client()


def test_each_kind_is_offered(client: FlaskClient) -> None:
    text = client.get("/en/templates").text
    assert [kind for kind in load().templates if f'value="{kind}"' not in text] == []


@pytest.mark.parametrize(
    ("kind", "language", "category"),
    [
        ("offers-upsert", "en", ""),
        ("orders", "fr", ""),
        ("products", "en", "1E0101,011B"),
    ],
)
def test_the_workbook_is_that_of_the_command(
    client: FlaskClient,
    feedtool: Feedtool,
    home: Path,
    tmp_path: Path,
    kind: str,
    language: str,
    category: str,
) -> None:
    answer = client.get(
        DOWNLOAD,
        query_string={
            "kind": kind,
            "language": language,
            "category": [code for code in category.split(",") if code],
        },
    )
    assert answer.headers["Content-Disposition"] == f"attachment; filename={kind}.xlsx"
    words = ["--category", category] if category else []
    words += ["--home", str(home)]
    assert feedtool(f"template {kind} --sandbox --language {language}", *words).code == 0
    assert answer.data == (tmp_path / f"{kind}.xlsx").read_bytes()


def test_products_ask_for_their_categories_first(client: FlaskClient) -> None:
    answer = client.get(DOWNLOAD, query_string={"kind": "products"}, follow_redirects=True)
    assert answer.request.path == "/en/templates/categories"
    assert "Kitchen and home" in answer.text


@pytest.mark.parametrize(
    ("search", "says"),
    [
        ("t-shirt", "Men&#39;s T-shirts"),
        ("1E01", 'value="1E0101"'),
        ("zzz", "Nothing is found."),
        ("e", "more: write more of the name"),
    ],
)
def test_a_search_finds_categories_and_keeps_those_that_are_chosen(
    client: FlaskClient, search: str, says: str
) -> None:
    asked = {"kind": "products", "search": search, "category": "011B"}
    text = client.get("/en/templates/categories", query_string=asked).text
    assert says in text
    assert 'value="011B" checked' in text


@pytest.mark.parametrize(
    ("asked", "status", "says"),
    [
        ({}, 422, "There is no kind of feed"),
        ({"kind": "orders-accept"}, 422, "it is an action of orders"),
        ({"kind": "orders", "language": "de"}, 422, "There is no such language"),
        ({"kind": "orders", "account": "shop"}, 422, "There is no account of this name"),
        ({"kind": "products", "category": "QQ"}, 422, "There is no category “QQ”"),
        (
            {"kind": "products", "language": "es", "category": "011B"},
            422,
            "There is no catalogue in Español here; there is one in English",
        ),
        (
            {"kind": "products", "language": "es", "category": "011B"},
            422,
            "<p>Choose English for the workbook</p>",
        ),
    ],
)
def test_wrong_templates_are_refused(
    client: FlaskClient, asked: dict[str, str], status: int, says: str
) -> None:
    answer = client.get(DOWNLOAD, query_string=asked)
    assert (answer.status_code, says in answer.text) == (status, True), answer.text
