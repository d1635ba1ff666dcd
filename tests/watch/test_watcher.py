"""Files in the inbox, and where they and their answers are afterwards."""

import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from io import BytesIO
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from threading import Barrier
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim, ClaimState
from feedtool.ledger.lock import hold
from feedtool.model.errors import Exit, Interrupted, UsageProblem
from feedtool.runs.workspace import unfinished
from feedtool.service.auth import StaticToken
from feedtool.sheets.atomic_write import atomic_write
from feedtool.watch import folder
from feedtool.watch.folder import Folder
from feedtool.watch.messages import Turn
from feedtool.watch.processor import FileProcessor
from feedtool.watch.session import ClaimWorkspace
from feedtool.watch.watcher import LONG_HELD
from tests.conftest import offer, table
from tests.watch.conftest import ADDRESS, PATIENCE, World

DAY = "done/2026-03-02"


def test_a_file_is_answered_and_filed_away(world: World) -> None:
    assert world.send("a.csv", offer(1), offer(2, quantity="-1")) is Exit.ROWS
    answers = ["results/a.failed.xlsx", "results/a.result.csv", "results/a.summary.json"]
    assert world.files() == [f"{DAY}/a.csv", *answers]
    told = world.summary("a")
    assert (told["file"], told["run"], told["exitCode"]) == ("a.csv", "1", 1)
    (sheet,) = told["sheets"]
    assert (sheet["rows"], sheet["valid"], sheet["invalid"]) == (2, 1, 1)
    assert sheet["statuses"] == {"Invalid": 1, "Integrated": 1}
    assert (sheet["annotated"], sheet["failed"]) == ("a.result.csv", "a.failed.xlsx")
    assert world.claimed() == []
    assert world.watch() is Exit.NOTHING


def correct(path: Path, **values: str) -> bytes:
    """The workbook with these in its rows, by their keys."""
    book, content = load_workbook(path), BytesIO()
    sheet = book["Offers"]
    keys = [str(cell.value) for cell in sheet[2]]
    for row in sheet.iter_rows(min_row=3):
        for name, value in values.items():
            row[keys.index(name)].value = value
    book.save(content)
    return content.getvalue()


def test_the_failed_rows_are_dropped_again_as_they_were_corrected(world: World) -> None:
    assert (
        world.send("a.csv", offer(1), offer(2, quantity="-1"), offer(3, quantity="-1")) is Exit.ROWS
    )
    failed = world.folder.results / "a.failed.xlsx"
    assert world.send("a.failed.xlsx", content=correct(failed, quantity="x")) is Exit.ROWS
    again = world.folder.results / "a.failed-2.xlsx"
    assert world.summary("a.failed")["sheets"][0]["failed"] == again.name
    assert world.send("a.failed.xlsx", content=correct(again, quantity="5")) is Exit.OK
    assert world.sent() == ["SKU-1", "SKU-2", "SKU-3"]


def test_rows_that_somebody_corrects_already_are_left_alone(world: World) -> None:
    assert world.send("a.csv", offer(1, quantity="-1")) is Exit.ROWS
    failed = world.folder.results / "a.failed.xlsx"
    corrected = correct(failed, quantity="5")
    failed.write_bytes(corrected)
    with world.ledger() as ledger:  # as if it had crashed before it was noted
        ledger.claims.settle(1, ClaimState.TAKEN, "")
    assert world.watch() is Exit.ROWS
    assert failed.read_bytes() == corrected
    (warning,) = world.told_as("warning")
    assert "it may hold corrections" in warning


def test_what_a_crash_has_left_of_the_failed_rows_is_replaced(world: World) -> None:
    world.claim(quantity="-1")
    failed = world.folder.results / "a.failed.xlsx"
    failed.write_bytes(b"half of it")
    assert world.watch() is Exit.ROWS
    assert load_workbook(failed).sheetnames


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


