"""Output is safe with any text in a file, in its name or on the command line."""

import csv
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from feedtool.cli import run
from feedtool.cli.output import ProgressLines
from feedtool.delivery.events import Event
from feedtool.model.errors import Exit
from tests.cli.conftest import Ran, Terminal
from tests.corpus.made import Xml, data, package, parts, row
from tests.hostile import TEXTS, Structure, cells_of, is_calculated, steering

HEADERS = ("sku", "price", "quantity", "preparationTime")
FORMS = ("text", "json", "jsonl")
EXAMPLES = settings().max_examples
"""Examples of a property in this run; each of these takes long."""


def printed(*arguments: str, is_terminal: bool = False) -> Ran:
    """The output of a command, checked for control characters."""
    out, err = Terminal(is_terminal=is_terminal), Terminal(is_terminal=is_terminal)
    with redirect_stdout(out), redirect_stderr(err):
        code = run(arguments)
    assert code != Exit.BUG, err.shown()
    for text in (out.shown(), err.shown()):
        assert steering(text, is_terminal=is_terminal) == set()
        assert "Traceback" not in text
    return Ran(code, out.shown(), err.shown())


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder for each example, the working one meanwhile."""
    before, path = Path.cwd(), Path(mkdtemp(dir=Path.cwd()))
    os.chdir(path)
    try:
        yield path
    finally:
        os.chdir(before)
        shutil.rmtree(path)


def xml_text(text: str) -> str:
    """The text of a cell, with `_x001B_` for characters that XML cannot hold."""
    safe = text.replace("_x", "_x005F_x").encode("utf-16", "surrogatepass")
    letters = safe.decode("utf-16", "replace")
    return (
        escape("".join(f"_x{ord(one):04X}_" if one < " " else one for one in letters))
        .replace("\ufffe", "_xFFFE_")
        .replace("\uffff", "_xFFFF_")
    )


def book_of(text: str) -> bytes:
    """A workbook with this text as the sheet's name, as headers and as values."""
    held = Xml(f' t="inlineStr"><is><t xml:space="preserve">{xml_text(text)}</t></is>')
    rows = row(1, [*HEADERS, held]) + row(2, [held] * 6) + row(3, ["S-1", "9.99", "1"])
    name = "".join(one if one >= " " else "_" for one in text.replace("\ufffe", "_"))
    name = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    sheet = quoteattr(name, {'"': "&quot;"})[1:-1]
    return package(parts({sheet: data(rows)}))


def csv_of(text: str) -> bytes:
    """A CSV with this text as headers and as values."""
    out = io.StringIO()
    rows = ([*HEADERS, text, "x"], [text] * 6, ["S-1", "9.99", "1", "", "", ""])
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)
    return out.getvalue().replace("\0", "\ufffd").encode("utf-8", "replace")


def path_named(text: str, suffix: str) -> str:
    """The path of a file with this name, as far as a file system allows."""
    name = text.replace("/", "_").replace("\0", "_")[:60] + suffix
    with suppress(UnicodeEncodeError):
        os.fsencode(name)
        return f"./{name}"
    return f"./{name.encode('utf-8', 'replace').decode()}"


HOSTILE_FILES: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "form": st.sampled_from(FORMS),
    "report": st.sampled_from(["r.csv", "r.html", "r.json"]),
    "is_terminal": st.booleans(),
}
MAKERS = pytest.mark.parametrize(("make", "suffix"), [(book_of, ".xlsx"), (csv_of, ".csv")])


