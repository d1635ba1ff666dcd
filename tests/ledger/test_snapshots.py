import hashlib
import os
import stat
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from feedtool.ledger.snapshots import Snapshots
from feedtool.model.errors import FileProblem, UsageProblem
from tests.ledger.conftest import Process

WORDS = b"sku;price\nA;1\n"
DAY = date(2026, 3, 2)
TOMORROW = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
def snapshots(tmp_path: Path) -> Snapshots:
    return Snapshots(tmp_path / "home" / "snapshots")


def kept_in(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "home" / "snapshots").iterdir())


def written(tmp_path: Path, content: bytes = WORDS, name: str = "offers.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [b"", WORDS, bytes(range(256)) * 3, b"x" * 3_000_001], ids=len)
def test_a_kept_file_is_found_again(tmp_path: Path, snapshots: Snapshots, content: bytes) -> None:
    sha256 = snapshots.keep(written(tmp_path, content))
    assert sha256 == hashlib.sha256(content).hexdigest()
    assert snapshots.path_of(sha256).read_bytes() == content
    assert kept_in(tmp_path) == [snapshots.path_of(sha256)]


def test_the_same_content_is_kept_once(tmp_path: Path, snapshots: Snapshots) -> None:
    first = snapshots.keep(written(tmp_path))
    before = snapshots.path_of(first).stat()
    assert snapshots.keep(written(tmp_path, name="again.csv")) == first
    after = snapshots.path_of(first).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    other = snapshots.keep(written(tmp_path, b"other"))
    assert kept_in(tmp_path) == sorted(map(snapshots.path_of, (first, other)))


def test_a_snapshot_outlives_its_file_for_its_owner(tmp_path: Path, snapshots: Snapshots) -> None:
    path = written(tmp_path)
    path.chmod(0o666)
    kept = snapshots.path_of(snapshots.keep(path))
    assert [stat.S_IMODE(one.stat().st_mode) for one in (kept, kept.parent)] == [0o600, 0o700]
    with path.open("r+b") as file:
        file.write(b"SKU")
    assert kept.read_bytes() == WORDS
    path.unlink()
    assert kept.read_bytes() == WORDS


def test_a_changed_snapshot_is_reported_and_can_be_kept_again(
    tmp_path: Path, snapshots: Snapshots
) -> None:
    path = written(tmp_path)
    sha256 = snapshots.keep(path)
    snapshots.path_of(sha256).write_bytes(WORDS[:-1])
    with pytest.raises(FileProblem, match=f"{sha256} is not what was sent") as caught:
        snapshots.path_of(sha256)
    assert "original file" in caught.value.hint
    assert snapshots.keep(path) == sha256
    assert snapshots.path_of(sha256).read_bytes() == WORDS


DAY = date(2026, 3, 2)


def test_a_snapshot_may_be_deleted_after_a_day(tmp_path: Path, snapshots: Snapshots) -> None:
    sha256, other = (snapshots.keep(written(tmp_path, content)) for content in (WORDS, b"other"))
    snapshots.expire(sha256, DAY)
    snapshots.delete_expired(DAY)
    assert snapshots.path_of(sha256).read_bytes() == WORDS
    for _ in range(2):
        snapshots.delete_expired(DAY + timedelta(days=1))
        with pytest.raises(FileProblem, match=f"is deleted.*until {DAY}") as caught:
            snapshots.path_of(sha256)
        assert "keep_personal" in caught.value.hint
    assert snapshots.path_of(other).read_bytes() == b"other"
    # The same is sent once more.
    assert snapshots.keep(written(tmp_path)) == sha256
    assert snapshots.path_of(sha256).read_bytes() == WORDS


@pytest.mark.parametrize("until", [DAY + timedelta(days=1), None])
def test_the_last_word_on_a_snapshot_counts(
    tmp_path: Path, snapshots: Snapshots, until: date | None
) -> None:
    sha256 = snapshots.keep(written(tmp_path))
    for day in (DAY, until):
        snapshots.expire(sha256, day)
    snapshots.delete_expired(DAY + timedelta(days=1))
    assert snapshots.path_of(sha256).read_bytes() == WORDS


def test_an_unreadable_file_or_snapshot_is_reported(tmp_path: Path, snapshots: Snapshots) -> None:
    snapshots.keep(written(tmp_path))
    for sha256 in ("00" * 32, ""):
        with pytest.raises(FileProblem, match="cannot be read") as caught:
            snapshots.path_of(sha256)
        assert "bring it back" in caught.value.hint
    for path in (tmp_path / "absent.csv", tmp_path):
        with pytest.raises(FileProblem, match=f"{path} cannot be read"):
            snapshots.keep(path)


def test_a_place_that_cannot_hold_snapshots_is_reported(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(UsageProblem, match=r"No snapshot of .*: Not a directory") as caught:
        Snapshots(path / "below").keep(path)
    assert "--home" in caught.value.hint


def test_a_full_disk_leaves_no_half_a_file(tmp_path: Path, snapshots: Snapshots) -> None:
    pytest.importorskip("resource", reason="no limits here")
    lines = """
import resource
from feedtool.ledger.snapshots import Snapshots
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    Snapshots(Path(rest[0])).keep(Path(place))
except FeedtoolError as error:
    say(f"{type(error).__name__}: {error.message}")
"""
    small = snapshots.keep(written(tmp_path))
    large = written(tmp_path, b"x" * 20_000, "large.csv")
    folder = snapshots.path_of(small).parent
    code, said, complained = Process(lines, large, str(folder)).ended()
    why = f"CannotWrite: No snapshot of {large} can be kept in {folder}: the disk is full.\n"
    assert (code, said, complained) == (0, why, "")
    assert kept_in(tmp_path) == [snapshots.path_of(small)]
    assert snapshots.path_of(snapshots.keep(large)).stat().st_size == 20_000


def test_unneeded_snapshots_are_deleted_with_their_notes(
    tmp_path: Path, snapshots: Snapshots
) -> None:
    sha256 = snapshots.keep(written(tmp_path))
    other = snapshots.keep(written(tmp_path, b"other"))
    for digest in (sha256, other):
        snapshots.expire(digest, DAY)
    assert snapshots.discard(sha256, TOMORROW)
    assert not snapshots.discard(sha256, TOMORROW)
    assert [path.name for path in kept_in(tmp_path) if path.is_file()] == [other]
    assert [path.name for path in (kept_in(tmp_path)[-1]).iterdir()] == [other]
    snapshots.delete_expired(DAY + timedelta(days=1))
    assert not snapshots.discard(other, TOMORROW)  # as if it had been there for ever
    assert not any(path.is_file() for path in (tmp_path / "home").rglob("*"))


def test_a_snapshot_kept_again_is_not_deleted(tmp_path: Path, snapshots: Snapshots) -> None:
    path = written(tmp_path)
    kept = snapshots.path_of(sha256 := snapshots.keep(path))
    assert not snapshots.discard(sha256, datetime.now(UTC) - timedelta(days=1))
    os.utime(kept, (0, 0))
    assert snapshots.keep(path) == sha256
    assert kept.stat().st_mtime == 0  # somebody may be reading it
    assert not snapshots.discard(sha256, datetime.now(UTC) - timedelta(days=1))
    assert kept.exists()
    assert snapshots.discard(sha256, TOMORROW)
    assert not any(path.is_file() for path in (tmp_path / "home").rglob("*"))


def test_a_snapshot_that_cannot_be_deleted_is_reported(
    tmp_path: Path, snapshots: Snapshots
) -> None:
    (tmp_path / "home" / "snapshots" / ("a" * 64)).mkdir(parents=True)
    with pytest.raises(UsageProblem, match=r"cannot be deleted: .*\.$") as caught:
        snapshots.discard("a" * 64, TOMORROW)
    assert "run it again" in caught.value.hint
