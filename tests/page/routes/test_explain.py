"""The pages of codes, statuses and words."""

import pytest
from flask.testing import FlaskClient

from feedtool.model.text import LANGUAGES
from feedtool.runs.codes import all_codes
from tests.pairs import sample


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("gtin-checksum", '<h1>gtin-checksum <span class="badge bad">error</span></h1>'),
        ("GTIN Checksum", "<p>The check digit is wrong.</p>"),
        ("gtin-checksum", "<p>Example: <code>4006381333932</code>;"),
        ("gtin-checksum", '<p class="notice good">To fix it, compare the number'),
        ("brand-unknown", '<span class="badge open">warning</span>'),
        ("Held", "<h1>Held, status of a row</h1>"),
        ("2403", "<h1>2403, result code of the service</h1>"),
        ("ER400-7480", "<h1>ER400-7480, error of the service</h1>"),
    ],
)
def test_a_page(client: FlaskClient, code: str, says: str) -> None:
    answer = client.get(f"/en/explain/{code}")
    assert (answer.status_code, says in answer.text) == (200, True), answer.text


@pytest.mark.parametrize(("code", "is_guard"), [("price-factor", True), ("gtin-checksum", False)])
def test_the_page_of_a_guard_explains_its_release(
    client: FlaskClient, code: str, *, is_guard: bool
) -> None:
    text = client.get(f"/en/explain/{code}").text
    assert ("On this page a user who may release it can send it all the same" in text) == is_guard


@pytest.mark.parametrize(
    ("language", "step"), sample([("fr", 5), *((language, 1) for language in LANGUAGES)], 1)
)
def test_each_code_is_listed_and_has_its_page(
    client: FlaskClient, language: str, step: int
) -> None:
    """The normal run opens each fifth page."""
    text, codes = client.get(f"/{language}/explain").text, all_codes("en")
    names = (*codes.pages, *codes.words)
    for name in names:
        assert f'href="/{language}/explain/{name.replace(" ", "%20")}"' in text
    for name in names[::step]:
        assert client.get(f"/{language}/explain/{name}").status_code == 200


def test_the_page_of_an_unknown_code_names_near_ones(client: FlaskClient) -> None:
    answer = client.get("/en/explain/gtin-checksun")
    assert answer.status_code == 422
    assert "Did you mean gtin-checksum" in answer.text
