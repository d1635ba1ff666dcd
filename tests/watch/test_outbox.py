"""New items go into the outbox at each beat; a fault of one export stops no other."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.ledger import Ledger
from feedtool.ledger.cursors import Cursors
from feedtool.model.errors import Exit, UsageProblem
from feedtool.runs.config import load
from feedtool.runs.sellers import SellerAccount
from feedtool.watch.outbox import Outbox
from feedtool.watch.session import OutboxExport
from feedtool.watch.watcher import Watcher
from tests.changing import Service, export_of
from tests.conftest import Files
from tests.watch.conftest import World

EVERY = 600


class AtOnce(Executor):
    """Does what it is given before it returns."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future = Future[Any]()
        future.set_result(fn(*args))
        return future


class Shop:
    """A watched folder whose account is at a service of things."""

    def __init__(self, world: World, ledger: Ledger, profiles: Collection[str | None]) -> None:
        self.world, self.ledger, self.service = world, ledger, Service()
        self.environment = replace(
            world.environment(ledger),
            open_account=self.account,
            exports=(OutboxExport(export_of(3)),),
            every=EVERY,
            export_profiles=profiles,
            is_once=False,
        )
        self.outbox = Outbox(self.environment)

    @contextmanager
    def account(self, profile: str | None) -> Iterator[SellerAccount]:
        with self.world.session(profile) as account:
            session = replace(account.session, client=self.service, now=lambda: self.service.now)
            yield replace(account, session=session)

    def beat(self, *keys: str, after: float = EVERY) -> list[str]:
        """The files that come once some things are there, and time has passed."""
        for key in keys:
            self.service.change(key)
        before = set(self.files())
        self.world.time += after
        self.outbox.turn(AtOnce())
        self.outbox.collect()
        return sorted(set(self.files()) - before)

    def files(self) -> list[str]:
        return [name for name in self.world.files() if name.startswith("outbox")]


@pytest.fixture
def shop(world: World) -> Iterator[Shop]:
    with world.ledger() as ledger:
        yield Shop(world, ledger, (None,))


def test_new_items_are_exported_at_each_beat(shop: Shop) -> None:
    assert shop.beat("A", "B") == ["outbox/things-2026-11-20-1.xlsx"]
    assert shop.beat("C", after=EVERY - 1) == []
    assert shop.beat(after=1) == ["outbox/things-2026-11-20-2.xlsx"]
    assert shop.beat() == []
    assert shop.world.messages_of("exported") == [
        "outbox/things-2026-11-20-1.xlsx: 4 rows",
        "outbox/things-2026-11-20-2.xlsx: 2 rows",
    ]
    assert (shop.outbox.codes, shop.outbox.troubles) == ({Exit.OK}, [])


def test_each_folder_has_a_cursor_of_its_own(shop: Shop) -> None:
    shop.beat("A")
    (state,) = Cursors(shop.ledger.engine).listed("things")
    assert state.cursor.name == f"watch-{shop.world.name[:8]}"


def test_each_profile_has_its_folder_and_stops_no_other(world: World) -> None:
    world.closed = {"mall"}
    with world.ledger() as ledger:
        shop = Shop(world, ledger, ("mall", "shop"))
        assert shop.beat("A") == ["outbox/shop/things-2026-11-20-1.xlsx"]
        assert [profile for profile, _ in shop.outbox.troubles] == ["mall"]
        assert shop.outbox.codes == {Exit.USAGE, Exit.OK}
        shop.beat("B")
        assert world.messages_of("error") == ["profile mall: there is no token"]
        world.closed = set()
        assert shop.beat() == ["outbox/mall/things-2026-11-20-3.xlsx"]
        assert shop.outbox.troubles == []


def test_profiles_of_a_folder_may_come_and_go(world: World, files: Files) -> None:
    files.text("", "sellers/north.toml")
    sellers, gone = files.folder / "sellers", files.folder / "gone"
    with world.ledger() as ledger:
        shop = Shop(world, ledger, load().with_folder(sellers).profiles.keys())
        assert shop.beat("A") == ["outbox/north/things-2026-11-20-1.xlsx"]
        files.text("", "sellers/south.toml")
        assert [place.split("/")[1] for place in shop.beat("B")] == ["north", "south"]
        sellers.rename(gone)
        assert (shop.beat("C"), shop.beat()) == ([], [])
        (told,) = world.messages_of("error")
        assert told.startswith(f"the folder of profiles {sellers} cannot be read")
        gone.rename(sellers)
        assert len(shop.beat()) == 2


def test_a_failing_export_is_reported_once_and_tried_again(shop: Shop) -> None:
    def broken() -> None:
        raise UsageProblem("it is broken")

    shop.service.meanwhile = broken
    assert (shop.beat("A"), shop.beat()) == ([], [])
    assert shop.world.messages_of("error") == ["it is broken"]
    shop.service.meanwhile = lambda: None
    assert shop.beat() == ["outbox/things-2026-11-20-1.xlsx"]


def test_a_bug_in_one_export_stops_no_other(shop: Shop) -> None:
    def bug() -> None:
        raise ZeroDivisionError

    shop.service.meanwhile = bug
    assert shop.beat("A") == []
    assert shop.outbox.codes == {Exit.BUG}


@pytest.mark.parametrize(("keys", "code"), [(("A",), Exit.OK), ((), Exit.NOTHING)])
def test_watch_once_waits_for_the_export(shop: Shop, keys: tuple[str, ...], code: Exit) -> None:
    for key in keys:
        shop.service.change(key)
    assert Watcher(replace(shop.environment, is_once=True)).run() is code
    assert len(shop.files()) == len(keys)


def test_without_exports_no_request_is_sent(world: World) -> None:
    with world.ledger() as ledger:
        outbox = Outbox(world.environment(ledger))
        assert not outbox.turn(AtOnce())
    assert not (world.folder.root / "outbox").exists()
