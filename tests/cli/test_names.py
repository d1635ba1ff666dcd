"""Files whose names are too long, or no UTF-8: they work where they can, else a line says why."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import offer, table

NOT_UTF8 = os.fsdecode(b"caf\xe9")
LONG, LONGEST, TOO_LONG = ("x" * length for length in (244, 251, 300))
"""Of the first the copy fits, of the second the file itself, of the third nothing."""
WORK = {
    "not UTF-8": (["validate", f"{NOT_UTF8}.csv", "--annotate"], f"{NOT_UTF8}.result.csv"),
    "a long one": (["validate", f"{LONG}.csv", "--annotate"], f"{LONG}.result.csv"),
    "the longest": (["validate", f"{LONGEST}.csv"], ""),
    "the longest, copied elsewhere": (["validate", f"{LONGEST}.csv", "--out", "o.csv"], "o.csv"),
    "a plan": (["submit", "--dry-run", f"{NOT_UTF8}.csv", "--requests", "all"], "all"),
    "line breaks": (["submit", "--sandbox", "two\nlines.csv"], "two\nlines.result.csv"),
    "controls": (["submit", "--sandbox", "bell\x07\x1b[31m.csv"], "bell\x07\x1b[31m.result.csv"),
}
REFUSED = {
    "not UTF-8": (["submit", "--sandbox", f"{NOT_UTF8}.csv"], "not UTF-8"),
    "its folder": (["submit", "--sandbox", f"{NOT_UTF8}/a.csv"], "not UTF-8"),
    "its copy": (["submit", "--sandbox", "a.csv", "--out", f"{NOT_UTF8}.csv"], "not UTF-8"),
    "no room for the copy": (["submit", "--sandbox", f"{LONGEST}.csv"], "name is too long"),
    "no room for its check": (["validate", "--annotate", f"{LONGEST}.csv"], "name is too long"),
    "a copy too long": (["validate", "a.csv", "--out", f"{TOO_LONG}.csv"], "name is too long"),
    "sent, too long": (["submit", "--sandbox", f"{TOO_LONG}.csv"], "is too long"),
    "a template": (["template", "offers-update", "--out", f"{TOO_LONG}.xlsx"], "is too long"),
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    (tmp_path / NOT_UTF8).mkdir()
    names = ("a", NOT_UTF8, f"{NOT_UTF8}/a", LONG, LONGEST, "two\nlines", "bell\x07\x1b[31m")
    for name in names:
        (tmp_path / f"{name}.csv").write_text(table([offer()]))


@pytest.mark.parametrize(("arguments", "written"), WORK.values(), ids=WORK)
def test_it_works(feedtool: Feedtool, tmp_path: Path, arguments: list[str], written: str) -> None:
    ran = feedtool(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / written).exists()


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused(
    feedtool: Feedtool, tmp_path: Path, arguments: list[str], message: str
) -> None:
    ran = feedtool(*arguments)
    assert ran.code == 2
    assert message in ran.error()[0]
    assert not list(tmp_path.rglob("*.result.csv"))
    assert feedtool("runs --format json").json == []


def test_a_workbook_of_failed_rows_has_a_name_that_can_be_recorded(feedtool: Feedtool) -> None:
    assert feedtool("submit --sandbox a.csv --as offers-update").code == 1
    for name, message in ((NOT_UTF8, "not UTF-8"), (TOO_LONG, "is too long")):
        ran = feedtool("results 1 --failed-only --out", f"{name}.xlsx")
        assert ran.code == 2
        assert message in ran.error()[0]
