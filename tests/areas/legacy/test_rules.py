from collections.abc import Mapping

import pytest

from feedtool.model.settings import AccountSettings
from tests.areas.legacy.conftest import HONEST, with_
from tests.conftest import Files, Find, checked, offer, problems_of, update

CODE = "channel-not-carried"
KIND = "legacy-stock-and-price"
SECOND = AccountSettings(primary_channel="SECOND")
TO_SECOND = update(quantity="3", salesChannelId="SECOND")

PASSES: dict[str, tuple[Mapping[str, str], str, AccountSettings | None]] = {
    "no channel is named": (update(quantity="3"), KIND, None),
    "the primary one": (update(quantity="3", salesChannelId="PRIMARY"), KIND, None),
    "what the profile says is the primary one": (TO_SECOND, KIND, SECOND),
    "a Full package has pools": (offer(salesChannelId="SECOND"), "legacy-offers", None),
    "a JSON package is of one channel": (TO_SECOND, "offers-update", None),
}


@pytest.mark.parametrize(("row", "kind", "dialect"), PASSES.values(), ids=PASSES)
def test_a_channel_that_is_carried(
    find: Find, row: Mapping[str, str], kind: str, dialect: AccountSettings | None
) -> None:
    assert find(CODE, row, kind=kind, dialect=dialect) == []


def test_a_channel_on_its_cell(find: Find) -> None:
    primary = update(1, quantity="3", salesChannelId="PRIMARY")
    second = update(2, quantity="3", salesChannelId="SECOND")
    (problem,) = find(CODE, primary, second, kind=KIND)
    assert (problem.row, problem.field, problem.value) == (3, "salesChannelId", "SECOND")
    assert problem.severity == "error"
    assert "SECOND" in problem.message
    assert "PRIMARY" in problem.message


def test_the_channel_of_the_command_without_a_column(find: Find) -> None:
    """The channel of `--channel`, here PRIMARY, differs from the account's."""
    (problem,) = find(CODE, update(quantity="3"), kind=KIND, dialect=SECOND)
    assert (problem.row, problem.column) == (2, None)


def test_an_irregularity_is_a_warning_and_every_offer_is_read(files: Files) -> None:
    text = with_(('="false"', '="False"'))
    (regular,) = checked(files.text(HONEST, "Offers.xml"))
    (irregular,) = checked(files.text(text, "Offers.xml"))
    assert problems_of(regular, "xml-irregular") == []
    (problem,) = problems_of(irregular, "xml-irregular")
    message = "PurgeAndReplace is written False (line 2)"
    assert (problem.row, problem.severity, problem.message) == (None, "warning", message)
    assert irregular.counts().valid == 1
