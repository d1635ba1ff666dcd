"""Files that come together: a sheet with what its cells name, or files alone that are its rows."""

import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from flask.testing import FlaskClient

from feedtool.cli import run
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from feedtool.page.bringing import index_of_sheet
from feedtool.page.checks import check_key
from feedtool.page.routes import files as routes
from feedtool.page.session import PageSession
from feedtool.page.uploads import Choices
from feedtool.runs.workspace import check_again, options_of
from tests.areas.invoices.made_invoices import pdf, ubl, zipped
from tests.page.conftest import SAMPLES, sent, settled, upload_file
from tests.pairs import sample

ORDERS = ("8716E011", "5503E014")
"""Orders of the embedded sandbox."""
INDEX = "orderId;file\n8716E011;march/118.pdf\n5503E014;C:\\Factures\\119.pdf\n"
FILES = {"118.pdf": pdf("118"), "119.pdf": pdf("119")}


def index(
    client: FlaskClient, session: PageSession, folder: Path, text: str = INDEX, **facts: str
) -> str:
    """Brings a list of invoices, and says that it is one; its id."""
    (folder / "index.csv").write_text(text, "utf-8")
    file = upload_file(client, folder / "index.csv", **facts)
    session.uploads.choose(session.uploads.file(file), Choices(kind="invoices"), is_read_anew=True)
    return file


def lay(client: FlaskClient, file: str, **files: bytes) -> None:
    """Brings files for the cells of another, each by its name with `_` for the point."""
    settled(client, f"/en/files/{file}")
    for key, content in files.items():
        name = key.lstrip("_").replace("_", ".")
        answer = client.put(f"/en/files/{file}/named/{name}", data=content)
        assert answer.status_code == 201, answer.text


def form_of(files: dict[str, bytes], **facts: str) -> dict[str, object]:
    return {"file": [(io.BytesIO(content), name) for name, content in files.items()], **facts}


def wait_for(done: Event) -> None:
    done.wait()


def codes_of(client: FlaskClient, file: str) -> list[str]:
    """The codes of the problems of a file."""
    settled(client, f"/en/files/{file}")
    text = settled(client, f"/en/files/{file}/copies/json").get_data(as_text=True)
    return re.findall(r'"code": "([a-z-]+)"', text)


@pytest.mark.parametrize(
    ("names", "place"),
    [
        (["a.pdf"], 0),
        (["a.pdf", "b.pdf"], 0),
        (["a.pdf", "b.CSV", "c.png"], 1),
        (["a.zip", "b.xlsx"], 1),
        (["a.xlsx"], 0),
    ],
)
def test_the_sheet_among_several_files(names: list[str], place: int) -> None:
    assert index_of_sheet(names) == place


@pytest.mark.parametrize(
    ("names", "says"),
    [(["a.xlsx", "b.csv"], "several tables"), (["x/a.pdf", "y/A.pdf"], "the same name")],
)
def test_files_that_cannot_come_together(names: list[str], says: str) -> None:
    with pytest.raises(UsageProblem, match=says):
        index_of_sheet(names)


def test_a_sheet_lists_missing_files_until_they_are_brought(
    client: FlaskClient, session: PageSession, tmp_path: Path
) -> None:
    file = index(client, session, tmp_path)
    page = settled(client, f"/en/files/{file}").text
    assert "Files that are missing: 2 of the 2 that cells name" in page
    assert '<li class="value">march/118.pdf</li>' in page
    assert codes_of(client, file) == ["file-not-found"] * 2
    lay(client, file, _118_pdf=FILES["118.pdf"])
    page = settled(client, f"/en/files/{file}").text
    assert "Files that are missing: 1 of the 2 that cells name" in page
    assert "march/118.pdf</li>" not in page
    lay(client, file, _119_pdf=FILES["119.pdf"], other_txt=b"x")
    page = settled(client, f"/en/files/{file}").text
    assert "All files that cells name are here: 2" in page
    assert '<li class="value">other.txt</li>' in page
    assert codes_of(client, file) == []


