"""Files are whole by their observations."""

from pathlib import PurePosixPath

import pytest

from feedtool.places import Entry
from feedtool.places.incoming import (
    SHORTEST,
    FileObservation,
    is_no_input,
    observe,
    pause,
    settled,
    unfinished,
    waiting,
    waiting_reason,
)

SETTLE = 2.0

Listing = dict[str, tuple[int, int]]
"""Name → size and time of change."""


def entries(listing: Listing) -> list[Entry]:
    return [
        Entry(name, size, str(modified), modified) for name, (size, modified) in listing.items()
    ]


def rested(*looks: tuple[float, Listing]) -> list[str]:
    """The files that rest after these looks."""
    seen: dict[PurePosixPath, FileObservation] = {}
    now = 0.0
    for now, listing in looks:
        seen = observe(seen, entries(listing), now)
    return [str(one.entry.path) for one in settled(seen, now, SETTLE)]


A: Listing = {"a.csv": (1, 1)}


@pytest.mark.parametrize(
    ("looks", "found"),
    [
        ([(0, A), (1.9, A)], []),
        ([(0, A), (2, A)], ["a.csv"]),
        ([(0, A), (1, {"a.csv": (2, 1)}), (2, {"a.csv": (2, 1)})], []),
        ([(0, A), (1, {"a.csv": (1, 2)}), (2, {"a.csv": (1, 2)})], []),
        ([(0, A), (1, {"a.csv": (1, 2)}), (3, {"a.csv": (1, 2)})], ["a.csv"]),
        ([(0, A), (1, {}), (2, A)], []),
        ([(0, A | {"a.csv.done": (0, 1)})], ["a.csv"]),
        ([(0, A | {"a.csv.done": (0, 0)})], []),  # it was left by another a.csv
        ([(0, A | {"a.csv.done": (0, 0)}), (2, A | {"a.csv.done": (0, 0)})], ["a.csv"]),
        ([(0, A | {"other.csv.done": (0, 9)})], []),
        ([(0, {"a.csv.done": (0, 9)}), (9, {"a.csv.done": (0, 9)})], []),
    ],
)
def test_a_file_rests_or_is_marked(looks: list[tuple[float, Listing]], found: list[str]) -> None:
    assert rested(*looks) == found


@pytest.mark.parametrize("lock", ["~$a.xlsx", ".~lock.a.xlsx#"])
@pytest.mark.parametrize("more", [{}, {"a.xlsx.done": (0, 1)}])
def test_a_workbook_that_is_open_waits(lock: str, more: Listing) -> None:
    book: Listing = {"a.xlsx": (1, 1), "b.xlsx": (1, 2)} | more
    held = book | {lock: (1, 1)}
    assert rested((0, held), (9, held)) == ["b.xlsx"]
    assert rested((0, held), (9, book)) == ["a.xlsx", "b.xlsx"]


def test_another_file_in_its_place_restarts_the_wait() -> None:
    first, second = (Entry("a.csv", 1, version, 1) for version in "12")
    seen = observe(observe({}, [first], 0), [second], 5)
    assert settled(seen, 5, SETTLE) == []


@pytest.mark.parametrize(
    ("name", "is_left"),
    [
        *((name, True) for name in ("~$a.xlsx", ".a.csv", ".~lock.a.xlsx#", ".DS_Store")),
        *((f"a.csv{end}", True) for end in (".part", ".TMP", ".filepart", ".crdownload", ".done")),
        *((name, False) for name in ("a.csv", "a", "part", "tmp.csv", "a.part.csv", "a~$.xlsx")),
    ],
)
def test_names_of_no_input(name: str, *, is_left: bool) -> None:
    assert is_no_input(name) is is_left
    listing: Listing = {name: (1, 1)}
    assert rested((0, listing), (9, listing)) == ([] if is_left else [name])


def test_the_oldest_comes_first() -> None:
    listing: Listing = {"c.csv": (1, 5), "b.csv": (1, 3), "shop/a.csv": (1, 9), "a.csv": (1, 5)}
    seen = observe({}, entries(listing), 0)
    order = ["b.csv", "a.csv", "c.csv", "shop/a.csv"]
    assert [str(one.entry.path) for one in waiting(seen)] == order


@pytest.mark.parametrize(
    ("listing", "now", "seconds"),
    [
        *(({}, 0, 5), ({"a.csv.part": (1, 1)}, 0, 5), (A, 0.5, 1.5), (A, 1.999, SHORTEST)),
        *((A, 2, 4), (A, 6, 5)),  # it may be a package that does not open
    ],
)
def test_the_next_look_is_when_a_file_has_rested(
    listing: Listing, now: float, seconds: float
) -> None:
    seen = observe({}, entries(listing), 0)
    assert pause(seen, now, SETTLE, longest=5) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("listing", "now", "reason"),
    [
        (A, 5.9, "it is still being written"),
        (A, 6, None),
        (A | {"~$a.csv": (1, 1)}, 6, "it is open in another program, as ~$a.csv beside it says"),
    ],
)
def test_reasons_why_a_file_waits(listing: Listing, now: float, reason: str | None) -> None:
    seen = observe({}, entries(listing), 0)
    (sighting,) = waiting(seen)
    assert waiting_reason(seen, sighting, now, SETTLE) == reason


def test_unfinished_names() -> None:
    listing: Listing = dict.fromkeys(("b.TMP", "a.csv.part", "a.csv", ".a", "a.csv.done"), (1, 1))
    seen = observe({}, entries(listing), 0)
    assert [str(place) for place in unfinished(seen)] == ["a.csv.part", "b.TMP"]
