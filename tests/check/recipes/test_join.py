"""A second sheet beside the rows of the first: what is found, what is missing, what is no use."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook

from feedtool.check.recipes import join
from feedtool.model.cells import Cell
from feedtool.model.errors import UsageProblem
from tests.check.recipes.conftest import (
    HEADER,
    NOW,
    RECIPE,
    bodies,
    read_by,
    refused_by,
    row,
    stock_file,
)
from tests.conftest import Files, codes, gtin

JOIN = """
[join.stock]
file = "stock-*.csv"
key = {{ "Réf" = "ref" }}
take = {{ quantity = "free" }}
{more}
"""
STOCK = "Stock of the warehouse;;\n\nref;free;place\nSKU-1;20;A\nSKU-2;;B\n"


def with_join(more: str = "") -> str:
    return RECIPE + JOIN.format(more=more)


MISSING = {
    "keep": {2: 20, 3: 5, 4: 5},
    "zero": {2: 20, 3: 0, 4: 0},
    "hold": {2: 20},
}
"""The results of a present row, a blank one, and a missing one."""


@pytest.mark.parametrize(("missing", "quantities"), MISSING.items())
def test_a_row_that_is_not_there(files: Files, missing: str, quantities: dict[int, int]) -> None:
    stock_file(files, STOCK)
    recipe = with_join(f'missing = "{missing}"')
    sheet = read_by(files, recipe, [row(1), row(2), row(3)])
    assert {number: body["quantity"] for (number, _), body in bodies(sheet).items()} == quantities
    held = [number for number in (2, 3, 4) if number not in quantities]
    assert codes(sheet) == [(number, "recipe-failed") for number in held]
    assert sheet.kind_reason.endswith("; 2 of 3 rows are in stock-1.csv (1 h old)")


def test_keys_are_compared_as_identifiers(files: Files) -> None:
    """A blank key, and an error in its place, is nobody's, however often it stands there."""
    stock_file(files, "ref;free\n SKU-1 ;20\n;1\n;2\n#N/A;3\n#N/A;4\n")
    sheet = read_by(files, with_join(), [row(1), "#N/A;;10;5;"])
    assert sheet.recipe is not None
    assert sheet.recipe["joins"][0]["found"] == 1
    assert bodies(sheet)[2, "PRIMARY"]["quantity"] == 20


def test_an_error_in_the_joined_cell_is_an_error_of_the_row(files: Files) -> None:
    stock_file(files, "ref;free\nSKU-1;#N/A\n")
    sheet = read_by(files, with_join(), [row(1)])
    (problem,) = sheet.problems()
    assert (problem.row, problem.column, problem.code) == (2, "D", "recipe-failed")
    assert problem.message == "stock-1.csv, line 2, column B “free”: the cell shows #N/A"


IN_FORMULAS = {
    "another type": ("abc", "", "“abc” is not a number"),
    "a fraction": ("1.5", "", "1.5 is not a whole number"),
    "in a formula": ("abc", 'quantity = "quantity - 2"', "not a number (quantity is {place})"),
    "computed": (
        "5.5",
        'quantity = "quantity - 2"',
        "quantity - 2: 3.5 is not a whole",
    ),
}


@pytest.mark.parametrize(("text", "formula", "message"), IN_FORMULAS.values(), ids=IN_FORMULAS)
def test_the_error_of_a_joined_value_names_its_place(
    files: Files, text: str, formula: str, message: str
) -> None:
    place = "stock-1.csv, line 3, column B “free”"
    stock_file(files, f"ref;free\n\nSKU-1;{text}\n")
    recipe = with_join().replace("[compute]\n", f"[compute]\n{formula}\n")
    (problem,) = read_by(files, recipe, [row(1)]).problems()
    assert (problem.row, problem.column, problem.value) == (2, "D", None)
    assert message.format(place=place) in problem.message
    assert formula or problem.message.startswith(f"{place}: ")


