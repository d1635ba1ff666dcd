"""The template for products: which columns it has for which categories, and what they say."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from openpyxl import load_workbook
from openpyxl.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation

from feedtool.areas.products.categories import dropdown_entries
from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.settings import ProductSettings
from feedtool.areas.products.template import products_contents
from feedtool.catalog import Catalog, Necessity, Property, PropertyChoice
from feedtool.catalog.model import written_fingerprints
from feedtool.check.requests import validator_of
from feedtool.feeds import template
from feedtool.feeds.template import Basis, Contents, Field, Need
from feedtool.model.cells import folded
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings, Context
from feedtool.templates import limits, write_template
from tests.areas.products.test_feeds import Case, cases
from tests.catalogues import (
    MANDATORY,
    NUMERIC,
    RANGED,
    RECOMMENDED,
    catalog,
    category,
    choices,
    judging,
    prop,
)
from tests.conftest import checked, properties_of, refused
from tests.conftest import codes as found_codes

KETTLES, MACHINES, SEEDS = "0A0101", "0A0102", "0B0101"
"""Categories of the catalogue of the tests: KETTLES demand a brand, MACHINES have variants."""

COMMON = [
    *("gtin", "sellerProductReference", "title", "description"),
    *(f"sellerPictureUrls_{index}" for index in range(1, 7)),
    *("brand", "categoryCode", "language", "gtinReference", "richMarketingDescription"),
]


def write_products_template(known: Catalog, codes: Sequence[str], target: Path) -> None:
    context = Context(catalog=lambda _: known)
    write_template(FEED, target, Basis("en", context, codes, has_example=True))


def fill(path: Path, *rows: Mapping[str, str]) -> None:
    """Puts rows below the header, each cell under its key, which gets a column if it has none."""
    book = load_workbook(path)
    sheet = book["Products"]
    places = {str(cell.value): place for place, cell in enumerate(sheet[3], start=1)}
    for number, row in enumerate(rows, start=4):
        for key, text in row.items():
            place = places.setdefault(key, len(places) + 1)
            sheet.cell(3, place, key)
            sheet.cell(number, place, text)
    book.save(path)


def contents(
    properties: Mapping[str, Sequence[Property]], own: AccountSettings | None = None
) -> Contents:
    """The contents of a template for the categories that have these properties."""
    known = catalog({code: tuple(some) for code, some in properties.items()})
    return products_contents(FEED, known, list(properties), own or AccountSettings())


def made(*properties: Property, machines: Sequence[Property] | None = None) -> Contents:
    """The contents of a template for kettles with these properties, and machines."""
    return contents({KETTLES: properties} | ({} if machines is None else {MACHINES: machines}))


def field_of(contents: Contents, key: str = "3263") -> Field:
    (found,) = [field for field in contents.fields if field.key == key]
    return found


def test_every_column_has_its_group() -> None:
    groups = {field.key: field.group for field in made(prop("20")).fields}
    shown = {key: groups.pop(key) for key in ("gtin", "title", "brand", "20")}
    assert list(shown.values()) == ["Identity", "Texts", "Classification", "Properties"]
    assert all(groups.values())


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([KETTLES], [*COMMON, "20", "30", "10"]),
        ([MACHINES], [*COMMON, "variantGroupReference", "30", "40"]),
        ([KETTLES, MACHINES], [*COMMON, "variantGroupReference", "20", "30", "40", "10"]),
        ([SEEDS], COMMON),
    ],
)
def test_common_fields_come_first_then_properties_by_index(
    codes: list[str], expected: list[str]
) -> None:
    references = {KETTLES: ("20", "30", "10"), MACHINES: ("30", "40", "cdav"), SEEDS: ()}
    every = {
        code: [prop(key, index=position) for position, key in enumerate(references[code])]
        for code in codes
    }
    keys = [field.key for field in contents(every).fields]
    assert sorted(keys) == sorted(expected)
    assert keys[: len(COMMON)] == COMMON


def test_a_shared_property_has_its_first_place() -> None:
    fields = made(prop("1", index=10), prop("2", index=30), machines=[prop("2", index=5)]).fields
    assert [field.key for field in fields][-2:] == ["2", "1"]


UNIONS = {
    # the necessities in the categories, the mark of the column, what is said of it
    "mandatory": ("M", "*", "Required"),
    "recommended": ("R", "+", "Recommended"),
    "optional": ("O", "", "Optional"),
    "every category demands it": ("MM", "*", "Required"),
    "one demands it": ("MO", "+", "Required in 0A0101"),
    "one demands it, one recommends it": ("MR", "+", "Required in 0A0101; recommended in 0A0102"),
    "only one has it, and demands it": ("M-", "+", "Required in 0A0101, only there"),
    "only one has it": ("O-", "", "Optional; only in 0A0101"),
    "one of three": ("-RO", "+", "Recommended in 0A0102; only in 0A0102, 0B0101"),
}
NEEDS = {"*": Need.ALWAYS, "+": Need.RECOMMENDED, "": Need.NEVER}


@pytest.mark.parametrize(("necessities", "mark", "told"), UNIONS.values(), ids=UNIONS)
def test_the_hint_names_the_categories_that_demand_a_property(
    necessities: str, mark: str, told: str
) -> None:
    known = {str(necessity)[0]: [prop(necessity=necessity)] for necessity in Necessity}
    codes = [KETTLES, MACHINES, SEEDS][: len(necessities)]
    every = {code: known.get(word, []) for code, word in zip(codes, necessities, strict=True)}
    field = field_of(contents(every))
    title = f"Colour\u00a0{mark}".rstrip()
    assert (field.need, field.title, field.requirement) == (NEEDS[mark], title, told)
    assert field.hint.splitlines()[0] == told


def test_a_long_list_of_categories_leaves_room_for_the_hint() -> None:
    many = [category(f"0A01{number:02d}", f"No. {number}") for number in range(40)]
    length = prop(necessity=MANDATORY, is_numeric=True, unit="cm")
    every = {item.reference: (length,) for item in many}
    every[many[0].reference] = (replace(length, necessity=RECOMMENDED),)
    field = field_of(products_contents(FEED, catalog(every, many), [*every], AccountSettings()))
    assert field.hint.startswith("Required in some categories\nA number. Unit: cm")
    assert len(field.requirement) > 255
    assert "0A0139" in field.requirement


def test_a_category_or_the_profile_may_demand_common_fields() -> None:
    demanding = {
        (KETTLES,): ("Brand\u00a0*", "Required"),
        (MACHINES,): ("Brand\u00a0+", "Recommended"),
        (KETTLES, MACHINES): ("Brand\u00a0+", "Required in 0A0101; recommended"),
    }
    for codes, told in demanding.items():
        field = field_of(contents(dict.fromkeys(codes, ())), "brand")
        assert (field.title, field.requirement) == told
    fields = contents(
        {MACHINES: ()}, AccountSettings().having(ProductSettings(product_fields=("title", "brand")))
    ).fields
    needed = [field.key for field in fields if field.need is Need.ALWAYS]
    assert needed == ["gtin", "title", "brand", "categoryCode"]


ENTRIES: dict[str, tuple[dict[str, Any], str, str]] = {
    # changes of a property → format and limit (strict or not) of its cells, help
    "a text": ({}, "@", "A text."),
    "texts": ({"is_multiple": True}, "@", "One or several texts"),
    "a number": (NUMERIC, "General decimal strict", "A number."),
    "a number in a unit": (NUMERIC | {"unit": "kg"}, "General decimal strict", "Unit: kg"),
    "numbers": (NUMERIC | {"is_multiple": True}, "@", "several numbers"),
    "one of a list": (
        RANGED | {"choices": choices("1/2", "1")},
        "@ list strict",
        "One of the list.\nExample: 1/2",
    ),
    "several of a list": (
        RANGED | {"is_multiple": True, "choices": choices("Red", "Blue", "Green")},
        "@ list",
        "Example: Red;Blue",
    ),
    "numbers of a list": (
        RANGED | NUMERIC | {"unit": "mm", "choices": choices("10", "20")},
        "@ list strict",
        "Unit: mm",
    ),
    "a list that is but a help": ({"choices": choices("Red")}, "@ list strict", "One of the list."),
    "a file": ({"allowed_file_types": ("pdf", "jpg")}, "@", "a file: pdf, jpg."),
    "a variation": (
        {"is_variation": True, "necessity": RECOMMENDED},
        "@",
        "Recommended; required for variants",
    ),
}


@pytest.mark.parametrize(("changes", "cells", "text"), ENTRIES.values(), ids=ENTRIES)
def test_a_column_limits_cells_like_its_property(
    changes: dict[str, Any], cells: str, text: str
) -> None:
    field = field_of(made(prop(**changes)))
    limit = field.entry.limit
    kinds = [limit.type, *(["strict"] if limit.is_strict else [])] if limit else []
    assert " ".join([field.entry.number_format, *kinds]) == cells
    assert text in f"{field.hint}\nExample: {field.example}"


def test_a_column_takes_the_values_of_all_its_categories() -> None:
    one = prop(is_ranged=True, choices=choices("Red", "Blue"), unit="cm")
    other = prop(is_ranged=True, is_multiple=True, choices=choices("Blue", "Green"), unit="mm")
    both, free = (field_of(made(one, machines=[item])) for item in (other, prop()))
    assert both.choices == ("Red", "Blue", "Green")
    assert "Unit: cm / mm" in both.hint
    for field in (both, free):
        assert field.entry.limit is not None
        assert not field.entry.limit.is_strict


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"r": "Red", "b": "Blue"}, "Red Blue"),
        ({"r1": "Red", "r2": "Red", "b": "Blue"}, "r1 r2 Blue"),
        ({"S": "Small", "Small": "Tiny"}, "S Tiny"),
        ({"long": "x" * 32_768, "bell": "\x07"}, "long bell"),
    ],
)
def test_offers_codes_where_a_label_is_not_clear(known: dict[str, str], expected: str) -> None:
    assert (
        " ".join(dropdown_entries([PropertyChoice(*choice) for choice in known.items()]))
        == expected
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Colour", "Size"], ["Colour", "Size"]),
        (["Colour", "colour "], ["Colour (0)", "colour  (1)"]),
        (["Title", ""], ["Title (0)", "(1)"]),
    ],
)
def test_no_two_columns_are_called_the_same(labels: list[str], expected: list[str]) -> None:
    fields = made(
        *(prop(str(position), label=label) for position, label in enumerate(labels))
    ).fields
    assert [field.label for field in fields[-len(labels) :]] == expected
    names = [folded(field.label) for field in fields]
    assert len(set(names)) == len(names)


REFUSED = {
    "none": ([], "no category is given", "catalog search"),
    "mistyped": (["0A010"], "there is no category “0A010”", "did you mean 0A0102, 0A0101"),
    "like nothing": (["QQ"], "there is no category “QQ”", "catalog search"),
    "level 2": (["0A01"], "0A01 (Kitchen) is of level 2", "it holds 0A0101, 0A0102"),
    "level 1": (["0B"], "0B (Garden) is of level 1", "it holds 0B0101"),
    "not active": (["0A0103"], "0A0103 (Old kettles) is not active", "catalog search"),
    "not brought": (["0B0101"], "the properties of 0B0101 (Seeds) were not", "catalog sync"),
    "each with its reason": (["QQ", KETTLES, "0A01"], "“QQ”; 0A01 (Kitchen) is of", "it holds"),
}


NO_PROPERTIES = catalog({KETTLES: (), MACHINES: ()})


@pytest.mark.parametrize(("codes", "message", "hint"), REFUSED.values(), ids=REFUSED)
def test_the_error_names_why_there_is_no_template(
    codes: list[str], message: str, hint: str
) -> None:
    with pytest.raises(UsageProblem) as raised:
        products_contents(FEED, NO_PROPERTIES, codes, AccountSettings())
    assert (message in raised.value.message, hint in raised.value.hint) == (True, True)
    made = products_contents(FEED, NO_PROPERTIES, [" 0a0101", "0A0101 "], AccountSettings())
    assert made.stamps["category"] == (KETTLES,)


MODELS = [f"Model {number}" for number in range(2_500)]


@pytest.fixture(scope="module")
def known() -> Catalog:
    """Kettles and machines, one property with very many choices."""
    models = prop("1", label="Models", necessity=MANDATORY, choices=choices(*MODELS))
    weight = prop("2", index=2, label="Weight", is_numeric=True, unit="kg")
    formula = prop("3", index=3, label="=1+1", necessity=RECOMMENDED)
    return catalog({KETTLES: (models, weight), MACHINES: (models, formula)})


@pytest.fixture(scope="module")
def book(known: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Workbook:
    path = tmp_path_factory.mktemp("template") / "products.xlsx"
    write_products_template(known, [KETTLES, MACHINES], path)
    return load_workbook(path)


def rules(book: Workbook) -> dict[str, DataValidation]:
    """The data validations, by the first cell of each."""
    found = book["Products"].data_validations.dataValidation
    return {str(rule.sqref).partition(":")[0]: rule for rule in found}


def test_has_its_sheets_and_stamps(book: Workbook, known: Catalog) -> None:
    assert book.sheetnames == ["Instructions", "Fields", "Products", "_lists"]
    assert book["_lists"].sheet_state == "hidden"
    assert book.active is book["Products"]
    stamps = properties_of(book).props
    fingerprints = f"0A0101:{known.fingerprint(KETTLES)},0A0102:{known.fingerprint(MACHINES)}"
    assert {stamp.name: stamp.value for stamp in stamps} == {
        "feedtool.template": "products",
        "feedtool.version": "1",
        "feedtool.language": "en",
        "feedtool.category": "0A0101,0A0102",
        "feedtool.fingerprint": fingerprints,
        **{
            f"feedtool.traits.{code}": ",".join(written_fingerprints(known.properties(code) or ()))
            for code in (KETTLES, MACHINES)
        },
    }


def test_shows_labels_and_hides_codes(book: Workbook) -> None:
    sheet = book["Products"]
    titles, codes = ([str(cell.value) for cell in sheet[row]] for row in (2, 3))
    assert codes == [*COMMON, "variantGroupReference", "1", "2", "3"]
    assert titles[0].endswith("\u00a0*")
    assert titles[-3:] == ["Models\u00a0*", "Weight", "=1+1\u00a0+"]
    assert (sheet.row_dimensions[3].hidden, sheet["A3"].font.size) == (True, 8)
    assert (sheet.max_row, sheet.freeze_panes) == (3, "C4")
    assert len({cell.fill.fgColor.rgb for cell in sheet[2][-3:]}) == 3


def test_shows_an_example_that_is_never_sent(
    book: Workbook, known: Catalog, tmp_path: Path
) -> None:
    example = [cell.value for cell in book["Products"][1]]
    kettle = "Electric kettle 1.7 L, stainless steel"
    assert example[:3] == ["Example: 4006381333931", "SKU-1001", kettle]
    assert {cell.data_type for cell in book["Products"][1]} <= {"s", "inlineStr", "n"}
    fields = {row[-1]: row for row in book["Fields"].iter_rows(values_only=True)}
    assert set(example[1:]) - {None} <= {text for row in fields.values() for text in row}
    book.save(tmp_path / "saved.xlsx")
    assert refused(tmp_path / "saved.xlsx", judging(known)).code == "no-rows"


LISTS = {
    "Q": ("list_1", MODELS, "Required\nOne of"),
    "L": ("list_categoryCode", [KETTLES, MACHINES], "0A0101 Kettles"),
}


def test_a_dropdown_has_every_choice(book: Workbook) -> None:
    found = rules(book)
    for column, (name, texts, _) in LISTS.items():
        rule = found[f"{column}4"]
        assert (rule.type, rule.formula1) == ("list", name)
        assert str(rule.sqref) == f"{column}4:{column}1048576"
        sheet, place = book.defined_names[name].attr_text.split("!")
        assert sheet == "'_lists'"
        assert [row[0].value for row in book["_lists"][place.replace("$", "")]] == texts
    prompts = {column: prompt for column, (_, _, prompt) in LISTS.items()}
    for column, told in {**prompts, "R": "Unit: kg", "S": "Recommended in"}.items():
        for row in (2, 4):
            assert told in str(found[f"{column}{row}"].prompt)
            assert found[f"{column}{row}"].showInputMessage


def test_explains_columns_without_listing_thousands_of_choices(book: Workbook) -> None:
    explained = {row[-1]: row for row in book["Fields"].iter_rows(values_only=True)}
    assert str(explained["1"][4]).splitlines()[-1] == "… 2500 in all: see the dropdown"
    assert explained["sellerProductReference"][3] == "SKU-1001"
    told = [row[0] for row in book["Instructions"].iter_rows(values_only=True)]
    assert "0A0101   Home > Kitchen > Kettles" in told
    assert any("Catalogue of 2026-03-01" in str(text) for text in told)


# The normal run fills the template of one catalogue, and makes rows by any rules in `test_feeds`.
@pytest.mark.long
@settings(max_examples=120, suppress_health_check=[HealthCheck.filter_too_much])
@given(cases())
def test_any_template_filled_by_its_own_rules_is_clean(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "products.xlsx"
        write_products_template(case.catalog, ["010101"], path)
        fill(path, case.row, case.other)
        (sheet,) = checked(path, dialect=judging(case.catalog))
        assert found_codes(sheet) == []
        assert sheet.header is not None
        assert (sheet.header.headings_row, sheet.counts().valid) == (2, 2)
        for item in sheet.valid_items():
            assert validator_of(FEED)(json.loads(item.body))


TEXTS = st.text(max_size=60) | st.sampled_from(["=A1", "x" * 40_000, "_x0041_", "\x00", "a;b"])
PROPERTIES = st.builds(
    prop,
    reference=st.text(min_size=1, max_size=50),
    index=st.integers(),
    necessity=st.sampled_from(Necessity),
    label=TEXTS,
    unit=st.none() | TEXTS,
    is_ranged=st.booleans(),
    is_numeric=st.booleans(),
    is_multiple=st.booleans(),
    is_variation=st.booleans(),
    choices=st.lists(st.builds(PropertyChoice, TEXTS, TEXTS), max_size=4).map(tuple),
    allowed_file_types=st.lists(TEXTS, max_size=2).map(tuple),
)


def length(text: str | None) -> int:
    """The length by Excel's count; openpyxl leaves a `_` escaped."""
    return template.length((text or "").replace("_x005F_", "_"))


# Without making failures smaller: that takes minutes where each example is a workbook.
# The normal run has each limit in `templates/test_limits`.
@pytest.mark.long
@settings(
    max_examples=60,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(PROPERTIES, max_size=6, unique_by=lambda one: one.reference))
def test_any_category_makes_a_workbook_within_limits(
    tmp_path: Path, properties: list[Property]
) -> None:
    path = tmp_path / "any.xlsx"
    write_products_template(catalog({KETTLES: tuple(properties)}), [KETTLES], path)
    book = load_workbook(path)
    sheet = book["Products"]
    assert sheet.max_column == len(COMMON) + sum(
        one.reference.upper() != "CDAV" for one in properties
    )
    for rule in sheet.data_validations.dataValidation:
        for attribute, longest in limits.RULE_TEXTS.items():
            assert length(getattr(rule, attribute)) <= longest
        if rule.type == "list":
            assert rule.formula1 in book.defined_names
    for name in book.defined_names:
        assert limits.defined_name(name) == name
    cells = [cell for some in book.worksheets for row in some.iter_rows() for cell in row]
    assert "f" not in {cell.data_type for cell in cells}
