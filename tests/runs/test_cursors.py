"""Exports of new items: each comes once, none is lost, with any fault."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest

from feedtool.feeds.export import ListPage
from feedtool.ledger import Ledger
from feedtool.ledger.cursors import CursorName, Cursors
from feedtool.model.errors import FeedtoolError, NothingToDo, UsageProblem
from feedtool.model.settings import AccountSettings, CursorSettings
from feedtool.report.file import Exported
from feedtool.runs import cursors
from feedtool.runs.cursors import CursorUse
from feedtool.runs.workspace import Session, Workspace
from tests.answers import BASE, no_sleep, query_of
from tests.changing import READY, START, Service, bring, export_of, items_in
from tests.ledger.empty import ledger_in_memory

NEW, CHANGED = CursorUse(), CursorUse("books", is_changed=True)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Shop:
    """A service, a ledger, and what exports have brought."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.service, self.ledger, self.folder = Service(), ledger, folder
        self.told: list[str] = []

    def change(self, *keys: str, state: str = READY, lag: timedelta = timedelta(0)) -> None:
        for key in keys:
            self.service.change(key, state, lag)
            self.service.now += timedelta(seconds=1)

    def export(self, use: CursorUse = NEW, **more: object) -> Exported:
        given: dict[str, object] = {"tell": lambda _, text: self.told.append(str(text)), **more}
        return bring(self.service, self.ledger, self.folder, use=use, **given)  # type: ignore[arg-type]

    def keys(self, use: CursorUse = NEW, **more: object) -> list[str]:
        """The keys of an export's items; an empty list without items."""
        with suppress(NothingToDo):
            return [key for key, _ in items_in(self.export(use, **more).file)]
        return []

    def rewind(self, when: timedelta) -> int | None:
        session = Session(self.service, "S1", BASE, "en", lambda: self.service.now, no_sleep)
        workspace = Workspace(self.ledger, mock.Mock(), self.folder)
        return cursors.rewind(export_of(3), NEW.name, START + when, session, workspace)

    @property
    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with ledger_in_memory() as ledger:
        shop = Shop(tmp_path, ledger)
        shop.change("A", "B")
        yield shop


def test_each_thing_comes_once(shop: Shop) -> None:
    assert shop.keys() == ["A", "B"]
    shop.change("C", "A")
    assert shop.keys() == ["C"]
    assert shop.keys() == []
    assert shop.files == ["default-1.csv", "default-2.csv"]


def test_each_version_comes_once(shop: Shop) -> None:
    assert shop.keys(CHANGED) == ["A", "B"]
    shop.change("C", "A")
    assert shop.keys(CHANGED) == ["C", "A"]
    assert shop.keys(CHANGED) == []


def test_each_cursor_has_all_for_itself(shop: Shop) -> None:
    assert shop.keys() == ["A", "B"]
    shop.change("C")
    assert shop.keys(CursorUse("warehouse")) == ["A", "B", "C"]
    assert shop.keys() == ["C"]


def test_an_item_comes_once_it_passes_the_filter(shop: Shop) -> None:
    shop.change("C", state="Waiting")
    assert shop.keys(state=(READY,)) == ["A", "B"]
    shop.change("C")
    assert shop.keys(state=(READY,)) == ["C"]


def test_an_item_changed_during_the_reading_comes_in_its_last_state(shop: Shop) -> None:
    shop.change("C")

    def meanwhile() -> None:
        if len(shop.service.calls) == 1:
            shop.service.change("A", "Waiting")

    shop.service.meanwhile = meanwhile
    assert shop.keys(state=(READY,)) == ["B", "C"]


def test_notes_about_the_cursor(shop: Shop) -> None:
    first = shop.export()
    assert first.increment == ("default", 1, 2, None)
    assert first.notes == [
        (
            "the cursor “default” is new: all since 2026-10-21 08:00 UTC",
            "--since goes back further",
            False,
        )
    ]
    shop.change("C")
    second = shop.export()
    assert (second.increment, second.notes) == (("default", 2, 1, None), [])
    with pytest.raises(NothingToDo, match="nothing is new for the cursor “default”") as caught:
        shop.export()
    assert caught.value.hint == "no file was written"