def test_a_row_without_a_match_has_one_problem_in_a_cell(files: Files) -> None:
    """A formula and a skip condition both need the value, and a default has none."""
    stock_file(files, "ref;pa\nSKU-9;1\n")
    recipe = RECIPE.replace("cost * 2", "price.floor * 2") + JOIN.format(more="")
    recipe = recipe.replace('quantity = "free"', '"price.floor" = "pa"')
    sheet = read_by(files, recipe + '[skip]\ncheap = "price.floor < 1"\n', [row(1)])
    (problem,) = (problem for problem in sheet.problems() if problem.row)
    assert (problem.column, problem.header, problem.code) == ("A", "Réf", "recipe-failed")
    assert problem.message.endswith("not a number (stock-1.csv has no price.floor for this row)")


def test_a_held_row_stays_held_where_a_field_that_is_not_sent_is_joined_too(files: Files) -> None:
    stock_file(files, "ref;pa;free\nSKU-9;1;1\n")
    recipe = RECIPE.replace("offers-upsert", "offers-update") + JOIN.format(more='missing = "hold"')
    recipe = recipe.replace('quantity = "free"', '"product.gtin" = "pa", quantity = "free"')
    recipe = recipe.replace('"EAN" = "product.gtin"\n', "").replace('"Stock" = "quantity"\n', "")
    sheet = read_by(files, recipe, [row(1)])
    assert (2, "recipe-failed") in codes(sheet)
    assert bodies(sheet) == {}


def test_rows_that_are_read_twice_are_counted_once(files: Files) -> None:
    """An ambiguous number asks all others, and all is read again."""
    recipe = with_join().replace('"price.price" = "cost * 2"\n', "")
    recipe = recipe.replace("[names]\n", '"PA HT" = "price.price"\n[names]\n')
    stock_file(files, STOCK)
    sheet = read_by(files, recipe, [row(1, cost="1,234"), row(2, cost="12,5")])
    assert sheet.recipe is not None
    assert sheet.recipe["joins"][0]["rows"] == 2


UNUSABLE = {
    "a key twice": (
        "ref;free\nSKU-1;1\nSKU-2;2\n\nSKU-1;1\nSKU-2;3\n",
        1,
        "has a key twice: SKU-1 (lines 2 and 5), and 1 more",
    ),
    "no such header": (
        "ref;dispo\nSKU-1;1\n",
        1,
        "no row with the headers “ref”, “free”: row 1 has all but “free”",
    ),
    "too old": (STOCK, 27, "stock-1.csv (27 h old) is too old: [join.stock] takes none older than"),
    "too few rows": ("ref;free\nSKU-9;1\n", 1, "0 of 2 rows are in stock-1.csv (1 h old), and"),
    "a header twice": (
        "ref;free;free\nSKU-1;1;2\n",
        1,
        "stock-1.csv: “free” is the header of columns B, C",
    ),
    "no text": (b"\0\1\2", 1, "stock-1.csv, [join.stock]: "),
}


