"""Cells of properties: one row of the table for each way to write a value."""

import pytest
from msgspec.structs import replace

from feedtool.areas.products.columns.attribute import Judge, PropertyCell, WrittenProperty
from feedtool.catalog import Property, PropertyChoice
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.model.cells import Cell
from feedtool.model.settings import Context
from tests import catalogues as made
from tests.feeds.columns.conftest import NO_VALUES, number, read, read_column, text

URL = "https://shop.example/a.pdf"
OTHER = "https://shop.example/b;c.pdf"
JPEG = "https://a.example/x.JPEG"
COOK, UNSEEN = "\U0001f468\u200d\U0001f373", "St\u200beel"


def judged(
    known: Property, cell: Cell, decimal: str | None = None
) -> tuple[list[str] | None, tuple[str, ...]]:
    """The values (or files) that are sent, and the codes of what is wrong."""
    column = ColumnReader(PropertyCell(), Context(), decimal)
    written = PropertyCell().read(cell, column)
    codes: tuple[str, ...] = ()
    if isinstance(written, InvalidValue):
        codes = tuple(fault.code.name for fault in written.faults)
        written = written.value
    if not isinstance(written, WrittenProperty):
        return None, codes
    found = Judge(known).judge(written)
    codes += tuple(fault.code.name for fault in found.faults)
    assert {fault.field for fault in found.faults} <= {known.reference}
    if found.attribute is None:
        return None, codes
    assert found.attribute["propertyReference"] == known.reference
    if "files" in found.attribute:
        files = found.attribute["files"]
        assert [file["index"] for file in files] == [*range(1, len(files) + 1)]
        return [file["url"] for file in files], codes
    return found.attribute["values"], codes


