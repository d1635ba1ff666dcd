"""Answers about a file's columns, kept for all files of an account and taken back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from feedtool.model.errors import UsageProblem
from feedtool.page.access import Users
from feedtool.page.recipes import keep, recipe_in_force, take_back
from feedtool.page.session import PageSession
from feedtool.runs.config import ACTIONS, PageRights
from tests.conftest import Files, offer, table
from tests.page.conftest import application, made_session, settled, upload_file
from tests.page.own_sheets import ADDITIONAL, LIST, SHIPPING, answer_columns, form_of

CONFIGURATION = '[profile.shop]\nseller = "1"\nrecipes = "mine"\n[profile.other]\nseller = "2"\n'
EARLIER = """\
[match]
kind = "offers-upsert"
headers = ["Réf", "Code barre"]
[columns]
"Réf" = "sellerExternalReference"
"Code barre" = "product.gtin"
"Qté dispo" = "quantity"
"Etat" = "condition"
[default]
"taxes.VAT" = 20
"deliveryModes.TrackedHomeDelivery.cost" = 4.90
"deliveryModes.TrackedHomeDelivery.additionalCost" = 0
preparationTime = 2
[names]
cost = "PA HT"
[compute]
"price.price" = "cost * 2"
[values.condition]
"2nd choix" = "UsedLikeNew"
"""


@pytest.fixture
def session(files: Files, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageSession]:
    """A page of a profile with a folder of recipes, and of one without."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(files.folder / "settings"))
    monkeypatch.chdir(files.folder)
    files.text(CONFIGURATION, "feedtool.toml")
    with made_session(files.folder / "home") as session:
        yield session


def mapped(client: FlaskClient, files: Files, account: str = "shop", text: str = LIST) -> str:
    """The list, once its columns are said."""
    file = upload_file(client, files.text(text, "list of May 2026.csv"), account=account)
    settled(client, f"/en/files/{file}")
    answer = answer_columns(client, file, {**form_of(client, file), **SHIPPING})
    assert answer.status_code == 303, answer.text
    settled(client, f"/en/files/{file}")
    return file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


FOLDERS = {"shop": ("mine", False), "other": ("settings/feedtool/recipes", True)}
"""The folder of an account's recipes, and whether it is of all accounts."""
RIGHTS: dict[str, tuple[PageRights, str, int]] = {
    "all accounts": (PageRights(("*",), ACTIONS), "other", 303),
    "one account, with its folder": (PageRights(("shop",), ACTIONS), "shop", 303),
    "one account, and the folder is of all": (PageRights(("other",), ACTIONS), "other", 403),
    "may check alone": (PageRights(("*",), ("check",)), "shop", 403),
}


def test_a_recipe_is_kept_in_the_folder_of_the_account_by_who_may(
    client: FlaskClient, session: PageSession, files: Files
) -> None:
    brought = {account: mapped(client, files, account) for account in FOLDERS}
    for account, (folder, is_of_all) in FOLDERS.items():
        file = session.uploads.file(brought[account])
        assert recipe_in_force(session, file).is_of_all is is_of_all
        place = keep(session, file)
        assert place.absolute() == files.folder / folder / "list of May.toml"
        assert recipe_in_force(session, file).place == keep(session, file) == place
        take_back(place)
        assert names(place.parent) == ["list of May.toml.taken-back"]
        assert recipe_in_force(session, file).place is None
    for name, (rights, account, status) in RIGHTS.items():
        shared = application(replace(session, users=Users("owner", {"": rights}))).test_client()
        for act in ("keep", "take-back"):
            answer = shared.post(f"/en/files/{brought[account]}/recipe/{act}")
            assert answer.status_code == status, name
    # A file that is no recipe prevents that one is kept.
    files.text("[match]\nkind = 7\n", "mine/broken.toml")
    with pytest.raises(UsageProblem, match=r"broken\.toml"):
        keep(session, session.uploads.file(brought["shop"]))
    assert names(files.folder / "mine") == ["broken.toml", "list of May.toml.taken-back"]


def test_a_replaced_recipe_keeps_its_rules_and_can_come_back(
    client: FlaskClient, session: PageSession, files: Files
) -> None:
    earlier = files.text(EARLIER, "mine/dupont.toml")
    file = upload_file(client, files.text(LIST, "list.csv"), account="shop")
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}"
    form = form_of(client, file)
    assert form[ADDITIONAL] == "0"
    assert form["column:3"] == ""  # a rule reads it
    assert (
        answer_columns(client, file, {**form, ADDITIONAL: "2", "column:2": ""}).status_code == 303
    )
    kept = session.uploads.file(file)
    assert keep(session, kept).absolute() == earlier
    text = earlier.read_text("utf-8")
    assert 'additionalCost" = "2"' in text
    assert '"price.price" = "cost * 2"' in text
    assert '"2nd choix" = "UsedLikeNew"' in text
    take_back(earlier)
    assert earlier.read_text("utf-8") == EARLIER


def test_a_recipe_without_effect_is_not_kept(
    client: FlaskClient, session: PageSession, files: Files
) -> None:
    """A sheet with only field names takes a recipe from an account's own folder, and no other."""
    file = session.uploads.file(mapped(client, files, "other", table([offer(1), offer(2)])))
    with pytest.raises(UsageProblem, match="are known without it"):
        keep(session, file)
    assert names(files.folder / "settings" / "feedtool" / "recipes") == []


def test_recipes_beside_the_page_do_not_count(client: FlaskClient, files: Files) -> None:
    """A file that was brought lies beside nothing, wherever the page was started."""
    files.text(EARLIER, "recipes/dupont.toml")
    file = upload_file(client, files.text(LIST, "list.csv"), account="other")
    assert settled(client, f"/en/files/{file}").request.path == f"/en/files/{file}/columns"
