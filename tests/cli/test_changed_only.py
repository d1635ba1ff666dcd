"""`submit --changed-only`, its guards and what releases them, as they are typed."""

import shutil
from pathlib import Path

import pytest

from feedtool.ledger.lock import who
from tests.cli.conftest import STATE, Feedtool, made_by
from tests.conftest import Files, offer
from tests.pairs import sample

ONE, TWO = offer(1), offer(2) | {"price.originPrice": "30"}
CHANGED = ("--sandbox", "--changed-only", "--format", "json")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody whose file the sandbox has accepted."""
    folder = tmp_path_factory.mktemp("sent")
    Files(folder).csv(ONE, TWO)
    return made_by(folder, "submit offers.csv --sandbox")


@pytest.fixture
def sent(home: Path, files: Files) -> Path:
    """A file that the sandbox has accepted."""
    shutil.copytree(home, "home")
    return files.csv(ONE, TWO)


@pytest.fixture
def changed(files: Files, sent: Path) -> Path:
    assert files.csv(offer(1, quantity="8"), TWO) == sent
    return sent


def test_unchanged_rows_are_not_sent(feedtool: Feedtool, sent: Path) -> None:
    ran = feedtool("submit", sent, *CHANGED)
    assert (ran.code, ran.statuses, ran.counts) == (9, ["Unchanged"] * 2, [2, 0, 0, 2, 0])
    assert ran.only["packages"] == []
    assert sent.with_name("offers.result.csv").read_text("utf-8").count("Unchanged") == 2


def test_a_dry_run_shows_changed_rows(feedtool: Feedtool, changed: Path) -> None:
    ran = feedtool("submit", changed, "--dry-run", *CHANGED)
    assert (ran.code, ran.statuses) == (0, ["Valid", "Unchanged"])
    assert [package["rows"] for package in ran.only["packages"]] == [1]
    assert feedtool("submit", changed, "--dry-run", "--format", "json").statuses == ["Valid"] * 2


def test_a_plan_holds_only_changed_rows(feedtool: Feedtool, changed: Path) -> None:
    making = ("--sandbox", "--changed-only", "--prefer-update", "--dry-run", "--save-plan", "p")
    assert feedtool("submit", changed, *making).code == 0
    ran = feedtool("submit --plan p --format json")
    assert (ran.code, ran.statuses) == (0, ["Integrated", "Unchanged"])
    assert ran.only["packages"][0]["packageType"] == "Update"


@pytest.mark.usefixtures("sent")
@pytest.mark.parametrize("name", sample(["back.csv", "back.xlsx"], 1))
def test_an_untouched_export_sends_nothing(feedtool: Feedtool, name: str) -> None:
    assert feedtool("export offers --sandbox --out", name).code == 0
    ran = feedtool("submit", name, *CHANGED)
    assert (ran.code, set(ran.statuses)) == (9, {"Unchanged"})


def test_an_export_shows_changes_of_others(feedtool: Feedtool, sent: Path) -> None:
    """Another ledger is another machine, which does not know what this one sends."""
    elsewhere = ("--ledger", "sqlite:///elsewhere.sqlite")
    exporting = ("export", "offers", "--sandbox", "--out", "back.csv", "--yes", *elsewhere)
    assert feedtool(*exporting).code == 0
    # What struck prices there are the service does not show, so an Upsert may change them.
    for status in ("Integrated", "Unchanged"):
        assert feedtool("submit", sent, *CHANGED, *elsewhere).statuses == [status] * 2
    assert feedtool(*exporting).code == 0
    assert feedtool("submit", sent, *CHANGED, *elsewhere).statuses == ["Unchanged"] * 2
    STATE.unlink()
    # That there is nothing is remembered too.
    assert feedtool("export offers --sandbox --out back.csv --yes").code == 9
    assert feedtool("submit", sent, *CHANGED).statuses == ["Integrated"] * 2


@pytest.mark.usefixtures("sent")
def test_held_rows_are_named_explained_and_released(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1, price__price="1999"), offer(2))
    told = feedtool("submit", path, "--sandbox", "--dry-run").out
    assert "Held[price-factor] 1 row: the price goes up from 19.99" in told
    ran = feedtool("submit", path, "--sandbox", "--format", "json")
    assert (ran.code, ran.statuses) == (1, ["Held", "Integrated"])
    (message,) = ran.only["results"][0]["messages"]
    assert (message["resultCode"], message["field"]) == ("price-factor", "price.price")
    assert message["message"] == (
        "the price goes up from 19.99, as last accepted, to 1999: by a factor of 100"
        " (if it is meant: submit it with --release price-factor)"
    )
    assert "To fix it" in feedtool("explain price-factor").out
    # The reason of a release is kept with the run.
    why = ("--release", "Price_Factor", "--reason", "a new supplier")
    assert feedtool("submit offers.csv --sandbox --dry-run --save-plan p", *why).code == 0
    assert feedtool("submit --plan p --format json").statuses == ["Integrated"] * 2
    assert feedtool("submit offers.csv --sandbox --release price-factor").code == 0
    shown = [feedtool(f"status {run}").out.splitlines() for run in (2, 3, 4)]
    assert [[line for line in lines if " released by " in line] for lines in shown] == [
        [],
        [f"  price-factor released by {who()}: a new supplier"],
        [f"  price-factor released by {who()}, without a reason"],
    ]
    assert [it["released"] for it in feedtool("runs --format json").json] == [
        [{"code": "price-factor", "who": who(), "reason": None}],
        [{"code": "price-factor", "who": who(), "reason": "a new supplier"}],
        [],
        [],
    ]


def test_a_reason_is_about_a_guard(feedtool: Feedtool, files: Files) -> None:
    ran = feedtool("submit --sandbox --reason x", files.csv(offer(1)))
    assert (ran.code, ran.error()) == (
        2,
        (
            "--reason needs --release",
            "leave it out, or name the guard with --release",
        ),
    )


def test_a_profile_can_set_changed_only(feedtool: Feedtool, files: Files, sent: Path) -> None:
    settings = "[profile.shop]\nchanged_only = true\n[profile.shop.guards]\nprice_change = 10\n"
    files.text(settings, "feedtool.toml")
    named = ("--sandbox", "--profile", "shop", "--format", "json")
    assert set(feedtool("submit", sent, *named).statuses) == {"Unchanged"}
    assert set(feedtool("submit", sent, *named, "--all-rows").statuses) == {"Integrated"}
    path = files.csv(offer(1, price__price="10"))
    assert feedtool("submit", path, *named).statuses == ["Held"]


@pytest.mark.usefixtures("sent")
def test_a_watcher_sends_changed_rows(feedtool: Feedtool, files: Files) -> None:
    for rows, code, told in (
        ([ONE, offer(2, quantity="8")], 0, "2 rows: 1 Integrated, 1 Unchanged"),
        ([offer(1, price__price="1999")], 1, "1 row: 1 Held"),
    ):
        files.csv(*rows, name="feeds/inbox/today.csv")
        ran = feedtool("watch feeds --once --sandbox --changed-only")
        assert (ran.code, told in ran.err) == (code, True)
