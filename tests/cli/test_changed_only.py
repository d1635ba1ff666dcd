"""`submit --changed-only`, its guards and what releases them, as they are typed."""

from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, Ran
from tests.conftest import Files, offer

ONE, TWO = offer(1), offer(2)


@pytest.fixture
def sent(feedtool: Feedtool, files: Files) -> Path:
    """A file that the sandbox has accepted."""
    path = files.csv(ONE, TWO | {"price.originPrice": "30"})
    assert feedtool("submit", path, "--sandbox").code == 0
    return path


def statuses(ran: Ran) -> list[str]:
    return [row["status"] for row in ran.only["results"]]


def test_what_is_unchanged_is_not_sent(feedtool: Feedtool, sent: Path) -> None:
    ran = feedtool("submit", sent, "--sandbox", "--changed-only", "--format", "json")
    assert (ran.code, statuses(ran)) == (9, ["Unchanged", "Unchanged"])
    found = ran.only
    assert [found[name] for name in ("rows", "valid", "invalid", "skipped")] == [2, 0, 0, 2]
    assert found["packages"] == []
    assert sent.with_name("offers.result.csv").read_text("utf-8").count("Unchanged") == 2


def test_a_dry_run_says_what_would_be_sent(feedtool: Feedtool, files: Files, sent: Path) -> None:
    path = files.csv(offer(1, quantity="8"), TWO | {"price.originPrice": "30"})
    ran = feedtool("submit", path, "--sandbox", "--changed-only", "--dry-run", "--format", "json")
    assert (ran.code, statuses(ran)) == (0, ["Valid", "Unchanged"])
    assert [one["rows"] for one in ran.only["packages"]] == [1]
    assert statuses(feedtool("submit", path, "--dry-run", "--format", "json")) == ["Valid"] * 2
    assert sent == path


def test_a_plan_of_what_has_changed_is_kept(feedtool: Feedtool, files: Files, sent: Path) -> None:
    path = files.csv(offer(1, quantity="8"), TWO | {"price.originPrice": "30"})
    making = ("--sandbox", "--changed-only", "--prefer-update", "--dry-run", "--save-plan", "p")
    assert feedtool("submit", path, *making).code == 0
    ran = feedtool("submit --plan p --format json")
    assert (ran.code, statuses(ran)) == (0, ["Integrated", "Unchanged"])
    assert ran.only["packages"][0]["packageType"] == "Update"
    assert sent == path


@pytest.mark.parametrize("name", ["back.xlsx", "back.csv"])
def test_an_export_that_nobody_has_touched_sends_nothing(
    feedtool: Feedtool, sent: Path, name: str
) -> None:
    assert sent.is_file()
    assert feedtool("export offers --sandbox --out", name).code == 0
    ran = feedtool("submit", name, "--sandbox", "--changed-only", "--format", "json")
    assert (ran.code, set(statuses(ran))) == (9, {"Unchanged"})


def test_an_export_tells_what_others_have_done(feedtool: Feedtool, sent: Path) -> None:
    """Another ledger is another machine, which knows nothing of what this one sends."""
    elsewhere = ("--ledger", "sqlite:///elsewhere.sqlite")
    changed = ("submit", sent, "--sandbox", "--changed-only", "--format", "json", *elsewhere)
    exporting = ("export", "offers", "--sandbox", "--out", "back.csv", "--yes", *elsewhere)
    assert feedtool(*exporting).code == 0
    # What struck prices there are the service does not show, so an Upsert may change them.
    assert statuses(feedtool(*changed)) == ["Integrated", "Integrated"]
    assert statuses(feedtool(*changed)) == ["Unchanged", "Unchanged"]
    assert feedtool(*exporting).code == 0
    assert statuses(feedtool(*changed)) == ["Unchanged", "Unchanged"]


def test_what_a_guard_holds_is_named_and_explained(
    feedtool: Feedtool, files: Files, sent: Path
) -> None:
    path = files.csv(offer(1, price__price="1999"), TWO)
    ran = feedtool("submit", path, "--sandbox", "--format", "json")
    assert (ran.code, statuses(ran)) == (1, ["Held", "Integrated"])
    (message,) = ran.only["results"][0]["messages"]
    assert message == {
        "resultCode": "price-factor",
        "message": "the price goes up from 19.99, as last accepted, to 1999: by a factor of 100"
        " (if it is meant: submit it with --release price-factor)",
        "field": "price.price",
    }
    told = feedtool("submit", path, "--sandbox", "--dry-run").out
    assert "Held[price-factor] 1 row: the price goes up from 19.99" in told
    assert "To mend it" in feedtool("explain price-factor").out
    assert sent == path


def test_a_release_sends_it(feedtool: Feedtool, files: Files, sent: Path) -> None:
    path = files.csv(offer(1, price__price="1999"))
    ran = feedtool("submit", path, "--sandbox", "--release", "Price_Factor", "--format", "json")
    assert (ran.code, statuses(ran)) == (0, ["Integrated"])
    assert sent == path


def test_a_profile_may_say_so(feedtool: Feedtool, files: Files, sent: Path) -> None:
    files.text(
        "[profile.shop]\nchanged_only = true\n[profile.shop.guards]\nprice_change = 10\n",
        "feedtool.toml",
    )
    named = ("--sandbox", "--profile", "shop", "--format", "json")
    assert set(statuses(feedtool("submit", sent, *named))) == {"Unchanged"}
    ran = feedtool("submit", sent, *named, "--all-rows")
    assert set(statuses(ran)) == {"Integrated"}
    path = files.csv(offer(1, price__price="10"))
    assert statuses(feedtool("submit", path, *named)) == ["Held"]


def test_a_watcher_sends_what_has_changed(feedtool: Feedtool, files: Files, sent: Path) -> None:
    files.csv(ONE, offer(2, quantity="8"), name="feeds/inbox/today.csv")
    ran = feedtool("watch feeds --once --sandbox --changed-only")
    assert ran.code == 0
    assert "2 rows: 1 Integrated, 1 Unchanged" in ran.err
    files.csv(offer(1, price__price="1999"), name="feeds/inbox/lost.csv")
    ran = feedtool("watch feeds --once --sandbox --changed-only")
    assert ran.code == 1
    assert "1 row: 1 Held" in ran.err
    assert sent.is_file()


def test_an_export_of_nothing_is_remembered(feedtool: Feedtool, sent: Path) -> None:
    Path("home/sandbox.sqlite").unlink()
    assert feedtool("export offers --sandbox --out back.csv").code == 9
    ran = feedtool("submit", sent, "--sandbox", "--changed-only", "--format", "json")
    assert set(statuses(ran)) == {"Integrated"}
