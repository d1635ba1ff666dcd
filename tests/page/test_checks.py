"""A check in the browser is the command's: the same copies, byte for byte."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from flask.testing import FlaskClient

from feedtool.cli import run
from feedtool.model.errors import CannotWrite
from feedtool.model.sheet import INVALID
from feedtool.page.checks import COPY, check_file, grid_of, is_checked
from feedtool.page.jobs import Job
from feedtool.page.routes import files as routes
from feedtool.page.session import PageSession
from feedtool.page.uploads import Choices, FileUpload
from tests.conftest import Files, checked, offer, table
from tests.page.conftest import LOOK, SAMPLES, settled, upload_file
from tests.pairs import sample

FILES = ("offers-mistakes.xlsx", "offers-fr.csv", "legacy-offers.xlsx", "offers-update.xlsx")


@pytest.mark.parametrize("name", sample(FILES, 2))
def test_the_copies_of_a_file_are_those_of_validate(
    client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    words = ["--annotate", "--report", "report.json", "--language", "fr"]
    run(["validate", name, *words, "--home", str(tmp_path / "home")])
    (written,) = tmp_path.glob("*.result.*")
    file = upload_file(client, SAMPLES / name)
    answer = settled(client, f"/fr/files/{file}/copies/marked")
    assert answer.headers["Content-Disposition"].endswith(written.name)
    assert answer.data == written.read_bytes()
    answer = settled(client, f"/fr/files/{file}/copies/json")
    told = (tmp_path / "report.json").read_bytes()
    assert answer.data == re.sub(rb'(?<="annotated": )".*"', b"null", told)


def counts(path: Path) -> tuple[int, int]:
    """The number of rows of a file, and of its invalid ones."""
    (sheet,) = checked(path)
    return sheet.size, sheet.rows.marks.count(INVALID)


def test_rows_to_correct_come_in_a_workbook_that_can_be_brought_back(
    client: FlaskClient, tmp_path: Path
) -> None:
    brought, failed = tmp_path / "mistakes.csv", tmp_path / "mistakes.failed.xlsx"
    brought.write_text(INVALID_ROW, "utf-8")
    answer = settled(client, f"/en/files/{upload_file(client, brought)}/copies/failed")
    assert answer.headers["Content-Disposition"].endswith(failed.name)
    failed.write_bytes(answer.data)
    assert (counts(brought), counts(failed)) == ((2, 1), (1, 1))


def test_there_is_no_such_workbook_where_every_row_is_valid(client: FlaskClient) -> None:
    file = upload_file(client, SAMPLES / "offers-update.xlsx")
    answer = settled(client, f"/en/files/{file}/copies/failed")
    assert "no row of this file is to be corrected" in answer.text


def test_the_page_that_waits_for_a_copy_is_not_saved_as_the_copy(
    client: FlaskClient, session: PageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = upload_file(client, SAMPLES / "offers-update.xlsx")
    address, written = f"/en/files/{file}/copies/csv", Event()
    assert f'href="{address}" data-download' in settled(client, f"/en/files/{file}").text
    job = session.jobs.start(f"{COPY}{file}  en csv", "check", lambda _: hold(written))
    with monkeypatch.context() as hasty:
        hasty.setattr(routes, "SOON", LOOK)
        waiting = client.get(address)
    assert (waiting.status_code, waiting.headers.get("Content-Disposition")) == (202, None)
    written.set()
    job.wait(30)  # it has written nothing: the copy is another job's
    assert "attachment" in settled(client, address).headers["Content-Disposition"]


def hold(written: Event) -> None:
    written.wait(30)


VALID, INVALID_ROW = table([offer(1)]), table([offer(1), offer(2, quantity="many")])
OFFERED: dict[str, tuple[bytes, list[str]]] = {
    # What the page of a file offers beside the reports.
    "broken.xlsx": (b"PK\3\4 broken", []),
    "half.xlsx": ((SAMPLES / "offers-upsert.xlsx").read_bytes()[:9000], []),
    "blank.csv": (b"", []),
    "valid.csv": (VALID.encode(), ["marked"]),
    "mistakes.csv": (INVALID_ROW.encode(), ["marked", "failed"]),
}


@pytest.mark.parametrize("name", OFFERED)
def test_all_offered_copies_of_a_file_exist(client: FlaskClient, tmp_path: Path, name: str) -> None:
    content, offered = OFFERED[name]
    (tmp_path / name).write_bytes(content)
    file = upload_file(client, tmp_path / name)
    page = settled(client, f"/en/files/{file}")
    assert (page.status_code, name in page.text) == (200, True)
    links = re.findall(r'href="(.*?/copies/.*?)"', page.text)
    assert [link.rpartition("/")[2] for link in links] == [*offered, "html", "csv", "json"]
    assert {settled(client, link).status_code for link in links} == {200}
    marked = settled(client, f"/en/files/{file}/copies/marked")
    assert marked.status_code == (200 if offered else 422), marked.text


def test_a_file_with_broken_facts_is_reported(client: FlaskClient, session: PageSession) -> None:
    broken, whole = (upload_file(client, SAMPLES / name) for name in FILES[:2])
    (session.uploads.folder(broken) / "facts.json").write_bytes(b'{"id":')
    answer = client.get(f"/en/files/{broken}")
    assert (answer.status_code, "cannot be read" in answer.text) == (404, True), answer.text
    first = client.get("/en/").text
    assert [file in first for file in (broken, whole)] == [False, True]


@pytest.mark.parametrize("cell", ["{folder}/secret.pdf", "../x.pdf", "secret.pdf"])
def test_a_cell_opens_no_file_of_the_server(
    client: FlaskClient, session: PageSession, tmp_path: Path, cell: str
) -> None:
    for name in ("secret.pdf", "../x.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-1.4 secret")
    sheet = tmp_path / "invoices.csv"
    sheet.write_text(f"orderId;file\n1;{cell.format(folder=tmp_path)}\n", "utf-8")
    assert run(["validate", str(sheet), "--as", "invoices", "--home", str(tmp_path / "other")]) == 0
    file = session.uploads.file(upload_file(client, sheet))
    for name in ("x.pdf", "secret.pdf"):
        (session.uploads.folder(file.id) / name).write_bytes(b"%PDF-1.4 secret")
    session.uploads.choose(file, Choices(kind="invoices"), is_read_anew=True)
    assert "file-not-found" in settled(client, f"/en/files/{file.id}/copies/csv").text


class InterruptedJob(Job):
    """A check in which somebody chooses something else at its so many-th word."""

    def __init__(self, act: Callable[[], object], at: int) -> None:
        super().__init__(Event())
        self._act, self._left = act, at

    def report(self, text: str, done: int = 0, total: int = 0) -> None:
        super().report(text, done, total)
        self._come()

    def count(self, rows: int) -> None:
        super().count(rows)
        self._come()

    def _come(self) -> None:
        self._left -= 1
        if not self._left:
            self._act()


@pytest.mark.parametrize("at", [0, 1, 2], ids=["before it", "at its start", "in its midst"])
def test_findings_by_earlier_choices_are_not_shown(
    client: FlaskClient, session: PageSession, files: Files, at: int
) -> None:
    before = session.uploads.file(upload_file(client, files.csv(offer(1))))
    settled(client, f"/en/files/{before.id}")

    def choose() -> FileUpload:
        return session.uploads.choose(before, Choices(kind="offers-update"), is_read_anew=True)

    if not at:
        choose()
    with suppress(CannotWrite):
        check_file(session, before, InterruptedJob(choose, at))
    present = session.uploads.file(before.id)
    assert present.choices.kind == "offers-update"
    assert not is_checked(session, present)
    settled(client, f"/en/files/{before.id}")
    with grid_of(session, present) as grid:
        assert [sheet.kind for sheet in grid.sheets] == ["offers-update"]


def test_findings_put_in_place_after_a_choice_are_not_shown(
    client: FlaskClient, session: PageSession, files: Files
) -> None:
    """A check had compared the choices just before."""
    before = session.uploads.file(upload_file(client, files.csv(offer(1))))
    settled(client, f"/en/files/{before.id}")
    found = session.uploads.grid(before).read_bytes()
    present = session.uploads.choose(before, Choices(kind="offers-update"), is_read_anew=True)
    session.uploads.grid(before).parent.mkdir()
    session.uploads.grid(before).write_bytes(found)
    assert not is_checked(session, present)
    session.uploads.choose(present, present.choices, is_read_anew=True)
    assert not session.uploads.grid(before).exists()
