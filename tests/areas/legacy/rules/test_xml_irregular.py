import pytest

from tests.areas.legacy.conftest import HONEST, with_
from tests.conftest import Files, checked, told

CODE = "xml-irregular"

FAILS = {
    "a capital boolean": (
        with_(('="false"', '="False"')),
        "PurgeAndReplace is written False (line 2)",
    ),
}


def test_passes(files: Files) -> None:
    (sheet,) = checked(files.text(HONEST, "Offers.xml"))
    assert told(sheet, CODE) == []


@pytest.mark.parametrize(("text", "message"), FAILS.values(), ids=FAILS)
def test_fails_and_every_offer_is_read(files: Files, text: str, message: str) -> None:
    (sheet,) = checked(files.text(text, "Offers.xml"))
    (problem,) = told(sheet, CODE)
    assert (problem.row, problem.severity, problem.message) == (None, "warning", message)
    assert sheet.counts().valid == 1
