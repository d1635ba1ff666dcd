"""`ledger check` and `ledger backup` as they are typed."""

import stat
from pathlib import Path

import pytest

from feedtool.ledger.database import open_engine
from feedtool.ledger.migrations import VERSION
from tests.cli.conftest import Feedtool

LEDGER = Path("home/ledger.sqlite")


@pytest.fixture
def home() -> Path:
    """The test's own home, with a ledger."""
    open_engine(LEDGER).dispose()
    return LEDGER.parent


def test_a_copy_is_a_ledger(feedtool: Feedtool, home: Path) -> None:
    made = feedtool("ledger backup copy.sqlite")
    assert (made.code, made.out, made.err) == (0, "", "made: copy.sqlite\n")
    assert stat.S_IMODE(Path("copy.sqlite").stat().st_mode) == 0o600
    for words, name in (("", home / LEDGER.name), (" --ledger copy.sqlite", Path("copy.sqlite"))):
        ran = feedtool(f"ledger check{words}")
        assert (ran.code, ran.err) == (0, "")
        shown = str(name.absolute() if not words else name)
        assert ran.out == f"The ledger {shown} is whole. It is of version {VERSION}.\n"
    assert {path.name for path in Path.cwd().iterdir()} == {"copy.sqlite", "home"}


@pytest.mark.usefixtures("home")
def test_a_copy_has_a_name_of_its_own(feedtool: Feedtool) -> None:
    name = feedtool("ledger backup").err.removeprefix("made: ").strip()
    assert Path(name).match("ledger-20??-??-??T??????Z.sqlite")
    assert feedtool("ledger check --ledger", name).code == 0


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("words", "reason", "way_out"),
    [
        ("backup there.sqlite", "there.sqlite exists already", "name another FILE"),
        ("backup no/copy", "there is no folder no", "in a folder that is there"),
        ("backup copy --ledger none", "There is no ledger none", "--home or --ledger"),
        ("check --home none", "There is no ledger none/ledger.sqlite", "--home or --ledger"),
    ],
)
def test_impossible_commands_leave_no_file(
    feedtool: Feedtool, words: str, reason: str, way_out: str
) -> None:
    Path("there.sqlite").write_bytes(b"a copy")
    ran = feedtool(f"ledger {words}")
    assert (ran.code, ran.out) == (2, "")
    assert reason in ran.error()[0]
    assert way_out in ran.error()[1]
    assert {path.name for path in Path.cwd().iterdir()} == {"home", "there.sqlite"}
    assert Path("there.sqlite").read_bytes() == b"a copy"


@pytest.mark.usefixtures("home")
def test_an_older_ledger_stays_unchanged(feedtool: Feedtool) -> None:
    engine = open_engine(LEDGER)
    with engine.begin() as db:
        db.exec_driver_sql("UPDATE schema_version SET version = 9")
    engine.dispose()
    ran = feedtool("ledger check")
    assert ran.out.endswith("is whole. It is of version 9.\n")
    assert ran.err == f"note: the next command that uses it makes it version {VERSION}\n"
    assert feedtool("ledger backup copy").code == 0
    assert feedtool("ledger check --ledger copy").out.endswith("version 9.\n")


@pytest.mark.usefixtures("home")
def test_every_command_has_a_hint_for_a_damaged_ledger(feedtool: Feedtool) -> None:
    content = LEDGER.read_bytes()
    LEDGER.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    for words in ("runs", "ledger check", "ledger backup copy"):
        what, way_out = feedtool(words).error()
        assert "damaged" in what
        assert "`feedtool ledger check` says what is damaged" in way_out
    assert not Path("copy").exists()
