from decimal import Decimal

import pytest

from feedtool.areas.offers.changes.guards import EarlierFile, SheetSummary
from feedtool.model.settings import Guards
from tests.areas.offers.changes.guards.conftest import holdings

CODE = "file-shrunk"
ALLOWED = Guards(fewer_rows=Decimal(40))

PASSES = {
    "the first": SheetSummary(1),
    "as long": SheetSummary(100, EarlierFile(7, 100)),
    "longer": SheetSummary(900, EarlierFile(7, 100)),
    "just so many fewer": SheetSummary(60, EarlierFile(7, 100)),
    "a short predecessor": SheetSummary(1, EarlierFile(7, 19)),
}


@pytest.mark.parametrize("facts", PASSES.values(), ids=PASSES)
def test_passes(facts: SheetSummary) -> None:
    assert holdings(CODE, facts, ALLOWED) == []


def test_fails() -> None:
    (found,) = holdings(CODE, SheetSummary(310, EarlierFile(7, 1204)), ALLOWED)
    assert (found.channel, found.only_removals) == (None, False)
    assert found.issue.message == (
        "the file has 310 rows, and its predecessor, of run 7, had 1,204: 74.3 % fewer"
        " (allowed: 40 %)"
    )


def test_it_is_off_unless_it_is_set(usual: Guards) -> None:
    assert holdings(CODE, SheetSummary(1, EarlierFile(7, 1204)), usual) == []
