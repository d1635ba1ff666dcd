"""The files that cells name, as a run keeps them, and as they are read again."""

from hashlib import sha256
from pathlib import Path

import pytest

from feedtool.model.settings import NotLocated
from feedtool.runs.run_record import NOWHERE, KeptFiles, RecordedFiles
from tests.areas.invoices.made_invoices import zipped

CONTENTS = {"a.pdf": b"a", "m.zip": zipped({"x/b.pdf": b"b"})}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what is kept; the files lie in the present one, and in another."""
    monkeypatch.chdir(tmp_path)
    for folder in (Path(), Path("elsewhere")):
        folder.mkdir(exist_ok=True)
        for name, content in CONTENTS.items():
            (folder / name).write_bytes(content)
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept"


def recorded(kept: Path) -> RecordedFiles:
    def keep(path: Path) -> str:
        name = sha256(path.read_bytes()).hexdigest()
        (kept / name).write_bytes(path.read_bytes())
        return name

    return RecordedFiles(keep, kept.joinpath)


@pytest.mark.parametrize(
    ("named", "inside"), [("a.pdf", ""), ("./a.pdf", ""), ("m.zip/x/b.pdf", "x/b.pdf")]
)
@pytest.mark.parametrize("folder", ["", "elsewhere"])
def test_a_kept_file_is_found_by_the_path_of_its_cell(
    kept: Path, folder: str, named: str, inside: str
) -> None:
    files = recorded(kept)
    files.allowed = Path(folder).joinpath
    place = files(Path(named))
    name = sha256(CONTENTS[Path(named).parts[0]]).hexdigest()
    assert (place, files.kept) == (kept / name / inside, {Path(named).parts[0]: name})
    assert KeptFiles(files.kept, kept.joinpath)(Path(named)) == place


def test_a_file_absent_then_stays_absent(kept: Path) -> None:
    files = recorded(kept)
    assert files(Path("b.pdf")) == Path("b.pdf")
    Path("b.pdf").write_bytes(b"later")
    assert KeptFiles(files.kept, kept.joinpath)(Path("b.pdf")) == NOWHERE


def test_a_forbidden_file_is_not_kept(kept: Path) -> None:
    def allowed(_: Path) -> Path:
        raise NotLocated("not here", "bring it")

    files = recorded(kept)
    files.allowed = allowed
    with pytest.raises(NotLocated):
        files(Path("a.pdf"))
    assert (files.kept, [*kept.iterdir()]) == ({}, [])
