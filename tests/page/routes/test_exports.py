"""Exports by the page: the whole way, against the sandbox."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from zipfile import ZipFile

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from openpyxl import load_workbook
from werkzeug.test import TestResponse

from feedtool.areas.registry import load
from feedtool.page.access import Users
from feedtool.page.app import USER
from feedtool.page.checks import check_key, grid_of
from feedtool.page.exports import EXPORT
from feedtool.page.session import PageSession
from feedtool.runs.config import PageRights
from tests.page.conftest import application, lone_session
from tests.page.test_export_form import NEEDED
from tests.pairs import sample

EXPORTS = load().exports
LONG = 60
"""Seconds at most for an export from the sandbox."""


def exported(session: PageSession, client: FlaskClient, kind: str, **form: str) -> TestResponse:
    """The page of an export that is over."""
    answer = client.post(f"/en/exports/{kind}", data={**NEEDED.get(kind, {}), **form})
    assert answer.status_code == 303, answer.text
    job = session.jobs.of(EXPORT + answer.location.rpartition("/")[2])
    assert job is not None
    job.wait(LONG)
    return client.get(answer.location)


def downloaded(client: FlaskClient, page: TestResponse, what: str = "file") -> TestResponse:
    """The download of an export's page."""
    return client.get(f"{page.request.path}/{what}", buffered=True)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageSession]:
    """A session with a new sandbox; exports without a cursor change nothing."""
    with lone_session(tmp_path_factory.mktemp("fresh")) as session:
        yield session


@pytest.fixture
def looking(fresh: PageSession) -> FlaskClient:
    """A client of this session."""
    return application(fresh).test_client()


def test_every_kind_is_offered_below_its_area(looking: FlaskClient) -> None:
    text = looking.get("/en/exports").text
    for area in load().areas:
        assert (f"<h2>{area.title}</h2>" in text) == bool(area.exports())
    for kind in EXPORTS:
        assert f'href="/en/exports/{kind}"' in text
        assert looking.get(f"/en/exports/{kind}").status_code == 200


FIRST = ("offers", "journal", "operations", "returns", "discussions", "report-documents")
"""None at first, in another format, of a month, of returns and with texts to be sent back, and with
files."""
KINDS = (*FIRST, *(kind for kind in EXPORTS if kind not in FIRST))


@pytest.mark.parametrize("kind", sample(KINDS, len(FIRST)))
def test_a_list_of_a_fresh_sandbox(fresh: PageSession, looking: FlaskClient, kind: str) -> None:
    """The command's test in `areas` brings every kind."""
    client = looking
    page = exported(fresh, client, kind)
    assert page.status_code == 200, page.text
    files = [file for file in fresh.uploads.files() if page.request.path.endswith(f"/{file.id}")]
    if not files:  # an account that has just begun
        assert f'href="/en/exports/{kind}"' in page.text
        return
    (file,) = files
    content = downloaded(client, page)
    assert content.data == fresh.uploads.input(file).path.read_bytes()
    assert content.headers["Content-Disposition"] == f"attachment; filename={file.name}"
    assert f'href="{page.request.path}"' in client.get("/en/exports").text
    if EXPORTS[kind].is_sent_back:
        assert_goes_back(fresh, client, page, content.data)


def assert_goes_back(
    session: PageSession, client: FlaskClient, page: TestResponse, sheet: bytes
) -> None:
    """Assert that a sheet is read without an error as what its page says."""
    sent_as = re.search(r"It goes back as ([\w-]+):", page.text)
    assert sent_as, page.text
    answer = client.put("/en/files/sheet.xlsx", data=sheet)
    file = session.uploads.file(answer.get_json()["id"])
    job = session.jobs.of(check_key(file))
    assert job is not None
    job.wait(LONG)
    with grid_of(session, file) as grid:
        assert [sheet.kind for sheet in grid.sheets] == [sent_as[1]]
        assert [group for group in grid.groups(0) if group.severity == "error"] == []


@pytest.mark.parametrize("ending", [".xlsx", ".csv"])
def test_the_file_has_the_form_and_the_language_that_were_asked_for(
    fresh: PageSession, looking: FlaskClient, ending: str
) -> None:
    answer = looking.post("/fr/exports/orders", data={"ending": ending})
    job = fresh.jobs.of(EXPORT + answer.location.rpartition("/")[2])
    assert job is not None
    job.wait(LONG)
    content = looking.get(f"{answer.location}/file", buffered=True)
    assert content.headers["Content-Disposition"] == f"attachment; filename=orders{ending}"
    if ending == ".csv":
        assert content.text.startswith("\ufefforderId,")
    else:
        assert "Commandes" in load_workbook(io.BytesIO(content.data)).sheetnames


