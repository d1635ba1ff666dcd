"""Files at a watched place are brought once, and faults are reported there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path, PurePosixPath

import pytest

from feedtool.areas.registry import load
from feedtool.model.errors import Exit, FeedtoolError, Interrupted, UsageProblem
from feedtool.model.text import Translator
from feedtool.watch.folder import route_of
from feedtool.watch.reporting import DeduplicatedLog, RouteUnknown, Turn
from feedtool.worker.inbox import InboxEnvironment, InboxWatcher, Intake
from tests.conftest import offer, table
from tests.places.conftest import (
    KINDS,
    Breaking,
    Site,
    breaking,
    bucket,
    is_done,
    kind,
    s3,
    sftp,
    site,
)
from tests.places.fragile import Killed
from tests.worker.conftest import ParcelWorld, Queued

__all__ = ("breaking", "bucket", "is_done", "kind", "s3", "sftp", "site")
"""The fixtures of places."""

PROFILES = ("shop", "mall")
DAY = "done/2026-03-02"
SHEET = table([offer(1)]).encode()


@dataclass
class PlaceWorld:
    """A place, its watcher, and the parcels that come of it."""

    site: Site
    world: ParcelWorld
    steps: Iterator[Callable[[], object]] = field(default_factory=lambda: iter(()))
    """The steps between looks, before the watcher is stopped."""
    at_fault: set[str] = field(default_factory=set)
    """Profiles whose account says no seller."""
    turns: list[Turn] = field(default_factory=list)

    def watch(self, *steps: Callable[[], object], is_once: bool = False) -> Exit:
        """Looks two seconds apart: at what is there, then after each step, as long as it may."""
        self.steps = iter((*steps, lambda: None))
        try:
            with self._watcher(is_once=is_once) as watcher:
                return watcher.run()
        finally:
            self.world.stopped = None

    @contextmanager
    def _watcher(self, *, is_once: bool) -> Iterator[InboxWatcher]:
        world = self.world
        log = DeduplicatedLog(lambda label, text: world.told.append((label, text)))
        with world.workspace() as workspace:

            def intake_of(path: PurePosixPath) -> Intake:
                route = route_of(path, PROFILES, load().feeds)
                if route is None or route.profile is None:
                    raise RouteUnknown(path)
                if route.profile in self.at_fault:
                    raise UsageProblem("the profile has no seller", "add it")
                key = world.key(route.profile)
                return Intake(workspace, world, key, route.profile, route.kind)

            yield InboxWatcher(
                InboxEnvironment(
                    place=self.site.open(),
                    intake_of=intake_of,
                    now=lambda: world.today,
                    clock=world.clock,
                    sleep=self._sleep,
                    stopping=lambda: world.stopped,
                    log=log,
                    say=Translator("en"),
                    on_turn=self.turns.append,
                    same_within=world.same_within,
                    is_once=is_once,
                )
            )

    def _sleep(self, seconds: float) -> None:
        self.world.time += max(seconds, 2)
        try:
            next(self.steps)()
        except StopIteration:
            self.world.stopped = Interrupted("stopped")

    @property
    def parcels(self) -> list[tuple[str, str, str]]:
        return [(parcel.profile, parcel.kind, parcel.name) for parcel in self.world.parcels()]


@pytest.fixture
def places(site: Site, world: ParcelWorld) -> PlaceWorld:
    return PlaceWorld(site, world)


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, world: ParcelWorld) -> PlaceWorld:
    """A place that is only a folder, where the kind of place does not matter."""
    root = tmp_path_factory.mktemp("place") / "place"
    site = Site(str(root), root)
    (root / "inbox").mkdir()
    return PlaceWorld(site, world)


MOSTLY_A_FOLDER = pytest.mark.parametrize(
    "kind",
    ["folder", *(pytest.param(it, marks=pytest.mark.long) for it in KINDS if it != "folder")],
    indirect=True,
)
"""A test of what is the same at any place, which the long runs alone make at the others."""


# `tests/places/test_incoming.py` takes files from each kind of place.
@MOSTLY_A_FOLDER
def test_files_are_brought_for_the_profile_and_kind_of_their_folder(places: PlaceWorld) -> None:
    for number, name in enumerate(("shop/a.csv", "Mall/Offers-Upsert/b.csv", "shop/c.csv")):
        places.site.write(f"inbox/{name}", table([offer(number)]).encode())
    assert places.watch() is Exit.OK
    assert sorted(places.parcels) == [
        ("mall", "offers-upsert", "b.csv"),
        ("shop", "", "a.csv"),
        ("shop", "", "c.csv"),
    ]
    assert sorted(places.world.queued) == [Queued("mall"), Queued("shop")]
    names = ("Mall/Offers-Upsert/b.csv", "shop/a.csv", "shop/c.csv")
    assert list(places.site.files()) == [f"{DAY}/{name}" for name in names]
    first = places.world.parcel()
    assert first.origin.startswith(places.site.open().url)


def test_the_brought_content_is_the_content_at_the_place(folder: PlaceWorld) -> None:
    folder.site.write("inbox/shop/a.csv", SHEET)
    folder.watch()
    folder.world.work()
    parcel = folder.world.parcel()
    assert (parcel.name, parcel.exit_code, parcel.message) == ("a.csv", 0, None)


@MOSTLY_A_FOLDER
def test_a_folder_of_no_profile_is_refused_there(places: PlaceWorld) -> None:
    places.site.write("inbox/nobody/a.csv", SHEET)
    places.site.write("inbox/b.csv", SHEET)
    places.watch()
    files = places.site.files()
    assert sorted(files) == [
        "error/b.csv",
        "error/b.csv.reason.txt",
        "error/nobody/a.csv",
        "error/nobody/a.csv.reason.txt",
    ]
    assert "“nobody” is not a profile" in files["error/nobody/a.csv.reason.txt"].decode()
    assert places.world.told[-1][0] == "refused"
    assert places.parcels == []


def test_the_same_content_waits_once_and_is_refused_once_it_was_sent(folder: PlaceWorld) -> None:
    folder.site.write("inbox/shop/a.csv", SHEET)
    folder.watch(partial(folder.site.write, "inbox/shop/b.csv", SHEET), lambda: None)
    assert folder.parcels == [("shop", "", "a.csv")]
    assert set(folder.site.files()) == {f"{DAY}/shop/a.csv", f"{DAY}/shop/b.csv"}
    folder.world.work()
    folder.site.write("inbox/shop/c.csv", SHEET)
    assert folder.watch(is_once=True) is Exit.ROWS
    reason = folder.site.files()["error/shop/c.csv.reason.txt"].decode()
    assert "The same content was sent as a.csv" in reason
    assert "--same-within 0" in reason
    folder.world.same_within *= 0
    folder.site.write("inbox/shop/c.csv", SHEET)
    folder.watch()
    assert folder.parcels == [("shop", "", "a.csv"), ("shop", "", "c.csv")]


def test_a_file_waits_while_its_account_is_at_fault(folder: PlaceWorld) -> None:
    folder.at_fault = {"shop"}
    folder.site.write("inbox/shop/a.csv", SHEET)
    folder.site.write("inbox/mall/b.csv", SHEET)
    code = folder.watch(lambda: None, lambda: None)
    assert code is Exit.USAGE
    assert folder.parcels == [("mall", "", "b.csv")]
    assert set(folder.site.files()) == {"inbox/shop/a.csv", f"{DAY}/mall/b.csv"}
    assert [text for label, text in folder.world.told if label == "error"] == [
        "inbox/shop: the profile has no seller"
    ]
    assert [profile for profile, _ in folder.turns[-1].troubles] == ["shop"]
    assert folder.watch(folder.at_fault.clear, lambda: None) is Exit.OK
    assert folder.parcels[1:] == [("shop", "", "a.csv")]


def test_a_queue_that_is_away_stops_no_file(
    folder: PlaceWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(*_: object) -> None:
        raise Interrupted("the queue is away")

    monkeypatch.setattr(folder.world, "put", put)
    folder.site.write("inbox/shop/a.csv", SHEET)
    assert folder.watch(lambda: None) is Exit.OK
    assert folder.parcels == [("shop", "", "a.csv")]
    assert ("error", "the queue is away") in folder.world.told


def test_a_place_that_is_away_is_watched_on(folder: PlaceWorld) -> None:
    root = folder.world.root / "away"
    folder.site.write("inbox/shop/a.csv", SHEET)
    there = Path(folder.site.url)
    there.rename(root)
    code = folder.watch(lambda: None, partial(root.rename, there), lambda: None)
    assert code is Exit.OK
    errors = [text for label, text in folder.world.told if label == "error"]
    assert len(errors) == 1
    assert folder.turns[0].troubles
    assert not folder.turns[-1].troubles
    assert folder.parcels == [("shop", "", "a.csv")]
    there.rename(root)
    with pytest.raises(FeedtoolError):
        folder.watch(is_once=True)


def test_once_ends_when_all_that_is_whole_is_brought(folder: PlaceWorld) -> None:
    for name in ("a.csv", "a.csv.part"):
        folder.site.write(f"inbox/shop/{name}", SHEET)
    steps = [lambda: None] * 9
    assert folder.watch(*steps, is_once=True) is Exit.OK
    assert folder.parcels == [("shop", "", "a.csv")]
    assert folder.watch(is_once=True) is Exit.NOTHING


# `tests/places/test_incoming.py` kills at each call of each kind of place.
@MOSTLY_A_FOLDER
def test_killed_at_each_call_a_file_is_one_parcel(places: PlaceWorld, breaking: Breaking) -> None:
    for last in count(1):
        sheet = table([offer(last)]).encode()
        places.site.write("inbox/shop/a.csv", sheet)
        with breaking(last) as broken, suppress(Killed):
            places.watch()
        places.watch()
        parcels = places.world.parcels()
        assert len({parcel.sha256 for parcel in parcels}) == len(parcels) == last
        files = places.site.files()
        assert [content for name, content in files.items() if "inbox" not in name] == [sheet]
        places.site.clear()
        if broken.is_over:
            break
