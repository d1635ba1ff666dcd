"""Closed lists: compared without case, in three languages, sent canonical."""

import pytest

from feedtool.areas.legacy.feeds import LEGACY_CONDITION
from feedtool.areas.offers.columns import ACTION, CONDITION_TYPE, CONDITIONS, SPLITTING_COLUMNS
from feedtool.areas.offers.package_types import PackageType
from feedtool.feeds.columns.choice import Choice, Ignored, Retired
from feedtool.model.cells import Cell
from feedtool.model.settings import AccountSettings
from tests.feeds.columns.conftest import NO_VALUES, number, read, text

(ACTIONS,) = (column.type for column in SPLITTING_COLUMNS if column.key == ACTION)
WRITINGS = {writing: value for value, labels in CONDITIONS.items() for writing in (value, *labels)}


@pytest.mark.parametrize(("writing", "value"), WRITINGS.items())
@pytest.mark.parametrize("case", [str, str.upper, str.lower], ids=lambda case: case.__name__)
def test_each_writing_of_a_condition(writing: str, value: str, case: type[str]) -> None:
    assert read(CONDITION_TYPE, text(case(writing))) == (value, (), "")


PARTS = {
    "Nuevo - Nuevo": "New",
    "Neuf - Neuf": "New",
    "NEW \N{EN DASH} New": "New",
    "Ocasión - Estado correcto": "UsedAverageState",
    "Ocasion - Como nuevo": "UsedLikeNew",
    "Ocasión - Muy buen estado": "UsedVeryGoodState",
    "Occasion - Etat correct": "UsedAverageState",
    "Occasion - Très bon état": "UsedVeryGoodState",
    "Used - Very good condition": "UsedVeryGoodState",
    "Used  -\u00a0like new": "UsedLikeNew",
    "Second hand - As new": "UsedLikeNew",
    "Reacondicionado - Estado correcto": "RefurbishedCorrectState",
    "Reconditionne -  comme neuf": "RefurbishedLikeNew",
    "Refurbished - Average condition": "RefurbishedCorrectState",
}


@pytest.mark.parametrize(("writing", "value"), PARTS.items(), ids=map(ascii, PARTS))
def test_a_group_and_a_state(writing: str, value: str) -> None:
    assert read(CONDITION_TYPE, text(writing)) == (value, (), "")


@pytest.mark.parametrize(
    ("writing", "nearest"),
    [
        ("UsedLikeNw", "UsedLikeNew"),
        ("Refurbished like new", "RefurbishedLikeNew"),
        ("neww", "New"),
    ],
)
def test_the_hint_names_the_nearest(writing: str, nearest: str) -> None:
    reading = read(CONDITION_TYPE, text(writing))
    assert (reading.value, reading.codes) == (None, ("enum-value",))
    assert nearest in reading.hint


def test_of_two_letters_none_is_near() -> None:
    reading = read(Choice({"fr-FR": ("fr",), "es-ES": ("es",)}), text("de"))
    assert (reading.codes, reading.hint) == (("enum-value",), "write the one that is meant")


NO_CONDITIONS = [
    *(text("broken"), text("6"), number("6"), text("N e w")),
    # A group and a state that nobody has.
    *(text("New - Used"), text("Nuevo - Estado correcto"), text("Ocasión - Buen estado")),
    text("Used - Used"),
]


@pytest.mark.parametrize("cell", NO_CONDITIONS, ids=str)
def test_anything_else_is_refused(cell: Cell) -> None:
    assert read(CONDITION_TYPE, cell).codes == ("enum-value",)


def test_the_list_is_a_setting() -> None:
    narrow = AccountSettings(conditions=("New", "Grade-B"))
    assert read(CONDITION_TYPE, text("new"), narrow).value == "New"
    assert read(CONDITION_TYPE, text("GRADE-b"), narrow).value == "Grade-B"
    reading = read(CONDITION_TYPE, text("UsedLikeNew"), narrow)
    assert reading.codes == ("enum-value",)
    assert "UsedLikeNew" not in reading.hint


ACTION_WORDS = {
    "Upsert": PackageType.UPSERT,
    "UPDATE": PackageType.UPDATE,
    "delete": PackageType.DELETE,
    # No other word deletes or creates.
    **dict.fromkeys(("supprimer", "remove", "créer", "del", "Full", "StockAndPrice")),
}


@pytest.mark.parametrize(("writing", "value"), ACTION_WORDS.items())
def test_actions(writing: str, value: str | None) -> None:
    codes = () if value else ("enum-value",)
    assert read(ACTIONS, text(writing))[:2] == (value, codes)


@pytest.mark.parametrize("cell", [text("1"), number("0"), *NO_VALUES.values()], ids=str)
def test_a_retired_field_takes_nothing(cell: Cell) -> None:
    assert read(Retired(), cell).codes == ("field-retired",)


@pytest.mark.parametrize("cell", [text("1"), text(""), *NO_VALUES.values()], ids=str)
def test_a_field_that_is_not_supported_any_more_is_read_by_nobody(cell: Cell) -> None:
    assert read(Ignored(), cell) == (None, (), "")


@pytest.mark.parametrize(
    ("writing", "value"),
    [
        *WRITINGS.items(),
        ("6", "New"),
        ("3", "GoodState"),
        ("Bon état", None),
        ("Occasion - bon état", "GoodState"),
        ("likenew", "UsedLikeNew"),
        ("5", "Refurbished"),
        ("Ocasión - Buen estado", "GoodState"),
        ("7", None),
    ],
)
def test_a_condition_of_the_legacy_zip(writing: str, value: str | None) -> None:
    reading = read(LEGACY_CONDITION, text(writing))
    assert (reading.value, reading.codes) == (value, () if value else ("enum-value",))


def test_those_of_the_legacy_zip_are_a_setting() -> None:
    own = AccountSettings(legacy_conditions={"Antique": "7"})
    assert read(LEGACY_CONDITION, text("antique"), own).value == "Antique"
    assert read(LEGACY_CONDITION, text("New"), own).codes == ("enum-value",)
