"""`templates/` is what `write_template` makes now, and what feedtool recognises."""

from functools import cache
from itertools import cycle, product
from pathlib import Path
from typing import Any, get_args
from zipfile import ZipFile

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.registry import load
from feedtool.feeds.template import Basis, Need
from feedtool.model.cells import folded, letters
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.sheet import SKIPPED, VALID
from feedtool.model.text import LANGUAGES, Language, Translator
from feedtool.runs.template import write_all
from feedtool.templates import write_template
from feedtool.templates.contents import fields_of
from tests.conftest import checked, properties_of
from tests.pairs import sample

TEMPLATES = Path(__file__).parents[2] / "templates"
KINDS = tuple(kind for kind, feed in load().templates.items() if feed.template.contents is None)
TONGUES: tuple[Language, ...] = get_args(Language)
USUAL = set(zip(KINDS, cycle(TONGUES), strict=False))
"""Each kind in one of the languages."""
ALL = [
    (kind, language)
    if (kind, language) in USUAL
    else pytest.param(kind, language, marks=pytest.mark.long)
    for kind, language in product(KINDS, TONGUES)
]
LAST_ROW = 1_048_576
COST, MORE = (f"deliveryModes.TrackedHomeDelivery.{name}" for name in ("cost", "additionalCost"))


def parts(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist()}


def opened(kind: str, language: str) -> Workbook:
    return load_workbook(TEMPLATES / f"{kind}.{language}.xlsx")


@cache
def read(kind: str, language: str) -> Workbook:
    return opened(kind, language)


def to_fill(kind: str, language: Language) -> str:
    """The name of the sheet to fill, in this language."""
    return Translator(language).message(load().feeds[kind].sheet.name)


def offers(kind: str, language: Language) -> Worksheet:
    sheet = read(kind, language)[to_fill(kind, language)]
    assert isinstance(sheet, Worksheet)
    return sheet


def texts(sheet: Worksheet, row: int) -> list[object]:
    return [cell.value for cell in sheet[row]]


def limits(sheet: Worksheet) -> dict[str, tuple[object, ...]]:
    """Type, operator and bounds of typed values, by column."""
    return {
        str(rule.sqref): (rule.type, rule.operator, rule.formula1, rule.formula2)
        for rule in sheet.data_validations.dataValidation
        if rule.type
    }


def test_templates_equal_freshly_made_ones(tmp_path: Path) -> None:
    made = write_all(load().templates.values(), tmp_path)
    assert {path.name for path in made} == {path.name for path in TEMPLATES.iterdir()}
    for path in made:
        kept = parts(TEMPLATES / path.name)
        assert parts(path) == kept, (
            f"run `python -m feedtool.runs.template`: {path.name} has changed"
        )


@pytest.mark.parametrize(("kind", "language"), ALL)
def test_is_recognised_as_its_kind_and_its_example_is_no_row(kind: str, language: Language) -> None:
    path = TEMPLATES / f"{kind}.{language}.xlsx"
    (sheet,) = checked(path)
    expected = (kind, to_fill(kind, language), None)
    assert (sheet.kind, sheet.sheet, sheet.error) == expected
    [problem] = sheet.problems()
    assert (problem.code, problem.row, problem.message) == (
        *("not-a-row", 3, "this row is the template's example, left as it was"),
    )
    assert (sheet.rows.marks.count(SKIPPED), len(sheet.rows.items)) == (1, 0)


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("row", [1, 2])
def test_only_labels_or_only_keys_are_a_header(
    row: int, language: Language, tmp_path: Path
) -> None:
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.append(texts(offers("offers-upsert", language), row))
    workbook.save(tmp_path / "plain.xlsx")
    (found,) = checked(tmp_path / "plain.xlsx")
    assert found.header is not None
    expected = [
        column.key for column in load().feeds["offers-upsert"].sheet.columns(AccountSettings())
    ]
    assert [column.key for column in found.header.columns.values()] == expected


