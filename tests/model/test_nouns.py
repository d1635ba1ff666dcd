import pickle

import pytest

from feedtool.areas.registry import load
from feedtool.model.nouns import NOT_DONE, RowResult, Status, every_status, worst_status


def test_a_word_of_an_area_is_a_status_that_says_that_a_request_was_done() -> None:
    packed = Status("Packed")
    assert packed is Status("Packed")
    assert pickle.loads(pickle.dumps(packed)) is packed  # noqa: S301
    assert (packed, packed.value, f"{packed}") == ("Packed", "Packed", "Packed")
    assert packed not in NOT_DONE


def test_statuses_of_areas_stand_behind_accepted_in_the_order_of_areas() -> None:
    words = [known.status for known in load().statuses]
    place = every_status().index(Status.ACCEPTED)
    own = every_status()[place + 1 : place + 8]
    assert own == ("OrderRefused", "Shipped", "Cancelled", "Sent", "Opened", "Closed", "Read")
    assert set(own) == set(words)
    assert every_status()[: place + 1] == tuple(Status)[: place + 1]


@pytest.mark.parametrize(
    ("words", "worst"),
    [
        (["Shipped", "Rejected"], "Rejected"),
        (["Shipped", "Integrated"], "Integrated"),
        (["Shipped", "Valid"], "Shipped"),
        (["Shipped", "Cancelled"], "Shipped"),
        (["Cancelled", "Shipped"], "Shipped"),
        (["Read", "Closed"], "Closed"),
        (["Closed", "Sent"], "Sent"),
        (["Sent", "Accepted"], "Accepted"),
    ],
)
def test_a_status_of_an_area_ranks_behind_accepted(words: list[str], worst: str) -> None:
    load()
    assert worst_status([RowResult(2, "A", Status(word)) for word in words]) == worst
