"""Files beside a sheet: found only by their names, for any cell, and within limits."""

import io
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import NotLocated
from feedtool.page import attachments
from feedtool.page.attachments import NamedFacts, NamedFiles, add, facts_in, key_of, named_in
from feedtool.page.uploads import FileTooLarge
from tests.areas.invoices.made_invoices import zipped

MOST = 1000
LIMITS = ReadingLimits()
CANARY = "canary.txt"
NAMED, FACTS = "named", "named.json"
"""Names in the folder of a sheet."""


def lay(folder: Path, name: str, content: bytes = b"x", limits: ReadingLimits = LIMITS) -> None:
    folder.mkdir(exist_ok=True)
    add(folder / NAMED, name, io.BytesIO(content), limits, MOST)


def files_of(sheet: Path) -> NamedFiles:
    return NamedFiles(sheet / NAMED, sheet / FACTS)


def names(folder: Path) -> list[str]:
    return [place.name for place in named_in(folder / NAMED)]


def content_named(files: NamedFiles, cell: str) -> str | None:
    """The content of the file that a cell names, or None."""
    try:
        return files(Path() / cell).read_text("utf-8")
    except NotLocated:
        return None


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        *(("a.pdf", "a.pdf"), ("invoices/a.pdf", "a.pdf"), ("C:\\Factures\\a.pdf", "a.pdf")),
        *(("march.zip/a.pdf", "a.pdf"), ("A.PDF", "a.pdf"), ("Re\u0301f.pdf", "Réf.pdf")),
        *(("./a.pdf", "a.pdf"), ("10:30.pdf", "10:30.pdf"), ("/etc/passwd", "passwd")),
    ],
)
def test_a_cell_finds_a_file_only_by_its_name(tmp_path: Path, cell: str, name: str) -> None:
    lay(tmp_path, name, b"this")
    assert content_named(files_of(tmp_path), cell) == "this"


@pytest.mark.parametrize(
    "cell", ["b.pdf", "a.pdf/b.pdf", "a", "..", ".", "/", "\0", "a.pdf/..", ""]
)
def test_files_not_brought_are_not_found(tmp_path: Path, cell: str) -> None:
    lay(tmp_path, "a.pdf")
    assert content_named(files_of(tmp_path), cell) is None


def test_a_link_is_no_file_that_was_brought(tmp_path: Path) -> None:
    lay(tmp_path, "a.pdf")
    (tmp_path / CANARY).write_text("secret")
    (tmp_path / NAMED / "b.pdf").symlink_to(tmp_path / CANARY)
    assert names(tmp_path) == ["a.pdf"]
    assert content_named(files_of(tmp_path), "b.pdf") is None


def test_named_and_present_files_are_recorded(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf", "other.pdf"):
        lay(tmp_path, name)
    files = files_of(tmp_path)
    for cell in ("x/a.pdf", "x/A.pdf", "b.pdf", "c.pdf", "d.pdf", "c.pdf"):
        content_named(files, cell)
    assert files.keep_facts()
    assert facts_in(tmp_path / FACTS) == NamedFacts(4, ("c.pdf", "d.pdf"), {}, ("other.pdf",))
    assert not facts_in(tmp_path / FACTS).is_whole


def test_files_of_one_name_in_several_folders_are_ambiguous(tmp_path: Path) -> None:
    """Else one customer would get the invoice of another."""
    lay(tmp_path, "a.pdf")
    first, cells = files_of(tmp_path), ("march/a.pdf", "april/a.pdf")
    assert [content_named(first, cell) for cell in cells] == ["x", None]
    assert not first.keep_facts()  # the first was found out too late
    again = files_of(tmp_path)
    assert [content_named(again, cell) for cell in cells] == [None, None]
    assert again.keep_facts()
    assert facts_in(tmp_path / FACTS) == NamedFacts(2, (), {"a.pdf": cells})


def test_the_same_name_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    lay(tmp_path, "a.pdf", b"old")
    lay(tmp_path, "A.pdf", b"new")
    assert (names(tmp_path), content_named(files_of(tmp_path), "a.pdf")) == (["A.pdf"], "new")


def test_a_zip_yields_files_without_those_of_programs(tmp_path: Path) -> None:
    inner = {"a.pdf": b"1", "x\\y/b.pdf": b"2", "__MACOSX/._a.pdf": b"", "x/.DS_Store": b""}
    lay(tmp_path, "March.ZIP", zipped(inner))
    assert names(tmp_path) == ["a.pdf", "b.pdf"]
    assert {path.name for path in tmp_path.iterdir()} == {NAMED}


@pytest.mark.parametrize(
    ("name", "content", "kind", "says"),
    [
        ("a.zip", zipped({"x/a.pdf": b"", "y/A.pdf": b""}), UsageProblem, "two files A.pdf"),
        ("a.zip", zipped({"../a.pdf": b""}), UsageProblem, "../a.pdf"),
        ("a.zip", zipped({".a": b""}), UsageProblem, "a.zip holds no file"),
        ("a.zip", b"PK\3\4", UsageProblem, "a.zip cannot be unpacked"),
        ("a.zip", zipped({"a": bytes(600), "b": bytes(600)}), FileTooLarge, "together"),
        ("a.zip", bytes(MOST + 1), FileTooLarge, "a.zip has more than"),
        ("a.pdf", bytes(300), FileTooLarge, "a.pdf has more than"),
        ("a.zip", zipped({"b.pdf": bytes(300)}), FileTooLarge, "b.pdf has more than"),
        ("a.zip", zipped({str(number): b"" for number in range(4)}), UsageProblem, "4 files"),
        ("..", b"", UsageProblem, "no name"),
    ],
)
def test_refused_files_change_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes,
    kind: type[FeedtoolError],
    says: str,
) -> None:
    monkeypatch.setattr(attachments, "LARGEST", 250)
    monkeypatch.setattr(attachments, "MOST_FILES", 4)
    lay(tmp_path, "there.pdf")
    with pytest.raises(kind) as caught:
        lay(tmp_path, name, content)
    assert says in f"{caught.value.message} {caught.value.hint}"
    assert names(tmp_path) == ["there.pdf"]
    assert {path.name for path in tmp_path.iterdir()} == {NAMED}


