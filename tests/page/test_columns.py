"""Columns of a file on the page."""

from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.check import Input, ReadOptions
from feedtool.model.text import LANGUAGES, Language, Translator
from feedtool.page.columns import ColumnsView, FileReading, judge, proposed, reading_of
from tests.conftest import Files, checked, offer, table
from tests.page.conftest import SAMPLES
from tests.page.own_sheets import ADDITIONAL, COST, LIST, SHIPPING


def view_of(
    files: Files, language: Language = "en", text: str = LIST, /, **changes: str
) -> ColumnsView:
    """The supplier's list, once something more is said than what is sure."""
    sheet = proposed(Input("list.csv", files.text(text, "list.csv")), ReadOptions(), None)
    return ColumnsView(judge(sheet, {**sheet.usual, **changes}), language)


def test_unsure_columns_come_first(files: Files) -> None:
    lines = view_of(files).lines
    assert [line.column.column for line in lines] == list("IABCDEFGH")
    assert (lines[0].meant, lines[0].why, lines[0].field) == ("", "not known", None)
    assert lines[1].why == "100 %: named like “reference”, each value once"
    assert lines[4].meant == "-"


def test_a_field_with_a_column_is_not_proposed_for_another(files: Files) -> None:
    taken, free = view_of(files).lines[0], view_of(files, **{"column:0": ""}).lines[0]
    assert [field.key for field in taken.near] == []
    assert [field.key for field in free.near] == ["sellerExternalReference"]


def test_only_proposed_columns_have_a_reason(files: Files) -> None:
    assert view_of(files, **{"column:4": "-"}).lines[5].why == ""


MARKED = "\n".join(
    f"{line};{mark}"
    for line, mark in zip(LIST.splitlines(), ("Actif", "oui", *["non"] * 99), strict=False)
)


@pytest.mark.parametrize(
    ("value", "is_left_out"), [("!", True), ("-", False), ("action", False), ("", False)]
)
def test_a_mark_of_rows_not_for_sale_becomes_a_rule(
    files: Files, value: str, *, is_left_out: bool
) -> None:
    view = view_of(files, "en", MARKED)
    (mark,) = [line for line in view.lines if line.column.header == "Actif"]
    assert mark.meant == "!"
    judged = view_of(files, "en", MARKED, **{mark.name: value}).judged
    rule = '"Actif: not for sale" = '
    assert (rule in judged.recipe_text, judged.errors) == (is_left_out, {})


@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_and_values_are_called_as_the_user_calls_them(
    files: Files, language: Language
) -> None:
    view, say = view_of(files, language), Translator(language)
    names = {"en": "Price (VAT included)", "fr": "Prix (TTC)", "es": "Precio (IVA incluido)"}
    (price,) = [field for field in view.fields if field.key == "price.price"]
    assert (say(price.name), price.is_required) == (names[language], True)
    examples = {"en": ["19.99", "New"], "fr": ["19,99", "Neuf"], "es": ["19,99", "Nuevo"]}
    known = {field.key: field.example for field in view.fields}
    assert [known["price.price"], known["condition"]] == examples[language]
    (line,) = view.words
    used = {"en": "Used - average state", "fr": "Occasion - état correct"}
    texts = dict(line.options)
    assert line.word
    assert (line.word.text, line.word.column.header, line.value) == ("2nd choix", "Etat", "")
    assert texts["UsedAverageState"] == used.get(language, texts["UsedAverageState"])


@pytest.mark.parametrize("text", ["2nd choix", "As new", "Comme-Neuf", "Neww", "Occasion", "?"])
def test_the_check_and_the_columns_suggest_the_same(files: Files, text: str) -> None:
    (word,) = view_of(files, "en", LIST.replace("2nd choix", text)).words
    (sheet,) = checked(files.csv(offer(condition=text)))
    (hint,) = (str(problem.hint) for problem in sheet.problems())
    hinted = [it for it in word.options if hint == f"did you mean {it.value}?"]
    assert hinted == word.near
    assert bool(hinted) == (text not in {"Occasion", "?"})


VALUES: dict[str, tuple[dict[str, str], list[tuple[str, str, bool]]]] = {
    "what is missing": ({}, [(COST, "", False), (ADDITIONAL, "", False)]),
    "what was said of it": (SHIPPING, [(COST, "4.90", False), (ADDITIONAL, "2", False)]),
    "what has a column is not asked for": (
        {**SHIPPING, "column:8": COST.removeprefix("default:")},
        [(ADDITIONAL, "2", False)],
    ),
    "what no two rows share": (
        {**SHIPPING, "column:2": ""},
        [("default:price.price", "", True), (COST, "4.90", False), (ADDITIONAL, "2", False)],
    ),
}


@pytest.mark.parametrize(("said", "lines"), VALUES.values(), ids=VALUES)
def test_fields_without_a_column(
    files: Files, said: dict[str, str], lines: list[tuple[str, str, bool]]
) -> None:
    view = view_of(files, **said)
    is_of_row = view.proposal.differs_by_row
    assert [(line.name, line.value, is_of_row(line.field.key)) for line in view.values] == lines


def test_another_complete_kind_is_suggested(files: Files) -> None:
    assert view_of(files).other_kinds == ["offers-update"]
    assert view_of(files, **SHIPPING).other_kinds == ()


def read(path: Path) -> FileReading:
    return reading_of(Input(path.name, path), ReadOptions())


UNCLEAR = table([offer(1, preparationTime=None)])
READINGS: dict[str, tuple[Callable[[Files], Path], tuple[list[str], str | None, bool, bool]]] = {
    # The sheets, the kind, whether the columns are new, and whether the kind is unclear.
    "a list": (lambda files: files.text(LIST, "l.csv"), ([], None, True, True)),
    "new offers": (
        lambda files: files.text(table([offer()]), "o.csv"),
        ([], "offers-upsert", False, False),
    ),
    "a workbook": (
        lambda _: SAMPLES / "products-and-offers.xlsx",
        (["Products", "Offers"], "products", False, False),
    ),
    "an incomplete one": (lambda files: files.text(UNCLEAR, "o.csv"), ([], None, True, True)),
    "a note": (lambda files: files.text("read me\n", "o.csv"), ([], None, True, False)),
}


@pytest.mark.parametrize("case", READINGS)
def test_readings_of_files(files: Files, case: str) -> None:
    make, expected = READINGS[case]
    reading = read(make(files))
    sheets = [name for name in reading.sheets if name in {"Products", "Offers"}]
    is_unclear = bool(reading.unclear_kinds)
    assert (sheets, reading.kind_of(None), reading.is_new, is_unclear) == expected
    assert reading.kind_of("no such sheet") is None