@pytest.mark.parametrize(("kind", "language"), ALL)
def test_has_its_sheets_its_stamp_and_opens_on_offers(kind: str, language: Language) -> None:
    workbook = read(kind, language)
    guides = {
        "en": "Instructions Fields",
        "fr": "Instructions Champs",
        "es": "Instrucciones Campos",
    }
    assert workbook.sheetnames == [*guides[language].split(), to_fill(kind, language), "_lists"]
    assert [sheet.sheet_state for sheet in workbook.worksheets] == [*["visible"] * 3, "hidden"]
    chosen = [bool(sheet.sheet_view.tabSelected) for sheet in workbook.worksheets]
    assert chosen == [False, False, True, False]
    assert workbook.active is workbook[to_fill(kind, language)]
    stamps = properties_of(workbook)
    assert {stamp.name: stamp.value for stamp in stamps.props} == {
        "feedtool.template": kind,
        "feedtool.version": "1",
        "feedtool.language": language,
    }


@pytest.mark.parametrize(("kind", "language"), ALL)
def test_shows_labels_above_keys_and_freezes_both(kind: str, language: Language) -> None:
    sheet = offers(kind, language)
    columns = load().feeds[kind].sheet.columns(AccountSettings())
    assert texts(sheet, 2) == [column.key for column in columns]
    labels = [column.labels[LANGUAGES.index(language)] for column in columns]
    titles = [str(text) for text in texts(sheet, 1)]
    for plain in (folded, lambda text: text.rstrip("\u00a0(*)")):
        assert list(map(plain, titles)) == list(map(plain, labels))
    assert (sheet.freeze_panes, sheet.max_row) == ("B3", 3)
    assert not sheet.auto_filter.ref


REQUIRED = ("condition", "price.price", "taxes.VAT", COST, MORE, "preparationTime", "quantity")


@pytest.mark.parametrize("kind", ["offers-upsert", "offers-update", "offers-delete"])
def test_required_columns_are_marked_by_more_than_colour(kind: str) -> None:
    titles = dict(zip(*(texts(offers(kind, "en"), row) for row in (2, 1)), strict=True))
    required, either = (
        [key for key, title in titles.items() if str(title).endswith(mark)]
        for mark in ("\u00a0*", "\u00a0(*)")
    )
    is_upsert = kind == "offers-upsert"
    assert required == ["sellerExternalReference", *(REQUIRED if is_upsert else ())]
    assert either == (["product.gtin", "product.reference"] if is_upsert else [])


def test_marks_no_delivery_where_the_profile_requires_none() -> None:
    fields = fields_of(load().feeds["offers-upsert"], "en", AccountSettings(mandatory_mode=None))
    costs = [field for field in fields if field.key.startswith("deliveryModes.")]
    assert {field.need for field in costs} == {Need.NEVER}
    assert [field.key for field in costs if not field.is_folded] == [COST, MORE]


def test_keeps_identifiers_as_text_over_whole_columns() -> None:
    sheet = offers("offers-upsert", "en")
    formats = [sheet.column_dimensions[letters(index)].number_format for index in range(13)]
    money = "0.00##"
    assert formats == [*"@@@", "General", money, money, "General", *[money] * 6]


@pytest.mark.parametrize("language", TONGUES)
def test_cells_validate_typed_values(language: Language) -> None:
    found = limits(offers("offers-upsert", language))
    money = ("decimal", "greaterThan", "0", None)
    amount = ("decimal", "greaterThanOrEqual", "0", None)
    expected = {
        "D": ("list", None, "list_condition", None),
        "E": money,
        "F": money,
        "G": ("decimal", "between", "0", "100"),
        **dict.fromkeys("HIJKLMNOPQRSTUVW", amount),
        "X": ("whole", "between", "0", "365"),
        "Y": ("whole", "between", "0", "9999999999"),
        "AA": ("list", None, "list_action", None),
    }
    assert found == {f"{key}3:{key}{LAST_ROW}": limit for key, limit in expected.items()}


