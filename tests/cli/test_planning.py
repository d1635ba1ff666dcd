"""Plans: exactly what was planned is sent, or nothing. Purges: counted, confirmed, one zip."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, OnTerminal, Ran, applied, made_by, sandbox_offers
from tests.conftest import Files, offer

PLAN = Path("plan.jsonl")


def references() -> list[str | None]:
    return [reference for reference, _ in applied()]


def words() -> object:
    return json.loads(PLAN.read_text("utf-8").splitlines()[0])["words"]


@pytest.fixture
def file(files: Files) -> Path:
    return files.csv(offer(1), offer(2, quantity="-1"), offer(3))


@pytest.fixture
def planned(feedtool: Feedtool, file: Path) -> Path:
    """A plan for the sandbox."""
    ran = feedtool(
        "submit", file.name, "--dry-run", "--sandbox", "--no-failed", "--save-plan", PLAN
    )
    assert ran.code == 1, ran.err
    assert "plan: saved as plan.jsonl" in ran.err
    assert applied() == []
    return PLAN


def test_a_plan_is_sent_once_and_without_anything_else(feedtool: Feedtool, planned: Path) -> None:
    ran = feedtool("submit --plan", planned)
    assert ran.code == 1, ran.err
    assert "3 rows: 1 Invalid, 2 Integrated. Run" in ran.out
    assert references() == ["SKU-1", "SKU-3"]
    assert Path("offers.result.csv").exists()
    ran = feedtool("submit --plan", planned)
    assert (ran.code, ran.error()[0]) == (2, "the plan plan.jsonl was sent before, by run 1")
    assert len(applied()) == 2
    assert feedtool("submit --plan", planned, "--yes").code == 1
    assert len(applied()) == 4


def test_effects_are_shown_before_sending(feedtool: Feedtool, planned: Path) -> None:
    line = "plan: PRIMARY: 2 offers, of which nothing is known: no run here has had them accepted"
    ran = feedtool("submit --plan", planned, "--token", "wrong")
    assert ran.code == 4
    assert ran.err.index(line) < ran.err.index("error: ")


def test_a_plan_that_no_longer_fits_is_refused(
    feedtool: Feedtool, planned: Path, file: Path
) -> None:
    def refuse(why: str, *options: str) -> None:
        ran = feedtool("submit --plan", planned, *options)
        error = f"the plan plan.jsonl no longer fits: {why}"
        hint = "nothing was sent; make the plan again with --dry-run --save-plan"
        assert (ran.code, ran.error()) == (2, (error, hint))

    ran = feedtool("submit --dry-run --save-plan p --plan", planned)
    assert (ran.code, "contradict each other" in ran.error()[0]) == (2, True)
    assert feedtool("submit --plan", planned, "--dry-run").code == 1
    assert feedtool("submit --plan", planned, file.absolute(), "--dry-run").code == 1
    refuse("--channel was PRIMARY, and is SECOND", "--channel", "SECOND")
    file.write_text("changed")
    refuse("the file offers.csv was changed")
    refuse("the file offers.csv was changed", "--dry-run")
    file.unlink()
    refuse("offers.csv cannot be read")
    assert applied() == []


def test_the_address_of_the_service_is_not_taken_from_a_plan(
    feedtool: Feedtool, file: Path
) -> None:
    account = ("--base-url", "https://a.example/v2", "--seller", "1")
    feedtool("submit", file, "--dry-run", *account, "--save-plan", PLAN)
    assert words() == {}
    ran = feedtool("submit --plan", PLAN, "--token", "t")
    assert ran.error()[0] == "there is no account to send to"


def test_all_rows_overrides_the_profile(feedtool: Feedtool, file: Path) -> None:
    Path("feedtool.toml").write_text("[profile.shop]\nchanged_only = true\n")
    options = ("--sandbox", "--profile", "shop", "--all-rows")
    feedtool("submit", file, "--dry-run", *options, "--save-plan", PLAN)
    kept = words()
    assert isinstance(kept, dict)
    assert kept["changed_only"] is False
    assert feedtool("submit --plan", PLAN).code == 1
    assert references() == ["SKU-1", "SKU-3"]


# Purges.

LEGACY = ("--as", "legacy-offers", "--sandbox")
PURGE = (*LEGACY, "--purge-and-replace")


def on_channels() -> list[str]:
    return sorted(
        f"{one['salesChannelId']} {one['sellerExternalReference']}" for one in sandbox_offers()
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose sandbox has offers 1 to 4, and 1 on another channel too."""
    files = Files(tmp_path_factory.mktemp("shop"))
    files.csv(*map(offer, range(1, 5)), name="first.csv")
    files.csv(offer(1), name="second.csv")
    submits = ("submit first.csv --sandbox", "submit second.csv --sandbox --channel SECOND")
    return made_by(files.folder, *submits)


@pytest.fixture
def shop(home: Path) -> list[str]:
    """The offers of that sandbox, which is in the test's own home."""
    shutil.copytree(home, "home")
    before = on_channels()
    assert len(before) == 5
    return before


@pytest.fixture
def stock(files: Files) -> Path:
    """Offers 3 to 6: two existing ones, and two new ones."""
    return files.csv(*map(offer, range(3, 7)))