def test_all_files_together_have_a_limit(tmp_path: Path) -> None:
    lay(tmp_path, "a.pdf", bytes(600))
    lay(tmp_path, "a.pdf", bytes(MOST))  # in the place of the other
    with pytest.raises(FileTooLarge):
        lay(tmp_path, "b.pdf", b"1")
    assert names(tmp_path) == ["a.pdf"]


def test_a_zip_with_too_large_contents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="more than 0 MiB"):
        lay(tmp_path, "a.zip", zipped({"a": bytes(9)}), ReadingLimits(total=5))
    assert names(tmp_path) == []


PARTS = st.one_of(
    st.sampled_from(
        [
            *("", ".", "..", "...", "/", "\\", "C:", "\\\\host", "~", "%2e%2e", "\0", CANARY),
            *(
                "a.pdf",
                "a.zip",
                NAMED,
                "named.json",
                "NUL",
                "etc",
                "passwd",
                "ID",
                "\u202e",
                "x" * 300,
            ),
        ]
    ),
    st.text(max_size=8),
)
NAMES = st.builds(
    lambda parts, between: between.join(parts), st.lists(PARTS, max_size=6), st.sampled_from("/\\")
)
SOME = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PLENTY = settings(SOME, max_examples=200)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """The folder of a sheet on the shelf, with secrets in it and all around."""
    folder = tmp_path / "page" / "ID"
    folder.mkdir(parents=True)
    for place in (tmp_path, tmp_path / "page", folder):
        for name in (CANARY, "passwd", "facts.json", "a.pdf"):
            (place / name).write_text("secret")
    return folder


def assert_stays_in_its_folder(sheet: Path, tmp_path: Path, name: str) -> None:
    """Brings a file of this name, and a ZIP with it: nothing around the folder changes."""
    before = {path for path in tmp_path.rglob("*") if NAMED not in path.parts}
    in_zip = name.partition("\0")[0] or "x"  # a ZIP is written so
    for given_name, content in ((name, b"brought"), ("a.zip", zipped({in_zip: b"brought"}))):
        with suppress(FeedtoolError):
            lay(sheet, given_name, content)
    after = {path for path in tmp_path.rglob("*") if NAMED not in path.parts}
    assert after == before
    assert all(path.parent == sheet / NAMED for path in named_in(sheet / NAMED))
    assert {path.read_text() for path in before if path.is_file()} == {"secret"}


@SOME
@given(NAMES)
@example("../../canary.txt")
@example("..")
def test_no_name_leads_out_of_the_folder(sheet: Path, tmp_path: Path, name: str) -> None:
    assert_stays_in_its_folder(sheet, tmp_path, name)


def assert_opens_only_what_was_brought(
    sheet: Path, tmp_path: Path, brought: str, cell: str
) -> None:
    """Brings a file of one name, and looks for what a cell with the other names."""
    with suppress(FeedtoolError):
        lay(sheet, brought, b"brought")
    files = files_of(sheet)
    for text in (cell, brought, f"{tmp_path}/{cell}", f"{sheet}/{cell}"):
        assert content_named(files, text) in {None, "brought"}


@SOME
@given(NAMES, NAMES)
@example("/etc/passwd", "../../canary.txt")
def test_no_cell_opens_a_file_that_was_not_brought(
    sheet: Path, tmp_path: Path, brought: str, cell: str
) -> None:
    assert_opens_only_what_was_brought(sheet, tmp_path, brought, cell)


@pytest.mark.long
@PLENTY
@given(NAMES, NAMES)
def test_no_name_of_many_reaches_another_file(
    sheet: Path, tmp_path: Path, brought: str, cell: str
) -> None:
    assert_stays_in_its_folder(sheet, tmp_path, cell)
    assert_opens_only_what_was_brought(sheet, tmp_path, brought, cell)


@pytest.mark.parametrize("name", ["", "..", "/", "\\", "a" + "." + "x" * 300])
def test_invalid_names_have_no_key(name: str) -> None:
    assert key_of(name) == ""
