"""Full disks, places that take nothing, files that change: no answer is ever lost."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest

from tests.resume.proxy import NONE, Plan
from tests.resume.world import World, workbook

KIB = 1024
NAME = "offers.result.xlsx"
SPARE = "offers.result.run-1.xlsx"


@pytest.mark.parametrize("limit", [1, 4, 7, 8, 16, 32, 64, 96, 128, 160, 192, 256, 320])
def test_a_full_disk_loses_nothing(world_of: Callable[..., World], limit: int) -> None:
    """As files may grow, it is the snapshot, the ledger or the copy that finds it full."""
    world = world_of(f"full {limit}")
    full = world.run(*world.SUBMIT, limit=limit * KIB)
    assert full.code in (1, 2, 5), full
    if full.code != 1:
        assert "error: " in full.err or "not written" in full.out + full.err, full
        assert any(word in full.err.lower() for word in ("full", "too large", "written")), full.err
        assert world.go_on()[-1].code in (1, 9)
    world.check(NAME)


def padded(world: World, size: int) -> None:
    """The workbook with so much in it that its snapshot or its copy is the largest file."""
    with ZipFile(world.folder / "offers.xlsx", "a", ZIP_STORED) as package:
        package.writestr("customXml/padding.bin", os.urandom(size))


def test_no_room_for_the_snapshot(world_of: Callable[..., World]) -> None:
    world = world_of("snapshot")
    padded(world, 600 * KIB)
    full = world.run(*world.SUBMIT, limit=500 * KIB)
    assert full.code == 2
    assert "No snapshot of " in full.err
    assert "the disk is full" in full.err
    assert not world.applied()
    assert world.go_on()[-1].code == 1
    world.check()


def test_no_room_for_the_copy(world_of: Callable[..., World]) -> None:
    world = world_of("copy")
    # More than the ledger's log of writes ever grows to, which may not be what finds it full.
    padded(world, 6000 * KIB)
    # The snapshot is there already.
    assert world.submit(kill="after keep").code == -9
    full = world.run(*world.SUBMIT, limit=6002 * KIB)
    assert full.code == 2, full
    assert NAME in full.out + full.err
    assert not (world.folder / NAME).exists()
    assert not [path for path in world.folder.iterdir() if path.name.endswith(".tmp")]
    again = world.run("results", "1")
    assert again.code == 1, again
    world.check()


def test_no_account_is_asked_where_only_the_copy_is_missing(world_of: Callable[..., World]) -> None:
    world = world_of("no account")
    assert world.submit().code == 1
    # As a kill leaves it that comes between the last answer and the copy.
    (world.folder / NAME).unlink()
    with sqlite3.connect(world.folder / "home" / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE outputs SET sha256 = ''")
    ledger.close()
    (world.folder / "feedtool.toml").unlink()
    again = world.run("resume")
    assert again.code == 1, again
    world.check()


PLACES: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "somebody else's": lambda place: workbook(place, 3, "OTHER"),
    "a pipe": os.mkfifo,
    "a lost folder": lambda place: place.symlink_to(place.parent / "nowhere" / "offers.xlsx"),
}


@pytest.mark.parametrize("place", [place for place in PLACES if place != "a lost folder"])
def test_a_place_that_is_taken_before_is_told_before(
    world_of: Callable[..., World], place: str
) -> None:
    world = world_of("taken")
    PLACES[place](world.folder / NAME)
    ran = world.run(*world.SUBMIT)
    assert ran.code == 2, ran
    assert NAME in ran.err
    assert not world.applied()


@pytest.mark.parametrize("take", PLACES.values(), ids=PLACES)
def test_a_place_that_is_taken_meanwhile_is_replaced_by_one_that_is_told(
    world_of: Callable[..., World], take: Callable[[Path], object]
) -> None:
    world = world_of("taken")
    taken = world.folder / NAME

    def meanwhile(method: str, _path: str) -> None:
        if method == "PATCH" and not os.path.lexists(taken):
            take(taken)

    world.served.proxy.plan.wait = meanwhile
    ran = world.run(*world.SUBMIT)
    assert ran.code == 1, ran
    assert f"The annotated copy is {SPARE} instead" in ran.err, ran.err
    assert "earlier run" not in ran.err
    world.check(SPARE)
    world.meet("after", Plan(faults=NONE))
    shutil.rmtree(taken) if taken.is_dir() else taken.unlink()
    assert world.run("results", "1").code == 1
    world.check()


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Makes a folder that takes nothing, not even of its owner, and of root if need be."""
    found: list[Path] = []

    def seal(folder: Path) -> None:
        found.append(folder)
        folder.chmod(0o500)
        chattr = shutil.which("chattr")
        if os.access(folder, os.W_OK) and chattr:
            subprocess.run([chattr, "+i", folder], check=False, capture_output=True)  # noqa: S603
        try:
            (folder / "probe").touch()
        except OSError:
            return
        (folder / "probe").unlink()
        pytest.skip("nothing keeps this user from writing")

    yield seal
    del tmp_path
    for folder in found:
        unseal(folder)


def unseal(folder: Path) -> None:
    chattr = shutil.which("chattr")
    if chattr:
        subprocess.run([chattr, "-i", folder], check=False, capture_output=True)  # noqa: S603
    folder.chmod(0o700)


def test_a_folder_that_takes_nothing(
    world_of: Callable[..., World], sealed: Callable[[Path], None]
) -> None:
    world = world_of("sealed")
    out = world.folder / "out"
    out.mkdir()
    submit = (*world.SUBMIT, "--out", str(out / "offers.xlsx"))
    assert world.run(*submit, kill="before annotate").code == -9
    sealed(out)
    ran = world.run("resume")
    assert ran.code == 1, ran
    spare = world.folder / "home" / "results" / "offers.run-1.xlsx"
    assert f"The annotated copy is {spare} instead" in ran.err
    world.check(str(spare))
    unseal(out)
    assert world.run("results", "1").code == 1
    world.check("out/offers.xlsx")


def test_in_place_a_file_that_was_changed_since_is_kept(world_of: Callable[..., World]) -> None:
    world = world_of("in place")
    path = world.folder / "offers.xlsx"

    def meanwhile(method: str, _path: str) -> None:
        if method == "PATCH":
            workbook(path, 3, "EDITED")

    world.served.proxy.plan.wait = meanwhile
    ran = world.run(*world.SUBMIT, "--in-place")
    assert ran.code == 1, ran
    assert "was changed after it was read, and is left as it is" in ran.err
    world.check("offers.run-1.xlsx")
    assert b"feedtool status" not in path.read_bytes()
    before = path.read_bytes()
    assert world.run("results", "1").code == 1
    assert path.read_bytes() == before


GONE: dict[str, Callable[[Path], object]] = {
    "deleted": lambda path: path.unlink(),
    "changed": lambda path: workbook(path, 3, "EDITED"),
    "spoilt": lambda path: path.write_bytes(b"junk"),
}


@pytest.mark.parametrize("change", GONE.values(), ids=GONE)
@pytest.mark.parametrize("at", ["after add_file", "before annotate"])
def test_results_come_from_what_was_sent(
    world_of: Callable[..., World], change: Callable[[Path], object], at: str
) -> None:
    world = world_of("snapshot")
    assert world.submit(kill=at).code == -9
    change(world.folder / "offers.xlsx")
    assert world.run("resume").code == 1
    world.check()