def test_a_cursor_does_not_move_without_items(shop: Shop) -> None:
    kind = export_of(3)
    (things,) = kind.listings(query_of(kind))
    nothing = NothingToDo("there are no reasons", "")
    reasons = things._replace(page=lambda _: lambda *_: ListPage(), nothing=lambda *_: nothing)
    with pytest.raises(NothingToDo, match="there are no reasons"):
        shop.export(kind=kind._replace(listings=lambda _: (reasons, things)))
    with pytest.raises(NothingToDo, match="nothing is new"):
        shop.export(state=("Sold",))
    states = Cursors(shop.ledger.engine).listed("things")
    assert [state.cursor.filters for state in states] == ["--new --state Sold"]


def test_a_look_does_not_move_the_cursor(shop: Shop) -> None:
    look = CursorUse(is_peek=True)
    assert shop.keys(look, name="look-1.csv") == ["A", "B"]
    assert shop.keys(look, name="look-2.csv") == ["A", "B"]
    assert shop.keys() == ["A", "B"]
    assert shop.keys(look, name="look-3.csv") == []


REFUSED: dict[str, tuple[Callable[[Shop], object], str]] = {
    "other filters": (lambda shop: shop.export(state=(READY,)), "is that of --new"),
    "another mode": (lambda shop: shop.export(CursorUse(is_changed=True)), "is that of --new"),
    "a begin": (lambda shop: shop.export(since=START), "has begun already"),
    "an end": (lambda shop: shop.export(until="now"), "--until does not go with a cursor"),
    "a file that is there": (lambda shop: shop.export(name="default-1.csv"), "exists already"),
}


@pytest.mark.parametrize(("ask", "why"), REFUSED.values(), ids=REFUSED)
def test_exports_that_would_lose_items_are_refused(
    shop: Shop, ask: Callable[[Shop], object], why: str
) -> None:
    shop.export()
    shop.change("C")
    with pytest.raises(UsageProblem, match=why):
        ask(shop)
    assert shop.files == ["default-1.csv"]
    assert shop.keys() == ["C"]


BOUND: dict[str, tuple[CursorUse, dict[str, object]]] = {
    "--new": (NEW, {"_as": "list", "state": (), "big": None}),
    "--changed --state Ready,Sent --big": (CHANGED, {"state": ("Sent", "Ready"), "big": True}),
}


@pytest.mark.parametrize("bound", BOUND)
def test_a_cursor_is_bound_to_its_filters(bound: str) -> None:
    use, filters = BOUND[bound]
    kind = export_of(3)
    assert cursors.filters_of(kind, query_of(kind, **filters), use) == bound  # type: ignore[arg-type]


def test_changes_that_are_shown_late_are_met_by_the_overlap(shop: Shop) -> None:
    shop.change("C", lag=timedelta(minutes=9))
    assert shop.keys() == ["A", "B"]
    shop.service.now += HOUR
    assert shop.keys() == ["C"]


def test_missed_items_come_the_next_day(shop: Shop) -> None:
    shop.change("C", "D", lag=2 * HOUR)
    assert shop.keys() == ["A", "B"]
    shop.service.now += HOUR
    assert shop.keys() == []
    shop.service.now += 2 * HOUR
    assert shop.keys() == []
    shop.service.now = START + DAY
    shop.change("E")
    found = shop.export()
    assert [key for key, _ in items_in(found.file)] == ["C", "D", "E"]
    assert found.increment == ("default", 2, 3, 2)
    assert found.notes == [("2 things were missing from earlier exports", "", False)]
    shop.change("F")
    shop.service.now += HOUR
    assert shop.export().increment == ("default", 3, 1, None)
    shop.service.now += DAY
    shop.change("G")
    assert shop.export().increment == ("default", 4, 1, 0)


def test_days_are_reconciled_only_as_far_as_the_cursor_begins(shop: Shop) -> None:
    shop.service.now += 2 * HOUR
    shop.change("C")
    assert shop.keys(since=START + HOUR) == ["C"]
    shop.service.now += DAY
    shop.change("D")
    assert shop.export().increment == ("default", 2, 1, 0)