COUNTS = "of the 4 offers that the service has on PRIMARY now, 2 will be removed; the 4 of the zip"
MORE = "more offers would be removed than the 1 of --expect-removals"
REFUSED = {
    "": ("never sent without being confirmed", "--yes with --expect-removals 2"),
    "--yes": ("never sent without being confirmed", "--expect-removals 2"),
    "--expect-removals 2": ("never sent without", "--yes with"),
    "--yes --expect-removals 1": (MORE, "nothing was sent"),
}


def test_without_a_terminal_it_needs_the_number(
    feedtool: Feedtool, shop: list[str], stock: Path
) -> None:
    for options, (error, hint) in REFUSED.items():
        ran = feedtool(f"submit {stock.name} {' '.join(PURGE)} {options}")
        said, help_ = ran.error()
        assert ran.code == 2
        assert error in said
        assert COUNTS in said
        assert hint in help_
    assert on_channels() == shop
    assert feedtool("resume").code == 9  # nothing of it was even written down


def test_offers_removed_only_by_a_mistake_are_counted(
    feedtool: Feedtool, shop: list[str], files: Files
) -> None:
    mistakes = files.csv(offer(1), offer(2), offer(3, quantity="x"), offer(5, quantity="x"))
    ran = feedtool("submit", mistakes, *PURGE)
    assert ran.code == 2
    assert "2 will be removed (1 of them since the file's row is not valid);" in ran.error()[0]
    assert on_channels() == shop


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2)])
def test_a_purge_is_confirmed_on_a_terminal(
    shop: list[str], stock: Path, on_terminal: OnTerminal, answer: str, code: int
) -> None:
    ended, said = on_terminal(answer, "submit", str(stock), *PURGE)
    assert ended == code
    assert f"A purge: {COUNTS} remain. Send it?" in said
    assert (on_channels() == shop) is bool(code)


def confirmed(feedtool: Feedtool, *arguments: str | Path) -> Ran:
    return feedtool("submit", *arguments, *PURGE, "--yes", "--expect-removals", "9")


@pytest.mark.parametrize("dry", [("--dry-run",), ()])
def test_one_zip_or_none(
    feedtool: Feedtool, shop: list[str], files: Files, stock: Path, dry: tuple[str, ...]
) -> None:
    other = files.csv(offer(9), name="other.csv")
    channels = files.csv(offer(1), offer(2, salesChannelId="SECOND"), name="channels.csv")
    nothing = files.csv(offer(1, price__price="0"), name="nothing.csv")
    Path("feedtool.toml").write_text("[profile.small.limits]\nlegacy = 3\n")
    for arguments, why in (
        ((stock, other), "a purge is one zip, and this is 2 zips"),
        ((channels,), ""),
        ((stock, "--profile", "small"), ""),
        ((nothing,), "this is not a zip"),
        ((stock, "missing.csv"), ""),
    ):
        ran = confirmed(feedtool, *arguments, *dry)
        assert ran.code == 2
        assert why in ran.err
    assert on_channels() == shop


@pytest.mark.parametrize("kind", ["offers-upsert", "legacy-stock-and-price"])
def test_only_legacy_offers_can_be_a_purge(
    feedtool: Feedtool, shop: list[str], stock: Path, kind: str
) -> None:
    ran = feedtool("submit", stock, "--as", kind, "--sandbox", "--purge-and-replace")
    assert ran.code == 2
    assert "only legacy-offers can be a purge" in ran.error()[0]
    assert on_channels() == shop


def test_a_purge_must_be_typed_as_an_option(
    feedtool: Feedtool, shop: list[str], stock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDTOOL_PURGE_AND_REPLACE", "1")
    ran = feedtool("submit", stock, *LEGACY, "--yes", "--expect-removals", "9")
    assert (ran.code, "has to be typed" in ran.error()[0]) == (2, True)
    assert on_channels() == shop


def test_a_dry_run_plans_it(feedtool: Feedtool, stock: Path) -> None:
    ran = feedtool("submit", stock, *PURGE, "--dry-run", "--requests", "out")
    assert ran.code == 0
    assert "Planned package: PurgeAndReplace, channel PRIMARY, 4 rows in 1 upload" in ran.out
    (zipped,) = Path("out").rglob("*.zip")
    assert zipped.name == "package-001-PurgeAndReplace-PRIMARY.zip"


@pytest.mark.usefixtures("shop")
def test_a_purge_replaces_the_channel_and_needs_no_open_package(
    feedtool: Feedtool, files: Files, stock: Path
) -> None:
    feedtool("submit", files.csv(offer(1), name="first.csv"), "--sandbox", "--no-wait")
    ran = confirmed(feedtool, stock)
    assert ran.code == 2
    assert "run 3 has packages that are not integrated yet" in ran.error()[0]
    assert feedtool("results 3").code == 0
    ran = feedtool("submit", stock, *PURGE, "--yes", "--expect-removals", "2")
    assert ran.code == 0, ran.err
    assert "PurgeAndReplace, channel PRIMARY, 4 rows in 1 upload: integrated" in ran.out
    assert on_channels() == [f"PRIMARY SKU-{n}" for n in range(3, 7)] + ["SECOND SKU-1"]
