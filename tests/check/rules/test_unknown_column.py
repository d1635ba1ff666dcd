import pytest

from feedtool.model.settings import AccountSettings
from tests.conftest import Find, offer

CODE = "unknown-column"

PASSES = {
    "every header is known": offer(),
    "aliases are known": offer(product__gtin=None, quantity=None)
    | {"EAN": "4006381333931", "stock": "5"},
    "our own columns of an earlier annotation": offer()
    | {"feedtool status": "Valid", "feedtool message": "", "feedtool code": ""},
    "a blank header": offer() | {"": ""},
    "what an export shows": offer()
    | {"salesChannelFeedback.isOnline": "true", "offerState": "Active"},
}
FAILS = {
    "a stranger": (offer(colour="red"), ["“colour” in J"]),
    "a misspelt header": (offer(price__orignPrice="30"), ["did you mean price.originPrice?"]),
    "several": (offer(colour="red", weight="1"), ["“colour” in J", "“weight” in K"]),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: dict[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize(("row", "said"), FAILS.values(), ids=FAILS)
def test_fails_in_one_warning(find: Find, row: dict[str, str], said: list[str]) -> None:
    (problem,) = find(CODE, row, offer(2))
    assert (problem.row, problem.severity) == (None, "warning")
    assert all(part in problem.message for part in said)


def test_a_comment_is_of_a_legacy_zip_alone(find: Find) -> None:
    """As an Offers.xml that is sent as JSON packages brings it along."""
    (problem,) = find(CODE, offer(comment="Boxed"))
    assert problem.message == "not sent: “comment” in J (a column of legacy-offers)"
    assert problem.hint == "nothing needs to be done if it is not meant to be sent here"
    (problem,) = find(CODE, offer(comment="Boxed", colour="red"))
    assert problem.hint is not None
    assert problem.hint.startswith("rename the header")


@pytest.mark.parametrize("value", ["#N/A", "TRUE", "\u200b", "x" * 40_000, "1,234"])
def test_what_stands_in_such_a_column_is_no_problem(find: Find, value: str) -> None:
    assert len(find(CODE, offer(colour=value))) == 1
    for other in ("formula-error", "text-control-chars", "text-too-long", "number-ambiguous"):
        assert find(other, offer(colour=value)) == []


def test_the_sellers_own_header_is_known(find: Find) -> None:
    row = offer(product__gtin=None) | {"Mon code": "4006381333931"}
    assert find(CODE, row, dialect=AccountSettings(columns={"mon CODE": "product.gtin"})) == []