def test_days_need_not_be_reconciled(shop: Shop) -> None:
    settings = AccountSettings().having(CursorSettings(reconcile_every=0))
    shop.export()
    shop.service.now += 3 * DAY
    shop.change("C")
    assert shop.export(settings=settings).increment == ("default", 2, 1, None)


def test_without_a_time_of_the_service_the_whole_list_is_read_again(shop: Shop) -> None:
    shop.service.has_date = False
    assert shop.keys() == ["A", "B"]
    shop.service.now += 3 * DAY
    shop.change("C")
    assert shop.keys() == ["C"]
    assert shop.service.calls[2]["since"] <= START.isoformat()


class Killed(BaseException):
    """The end of the process, at this point."""


def killed_at(shop: Shop, method: str) -> None:
    with mock.patch.object(Cursors, method, side_effect=Killed), pytest.raises(Killed):
        shop.export()


def test_killed_before_its_file_is_placed_all_comes_again(shop: Shop) -> None:
    with mock.patch.object(Path, "replace", side_effect=Killed), pytest.raises(Killed):
        shop.export()
    assert shop.files == []
    assert shop.keys() == ["A", "B"]
    assert shop.told == ["the export before was cut short: all that it had comes again"]


def test_a_kill_after_the_file_is_placed_repeats_no_item(shop: Shop) -> None:
    killed_at(shop, "settle")
    assert shop.files == ["default-1.csv"]
    shop.change("C")
    assert shop.keys() == ["C"]
    file = shop.folder / "default-1.csv"
    assert shop.told == [f"{file} of the export before is whole, and counts"]


def test_a_file_that_was_placed_and_changed_does_not_count(shop: Shop) -> None:
    killed_at(shop, "settle")
    (shop.folder / "default-1.csv").write_text("mine")
    assert shop.keys() == ["A", "B"]
    assert shop.files == ["default-1.csv", "default-2.csv"]


def test_a_look_settles_no_open_batch(shop: Shop) -> None:
    killed_at(shop, "settle")
    assert shop.keys(CursorUse(is_peek=True), name="look.csv") == ["A", "B"]
    assert shop.told == []
    assert shop.keys() == []


def test_a_cursor_goes_back(shop: Shop) -> None:
    assert shop.keys() == ["A", "B"]
    shop.service.now += HOUR
    shop.change("C")
    assert shop.keys() == ["C"]
    assert shop.rewind(HOUR) == 1
    assert shop.keys() == ["C"]
    assert shop.rewind(timedelta(0)) == 3
    assert shop.keys() == ["A", "B", "C"]
    assert shop.rewind(DAY) == 0
    assert shop.keys() == []


def test_a_cursor_that_was_never_used_cannot_go_back(shop: Shop) -> None:
    assert shop.rewind(HOUR) is None


def test_a_cursor_has_one_user_at_a_time(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        shop = Shop(tmp_path, ledger)
        shop.change("A")

        def meanwhile() -> None:
            shop.service.meanwhile = lambda: None
            with pytest.raises(UsageProblem, match="cursor “default” is in use by process") as held:
                shop.export()
            assert "another --cursor" in held.value.hint
            assert shop.keys(CursorUse("other")) == ["A"]

        shop.service.meanwhile = meanwhile
        assert shop.keys(name="first.csv") == ["A"]


def test_a_file_never_replaces_one_that_came_meanwhile(shop: Shop) -> None:
    place = shop.folder / "default-1.csv"

    def meanwhile() -> None:
        place.write_text("mine")

    shop.service.meanwhile = meanwhile
    with pytest.raises(UsageProblem, match="exists already"):
        shop.export()
    shop.service.meanwhile = lambda: None
    assert place.read_text() == "mine"
    assert shop.keys(name="again.csv") == ["A", "B"]


def test_the_state_of_cursors(shop: Shop) -> None:
    shop.export()
    with suppress(FeedtoolError):
        shop.export()
    shop.export(CHANGED)
    shop.change("A")
    shop.export(CHANGED)
    states = Cursors(shop.ledger.engine).listed("things")
    assert [(state.cursor.name, state.batches, state.things) for state in states] == [
        ("books", 2, 2),
        ("default", 1, 2),
    ]
    assert states[0].cursor.filters == "--changed"
    assert Cursors(shop.ledger.engine).find(CursorName(BASE, "S2", "things", "books")) is None