def test_filters_choose_rows(fresh: PageSession, looking: FlaskClient) -> None:
    every = exported(fresh, looking, "orders", ending=".csv")
    shipped = exported(fresh, looking, "orders", ending=".csv", status="Shipped")
    lines = [row["lineId"] for row in rows_of(downloaded(looking, every)) if is_shipped(row)]
    assert lines
    assert [row["lineId"] for row in rows_of(downloaded(looking, shipped))] == lines


def is_shipped(row: Mapping[str, str]) -> bool:
    return row["status"] == "Shipped"


def rows_of(answer: TestResponse) -> list[dict[str, str]]:
    text = answer.data.decode("utf-8-sig")
    return [*csv.DictReader(io.StringIO(text), delimiter=csv.Sniffer().sniff(text).delimiter)]


WRONG = [
    ({"status": "Lost"}, "some fields are not right"),
    ({"country": ","}, "--country names nothing"),
    ({"since": "soon"}, 'aria-invalid="true"'),
]


def test_wrong_fields_are_reported_without_a_request(
    session: PageSession, client: FlaskClient
) -> None:
    for form, says in WRONG:
        answer = client.post("/en/exports/orders", data={**form, "reference": "kept as it was"})
        assert (answer.status_code, says in answer.text) == (422, True), answer.text
        assert "kept as it was" in answer.text
        assert not session.uploads.files()
        assert not (session.uploads.folder("..") / "sandbox.sqlite").exists()


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("GET", "/en/exports/toys", 404),
        ("POST", "/en/exports/toys", 404),
        ("GET", "/en/exports/orders?account=shop", 422),
        ("POST", "/en/exports/orders?ending=.exe", 422),
        ("GET", "/en/exports/orders/0123456789abcdef", 404),
        ("GET", "/en/exports/orders/0123456789abcdef/file", 404),
        ("GET", "/en/exports/orders/0123456789abcdef/documents", 404),
    ],
)
def test_unknown_exports_are_refused(
    looking: FlaskClient, method: str, address: str, status: int
) -> None:
    path, _, query = address.partition("?")
    words = dict([query.split("=")]) if query else {}
    fields = {"data": words} if method == "POST" else {"query_string": words}
    assert looking.open(path, method=method, **fields).status_code == status  # type: ignore[arg-type]


def test_new_items_come_once_and_a_look_takes_none(
    session: PageSession, client: FlaskClient
) -> None:
    steps = [
        ({"cursor": "new", "peek": "on"}, "45 rows"),
        ({"cursor": "new"}, "45 rows"),
        ({"cursor": "new"}, "Nothing is new"),
        ({"cursor": "new", "reader": "anna"}, "45 rows"),
        ({}, "45 rows"),
    ]
    for form, says in steps:
        assert says in exported(session, client, "orders", **form).text


def test_files_beside_a_list_come_in_a_zip_with_it(
    fresh: PageSession, looking: FlaskClient
) -> None:
    page = exported(fresh, looking, "return-labels")
    answer = downloaded(looking, page, "documents")
    assert answer.headers["Content-Disposition"] == "attachment; filename=return-labels.zip"
    with ZipFile(io.BytesIO(answer.data)) as archive:
        named = {row["file"] for row in rows_of(downloaded(looking, page))}
        assert {*archive.namelist()} == {"return-labels.csv", *named}
    assert named
    assert "Edit it" not in page.text


@pytest.mark.parametrize(
    ("may", "profiles", "status"),
    [(("check",), ("sandbox",), 303), ((), ("sandbox",), 403), (("check",), (), 404)],
)
def test_rights_to_export(
    fresh: PageSession, may: tuple[str, ...], profiles: tuple[str, ...], status: int
) -> None:
    rights = {"anna": PageRights(profiles, may)}
    client = application(replace(fresh, users=Users("", rights))).test_client()
    answer = client.post("/en/exports/channels", environ_overrides={USER: "anna"})
    assert answer.status_code == status


def test_exports_of_a_hidden_account_are_hidden(fresh: PageSession) -> None:
    page = exported(fresh, application(fresh).test_client(), "channels")
    other = application(
        replace(fresh, users=Users("", {"eve": PageRights(("shop",))}))
    ).test_client()
    environ = {USER: "eve"}
    path = page.request.path
    for address in (path, f"{path}/file", f"{path}/documents"):
        assert other.get(address, environ_overrides=environ).status_code == 404
    assert "channels.xlsx" not in other.get("/en/exports", environ_overrides=environ).text
