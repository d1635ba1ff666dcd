from collections.abc import Mapping

import pytest

from tests.conftest import offer
from tests.rules.conftest import Find

CODE = "deprecated-field"

PASSES = {"no such column": offer()}
FAILS = {
    "PackagingUnit": "PackagingUnit",
    "PackagingValue": "PackagingValue",
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize("header", FAILS.values(), ids=FAILS)
@pytest.mark.parametrize("value", ["6", "", "#N/A"])
def test_fails_whatever_stands_in_the_column(find: Find, header: str, value: str) -> None:
    (problem,) = find(CODE, offer() | {header: value})
    assert (problem.row, problem.header, problem.severity) == (None, header, "warning")
