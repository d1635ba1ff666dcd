"""The columns step: from a supplier's own list to a check that is the command's."""

import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from feedtool.cli import run
from feedtool.page.session import PageSession
from tests.conftest import Files, offer, table
from tests.page.conftest import SAMPLES, settled, upload_file
from tests.page.own_sheets import (
    ADDITIONAL,
    CONDITION,
    COST,
    LIST,
    SHIPPING,
    FormReader,
    answer_columns,
    form_of,
    two_sheets,
)


@pytest.fixture
def file(client: FlaskClient, files: Files) -> str:
    return upload_file(client, files.text(LIST, "list.csv"))


def report(client: FlaskClient, file: str) -> list[dict[str, object]]:
    """The JSON report of a file's check, for each sheet."""
    made: list[dict[str, object]] = json.loads(
        settled(client, f"/en/files/{file}/copies/json").data
    )
    return made


REFUSED: list[tuple[dict[str, str], tuple[str, ...]]] = [
    ({}, ("Still missing for offers-upsert: Tracked: cost, Tracked: additional cost.",)),
    (
        {**SHIPPING, COST: "free", "column:8": "quantity"},
        (
            "“free” is not a value of Tracked: cost; for example: 4.90",
            "Stock has a column already",
        ),
    ),
    (
        {**SHIPPING, "column:8": "prise.price", "column:2": ""},
        ("did you mean price.price?", "Price (VAT included)"),
    ),
]


def test_columns_of_an_unknown_list_are_asked_until_they_are_right(
    client: FlaskClient, session: PageSession, file: str
) -> None:
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}/columns"
    # Wrong answers are refused at their fields, and there is no such kind.
    form = form_of(client, file)
    for changes, messages in REFUSED:
        answer = answer_columns(client, file, {**form, **changes})
        assert answer.status_code == 422
        assert [message for message in messages if message not in answer.text] == []
        assert not session.uploads.file(file).choices.has_recipe
    answer = client.post(f"/en/files/{file}/reading", data={"kind": "ofers"})
    assert (answer.status_code, "no kind of feed “ofers”" in answer.text) == (422, True)
    # The right ones are asked for once.
    answer = answer_columns(client, file, {**form, **SHIPPING})
    assert (answer.status_code, answer.location) == (303, f"/en/files/{file}")
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}"


def test_the_check_is_that_of_the_command_with_the_recipe_until_it_is_forgotten(
    client: FlaskClient,
    session: PageSession,
    file: str,
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer_columns(client, file, {**form_of(client, file), **SHIPPING})
    monkeypatch.chdir(files.folder)
    recipe = session.uploads.recipe(session.uploads.file(file))
    words = ["--recipe", str(recipe), "--report", "report.json", "--language", "en"]
    assert run(["validate", "list.csv", *words]) == 0
    assert report(client, file) == json.loads((files.folder / "report.json").read_bytes())
    # The answers can be changed.
    form = form_of(client, file)
    assert (form[COST], form[ADDITIONAL]) == ("4.90", "2")
    answer_columns(client, file, {**form, ADDITIONAL: "3"})
    text = recipe.read_text("utf-8")
    assert ('additionalCost" = "3"' in text, 'additionalCost" = "2"' in text) == (True, False)
    assert answer_columns(client, file, {**form, ADDITIONAL: ""}).status_code == 422
    # Corrected files are read as before.
    again = files.text(LIST.replace("5,49", "6,49"), "list of tuesday.csv")
    corrected = upload_file(client, again, replaces=file)
    assert settled(client, f"/en/files/{corrected}").request.path == f"/en/files/{corrected}"
    assert form_of(client, corrected)[COST] == "4.90"
    # A recipe that no longer fits is reported without a question.
    renamed = files.text(LIST.replace("Qté dispo", "Stock libre"), "list.csv")
    corrected = upload_file(client, renamed, replaces=file)
    shown = settled(client, f"/en/files/{corrected}")
    assert shown.request.path == f"/en/files/{corrected}"
    page = client.get(f"/en/files/{corrected}/columns").text
    assert "lacks “Qté dispo” (perhaps “Stock libre”)" in page
    # The recipe can be forgotten.
    assert client.get(f"/en/files/{file}/recipe").status_code == 200
    client.post(f"/en/files/{file}/recipe/forget")
    assert client.get(f"/en/files/{file}/recipe").status_code == 404
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}/columns"


def test_words_of_a_field_that_was_just_chosen_are_asked_for(
    client: FlaskClient, session: PageSession, file: str, tmp_path: Path
) -> None:
    proposed = form_of(client, file)
    assert proposed[CONDITION] == ""  # what is likely is not taken unasked
    form = {**proposed, **SHIPPING}
    words = {name: value for name, value in form.items() if name.startswith("word:")}
    asked = answer_columns(client, file, {name: form[name] for name in form.keys() - words.keys()})
    assert (asked.status_code, "Say what the words below mean" in asked.text) == (422, True)
    left = answer_columns(client, file, {**form, **dict.fromkeys(words, "")})
    assert left.status_code == 303
    assert "2nd choix" not in session.uploads.recipe(session.uploads.file(file)).read_text("utf-8")
    # The row of the word that was left out is to be corrected, in a copy with a template's columns.
    failed = tmp_path / "failed.xlsx"
    failed.write_bytes(settled(client, f"/en/files/{file}/copies/failed").data)
    corrected = upload_file(client, failed, replaces=file)
    assert settled(client, f"/en/files/{corrected}").request.path == f"/en/files/{corrected}"
    assert report(client, corrected)[0]["invalid"] == 1


