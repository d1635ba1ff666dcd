"""Every rule has its page and its test; and the rules of any sheet."""

import re
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from openpyxl import load_workbook

from feedtool.areas.offers.settings import OfferSettings
from feedtool.areas.registry import load
from feedtool.check.rules import all_rules
from feedtool.feeds.rule import Rule
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, Find, checked, codes, offer, problems_of, table, update

ALL = pytest.mark.parametrize("rule", all_rules(load()), ids=lambda rule: rule.code.name)


TESTS = Path(__file__).parents[1]


@cache
def tables() -> str:
    """The files that may have a table of a rule's cases."""
    folders = ("areas/*", "areas/*/columns", "check", "check/recipes")
    paths = (path for folder in folders for path in TESTS.glob(f"{folder}/test_*.py"))
    return "\n".join(path.read_text("utf-8") for path in paths)


@cache
def names_of_files() -> set[str]:
    return {path.stem for path in TESTS.rglob("test_*.py")}


@ALL
def test_each_rule_is_tested(rule: Rule) -> None:
    name = rule.code.name
    assert f"test_{name.replace('-', '_')}" in names_of_files() or f'{name}"' in tables()


@ALL
def test_the_page_of_a_rule_explains_the_fix_and_names_existing_kinds(rule: Rule) -> None:
    summary, _, rest = rule.code.page.strip().partition("\n")
    assert summary.endswith(".")
    ways = ("To fix it", "Nothing needs", "To leave", "To offer")
    assert any(f"\n{words}" in rest for words in ways)
    assert rule.kinds is None or set(rule.kinds) <= set(load().feeds)


HEADER, ROW = (line + ",note\n" for line in table([offer()]).splitlines())


def accented(encoding: str) -> bytes:
    return table([offer(sellerExternalReference="Dépôt-1")]).encode(encoding)


# What is said once of a file whose only row is read all the same.
TEXTS: dict[str, tuple[str | bytes, str, str]] = {
    "no mark": (HEADER + ROW, "csv-quotes", ""),
    "a doubled mark": (HEADER + ROW.replace("note", '"24"" screen"'), "csv-quotes", ""),
    "a text as a formula": (HEADER + ROW.replace("note", '="0036"'), "csv-quotes", ""),
    "a mark inside": (HEADER + ROW.replace("note", '24" screen'), "csv-quotes", "line 2."),
    "text behind a mark": (HEADER + ROW.replace("note", '"24" screen'), "csv-quotes", "line 2."),
    "lines like rows": (
        'sku,price,note\nA,1.50,"red\nB,1.50,blue"\n',
        "csv-quotes",
        "lines 2 to 3",
    ),
    "ASCII": (table([offer()]).encode(), "encoding-guessed", ""),
    "UTF-8": (accented("utf-8"), "encoding-guessed", ""),
    "UTF-8, marked": (accented("utf-8-sig"), "encoding-guessed", ""),
    "UTF-16, marked": (accented("utf-16"), "encoding-guessed", ""),
    "cp1252": (accented("cp1252"), "encoding-guessed", "Dépôt"),
    "latin-1": (accented("latin-1"), "encoding-guessed", "cp1252"),
}


@pytest.mark.parametrize(("content", "code", "said"), TEXTS.values(), ids=TEXTS)
def test_a_text_is_read_and_its_flaw_is_reported_once(
    files: Files, content: str | bytes, code: str, said: str
) -> None:
    (sheet,) = checked(files.text(content))
    assert sheet.counts().valid == 1
    problems = [(problem.row, problem.severity) for problem in problems_of(sheet, code)]
    assert problems == [(None, "warning")] * bool(said)
    assert all(said in problem.message for problem in problems_of(sheet, code))


DOUBTS: dict[str, tuple[str, str, str, list[str]]] = {
    "è, or ä of a Mac": ("crème-1", "cp850", "", ["cräme-1", "crème-1", "csv_fallback"]),
    "another word tells": ("crème-réf", "cp850", "", []),
    "named in the profile": ("crème-1", "cp850", "cp850", []),
    "Excel in France": ("crème-1", "cp1252", "", []),
    "Unicode": ("crème-1", "utf-8", "", []),
}


