"""`submit --purge-and-replace`: asked for by name, counted, confirmed, one zip or none."""

import shutil
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.cli import run
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import stored_offers
from tests.cli.conftest import Feedtool, Ran, made_by
from tests.cli.test_safe import Terminal
from tests.conftest import Files, offer

LEGACY = ("--as", "legacy-offers", "--sandbox")
PURGE = (*LEGACY, "--purge-and-replace")
STATE = Path("home/sandbox.sqlite")


def on_shelf() -> list[str]:
    """Channel and reference of every offer."""
    with Sandbox(sandbox_parts(), STATE) as sandbox:
        return sorted(
            f"{one['salesChannelId']} {one['sellerExternalReference']}"
            for one in stored_offers(sandbox)
        )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of somebody whose sandbox has offers 1 to 4, and 1 on another channel too."""
    files = Files(tmp_path_factory.mktemp("shop"))
    files.csv(*map(offer, range(1, 5)), name="first.csv")
    files.csv(offer(1), name="second.csv")
    submits = ("submit first.csv --sandbox", "submit second.csv --sandbox --channel SECOND")
    return made_by(files.folder, *submits)


@pytest.fixture
def shop(home: Path) -> list[str]:
    """The offers of that sandbox, which is in the test's own home."""
    shutil.copytree(home, "home")
    before = on_shelf()
    assert len(before) == 5
    return before


@pytest.fixture
def file(files: Files) -> Path:
    """Offers 3 to 6: two that are there, and two new ones."""
    return files.csv(*map(offer, range(3, 7)))


@pytest.mark.usefixtures("shop")
def test_it_replaces_what_the_channel_has(feedtool: Feedtool, file: Path) -> None:
    ran = feedtool("submit", file, *PURGE, "--yes", "--expect-removals", "2")
    assert ran.code == 0, ran.err
    assert "PurgeAndReplace, channel PRIMARY, 4 rows in 1 upload: Integrated" in ran.out
    assert on_shelf() == [f"PRIMARY SKU-{n}" for n in range(3, 7)] + ["SECOND SKU-1"]


COUNTS = (
    "of the 4 offers that the service has on PRIMARY now, 2 will be removed; the 4 of the zip"
    " remain"
)

REFUSED = {
    "not confirmed": ((), "never sent without being confirmed", "--yes with --expect-removals 2"),
    "yes alone": (("--yes",), "never sent without being confirmed", "--expect-removals 2"),
    "a number alone": (("--expect-removals", "2"), "never sent without", "--yes with"),
    "fewer expected": (
        ("--yes", "--expect-removals", "1"),
        "more offers would be removed than the 1 of --expect-removals",
        "nothing was sent",
    ),
}


@pytest.mark.parametrize(("options", "error", "hint"), REFUSED.values(), ids=REFUSED)
def test_without_a_terminal_it_needs_the_number(
    feedtool: Feedtool,
    shop: list[str],
    file: Path,
    options: tuple[str, ...],
    error: str,
    hint: str,
) -> None:
    ran = feedtool("submit", file, *PURGE, *options)
    assert ran.code == 2
    said, help_ = ran.error()
    assert error in said
    assert COUNTS in said
    assert hint in help_
    assert on_shelf() == shop
    assert feedtool("resume").code == 9  # nothing of it was even written down


def test_offers_that_only_a_mistake_removes_are_told(
    feedtool: Feedtool, shop: list[str], files: Files
) -> None:
    mistakes = files.csv(offer(1), offer(2), offer(3, quantity="x"), offer(5, quantity="x"))
    ran = feedtool("submit", mistakes, *PURGE)
    assert ran.code == 2
    assert "2 will be removed (1 of them since the file's row is not valid);" in ran.error()[0]
    assert on_shelf() == shop


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2)])
def test_on_a_terminal_it_is_asked(
    shop: list[str], file: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    stdin, stderr = Terminal(is_terminal=True), Terminal(is_terminal=True)
    stdin.write(answer)
    stdin.seek(0)
    monkeypatch.setattr(sys, "stdin", stdin)
    with redirect_stderr(stderr):
        assert run(["submit", str(file), *PURGE]) == code
    assert f"A purge: {COUNTS}. Send it?" in stderr.shown()
    assert (on_shelf() == shop) is bool(code)


def several(feedtool: Feedtool, *arguments: str | Path) -> Ran:
    return feedtool("submit", *arguments, *PURGE, "--yes", "--expect-removals", "9")


@pytest.mark.parametrize("is_dry", [True, False])
def test_one_zip_or_none(
    feedtool: Feedtool, shop: list[str], files: Files, file: Path, *, is_dry: bool
) -> None:
    dry = ("--dry-run",) if is_dry else ()
    other = files.csv(offer(9), name="other.csv")
    ran = several(feedtool, file, other, *dry)
    assert ran.code == 2
    assert "a purge is one zip, and this is 2 zips" in ran.error()[0]
    two_channels = files.csv(offer(1), offer(2, salesChannelId="SECOND"), name="channels.csv")
    assert several(feedtool, two_channels, *dry).code == 2
    Path("feedtool.toml").write_text("[profile.small.limits]\nlegacy = 3\n")
    assert several(feedtool, file, "--profile", "small", *dry).code == 2
    nothing = files.csv(offer(1, price__price="0"), name="nothing.csv")
    assert "no zip at all" in several(feedtool, nothing, *dry).error()[0]
    assert several(feedtool, file, "missing.csv", *dry).code == 2
    assert on_shelf() == shop


def test_only_whole_legacy_offers(feedtool: Feedtool, shop: list[str], file: Path) -> None:
    for kind in ("offers-upsert", "legacy-stock-and-price"):
        ran = feedtool("submit", file, "--as", kind, "--sandbox", "--purge-and-replace")
        assert ran.code == 2
        assert "only legacy-offers can be a purge" in ran.error()[0]
    assert on_shelf() == shop


def test_it_has_to_be_typed(
    feedtool: Feedtool, shop: list[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDTOOL_PURGE_AND_REPLACE", "1")
    ran = feedtool("submit", file, *LEGACY, "--yes", "--expect-removals", "9")
    assert ran.code == 2
    assert "has to be typed" in ran.error()[0]
    monkeypatch.delenv("FEEDTOOL_PURGE_AND_REPLACE")
    ran = feedtool("submit", file, *LEGACY, "--expect-removals", "9")
    assert "which is not there" in ran.error()[0]
    assert on_shelf() == shop


def test_a_dry_run_plans_it(feedtool: Feedtool, file: Path, tmp_path: Path) -> None:
    ran = feedtool("submit", file, *PURGE, "--dry-run", "--requests", "out")
    assert ran.code == 0
    assert "Planned package: PurgeAndReplace, channel PRIMARY, 4 rows in 1 upload" in ran.out
    found = [path.name for path in (tmp_path / "out").rglob("*.zip")]
    assert found == ["package-001-PurgeAndReplace-PRIMARY.zip"]


def test_it_needs_no_open_package(feedtool: Feedtool, files: Files, file: Path) -> None:
    feedtool("submit", files.csv(offer(1), name="first.csv"), "--sandbox", "--no-wait")
    ran = several(feedtool, file)
    assert ran.code == 2
    assert "run 1 has packages that are not integrated yet" in ran.error()[0]
    assert feedtool("results 1").code == 0
    assert several(feedtool, file).code == 0
    assert on_shelf() == [f"PRIMARY SKU-{n}" for n in range(3, 7)]
