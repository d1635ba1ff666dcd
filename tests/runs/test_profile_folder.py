"""Profiles in a folder, a file for each: what is read when, and what a broken one stops."""

import os
from pathlib import Path

import pytest

from feedtool.model.call import Budget
from feedtool.model.errors import UsageProblem
from feedtool.runs.config import Config, load
from tests.conftest import Files

OWN = """
[profile.shop]
seller = "1"

[budgets.both]
per_second = 9

[page.users.anna]
profiles = ["north"]
"""
NORTH = """
base_url = "https://seller.example/v2"
seller = "2"
token_file = "tokens/north"
client_secret_file = "/run/secrets/north"
recipes = "recipes"
budget = "both"
vat_scale = 1

[columns]
"Mon EAN" = "product.gtin"
"""


def config_of(files: Files, own: str = OWN, **sellers: str) -> Config:
    """A configuration with a file for each of some sellers."""
    for name, text in sellers.items():
        files.text(text, f"sellers/{name}.toml")
    return load(files.text(own, "feedtool.toml")).with_folder(files.folder / "sellers")


def test_a_file_is_a_profile(files: Files) -> None:
    config = config_of(files, north=NORTH)
    profile, folder = config.profile("north"), files.folder / "sellers"
    assert profile.account == {
        "base_url": "https://seller.example/v2",
        "seller": "2",
        "token_file": str(folder / "tokens/north"),
        "client_secret_file": "/run/secrets/north",
    }
    assert (profile.recipes, profile.path) == (folder / "recipes", folder / "north.toml")
    assert profile.dialect.columns == {"Mon EAN": "product.gtin"}
    assert profile.budget == Budget("both", 9, 1)
    assert (config.profile("shop").account, config.profile("shop").path) == ({"seller": "1"}, None)
    assert list(config.profiles) == ["shop", "north"]
    assert config.users_of_page()["anna"].profiles == ("north",)


def test_names_are_in_their_order_and_lead_nowhere_else(files: Files) -> None:
    config = config_of(files, "", south="", north="", east="")
    for name in (".hidden.toml", "notes.txt", "south.toml~", "folder.toml/x", ".toml"):
        files.text("", f"sellers/{name}")
    files.text("", "other/shop.toml")
    profiles = config.profiles
    assert (list(profiles), len(profiles)) == (["east", "north", "south"], 3)
    strangers: tuple[object, ...] = ("../other/shop", "folder", ".hidden", "", "notes", None)
    assert [name for name in strangers if name in profiles] == []
    for name in ("../other/shop", "folder", "north/.."):
        with pytest.raises(UsageProblem, match="there is no profile"):
            config.profile(name)


def test_changed_profiles_are_read_again(files: Files) -> None:
    config = config_of(files, "", north='token = "first"')
    profiles = config.profiles
    assert profiles["north"].account == {"token": "first"}
    assert profiles["north"] is profiles["north"], "what has not changed is not read again"
    files.text('token = "other"', "sellers/north.toml")
    files.text('token = "new"', "sellers/new.toml")
    assert profiles["north"].account == {"token": "other"}
    assert (list(profiles), profiles["new"].account) == (["new", "north"], {"token": "new"})
    (files.folder / "sellers/north.toml").unlink()
    assert ("north" in profiles, list(profiles)) == (False, ["new"])
    with pytest.raises(UsageProblem, match="there is no profile “north”"):
        config.profile("north")


BROKEN = {
    "no TOML": ("seller = ", "broken.toml cannot be read: it is not TOML", "correct the file"),
    "no UTF-8": ("# caf\udce9", "it is not UTF-8", "save it"),
    "a name that nobody knows": ("selller = '1'", "nobody knows “selller”", "seller"),
    "a table of its name": ("[profile.broken]\nseller = '1'", "a table [profile]", "without"),
    "a budget that is not there": ("budget = 'x'", "there is no budget “x”", "[budgets.NAME]"),
    "a secret that is not text": ("token = 314", "token must be a text", "write token"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_stops_only_its_own_seller(files: Files, case: str) -> None:
    text, said, hint = BROKEN[case]
    config = config_of(files, north="seller = '2'")
    (files.folder / "sellers/broken.toml").write_bytes(text.encode(errors="surrogateescape"))
    assert list(config.profiles) == ["shop", "broken", "north"]
    with pytest.raises(UsageProblem) as raised:
        config.profile("broken")
    assert said in raised.value.message
    assert str(files.folder / "sellers/broken.toml") in raised.value.message
    assert hint in raised.value.hint
    assert "314" not in raised.value.message + raised.value.hint, "a secret"
    for name, seller in (("shop", "1"), ("north", "2")):
        assert config.profile(name).account == {"seller": seller}


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(files: Files) -> None:
    config = config_of(files, north="")
    (files.folder / "sellers/north.toml").chmod(0)
    with pytest.raises(UsageProblem, match="denied") as raised:
        config.profile("north")
    assert "feedtool may read it" in raised.value.hint


def test_a_name_in_both_places_is_refused_and_no_other_one(files: Files) -> None:
    config = config_of(files, shop="seller = '3'", north="seller = '2'")
    assert list(config.profiles) == ["shop", "north"]
    with pytest.raises(UsageProblem) as raised:
        config.profile("shop")
    for place in ("feedtool.toml", str(Path("sellers/shop.toml"))):
        assert place in raised.value.message
    assert config.profile("north").account == {"seller": "2"}


def test_the_error_of_an_unknown_profile_names_the_nearest(files: Files) -> None:
    config = config_of(files, **{f"shop-{number}": "" for number in range(300)})
    with pytest.raises(UsageProblem) as raised:
        config.profile("shop-2x7")
    assert "sellers" in raised.value.message
    assert "shop-27" in raised.value.hint
    assert str(files.folder / "sellers/shop-2x7.toml") in raised.value.hint
    assert len(raised.value.hint) < 300


def test_there_has_to_be_a_folder(files: Files) -> None:
    with pytest.raises(UsageProblem, match="there is no such folder") as raised:
        load(None).with_folder(files.folder / "nowhere")
    assert "--profiles" in raised.value.hint
    config = config_of(files, north="")
    (files.folder / "sellers").rename(files.folder / "moved")
    with pytest.raises(UsageProblem, match="cannot be read: No such file"):
        list(config.profiles)
    assert config.profile("shop").account == {"seller": "1"}
