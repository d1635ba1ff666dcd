"""`feedtool map --from`: a later delivery, some of whose columns are called otherwise."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from feedtool.model.errors import Exit
from tests.cli.conftest import Feedtool, OnTerminal
from tests.conftest import Files, gtin

BASE = """
[match]
kind = "offers-upsert"
headers = ["Réf", "Code barre"]
rows = "until-blank"

[columns]
"Réf" = "sellerExternalReference"
"Code barre" = "product.gtin"
"Qté dispo" = "quantity"
"Etat" = "condition"
"Fournisseur" = false

[names]
cost = "PA HT"
brand = "Marque"

[values.condition]
"2nd choix" = "UsedAverageState"

[default]
preparationTime = 2
"deliveryModes.TrackedHomeDelivery.cost" = 4.9
"deliveryModes.TrackedHomeDelivery.additionalCost" = 2

[compute]
"price.price" = "ends(cost * 1.2 + 3, 0.99)"

[skip]
"not ours" = 'says(brand, "Acme")'

[join.rates]
file = "rates.csv"
key = { "Réf" = "ref" }
take = { "taxes.VAT" = "rate" }

[channels.SECOND]
"price.price" = "ends(price.price * 1.08, 0.99)"
"""
OLD = "Réf;Code barre;Qté dispo;Etat;Fournisseur;PA HT;Marque"
NEW = "Référence article;EAN;Quantité;Etat;Fournisseur;Prix d'achat HT;Marque"


@pytest.fixture
def deliver(files: Files) -> Any:
    """Writes a delivery with some headers, beside the recipe of the one before."""

    def written(headers: str) -> None:
        files.text(BASE, "base.toml")
        files.text("ref;rate\nA1;20\nA2;5,5\nA3;20\n", "rates.csv")
        cells = ["2nd choix;Dupont;10,00;Zeta", "Neuf;Dupont;20,50;Acme", "Neuf;Dupont;30,00;Zeta"]
        rows = (f"A{n};{gtin(n)};{n};{rest}\n" for n, rest in enumerate(cells, 1))
        files.text(f"{headers}\n" + "".join(rows), "list.csv")

    return written


def recipe() -> Any:
    return tomllib.loads(Path("recipes/list.toml").read_text("utf-8"))


KEPT = ("values", "default", "compute", "skip", "channels")


def test_a_recipe_is_kept_with_changed_headers(feedtool: Feedtool, deliver: Any) -> None:
    deliver(NEW)
    ran = feedtool("map list.csv --yes --from base.toml")
    made, base = recipe(), tomllib.loads(BASE)
    assert {table: made[table] for table in KEPT} == {table: base[table] for table in KEPT}
    assert made["names"] == {"cost": "Prix d'achat HT", "brand": "Marque"}
    assert made["join"]["rates"]["key"] == {"Référence article": "ref"}
    assert (made["match"]["rows"], made["columns"]["Quantité"]) == ("until-blank", "quantity")
    told = "“Qté dispo” is “Quantité”, “PA HT” is “Prix d'achat HT”"
    assert f"Renamed: “Réf” is “Référence article”, “Code barre” is “EAN”, {told}" in ran.out
    assert ran.next == "`feedtool validate list.csv` checks its rows"
    read = feedtool("validate list.csv --format json").only
    assert (read["rows"], read["skippedBecause"], read["invalid"]) == (3, {"not ours": 1}, 0)


def test_only_changed_columns_are_asked(on_terminal: OnTerminal, deliver: Any) -> None:
    deliver(OLD.replace("Qté dispo", "Bidule").replace("PA HT", "Machin"))
    answers = "quantity\nPA HT\n"
    code, asked = on_terminal(answers, "map", "list.csv", "--from", "base.toml")
    assert (code, asked.count("another (n)")) == (0, 2)
    assert "C “Bidule”: 1, 2, 3" in asked
    assert "or price.price or “PA HT”" in asked
    assert (recipe()["columns"]["Bidule"], recipe()["names"]["cost"]) == ("quantity", "Machin")


def test_a_missing_header_stays_in_the_recipe_and_is_reported(
    feedtool: Feedtool, deliver: Any
) -> None:
    deliver(OLD.replace("Qté dispo", "Bidule").replace("PA HT", "Machin"))
    ran = feedtool("map list.csv --yes --from base.toml")
    assert "no column is called “Qté dispo”, “PA HT” any more" in ran.err
    made, base = recipe(), tomllib.loads(BASE)
    assert (made["names"], made["compute"]) == (base["names"], base["compute"])
    assert made["columns"]["Qté dispo"] == "quantity"
    assert feedtool("validate list.csv --recipe recipes/list.toml").code == Exit.FILE
    ran = feedtool("map list.csv --yes --from base.toml --format json --out again.toml").json
    columns = {column["header"]: column["alternatives"] for column in ran["columns"]}
    assert columns["Bidule"][0] == "quantity"


def test_the_recipe_of_each_delivery_is_found(
    feedtool: Feedtool, files: Files, deliver: Any
) -> None:
    headers = 'headers = ["Réf", "Code barre", "Qté dispo", "Etat"]'
    old = BASE.replace('headers = ["Réf", "Code barre"]', headers)
    deliver(OLD.replace("PA HT", "Prix d'achat HT"))
    files.text(old, "recipes/base.toml")
    ran = feedtool("map list.csv --yes --from recipes/base.toml")
    assert ran.next == "`feedtool validate list.csv` checks its rows"
    assert feedtool("validate list.csv --format json").only["recipe"]["name"] == "list"
    deliver(OLD)
    assert feedtool("validate list.csv --format json").only["recipe"]["name"] == "base"


NOT_TAKEN = {
    # Another header is never taken for one that an expression reads, if its tax or buyer differs.
    "with tax": "Prix d'achat TTC",
    "a selling price": "PV TTC",
    "a list price": "Prix conseillé HT",
}


@pytest.mark.parametrize("header", NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_no_other_price_is_taken_for_the_one_that_is_gone(
    feedtool: Feedtool, deliver: Any, header: str
) -> None:
    deliver(OLD.replace("PA HT", header))
    feedtool("map list.csv --yes --from base.toml")
    assert recipe()["names"]["cost"] == "PA HT"


def test_a_delivery_that_the_recipe_fits_needs_no_other(feedtool: Feedtool, deliver: Any) -> None:
    deliver(OLD)
    ran = feedtool("map list.csv --yes --from base.toml")
    assert "The recipe base.toml fits list.csv already" in ran.out
    assert ran.next == "`feedtool validate list.csv --recipe base.toml` checks its rows"
    assert not Path("recipes").exists()


def test_the_sheet_and_the_kind_are_those_of_the_recipe(feedtool: Feedtool, files: Files) -> None:
    match = '[match]\nkind = "offers-update"\nsheet = "Stock 2025"\n'
    columns = '[columns]\n"Réf" = "sellerExternalReference"\n"Dispo" = "quantity"\n'
    files.text(match + columns, "base.toml")
    rows = [{"Référence": f"A{n}", "Stock": str(n)} for n in range(3)]
    files.book({"Stock 2026": rows}, "list.xlsx")
    feedtool("map list.xlsx --yes --from base.toml")
    assert recipe()["match"]["sheet"] == "Stock 2026"
    assert feedtool("validate list.xlsx --format json").counts == [3, 3, 0, 0, 0]


def test_a_preset_leaves_out_missing_columns(feedtool: Feedtool, files: Files) -> None:
    files.text("Variant SKU;Variant Price;Status\n" + "A1;9,90;active\n" * 3, "list.csv")
    ran = feedtool("map list.csv --yes --from preset:shopify")
    assert (ran.code, "fits list.csv already" in ran.out) == (0, False)
    assert recipe()["columns"]["Variant Price"] == "price.price"


def test_one_recipe_is_named(feedtool: Feedtool, deliver: Any) -> None:
    deliver(NEW)
    ran = feedtool("map list.csv --yes --from base.toml --recipe base.toml")
    assert (ran.code, ran.error()[0]) == (Exit.USAGE, "--from and --recipe both name a recipe")
