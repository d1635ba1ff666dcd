"""`feedtool watch`: the account of each profile, and what is refused before anything is taken."""

from pathlib import Path

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import applied_requests
from tests.cli.conftest import Feedtool
from tests.conftest import offer, table

QUICK = ("--once", "--settle", "0.01", "--poll", "0.01")

CONFIG = """
[profile.shop]
seller = "never used with the sandbox"
[profile.shop.columns]
"Ma ref" = "sellerExternalReference"
[profile.mall.columns]
"Mi ref" = "sellerExternalReference"
"""


def drop(folder: Path, place: str, *rows: dict[str, str], heading: str | None = None) -> None:
    path = folder / "feeds" / "inbox" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    content = table(rows)
    path.write_text(content.replace("sellerExternalReference", heading) if heading else content)


def test_each_file_is_read_as_its_profile_says(feedtool: Feedtool, tmp_path: Path) -> None:
    (tmp_path / "feedtool.toml").write_text(CONFIG)
    drop(tmp_path, "shop/a.csv", offer(1), heading="Ma ref")
    drop(tmp_path, "mall/a.csv", offer(2), heading="Mi ref")
    drop(tmp_path, "a.csv", offer(3))
    drop(tmp_path, "shop/offers-delete/a.csv", {"sellerExternalReference": "SKU-4"})
    drop(tmp_path, "mall/b.csv", offer(5), heading="Ma ref")
    ran = feedtool("watch feeds --sandbox", *QUICK)
    assert ran.code == 3, ran.err
    assert ran.out == ""
    with Sandbox(sandbox_parts(), tmp_path / "home" / "sandbox.sqlite") as sandbox:
        applied = {(one.reference, one.package_type) for one in applied_requests(sandbox)}
    upserts = {(f"SKU-{number}", "Upsert") for number in (1, 2, 3)}
    assert applied == upserts | {("SKU-4", "Delete")}
    assert (tmp_path / "feeds" / "error" / "mall" / "b.csv.reason.txt").exists()
    assert ran.err.count("answered: ") == 4


def test_options_are_those_of_every_profile(feedtool: Feedtool, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(CONFIG)
    drop(tmp_path, "shop/a.csv", {"Ma ref": "SKU-1", "quantity": "3"})
    options = ("--config", "own.toml", "--as", "offers-update", "--yes")
    ran = feedtool("watch feeds --sandbox", *QUICK, *options)
    assert "answered: inbox/shop/a.csv" in ran.err
    with Sandbox(sandbox_parts(), tmp_path / "home" / "sandbox.sqlite") as sandbox:
        (applied,) = applied_requests(sandbox)
    assert applied.package_type == "Update"


def test_the_inbox_itself_needs_no_account_where_profiles_have_theirs(
    feedtool: Feedtool, tmp_path: Path
) -> None:
    (tmp_path / "feedtool.toml").write_text(CONFIG)
    assert feedtool("watch feeds --create", *QUICK).code == 9
    drop(tmp_path, "a.csv", offer(1))
    ran = feedtool("watch feeds", *QUICK)
    assert ran.code == 2
    assert ran.err == "error: there is no account to send to\n"
    assert (tmp_path / "feeds" / "inbox" / "a.csv").exists()


LEFT = {
    "empty": ((), "holds no file"),
    "unfinished": (
        ("a.csv.part", "b.tmp"),
        "holds no file, but for what is unfinished by its name: a.csv.part, b.tmp",
    ),
    "open": (("a.xlsx", "~$a.xlsx"), "holds nothing that is whole"),
}


@pytest.mark.parametrize(("names", "told"), LEFT.values(), ids=LEFT)
def test_nothing_to_do(
    feedtool: Feedtool, tmp_path: Path, names: tuple[str, ...], told: str
) -> None:
    assert feedtool("watch feeds --sandbox --create", *QUICK).code == 9
    inbox = tmp_path / "feeds" / "inbox"
    for name in names:
        (inbox / name).write_bytes(b"a")
    ran = feedtool("watch feeds --sandbox", *QUICK)
    assert (ran.code, ran.out) == (9, "")
    *before, last = ran.err.splitlines()
    assert last == f"nothing to do: {inbox} {told}"
    lock = "it is open in another program, as ~$a.xlsx beside it says"
    assert before == ([f"waiting: inbox/a.xlsx stays: {lock}"] if "~$a.xlsx" in names else [])


def test_a_folder_is_made_only_where_that_is_asked_for(feedtool: Feedtool, tmp_path: Path) -> None:
    ran = feedtool("watch feeds --sandbox", *QUICK)
    assert ran.code == 2
    message, hint = ran.error()
    assert message.endswith(f"feeds is no watched folder: there is no {tmp_path}/feeds/inbox")
    assert "--create makes" in hint
    assert not (tmp_path / "feeds").exists()
    ran = feedtool("watch feeds --sandbox --create", *QUICK)
    assert ran.code == 9
    assert ran.err.startswith(f"made: {tmp_path}/feeds/inbox\n")
    found = sorted(one.name for one in (tmp_path / "feeds").iterdir() if one.is_dir())
    assert found == ["done", "error", "inbox", "processing", "results"]


def test_how_the_watcher_is(feedtool: Feedtool, tmp_path: Path) -> None:
    drop(tmp_path, "a.csv", offer(1))
    assert feedtool("watch feeds --sandbox", *QUICK).code == 0
    ran = feedtool("watch feeds --health --health-within 3600")
    assert ran.code == 0
    assert ran.out.startswith("done: last turn ")
    assert ran.out.endswith(" ago, 0 in work, 0 waiting\n")
    ran = feedtool("watch feeds/inbox --health")
    assert (ran.code, ran.out) == (5, "no watcher has ever looked into feeds/inbox\n")
    assert feedtool("watch nowhere --health").error()[0] == "there is no folder nowhere"