NOT_UTF8 = os.fsdecode(b"caf\xe9")
SOME = table([offer(1)]).encode()
BAD: dict[str, tuple[str, bytes, str, str]] = {
    "no header": ("a.xlsx", b"x,y\n1,2\n", "a.xlsx", ""),
    "empty": ("a.xlsx", b"", "a.xlsx", ""),
    "cut": ("a.xlsx", b"PK\x03\x04 and no more", "a.xlsx", ""),
    "not UTF-8": (f"{NOT_UTF8}.csv", SOME, f"{NOT_UTF8}.csv", "not UTF-8"),
    "no room for the answers": (f"{'x' * 243}.csv", SOME, f"{'x' * 235}.csv", "too long"),
    "more bytes than letters": (f"{'é' * 125}.csv", SOME, f"{'é' * 117}.csv", "too long"),
    "all of it an ending": (f"x.{'y' * 250}", SOME, f"x.{'y' * 237}", "too long"),
    "nobody's folder": ("nobody/a.csv", SOME, "nobody/a.csv", "“nobody” is no profile and no kind"),
    "one that is not UTF-8": (f"{NOT_UTF8}/a.csv", SOME, f"{NOT_UTF8}/a.csv", "is no profile"),
    "long, in it": (f"no/{'x' * 251}.csv", SOME, f"no/{'x' * 235}.csv", "is no profile"),
}


@pytest.mark.parametrize(("name", "content", "kept", "reason"), BAD.values(), ids=BAD)
def test_a_bad_file_goes_to_error_and_never_stops_the_next(
    world: World, name: str, content: bytes, kept: str, reason: str
) -> None:
    world.drop(name, content=content)
    assert world.send("b.csv", offer(2)) is Exit.FILE
    answered = [f"{DAY}/b.csv", "results/b.result.csv", "results/b.summary.json"]
    assert world.files() == sorted([f"error/{kept}", f"error/{kept}.reason.txt", *answered])
    assert reason in world.reason(kept)[0]
    assert world.sent() == ["SKU-2"]
    assert world.claimed() == []


@pytest.mark.parametrize("name", ["two\nlines", "bell\x07\x1b[31m", "x" * 242])
def test_a_name_that_can_be_used(world: World, name: str) -> None:
    assert world.send(f"{name}.csv", offer(1)) is Exit.OK
    answers = [f"results/{name}.result.csv", f"results/{name}.summary.json"]
    assert world.files() == [f"{DAY}/{name}.csv", *answers]
    world.drop(f"{name}.csv", offer(2))
    came_to = Exit.FILE if len(name) > 200 else Exit.OK  # where a day does not fit behind it
    assert world.watch() is came_to


@pytest.mark.parametrize("route", ["", "shop/"])
def test_a_file_of_an_unclear_kind_is_told_its_folder(world: World, route: str) -> None:
    world.sellers = {"shop": "seller-1"}
    assert world.send(f"{route}a.csv", offer(1, taxes__VAT=None)) is Exit.FILE
    why, way = world.reason(f"{route}a.csv")
    assert "need the column taxes.VAT" in why
    assert f"drop it into inbox/{route}offers-update/" in way
    assert "--as" not in way
    world.send(f"{route}offers-update/a.csv", offer(1, taxes__VAT=None))
    assert world.summary(f"{route}offers-update/a")["sheets"][0]["kind"] == "offers-update"


def test_a_bad_file_may_come_again(world: World) -> None:
    for _ in range(2):
        assert world.send("a.csv", content=b"x,y\n") is Exit.FILE
    bad = [place for place in world.files() if not place.endswith(".txt")]
    assert bad == ["error/a-2.csv", "error/a.csv"]


def test_a_bug_is_told_and_the_next_file_is_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer_of(folder: Folder, claim: Claim, ending: str) -> Path:
        if claim.name == "a":
            raise ValueError(claim)
        return folder.results / f"{claim.name}{ending}"

    monkeypatch.setattr(Folder, "answer_of", answer_of)
    world.drop_each("a.csv", "b.csv")
    assert world.watch() is Exit.BUG
    assert world.reason("a.csv") == [
        "This is a bug in feedtool: ValueError.",
        "Please report it with the contents of report of ValueError",
    ]
    assert f"{DAY}/b.csv" in world.files()


# The same content, and the same name.


