"""Identifiers that stand for no value, and the errors of formulas in every language."""

import pytest

from feedtool.areas.orders.columns import PARCEL, SHIPPING_COLUMNS
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Money
from feedtool.feeds.columns.placeholders import FORMULA_ERRORS
from feedtool.feeds.columns.text import Comment, ProductReference, Reference, Text
from feedtool.model.cells import Cell, CellType, Kind
from tests.conftest import Find, offer, update
from tests.feeds.columns.conftest import case_id, number, read, text

REFERENCE, PRODUCT, GTIN = Reference(), ProductReference(), Gtin()
IDENTIFIERS = (REFERENCE, PRODUCT, GTIN)
TEXTS = (Text(), Comment())

BY_PROGRAMS = [
    *("nan", "NaN", "None", "none", "NULL", "null", "undefined", "[object Object]", "NaT", "<NA>"),
    *("n/a", "N/A", "-", "--", "\u2013", "?", "...", "####", "False", "TRUE", "VRAI", "falso"),
    *(
        "=A1",
        "=$B$12",
        "=Feuil1!C3",
        "='Prix 2026'!A1",
        " nan ",
        "\\N",
    ),
]
BY_PEOPLE = ["0", "000", "0.0", "N.C.", "nc", "S/O", "NA", "TBD", "inconnu", "unknown"]
NAMES = [
    *("SKU-1", "NAN-1", "NANO", "NONE1", "NULLE", "TRUEST", "N-A", "A", "X", "-5", "00042"),
    *("=1+1", "=SUM(A1)"),
    *("NON", "NO", "OUI", "DASH-", "-A", "0-0-7", "REF", "NAME", "ZAHL", "NOM", "VALEUR", "#12"),
    *("Nantes", "No 5", "NC-17", "S/O-12", "True Blue", "nil-1"),
]
"""References that stay as they are."""

ERRORS = [
    *("#N/A", "#REF!", "#NAME?", "#SPILL!", "#CALC!", "#GETTING_DATA"),
    *("#NOM?", "#VALEUR!", "#NOMBRE!", "#NUL!", "#PROPAGATION!", "#NV", "#WERT!", "#BEZUG!"),
    *("#ÜBERLAUF!", "#N/D", "#¿NOMBRE?", "#¡VALOR!", "#¡REF!", "#¡DIV/0!", "#RIF!", "#N/B"),
    *(
        "#DEEL/0!",
        "#ARG!",
        "#N/D!",
        "#\u041d/\u0414",
        "#ДЕЛ/0!",
        "#SAKNAS!",
        "#VÆRDI!",
        "#I/T",
        "#YOK",
    ),
    *(
        "#PUUTTUU!",
        "#NENÍ_K_DISPOZICI",
        "#ÉRTÉK!",
        "#\u0394/\u03a5",
        "#VALOARE!",
        "#VREDN!",
        "#スピル!",
    ),
    *("#VALOR!", "#NOMBRE?", "#VALEUR", "#nom?", " #NOM? ", "#PROPAGATION\u00a0!"),
]
UNSIGNED = ["NOM?", "VALEUR!", "NV", "¡VALOR!", "REF!", "DIV/0!", "N/D", "\u041d/\u0414"]
WORDS = [
    "#1",
    "#sale",
    "#SALE!",
    "#",
    "# 5",
    "C#",
    "#NOMADE!",
    "#VALEURS",
    "N°#REF!",
    "#ref",
    "#Nom",
]
"""Texts that stay as they are."""


@pytest.mark.parametrize("shown", BY_PROGRAMS)
def test_placeholders_of_programs_are_refused(shown: str) -> None:
    for kind in IDENTIFIERS:
        codes = read(kind, text(shown)).codes
        assert [code for code in codes if code != "trimmed"] == ["placeholder"], kind


@pytest.mark.parametrize("shown", BY_PEOPLE)
def test_placeholders_of_people_are_sent_with_a_warning(shown: str) -> None:
    for kind in (REFERENCE, PRODUCT):
        reading = read(kind, text(shown))
        assert (reading.value, reading.codes) == (shown, ("placeholder-doubtful",)), kind


def test_a_numeric_zero_is_a_doubtful_reference() -> None:
    assert read(REFERENCE, number("0")).codes == ("placeholder-doubtful",)


@pytest.mark.parametrize("shown", NAMES)
def test_names_stay_unchanged(shown: str) -> None:
    assert read(REFERENCE, text(shown)) == (shown, (), "")


@pytest.mark.parametrize("shown", [*BY_PROGRAMS[:6], "-", "TRUE", "0", "N.C."])
def test_a_text_may_hold_such_words(shown: str) -> None:
    for kind in TEXTS:
        assert read(kind, text(shown)) == (shown, (), "")


def test_a_parcel_number_is_no_placeholder() -> None:
    (parcel,) = (column.type for column in SHIPPING_COLUMNS if column.key == PARCEL)
    assert read(parcel, text("nan")).codes == ("placeholder",)
    assert read(parcel, text("8R00123456789")) == ("8R00123456789", (), "")


@pytest.mark.parametrize("kind", [*IDENTIFIERS, *TEXTS, Money()], ids=case_id)
def test_errors_of_formulas_are_known_in_all_languages(kind: CellType) -> None:
    for shown in ERRORS:
        assert read(kind, text(shown)).codes == ("formula-error",), shown


@pytest.mark.parametrize("kind", IDENTIFIERS, ids=case_id)
def test_an_identifier_is_no_error_without_its_sign(kind: CellType) -> None:
    for shown in UNSIGNED:
        assert read(kind, text(shown)).codes == ("formula-error",), shown


@pytest.mark.parametrize("shown", [*WORDS, *UNSIGNED])
def test_words_are_no_errors(shown: str) -> None:
    for kind in TEXTS:
        assert read(kind, text(shown)) == (shown, (), "")


def test_every_error_of_the_list_is_one() -> None:
    assert len(FORMULA_ERRORS) > 400
    for error in FORMULA_ERRORS:
        assert read(REFERENCE, text(error)).codes == ("formula-error",)
    assert read(REFERENCE, Cell(Kind.ERROR, "#ANYTHING!")).codes == ("formula-error",)


def test_an_offer_that_was_sent_so_can_be_removed(find: Find) -> None:
    row = offer(sellerExternalReference="nan", product__gtin="nan")
    assert [problem.field for problem in find("placeholder", row)] == [
        "sellerExternalReference",
        "product.gtin",
    ]
    change = update(quantity="1", sellerExternalReference="nan", product__gtin="nan")
    assert [problem.severity for problem in find("placeholder", change)] == ["error"]
    removal = {"sellerExternalReference": "nan", "action": "Delete"}
    (problem,) = find("placeholder", removal)
    assert problem.severity == "warning"
    assert find("required-missing", removal) == []