@pytest.mark.parametrize("case", DOUBTS)
def test_a_reference_that_hangs_on_a_guess_of_the_encoding_is_held(files: Files, case: str) -> None:
    reference, encoding, fallback, said = DOUBTS[case]
    content = table([offer(sellerExternalReference=reference), offer(2)]).encode(encoding)
    (sheet,) = checked(files.text(content), dialect=AccountSettings(csv_fallback=fallback))
    problems = problems_of(sheet, "encoding-doubtful")
    assert [problem.row for problem in problems] == [2] * bool(said)
    assert sheet.counts().valid == 2 - bool(said)
    for problem in problems:
        assert all(word in f"{problem.message} {problem.hint}" for word in said)


def test_the_fallback_is_a_setting(files: Files) -> None:
    polish = AccountSettings(csv_fallback="cp1250")
    (sheet,) = checked(files.text(accented("cp1250")), dialect=polish)
    assert [item.reference for item in sheet.rows.items] == ["Dépôt-1"]


def announcing(reference: str | None) -> Callable[[Path], None]:
    """Lets a sheet say that it is as large as this."""

    def announce(path: Path) -> None:
        note = b"" if reference is None else f'<dimension ref="{reference}"/>'.encode()
        with zipfile.ZipFile(path) as package:
            parts = {info.filename: package.read(info) for info in package.infolist()}
        with zipfile.ZipFile(path, "w") as package:
            for name, data in parts.items():
                is_sheet = name.endswith("sheet1.xml")
                changed = re.sub(rb"<dimension[^>]*/>", note, data) if is_sheet else data
                package.writestr(name, changed)

    return announce


def hiding(*rows: int) -> Callable[[Path], None]:
    def hide(path: Path) -> None:
        book = load_workbook(path)
        for row in rows:
            book["Offers"].row_dimensions[row].hidden = True
        book.save(path)

    return hide


BOOKS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "as large as the sheet": (announcing("A1:I4"), "dimension-wrong", ""),
    "no size": (announcing(None), "dimension-wrong", ""),
    "one cell": (announcing("A1"), "dimension-wrong", "A1"),
    "too few rows": (announcing("A1:I2"), "dimension-wrong", "2"),
    "too few columns": (announcing("A1:C4"), "dimension-wrong", "C"),
    "the header hidden": (hiding(1), "hidden-rows", ""),
    "one hidden": (hiding(3), "hidden-rows", "1 hidden row is read"),
    "several hidden": (hiding(2, 4), "hidden-rows", "2 hidden rows are read"),
    "a blank row hidden": (hiding(3, 9), "hidden-rows", "1 hidden row is read"),
}


@pytest.mark.parametrize(("change", "code", "said"), BOOKS.values(), ids=BOOKS)
def test_a_workbook_is_read_and_its_flaw_is_reported_once(
    files: Files, change: Callable[[Path], None], code: str, said: str
) -> None:
    path = files.book({"Offers": [offer(1), offer(2), offer(3)]})
    change(path)
    (sheet,) = checked(path)
    assert sheet.counts().valid == 3
    problems = [
        (problem.row, problem.column, problem.severity) for problem in problems_of(sheet, code)
    ]
    assert problems == [(None, None, "warning")] * bool(said)
    assert all(said in problem.message for problem in problems_of(sheet, code))


def test_a_setting_that_contradicts_the_schema(find: Find) -> None:
    for dialect in (AccountSettings(), AccountSettings(gtin_as="number")):
        assert find("schema-mismatch", offer(), dialect=dialect) == []
    codeless = AccountSettings().having(
        OfferSettings(tax_codes={"VAT": "", "EcoPart": "EcoPart", "DEA": "DEA"})
    )
    (problem,) = find("schema-mismatch", offer(), dialect=codeless)
    assert (problem.row, problem.severity) == (2, "error")
    assert problem.message.startswith("price/taxes/0/code:")


RECORD = ROW.removesuffix(",note\n")
RECORDS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "as many fields as headers": (RECORD, []),
    "surplus empty fields": (f"{RECORD},,,", []),
    "surplus blanks": (f"{RECORD}, ,\u00a0", []),
    "a short record": ("SKU-1,3000000000014", []),
    "a record of separators alone": ("," * 20, []),
    "one value more": (f"{RECORD},oops", [("J", "oops")]),
    "two values more": (f"{RECORD},a,b", [("J", "a"), ("K", "b")]),
    "behind an empty field": (f"{RECORD},,note", [("K", "note")]),
    "an unquoted separator": (RECORD.replace("New", "New, boxed"), [("J", "7")]),
}


