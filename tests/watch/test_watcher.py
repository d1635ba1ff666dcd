"""Files in the inbox: which goes next, what hinders it, and what a dead watcher has left."""

import os
import signal
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import select

from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim, ClaimState
from feedtool.ledger.database import reading
from feedtool.ledger.lock import hold
from feedtool.ledger.tables import sellers
from feedtool.model.errors import Exit, Interrupted, NotAuthorised
from feedtool.runs.workspace import unfinished
from feedtool.service.auth import StaticToken
from feedtool.sheets.atomic_write import atomic_write
from feedtool.watch.folder import Folder
from feedtool.watch.processor import FileProcessor
from feedtool.watch.reporting import Turn
from feedtool.watch.session import ClaimWorkspace
from feedtool.watch.watcher import LONG_HELD
from tests.conftest import offer
from tests.ledger.cluster import PATIENCE
from tests.pairs import sample
from tests.watch.conftest import ADDRESS, DAY, SENT, World


def test_a_file_that_is_changed_while_others_are_sent_rests_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is written anew meanwhile, and another one is opened."""
    world.drop_each("a.csv", "b.csv", "c.csv")
    process = FileProcessor.process

    def meanwhile(self: FileProcessor, claim: Claim, *given: Any) -> Exit | None:
        if claim.source == "a.csv":
            world.drop("b.csv", offer(4))
            (world.folder.inbox / "~$c.csv").touch()
        return process(self, claim, *given)

    monkeypatch.setattr(FileProcessor, "process", meanwhile)
    assert world.watch() is Exit.OK
    assert world.sent() == ["SKU-1", "SKU-4"]
    assert world.messages_of("waiting") == [
        "inbox/c.csv stays: it is open in another program, as ~$c.csv beside it says"
    ]


def test_one_sellers_files_of_several_profiles_go_in_their_order(world: World) -> None:
    world.sellers = {"shop": "seller", "mall": "seller"}
    world.drop_each("shop/c.csv", "a.csv", "mall/b.csv", "shop/a.csv")
    assert world.watch() is Exit.OK
    assert world.sent() == [f"SKU-{n}" for n in range(1, 5)]
    assert [label for label, _ in world.told] == ["answered"] * 4


def test_a_profile_that_cannot_be_reached_stops_no_other_of_its_seller(world: World) -> None:
    world.sellers = {"shop": "seller"}
    world.closed = {"shop"}
    world.drop_each("shop/a.csv", "a.csv")
    assert world.watch() is Exit.USAGE
    assert {"inbox/shop/a.csv", f"{DAY}/a.csv"} < set(world.files())
    assert world.told[-1] == ("error", "profile shop: there is no token")


def test_a_subfolder_names_a_profile_and_a_kind(world: World) -> None:
    """The sellers go side by side."""
    world.meeting = Barrier(3)
    world.drop("shop/a.csv", offer(1))
    world.drop("mall/offers-upsert/a.csv", offer(1))
    assert world.send("offers-delete/a.csv", {"sellerExternalReference": "SKU-9"}) is Exit.ROWS
    sellers = {request.seller for request in world.applied() if request.outcome == "Integrated"}
    assert sellers >= {"shop", "mall"}
    assert "error" not in dict(world.told)
    found = world.files()
    for route in ("shop", "mall/offers-upsert", "offers-delete"):
        assert {f"{DAY}/{route}/a.csv", f"results/{route}/a.summary.json"} <= set(found)
    assert world.summary("offers-delete/a")["sheets"][0]["kind"] == "offers-delete"


def noted(world: World) -> tuple[object, ...]:
    """The ledger's record of the only seller: run, passes, failures, the last exit code."""
    names = ("run_id", "passes", "failures", "exit_code")
    with world.ledger() as ledger, reading(ledger.engine) as db:
        return tuple(db.execute(select(*(sellers.c[name] for name in names))).one())


def test_a_run_that_is_stopped_is_taken_up_again(world: World) -> None:
    """The end of each pass is told, and noted with its seller, unless it was stopped."""
    turns: list[Turn] = []
    world.on_turn = turns.append
    world.cut_short("a.csv", "b.csv")
    assert world.files() == ["inbox/b.csv", "processing/a.csv"]
    assert world.claimed() == ["a.csv"]
    assert [label for label, _ in world.told] == ["error"]
    ((profile, trouble),) = turns[-1].troubles
    assert (turns[0].waiting, profile, turns[-1].in_work) == (2, None, 1)
    assert isinstance(trouble, NotAuthorised)
    assert noted(world) == (1, 1, 1, 4)
    assert world.watch() is Exit.OK
    assert world.sent() == ["SKU-1", "SKU-2"]
    assert [world.summary(name)["run"] for name in "ab"] == ["1", "2"]
    assert world.claimed() == []
    assert turns[-1] == Turn(troubles=[])
    assert noted(world) == (2, 3, 0, None)
    world.stopped = Interrupted("stopped by SIGTERM")
    world.send("c.csv", offer(3))
    assert noted(world) == (2, 3, 0, None)


