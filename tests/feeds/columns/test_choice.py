"""Closed lists: compared without case, in three languages, sent canonical."""

from unicodedata import combining, normalize

import pytest

from feedtool.areas.legacy.feeds import LEGACY_CONDITION
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.offers.columns import ACTION, CONDITION_TYPE, CONDITIONS, SPLITTING_COLUMNS
from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.orders.codes import CARRIER_UNKNOWN
from feedtool.areas.orders.settings import OrderSettings
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import (
    Choice,
    Country,
    Ignored,
    Retired,
    Suggested,
    YesNo,
    country_names,
)
from feedtool.model.cells import BLANK, Cell, CellType, Kind
from feedtool.model.nouns import Issue
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import LANGUAGES, Translator
from tests.feeds.columns.conftest import NO_VALUES, number, read, text

(ACTIONS,) = (column.type for column in SPLITTING_COLUMNS if column.key == ACTION)
WRITINGS = {writing: value for value, labels in CONDITIONS.items() for writing in (value, *labels)}


@pytest.mark.parametrize(("writing", "value"), WRITINGS.items())
def test_each_writing_of_a_condition(writing: str, value: str) -> None:
    for shown in (writing, writing.upper(), writing.lower()):
        assert read(CONDITION_TYPE, text(shown)) == (value, (), ""), shown


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
        ("As new", "UsedLikeNew"),  # and not New, whose letters are nearer
        ("Etat: correct", "UsedAverageState"),
    ],
)
def test_the_hint_names_the_nearest(writing: str, nearest: str) -> None:
    reading = read(CONDITION_TYPE, text(writing))
    assert (reading.value, reading.codes) == (None, ("enum-value",))
    assert nearest in reading.hint


@pytest.mark.parametrize("writing", ["Occasion", "reconditionné", "Used good"])
def test_an_ambiguous_word_gets_no_suggestion(writing: str) -> None:
    assert read(CONDITION_TYPE, text(writing)).hint == "write the one that is meant"


def test_two_letters_get_no_suggestion() -> None:
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


MEANT = {
    "Supprimer": "Delete",
    "SUPPRIMÉ": "Delete",
    "Eliminar": "Delete",
    "MAJ": "Update",
    "Ajouter": "Upsert",
    "Upsrt": "Upsert",
    "Updte": "Update",
}


@pytest.mark.parametrize("word", MEANT)
def test_the_action_that_a_word_means_is_named(word: str) -> None:
    reading = read(ACTIONS, text(word))
    assert (reading.codes, reading.hint) == (("enum-value",), f"did you mean {MEANT[word]}?")


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
def test_a_retired_field_takes_no_value(cell: Cell) -> None:
    assert read(Retired(), cell).codes == ("field-retired",)


@pytest.mark.parametrize("cell", [text("1"), text(""), *NO_VALUES.values()], ids=str)
def test_a_field_no_longer_supported_is_ignored(cell: Cell) -> None:
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


def test_legacy_conditions_are_a_setting() -> None:
    settings = AccountSettings().having(LegacySettings(legacy_conditions={"Antique": "7"}))
    assert read(LEGACY_CONDITION, text("antique"), settings).value == "Antique"
    assert read(LEGACY_CONDITION, text("New"), settings).codes == ("enum-value",)


SAID = {
    "true": ("yes", "OUI", "Sí", "si", "y", "O", "s", "1", "vrai", "Verdadero", "TRUE"),
    "false": ("no", "NON", "n", "0", "Faux", "falso", "False"),
}


@pytest.mark.parametrize(
    ("writing", "value"), [(word, value) for value, words in SAID.items() for word in words]
)
def test_yes_and_no_in_three_languages(writing: str, value: str) -> None:
    assert read(YesNo(), text(writing)) == (value, (), "")


@pytest.mark.parametrize(
    ("cell", "value", "codes"),
    [
        (Cell(Kind.BOOLEAN, "TRUE"), "true", ()),
        (Cell(Kind.BOOLEAN, "FALSE"), "false", ()),
        (number("1"), "true", ()),
        (number("0"), "false", ()),
        (number("2"), None, ("enum-value",)),
        (text("perhaps"), None, ("enum-value",)),
        (text(" yes "), "true", ("trimmed",)),
        (BLANK, None, ()),
        (NO_VALUES["formula-error"], None, ("formula-error",)),
        (NO_VALUES["date-in-number-cell"], None, ("date-in-number-cell",)),
    ],
    ids=str,
)
def test_yes_and_no_of_other_cells(cell: Cell, value: str | None, codes: tuple[str, ...]) -> None:
    assert read(YesNo(), cell)[:2] == (value, codes)


@pytest.mark.parametrize(
    ("language", "words"), [(None, "Yes, No"), ("fr", "Oui, Non"), ("es", "Sí, No")]
)
def test_yes_and_no_are_shown_in_words(language: str | None, words: str) -> None:
    reading = YesNo().read(text("perhaps"), ColumnReader(YesNo(), Context(AccountSettings())))
    assert isinstance(reading, InvalidValue)
    (fault,) = reading.faults
    in_sheet = Translator("en", list_language=language)
    assert in_sheet(fault.message) == f"“perhaps” is not one of {words}"