SPOKEN: dict[Language, tuple[str, str]] = {
    "en": ("Used - like new", "A whole number of days from 0 to 365."),
    "fr": ("Occasion - comme neuf", "Un nombre entier de jours, de 0 à 365."),
    "es": ("Usado - como nuevo", "Un número entero de días, de 0 a 365."),
}


@pytest.mark.parametrize("language", SPOKEN)
def test_templates_are_in_the_user_s_language(language: Language) -> None:
    condition, message = SPOKEN[language]
    workbook = read("offers-upsert", language)
    assert workbook.defined_names["list_condition"].attr_text == "'_lists'!$A$2:$A$8"
    assert workbook["_lists"]["A3"].value == condition
    rules = offers("offers-upsert", language).data_validations.dataValidation
    assert message in [rule.error for rule in rules]
    explained = {row[-1]: row for row in workbook.worksheets[1].iter_rows(values_only=True)}
    assert condition in str(explained["condition"][4]).split("\n")


def test_rarely_used_columns_are_folded() -> None:
    sheet = offers("offers-upsert", "en")
    shown = [
        key
        for index, key in enumerate(texts(sheet, 2))
        if not sheet.column_dimensions[letters(index)].hidden
    ]
    assert len(shown) == 13
    assert "deliveryModes.TrackedHomeDelivery.cost" in shown
    assert not {"action", "deliveryModes.SignedHomeDelivery.cost"}.intersection(map(str, shown))


def test_a_profile_decides_modes_and_conditions(tmp_path: Path) -> None:
    settings = AccountSettings(
        conditions=("New", "Antique"),
        records=(OfferSettings(delivery_modes=("TrackedHomeDelivery", "DroneDelivery")),),
    )
    write_template(
        load().feeds["offers-upsert"], tmp_path / "own.xlsx", Basis("es", Context(settings))
    )
    workbook = load_workbook(tmp_path / "own.xlsx")
    assert [workbook["_lists"][place].value for place in ("A2", "A3")] == ["Nuevo", "Antique"]
    keys = [cell.value for cell in workbook["Ofertas"][2]]
    assert "deliveryModes.DroneDelivery.cost" in keys
    assert "deliveryModes.SignedHomeDelivery.cost" not in keys


EXAMPLE = read("offers-upsert", "fr").worksheets[2][3]
LETTERS = [cell.column_letter for cell in EXAMPLE if cell.value]


@pytest.mark.parametrize("letter", sample(LETTERS, 5))
def test_an_example_with_another_cell_is_a_row(letter: str, tmp_path: Path) -> None:
    workbook = opened("offers-upsert", "fr")
    cell = workbook["Offres"][f"{letter}3"]
    cell.value = cell.value + ("9" if isinstance(cell.value, str) else 1)
    workbook.save(tmp_path / "filled.xlsx")
    (sheet,) = checked(tmp_path / "filled.xlsx")
    assert sheet.rows.marks[3] != SKIPPED
    assert "not-a-row" not in {problem.code for problem in sheet.problems()}


OPTIONAL = {
    "offers-upsert": {"product.reference", "price.originPrice", "taxes.EcoPart"},
    "offers-update": {"price.originPrice", "taxes.EcoPart"},
    "legacy-offers": {"price.originPrice", "taxes.EcoPart", "comment"},
    "orders": {"lineId"},
    "outbound-shipments": {f"deliveryAddress.{it}" for it in ("firstName", "phone", "email")},
}


@pytest.mark.parametrize(("kind", "language"), ALL)
def test_an_example_leaves_out_harmful_optional_values(kind: str, language: Language) -> None:
    sheet = read(kind, language)[to_fill(kind, language)]
    filled = {str(key.value) for key, cell in zip(sheet[2], sheet[3], strict=True) if cell.value}
    assert filled
    assert not filled & OPTIONAL.get(kind, set())


