"""`feedtool map`: from a merchant's own sheet to a recipe, with few questions or none."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from feedtool.model.errors import Exit
from tests.cli.conftest import Feedtool, OnTerminal
from tests.conftest import Files, gtin

SEVEN = "Réf;Code barre;PV TTC;Qté dispo;Etat;TVA;Delai\n"
ROWS = "A-1;3760452700039;11,90;7;Neuf;20;2\nA-2;4006381333931;5,49;0;Neuf;5,5;3\n"
MORE = "A-3;5901234123457;129,00;3;Neuf;20;3\nA-4;4012345678901;12,00;3;Neuf;20;3\n"
SHIPPING = "deliveryModes.TrackedHomeDelivery"


def recipe(path: str = "recipes/list.toml") -> Any:
    return tomllib.loads(Path(path).read_text("utf-8"))


def test_two_answers_make_a_common_list_valid_once_and_for_all(
    feedtool: Feedtool,
    on_terminal: OnTerminal,
    files: Files,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files.text(SEVEN + ROWS + MORE, "list.csv")
    code, asked = on_terminal("4.90\n2\n", "map", "list.csv")
    capsys.readouterr()
    assert (code, asked.count("for all rows?")) == (0, 2)
    assert recipe()["default"] == {f"{SHIPPING}.cost": "4.90", f"{SHIPPING}.additionalCost": "2"}
    assert feedtool("submit --dry-run list.csv --format json").counts == [4, 4, 0, 0, 0]
    files.text(SEVEN + MORE, "list-of-tuesday.csv")
    assert feedtool("validate list-of-tuesday.csv --format json").counts == [2, 2, 0, 0, 0]
    files.text(SEVEN.replace("Qté dispo", "Stock libre") + MORE, "renamed.csv")
    renamed = feedtool("validate renamed.csv")
    assert renamed.code == Exit.FILE
    assert "lacks “Qté dispo” (perhaps “Stock libre”); new there: “Stock libre”" in renamed.out


UNSURE = "SKU;EAN;Listino;Foo\n" + "".join(f"A{n};;1{n},99;x{n}\n" for n in range(4))
DIALOGUES: dict[str, tuple[str, Mapping[str, object]]] = {
    # The columns C and D are asked for.
    "yes": ("y\ny\n", {"Listino": "price.originPrice", "Foo": False}),
    "ignore": ("i\ni\n", {"Listino": False, "Foo": False}),
    "another": (
        *("n\nprice.price\ncondition\n",),
        {"Listino": "price.price", "Foo": "condition"},
    ),
    "one that is taken, one that is none": (
        *("sellerExternalReference\nprise.price\nprice.price\ni\n",),
        {"Listino": "price.price", "Foo": False},
    ),
    "what is this": ("?\ny\ni\n", {"Listino": "price.originPrice", "Foo": False}),
}
SAID = {
    "another": "type one of: product.reference",
    "one that is taken, one that is none": "did you mean price.price?",
    "what is this": "price.originPrice: List price (strike-through). The higher price, shown",
}


@pytest.mark.parametrize("case", DIALOGUES)
def test_a_column_that_is_not_sure_is_asked_for(
    on_terminal: OnTerminal, files: Files, case: str
) -> None:
    typed, meanings = DIALOGUES[case]
    files.text(UNSURE, "list.csv")
    code, asked = on_terminal(typed + "\n" * 20, "map", "list.csv")
    assert (code, "C “Listino”: 10,99, 11,99, 12,99" in asked) == (0, True)
    columns = recipe()["columns"]
    assert {header: columns[header] for header in meanings} == meanings
    assert SAID.get(case, "") in asked


def test_no_price_is_the_same_for_all_rows(on_terminal: OnTerminal, files: Files) -> None:
    files.text("SKU;EAN;Stock\nA1;;7\nA2;;0\nA3;;2\n", "list.csv")
    code, asked = on_terminal("New\n20\n2\n4.90\nfree\n1\n", "map", "list.csv")
    price = "price.price (Price (VAT included)): name its column in [columns] of the recipe,"
    assert (code, price in asked) == (0, True)
    assert "“free” is not a value of deliveryModes.TrackedHomeDelivery.additionalCost" in asked
    assert list(recipe()["default"]) == [
        *("condition", "taxes.VAT", "preparationTime", f"{SHIPPING}.cost"),
        f"{SHIPPING}.additionalCost",
    ]


STATES = "SKU;EAN;Zustand\nA1;;Neu\nA2;;Wie neu\nA3;;Gebraucht\nA4;;Neu\n"


def test_values_that_a_field_does_not_know_are_asked_for(
    feedtool: Feedtool, on_terminal: OnTerminal, files: Files
) -> None:
    files.text(STATES, "list.csv")
    ran = feedtool("map --yes list.csv")
    known = {"Neu": "New", "Wie neu": "UsedLikeNew"}
    assert recipe()["values"] == {"condition": known}
    assert "condition: nobody knows “Gebraucht”; say it in [values.condition]" in ran.out
    code, asked = on_terminal(
        "\n\nold\nUsedAverageState\n" + "\n" * 9, "map", "list.csv", "--out=b"
    )
    assert (code, "“old” is not a value of condition" in asked) == (0, True)
    assert all(f"Enter: {taken})" in asked for taken in ("New", "UsedLikeNew", "leave it"))
    assert recipe("b")["values"] == {"condition": {**known, "Gebraucht": "UsedAverageState"}}


TITLED = "Tarif de printemps\n\nRéf. ;Prix HT;Prix TTC;Prix conseillé;Poids\n" + "".join(
    f"R{n};{n}0,00;{n}2,00;{n}5,00;{n},5\n" for n in range(1, 8)
)


def test_the_object_of_the_columns(feedtool: Feedtool, files: Files) -> None:
    files.text(TITLED, "list.csv")
    ran = feedtool("map list.csv --format json")
    assert (ran.code, ran.err) == (0, "")
    columns = ran.json.pop("columns")
    missing = [key for key in ran.json["missing"] if "." not in key]
    assert {**ran.json, "missing": missing} == {
        "file": "list.csv",
        "sheet": None,
        "headerRow": 3,
        "recipe": "recipes/list.toml",
        "columns": columns,
        "missing": ["condition", "preparationTime", "quantity"],
    }
    assert columns[0] == {
        "column": "A",
        "header": "Réf.",
        "key": "sellerExternalReference",
        "accepted": True,
        "confidence": 100,
        "alternatives": ["product.reference"],
    }
    assert [(column["key"], column["accepted"]) for column in columns[1:]] == [
        *((None, True), ("price.price", True), ("price.originPrice", False), (None, True)),
    ]


def test_a_header_of_two_rows_is_read_together(feedtool: Feedtool, files: Files) -> None:
    rows = "".join(f"R{n};{n}1,50;{n}5,99;{n}\n" for n in range(1, 8))
    files.text(f"Article;Prix;;Quantité\nRéf;Achat;TTC;Dispo\n{rows}", "list.csv")
    ran = feedtool("map list.csv --format json").json
    assert (ran["headerRow"], [column["key"] for column in ran["columns"]]) == (
        *(2, ["sellerExternalReference", None, "price.price", "quantity"]),
    )
    assert recipe()["columns"]["TTC"] == "price.price"


ROWS_OF_TWO = {
    "groups": ("Article;;Prix;;Quantité\nRéf;EAN;Achat;TTC;Dispo", "TTC"),
    "cells merged downwards": ("Référence;EAN;Prix;;Stock\n;;Achat;Vente TTC;", "Vente TTC"),
    "a name in each group": ("Article;;Achat;Vente;Stock\nRéf;EAN;Prix;Prix;Dispo", "Vente Prix"),
}


@pytest.mark.parametrize(("header", "price"), ROWS_OF_TWO.values(), ids=ROWS_OF_TWO)
def test_a_recipe_of_a_header_of_two_rows_is_found_again(
    feedtool: Feedtool, files: Files, header: str, price: str
) -> None:
    rows = "".join(f"R{n};{gtin(n)};{n}1,50;{n}5,99;{n}\n" for n in range(1, 8))
    files.text(f"{header}\n{rows}", "list.csv")
    defaults = "preparationTime=2 taxes.VAT=20 condition=New"
    costs = [f"deliveryModes.TrackedHomeDelivery.{key}=4" for key in ("cost", "additionalCost")]
    given = " ".join(f"--default {text}" for text in (*defaults.split(), *costs))
    assert feedtool(f"map list.csv {given}").code == 0
    assert recipe()["columns"][price] == "price.price"
    ran = feedtool("validate list.csv --format json").only
    assert (ran["headerRow"], ran["valid"], ran["invalid"]) == (2, 7, 0)
    assert ran["recipe"]["path"].endswith("recipes/list.toml")


IN_CHINESE = "商家编码;条形码;售价;库存;成色\n" + "".join(
    f"C{n};{gtin(n)};{n}2,90;{n + 2};New\n" for n in range(1, 9)
)


def test_a_header_in_any_script_is_mapped_by_its_cells(
    feedtool: Feedtool,
    on_terminal: OnTerminal,
    files: Files,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files.text(IN_CHINESE, "list.csv")
    ran = feedtool("map list.csv --yes --format json").json
    columns = {column["header"]: column for column in ran["columns"]}
    taken = {header: column["key"] for header, column in columns.items() if column["accepted"]}
    assert (ran["headerRow"], taken) == (1, {"条形码": "product.gtin", "成色": "condition"})
    assert columns["售价"]["alternatives"][0] == "price.price"
    assert columns["库存"]["alternatives"][0] == "quantity"
    answers = ["sellerExternalReference", "price.price", "quantity", "20", "2", "4.90", "2"]
    assert on_terminal("\n".join((*answers, "")), "map", "list.csv", "--out", "cn.toml")[0] == 0
    capsys.readouterr()
    ran = feedtool("validate list.csv --recipe cn.toml --format json")
    assert ran.counts == [8, 8, 0, 0, 0]


def test_min_sets_the_confidence_of_sure_columns(feedtool: Feedtool, files: Files) -> None:
    files.text(TITLED, "list.csv")
    columns = feedtool("map list.csv --format json --min 75").json["columns"]
    assert all(column["accepted"] for column in columns)


def test_a_sheet_that_a_recipe_fits_needs_none(feedtool: Feedtool, files: Files) -> None:
    files.text(SEVEN + ROWS, "list.csv")
    text = "complete recipes/list.toml, then `feedtool validate list.csv`"
    assert feedtool("map list.csv").next == text
    again = feedtool("map list.csv")
    assert (again.code, "recipes/list.toml fits list.csv already" in again.out) == (0, True)
    assert feedtool("map list.csv --format json").json["recipe"] == "recipes/list.toml"
    assert [path.name for path in Path("recipes").iterdir()] == ["list.toml"]
    refused = feedtool("map list.csv --out recipes/list.toml")
    words = "recipes/list.toml exists already", "name another place with --out"
    assert (refused.out, refused.error()) == ("", words)


def test_a_template_of_ours_needs_no_recipe(feedtool: Feedtool, files: Files) -> None:
    feedtool("template offers-upsert")
    files.text("[match", "recipes/broken.toml")  # which nothing needs
    ran = feedtool("map offers-upsert.xlsx")
    assert (ran.code, "it requires no recipe" in ran.out) == (0, True)
    assert feedtool("map offers-upsert.xlsx --format json").json["recipe"] is None


def test_a_repeated_word_among_numbers_is_asked(feedtool: Feedtool, files: Files) -> None:
    stocks = "A;7 B;0 C;3 D;out E;out F;4 G;n/a H;9"
    files.text("SKU;Stock\n" + stocks.replace(" ", "\n"), "list.csv")
    out = feedtool("map list.csv").out
    assert "quantity: nobody knows “out”; say it in [values.quantity]" in out


def test_a_header_of_another_recipe_is_known(feedtool: Feedtool, files: Files) -> None:
    files.text(SEVEN + ROWS, "list.csv")
    match = '[match]\nkind = "offers-upsert"\nheaders = ["PV", "Lot"]\n'
    files.text(f'{match}[columns]\nPV = "price.floor"\n', "recipes/a.toml")
    files.text(f"{SEVEN.strip()};PV\n" + ROWS.replace("\n", ";1\n"), "more.csv")
    out = feedtool("map more.csv").out
    assert "as in recipe a" in out
    assert recipe("recipes/more.toml")["columns"]["PV"] == "price.floor"


def test_a_sheet_without_a_sure_column_gets_no_recipe(feedtool: Feedtool, files: Files) -> None:
    files.text("Foo;Listino\nx;1,99\ny;2,99\nz;3,99\n", "list.csv")
    ran = feedtool("map list.csv")
    assert (ran.code, Path("recipes").exists()) == (Exit.NOTHING, False)
    assert "no column is sure" in ran.err


def test_stock_is_enough_for_an_update(feedtool: Feedtool, files: Files) -> None:
    files.text("Codice;Giacenza\nA1;5\nA2;0\nA3;7\n", "list.csv")
    assert "feedtool map list.csv --as offers-update" in feedtool("map list.csv").err
    Path("recipes/list.toml").unlink()
    assert feedtool("map list.csv --as offers-update").said == ""
    assert feedtool("validate list.csv --format json").counts == [3, 3, 0, 0, 0]


DELIVERY = ", ".join(
    f"deliveryModes.TrackedHomeDelivery.{part}" for part in ("cost", "additionalCost")
)
TAKEN = f"{DELIVERY}; row 1 is taken as the header; understood: "
STOCK_ALONE = f"quantity (perhaps “Giacenza”), {TAKEN}“sku” as sellerExternalReference, “condition”"
OF_SEVEN = (
    "price.price (perhaps “PV TTC”), preparationTime (perhaps “Delai”), quantity (perhaps “Qté"
    f" dispo”), {TAKEN}“Réf” as sellerExternalReference, “Code barre” as product.gtin, “Etat” as"
    " condition, “TVA” as taxes.VAT; not understood: “PV TTC”, “Qté dispo”, “Delai”"
)
UNKNOWN: dict[str, tuple[str, str, str]] = {
    "no header of ours": (
        "Codice;Disponib.;Prezzo ivato\nA1;3;10,50\nA2;4;11,50\nA3;4;9,50\n",
        "row 1 is the most similar, with “Codice”, “Disponib.”, “Prezzo ivato”",
        "“Disponib.” → quantity, “Prezzo ivato” → price.price; type: feedtool map list.csv",
    ),
    "columns missing": (
        "sku;condition;Giacenza\nA1;New;3\nA2;New;4\nA3;New;4\n",
        f"{STOCK_ALONE}; not understood: “Giacenza”",
        "or type: feedtool map list.csv",
    ),
    "of an unclear kind": (
        (
            f"{SEVEN}SKU-1;4006381333931;19,99;5;Neuf;20;2\nSKU-2;4006381333948;10,50;7;Neuf;20;3\n"
            "SKU-3;4006381333955;12,00;0;Neuf;20;2\n"
        ),
        OF_SEVEN,
        "if the sheet is your own type: feedtool map list.csv",
    ),
    "values alone": (
        "1;2;3\n4;5;6\n7;8;9\n",
        "the widest one has “1”, “2”, “3”",
        "give each column a name in one row, then type: feedtool map list.csv",
    ),
    "prose": (
        "Dear all,\nplease find, as ever, our list.\n\nKind regards\nX\n",
        "list.csv is a text and no table",
        "give a spreadsheet, with a name above each column",
    ),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_errors_of_unknown_sheets_have_hints(feedtool: Feedtool, files: Files, case: str) -> None:
    text, what, way = UNKNOWN[case]
    files.text(text, "list.csv")
    error = feedtool("validate list.csv --format json").only["error"]
    assert what in error["message"]
    assert error["hint"].endswith(way)


TOO_LATE = {
    "a value for all rows": ("--default preparationTime=2", "fits already, and a map does not"),
    "another kind": ("--as offers-update", "fits already, and a map does not change it"),
    "a wrong value": ("--default preparationTime=soon", "--default preparationTime: “soon” is"),
}


@pytest.mark.parametrize(("words", "message"), TOO_LATE.values(), ids=TOO_LATE)
def test_an_impossible_recipe_is_refused(
    feedtool: Feedtool, files: Files, words: str, message: str
) -> None:
    files.text(SEVEN + ROWS, "list.csv")
    feedtool("map list.csv --yes")
    before = recipe()
    refused = feedtool(f"map list.csv --yes {words}")
    assert (refused.code, message in refused.err) == (Exit.USAGE, True)
    assert recipe() == before


def test_a_field_that_differs_by_row_gets_no_default(feedtool: Feedtool, files: Files) -> None:
    files.text("Stock;Etat\n7;Neuf\n0;Neuf\n2;Neuf\n", "list.csv")
    ran = feedtool("map list.csv --yes")
    assert "Recipe written: recipes/list.toml (its folder recipes was made)" in ran.out
    own, same = ran.err.splitlines()[:2]
    assert own == (
        "help: sellerExternalReference, product.gtin, price.price: name its column in [columns]"
        " of the recipe, or compute it in [compute]"
    )
    assert same.startswith("help: taxes.VAT, preparationTime")


@pytest.fixture
def book(files: Files) -> Path:
    """A workbook with the same headers on two sheets."""
    rows = [{"Réf": f"A{number}", "Code barre": "", "Qté dispo": "7"} for number in range(3)]
    return files.book({"Lamps": rows, "Chairs 2026": rows[1:]}, "list.xlsx")


def test_a_recipe_leads_to_the_sheet_that_it_was_made_for(feedtool: Feedtool, book: Path) -> None:
    ran = feedtool("map", book.name, "--yes", "--as", "offers-update", "--sheet", "chairs 2026")
    assert (ran.code, recipe()["match"]["sheet"]) == (0, "Chairs 2026")
    assert ran.next == "`feedtool validate list.xlsx` checks its rows"
    read = feedtool("validate list.xlsx --format json")
    assert (read.only["sheet"], read.only["rows"]) == ("Chairs 2026", 2)


def test_a_recipe_that_fits_two_sheets_is_followed_by_the_sheets_name(
    feedtool: Feedtool, book: Path
) -> None:
    feedtool("map", book.name, "--yes", "--as", "offers-update")
    ran = feedtool("map", book.name, "--sheet", "Chairs 2026")
    command = ran.next.split("`")[1].removeprefix("feedtool ")
    read = feedtool(f"{command} --format json")
    assert (read.only["sheet"], read.only["rows"]) == ("Chairs 2026", 2)


OWN = [{"Réf": f"A{n}", "Code barre": gtin(n), "PV TTC": f"{n}1,90"} for n in range(1, 4)]
SHEETS: dict[str, tuple[dict[str, list[dict[str, str]]], str, list[str]]] = {
    # The sheets, the one that is mapped, and those that are told beside it.
    "an example in front": ({"Example": OWN, "Template": OWN}, "Template", ["Example"]),
    "two of one sort": ({"Lamps": OWN, "Chairs": OWN}, "Lamps", ["Chairs"]),
    "two with other columns": (
        {"Tarif": OWN, "Stock": [{"Réf": "A1", "EAN": gtin(1), "Stock": "3"}] * 3},
        *("Tarif", ["Stock"]),
    ),
    "an example alone": ({"Notes": [{"a": "b"}], "Exemple 2026": OWN}, "Exemple 2026", []),
    "a list of words beside it": (
        {"Fields": [{"Field name": "Réf", "Example": "A-1"}] * 3, "Offers": OWN},
        *("Offers", []),
    ),
}


@pytest.mark.parametrize("case", SHEETS)
def test_other_fitting_sheets_are_listed(feedtool: Feedtool, files: Files, case: str) -> None:
    sheets, mapped, others = SHEETS[case]
    files.book(sheets, "list.xlsx")
    ran = feedtool("map", "list.xlsx", "--yes")
    told = ", ".join(f"“{name}”" for name in others)
    assert f"list.xlsx, sheet {mapped}: the header is in row" in ran.out
    assert (f"other sheets that fit as well: {told} (name one" in ran.out) is bool(others)
    assert (f"--sheet {mapped}`" in ran.next) is bool(others)
    ran = feedtool("map", "list.xlsx", "--yes", "--format", "json", "--out", "again.toml")
    assert ran.json.get("otherSheets", []) == others


NO_SHEET = {
    "all": (("all",), "a map is of one sheet, and several are named", "Lamps, Chairs 2026"),
    "two": (("Lamps", "Chairs 2026"), "a map is of one sheet", "name one of: Lamps"),
    "none": (("Tables",), "there is no sheet “Tables”", "choose one of: Lamps, Chairs 2026"),
}


@pytest.mark.parametrize("case", NO_SHEET)
def test_a_map_is_of_one_sheet(feedtool: Feedtool, book: Path, case: str) -> None:
    sheets, message, hint = NO_SHEET[case]
    ran = feedtool("map", book.name, "--yes", *(f"--sheet={sheet}" for sheet in sheets))
    error, help_ = ran.error()
    assert (ran.code, message in error, hint in help_) == (Exit.USAGE, True, True)
    assert not Path("recipes").exists()


def test_the_end_of_the_input_is_no_ctrl_c(on_terminal: OnTerminal, files: Files) -> None:
    files.text(UNSURE, "list.csv")
    code, asked = on_terminal("y\n", "map", "list.csv")
    assert (code, Path("recipes").exists()) == (Exit.USAGE, False)
    assert "the input ended before this was answered; nothing was written or sent" in asked


def test_a_column_that_an_expression_reads_is_not_called_useless(
    feedtool: Feedtool, files: Files
) -> None:
    base = (
        '[match]\nkind = "offers-upsert"\n[columns]\n"Réf" = "sellerExternalReference"\n'
        '"Fiche" = "product.reference"\n'
        '[names]\ncost = "PA HT"\nspare = "PV conseil"\n[compute]\n"price.price" = "cost * 2"\n'
    )
    files.text(base, "base.toml")
    rows = "A1;2;7;1;R1\nA2;3;8;2;R2\nA3;4;9;1;R3\n"
    files.text(f"Réf;PA HT;PV conseil;Poids;Fiche\n{rows}", "list.csv")
    feedtool("map list.csv --yes --recipe base.toml")
    known = {"Réf": "sellerExternalReference", "Fiche": "product.reference"}
    assert recipe()["columns"] == {**known, "Poids": False}
    defaults = "condition=New taxes.VAT=20 preparationTime=2 quantity=1"
    words = [f"--default={word}" for word in defaults.split()]
    words += [f"--default={SHIPPING}.cost=4.9", f"--default={SHIPPING}.additionalCost=1"]
    ran = feedtool("validate", "list.csv", *words, "--format", "json")
    assert "unknown-column" not in ran.out
    assert ran.counts == [3, 3, 0, 0, 0]


def test_open_columns_are_listed(feedtool: Feedtool, files: Files) -> None:
    files.text("SKU;EAN;Precio;Su precio;Stock\n" + "A1;;9,90;7,90;3\n" * 4, "my list.csv")
    ran = feedtool("map", "my list.csv", "--yes")
    assert "another column is likelier" in ran.out
    helps = ran.err.splitlines()
    assert (
        "help: not taken: “SKU”, “Precio”, “Su precio”; give each its field in [columns]"
        in helps[0]
    )
    assert "offers-delete" not in ran.err  # nobody asks for that by lacking something
    files.text("1;2\n3;4\n5;6\n", "no list.csv")
    assert feedtool("map", "no list.csv").error()[1].endswith("feedtool map 'no list.csv'")