def test_files_are_sent_as_they_were_seen_and_kept_with_their_run(
    client: FlaskClient, session: PageSession, tmp_path: Path
) -> None:
    file = index(client, session, tmp_path)
    lay(client, file, all_zip=zipped(FILES))
    place = session.uploads.named(session.uploads.file(file)) / "118.pdf"
    changes: tuple[Callable[[], object], ...] = (
        lambda: place.write_bytes(pdf("another")),
        lambda: lay(client, file, _118_pdf=FILES["118.pdf"]),
    )
    for change in changes:
        plan = re.search(r"sha256:[0-9a-f]+", settled(client, f"/en/files/{file}/plan").text)
        assert plan
        change()
        client.post(f"/en/files/{file}/send", data={"plan": plan[0]})
        answer = settled(client, f"/en/files/{file}/sending")
        assert (answer.status_code, "have changed since you saw them" in answer.text) == (409, True)
        with session.workspace() as workspace:
            assert workspace.ledger.run_ids() == []
    number = sent(client, file)  # once it was seen anew
    shutil.rmtree(session.uploads.folder(file))
    assert settled(client, f"/en/runs/{number}").status_code == 200
    with session.workspace() as workspace:
        assert workspace.ledger.statuses(number) == {Status.SUCCESS: 2}
        options = options_of(number, workspace)
        assert list(options.snapshots.files) == ["march/118.pdf", "C:\\Factures\\119.pdf"]
        for name, sha256 in zip(FILES, options.snapshots.files.values(), strict=True):
            assert workspace.snapshots.path_of(sha256).read_bytes() == FILES[name]
        (sheet,) = check_again(options, workspace)  # as `resume` does where little is there
        assert (sheet.counts().valid, [*sheet.problems()]) == (2, [])


def test_a_corrected_sheet_keeps_the_files_of_the_one_before(
    client: FlaskClient, session: PageSession, tmp_path: Path
) -> None:
    first = index(client, session, tmp_path, INDEX.replace("5503E014", "(1)"))
    lay(client, first, all_zip=zipped(FILES))
    assert codes_of(client, first) == ["order-id-name"]
    (tmp_path / "index.csv").write_text(INDEX, "utf-8")
    second = upload_file(client, tmp_path / "index.csv", replaces=first)
    assert codes_of(client, second) == []
    lay(client, second, _118_pdf=b"no PDF")
    assert (codes_of(client, first), codes_of(client, second)) == (
        ["order-id-name"],
        ["invoice-type"],
    )


def test_a_zip_of_invoices_is_a_sheet_of_its_files(
    client: FlaskClient, session: PageSession
) -> None:
    file = upload_file(client, SAMPLES / "invoices.zip")
    assert session.uploads.file(file).name == "invoices.xlsx"
    assert codes_of(client, file) == ["order-id-name"]
    number = sent(client, file)
    with session.workspace() as workspace:
        counts = workspace.ledger.statuses(number)
    assert counts == {Status.SUCCESS: 3, Status.FAILURE: 1}  # the fifth was not sent


def test_invoices_without_a_sheet_are_a_growing_sheet(
    client: FlaskClient, session: PageSession, tmp_path: Path
) -> None:
    (tmp_path / "8716E011.pdf").write_bytes(pdf())
    file = upload_file(client, tmp_path / "8716E011.pdf")
    assert session.uploads.file(file).name == "invoices.xlsx"
    session.uploads.choose(session.uploads.file(file), Choices(rows={"": "3"}), is_read_anew=False)
    lay(client, file, _5503E014_xml=ubl(), note_txt=b"x")
    assert session.uploads.file(file).choices.rows == {}  # they have other numbers now
    assert codes_of(client, file) == ["invoice-type"]
    assert "Send 2 rows to the sandbox" in settled(client, f"/en/files/{file}/plan").text


