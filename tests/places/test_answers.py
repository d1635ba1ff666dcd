"""The names of answers, and that they are there whole or not at all."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import islice
from pathlib import Path

import pytest

from feedtool.places.incoming import names_for, put_answers
from tests.pairs import sample
from tests.places.conftest import ON_A_FOLDER, Breaking, Site
from tests.places.fragile import Killed


def test_names_do_not_end() -> None:
    names = ["a.b", "a.b.2026-03-02", "a.b.2026-03-02-2", "a.b.2026-03-02-3"]
    assert list(islice(names_for("a.b.csv", date(2026, 3, 2)), 4)) == names


DAY = date(2026, 3, 2)
NAMES = ["offers.result.csv", "offers.failed.xlsx", "offers.summary.json"]
AGAIN = [f"offers.2026-03-02{name.removeprefix('offers')}" for name in NAMES]


@pytest.fixture
def answers(tmp_path: Path) -> dict[str, Path]:
    """The summary first, as nobody says in which order they come."""
    files = {}
    for ending in (".summary.json", ".result.csv", ".failed.xlsx"):
        files[ending] = tmp_path / f"answer{ending}"
        files[ending].write_bytes(ending.encode())
    return files


def contents(names: list[str]) -> dict[str, bytes]:
    return {name: f".{'.'.join(name.split('.')[-2:])}".encode() for name in names}


def visible(site: Site) -> dict[str, bytes]:
    """The files of a place that are not hidden; a hidden one may hold a part of a file."""
    return {name: content for name, content in site.files().items() if name[0] != "."}


@ON_A_FOLDER
def test_the_summary_comes_last(site: Site, answers: dict[str, Path]) -> None:
    assert put_answers(site.open(), "offers.csv", answers, DAY) == NAMES
    assert site.files() == contents(NAMES)


@ON_A_FOLDER
def test_all_have_one_name_that_is_free(site: Site, answers: dict[str, Path]) -> None:
    place = site.open()
    for taken in NAMES:
        site.clear()
        site.write(taken, b"somebody else's")
        assert put_answers(place, "offers.csv", answers, DAY) == AGAIN
        assert site.files() == {taken: b"somebody else's", **contents(AGAIN)}


@ON_A_FOLDER
def test_an_answer_put_twice_is_stored_once(site: Site, answers: dict[str, Path]) -> None:
    for _ in range(2):
        assert put_answers(site.open(), "offers.csv", answers, DAY) == NAMES
    answers[".summary.json"].write_bytes(b"another run's")
    put_answers(site.open(), "offers.csv", answers, DAY)
    assert set(site.files()) == {*NAMES, *AGAIN}


# A bucket's put is one request, and the folder that of any place.
@pytest.mark.parametrize("kind", sample(("folder", "sftp", "bucket"), 2))
def test_killed_at_each_call(
    site: Site, kind: str, answers: dict[str, Path], breaking: Breaking, calls: Iterator[int]
) -> None:
    names = NAMES
    if kind != "folder":  # each call takes long there, and the third answer is as the second
        names = [NAMES[0], NAMES[-1]]
        del answers[".failed.xlsx"]
    another = site.open()
    for last in calls:
        with breaking(last) as broken, suppress(Killed):
            put_answers(site.open(), "offers.csv", answers, DAY)
        there = visible(site)
        assert there.items() <= contents(names).items()
        assert names[-1] not in there or len(there) == len(names)
        assert put_answers(another, "offers.csv", answers, DAY) == names
        assert visible(site) == contents(names)
        if broken.is_over:
            break
        site.clear()
    assert last > len(names)
