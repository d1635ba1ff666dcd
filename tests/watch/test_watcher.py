"""Files in the inbox: which goes next, what hinders it, and what a dead watcher has left."""

import os
import signal
from contextlib import ExitStack
from itertools import count
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
from feedtool.model.errors import Exit, Interrupted
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


@pytest.mark.parametrize("change", ["written", "opened"])
def test_a_file_that_is_changed_while_others_are_sent_rests_again(
    world: World, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    world.drop("a.csv", offer(1))
    b = world.drop("b.csv", offer(2))
    process = FileProcessor.process

    def meanwhile(self: FileProcessor, claim: Claim, *given: Any) -> Exit | None:
        if claim.source == "a.csv" and change == "written":
            world.drop("b.csv", offer(3))
        elif claim.source == "a.csv":
            b.with_name("~$b.csv").touch()
        return process(self, claim, *given)

    monkeypatch.setattr(FileProcessor, "process", meanwhile)
    assert world.watch() is Exit.OK
    assert world.sent() == (["SKU-1", "SKU-3"] if change == "written" else ["SKU-1"])
    left = "inbox/b.csv stays: it is open in another program, as ~$b.csv beside it says"
    assert (("waiting", left) in world.told) is (change == "opened")


def test_one_sellers_files_of_several_profiles_go_in_their_order(world: World) -> None:
    world.sellers = {"shop": "seller", "mall": "seller"}
    world.drop_each("shop/c.csv", "a.csv", "mall/b.csv", "shop/a.csv")
    assert world.watch() is Exit.OK
    assert world.sent() == [f"SKU-{n}" for n in range(1, 5)]
    assert [label for label, _ in world.told] == ["answered"] * 4


def test_several_sellers_go_side_by_side(world: World) -> None:
    world.meeting = Barrier(3)
    world.drop_each("a.csv", "shop/a.csv", "mall/a.csv")
    assert world.watch() is Exit.OK
    assert set(world.sent()) == {"SKU-1", "SKU-2", "SKU-3"}


def test_a_profile_that_cannot_be_reached_stops_no_other_of_its_seller(world: World) -> None:
    world.sellers = {"shop": "seller"}
    world.closed = {"shop"}
    world.drop_each("shop/a.csv", "a.csv")
    assert world.watch() is Exit.USAGE
    assert {"inbox/shop/a.csv", f"{DAY}/a.csv"} < set(world.files())
    assert world.told[-1] == ("error", "profile shop: there is no token")


def test_a_subfolder_names_a_profile_and_a_kind(world: World) -> None:
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


def test_a_run_that_is_stopped_is_taken_up_again(world: World) -> None:
    world.cut_short("a.csv", "b.csv")
    assert world.files() == ["inbox/b.csv", "processing/a.csv"]
    assert world.claimed() == ["a.csv"]
    assert [label for label, _ in world.told] == ["error"]
    assert world.watch() is Exit.OK
    assert world.sent() == ["SKU-1", "SKU-2"]
    assert [world.summary(name)["run"] for name in "ab"] == ["1", "2"]
    assert world.claimed() == []


def noted(world: World) -> tuple[object, ...]:
    """The ledger's record of the only seller: run, passes, failures, the last exit code."""
    names = ("run_id", "passes", "failures", "exit_code")
    with world.ledger() as ledger, reading(ledger.engine) as db:
        return tuple(db.execute(select(*(sellers.c[name] for name in names))).one())


def test_the_end_of_each_pass_is_noted_with_its_seller(world: World) -> None:
    world.cut_short()
    assert noted(world) == (1, 1, 1, 4)
    assert world.watch() is Exit.OK
    assert noted(world) == (1, 2, 0, None)
    world.stopped = Interrupted("stopped by SIGTERM")
    world.send("b.csv", offer(2))
    assert noted(world) == (1, 2, 0, None)


@pytest.mark.parametrize("is_claimed", [True, False])
def test_a_killed_watcher_leaves_no_temporary_files(world: World, *, is_claimed: bool) -> None:
    watched = world.folder
    if is_claimed:
        claimed = world.claim()
        places = [watched.answer_of(claimed, ".result.csv"), watched.handover_of(claimed)]
    else:
        world.drop("a.csv", content=b"x,y\n")
        places = [watched.error / "a.csv.reason.txt"]

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
    assert world.watch() is (Exit.OK if is_claimed else Exit.FILE)
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


@pytest.mark.parametrize("state", ["taken", "begun"])
def test_a_stop_before_the_run_leaves_no_claim(
    world: World, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    is_begun = state == "begun"
    owner, name = (Ledger, "start_run") if is_begun else (Folder, "take_in")
    step = getattr(owner, name)

    def stopped(*given: Any, **named: Any) -> Any:
        world.stopped = Interrupted("stopped by SIGTERM")
        return step(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, stopped)
        assert world.send("a.csv", offer(1)) is Exit.INTERRUPTED
    assert world.files() == ["processing/a.csv" if is_begun else "inbox/a.csv"]
    assert world.claimed() == (["a.csv"] if is_begun else [])
    world.stopped = None
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


@pytest.mark.parametrize("code", [Exit.AUTH, Exit.USAGE, Exit.INTERRUPTED])
def test_a_fault_of_the_account_is_no_fault_of_a_file(world: World, code: Exit) -> None:
    home = world.root / "snapshots"
    if code is Exit.AUTH:
        world.token = StaticToken("wrong")
    elif code is Exit.USAGE:
        home.write_bytes(b"")  # no folder, so that nothing can be kept in it
    else:
        world.stopped = Interrupted("stopped by SIGTERM")
    assert world.send("a.csv", offer(1)) is code
    assert world.files() == ["inbox/a.csv"]
    with world.ledger() as ledger:
        assert ledger.run_ids() == []
    world.token, world.stopped = StaticToken("sandbox"), None
    home.unlink() if home.is_file() else None
    assert world.watch() is Exit.OK
    assert world.summary("a")["run"] == "1"


@pytest.mark.parametrize("waits", [0, 20])
def test_while_another_sends_for_the_seller_the_others_go_on(world: World, waits: int) -> None:
    world.drop("a.csv", offer(1))
    world.drop("shop/b.csv", offer(2))
    looks = count()
    with ExitStack() as held, world.ledger() as ledger:
        lock = hold(ledger.engine, "seller", ADDRESS, command="submit", now=world.today)
        held.enter_context(lock)

        def release_when_the_other_is_done() -> None:
            if next(looks) >= waits and f"{DAY}/shop/b.csv" in world.files():
                held.close()

        world.between = release_when_the_other_is_done
        assert world.watch() is Exit.OK
    assert {f"{DAY}/a.csv", f"{DAY}/shop/b.csv"} < set(world.files())
    told = world.messages_of("waiting")
    assert len(told) == (waits > LONG_HELD)
    assert all("is held for seller seller by process" in text for text in told)


def test_once_looks_again_however_long_the_first_look_takes(world: World) -> None:
    def take_long(_: Turn) -> None:
        world.time += 1000

    world.drop("a.csv", offer(1))
    world.on_turn = take_long
    assert world.watch() is Exit.OK
    assert f"{DAY}/a.csv" in world.files()
