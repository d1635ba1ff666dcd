"""`feedtool map` of a list with a column that says which rows are not for sale."""

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, gtin

LIST = [
    "Réf;EAN;PV TTC;Qté;{header}",
    *(f"A-{number};{gtin(number)};{number + 9}.90;5;{{{number}}}" for number in range(4)),
]
MAPPED: dict[str, tuple[tuple[str, ...], list[str], list[str]]] = {
    # Header: the cells, the words of its rule, and the statuses of the rows.
    "Actif": (
        ("oui", "non", "1", "0"),
        ["non", "0", "no", "false"],
        ["Valid", "Skipped", "Valid", "Skipped"],
    ),
    "update-delete": (
        ("update", "delete", "", "DELETE"),
        ["DELETE", "delete"],
        ["Valid", "Skipped", "Valid", "Skipped"],
    ),
    "deleted": (("0", "0", "1", "0"), ["1", "yes", "true"], ["Valid", "Valid", "Skipped", "Valid"]),
    "Statut": (
        ("actif", "supprimé", "actif", "actif"),
        ["supprimé", "inactive", "archived", "deleted"],
        ["Valid", "Skipped", "Valid", "Valid"],
    ),
    "En ligne": (("oui",) * 4, ["0", "no", "false"], ["Valid"] * 4),
}
FIXED = (
    *("--default", "preparationTime=2", "--default", "taxes.VAT=20", "--default", "condition=New"),
    *("--default", "deliveryModes.TrackedHomeDelivery.cost=4.9"),
    *("--default", "deliveryModes.TrackedHomeDelivery.additionalCost=1"),
)


@pytest.mark.parametrize("header", MAPPED)
def test_a_map_leaves_such_rows_out(feedtool: Feedtool, files: Files, header: str) -> None:
    cells, words, statuses = MAPPED[header]
    files.text("\n".join(LIST).format(*cells, header=header) + "\n", "list.csv")
    ran = feedtool("map list.csv --yes --format json --out a.toml", *FIXED)
    column = ran.json["columns"][-1]
    assert (column["key"], column["accepted"], column["notForSale"]) == (None, True, words)
    assert column["alternatives"] == ["action"]
    ran = feedtool("submit list.csv --dry-run --format json --recipe a.toml")
    assert ran.statuses == statuses, ran.only["problems"]


BY_WORDS = {
    # Header and cells of a column whose name is not known: whether it may mark rows.
    "Mouvement": (("update", "delete", "", "update"), True),
    "Lifecycle": (("active", "archived", "draft", "active"), True),
    "Commande": (("MAJ", "Supprimer", "MAJ", "ajout"), True),
    "Gamme": (("A", "D", "A", "C"), False),
    "Remarque": (("delete", "voir Paul", "", ""), False),
    "Rayon": (("actif", "en stock", "actif", "actif"), False),
}


@pytest.mark.parametrize("header", BY_WORDS)
def test_a_map_asks_about_an_unknown_column_by_its_words(
    feedtool: Feedtool, files: Files, header: str
) -> None:
    cells, is_mark = BY_WORDS[header]
    files.text("\n".join(LIST).format(*cells, header=header) + "\n", "list.csv")
    ran = feedtool("map list.csv --yes --format json --out a.toml", *FIXED)
    column = ran.json["columns"][-1]
    assert bool(column.get("notForSale")) == is_mark
    assert not (is_mark and column["accepted"])


@pytest.mark.parametrize(
    "cells",
    [
        ("Nouveau", "Rupture", "Nouveau", "Rupture"),
        ("Actif", "Rupture", "Supprimé", "Actif"),  # the rest of which is understood
    ],
)
def test_a_map_asks_about_unknown_words(
    feedtool: Feedtool, files: Files, cells: tuple[str, ...]
) -> None:
    files.text("\n".join(LIST).format(*cells, header="Statut") + "\n", "list.csv")
    ran = feedtool("map list.csv --yes --out a.toml", *FIXED)
    assert "not taken: “Statut”" in ran.err
    ran = feedtool("validate list.csv --format json --recipe a.toml")
    assert "sale-mark-unclear" in {problem["code"] for problem in ran.only["problems"]}


def test_words_of_a_later_delivery_are_read_beside_the_recipe(
    feedtool: Feedtool, files: Files
) -> None:
    text = "\n".join(LIST) + "\n"
    files.text(text.format(*("actif", "archivé") * 2, header="Statut"), "list.csv")
    feedtool("map list.csv --yes --out a.toml", *FIXED)
    later = ("actif", "archivé", "supprimé", "Rupture")
    files.text(text.format(*later, header="Statut"), "list.csv")
    ran = feedtool("submit list.csv --dry-run --format json --recipe a.toml")
    assert ran.statuses == ["Valid", "Skipped", "Invalid", "Valid"], ran.only["problems"]
    assert [problem["code"] for problem in ran.only["problems"]] == ["sale-mark"]


def test_a_recipe_decides(feedtool: Feedtool, files: Files) -> None:
    files.text("\n".join(LIST).format(*("non",) * 4, header="Actif") + "\n", "list.csv")
    feedtool("map list.csv --yes --out a.toml", *FIXED)
    text = (files.folder / "a.toml").read_text("utf-8")
    own, _, _ = text.partition("[names]")
    sent = own.replace("[columns]", '[columns]\n"Actif" = false')
    files.text(sent, "b.toml")
    ran = feedtool("submit list.csv --dry-run --format json --recipe b.toml", *FIXED)
    assert ran.statuses == ["Valid"] * 4
    files.text(own, "c.toml")
    ran = feedtool("submit list.csv --dry-run --format json --recipe c.toml", *FIXED)
    assert ran.statuses == ["Invalid"] * 4
    assert '"Actif" = false' in ran.only["problems"][0]["hint"] + ran.only["problems"][1]["hint"]
