import pytest

from feedtool.model.settings import AccountSettings
from tests.conftest import Find, offer

CODE = "schema-mismatch"

PASSES = {
    "the dialect as it is": AccountSettings(),
    "GTIN as number": AccountSettings(gtin_as="number"),
}
FAILS = {
    "a tax without a code": (
        AccountSettings(tax_codes={"VAT": "", "EcoPart": "EcoPart", "DEA": "DEA"}),
        offer(),
        "taxes/0",
    )
}


@pytest.mark.parametrize("dialect", PASSES.values(), ids=PASSES)
def test_passes(find: Find, dialect: AccountSettings) -> None:
    assert find(CODE, offer(), dialect=dialect) == []


@pytest.mark.parametrize(("dialect", "row", "place"), FAILS.values(), ids=FAILS)
def test_a_setting_that_contradicts_the_schema_never_goes_without_a_message(
    find: Find, dialect: AccountSettings, row: dict[str, str], place: str
) -> None:
    (problem,) = find(CODE, row, dialect=dialect)
    assert (problem.row, problem.severity) == (2, "error")
    assert place in problem.message