@pytest.mark.parametrize(
    ("days", "within", "is_sent"), [(0, 7, False), (7, 7, False), (8, 7, True), (0, 0, True)]
)
def test_the_same_content_again(world: World, days: int, within: int, *, is_sent: bool) -> None:
    assert world.send("a.csv", offer(1)) is Exit.OK
    world.today += timedelta(days=days, seconds=1)
    world.same_within = timedelta(days=within, seconds=2 if within else 0)
    assert world.send("b.csv", offer(1)) is (Exit.OK if is_sent else Exit.ROWS)
    assert len(world.applied()) == 1 + is_sent
    if not is_sent:
        first, second = world.reason("b.csv")
        assert "was sent as a.csv on 2026-03-02" in first
        assert "run 1" in first
        assert "feedtool results 1" in second


@pytest.mark.parametrize(("names", "is_sent"), [("aaa", True), ("aba", False), ("abc", False)])
def test_what_was_so_once_may_be_so_again(world: World, names: str, *, is_sent: bool) -> None:
    """A stock of ten, then of nine, then of ten, each in a file of this name."""
    for name, quantity in zip(names, ("10", "9", "10"), strict=True):
        world.send(f"{name}.csv", offer(1, quantity=quantity))
        world.today += timedelta(hours=1)
    assert len(world.applied()) == 2 + is_sent


def test_of_two_alike_the_older_is_sent(world: World) -> None:
    world.drop("b.csv", offer(1))
    assert world.send("a.csv", offer(1)) is Exit.ROWS
    assert {f"{DAY}/b.csv", "error/a.csv"} < set(world.files())
    for kind in ("offers-update", "offers-delete"):  # as another kind it is another
        world.send(f"{kind}/a.csv", {"sellerExternalReference": "SKU-1", "quantity": "3"})
    assert not [place for place in world.files() if place.startswith("error/offers-")]


def test_answers_of_one_name_never_overwrite_each_other(world: World) -> None:
    for number in range(1, 4):
        world.send("a.csv", offer(number))
    world.today += timedelta(days=1)
    world.drop("a.csv", offer(9))
    assert world.send("a.txt", offer(10)) is Exit.OK
    names = ("a", "a.2026-03-02", "a.2026-03-02-2", "a.2026-03-03", "a.2026-03-03-2")
    assert [world.summary(name)["run"] for name in names] == ["1", "2", "3", "4", "5"]
    assert len([place for place in world.files() if ".result." in place]) == 5
    assert "done/2026-03-03/a.2026-03-03-2.txt" in world.files()


# Left by a watcher that is gone.


def test_a_run_that_is_stopped_is_taken_up_again(world: World) -> None:
    world.cut_short("a.csv", "b.csv")
    assert world.files() == ["inbox/b.csv", "processing/a.csv"]
    assert world.claimed() == ["a.csv"]
    assert [label for label, _ in world.told] == ["error"]
    assert world.watch() is Exit.OK
    assert world.sent() == ["SKU-1", "SKU-2"]
    assert [world.summary(name)["run"] for name in "ab"] == ["1", "2"]
    assert world.claimed() == []


def killed_while_writing(places: list[Path]) -> None:
    with ExitStack() as stack:
        for place in places:
            stack.enter_context(atomic_write(place))
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("is_claimed", [True, False])
def test_a_killed_watcher_leaves_no_temporary_files(world: World, *, is_claimed: bool) -> None:
    watched = world.folder
    if is_claimed:
        claimed = world.claim()
        places = [watched.answer_of(claimed, ".result.csv"), watched.lent_of(claimed)]
    else:
        world.drop("a.csv", content=b"x,y\n")
        places = [watched.error / "a.csv.reason.txt"]
    watcher = get_context("fork").Process(target=killed_while_writing, args=(places,))
    watcher.start()
    watcher.join(PATIENCE)
    assert watcher.exitcode == -signal.SIGKILL
    assert len(list(watched.root.rglob(".feedtool-*.tmp"))) == len(places)
    assert world.watch() is (Exit.OK if is_claimed else Exit.FILE)
    assert list(watched.root.rglob(".*.tmp")) == []


