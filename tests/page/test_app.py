"""Parts of every page, and the answers to wrong requests."""

import pytest
from flask.testing import FlaskClient

from tests.page.conftest import SAMPLES, upload_file


@pytest.mark.parametrize(
    ("wanted", "address"),
    [("fr-CA,fr;q=0.9", "/fr/"), ("es", "/es/"), ("de", "/en/"), ("", "/en/")],
)
def test_the_browser_sets_the_language(client: FlaskClient, wanted: str, address: str) -> None:
    answer = client.get("/", headers={"Accept-Language": wanted})
    assert (answer.status_code, answer.location) == (302, address)


@pytest.mark.parametrize("language", ["en", "fr", "es"])
def test_a_page_leads_to_itself_in_the_other_languages(client: FlaskClient, language: str) -> None:
    text = client.get(f"/{language}/runs").text
    assert f'<html lang="{language}">' in text
    assert all(f'href="/{other}/runs"' in text for other in ("en", "fr", "es"))


@pytest.mark.parametrize(
    ("method", "address", "status", "says"),
    [
        ("GET", "/en/nowhere", 404, "There is nothing at this address."),
        ("GET", "/de/", 404, "There is nothing at this address."),
        ("DELETE", "/en/", 405, "This cannot be done at this address."),
        ("GET", "/en/files/0123456789abcdef", 404, "This file is no longer here"),
        ("GET", "/en/files/facts.json", 404, "This file is no longer here"),
        ("GET", "/en/runs/7", 404, "There is nothing at this address."),
        ("POST", "/en/files", 422, "No file was chosen"),
        ("GET", "/fr/runs/7", 404, "à cette adresse"),
    ],
)
def test_wrong_requests_are_explained(
    client: FlaskClient, method: str, address: str, status: int, says: str
) -> None:
    answer = client.open(address, method=method)
    assert (answer.status_code, says in answer.text) == (status, True), answer.text


def test_a_file_for_an_account_that_is_not_there(client: FlaskClient) -> None:
    answer = client.put("/en/files/a.csv?account=shop", data=b"x")
    assert answer.status_code == 422
    assert "There is no account of this name" in answer.text


def test_an_unknown_copy_is_not_found(client: FlaskClient) -> None:
    file = upload_file(client, SAMPLES / "offers-mistakes.xlsx")
    assert client.get(f"/en/files/{file}/copies/passwords").status_code == 404