@pytest.mark.parametrize(("stock", "hours", "message"), UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_joins_hold_the_file(files: Files, stock: str, hours: float, message: str) -> None:
    stock_file(files, stock, hours=hours)
    recipe = with_join('too_old = "26h"\nat_least = 0.5')
    error = refused_by(files, recipe, [row(1), row(2)])
    assert (error.code, message in error.message) == ("join-unusable", True), error.message


def test_the_header_with_equal_case_is_joined(files: Files) -> None:
    stock_file(files, "ref;Free;free\nSKU-1;1;20\n")
    assert bodies(read_by(files, with_join(), [row(1)]))[2, "PRIMARY"]["quantity"] == 20


def test_a_file_too_long_is_refused(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "MOST_ROWS", 1)
    stock_file(files, STOCK)
    assert refused_by(files, with_join()).message == "stock-1.csv has more than 1 rows"


STOCKS = [["ref", "free"], ["SKU-1", 20]]


def joined_book(files: Files, **sheets: str) -> str:
    """The recipe with a join of a workbook, whose sheets of stocks have these states."""
    place = files.folder / "stock-1.xlsx"
    book = Workbook()
    for name, state in sheets.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = state
        for cells in STOCKS:
            sheet.append(cells)
    book.save(place)
    os.utime(place, (NOW.timestamp(), NOW.timestamp()))
    return with_join().replace("csv", "xlsx")


def test_a_hidden_sheet_is_not_joined(files: Files) -> None:
    error = refused_by(files, joined_book(files, Old="hidden"))
    assert "hidden sheets do not count" in error.hint
    sheet = read_by(files, joined_book(files, Old="hidden", Now="visible"), [row(1)])
    assert bodies(sheet)[2, "PRIMARY"]["quantity"] == 20


def test_two_sheets_that_fit_are_named(files: Files) -> None:
    error = refused_by(files, joined_book(files, Now="visible", Then="visible"))
    assert error.message.endswith("several sheets with the headers “ref”, “free”: “Now”, “Then”")


def test_rows_are_counted_if_their_cells_are_not_read(files: Files) -> None:
    """The joined cells of a key that is computed of others are never read."""
    stock_file(files, "ref;free\nSKU-9;1\n")
    recipe = with_join("at_least = 0.5").replace("[compute]\n", '[compute]\nquantity = "7"\n')
    assert refused_by(files, recipe).message.startswith("0 of 1 rows are in stock-1.csv")


def test_only_numbers_can_be_zero(files: Files) -> None:
    stock_file(files, STOCK)
    recipe = with_join('missing = "zero"').replace("take = {", 'take = { condition = "place",')
    with pytest.raises(
        UsageProblem, match=r":24, \[join\.stock\] missing .* condition is not a number"
    ):
        read_by(files, recipe, [row(1)])


def test_the_keys_that_were_looked_up_are_forgotten(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each key is looked for again in the next reading once so many are remembered."""
    looked_for: list[str] = []

    def identified(cell: Cell) -> object:
        looked_for.append(cell.text)
        return cell.text

    stock_file(files, STOCK)
    monkeypatch.setattr(join, "identified", identified)
    read_by(files, with_join(), [row(1 + number % 1000) for number in range(1500)])
    known = looked_for.count("SKU-3")
    monkeypatch.setattr(join, "REMEMBERED", 10)
    read_by(files, with_join(), [row(1 + index % 1000) for index in range(1500)])
    assert looked_for.count("SKU-3") > 2 * known


TAKES = {
    "the newest": (
        [("stock-1.csv", 9), ("stock-2.csv", 5), ("stock-3.csv", 7)],
        "stock-2.csv (5 h",
    ),
    "minutes": ([("stock-1.csv", 0.5)], "stock-1.csv (30 min"),
    "days": ([("Stock-1.CSV", 72)], "Stock-1.CSV (3 days"),
    "no lock of a program": ([("stock-1.csv", 9), ("~$stock-1.csv", 1)], "stock-1.csv (9 h"),
}


@pytest.mark.parametrize(("present", "taken"), TAKES.values(), ids=TAKES)
def test_the_newest_matching_file_is_taken(
    files: Files, present: list[tuple[str, float]], taken: str
) -> None:
    for name, hours in present:
        stock_file(files, STOCK, name, hours)
    recipe = with_join().replace("stock-*", "*stock-*")
    assert taken in read_by(files, recipe, [row(1)]).kind_reason


def test_the_list_itself_is_never_joined(files: Files) -> None:
    error = refused_by(files, with_join().replace("stock-*", "*"), [row(1)])
    place = f"{files.folder}/dupont.toml:21, [join.stock] file"
    assert error.message == f"{place}: list.csv is the file that is read"
    assert 'sheet = "Stock"' in error.hint
    stock_file(files, STOCK)
    sheet = read_by(files, with_join().replace("stock-*", "*"), [row(1)])
    assert bodies(sheet)[2, "PRIMARY"]["quantity"] == 20


def test_a_file_may_be_in_a_named_folder(files: Files) -> None:
    stock_file(files, STOCK, "warehouse/stock-1.csv")
    recipe = with_join().replace("stock-*", "warehouse/stock-*")
    assert bodies(read_by(files, recipe, [row(1)]))[2, "PRIMARY"]["quantity"] == 20


PICKED = {
    # The rows of one key in one file, pick, and the quantity that the row has; None is a problem.
    "a sum": ("2;9\n3;5\n", "sum free", 5),
    "a sum with a blank": ("2;9\n;5\n4;5\n", "sum free", 6),
    "a sum as the column writes numbers": ("1.500;9\n2,5;5\n0,5;5\n", "sum free", 1503),
    "the least": ("2;9,00\n3;5,00\n4;7,00\n", "min price", 3),
    "the greatest": ("2;9,00\n3;11,00\n4;7,00\n", "max price", 3),
    "the first of equals": ("2;9\n3;9,00\n", "min price", 2),
    "no blank": ("2;\n3;9\n4;\n", "min price", 3),
    "all blank": ("2;\n3;\n", "min price", 2),
    "a row by itself": ("2;x\n", "min price", 2),
    "the least of texts": ("2;x\n3;9\n", "min price", None),
    "the sum of an error": ("2;9\n#N/A;5\n", "sum free", None),
    "two numbers in one": ("2;1.234\n3;9\n", "max price", None),
}


@pytest.mark.parametrize(("rows", "pick", "quantity"), PICKED.values(), ids=PICKED)
def test_a_row_is_picked_of_several_with_one_key(
    files: Files, rows: str, pick: str, quantity: int | None
) -> None:
    lines = "".join(f"SKU-1;{line}\n" for line in rows.splitlines())
    stock_file(files, f"ref;free;price\nSKU-2;7;1\n{lines}")
    sheet = read_by(files, with_join(f'pick = "{pick}"'), [row(1), row(2)])
    quantities = {number: body["quantity"] for (number, _), body in bodies(sheet).items()}
    assert quantities == ({2: quantity, 3: 7} if quantity is not None else {3: 7})
    assert [code for _, code in codes(sheet)] == ["recipe-failed"] * (quantity is None)


def test_a_value_that_cannot_be_compared_is_reported_with_its_place(files: Files) -> None:
    stock_file(files, "ref;free;price\nSKU-1;2;9\nSKU-1;3;on request\n")
    (problem,) = read_by(files, with_join('pick = "min price"'), [row(1)]).problems()
    place = "stock-1.csv, line 3, column C “price”"
    assert problem.message == f"{place}: “on request” is not a number"


def test_the_stock_of_several_warehouses_is_one(files: Files) -> None:
    stock_file(files, "ref;free\nSKU-1;3\nSKU-2;1\n", "stock-north.csv")
    stock_file(files, "free;ref\n4;SKU-1\n5;SKU-3\n", "stock-south-2.csv", hours=30)
    stock_file(files, "free;ref\n9;SKU-1\n", "stock-south-1.csv", hours=31)
    recipe = with_join().replace('"stock-*.csv"', '["stock-north.csv", "stock-south-*.csv"]')
    rows = [row(1), row(2), row(3), row(4)]
    sheet = read_by(files, recipe + 'pick = "sum free"\n', rows)
    assert [body["quantity"] for body in bodies(sheet).values()] == [7, 1, 5, 5]
    assert sheet.kind_reason.endswith(
        "3 of 4 rows are in stock-north.csv (1 h old), stock-south-2.csv (30 h old)"
    )
    assert sheet.recipe is not None
    (facts,) = sheet.recipe["joins"]
    assert (facts["file"], facts["hoursOld"]) == ("stock-north.csv, stock-south-2.csv", 30.0)
    error = refused_by(files, recipe, rows)
    assert error.message == (
        "two files have the key SKU-1: stock-north.csv, line 2 and stock-south-2.csv, line 2"
    )
    assert 'pick = "sum qty"' in error.hint
    lacking = recipe.replace("south-*", "west-*")
    assert "there is no stock-west-*.csv in" in refused_by(files, lacking, rows).message


def test_others_offers_are_joined_by_their_least_price(files: Files) -> None:
    """The table of `export competing-offers` has a row for each of them."""
    book = Workbook()
    for cells in (
        ["EAN", "Seller", "Price"],
        ["product.product_ean", "seller.name", "price"],
        [gtin(1), "A", 21.5],
        [gtin(1), "B", 18.99],
        [gtin(2), "C", 30],
    ):
        book.worksheets[0].append(cells)
    book.save(files.folder / "competing-offers.xlsx")
    recipe = (
        RECIPE.replace("cost * 2", "max(cost * 1.5, price.price - 0.01)")
        + """
[join.others]
file = "competing-offers.xlsx"
key = { EAN = "product.product_ean" }
take = { "price.price" = "price" }
pick = "min price"
"""
    )
    sheet = read_by(files, recipe, [row(1), row(2)])
    assert [body["price"]["price"] for body in bodies(sheet).values()] == [18.98, 29.99]


def list_book(files: Files, others: Mapping[str, str]) -> Path:
    """A workbook of a list, and of other sheets with stocks, each in a state."""
    book = Workbook()
    for line in (HEADER, row(1), row(2)):
        book.worksheets[0].append(line.split(";"))
    for name, state in others.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = state
        for cells in STOCKS:
            sheet.append(cells)
    path = files.folder / "list.xlsx"
    book.save(path)
    return path


def with_sheet(*lines: str) -> str:
    """The recipe with a join of these lines instead of a file."""
    return with_join().replace('file = "stock-*.csv"', "\n".join(lines))


OWN = ({"Old": "visible", "Stock": "visible"}, {"Stock": "hidden"})


@pytest.mark.parametrize("others", OWN, ids=["visible", "hidden"])
def test_another_sheet_of_the_same_workbook_is_joined(
    files: Files, others: Mapping[str, str]
) -> None:
    path = list_book(files, others)
    sheet = read_by(files, with_sheet('sheet = "stock"'), [], path=path)
    assert [body["quantity"] for body in bodies(sheet).values()] == [20, 5]
    assert sheet.kind_reason.endswith("; 1 of 2 rows are in “Stock”")
    assert sheet.recipe is not None
    facts = {"name": "stock", "file": None, "hoursOld": None, "sheet": "Stock"}
    assert sheet.recipe["joins"] == [{**facts, "rows": 2, "found": 1}]


def test_a_workbook_may_name_itself_where_it_names_the_sheet(files: Files) -> None:
    path = list_book(files, OWN[0])
    recipe = with_sheet('file = "list.xlsx"', 'sheet = "Stock"')
    sheet = read_by(files, recipe, [], path=path)
    assert [body["quantity"] for body in bodies(sheet).values()] == [20, 5]
    unnamed = read_by(files, with_sheet('file = "list.xlsx"'), [], path=path)
    assert unnamed.error is not None
    assert unnamed.error.message.endswith("file: list.xlsx is the file that is read")


def test_a_sheet_of_another_file_is_named(files: Files) -> None:
    recipe = joined_book(files, Now="visible", Then="visible") + 'sheet = "No*"\n'
    assert bodies(read_by(files, recipe, [row(1)]))[2, "PRIMARY"]["quantity"] == 20
    stock_file(files, STOCK)  # a CSV has no sheets
    recipe = with_join('sheet = "Stock"')
    assert bodies(read_by(files, recipe, [row(1)]))[2, "PRIMARY"]["quantity"] == 20


NO_SHEET = {
    'sheet = "Stok"': ("the workbook has no sheet “Stok” to join", "Old, Hid"),
    'sheet = "sheet"': ("“Sheet” is the sheet that is read, not another one", "choose one of: Old"),
    'sheet = "S*"': ("the workbook has no sheet “S*” to join", "choose one of"),
    'sheet = "H*"': ("the workbook has no row with the headers “ref”, “free”", "correct [join."),
    'sheet = "*"\nfile = "list.xlsx"': ("list.xlsx has several", 'sheet = "Stock"'),
}


@pytest.mark.parametrize("lines", NO_SHEET)
def test_a_sheet_that_cannot_be_joined_is_reported(files: Files, lines: str) -> None:
    path = list_book(files, {"Old": "visible", "Hid": "hidden", "New": "visible"})
    sheet = read_by(files, with_sheet(lines), [], path=path)
    message, hint = NO_SHEET[lines]
    assert sheet.error is not None
    assert sheet.error.code == "join-unusable"
    assert message in sheet.error.message
    assert hint in sheet.error.hint


def test_a_csv_has_no_other_sheet(files: Files) -> None:
    error = refused_by(files, with_sheet('sheet = "Stock"'))
    assert error.message == "[join.stock] has a sheet and no file, and a CSV has no other sheet"