CARRIER = Suggested(lambda settings: settings.of(OrderSettings).carriers, CARRIER_UNKNOWN)
SHOP = AccountSettings().having(OrderSettings(carriers=("Colissimo", "UPS")))
SUGGESTED: list[tuple[Cell, str | None, tuple[str, ...]]] = [
    (text("Colissimo"), "Colissimo", ()),
    (text("COLISSIMO"), "Colissimo", ()),
    (text(" ups "), "UPS", ()),
    (text("Colisimo"), "Colisimo", ("carrier-unknown",)),
    (text("DHL Express"), "DHL Express", ("carrier-unknown",)),
    (text(" DHL"), "DHL", ("trimmed", "carrier-unknown")),
    (number("7"), "7", ("carrier-unknown",)),
    (text("U\u200bPS"), None, ("text-control-chars",)),
    (NO_VALUES["formula-error"], None, ("formula-error",)),
    (BLANK, None, ()),
]


@pytest.mark.parametrize(("cell", "value", "codes"), SUGGESTED, ids=str)
def test_a_suggested_value_and_others(
    cell: Cell, value: str | None, codes: tuple[str, ...]
) -> None:
    assert read(CARRIER, cell, SHOP)[:2] == (value, codes)


def faults(kind: CellType, cell: Cell, settings: AccountSettings) -> tuple[Issue, ...]:
    value = kind.read(cell, ColumnReader(kind, Context(settings), None))
    assert isinstance(value, InvalidValue)
    return value.faults


def test_the_nearest_suggested_value_is_named() -> None:
    (fault,) = faults(CARRIER, text("Colisimo"), SHOP)
    assert fault.hint == "did you mean Colissimo?"
    assert "Colissimo, UPS" in fault.message
    (fault,) = faults(CARRIER, text("DHL"), SHOP)
    assert fault.hint == ""


@pytest.mark.parametrize("cell", [text("Anyone"), text("U-P-S")], ids=str)
def test_a_choice_without_suggestions_takes_any_text(cell: Cell) -> None:
    assert read(CARRIER, cell) == (cell.text, (), "")


COUNTRIES = {
    "FR": "FR",
    "fr": "FR",
    "France": "FR",
    "Germany": "DE",
    "Allemagne": "DE",
    "ALEMANIA": "DE",
    "Great Britain": "GB",
    "gran bretaña": "GB",
    "Côte d\u2019Ivoire": "CI",
    "Heard Island & McDonald Islands": "HM",
    "Heard & McDonald Islands": "HM",  # CLDR's name before 2026, in templates of then
    "EU": None,
    "XK": None,
    "FRA": None,
    "250": None,
}


@pytest.mark.parametrize(("writing", "code"), COUNTRIES.items(), ids=map(ascii, COUNTRIES))
def test_countries_by_code_and_by_name(writing: str, code: str | None) -> None:
    assert read(Country(), text(writing))[:2] == (code, () if code else ("enum-value",))


@pytest.mark.parametrize("writing", ["UK", " uk "])
def test_uk_is_great_britain(writing: str) -> None:
    assert read(Country(), text(writing))[:2] == ("GB", ("country-read",))


ACCENTS = {
    "Etats-Unis": "US",
    "COTE D\u2019IVOIRE": "CI",
    " Etats-Unis": "US",
    "Pérou": "PE",
    "Pèrou": "PE",
    "Perôu": "PE",
}


@pytest.mark.parametrize(("writing", "code"), ACCENTS.items(), ids=map(ascii, ACCENTS))
def test_wrong_accents_are_reported(writing: str, code: str) -> None:
    reading = read(Country(), text(writing))
    told = ("trimmed",) * writing.startswith(" ") + ("enum-accents",) * (writing != "Pérou")
    assert reading[:2] == (code, told)


NARROW = AccountSettings(conditions=("New",))
SAID_TWICE = Choice({"A": ("Été",), "B": ("Etè",)})


@pytest.mark.parametrize(
    ("kind", "cell", "settings"),
    [
        (SAID_TWICE, text("Ete"), None),  # which of them is meant is not clear
        (CONDITION_TYPE, text("Occasion - Bon etat"), None),
        (CONDITION_TYPE, text("Usàge"), None),
        (CONDITION_TYPE, text("Usedlikénew"), NARROW),  # not one that the seller may use
    ],
)
def test_texts_that_differ_in_more_than_accents_are_refused(
    kind: Choice, cell: Cell, settings: AccountSettings | None
) -> None:
    assert read(kind, cell, settings)[:2] == (None, ("enum-value",))


@pytest.mark.parametrize(("writing", "value"), WRITINGS.items())
def test_a_condition_without_its_accents(writing: str, value: str) -> None:
    bare = "".join(it for it in normalize("NFD", writing) if not combining(it))
    reading = read(CONDITION_TYPE, text(bare))
    assert reading.value == value
    assert set(reading.codes) <= {"enum-accents"}


def test_there_are_as_many_countries_as_iso_3166_1_has() -> None:
    names = country_names()
    assert len(names) == 249
    assert all(len(labels) >= len(LANGUAGES) for labels in names.values())
    assert names["ES"] == ("Spain", "Espagne", "España")
    assert all(len(set(map(type, labels))) == 1 and all(labels) for labels in names.values())
