"""Answers to the script of a grid."""

import shutil
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from feedtool.model.nouns import Message, RowResult, Status
from feedtool.model.text import Language
from feedtool.page.grid import Grid, add_results
from feedtool.page.routes.grid import MOST_ROWS, add_grid_routes
from tests.conftest import Files, offer
from tests.page.grid.conftest import checked_into


def client_of(folder: Path, language: Language = "en") -> FlaskClient:
    """Asks for the grids of a folder."""
    blueprint = flask.Blueprint("files", __name__)
    add_grid_routes(blueprint, "/files/<name>", lambda name: Grid(folder / name))
    app = flask.Flask(__name__)
    app.register_blueprint(blueprint)
    app.before_request(lambda: setattr(flask.g, "language", language))
    return app.test_client()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The grid `a` of 300 offers, of which the second is wrong in three ways; it is only read."""
    files = Files(tmp_path_factory.mktemp("grids"))
    wrong = offer(2, quantity="-1", sellerExternalReference=" SKU-2 ")
    wrong["price.price"] = ""
    rows = [offer(1), wrong, *(offer(number) for number in range(3, 301))]
    checked_into(files.folder / "a", files.csv(*rows))
    return files.folder


@pytest.fixture
def client(folder: Path) -> FlaskClient:
    return client_of(folder)


def answer(client: FlaskClient, path: str, **asked: object) -> Any:
    response = client.get(f"/files/a/{path}", query_string=asked)
    assert response.status_code == 200, response.text
    return response.json


def test_rows_are_those_from_a_position_on(client: FlaskClient) -> None:
    found = answer(client, "rows", **{"from": 298, "count": 5})
    assert found["total"] == 300
    assert [(row["at"], row["row"], row["cells"][0]) for row in found["rows"]] == [
        *((298, 300, "SKU-299"), (299, 301, "SKU-300"))
    ]
    assert len(answer(client, "rows")["rows"]) == MOST_ROWS


def test_a_row_has_its_problems_in_their_columns(client: FlaskClient) -> None:
    (row,) = answer(client, "rows", which="problems")["rows"]
    assert (row["status"], row["outcome"], row["hidden"], row["notes"]) == (
        *("Invalid", "bad", False),
        [],
    )
    assert [
        (problem["column"], problem["place"], problem["code"], problem["severity"])
        for problem in row["problems"]
    ] == [
        (0, "A3 sellerExternalReference", "trimmed", "warning"),
        (3, "D3", "required-missing", "error"),
        (8, "I3 quantity", "number-range", "error"),
    ]
    missing = row["problems"][1]
    assert (missing["message"], missing["hint"], missing["is_explained"]) == (
        *("price.price is missing", "Fill the cell"),
        True,
    )


def test_answers_are_in_the_language_of_the_request(folder: Path) -> None:
    (row,) = answer(client_of(folder, "fr"), "rows", which="problems")["rows"]
    assert (row["status"], row["outcome"]) == ("Invalide", "bad")
    assert row["problems"][1]["hint"] == "Remplissez la cellule"


def test_messages_of_the_service_have_a_hint(folder: Path, tmp_path: Path) -> None:
    own = Path(shutil.copy(folder / "a", tmp_path))
    refused = Message("1906", "Price must be positive")
    add_results(own, "run-7", {0: [RowResult(2, "SKU-1", Status.REJECTED, (refused,))]})
    row = answer(client_of(tmp_path), "rows", view="run-7")["rows"][0]
    assert (row["status"], row["outcome"]) == ("Rejected", "bad")
    (problem,) = row["problems"]
    assert (problem["column"], problem["message"]) == (3, "Price must be positive")
    assert problem["hint"].startswith("Give a price above 0")
    assert problem["is_explained"]


def test_the_next_problem_and_a_text_are_found_in_the_filter(client: FlaskClient) -> None:
    assert answer(client, "next", at=-1)["found"] == {"place": 1, "at": 1}
    assert answer(client, "next", at=1, step=-1, which="error")["found"] == {"place": 0, "at": 1}
    assert answer(client, "next", which="code:none")["found"] is None
    assert answer(client, "find", q="sku-30", **{"from": 31})["found"] == {
        "place": 299,
        "at": 299,
        "column": 0,
    }
    assert answer(client, "find", q="no such thing")["found"] is None


REFUSED = {
    "rows?sheet=1": "sheet is a number from 0 to 0",
    "rows?sheet=-1": "sheet is a number from 0 to 0",
    "rows?sheet=x": "sheet is a number from 0 to 0",
    "rows?view=run-1": "there is nothing called run-1 here",
    "rows?from=-1": "from is a number from 0 to 1000000000",
    "rows?from=99999999999999999999": "from is a number from 0 to 1000000000",
    "rows?from=1.5": "from is a number from 0 to 1000000000",
    "rows?count=201": "count is a number from 1 to 200",
    "rows?count=0": "count is a number from 1 to 200",
    f"rows?which={'x' * 201}": "which is too long",
    "next?at=-2": "at is a number from -1 to 1000000000",
    "next?step=2": "step is a number from -1 to 1",
    "find": "there is no text to look for",
    "find?q=": "there is no text to look for",
    f"find?q={'x' * 201}": "q is too long",
}


@pytest.mark.parametrize("asked", REFUSED)
def test_wrong_questions_are_refused_with_the_reason(client: FlaskClient, asked: str) -> None:
    response = client.get(f"/files/a/{asked}")
    assert (response.status_code, response.json) == (400, {"error": REFUSED[asked]})


@pytest.mark.parametrize("asked", ["rows?from=999", "rows?which=code:x", "rows?which=numbers"])
def test_questions_without_matches_show_no_rows(client: FlaskClient, asked: str) -> None:
    response = client.get(f"/files/a/{asked}")
    assert (response.status_code, response.json and response.json["rows"]) == (200, [])


def test_odd_texts_are_looked_for(client: FlaskClient) -> None:
    for text in ("\0", "\U0001f600", '"', "\\", "%ff"):
        assert answer(client, "find", q=text)["found"] is None
    assert client.get("/files/a/find?q=%ff%d8").json == {"found": None}


def test_the_rows_of_a_filter_are_ranges(client: FlaskClient) -> None:
    assert answer(client, "numbers") == {"rows": "2-301"}
    assert answer(client, "numbers", which="status:Valid") == {"rows": "2,4-301"}
    assert answer(client, "numbers", which="code:none") == {"rows": ""}
