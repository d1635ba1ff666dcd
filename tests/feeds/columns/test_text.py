"""Texts lose only blanks at their ends; GTINs are proved by their digits and lost zeros."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.gtin import LENGTHS, LOST_ZEROS, Gtin, check_digit
from feedtool.feeds.columns.text import Comment, ProductReference, Reference, Text, plain
from feedtool.model.cells import Cell, CellType
from feedtool.model.settings import AccountSettings, Bounds, Context
from tests.feeds.columns.conftest import case_id, number, read, text

TEXT, REFERENCE, PRODUCT, COMMENT, GTIN = (
    *(Text(), Reference(), ProductReference(), Comment()),
    Gtin(),
)

KEPT = [
    *("00042", "12345678901234567890"),
    *("SKU-1", "a  b", "Étagère n° 5", "cafe\u0301", "caf\u00e9", "\ufb01", "日本語"),
    *(
        "👩\u200d👩\u200d👧",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "=1+1",
        "-5",
        "1e5",
    ),
    "A E+5",
]
INVISIBLE = [
    *("A\tB", "A\nB", "A\r\nB", "A\x00B", "A\x07B", "A\x7fB", "A\x85B", "A\u200bB", "A\u2060B"),
    *("A\ufeffB", "A\u200dB", "A\u202eB", "A\u2066B", "A\u200fB", "A\ud800B"),
]
NOT_IN_XML = ["A\x00B", "A\x0bB", "A\x1fB", "A\ud800B", "A\ufffeB", "A\uffffB"]
TRIMMED = {
    " SKU-1": "SKU-1",
    "SKU-1\u00a0": "SKU-1",
    "\u200bSKU-1\ufeff": "SKU-1",
    "\u202f \u2060SKU-1\u200d\t": "SKU-1",
    "\nSKU-1\r\n": "SKU-1",
    "\u3000SKU 1 ": "SKU 1",
}
NUMBERS = {
    "42": (number("42"), number("42.0"), number("4.2E+1")),
    "000042": (number("42", zeros=6),),
    "0.1": (number("0.1"),),
    "-7": (number("-7"),),
    "123456789012345": (number("123456789012345"),),
}
GTINS = {
    "4006381333931": (
        *(text("4006381333931"), number("4006381333931"), number("4.006381333931E+12")),
    ),
    "96385074": (text("96385074"), number("96385074")),
    "036000291452": (text("036000291452"), number("36000291452", zeros=12)),
    "0036000291452": (text("0036000291452"), number("36000291452", zeros=13)),
    "00036000291452": (number("36000291452", zeros=14),),
    "10614141000415": (text("10614141000415"), text("'10614141000415")),
    "614141000418": (number("614141000418"),),  # twelve digits need no zero
}
READ: list[tuple[CellType, Cell, str]] = [
    *((kind, text(shown), shown) for kind in (TEXT, REFERENCE, COMMENT) for shown in KEPT),
    *((TEXT, text(shown), shown) for shown in ("SKU|1", "|", "a|")),
    *((PRODUCT, text(shown), shown) for shown in ("AUC123", "a-b.c", "-0-1", "7")),
    *((COMMENT, text(shown), shown) for shown in ("A\tB", "A\nB", "A\u200bB", "A\x85B", "A" * 500)),
    *((TEXT, text(shown), shown) for shown in ("Été à 5€", "NÃO", "«CAFÉ»", "São", "BLÅ", "√2")),
    (COMMENT, number("12.50"), "12.5"),
    *((REFERENCE, cell, shown) for shown, cells in NUMBERS.items() for cell in cells),
    *((GTIN, cell, digits) for digits, cells in GTINS.items() for cell in cells),
]
"""Values unchanged, or as shown."""

WARNED: list[tuple[CellType, Cell, str, str]] = [
    *(
        (kind, text(at), value, "trimmed")
        for kind in (TEXT, REFERENCE)
        for at, value in TRIMMED.items()
    ),
    (COMMENT, text(" a "), "a", "trimmed"),
    (COMMENT, text("a" * 32_768), "a" * 32_768, "text-too-long"),
    (REFERENCE, text("x" * 51), "x" * 51, "length-advised"),
    (REFERENCE, text("x" * 32_767), "x" * 32_767, "length-advised"),
    (REFERENCE, text("x" * 32_768), "x" * 32_768, "text-too-long"),
    # Blanks and the hyphens of an ISBN go even inside.
    (GTIN, text(" 4006381333931"), "4006381333931", "trimmed"),
    (GTIN, text("\ufeff4006381333931\u200b"), "4006381333931", "trimmed"),
    (GTIN, text("4 006381 333931"), "4006381333931", "trimmed"),
    (GTIN, text("4006\u202f3813\u00a033931"), "4006381333931", "trimmed"),
    (GTIN, text("4006\u200b381333931"), "4006381333931", "trimmed"),
    (GTIN, text("978-2-07-036822-8"), "9782070368228", "trimmed"),
    (GTIN, text("978 2 07 036822 8"), "9782070368228", "trimmed"),
    (GTIN, text(" 978-2 07-036822-8\u00a0"), "9782070368228", "trimmed"),
    (GTIN, text("978\u20112\u201307\u2010036822\u20118"), "9782070368228", "trimmed"),
    *(
        (kind, text(shown), shown, "encoded-twice")
        for kind in (TEXT, COMMENT)
        for shown in ("RÃ©f-1", "â€“ 5 â‚¬", "TÃ‰LÃ‰", "cÅ“ur", "R√©f", "R├®f", "20Â°C")  # noqa: RUF001
    ),
    (GTIN, text("979-0-2600-0043-8"), "9790260000438", "trimmed"),
    (GTIN, number("36000291452"), "036000291452", "gtin-padded"),  # UPC-A that lost its zero
    (GTIN, number("6385071"), "06385071", "gtin-padded"),
    (GTIN, number("1234567895"), "001234567895", "gtin-padded"),
    # As pandas writes numbers where a cell of the column is empty.
    (GTIN, text("4006381333931.0"), "4006381333931", "trimmed"),
    (GTIN, text(" 96385074.0"), "96385074", "trimmed"),
    (GTIN, text("4006381333931,00"), "4006381333931", "trimmed"),
    (GTIN, text("36000291452.0"), "036000291452", "gtin-padded"),
]
"""Read, with something to say."""

LONG = [
    *(number(shown) for shown in ("1234567890123456", "1.2345678901234568E+19", "1E+50", "1E+300")),
    *(text(shown) for shown in ("8,8E+12", "8.80610E+12", " 8,8E+12 ")),
]
FLAWED: dict[str, list[tuple[CellType, Cell]]] = {
    "text-control-chars": [
        *((TEXT, text(shown)) for shown in INVISIBLE),
        *((COMMENT, text(shown)) for shown in NOT_IN_XML),
    ],
    "reference-format": [(REFERENCE, text(shown)) for shown in (*INVISIBLE, "SKU|1", "|", "a|")],
    "product-reference-format": [
        (PRODUCT, text(shown))
        for shown in ("A B", "A_B", "A/B", "é", "A\u200bB", "\uff11\uff12", "A,B", "A|B")
    ],
    "precision-lost": [
        *((kind, cell) for kind in (TEXT, REFERENCE, PRODUCT) for cell in LONG),
        (GTIN, number("4006381333931012")),
        (GTIN, number("1.2345678901234568E+17")),
        (GTIN, text("8,8E+12")),
    ],
    "gtin-checksum": [
        (GTIN, text("4006381333932.0")),
        *((GTIN, text(shown)) for shown in ("4006381333932", "96385075", "978-2-07-036822-9")),
        (GTIN, number("4006381333932")),
    ],
    "gtin-format": [
        *((GTIN, text(shown)) for shown in ("400638133393101", "36000291452", "400-6381333931")),
        *((GTIN, text(shown)) for shown in ("978-2-07-036822", "978--2-07-036822-8", "no ean")),
        *((GTIN, text(shown)) for shown in ("2-07-036822-8", "ISBN 4006381333", "0", "0" * 13)),
        (GTIN, text("\u0664\u0660\u0660\u0666\u0663\u0668\u0661\u0663")),
        (GTIN, text("96385\u00b274")),
        *((GTIN, number(shown)) for shown in ("0", "-4006381333931", "4006381333931.5")),
        *((GTIN, number(shown)) for shown in ("40063813330", "400638133393101")),
        # Internal numbers, whose last digit is right by chance.
        *((GTIN, number(shown)) for shown in ("17", "1236", "12348", "123457", "123456784")),
        *((GTIN, text(shown)) for shown in ("17", "1236.0", "123457.0", "4006381333931.5")),
    ],
}
REFUSED = [(kind, cell, code) for code, cells in FLAWED.items() for kind, cell in cells]


@pytest.mark.parametrize(("kind", "cell", "value"), READ, ids=case_id)
def test_read(kind: CellType, cell: Cell, value: str) -> None:
    assert read(kind, cell) == (value, (), "")


@pytest.mark.parametrize(("kind", "cell", "value", "code"), WARNED, ids=case_id)
def test_read_with_a_word_about_it(kind: CellType, cell: Cell, value: str, code: str) -> None:
    reading = read(kind, cell)
    assert (reading.value, reading.codes) == (value, (code,))


@pytest.mark.parametrize(("kind", "cell", "code"), REFUSED, ids=case_id)
def test_refused(kind: CellType, cell: Cell, code: str) -> None:
    reading = read(kind, cell)
    assert reading.codes == (code,)
    assert reading.hint
    if kind is GTIN:
        assert reading.value is None


def test_the_advised_length_is_a_setting() -> None:
    assert read(REFERENCE, text("x" * 50)).codes == ()
    longer = AccountSettings(bounds=Bounds(advised_length=80))
    assert read(REFERENCE, text("x" * 80), longer).codes == ()


@pytest.mark.parametrize("shown", NOT_IN_XML, ids=ascii)
def test_characters_outside_xml_are_spelled_out(shown: str) -> None:
    assert f"A<U+{ord(shown[1]):04X}>B" in Comment().faults(shown)[0].message


@pytest.mark.parametrize(
    ("shown", "hint"),
    [
        ("4006381333932", "4006381333931"),
        ("36000291452", "036000291452"),
        ("123457", "format the column as text and copy the number from the package"),
    ],
)
def test_the_hint_names_the_right_value(shown: str, hint: str) -> None:
    assert hint in read(GTIN, text(shown)).hint


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (text("kettle"), "“kettle” is not a number; a GTIN has 8, 12, 13 or 14 digits"),
        (text("7"), "“7” is 1 digit; a GTIN has 8, 12, 13 or 14 digits"),
        (number("400638133393101"), "is 15 digits; a GTIN has 8, 12, 13 or 14 digits"),
        (text("0" * 13), "“0000000000000” has only zeros: it is not a GTIN"),
        (number("0"), "“0” has only zeros: it is not a GTIN"),
    ],
    ids=case_id,
)
def test_the_message_says_what_is_wrong_with_a_gtin(cell: Cell, message: str) -> None:
    value = GTIN.read(cell, ColumnReader(GTIN, Context()))
    assert isinstance(value, InvalidValue)
    assert message in value.faults[0].message


@given(st.text(st.sampled_from(" \u00a0\u200b\ufeffab\u202f"), max_size=10))
def test_trimming_removes_exactly_the_blanks_at_the_ends(shown: str) -> None:
    bare = plain(shown)
    assert plain(bare) == bare
    assert bare in shown
    assert not bare or (bare[0] in "ab" and bare[-1] in "ab")


@given(st.text(max_size=60))
def test_every_text_is_read_and_keeps_its_inside(shown: str) -> None:
    value = read(REFERENCE, text(shown)).value
    assert value is None or str(value) in shown
    digits = read(GTIN, text(shown)).value
    assert digits is None or len(str(digits)) in LENGTHS


BODIES = st.sampled_from(LENGTHS).flatmap(
    lambda length: st.text("0123456789", min_size=length - 1, max_size=length - 1)
)


@given(BODIES, st.integers(1, 9))
def test_the_check_digit_proves_the_others(body: str, off: int) -> None:
    assume(body.strip("0"))
    gtin = body + check_digit(body)
    weighted = sum(int(d) * (1 if place % 2 == 0 else 3) for place, d in enumerate(gtin[::-1]))
    assert weighted % 10 == 0
    assert read(GTIN, text(gtin)) == (gtin, (), "")
    wrong = body + str((int(check_digit(body)) + off) % 10)
    assert read(GTIN, text(wrong)).codes == ("gtin-checksum",)


@given(BODIES)
def test_a_numeric_cell_gives_the_same_gtin_but_for_zeros_in_front(body: str) -> None:
    gtin = body + check_digit(body)
    digits = gtin.lstrip("0")
    assume(len(digits) in {*LENGTHS, *LOST_ZEROS})
    value = str(read(GTIN, number(digits)).value)
    assert len(value) in LENGTHS
    assert value.lstrip("0") == gtin.lstrip("0")
    assert len(value) <= len(gtin)