@pytest.mark.parametrize(("record", "cells"), RECORDS.values(), ids=RECORDS)
def test_values_beyond_the_last_header(
    files: Files, record: str, cells: list[tuple[str, str]]
) -> None:
    header = HEADER.removesuffix(",note\n")
    another = table([offer(2)]).splitlines()[1]
    (sheet,) = checked(files.text(f"{header}\n{record}\n{another}"))
    problems = problems_of(sheet, "too-many-columns")
    assert [(problem.column, problem.value) for problem in problems] == cells
    assert all(problem.row == 2 and problem.header is None for problem in problems)
    assert {problem.severity for problem in problems} <= {"error"}
    assert not cells or sheet.counts().invalid == 1


def test_a_blank_header_between_others_is_no_surplus(files: Files) -> None:
    (sheet,) = checked(files.csv(offer() | {"": "a note", "colour": "red"}))
    assert codes(sheet) == [(None, "unknown-column")]


MINE = AccountSettings(columns={"mon CODE": "product.gtin"})
EAN = {"EAN": "4006381333931", "stock": "5"}
OURS = {"feedtool status": "Valid", "feedtool message": "", "feedtool code": ""}
SHOWN = {"salesChannelFeedback.isOnline": "true", "offerState": "Active"}
HEADERS: dict[str, tuple[dict[str, str], list[str]]] = {
    "every header is known": (offer(), []),
    "aliases": (offer(product__gtin=None, quantity=None) | EAN, []),
    "our own columns": (offer() | OURS, []),
    "a blank header": (offer() | {"": ""}, []),
    "what an export shows": (offer() | SHOWN, []),
    "the seller's own": (offer(product__gtin=None) | {"Mon code": "4006381333931"}, []),
    "a stranger": (offer(colour="red"), ["“colour” in J"]),
    "a misspelt one": (offer(price__orignPrice="30"), ["did you mean price.originPrice?"]),
    "several": (offer(colour="red", weight="1"), ["“colour” in J", "“weight” in K"]),
}


@pytest.mark.parametrize(("row", "said"), HEADERS.values(), ids=HEADERS)
def test_unknown_columns_in_one_warning(find: Find, row: dict[str, str], said: list[str]) -> None:
    problems = find("unknown-column", row, row, dialect=MINE)
    assert [(problem.row, problem.severity) for problem in problems] == [(None, "warning")] * bool(
        said
    )
    assert all(part in problems[0].message for part in said)


def test_a_comment_is_only_sent_in_a_legacy_zip(find: Find) -> None:
    """An Offers.xml that is sent as JSON packages has such a column."""
    (problem,) = find("unknown-column", offer(comment="Boxed"))
    assert problem.message == "not sent: “comment” in J (a column of legacy-offers)"
    assert problem.hint == "nothing needs to be done if it is not meant to be sent here"
    (problem,) = find("unknown-column", offer(comment="Boxed", colour="red"))
    assert problem.hint is not None
    assert problem.hint.startswith("rename the header")


@pytest.mark.parametrize("value", ["#N/A", "TRUE", "\u200b", "x" * 40_000, "1,234"])
def test_cells_of_an_unknown_column_are_no_problems(files: Files, value: str) -> None:
    (sheet,) = checked(files.csv(offer(colour=value)))
    assert codes(sheet) == [(None, "unknown-column")]


MISSING = "required-missing"

COST = "deliveryModes.TrackedHomeDelivery.cost"
ADDITIONAL = "deliveryModes.TrackedHomeDelivery.additionalCost"
FIXED = "deliveryModes.FixedDateHomeDelivery"
LARGE = {f"{FIXED}.cost": "30", f"{FIXED}.additionalCost": "5"}
NO_TRACKED = {COST: "", ADDITIONAL: ""}
BY_HAND = "deliveryModes.SignedHomeDelivery"
SIGNED = {f"{BY_HAND}.cost": "5", f"{BY_HAND}.additionalCost": "1"}
SIGNED_BLANK = dict.fromkeys(SIGNED, "")
UPDATE, BOTH = update(preparationTime="1"), [COST, ADDITIONAL]

