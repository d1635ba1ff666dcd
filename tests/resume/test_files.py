"""Full disks, places that take nothing, files that change: no answer is ever lost."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest

from tests.pairs import sample
from tests.resume.proxy import Plan
from tests.resume.world import World, workbook

KIB = 1024
LONG = pytest.mark.long
NAME = "offers.result.xlsx"
SPARE = "offers.result.run-1.xlsx"

Made = Callable[..., World]
Change = Callable[[Path], object]


def when_patched(world: World, do: Callable[[], object]) -> None:
    """Call a function at each PATCH, while the command runs."""
    world.served.proxy.plan.wait = lambda method, _path: do() if method == "PATCH" else None


LIMITS = [[8, 256], *([n] for n in (1, 4, 7, 16, 32, 64, 96, 128, 160, 192, 256, 320))]
"""KiB that a file may grow to, in one submit after the other."""
FULL = ("disk i/o error", "full", "too large", "written")


@pytest.mark.parametrize("limits", sample(LIMITS, 1))
def test_a_full_disk_loses_no_row(world_of: Made, limits: list[int]) -> None:
    """The limit decides whether a new ledger, or one with a run, finds the disk full."""
    world = world_of(f"full {limits}")
    for limit in limits:
        full = world.run(*world.SUBMIT, limit=limit * KIB)
        assert full.code in (1, 2, 5), full
        if full.code != 1:
            said = full.out + full.err
            assert "error: " in full.err or "not written" in said, full
            told = full.err.replace(str(world.folder), "").lower()
            assert any(word in told for word in FULL), full.err
    if full.code != 1:
        assert world.go_on()[-1].code in (1, 9)
    world.check(NAME)


# With so much in the workbook that its snapshot is the largest file; or its copy, and larger than
# the ledger's log of writes ever grows to, which may not be what finds the disk full.
@pytest.mark.parametrize("has_snapshot", [False, True])
def test_no_room_for_the_snapshot_or_the_copy(world_of: Made, *, has_snapshot: bool) -> None:
    world = world_of("room")
    size, limit = (6000, 6002) if has_snapshot else (600, 500)
    with ZipFile(world.folder / "offers.xlsx", "a", ZIP_STORED) as package:
        package.writestr("customXml/padding.bin", os.urandom(size * KIB))
    if has_snapshot:
        assert world.submit(kill="after keep").code == -9
    full = world.run(*world.SUBMIT, limit=limit * KIB)
    assert full.code == 2, full
    if has_snapshot:
        assert NAME in full.out + full.err
        assert not [*world.folder.glob(NAME), *world.folder.glob("*.tmp")]
        assert world.run("results", "1").code == 1
    else:
        assert "No snapshot of " in full.err
        assert "the disk is full" in full.err
        assert not world.applied()
        assert world.go_on()[-1].code == 1
    world.check()


PLACES: dict[str, Change] = {
    "a folder": Path.mkdir,
    "somebody else's": lambda place: workbook(place, 3, "OTHER"),
    "a pipe": os.mkfifo,
    "a lost folder": lambda place: place.symlink_to(place.parent / "nowhere" / "offers.xlsx"),
}


def test_a_place_taken_before_the_run_is_refused_first(world_of: Made) -> None:
    world = world_of("taken")
    taken = world.folder / NAME
    for name in ("a folder", "somebody else's", "a pipe"):
        PLACES[name](taken)
        ran = world.run(*world.SUBMIT)
        assert ran.code == 2, (name, ran)
        assert NAME in ran.err
        taken.rmdir() if taken.is_dir() else taken.unlink()
    assert not world.applied()


@pytest.mark.parametrize(
    "take",
    [
        pytest.param(take, id=name, marks=() if name == "a folder" else LONG)
        for name, take in PLACES.items()
    ],
)
def test_a_place_taken_meanwhile_is_replaced_by_a_reported_one(
    world_of: Made, take: Change
) -> None:
    world = world_of("taken")
    taken = world.folder / NAME
    when_patched(world, lambda: os.path.lexists(taken) or take(taken))
    ran = world.run(*world.SUBMIT)
    assert ran.code == 1, ran
    assert f"The annotated copy is {SPARE} instead" in ran.err
    assert "earlier run" not in ran.err
    world.check(SPARE)
    world.meet("after", Plan())
    shutil.rmtree(taken) if taken.is_dir() else taken.unlink()
    assert world.run("results", "1").code == 1
    world.check()


GONE: dict[str, Change] = {
    "deleted": lambda path: path.unlink(),
    "changed": lambda path: workbook(path, 3, "EDITED"),
    "spoilt": lambda path: path.write_bytes(b"junk"),
}


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Path]:
    """A folder that takes nothing once it is sealed, until the test ends."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    yield folder
    seal(folder, is_open=True)


def seal(folder: Path, *, is_open: bool = False) -> None:
    """Have a folder take nothing, not even of its owner, and of root if need be; or again."""
    chattr = shutil.which("chattr")
    if chattr and (is_open or os.geteuid() == 0):
        flag = "-i" if is_open else "+i"
        subprocess.run([chattr, flag, folder], check=False, capture_output=True)  # noqa: S603
    if is_open or os.geteuid() != 0:
        folder.chmod(0o700 if is_open else 0o500)


def test_a_folder_without_write_access(world_of: Made, sealed: Path) -> None:
    world = world_of("sealed")
    submit = (*world.SUBMIT, "--out", str(sealed / "offers.xlsx"))
    assert world.run(*submit, kill="before annotate").code == -9
    # The copy comes from the sent content, and asks no account.
    GONE["changed"](world.folder / "offers.xlsx")
    (world.folder / "feedtool.toml").unlink()
    seal(sealed)
    with suppress(OSError):
        (sealed / "probe").touch()
        pytest.skip("nothing keeps this user from writing")
    ran = world.run("resume")
    assert ran.code == 1, ran
    spare = world.folder / "home" / "results" / "offers.run-1.xlsx"
    assert f"The annotated copy is {spare} instead" in ran.err
    world.check(str(spare))
    seal(sealed, is_open=True)
    assert world.run("results", "1").code == 1
    world.check(str(sealed / "offers.xlsx"))


def test_a_file_changed_since_is_not_replaced_in_place(world_of: Made) -> None:
    world = world_of("in place")
    path = world.folder / "offers.xlsx"
    when_patched(world, lambda: workbook(path, 3, "EDITED"))
    ran = world.run(*world.SUBMIT, "--in-place")
    assert ran.code == 1, ran
    assert "was changed after it was read, and is not replaced" in ran.err
    world.check("offers.run-1.xlsx")
    before = path.read_bytes()
    assert b"feedtool status" not in before
    assert world.run("results", "1").code == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "at"),
    sample(
        [(change, at) for at in ("before annotate", "after add_file") for change in GONE],
        1,
    ),
)
def test_results_come_from_the_sent_content(world_of: Made, change: str, at: str) -> None:
    world = world_of("snapshot")
    assert world.submit(kill=at).code == -9
    GONE[change](world.folder / "offers.xlsx")
    if at == "before annotate":  # where only the copy is missing, no account is asked
        (world.folder / "feedtool.toml").unlink()
    again = world.run("resume")
    assert again.code == 1, again
    world.check()
