"""`sellers` on the command line."""

from pathlib import Path

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer

CONFIG = """
[profile.shop]
base_url = "http://127.0.0.1:9/v2"
seller = "12345"
"""
NOBODY = ("--base-url", "http://127.0.0.1:9/v2", "--seller", "S", "--channel", "P")


def test_all_sellers_at_a_glance(feedtool: Feedtool, files: Files) -> None:
    nobody = feedtool("sellers")
    assert (nobody.code, nobody.out) == (0, "")
    assert "note: there are no sellers yet" in nobody.err
    feedtool("submit --sandbox --no-failed", files.csv(offer(1), offer(2, quantity="x")))
    ran = feedtool("sellers")
    heading, line = ran.out.splitlines()
    assert heading.split()[0] == "Seller"
    assert line.split("  ")[0] == "sandbox"
    assert "run 1: 1 Integrated, 1 Invalid" in line
    assert "50%" in line
    only = feedtool("sellers --format json").only
    assert (only["seller"], only["lastRun"]["run"], only["refusedIn7Days"]) == ("sandbox", "1", 1)


def test_filters_choose_among_them(feedtool: Feedtool, files: Files) -> None:
    Path("feedtool.toml").write_text(CONFIG)
    feedtool("submit --sandbox", files.csv(offer(1)))
    feedtool("submit", files.csv(offer(2), name="b.csv"), *NOBODY, "--token", "t")
    all_of_them = ["S", "sandbox", "12345"]
    for words, found in {
        "": all_of_them,
        "--trouble": ["S"],
        "--never": ["12345"],
        "--held": [],
        "--waiting-longer-than 10m": [],
        "--page 1": all_of_them,
        "--page 2": [],
    }.items():
        ran = feedtool(f"sellers {words} --format json")
        assert [one["seller"] for one in ran.json] == found, words
        assert ("note: no seller is like that" in ran.err) == (not found)


def test_a_broken_profile_hides_no_other_seller(feedtool: Feedtool, files: Files) -> None:
    account = 'base_url = "http://127.0.0.1:9/v2"\nseller = "{}"\n'
    files.text("seller = ", "sellers/broken.toml")
    files.text(account.format(7), "sellers/north.toml")
    ran = feedtool("sellers --profiles sellers --never --format json")
    assert {one["seller"]: one["profile"] for one in ran.json} == {"7": "north"}
    files.text(f"[defaults]\nprofiles = 'sellers'\n{CONFIG}", "feedtool.toml")
    ran = feedtool("sellers --format json")
    assert {one["profile"] for one in ran.json} == {"north", "shop"}
    ran = feedtool("sellers --profiles nowhere")
    assert (
        ran.error()[0] == "the folder of profiles nowhere cannot be read: there is no such folder"
    )


def test_a_time_is_written_with_its_unit(feedtool: Feedtool) -> None:
    ran = feedtool("sellers --waiting-longer-than 10")
    assert ran.code == 2
    assert ran.error() == (
        "--waiting-longer-than 10 is not a time",
        "write it like 90s, 10m, 2h or 90d",
    )