@settings(max_examples=EXAMPLES // 7)
@given(**HOSTILE_FILES)
@example(text="\x1b[2J\u202e", form="text", report="r.html", is_terminal=True)
@example(text="a\n\ufeffb", form="jsonl", report="r.csv", is_terminal=False)
@MAKERS
def test_a_hostile_file_is_reported_and_annotated(
    make: Callable[[str], bytes],
    suffix: str,
    text: str,
    form: str,
    report: str,
    *,
    is_terminal: bool,
) -> None:
    check_hostile_file(make, suffix, text, form, report, is_terminal=is_terminal)


@pytest.mark.long
@settings(max_examples=EXAMPLES // 3)
@given(**HOSTILE_FILES)
@MAKERS
def test_many_hostile_files_are_reported_and_annotated(
    make: Callable[[str], bytes],
    suffix: str,
    text: str,
    form: str,
    report: str,
    *,
    is_terminal: bool,
) -> None:
    check_hostile_file(make, suffix, text, form, report, is_terminal=is_terminal)


def check_hostile_file(
    make: Callable[[str], bytes],
    suffix: str,
    text: str,
    form: str,
    report: str,
    *,
    is_terminal: bool,
) -> None:
    assume("feedtool" not in text)  # such a column is ours, and replaced
    with folder():
        path = Path(path_named(text, suffix))
        path.write_bytes(make(text))
        told = printed(
            *("validate", f"./{path}", "--as", "offers-update", "--explain-columns", "-v"),
            *("--format", form, "--out", f"copy{suffix}", "--report", report),
            is_terminal=is_terminal,
        )
        assert told.code in {Exit.OK, Exit.ROWS, Exit.FILE}, told
        assert_parses(told.out, form)
        assert_is_safe(Path(report).read_text("utf-8-sig"), report)
        if told.code != Exit.FILE:
            assert cells_of(Path(f"copy{suffix}"), end=6) == cells_of(path, end=6)
            assert_ours_are_texts(Path(f"copy{suffix}"))


def assert_parses(out: str, form: str) -> None:
    if form == "json":
        (only,) = json.loads(out)
        assert only["file"]
    elif form == "jsonl":
        assert [json.loads(line)["type"] for line in out.splitlines()][-1] == "summary"


def assert_is_safe(text: str, report: str) -> None:
    if report == "r.json":
        assert json.loads(text)
        return
    if report == "r.csv":
        fields = [field for record in csv.reader(io.StringIO(text)) for field in record]
        assert [field for field in fields if is_calculated(field)] == []
        return
    # `tests/report` compares its elements with those of a harmless page.
    assert Structure(text).others == ["doctype html"]


def assert_ours_are_texts(copy: Path) -> None:
    if copy.suffix == ".csv":
        with copy.open(encoding="utf-8", newline="") as file:
            ours = [field for record in csv.reader(file) for field in record[6:]]
        assert ours[:3] == ["feedtool status", "feedtool message", "feedtool code"]
        assert [field for field in ours if is_calculated(field)] == []
        return
    with zipfile.ZipFile(copy) as book:
        for name in book.namelist():
            content = book.read(name)
            assert b"<f>" not in content
            assert b"External" not in content


TYPED = {
    "a command": lambda text: [text],
    "a file": lambda text: ["validate", f"./{text}"],
    "a kind": lambda text: ["validate", "offers.csv", f"--as={text}"],
    "a sheet": lambda text: ["validate", "offers.csv", f"--sheet={text}"],
    "a form": lambda text: ["validate", "offers.csv", f"--format={text}"],
    "a report": lambda text: ["validate", "offers.csv", f"--report={text}.pdf"],
    "a report that is written": lambda text: ["validate", "offers.csv", f"--report={text}.csv"],
    "a copy": lambda text: ["validate", "offers.csv", f"--out={text}.csv"],
    "an option": lambda text: ["validate", "offers.csv", f"--{text}"],
    "a profile": lambda text: ["validate", "offers.csv", f"--profile={text}"],
    "a configuration": lambda text: ["validate", "offers.csv", f"--config=./{text}"],
    "a channel": lambda text: ["submit", "offers.csv", "--dry-run", f"--channel={text}"],
    "a folder": lambda text: ["submit", "offers.csv", "--dry-run", f"--requests=./{text}"],
    "a code": lambda text: ["explain", f"x{text}"],
    "a template": lambda text: ["template", f"x{text}"],
    "a template's place": lambda text: ["template", "offers-delete", f"--out=./{text}.xlsx"],
    "a setting": lambda text: ["config", "show", f"--seller={text}", f"--home=./{text}"],
    "a setting in JSON": lambda text: ["config", "show", f"--seller={text}", "--format=json"],
}
"""Texts on the command line, each of which is printed by something."""


EACH_TYPED = pytest.mark.parametrize("arguments", TYPED.values(), ids=TYPED)


@EACH_TYPED
@settings(max_examples=EXAMPLES // 15)  # the first is always the simplest
@given(text=TEXTS, is_terminal=st.booleans())
@example(text="\x1b[2J\u202e\n", is_terminal=True)
def test_typed_texts_are_printed_safely(
    arguments: Callable[[str], list[str]], text: str, *, is_terminal: bool
) -> None:
    check_typed(arguments, text, is_terminal=is_terminal)


@pytest.mark.long
@EACH_TYPED
@settings(max_examples=EXAMPLES // 4)
@given(text=TEXTS, is_terminal=st.booleans())
def test_many_typed_texts_are_printed_safely(
    arguments: Callable[[str], list[str]], text: str, *, is_terminal: bool
) -> None:
    check_typed(arguments, text, is_terminal=is_terminal)


def check_typed(arguments: Callable[[str], list[str]], text: str, *, is_terminal: bool) -> None:
    typed = text.replace("\0", "").replace("/", "")[:60].encode("utf-8", "replace").decode()
    with folder():
        Path("offers.csv").write_text("sku,price,quantity\nS-1,9.99,1\n", "utf-8")
        told = printed(*arguments(typed), is_terminal=is_terminal)
        assert told.code in set(Exit) - {Exit.BUG}


@given(text=TEXTS, is_terminal=st.booleans())
@example(text="\x1b[2J\u202e\n", is_terminal=True)
def test_progress_holds_no_control_characters(text: str, *, is_terminal: bool) -> None:
    out, seconds = io.StringIO(), iter(range(0, 1000, 60))
    lines = ProgressLines(out, lambda: float(next(seconds)), is_terminal=is_terminal)
    for told in (text, "done"):
        lines.show(Event("state", told, text, 1, text, text, 0, 1))
    lines.close()
    printed = out.getvalue()
    assert steering(printed.replace("\r", "") if is_terminal else printed) == set()
    assert printed.count("\n") == (0 if is_terminal else 2)
    assert max(map(len, printed.split("\r"))) < 80 or not is_terminal
