"""`results RUN --failed-only`: a workbook of the rows to correct, ready to be sent."""

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.text import LanguageChoice
from feedtool.runs.corrections import write_rows_to_correct
from feedtool.runs.row_results import results_of_check
from feedtool.sheets import open_source
from tests.check.recipes.conftest import HEADER, RECIPE
from tests.check.recipes.conftest import row as list_row
from tests.cli.conftest import OURS as ANSWERS
from tests.cli.conftest import SAMPLES, Feedtool, rows_in, rows_of
from tests.conftest import Files, gtin, offer, table, update
from tests.pairs import sample

OURS = ["feedtool row", *ANSWERS]


@pytest.fixture
def failed(feedtool: Feedtool) -> Callable[..., Path]:
    """Submits a file, and has its rows to correct."""

    def write(path: Path, *options: str) -> Path:
        out = ("--out", f"out{path.suffix}", "--format", "json")
        ran = feedtool("submit --sandbox", path, *out, *options)
        (place,) = {sheet["failed"] for sheet in ran.json}
        return Path(place)

    return write


def rows_to_correct(path: Path) -> Path:
    """The workbook of the rows that the checks find wrong, as a run writes it."""
    file, place = Input(str(path), path), path.with_name("out.failed.xlsx")
    results = results_of_check(check([file], ReadOptions(), load()))
    assert write_rows_to_correct(file, results, place, ReadOptions(), LanguageChoice("en"))
    return place


def sheet_of(path: Path | str) -> Worksheet:
    sheet = load_workbook(path)["Offers"]
    assert isinstance(sheet, Worksheet)
    return sheet


