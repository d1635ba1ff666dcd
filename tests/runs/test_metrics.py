"""The figures as OpenMetrics text, read by the parser of those who read it."""

from datetime import timedelta

import pytest

from feedtool.ledger.sellers import Figures
from feedtool.runs.sellers import write_metrics
from tests.figures import families_in, figures_in
from tests.ledger.conftest import NOW

NOTHING = Figures(
    waiting=0,
    oldest=None,
    on_hold=0,
    held=0,
    sellers=0,
    sellers_waiting=0,
    in_trouble=0,
    passes=0,
    answers={},
    processes={},
)
MUCH = Figures(
    waiting=3,
    oldest=NOW - timedelta(seconds=90.5),
    on_hold=1,
    held=12,
    sellers=1000,
    sellers_waiting=2,
    in_trouble=4,
    passes=123_456_789,
    answers={"Integrated": 12_345_678_901, "Rejected": 5, 'a "b"\\\n': 1},
    processes={"worker": 2, "submit": 1},
)


def test_a_parser_reads_all_of_it() -> None:
    assert figures_in(write_metrics(MUCH, NOW)) == {
        "feedtool_parcels_waiting": 3,
        "feedtool_parcels_on_hold": 1,
        "feedtool_oldest_wait_seconds": 90.5,
        "feedtool_sellers:all": 1000,
        "feedtool_sellers:in_trouble": 4,
        "feedtool_sellers:waiting": 2,
        "feedtool_rows_held": 12,
        "feedtool_passes_total": 123_456_789,
        "feedtool_answers_total:Integrated": 12_345_678_901,
        "feedtool_answers_total:Rejected": 5,
        'feedtool_answers_total:a "b"\\\n': 1,
        "feedtool_processes:worker": 2,
        "feedtool_processes:submit": 1,
    }


def test_an_empty_ledger_yields_zeros() -> None:
    found = figures_in(write_metrics(NOTHING, NOW))
    assert set(found.values()) == {0}
    assert {"feedtool_passes_total", "feedtool_processes:worker"} <= found.keys()


@pytest.mark.parametrize(
    ("name", "kind"), [("feedtool_passes", "counter"), ("feedtool_parcels_waiting", "gauge")]
)
def test_each_family_has_type_and_documentation(name: str, kind: str) -> None:
    families = {it.name: it for it in families_in(write_metrics(MUCH, NOW))}
    assert families[name].type == kind
    assert all(family.documentation for family in families.values())
