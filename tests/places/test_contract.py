"""The contract of every place."""

from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem
from feedtool.places import Entry, Moved, Place, PlaceRefused
from tests.places.conftest import Site

WORDS = b"sku;price\nA;1\n"
NAMES = ("a.csv", "inbox/b.csv", "inbox/very deep/d & e#?%20.csv", "inbox/çé ☃.csv")


@pytest.fixture
def place(site: Site) -> Place:
    return site.open()


@pytest.fixture
def local(tmp_path: Path) -> Path:
    path = tmp_path / "local.csv"
    path.write_bytes(WORDS)
    return path


def entry_at(place: Place, name: str) -> Entry:
    entry = place.find(name)
    assert entry is not None
    return entry


def names(entries: list[Entry]) -> list[str]:
    return sorted(entry.name for entry in entries)


CONTENTS = {
    **dict.fromkeys(NAMES, WORDS),
    "empty.csv": b"",
    "large.csv": b"x" * 6_000_001,
}


def test_a_put_file_can_be_fetched(site: Site, tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    place, other = site.open(), site.open()
    for name, content in CONTENTS.items():
        source.write_bytes(content)
        assert place.put(name, source)
    assert site.files() == CONTENTS
    for name, content in CONTENTS.items():
        entry = other.fetch(name, target)
        assert target.read_bytes() == content
        assert (entry.name, entry.size) == (name, len(content))
        assert entry == other.find(name)


def test_a_name_that_is_taken_keeps_its_file(place: Place, site: Site, local: Path) -> None:
    site.write("a.csv", b"first")
    assert not place.put("a.csv", local)
    assert site.files() == {"a.csv": b"first"}


def test_a_listing_has_the_files_of_a_folder_and_of_those_below(place: Place, site: Site) -> None:
    for name in (*NAMES, "inbox/.hidden/a.csv"):
        site.write(name, WORDS)
    assert names(place.listing("")) == sorted(NAMES)
    below = [name for name in sorted(NAMES) if name.startswith("inbox/")]
    assert names(place.listing("inbox")) == below
    assert [entry.size for entry in place.listing("inbox/very deep")] == [len(WORDS)]
    for entry in place.listing("inbox"):
        assert entry == place.find(entry.name)


def test_a_folder_that_is_absent(place: Place, kind: str) -> None:
    if kind == "bucket":
        assert place.listing("inbox") == []
    else:
        with pytest.raises(PlaceRefused, match=r"inbox.* cannot be used: No such file") as caught:
            place.listing("inbox")
        assert "see that" in caught.value.hint.casefold()


def test_an_absent_file_is_reported(place: Place, tmp_path: Path) -> None:
    assert place.find("a.csv") is None
    assert place.find("deep/er/a.csv") is None
    place.delete("a.csv")
    place.delete("deep/er/a.csv")
    with pytest.raises(FileProblem, match=r"There is no a.csv in ") as caught:
        place.fetch("a.csv", tmp_path / "fetched")
    assert place.url in caught.value.message
    assert place.move(Entry("a.csv", 1, "1", 1), "b.csv") is Moved.GONE


def test_another_content_is_another_version(place: Place, site: Site) -> None:
    site.write("a.csv", b"first")
    first = entry_at(place, "a.csv")
    assert entry_at(place, "a.csv") == first
    site.write("a.csv", b"second")
    assert entry_at(place, "a.csv") != first


def test_a_file_moves_once(place: Place, site: Site) -> None:
    site.write("inbox/a.csv", WORDS)
    entry = entry_at(place, "inbox/a.csv")
    moves = [place.move(entry, "done/today/a.csv") for _ in range(2)]
    assert moves == [Moved.DONE, Moved.GONE]
    assert site.files() == {"done/today/a.csv": WORDS}


def test_a_file_does_not_move_over_another(place: Place, site: Site) -> None:
    site.write("a.csv", WORDS)
    site.write("b.csv", b"other")
    assert place.move(entry_at(place, "a.csv"), "b.csv") is Moved.TAKEN
    assert site.files() == {"a.csv": WORDS, "b.csv": b"other"}


def test_a_newer_file_stays_in_its_place(place: Place, site: Site) -> None:
    site.write("a.csv", WORDS)
    entry = entry_at(place, "a.csv")
    site.write("a.csv", b"newer")
    assert place.move(entry, "b.csv") is Moved.GONE
    assert site.files() == {"a.csv": b"newer"}


def test_a_deleted_file_is_gone(place: Place, site: Site) -> None:
    site.write("a/b.csv", WORDS)
    for _ in range(2):
        place.delete("a/b.csv")
    assert site.files() == {}


def test_a_place_can_be_used_after_it_was_closed(place: Place, local: Path) -> None:
    assert place.put("a.csv", local)
    place.close()
    place.close()
    assert names(place.listing("")) == ["a.csv"]