def test_a_form_brings_all_at_once(client: FlaskClient, session: PageSession) -> None:
    given = form_of(
        {"5503E014.pdf": pdf(), "8716E011.xml": ubl(), "more.zip": zipped({"1.pdf": pdf()})}
    )
    answer = client.post("/fr/files", data=given)
    assert answer.status_code == 303
    (file,) = session.uploads.files()
    assert codes_of(client, file.id) == []
    with_sheet = form_of({"118.pdf": pdf(), "offers.csv": b"a;b\n1;2\n"})
    assert client.post("/en/files", data=with_sheet).status_code == 303
    newest, _ = session.uploads.files()
    assert (newest.name, newest.listed) == ("offers.csv", None)
    assert [path.name for path in (session.uploads.named(newest)).iterdir()] == ["118.pdf"]
    later = client.post(
        f"/en/files/{newest.id}/named", data=form_of({"a.png": b"1", "b.png": b"2"})
    )
    assert later.status_code == 303
    assert len([*(session.uploads.named(newest)).iterdir()]) == 3


# Werkzeug leaves what came before it was too much to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"a.csv": b"x", "b.xlsx": b"x"}, "These are several tables"),
        ({"a/1.pdf": b"x", "b/1.pdf": b"x"}, "have the same name"),
        ({f"{number}.pdf": b"x" for number in range(routes.AT_ONCE + 3)}, "put them into a ZIP"),
        ({}, "No file was chosen"),
    ],
)
def test_a_senseless_form_leaves_no_file(
    client: FlaskClient, session: PageSession, given: dict[str, bytes], says: str
) -> None:
    answer = client.post("/en/files", data=form_of(given))
    assert (answer.status_code, says.casefold() in answer.text.casefold()) == (422, True)
    assert session.uploads.files() == []


def test_damaged_invoices_leave_no_file(
    client: FlaskClient, session: PageSession, tmp_path: Path
) -> None:
    content = zipped({"a/1.pdf": pdf(), "b/1.pdf": pdf()})
    answer = client.put("/en/files/a.zip", data=content)
    assert (answer.status_code, "two files 1.pdf" in answer.text) == (422, True)
    assert session.uploads.files() == []
    assert [*(tmp_path / "home" / "page").iterdir()] == []


def test_no_file_is_brought_beside_a_sheet_during_its_check(
    client: FlaskClient, session: PageSession, tmp_path: Path
) -> None:
    file, done = index(client, session, tmp_path), Event()
    settled(client, f"/en/files/{file}")
    session.jobs.start(check_key(session.uploads.file(file)), "check", lambda _: wait_for(done))
    answer = client.put(f"/en/files/{file}/named/118.pdf", data=pdf())
    done.set()
    assert (answer.status_code, "being checked" in answer.text) == (422, True)


@pytest.mark.parametrize("way", sample(("page", "command"), 1))
def test_held_invoices_are_released_from_their_kept_files(
    client: FlaskClient,
    session: PageSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("march").mkdir()
    submit = ["submit", "march/index.csv", "--as", "invoices", "--sandbox", "--home", "home"]
    Path("march/118.pdf").write_bytes(pdf("first"))
    Path("march/index.csv").write_text("orderId;file\n8716E011;118.pdf\n", "utf-8")
    assert run(submit) == 0
    Path("march/118.pdf").write_bytes(pdf("second"))
    Path("march/119.pdf").write_bytes(pdf("new"))
    text = "orderId;file\n8716E011;118.pdf\n5503E014;119.pdf\n"
    Path("march/index.csv").write_text(text, "utf-8")
    if way == "command":
        assert run(submit) == 1
    else:
        file = index(client, session, tmp_path, text)
        lay(client, file, _118_pdf=pdf("second"), _119_pdf=pdf("new"))
        assert sent(client, file) == 2
        shutil.rmtree(session.uploads.folder(file))
    shutil.rmtree("march")
    name = re.search(r'name="file" value="([^"]+)"', settled(client, "/en/held").text)
    assert name
    given = {"run": "2", "file": name[1], "code": "invoice-replaces", "reason": "it is right"}
    answer = client.post("/en/held/release", data=given)
    assert answer.status_code == 303, answer.text
    number = sent(client, answer.location.split("/files/")[1].partition("/")[0])
    assert ">Success<" in settled(client, f"/en/runs/{number}").text