def test_whoever_goes_on_may_stand_elsewhere(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert world.reason("a.csv")[-1] == "Its run is 1: feedtool status 1"
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


def test_what_products_were_judged_by_is_lent_to_whoever_goes_on(world: World) -> None:
    claimed = world.claim()
    lent = world.folder.lent_of(claimed)
    with world.session(None) as session:
        given = session.workspace
        workspace = ClaimWorkspace(given.ledger, given.snapshots, given.folder, lent)
        kept = workspace.keep_excerpt(b"{}")
    rmtree(world.root / "snapshots")
    with world.session(None) as session:
        assert session.workspace.snapshots.keep(lent) == kept
    assert world.watch() is Exit.OK
    assert not lent.exists()


@pytest.mark.parametrize("state", ["taken", "begun"])
def test_what_stops_it_before_anything_is_begun_leaves_nothing_claimed(
    world: World, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    world.drop("a.csv", offer(1))

    def stops_after(step: Callable[..., Any]) -> Callable[..., Any]:
        def stopped(*given: Any, **named: Any) -> Any:
            world.stopped = Interrupted("stopped by SIGTERM")
            return step(*given, **named)

        return stopped

    with monkeypatch.context() as patch:
        owner, step = (Folder, "take_in") if state == "taken" else (Ledger, "start_run")
        patch.setattr(owner, step, stops_after(getattr(owner, step)))
        assert world.watch() is Exit.INTERRUPTED
    is_begun = state == "begun"
    assert world.files() == ["processing/a.csv" if is_begun else "inbox/a.csv"]
    assert world.claimed() == (["a.csv"] if is_begun else [])
    world.stopped = None
    assert world.watch() is Exit.OK
    assert world.sent() == ["SKU-1"]


SENT = [f"{DAY}/a.csv", "results/a.result.csv", "results/a.summary.json"]


CHANGED = "changed since"
LEFT: list[tuple[str | None, ClaimState | str, list[str]]] = [
    ("inbox/a.csv", ClaimState.TAKEN, SENT),
    ("processing/a.csv", ClaimState.TAKEN, SENT),
    ("processing/a.csv", CHANGED, SENT),
    (None, ClaimState.TAKEN, []),
    ("processing/a.csv", ClaimState.ANSWERED, [f"{DAY}/a.csv"]),
    (f"{DAY}/a.csv", ClaimState.ANSWERED, [f"{DAY}/a.csv"]),
    ("processing/a.csv", ClaimState.REFUSED, ["error/a.csv"]),
    ("error/a.csv", ClaimState.REFUSED, ["error/a.csv"]),
]


@pytest.mark.parametrize(("place", "state", "found"), LEFT)
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


def test_what_was_taken_for_another_account_is_left_to_it(world: World) -> None:
    world.claim("processing/a.csv", scope="another seller's")
    assert world.watch() is Exit.NOTHING
    assert world.files() == ["processing/a.csv"]
    ((label, text), _) = world.told
    assert (label, text[:11]) == ("error", "inbox/a.csv")


def test_what_was_not_begun_goes_back_when_it_is_parked(world: World) -> None:
    world.claim("processing/a.csv")
    with world.session(None) as session:
        claims = session.workspace.ledger.claims.under_way(world.name)
        FileProcessor(world.environment(session.workspace.ledger)).defer(claims, session)
    assert world.files() == ["inbox/a.csv"]
    assert world.claimed() == []


HINDRANCES = {"a wrong token": Exit.AUTH, "a full home": Exit.USAGE, "SIGTERM": Exit.INTERRUPTED}


@pytest.mark.parametrize(("what", "code"), HINDRANCES.items())
def test_what_hinders_all_is_no_fault_of_a_file(world: World, what: str, code: Exit) -> None:
    world.drop("a.csv", offer(1))
    snapshots = world.root / "snapshots"
    if what == "a full home":
        snapshots.write_bytes(b"")  # no folder, so that nothing can be kept in it
    world.token = StaticToken("wrong" if what == "a wrong token" else "sandbox")
    world.stopped = Interrupted("stopped by SIGTERM") if what == "SIGTERM" else None
    assert world.watch() is code
    assert world.files() == ["inbox/a.csv"]
    with world.ledger() as ledger:
        assert ledger.runs() == []
    world.token, world.stopped = StaticToken("sandbox"), None
    snapshots.unlink() if snapshots.is_file() else None
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
    told = world.told_as("waiting")
    assert len(told) == (waits > LONG_HELD)
    assert all("is held for seller seller by process" in text for text in told)


@pytest.mark.parametrize(
    ("part", "stays", "sent"),
    [("done", "processing", ["SKU-1", "SKU-2"]), ("processing", "inbox", [])],
)
def test_what_cannot_be_moved_waits_and_stops_no_other(
    world: World, part: str, stays: str, sent: list[str]
) -> None:
    world.drop_each("a.csv", "b.csv")
    place = world.folder.root / part
    place.rmdir()
    place.write_text("in its way")
    world.watch()
    assert world.sent() == sent
    assert {f"{stays}/a.csv", f"{stays}/b.csv"} < set(world.files())
    waiting = world.told_as("waiting")
    assert len(waiting) == 2
    assert all("cannot be made" in text for text in waiting)
    place.unlink()
    assert world.watch() is (Exit.NOTHING if sent else Exit.OK)
    assert {f"{DAY}/a.csv", f"{DAY}/b.csv"} < set(world.files())
    assert world.sent() == ["SKU-1", "SKU-2"]
    assert world.claimed() == []


@pytest.mark.parametrize("way", ["the file's", "its reason's"])
def test_a_file_that_cannot_be_refused_stays_and_stops_no_other(world: World, way: str) -> None:
    world.drop("nobody/a.csv", offer(1))
    world.drop("b.csv", offer(2))
    if way == "the file's":
        (world.folder.error / "nobody").write_text("in its way")
    else:
        (world.folder.error / "nobody" / "a.csv.reason.txt").mkdir(parents=True)
    assert world.watch() is Exit.OK
    assert {"inbox/nobody/a.csv", f"{DAY}/b.csv"} < set(world.files())
    assert [label for label, _ in world.told] == ["error", "answered"]


# The folder.


def test_a_marker_goes_with_its_file(world: World) -> None:
    for name in ("a.csv", "b.csv"):  # the second is refused, since its content was sent before
        world.drop(name, offer(1))
        world.send(f"{name}.done", content=b"")
    assert world.files() == [SENT[0], "error/b.csv", "error/b.csv.reason.txt", *SENT[1:]]


def test_links_and_what_is_no_input_stay(world: World) -> None:
    place = world.root / "a.csv"
    place.write_text(table([offer(1)]))
    (world.folder.inbox / "link.csv").symlink_to(place)
    world.drop("a.csv.part", offer(2))
    world.drop("~$offers.xlsx", content=b"\x03Ana")  # its workbook has gone
    assert world.watch() is Exit.NOTHING
    assert world.files() == ["inbox/a.csv.part", "inbox/link.csv", "inbox/~$offers.xlsx"]


def test_a_folder_has_one_name(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Folder(world.folder.root).prepare() == world.name
    other = Folder(world.root / "other")
    assert other.create()
    assert other.prepare() != world.name
    assert not other.create()
    monkeypatch.setattr(folder, "TRIES", 3)
    (world.folder.root / ".feedtool-folder").write_text("")
    with pytest.raises(UsageProblem, match="does not hold the folder's name"):
        world.folder.prepare()


NO_FOLDERS = [
    ("mistyped", Folder.prepare, "is no watched folder: there is no "),
    ("there", Folder.prepare, "is no watched folder: there is no "),
    ("file", Folder.create, "cannot be watched: "),
    ("mistyped/feeds", Folder.create, "cannot be made: there is no "),
]


@pytest.mark.parametrize(("place", "step", "message"), NO_FOLDERS)
def test_what_is_no_folder_does_not_become_one(
    tmp_path: Path, place: str, step: Callable[[Folder], object], message: str
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("a file")
    with pytest.raises(UsageProblem, match=message):
        step(Folder(tmp_path / place))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "there"]


def test_an_inbox_that_is_gone(world: World) -> None:
    world.folder.inbox.rmdir()
    with pytest.raises(UsageProblem, match="cannot be read"):
        world.watch()


def test_once_looks_again_however_long_the_first_look_takes(world: World) -> None:
    def take_long(_: Turn) -> None:
        world.time += 1000

    world.drop("a.csv", offer(1))
    world.on_turn = take_long
    assert world.watch() is Exit.OK
    assert f"{DAY}/a.csv" in world.files()