def test_an_earlier_template_without_bands_and_example_is_read_as_ever(tmp_path: Path) -> None:
    workbook = load_workbook(Path(__file__).parent / "earlier" / "offers-upsert.fr.xlsx")
    for cell in EXAMPLE:
        workbook["Offers"][cell.coordinate] = cell.value
    workbook["Offers"]["A3"] = "SKU-1001"
    workbook.save(tmp_path / "filled.xlsx")
    (sheet,) = checked(tmp_path / "filled.xlsx")
    assert (sheet.kind, sheet.sheet, sheet.rows.marks[3]) == ("offers-upsert", "Offers", VALID)
    assert list(sheet.problems()) == []


GROUPS = {
    "en": ("Identity", "Price", "Taxes", "Delivery", "Stock", "Other"),
    "fr": ("Identité", "Prix", "Taxes", "Livraison", "Stock", "Autres"),
    "es": ("Identificación", "Precio", "Impuestos", "Entrega", "Existencias", "Otros"),
}


def is_band(cell: Any) -> bool:
    return cell.border.top is not None and cell.border.top.style == "thick"


@pytest.mark.parametrize("language", TONGUES)
def test_bands_of_colour_show_the_groups(language: Language) -> None:
    workbook = read("offers-upsert", language)
    guide = workbook.worksheets[0]
    shown = {
        cell.fill.fgColor.rgb: cell.value for (cell,) in guide.iter_rows(max_col=1) if is_band(cell)
    }
    assert tuple(shown.values()) == GROUPS[language]
    sheet = workbook[to_fill("offers-upsert", language)]
    bands = [
        shown[key.fill.fgColor.rgb]
        for label, key in zip(sheet[1], sheet[2], strict=True)
        if is_band(label)
    ]
    assert tuple(dict.fromkeys(bands)) == GROUPS[language]


@pytest.mark.parametrize(("kind", "language"), ALL)
def test_every_column_has_its_band(kind: str, language: Language) -> None:
    assert all(map(is_band, offers(kind, language)[1]))


COMMANDS = {
    "--profile shop": ("validate 'my offers.xlsx' --profile shop", "--profile shop"),
    "--sandbox": ("validate 'my offers.xlsx'", "--sandbox"),
    "--profile shop --sandbox": (
        *("validate 'my offers.xlsx' --profile shop", "--profile shop --sandbox"),
    ),
    "": ("validate 'my offers.xlsx'", ""),
}


@pytest.mark.parametrize("account", COMMANDS)
def test_the_guide_gives_the_next_commands_for_the_file_and_its_account(
    account: str, tmp_path: Path
) -> None:
    target = tmp_path / "my offers.xlsx"
    basis = Basis("en", Context(), has_example=True, account=account)
    write_template(load().feeds["offers-update"], target, basis)
    texts = [str(cell.value) for (cell,) in load_workbook(target).worksheets[0]["A1:A40"]]
    validate, options = COMMANDS[account]
    assert [text for text in texts if text.startswith("feedtool ")] == [
        f"feedtool {validate}",
        f"feedtool submit 'my offers.xlsx' {options}".rstrip(),
    ]


def luminance(colour: str) -> float:
    """The relative luminance of `RRGGBB` (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("language", TONGUES)
def test_every_text_can_be_read_on_its_ground(language: Language) -> None:
    for sheet in read("offers-upsert", language).worksheets[:3]:
        for cell in (cell for row in sheet.iter_rows() for cell in row if cell.value is not None):
            ground = cell.fill.fgColor.rgb[-6:] if cell.fill.patternType else "FFFFFF"
            colour = cell.font.color
            text = colour.rgb[-6:] if colour and colour.type == "rgb" else "000000"
            dark, light = sorted((luminance(text), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (sheet.title, cell.coordinate)