PASSES = {
    "all that an Upsert needs": offer(),
    "blanks": offer(taxes__EcoPart="", taxes__DEA="", price__originPrice=""),
    "a product reference instead of the GTIN": offer(product__gtin="", product__reference="REF-1"),
    "a large-parcel mode lifts the mandatory mode": offer() | NO_TRACKED | LARGE,
    "zeros are values": offer() | dict.fromkeys(("taxes.VAT", "quantity", COST, ADDITIONAL), "0"),
    "no time to prepare": offer(preparationTime="0"),
    "an Update needs its reference": update(quantity="1", price__price=""),
    "an Update without any delivery mode": update(quantity="1") | NO_TRACKED | SIGNED_BLANK,
    "an Update with two modes": UPDATE | {COST: "0", ADDITIONAL: "0"} | SIGNED,
    "an Update with a large-parcel mode": UPDATE | NO_TRACKED | LARGE,
    "a Delete row": dict.fromkeys(offer(), "") | update(action="Delete"),
}
FAILS = {
    "reference": (offer(sellerExternalReference=""), ["sellerExternalReference"]),
    "condition": (offer(condition=""), ["condition"]),
    "price": (offer(price__price=""), ["price.price"]),
    "VAT": (offer(taxes__VAT=""), ["taxes.VAT"]),
    "preparation time": (offer(preparationTime=""), ["preparationTime"]),
    "quantity": (offer(quantity=""), ["quantity"]),
    "only blanks": (offer(condition=" \u00a0\u200b"), ["condition"]),
    "neither GTIN nor product reference": (offer(product__gtin=""), ["product.gtin"]),
    "neither of both columns": (offer(product__gtin="", product__reference=""), ["product.gtin"]),
    "no GTIN column": (offer(product__gtin=None, product__reference=""), ["product.gtin"]),
    "both amounts of the mandatory mode": (offer() | NO_TRACKED, BOTH),
    "one amount of the mandatory mode": (offer() | {ADDITIONAL: ""}, [ADDITIONAL]),
    "no large parcel in a row": (offer() | NO_TRACKED | dict.fromkeys(LARGE, ""), BOTH),
    "another small-parcel mode lifts nothing": (offer() | NO_TRACKED | SIGNED, BOTH),
    "an Update's other mode": (UPDATE | NO_TRACKED | SIGNED, BOTH),
    "an Update's other mode alone": (UPDATE | SIGNED, BOTH),
    "an Update's reference": (
        update(quantity="1", sellerExternalReference=""),
        ["sellerExternalReference"],
    ),
    "an Upsert by action in a sheet of Updates": (
        update(price__price="1.00", action="Upsert"),
        ["condition", "taxes.VAT", "preparationTime", "quantity", "product.gtin", *BOTH],
    ),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_complete_rows(find: Find, row: Mapping[str, str]) -> None:
    assert find(MISSING, row) == []


@pytest.mark.parametrize(("row", "missing"), FAILS.values(), ids=FAILS)
def test_missing_fields_of_rows(find: Find, row: Mapping[str, str], missing: list[str]) -> None:
    problems = find(MISSING, row)
    assert sorted(str(problem.field) for problem in problems) == sorted(missing)
    assert {(problem.row, problem.severity) for problem in problems} == {(2, "error")}


def test_the_problem_is_on_the_missing_cell(find: Find) -> None:
    (problem,) = find(MISSING, offer() | {ADDITIONAL: ""})
    assert (problem.column, problem.header) == ("G", ADDITIONAL)


VALUES = ("SKU|1", "12345", "As new", "cheap", "120", "1,234", "1,234", "1.5", "#N/A")
REFUSED = dict(zip(offer(), VALUES, strict=True))


@pytest.mark.parametrize("key", REFUSED)
def test_a_refused_cell_is_not_also_missing(find: Find, key: str) -> None:
    assert find(MISSING, offer() | {key: REFUSED[key]}) == []


def test_the_mandatory_mode_is_a_setting(find: Find) -> None:
    row = offer() | SIGNED_BLANK
    assert find(MISSING, row | NO_TRACKED, dialect=AccountSettings(mandatory_mode=None)) == []
    problems = find(MISSING, row, dialect=AccountSettings(mandatory_mode="SignedHomeDelivery"))
    assert {problem.field for problem in problems} == {*SIGNED}


def test_a_delete_sheet_needs_an_action_or_a_stamp_in_every_row(find: Find) -> None:
    rows = [update(1, action="Delete"), update(2, action="")]
    (problem,) = find(MISSING, *rows)
    assert (problem.row, problem.field) == (3, "action")
    assert find(MISSING, *rows, kind="offers-delete") == []