def test_a_list_is_kept_for_all_like_it_and_taken_back(
    client: FlaskClient, session: PageSession, file: str, files: Files, tmp_path: Path
) -> None:
    answer = answer_columns(client, file, {**form_of(client, file), **SHIPPING, "every": "1"})
    assert answer.location == f"/en/files/{file}/recipe"
    assert not (tmp_path / "settings").exists()  # nothing is kept before its text was seen
    assert "[match]" in client.get(answer.location).text
    client.post(f"/en/files/{file}/recipe/keep")
    kept = tmp_path / "settings" / "feedtool" / "recipes" / "list.toml"
    assert kept.read_text("utf-8") == session.uploads.recipe(session.uploads.file(file)).read_text(
        "utf-8"
    )
    other = upload_file(client, files.text(LIST.replace("A-3", "B-3"), "tuesday.csv"))
    assert settled(client, f"/en/files/{other}").request.path == f"/en/files/{other}"
    assert "It is kept as “list”" in client.get(f"/en/files/{other}/recipe").text
    client.post(f"/en/files/{other}/recipe/take-back")
    assert not kept.exists()
    assert settled(client, f"/en/files/{other}").request.path == f"/en/files/{other}/columns"
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}"


UPDATE = "Code art;PV TTC;Qté dispo\nA-1;11,90;7\nA-2;5,49;0\nA-3;129,00;3\n"


def test_an_update_is_mapped_as_such(client: FlaskClient, files: Files) -> None:
    file = upload_file(client, files.text(UPDATE, "list.csv"))
    page = settled(client, f"/en/files/{file}")
    assert "As offers-update nothing would be missing." in page.text
    assert (
        answer_columns(client, file, form_of(client, file, kind="offers-update")).status_code == 303
    )
    (sheet,) = report(client, file)
    assert (sheet["kind"], sheet["valid"]) == ("offers-update", 3)


UNCLEAR = (
    table([offer(1), offer(2)]).replace(",preparationTime", ",Lead").replace("price.price", "P")
)


def test_new_offers_or_an_update_is_asked_first(client: FlaskClient, files: Files) -> None:
    file = upload_file(client, files.text(UNCLEAR, "offers.csv"))
    page = settled(client, f"/en/files/{file}").text
    assert "New offers, or an update of existing ones?" in page
    new = client.post(f"/en/files/{file}/reading", data={"kind": "offers-upsert"})
    assert new.location == f"/en/files/{file}/columns"
    update = client.post(f"/en/files/{file}/reading", data={"kind": "offers-update"})
    assert update.location == f"/en/files/{file}"
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}"


def test_a_sheet_is_chosen_and_the_recipe_is_of_it(
    client: FlaskClient, session: PageSession, tmp_path: Path
) -> None:
    file = upload_file(client, two_sheets(tmp_path / "book.xlsx"))
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}/columns"
    form = form_of(client, file, sheet="Soldes")
    assert answer_columns(client, file, {**form, **SHIPPING}).status_code == 303
    kept = session.uploads.file(file)
    assert kept.choices.sheets == ("Soldes",)
    assert 'sheet = "Soldes"' in session.uploads.recipe(kept).read_text("utf-8")
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}"
    client.post(f"/en/files/{file}/reading", data={"sheet": "Notes"})
    page = client.get(f"/en/files/{file}/columns")
    assert (page.status_code, "o row looks like" in page.text) == (200, True), page.text


def test_a_row_that_looks_like_a_total_is_read_all_the_same(
    client: FlaskClient, files: Files
) -> None:
    rows = [offer(1), offer(2), {"sellerExternalReference": "Total", "quantity": "14"}]
    file = upload_file(client, files.text(table(rows), "offers.csv"))
    page = settled(client, f"/en/files/{file}")
    assert page.request.path == f"/en/files/{file}"
    assert 'name="row" value="4"' in client.get(f"/en/files/{file}/columns").text
    client.post(f"/en/files/{file}/reading", data={"row": "4"})
    settled(client, f"/en/files/{file}")
    shown = client.get(f"/en/files/{file}/columns").text
    assert 'name="row" value="4" checked' in shown


def test_the_columns_of_a_template_are_shown_as_the_check_reads_them(
    client: FlaskClient,
) -> None:
    file = upload_file(client, SAMPLES / "offers-upsert.xlsx")
    settled(client, f"/en/files/{file}")
    page = client.get(f"/en/files/{file}/columns").text
    assert "usually nothing is to be said of its columns" in page
    assert FormReader(page).values["column:0"] == "sellerExternalReference"
    first = re.search('<span class="sample">(.*?)</span>', page)
    assert first
    assert first[1] == "KETTLE-17L-STEEL"  # and not the key of the column
    assert "Still missing" not in page


def test_a_file_that_columns_cannot_help_shows_its_error(
    client: FlaskClient, tmp_path: Path
) -> None:
    (tmp_path / "broken.xlsx").write_bytes(b"PK\3\4 broken")
    file = upload_file(client, tmp_path / "broken.xlsx")
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}"
    page = client.get(f"/en/files/{file}/columns")
    assert (page.status_code, "form class" in page.text) == (200, False)
    assert client.post(f"/en/files/{file}/columns").status_code == 422


def test_cells_and_headers_are_no_markup(client: FlaskClient, files: Files) -> None:
    evil = "<img src=x onerror=alert(1)>"
    file = upload_file(
        client, files.text(LIST.replace("Foo", evil).replace(";x", f";{evil}"), "l.csv")
    )
    page = settled(client, f"/en/files/{file}").text
    assert (evil in page, "&lt;img src=x onerror" in page) == (False, True)
