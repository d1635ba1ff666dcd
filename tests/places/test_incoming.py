"""Files are kept once, although processes that take them are killed or take them together."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem, Interrupted
from feedtool.places import Entry, Place
from feedtool.places.incoming import PATIENCE, Arrivals, Keep, Seen, refuse, take_arrivals
from tests.places.conftest import ON_A_FOLDER, Breaking, Site
from tests.places.fragile import Killed

DAY, SETTLE = date(2026, 3, 2), 2.0
WORDS = b"sku;price\nA;1\n"


class Store:
    """The kept contents: each once, as in the ledger's list of waiting files."""

    def __init__(self) -> None:
        self.kept: dict[bytes, str] = {}
        self.asked: list[str] = []

    def keep(self, local: Path, entry: Entry) -> None:
        self.asked.append(entry.name)
        self.kept.setdefault(local.read_bytes(), entry.name)


@pytest.fixture
def store() -> Store:
    return Store()


class Lister:
    """A machine that looks at a place again and again."""

    def __init__(self, place: Place, keep: Callable[[Path, Entry], None]) -> None:
        self.place, self._keep = place, keep
        self._seen: Seen = {}

    def look(self, now: float) -> Arrivals:
        arrivals = take_arrivals(self.place, self._seen, now, SETTLE, self._receiver, DAY)
        self._seen = arrivals.seen
        return arrivals

    def taken(self, now: float) -> list[str]:
        arrivals = self.look(now)
        return [entry.name for entry in arrivals.taken]

    def _receiver(self, entry: Entry) -> Keep:
        return lambda local: self._keep(local, entry)


@pytest.fixture
def lister(site: Site, store: Store) -> Lister:
    return Lister(site.open(), store.keep)


def test_a_file_that_rests_is_kept_and_moved(site: Site, lister: Lister, store: Store) -> None:
    site.write("inbox/a.csv", WORDS)
    assert lister.taken(0) == lister.taken(1.9) == []
    assert lister.taken(2) == ["inbox/a.csv"]
    assert store.kept == {WORDS: "inbox/a.csv"}
    assert site.files() == {"done/2026-03-02/a.csv": WORDS}
    assert lister.taken(4) == []


@ON_A_FOLDER
def test_a_marker_confirms_a_whole_file(site: Site, lister: Lister, store: Store) -> None:
    site.write("inbox/a.csv", WORDS)
    site.write("inbox/a.csv.done", b"")
    assert lister.taken(0) == ["inbox/a.csv"]
    assert site.files() == {"done/2026-03-02/a.csv": WORDS}
    assert store.asked == ["inbox/a.csv"]


@ON_A_FOLDER
def test_files_with_unfinished_names_stay(site: Site, lister: Lister, store: Store) -> None:
    names = [".a.csv", ".feedtool-1.tmp", "a.csv.part", "a.csv.tmp", "b.done"]
    for name in names:
        site.write(f"inbox/{name}", WORDS)
    for now in (0, 9, 99):
        assert lister.taken(now) == []
    assert store.asked == []
    assert list(site.files()) == [f"inbox/{name}" for name in names]


@ON_A_FOLDER
def test_a_file_that_grows_waits(site: Site, lister: Lister, store: Store) -> None:
    for now in range(5):
        site.write("inbox/a.csv", WORDS * (now + 1))
        assert lister.taken(now) == []
    assert lister.taken(6) == ["inbox/a.csv"]
    assert list(store.kept) == [WORDS * 5]


@ON_A_FOLDER
def test_a_workbook_that_does_not_open_has_time(site: Site, lister: Lister, store: Store) -> None:
    site.write("inbox/a.xlsx", b"PK\x03\x04 and the rest comes later")
    for now in (0, SETTLE, PATIENCE * SETTLE - 0.1):
        assert lister.taken(now) == []
    assert lister.taken(PATIENCE * SETTLE) == ["inbox/a.xlsx"]
    assert len(store.kept) == 1


@ON_A_FOLDER
def test_names_of_a_day_are_numbered(site: Site, lister: Lister) -> None:
    for number in range(3):
        site.write("inbox/a.b.csv", b"%d" % number)
        lister.look(10 * number)
        assert lister.taken(10 * number + 5) == ["inbox/a.b.csv"]
    names = ["a.b.2026-03-02-2.csv", "a.b.2026-03-02.csv", "a.b.csv"]
    assert sorted(site.files()) == [f"done/2026-03-02/{name}" for name in names]


@ON_A_FOLDER
def test_a_folder_of_the_inbox_is_one_of_done(site: Site, lister: Lister) -> None:
    for name in ("inbox/shop/orders/a.csv", "inbox/b.csv"):
        site.write(name, WORDS)
    for now in (0, 2):
        lister.look(now)
    assert set(site.files()) == {"done/2026-03-02/shop/orders/a.csv", "done/2026-03-02/b.csv"}


@ON_A_FOLDER
def test_a_file_that_cannot_be_kept_now_is_not_fetched(site: Site) -> None:
    asked = []

    def receiver(entry: Entry) -> None:
        asked.append(entry.name)

    site.write("inbox/a.csv", WORDS)
    arrivals = take_arrivals(site.open(), {}, 0, 0, receiver, DAY)
    assert (asked, arrivals.taken, arrivals.refused) == (["inbox/a.csv"], [], [])
    assert site.files() == {"inbox/a.csv": WORDS}


