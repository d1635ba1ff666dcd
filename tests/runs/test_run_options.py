"""A run as the ledger keeps it is read as it was written."""

from feedtool.check import EVERY_ROW, ReadOptions
from feedtool.runs.annotated_copy import Outputs
from feedtool.runs.run_options import RunOptions


def test_the_rows_that_were_taken_all_the_same_are_kept() -> None:
    recorded = RunOptions([], ReadOptions(as_rows=(12, 4)), Outputs())
    assert RunOptions.from_json(recorded.as_json()).asked.as_rows == (4, 12)


def test_a_run_of_before_rows_were_skipped_has_taken_all_of_them() -> None:
    recorded = RunOptions([], ReadOptions(), Outputs()).as_json()
    del recorded["asked"]["as_rows"]
    assert RunOptions.from_json(recorded).asked.as_rows == EVERY_ROW