def test_a_killed_watcher_leaves_no_temporary_files(world: World) -> None:
    """It wrote the answer and the handover of a claimed file, and the reason of a bad one."""
    watched, claimed = world.folder, world.claim()
    world.drop("b.csv", content=b"x,y\n")
    places = [watched.answer_of(claimed, ".result.csv"), watched.handover_of(claimed)]
    places.append(watched.error / "b.csv.reason.txt")

    def killed_while_writing() -> None:
        with ExitStack() as stack:
            for place in places:
                stack.enter_context(atomic_write(place))
            os.kill(os.getpid(), signal.SIGKILL)

    watcher = get_context("fork").Process(target=killed_while_writing)
    watcher.start()
    watcher.join(PATIENCE)
    assert watcher.exitcode == -signal.SIGKILL
    assert len(list(watched.root.rglob(".feedtool-*.tmp"))) == len(places)
    assert world.watch() is Exit.FILE
    assert world.sent() == ["SKU-1"]
    assert list(watched.root.rglob(".*.tmp")) == []


def test_a_run_continues_from_another_working_directory(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.root)
    world.folder = Folder(Path("watched"))
    world.cut_short()
    monkeypatch.chdir(world.folder.root)
    world.folder = Folder(Path())
    assert world.watch() is Exit.OK
    assert world.files() == SENT


def test_answers_that_cannot_be_written_where_they_belong(world: World) -> None:
    world.cut_short()
    (world.folder.results / "a.result.csv").write_text("the user's own")
    assert world.watch() is Exit.OK
    assert f"{DAY}/a.csv" in world.files()
    assert world.summary("a")["sheets"][0]["annotated"] == "a.result.run-1.csv"


def test_a_run_that_cannot_go_on_does_not_stop_the_next_file(world: World) -> None:
    world.cut_short()
    world.drop("b.csv", offer(2))
    rmtree(world.root / "snapshots")
    (world.folder.processing / "a.csv").write_text("something else")
    assert world.watch() is Exit.FILE
    assert {"error/a.csv", f"{DAY}/b.csv"} < set(world.files())
    assert world.reason("a.csv")[-1] == "its run is 1: `feedtool status 1`"
    assert world.claimed() == []


def test_a_run_goes_on_where_neither_its_snapshots_nor_its_paths_are_known(world: World) -> None:
    world.cut_short()
    rmtree(world.root / "snapshots")
    moved = world.root / "mounted-elsewhere"
    world.folder.root.rename(moved)
    world.folder = Folder(moved)
    assert world.watch() is Exit.OK
    assert world.files() == SENT
    assert world.sent() == ["SKU-1"]
    with world.session(None) as session:
        assert unfinished(session.workspace) == []


def test_the_catalogue_excerpt_of_a_claim_is_handed_over(world: World) -> None:
    claimed = world.claim()
    handover = world.folder.handover_of(claimed)
    with world.session(None) as session:
        given = session.workspace
        workspace = ClaimWorkspace(given.ledger, given.snapshots, given.folder, handover)
        kept = workspace.keep_excerpt(b"{}")
    rmtree(world.root / "snapshots")
    with world.session(None) as session:
        assert session.workspace.snapshots.keep(handover) == kept
    assert world.watch() is Exit.OK
    assert not handover.exists()


def test_a_stop_before_the_run_leaves_no_claim(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_at(owner: type, name: str) -> None:
        step = getattr(owner, name)

        def stopped(*given: Any, **named: Any) -> Any:
            world.stopped = Interrupted("stopped by SIGTERM")
            return step(*given, **named)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, stopped)
            assert world.watch() is Exit.INTERRUPTED
        world.stopped = None

    world.drop("a.csv", offer(1))
    stop_at(Folder, "take_in")
    assert (world.files(), world.claimed()) == (["inbox/a.csv"], [])
    stop_at(Ledger, "start_run")
    assert (world.files(), world.claimed()) == (["processing/a.csv"], ["a.csv"])
    assert world.watch() is Exit.OK
    assert world.sent() == ["SKU-1"]


