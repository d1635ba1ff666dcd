"""`feedtool watch`: the account of each profile, and what is refused before anything is taken."""

from pathlib import Path

import pytest

from feedtool.model.errors import Exit
from tests.cli.conftest import Feedtool, Ran, applied
from tests.conftest import Files, offer

CONFIG = """[profile]
shop.seller = "never used with the sandbox"
shop.columns = { "Ma ref" = "sellerExternalReference" }
mall.columns = { "Mi ref" = "sellerExternalReference" }
"""
SANDBOX = "watch feeds --sandbox"


def once(feedtool: Feedtool, command: str = SANDBOX) -> Ran:
    return feedtool(f"{command} --once")


def drop(files: Files, place: str, number: int, heading: str = "sellerExternalReference") -> None:
    row = {key.replace("sellerExternalReference", heading): it for key, it in offer(number).items()}
    files.csv(row, name=f"feeds/inbox/{place}")


def test_each_file_is_read_by_its_profile(feedtool: Feedtool, files: Files) -> None:
    files.text(CONFIG, "feedtool.toml")
    drop(files, "shop/a.csv", 1, "Ma ref")
    drop(files, "mall/a.csv", 2, "Mi ref")
    drop(files, "a.csv", 3)
    files.csv({"sellerExternalReference": "SKU-4"}, name="feeds/inbox/shop/offers-delete/a.csv")
    drop(files, "mall/b.csv", 5, "Ma ref")
    ran = once(feedtool)
    assert (ran.code, ran.out) == (3, ""), ran.err
    upserts = {(f"SKU-{number}", "Upsert") for number in (1, 2, 3)}
    assert set(applied()) == upserts | {("SKU-4", "Delete")}
    assert Path("feeds/error/mall/b.csv.reason.txt").exists()
    assert ran.err.count("answered: ") == 4


def test_options_are_those_of_every_profile(feedtool: Feedtool, files: Files) -> None:
    files.text(CONFIG, "own.toml")
    files.csv({"Ma ref": "SKU-1", "quantity": "3"}, name="feeds/inbox/shop/a.csv")
    ran = once(feedtool, f"{SANDBOX} --config own.toml --as offers-update --yes")
    assert "answered: inbox/shop/a.csv" in ran.err
    assert applied() == [("SKU-1", "Update")]


def test_with_profiles_the_inbox_itself_needs_no_account(feedtool: Feedtool, files: Files) -> None:
    files.text(CONFIG, "feedtool.toml")
    assert once(feedtool, "watch feeds --create").code == 9
    drop(files, "a.csv", 1)
    ran = once(feedtool, "watch feeds")
    assert (ran.code, ran.err) == (2, "error: there is no account to send to\n")
    assert Path("feeds/inbox/a.csv").exists()


LEFT = {
    (): "holds no file",
    ("a.part", "b.tmp"): "holds no file, except unfinished files by their names: a.part, b.tmp",
    ("a.xlsx", "~$a.xlsx"): "holds nothing that is whole",
}


@pytest.mark.parametrize("names", LEFT)
def test_an_empty_inbox_is_reported(
    feedtool: Feedtool, files: Files, names: tuple[str, ...]
) -> None:
    assert once(feedtool, f"{SANDBOX} --create").code == 9
    for name in names:
        files.text("a", f"feeds/inbox/{name}")
    ran = once(feedtool)
    assert (ran.code, ran.out) == (9, "")
    *before, last = ran.err.splitlines()
    assert last == f"nothing to do: {Path('feeds/inbox').absolute()} {LEFT[names]}"
    lock = "it is open in another program, as ~$a.xlsx beside it says"
    assert before == ([f"waiting: inbox/a.xlsx stays: {lock}"] if "~$a.xlsx" in names else [])


def test_a_folder_is_made_only_where_that_is_asked_for(feedtool: Feedtool) -> None:
    inbox, ran = Path("feeds/inbox").absolute(), once(feedtool)
    message, hint = ran.error()
    assert ran.code == 2
    assert message.endswith(f"feeds is not a watched folder: there is no {inbox}")
    assert "--create makes" in hint
    assert not Path("feeds").exists()
    ran = once(feedtool, f"{SANDBOX} --create")
    assert ran.code == 9
    assert ran.err.startswith(f"made: {inbox}\n")
    found = sorted(path.name for path in Path("feeds").iterdir() if path.is_dir())
    assert found == ["done", "error", "inbox", "processing", "results"]


def test_the_health_of_a_watcher(feedtool: Feedtool, files: Files) -> None:
    drop(files, "a.csv", 1)
    assert once(feedtool).code == 0
    ran = feedtool("watch feeds --health --health-within 3600")
    assert (ran.code, ran.out[:16]) == (0, "done: last turn ")
    ran = feedtool("watch feeds/inbox --health")
    assert (ran.code, ran.out) == (5, "no watcher has ever looked into feeds/inbox\n")
    assert feedtool("watch nowhere --health").error()[0] == "there is no folder nowhere"


def test_a_folder_of_profiles_may_be_empty_at_first(feedtool: Feedtool, files: Files) -> None:
    (files.folder / "sellers").mkdir()
    (files.folder / "feeds/inbox").mkdir(parents=True)
    ran = once(feedtool, "watch feeds --profiles sellers")
    assert (ran.code, "error" in ran.err) == (Exit.NOTHING, False), ran.err


def test_a_broken_profile_stops_only_its_own_files(feedtool: Feedtool, files: Files) -> None:
    for row, (name, scale) in enumerate({"shop": 1, "mall": 3}.items(), 1):
        files.text(f"vat_scale = {scale}", f"sellers/{name}.toml")
        drop(files, f"{name}/a.csv", row)
    ran = once(feedtool, f"{SANDBOX} --profiles sellers")
    assert applied() == [("SKU-1", "Upsert")]
    assert "error: profile mall: sellers/mall.toml: vat_scale = 3 is not possible" in ran.err
    assert Path("feeds/inbox/mall/a.csv").exists()
    files.text("vat_scale = 100", "sellers/mall.toml")
    assert once(feedtool, f"{SANDBOX} --profiles sellers").code == 0
    assert not Path("feeds/inbox/mall/a.csv").exists()