TWO_NAMED = replace(
    made.COLOUR, choices=(PropertyChoice("x", "Black; white"), PropertyChoice("y", "White"))
)
SWAPPED = replace(made.ENERGY, choices=(PropertyChoice("1", "2"), PropertyChoice("2", "1")))
OFFERED = replace(made.ENERGY, is_ranged=False)
READ: dict[str, tuple[Property, Cell, list[str]]] = {
    "a choice that holds the separator": (TWO_NAMED, text("black; WHITE"), ["x"]),
    "choices beside one that holds it": (TWO_NAMED, text("White;x"), ["y", "x"]),
    "a code before a label": (SWAPPED, text("1"), ["1"]),
    "a choice that is but offered": (OFFERED, text("a"), ["100"]),
    "one that is not even offered": (OFFERED, text("Quite another"), ["Quite another"]),
    "a choice with its unit": (replace(made.ENERGY, unit="kWh"), text("A kWh"), ["100"]),
    "ranged without choices": (replace(made.ENERGY, choices=()), text("Z"), ["Z"]),
    "a label": (made.ENERGY, text("A"), ["100"]),
    "a label in any case": (made.COLOUR, text("bEiGe"), ["100"]),
    "a code": (made.ENERGY, text("101"), ["101"]),
    "a code in a numeric cell": (made.ENERGY, number("101"), ["101"]),
    "one choice twice": (made.ENERGY, text("A; a"), ["100"]),
    "separators too many": (made.COLOUR, text(";Beige;;Blue;"), ["100", "102"]),
    "a number": (made.LENGTH, number("12"), ["12"]),
    "float noise": (made.LENGTH, number("19.989999999999998"), ["19.99"]),
    "a decimal comma": (made.LENGTH, text("12,50"), ["12.5"]),
    "thousands": (made.LENGTH, text("1 200"), ["1200"]),
    "a sign": (made.LENGTH, text("-3"), ["-3"]),
    "its unit": (made.LENGTH, text("12 cm"), ["12"]),
    "its unit without a blank": (made.LENGTH, text("12,5CM"), ["12.5"]),
    "an inch": (replace(made.LENGTH, unit='"'), text('55"'), ["55"]),
    "out of ten": (replace(made.LENGTH, unit="/10"), text("7,5/10"), ["7.5"]),
    "per square metre": (replace(made.LENGTH, unit="g/m²"), text("120 g/m2"), ["120"]),
    "a percentage": (made.SHARE, number("0.2", percent=True), ["20"]),
    "a percentage in text": (made.SHARE, text("20 %"), ["20"]),
    "numbers": (made.SPEEDS, text("54; 150 Mbit/s;54"), ["54", "150"]),
    "free text": (made.MATERIAL, text("Steel, glass"), ["Steel, glass"]),
    "free text with the separator": (made.MATERIAL, text("80 % a; 20 % b"), ["80 % a; 20 % b"]),
    "free text on two lines": (made.MATERIAL, text("Steel\nglass"), ["Steel\nglass"]),
    "a number as free text": (made.MATERIAL, number("42"), ["42"]),
    "several texts": (made.FEATURES, text("Quiet; quick;"), ["Quiet", "quick"]),
    "a numeric choice with its unit": (made.STORAGE, text("128 GB"), ["128"]),
    "a numeric choice written otherwise": (made.STORAGE, text("0,50"), ["0.5"]),
    "a numeric choice as a number": (made.STORAGE, number("128"), ["128"]),
    "a file": (made.MANUAL, text(URL), [URL]),
    "two files": (made.LABELS, text(f"{URL} ; {OTHER};"), [URL, OTHER]),
    "a JPEG where jpg is taken": (made.LABELS, text(JPEG), [JPEG]),
    "an emoji with a joiner": (made.MATERIAL, text(COOK), [COOK]),
}
REFUSED: dict[str, tuple[Property, Cell, str]] = {
    "no choice": (made.ENERGY, text("D"), "enum-value"),
    "two choices of one": (made.ENERGY, text("A;B"), "single-value"),
    "nothing but separators": (made.COLOUR, text(";"), "enum-value"),
    "one of two is no choice": (made.COLOUR, text("Beige;Pnik"), "enum-value"),
    "another unit": (made.LENGTH, text("12 mm"), "unit-differs"),
    "a unit where there is none": (replace(made.LENGTH, unit=None), text("12 cm"), "unit-differs"),
    "no number": (made.LENGTH, text("long"), "number-format"),
    "a range": (made.LENGTH, text("10-12"), "unit-differs"),
    "ambiguous": (made.LENGTH, text("1,234"), "number-ambiguous"),
    "a percentage of another unit": (made.LENGTH, number("0.2", percent=True), "unit-differs"),
    "two numbers of one": (made.LENGTH, text("12; 13"), "single-value"),
    "one of the numbers": (made.SPEEDS, text("54;fast"), "number-format"),
    "no numeric choice": (made.STORAGE, text("100"), "enum-value"),
    "two files of one": (made.MANUAL, text(f"{URL};{OTHER}"), "single-value"),
    "a file of another type": (made.MANUAL, text("https://shop.example/a.docx"), "file-type"),
    "a file of no type": (made.MANUAL, text("https://shop.example/a"), "file-type"),
    "a file that is not secure": (made.MANUAL, text("http://shop.example/a.pdf"), "url-format"),
    "a file of one's own": (made.MANUAL, text("manual.pdf"), "url-format"),
    "retired": (made.CDAV, text("1"), "field-retired"),
    "digits that are gone": (made.MATERIAL, number("1234567890123456"), "precision-lost"),
}
WARNED = {
    "a choice with blanks around": (made.ENERGY, text(" B "), ["101"], "trimmed"),
    "an invisible character": (made.MATERIAL, text(UNSEEN), [UNSEEN], "text-control-chars"),
    "what no text can carry": (made.MATERIAL, text("a\x01b"), ["a\x01b"], "text-control-chars"),
}
JUDGED: dict[str, tuple[Property, Cell, list[str] | None, str]] = {
    **{name: (*row, "") for name, row in READ.items()},
    **{name: (known, cell, None, codes) for name, (known, cell, codes) in REFUSED.items()},
    **WARNED,
}


@pytest.mark.parametrize(("known", "cell", "values", "codes"), JUDGED.values(), ids=JUDGED)
def test_judged(known: Property, cell: Cell, values: list[str] | None, codes: str) -> None:
    assert judged(known, cell) == (values, tuple(codes.split()))


@pytest.mark.parametrize(("code", "cell"), NO_VALUES.items(), ids=NO_VALUES)
def test_no_value(code: str, cell: Cell) -> None:
    assert read(PropertyCell(), cell).codes == (code,)


def test_the_column_settles_ambiguous_numbers() -> None:
    assert judged(made.LENGTH, text("1,234"), ",") == (["1.234"], ())
    assert judged(made.LENGTH, text("1,234"), ".") == (["1234"], ())
    column = read_column(PropertyCell(), "1,234", "12,5 cm", "long", "3;4,25")
    assert column.is_ambiguous
    assert column.evidence == {",": "12,5 cm"}


def test_a_message_names_the_nearest_choice_and_some_of_very_many() -> None:
    written = WrittenProperty("Bleu", is_number=False, is_percent=False, decimal=None)
    (fault,) = Judge(made.COLOUR).judge(written).faults
    assert fault.hint == "did you mean Blue?"
    assert "Main colour (3002)" in fault.message
    known = replace(made.ENERGY, choices=made.coded(*(f"Model {index}" for index in range(2500))))
    (fault,) = Judge(known).judge(written._replace(text="zzz")).faults
    assert "2488 more" in fault.message
    assert len(fault.message) < 400