CHANGED = "changed since"
LEFT: list[tuple[str | None, ClaimState | str, list[str]]] = [
    ("inbox/a.csv", ClaimState.TAKEN, SENT),
    ("processing/a.csv", CHANGED, SENT),
    (None, ClaimState.TAKEN, []),
    ("processing/a.csv", ClaimState.ANSWERED, [f"{DAY}/a.csv"]),
    (f"{DAY}/a.csv", ClaimState.ANSWERED, [f"{DAY}/a.csv"]),
    ("processing/a.csv", ClaimState.REFUSED, ["error/a.csv"]),
    ("processing/a.csv", ClaimState.TAKEN, SENT),
    ("error/a.csv", ClaimState.REFUSED, ["error/a.csv"]),
]


@pytest.mark.parametrize(("place", "state", "found"), sample(LEFT, 6))
def test_a_file_that_was_claimed_and_has_no_run(
    world: World, place: str | None, state: ClaimState | str, found: list[str]
) -> None:
    taken = world.claim(place, is_same=state != CHANGED)
    with world.ledger() as ledger:
        if state in {ClaimState.ANSWERED, ClaimState.REFUSED}:
            ledger.claims.settle(taken.claim, ClaimState(state), found[0])
    assert world.watch() is (Exit.OK if found == SENT else Exit.NOTHING)
    assert world.files() == found
    assert len(world.applied()) == (found == SENT)
    assert world.claimed() == []


def test_files_claimed_for_another_account_are_left(world: World) -> None:
    world.claim("processing/a.csv", scope="another seller's")
    assert world.watch() is Exit.NOTHING
    assert world.files() == ["processing/a.csv"]
    ((label, text), _) = world.told
    assert (label, text[:11]) == ("error", "inbox/a.csv")


def test_deferred_files_without_a_run_go_back_to_the_inbox(world: World) -> None:
    world.claim("processing/a.csv")
    with world.session(None) as session:
        claims = session.workspace.ledger.claims.under_way(world.name)
        FileProcessor(world.environment(session.workspace.ledger)).defer(claims, session)
    assert world.files() == ["inbox/a.csv"]
    assert world.claimed() == []


def test_a_fault_of_the_account_is_no_fault_of_a_file(world: World) -> None:
    home = world.root / "snapshots"
    world.drop("a.csv", offer(1))
    for code in (Exit.USAGE, Exit.AUTH, Exit.INTERRUPTED):
        if code is Exit.USAGE:
            home.write_bytes(b"")  # no folder, so that nothing can be kept in it
        elif code is Exit.AUTH:
            world.token = StaticToken("wrong")
        else:
            world.stopped = Interrupted("stopped by SIGTERM")
        assert world.watch() is code
        assert world.files() == ["inbox/a.csv"]
        with world.ledger() as ledger:
            assert ledger.run_ids() == []
        world.token, world.stopped = StaticToken("sandbox"), None
        home.unlink() if home.is_file() else None
    assert world.watch() is Exit.OK
    assert world.summary("a")["run"] == "1"


LOOKS = 20
"""Looks of a watcher that take longer than a lock of another is held without a word."""


def test_while_another_sends_for_the_seller_the_others_go_on(world: World) -> None:
    """The lock is reported only once it is held for long."""
    world.drop("a.csv", offer(1))
    world.drop("shop/b.csv", offer(2))
    told: list[tuple[float, list[str]]] = []
    with ExitStack() as held, world.ledger() as ledger:
        lock = hold(ledger.engine, "seller", ADDRESS, command="submit", now=world.today)
        held.enter_context(lock)

        def release_when_the_other_is_done() -> None:
            told.append((world.time, world.messages_of("waiting")))
            if len(told) > LOOKS and f"{DAY}/shop/b.csv" in world.files():
                held.close()

        world.between = release_when_the_other_is_done
        assert world.watch() is Exit.OK
    assert {f"{DAY}/a.csv", f"{DAY}/shop/b.csv"} < set(world.files())
    assert told[0][0] < LONG_HELD
    assert [texts for time, texts in told if time < LONG_HELD and texts] == []
    (text,) = told[LOOKS][1]
    assert "is held for seller seller by process" in text
    assert world.messages_of("waiting") == [text]


def test_once_looks_again_however_long_the_first_look_takes(world: World) -> None:
    def take_long(_: Turn) -> None:
        world.time += 1000

    world.drop("a.csv", offer(1))
    world.on_turn = take_long
    assert world.watch() is Exit.OK
    assert f"{DAY}/a.csv" in world.files()