@ON_A_FOLDER
def test_a_refused_file_has_its_reason_beside_it(site: Site, lister: Lister) -> None:
    place = site.open()
    for number, name in enumerate(("a", "a.2026-03-02", "a.2026-03-02-2")):
        site.write("inbox/shop/a.csv", b"%d" % number)
        (entry,) = place.listing("inbox")
        target = refuse(place, entry, f"reason {number}", DAY)
        assert target == f"error/shop/{name}.csv"
        assert site.files()[target] == b"%d" % number
        assert site.files()[f"{target}.reason.txt"] == b"reason %d\n" % number
    assert len(site.files()) == 6
    assert lister.taken(9) == []


@ON_A_FOLDER
def test_a_file_refused_again_after_a_crash_is_refused_once(
    site: Site, breaking: Breaking, calls: Iterator[int]
) -> None:
    another = site.open()
    for last in calls:
        site.write("inbox/a.csv", WORDS)
        with breaking(last) as fragile, suppress(Killed):
            place = site.open()
            refuse(place, place.listing("inbox")[0], "no", DAY)
        for entry in another.listing("inbox"):
            refuse(another, entry, "no", DAY)
        files = site.files()
        site.clear()
        left = {name: files[name] for name in files if ".feedtool-" not in name}
        assert left == {"error/a.csv": WORDS, "error/a.csv.reason.txt": b"no\n"}
        if fragile.is_over:
            break


@ON_A_FOLDER
def test_a_file_that_is_refused_stops_no_other(site: Site) -> None:
    def keep(local: Path, entry: Entry) -> None:
        del local
        if entry.path.name == "a.csv":
            raise FileProblem("it is no use")

    for name in ("a.csv", "b.csv"):
        site.write(f"inbox/{name}", name.encode())
    lister = Lister(site.open(), keep)
    lister.look(0)
    arrivals = lister.look(2)
    assert [entry.name for entry in arrivals.taken] == ["inbox/b.csv"]
    assert [(entry.name, error.message) for entry, error in arrivals.refused] == [
        ("inbox/a.csv", "it is no use")
    ]
    assert set(site.files()) == {"inbox/a.csv", "done/2026-03-02/b.csv"}


@ON_A_FOLDER
def test_an_absent_ledger_leaves_all_files_in_place(site: Site) -> None:
    def keep(local: Path, entry: Entry) -> None:
        raise Interrupted(f"{entry.name}, {local}")

    site.write("inbox/a.csv", WORDS)
    lister = Lister(site.open(), keep)
    lister.look(0)
    with pytest.raises(Interrupted):
        lister.look(2)
    assert site.files() == {"inbox/a.csv": WORDS}


@ON_A_FOLDER
def test_a_newer_file_is_kept_too(site: Site) -> None:
    """The newer file came while the earlier one was being kept."""
    store = Store()

    def keep(local: Path, entry: Entry) -> None:
        store.keep(local, entry)
        if len(store.kept) == 1:
            site.write("inbox/a.csv", b"newer")

    site.write("inbox/a.csv", WORDS)
    lister = Lister(site.open(), keep)
    for now in (0, 2, 4, 6):
        lister.look(now)
    assert list(store.kept) == [WORDS, b"newer"]
    assert list(site.files().values()) == [b"newer"]


@ON_A_FOLDER
def test_two_listers_are_harmless(site: Site, store: Store) -> None:
    """The second one takes a file while the first one keeps it."""
    second = Lister(site.open(), store.keep)

    def keep(local: Path, entry: Entry) -> None:
        second.look(0)
        second.look(2)
        store.keep(local, entry)

    site.write("inbox/a.csv", WORDS)
    first = Lister(site.open(), keep)
    first.look(0)
    first.look(2)
    assert store.asked == ["inbox/a.csv", "inbox/a.csv"]
    assert store.kept == {WORDS: "inbox/a.csv"}
    assert site.files() == {"done/2026-03-02/a.csv": WORDS}
    assert first.taken(4) == second.taken(4) == []


def test_killed_at_each_call(
    site: Site, kind: str, breaking: Breaking, calls: Iterator[int]
) -> None:
    # Where each call takes long one file has to do: what comes of two is no matter of the place.
    names = ("a.csv", "b.csv") if kind == "folder" else ("a.csv",)
    another = site.open()
    for last in calls:
        for name in names:
            site.write(f"inbox/{name}", name.encode())
            site.write(f"inbox/{name}.done", b"")
        store = Store()
        with breaking(last) as broken, suppress(Killed):
            Lister(site.open(), store.keep).look(0)
        other = Lister(another, store.keep)
        for now in (0, 2):
            other.look(now)
        assert store.kept == {name.encode(): f"inbox/{name}" for name in names}
        assert site.files() == {f"done/2026-03-02/{name}": name.encode() for name in names}
        if broken.is_over:
            break
        site.clear()
    assert last > 1 + 3 * len(names)  # a listing; for each a fetch, a deletion and a move


@ON_A_FOLDER
def test_a_kill_while_a_file_is_kept(site: Site, store: Store) -> None:
    def keep(local: Path, entry: Entry) -> None:
        store.keep(local, entry)
        raise Killed

    site.write("inbox/a.csv", WORDS)
    site.write("inbox/a.csv.done", b"")
    with pytest.raises(Killed):
        Lister(site.open(), keep).look(0)
    assert Lister(site.open(), store.keep).taken(0) == ["inbox/a.csv"]
    assert store.kept == {WORDS: "inbox/a.csv"}
    assert site.files() == {"done/2026-03-02/a.csv": WORDS}
