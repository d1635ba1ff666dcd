import pytest

from tests.areas.legacy.conftest import HONEST, with_
from tests.conftest import Files, checked, told

CODE = "xml-irregular"

PASSES = {"as the format demands": HONEST}
FAILS = {
    "a capital boolean": (
        with_(('="false"', '="False"')),
        "PurgeAndReplace is written False (line 2)",
    ),
    "a purge": (
        with_(('="false"', '="true"')),
        "PurgeAndReplace is true, and asked for by --purge-and-replace alone (line 2)",
    ),
    "no comment": (
        with_((' Comment=""', "")),
        "the attribute Comment of Offer is missing (line 5)",
    ),
    "a decimal comma": (
        with_(('"19.99"', '"19,99"')),
        "Price is not written as a plain number with a point (line 5)",
    ),
}


@pytest.mark.parametrize("text", PASSES.values(), ids=PASSES)
def test_passes(files: Files, text: str) -> None:
    (sheet,) = checked(files.text(text, "Offers.xml"))
    assert told(sheet, CODE) == []


@pytest.mark.parametrize(("text", "message"), FAILS.values(), ids=FAILS)
def test_fails_and_every_offer_is_read(files: Files, text: str, message: str) -> None:
    (sheet,) = checked(files.text(text, "Offers.xml"))
    (problem,) = told(sheet, CODE)
    assert (problem.row, problem.severity, problem.message) == (None, "warning", message)
    assert sheet.counts().valid == 1
