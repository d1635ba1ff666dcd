import pytest

from feedtool.model.settings import AccountSettings
from tests.conftest import Files, checked, offer, table, told

CODE = "encoding-guessed"

ACCENTED = table([offer(sellerExternalReference="Été-1")])

PASSES = {
    "ASCII": table([offer()]).encode(),
    "UTF-8": ACCENTED.encode(),
    "UTF-8, marked": ACCENTED.encode("utf-8-sig"),
    "UTF-16, marked": ACCENTED.encode("utf-16"),
}


@pytest.mark.parametrize("content", PASSES.values(), ids=PASSES)
def test_passes(files: Files, content: bytes) -> None:
    (sheet,) = checked(files.text(content))
    assert sheet.error is None
    assert told(sheet, CODE) == []


@pytest.mark.parametrize(
    ("encoding", "read_as"), [("cp1252", "cp1252"), ("latin-1", "cp1252"), ("cp1250", "cp1250")]
)
def test_fails_once_and_shows_what_was_decoded(files: Files, encoding: str, read_as: str) -> None:
    path = files.text(table([offer(sellerExternalReference="Dépôt-1")]).encode(encoding))
    (sheet,) = checked(path, dialect=AccountSettings(csv_fallback=read_as))
    (problem,) = told(sheet, CODE)
    assert (problem.row, problem.severity) == (None, "warning")
    assert read_as in problem.message
    assert "Dépôt" in problem.message
    assert [item.reference for item in sheet.items] == ["Dépôt-1"]