def correct(path: Path, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Types into the rows of some references."""
    book = load_workbook(path)
    sheet = book["Offers"]
    keys = [cell.value for cell in sheet[2]]
    for row in sheet.iter_rows(min_row=3):
        for key, value in changes.get(str(row[0].value), {}).items():
            row[keys.index(key)].value = value
    book.save(path)


def test_a_workbook_of_the_templates_shape_is_corrected_and_sent(
    feedtool: Feedtool, files: Files
) -> None:
    rows = [offer(1), offer(2, quantity="-1"), offer(3, product__gtin=gtin(3, 2)), offer(4)]
    path = files.csv(*rows, name="feeds/offers.csv")
    ran = feedtool("submit --sandbox", path)
    place = path.with_name("offers.failed.xlsx")
    assert ran.code == 1
    assert f"Rows to correct: {place.relative_to(Path.cwd())} (2 rows)" in ran.out
    feedtool("template offers-upsert --out template.xlsx")
    labels, template = sheet_of("template.xlsx").iter_rows(max_row=2, values_only=True)
    sheet = sheet_of(place)
    own_labels, own_keys = sheet.iter_rows(max_row=2, values_only=True)
    assert own_labels[: len(labels)] == labels
    assert list(own_labels[len(labels) :]) == OURS
    assert list(own_keys[: len(template)]) == list(template)
    with open_source(place) as source:
        assert source.properties["feedtool.template"] == "offers-upsert"
    # It has only the rows to correct.
    found = rows_in(sheet)
    answers = [
        [row[key] for key in ("sellerExternalReference", *OURS[:2], OURS[3])] for row in found
    ]
    assert answers == [["SKU-2", 3, "Invalid", "number-range"], ["SKU-3", 4, "Rejected", "1324"]]
    assert "-1 must not be below 0" in found[0][OURS[2]]
    # Corrected, it sends those rows and no other.
    correct(place, {"SKU-2": {"quantity": "5"}, "SKU-3": {"product.gtin": gtin(3)}})
    ran = feedtool("submit --sandbox", place, "--format", "json")
    assert ran.statuses == ["Integrated"] * 2
    assert [result["sellerExternalReference"] for result in ran.only["results"]] == [
        "SKU-2",
        "SKU-3",
    ]
    assert (ran.code, ran.only["problems"]) == (0, []), "our own columns are known as ours"
    copy = sheet_of(place.with_name("offers.failed.result.xlsx"))
    heads = [cell.value for cell in copy[1]]
    assert heads[-4:] == OURS, "the answer replaces the one before it"
    assert [row[OURS[1]] for row in rows_in(copy)] == ["Integrated"] * 2


MISTAKEN = ["offers-mistakes", "products-and-offers", "legacy-offers", "offers-update", "products"]
AS_WRITTEN = {"formula-no-cache": "formula-error", "date-in-number-cell": "number-format"}
"""No formula is written, and no date where a number is to be typed over it."""


@pytest.mark.parametrize("name", sample(MISTAKEN, 1))
def test_uncorrected_it_has_the_same_errors_in_the_same_fields(
    feedtool: Feedtool, request: pytest.FixtureRequest, name: str
) -> None:
    if name.startswith("products"):
        request.getfixturevalue("catalogue")
    path, options = SAMPLES / f"{name}.xlsx", ("--format", "json", "--out", "out.xlsx")
    sent = feedtool("submit --sandbox", path, *options)
    again = feedtool("validate out.failed.xlsx --format json")
    assert [one["kind"] for one in again.json] == [one["kind"] for one in sent.json]
    for one, before in zip(again.json, sent.json, strict=True):
        assert one["error"] is None
        rows = rows_of("out.failed.xlsx", one["sheet"])
        origins = {index: row[OURS[0]] for index, row in enumerate(rows, start=3)}
        to_correct = ("Invalid", "Rejected", "Refused")
        assert [*origins.values()] == [
            row["row"] for row in before["results"] if row["status"] in to_correct
        ]
        found, wanted = (
            Counter(
                (place(entry["row"]), entry["field"], AS_WRITTEN.get(code := entry["code"], code))
                for entry in sheet["problems"]
                if entry["severity"] == "error"
            )
            for sheet, place in ((one, origins.get), (before, int))
        )
        assert found == wanted


def test_every_cell_is_as_the_user_had_it(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    row: dict[str, Any] = {**offer(1), "quantity": -3, "taxes.VAT": 0.2, "my note": "=1+1"}
    row |= {"sellerExternalReference": "0012", "price.price": 19.989999999999998}
    row |= {"product.gtin": 4006381333931, "taxes.EcoPart": True}
    formats = {"taxes.VAT": "0%", "product.gtin": "0" * 14}
    for column, (key, value) in enumerate(row.items(), start=1):
        sheet.cell(1, column, key)
        cell = sheet.cell(2, column, value)
        cell.number_format = formats.get(key, "General")
        if key == "my note":
            cell.data_type = "s"
    book.save(tmp_path / "offers.xlsx")
    written = sheet_of(rows_to_correct(tmp_path / "offers.xlsx"))
    (found,) = rows_in(written)
    assert {key: found[key] for key in row} == {
        **row,
        "product.gtin": "04006381333931",  # as its format shows it
        "price.price": pytest.approx(19.99),
    }
    (sent,) = written.iter_rows(min_row=3)
    kinds = {str(cell.data_type) for cell in sent if cell.value is not None}
    assert kinds <= {"s", "inlineStr", "n", "b"}, "no formula"


def test_a_number_typed_over_a_date_or_a_percentage_is_a_number(
    feedtool: Feedtool, tmp_path: Path
) -> None:
    """Cells keep their column's format, unless they could be sent without a correction."""
    day, form = date(2026, 1, 12), "yyyy-mm-dd"
    looks: dict[str, tuple[Any, str, Any]] = {
        "quantity": (day, form, "2026-01-12"),
        "condition": (day, form, "2026-01-12"),
        "price.price": (0.125, "0.0%", "12.5%"),
        "taxes.VAT": (0.2, "0%", 0.2),
        "product.reference": (day, form, day),
        "my note": (day, form, day),
    }
    book = Workbook()
    sheet = book.worksheets[0]
    row = {key: (value, "General", None) for key, value in offer(1).items()} | looks
    for column, (key, (value, number_format, _)) in enumerate(row.items(), start=1):
        sheet.cell(1, column, key)
        sheet.cell(2, column, value).number_format = number_format
    book.save(tmp_path / "offers.xlsx")
    place = rows_to_correct(tmp_path / "offers.xlsx")
    written = sheet_of(place)
    (found,) = rows_in(written)
    assert {key: found[key] for key in looks} == {key: now for key, (*_, now) in looks.items()}
    formats = {
        str(key.value): cell.number_format for key, cell in zip(written[2], written[3], strict=True)
    }
    kept = {key for key in looks if formats[key] in {form, "0.##%"}}
    assert kept == {"taxes.VAT", "product.reference", "my note"}
    correct(place, {"SKU-1": {"quantity": 12, "price.price": 9.99, "condition": "New"}})
    problems = feedtool("validate --format json", place).only["problems"]
    errors = [problem["field"] for problem in problems if problem["severity"] == "error"]
    assert errors == ["product.reference"]


def test_messages_name_the_rows_of_the_workbook(files: Files) -> None:
    rows = [*(offer(number) for number in range(1, 6)), offer(7), offer(7)]
    message = "feedtool message"
    found = rows_of(rows_to_correct(files.csv(*rows)), "Offers")
    assert [row["feedtool row"] for row in found] == [7, 8]
    assert [row[message].partition("also in ")[2].partition(" (")[0] for row in found] == [
        "row 4",
        "row 3",
    ]


def test_messages_name_places_of_the_file_that_are_not_in_the_workbook(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    keys = [*offer(1)]
    for row in (keys, *([*offer(number).values()] for number in range(1, 4))):
        sheet.append(row)
    column = keys.index("quantity") + 1
    sheet.merge_cells(start_row=3, end_row=4, start_column=column, end_column=column)
    book.save(tmp_path / "offers.xlsx")
    (found,) = rows_of(rows_to_correct(tmp_path / "offers.xlsx"), "Offers")
    area = f"{get_column_letter(column)}3:{get_column_letter(column)}4"
    place = f"{area} of {tmp_path / 'offers.xlsx'}"
    assert f"the cells {place} are merged" in found["feedtool message"]


def test_rows_of_a_recipe_have_the_headers_of_the_sheet(
    failed: Callable[..., Path], files: Files
) -> None:
    """A field that has no column there has its label, and a hint the row's number here; what only
    templates have is not spoken of."""
    recipe = RECIPE.replace('"Stock" = "quantity"', '"Stock" = false')
    recipe = recipe.replace("[names]", '[names]\nqty = "Stock"')
    files.text(f"{recipe}quantity = \"replace(qty, 'x', '')\"\n", "recipes/list.toml")
    rows = [list_row(number) for number in range(1, 5)]
    path = files.text("\n".join([HEADER, *rows, list_row(5, stock="x")]) + "\n", "list.csv")
    place = failed(path)
    book = load_workbook(place)
    message = book["Offers"].cell(3, 8).value
    assert message == (
        "D: Stock is missing (see with --explain-row 3 where the recipe takes it from)"
    )
    texts = [str(row[0].value) for row in book["Instructions"].iter_rows()]
    assert "1. References and GTINs are stored as text" in "\n".join(texts)
    assert not [text for text in texts if "*" in text or "folded" in text or "Colours" in text]


def test_a_csvs_fields_are_texts_unless_only_their_column_settled_them(files: Files) -> None:
    prices = {"0012": "1", '="0013"': "1", "A1": "12,5", "A2": "1.234", "A3": " x "}
    rows = [
        offer(sellerExternalReference=it, price__price=prices[it], quantity="-1") for it in prices
    ]
    found = rows_of(rows_to_correct(files.csv(offer(1, price__price="19,99"), *rows)), "Offers")
    assert [row["sellerExternalReference"] for row in found] == ["0012", "0013", "A1", "A2", "A3"]
    assert [row["price.price"] for row in found][2:] == ["12,5", 1234, " x "]


def test_rows_to_correct_hold_the_options_of_the_command(
    feedtool: Feedtool, failed: Callable[..., Path], files: Files
) -> None:
    rows = [update(1, action="Delete", salesChannelId="A"), update(2, action="delet")]
    place = failed(files.csv(*rows), "--channel", "B")
    found = rows_of(place, "Offers")
    assert [row["salesChannelId"] for row in found] == ["A", "B"]
    assert [row.get("action") for row in found] == ["Delete", "delet"]
    correct(place, {"SKU-2": {"action": ""}})
    ran = feedtool("validate", place, "--format", "json")
    codes = [(problem["row"], problem["code"]) for problem in ran.only["problems"]]
    assert (4, "required-missing") in codes, "no row becomes a Delete by being in the workbook"


CANNOT_BE = {
    "--out x.xlsx": "--out is for the workbook of --failed-only",
    "--failed-only --out x.csv": "x.csv would be no workbook",
    "--failed-only --out no/x.xlsx": "no/x.xlsx cannot be written: there is no folder no.",
}


def test_corrections_by_a_user_are_left_alone(
    feedtool: Feedtool, failed: Callable[..., Path], files: Files
) -> None:
    place = failed(files.csv(offer(1), offer(2, quantity="-1")))
    for options, message in CANNOT_BE.items():
        ran = feedtool(f"results 1 {options}")
        assert (ran.code, ran.error()[0]) == (2, message)
    assert feedtool("results 1 --failed-only").code == 1, "what is as it was is written anew"
    correct(place, {"SKU-2": {"quantity": "5"}})
    corrected = place.read_bytes()
    numbered = place.with_name("out.failed-2.xlsx")
    for _ in range(2):  # the numbered one is as it was written, and is written anew
        ran = feedtool("results 1 --failed-only")
        assert (ran.code, ran.out) == (1, f"Rows to correct: {numbered.name} (1 row)\n\n")
    ran = feedtool("results 1 --failed-only --out", place)
    assert (ran.code, "may hold corrections" in ran.error()[0]) == (2, True)
    assert place.read_bytes() == corrected
    assert feedtool("results 1 --failed-only --yes").code == 1
    assert rows_of(place, "Offers")[0]["quantity"] == "-1"
    for number, path in enumerate((place, numbered), start=5):
        correct(path, {"SKU-2": {"quantity": str(number)}})
    assert "Rows to correct: out.failed-3.xlsx" in feedtool("results 1 --failed-only").out


def test_without_rows_to_correct_no_workbook_is_written(feedtool: Feedtool, files: Files) -> None:
    feedtool("submit --sandbox", files.csv(offer()))
    ran = feedtool("results 1 --failed-only")
    note = "note: no row of run 1 is to be corrected, and no workbook was written\n"
    assert (ran.code, ran.said) == (9, note)
    assert not Path("offers.failed.xlsx").exists()


def test_two_files_of_one_name_have_a_workbook_each(feedtool: Feedtool, files: Files) -> None:
    rows = [offer(1), offer(2, quantity="-1")]
    others = table([*map(offer, (3, 4)), offer(5, quantity="x")])
    feedtool("submit --sandbox --no-failed", files.csv(*rows), files.text(others, "offers.txt"))
    assert feedtool("results 1 --failed-only --out x.xlsx").code == 2
    ran = feedtool("results 1 --failed-only --format json")
    names = [Path(sheet["failed"]).name for sheet in ran.json]
    assert names == ["offers.failed.xlsx", "offers.txt.failed.xlsx"]


SENT = "submit --sandbox offers.csv"
NUMBERED = {"offers.failed.xlsx", "offers.failed-2.xlsx"}


def test_the_workbook_is_beside_the_copy_where_it_is_wanted(
    feedtool: Feedtool, files: Files
) -> None:
    def written() -> set[str]:
        """The workbooks that are there, which are removed."""
        found = [*Path().rglob("*.failed*.xlsx")]
        for path in found:
            path.unlink()
        return set(map(str, found))

    place = Path("offers.failed.xlsx")
    files.csv(offer(1), offer(2, quantity="-1"), name="offers.csv")
    feedtool(f"{SENT} --dry-run")
    feedtool(f"{SENT} --no-wait")  # run 1, of which answers are due
    assert written() == set()
    feedtool("results 1")
    correct(place, {"SKU-2": {"quantity": "5"}})  # a changed one stays
    corrected = place.read_bytes()
    assert "Rows to correct: offers.failed-2.xlsx" in feedtool(SENT).out
    feedtool("results 2")  # once more in the same place
    assert place.read_bytes() == corrected
    assert written() == NUMBERED
    feedtool(f"{SENT} --no-failed")
    feedtool("results 3")
    assert written() == set()
    place.symlink_to("no/where.xlsx")  # a broken link is left alone
    feedtool("results 3 --failed-only")
    assert place.is_symlink()
    assert written() == NUMBERED
    Path("feedtool.toml").write_text("[defaults]\nno_failed = true\n")
    assert feedtool(SENT).code == 1
    assert written() == set()


def test_without_its_folder_the_workbook_is_kept_with_the_ledger(
    feedtool: Feedtool, files: Files
) -> None:
    files.csv(offer(1), offer(2, quantity="-1"), name="offers.csv")
    Path("there").mkdir()
    feedtool(f"{SENT} --no-wait --out there/a.csv")
    shutil.rmtree("there")
    ran = feedtool("results 1 --format json")
    copies = [Path(str(ran.only[name])) for name in ("annotated", "failed")]
    assert [copy.name for copy in copies] == ["a.run-1.csv", "a.failed.run-1.xlsx"]
    assert all(copy.exists() for copy in copies)
