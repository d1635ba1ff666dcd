"""Snapshots that machines share: in a folder, and in a bucket with a cache on each machine."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import obstore
import pytest

from feedtool.ledger.snapshots import (
    CACHE,
    DAYS,
    DELETED,
    UNTIL,
    BucketSnapshots,
    FolderSnapshots,
    Snapshots,
    open_snapshots,
)
from feedtool.model.errors import FileProblem, Interrupted, UsageProblem
from feedtool.places import PlaceRefused
from feedtool.places import bucket as bucket_module
from tests.buckets import contents, files_in
from tests.pairs import sample
from tests.places.fragile import Fragile, Killed

WORDS, OTHER = b"sku;price\nA;1\n", b"other"
DAY = date(2026, 3, 2)
AFTER = DAY + timedelta(days=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
Open = Callable[[str], Snapshots]
"""Opens the store on the machine of a name."""


@pytest.fixture
def opened(store: str, tmp_path: Path) -> Open:
    return lambda machine: open_snapshots(tmp_path / machine, store)


def written(tmp_path: Path, content: bytes = WORDS) -> Path:
    (path := tmp_path / "offers.csv").write_bytes(content)
    return path


def cached(tmp_path: Path, machine: str) -> list[Path]:
    """The files in a machine's cache, without the notes."""
    files = (tmp_path / machine / CACHE).glob("*/*")
    return [path for path in files if path.is_file() and path.name != ".swept"]


@pytest.mark.parametrize(
    ("store", "content"),
    sample(
        [
            *(("folder", WORDS), ("bucket", b"x" * 3_000_001), ("bucket", b"")),
            *(("folder", b""), ("folder", b"x" * 3_000_001), ("bucket", WORDS)),
        ],
        3,
    ),
    indirect=["store"],
    ids=lambda it: it if isinstance(it, str) else len(it),
)
def test_another_machine_finds_a_kept_snapshot(
    tmp_path: Path, opened: Open, store: str, content: bytes
) -> None:
    path = written(tmp_path, content)
    sha256 = opened("one").keep(path)
    assert opened("one").keep(path) == sha256
    path.unlink()
    assert contents(store) == {sha256: content}
    for _ in range(2):
        assert opened("other").path_of(sha256).read_bytes() == content


def test_an_unknown_digest_is_refused(opened: Open) -> None:
    for sha256 in ("00" * 32, ""):
        with pytest.raises(FileProblem) as caught:
            opened("one").path_of(sha256)
        assert "bring it back" in caught.value.hint


def test_snapshots_kept_before_the_store_are_found(tmp_path: Path, opened: Open) -> None:
    own = open_snapshots(tmp_path / "one", None)
    sha256, other = own.keep(written(tmp_path)), own.keep(written(tmp_path, OTHER))
    own.expire(other, DAY)
    shared = opened("one")
    assert shared.path_of(sha256).read_bytes() == WORDS
    shared.delete_expired(AFTER)
    assert shared.path_of(sha256).read_bytes() == WORDS
    with pytest.raises(FileProblem):
        shared.path_of(other)


def test_a_changed_snapshot_is_reported(tmp_path: Path, opened: Open, store: str) -> None:
    sha256 = opened("one").keep(written(tmp_path))
    if "://" in store:
        bucket_module.BucketPlace(store).replace(sha256, WORDS[:-1])
    else:
        (Path(store) / sha256).write_bytes(WORDS[:-1])
    with pytest.raises(FileProblem, match=f"{store}/{sha256} is not what was sent"):
        opened("other").path_of(sha256)
    assert opened("one").keep(written(tmp_path)) == sha256
    assert opened("other").path_of(sha256).read_bytes() == WORDS


# Personal data.


def test_all_machines_forget_a_snapshot_in_its_time(
    tmp_path: Path, opened: Open, store: str
) -> None:
    one, other = opened("one"), opened("other")
    sha256, kept = one.keep(written(tmp_path)), one.keep(written(tmp_path, OTHER))
    one.expire(sha256, DAY)
    other.path_of(sha256)
    for machine in (one, other):
        machine.delete_expired(DAY)
        assert machine.path_of(sha256).read_bytes() == WORDS
    for machine in (one, other, opened("third")):
        machine.delete_expired(AFTER)
        with pytest.raises(FileProblem, match=f"is deleted.*until {DAY}") as caught:
            machine.path_of(sha256)
        assert "keep_personal" in caught.value.hint
        assert machine.path_of(kept).read_bytes() == OTHER
    assert contents(store) == {kept: OTHER, f"{DELETED}/{sha256}": str(DAY).encode()}
    assert not [path for path in tmp_path.rglob(sha256) if path.read_bytes() == WORDS]
    # The same is sent once more.
    assert one.keep(written(tmp_path)) == sha256
    assert other.path_of(sha256).read_bytes() == WORDS


@pytest.mark.parametrize(
    ("store", "until"),
    sample([("folder", AFTER), ("bucket", None), ("folder", None), ("bucket", AFTER)], 2),
    indirect=["store"],
)
def test_the_last_word_on_a_snapshot_counts(
    tmp_path: Path, opened: Open, until: date | None
) -> None:
    sha256 = opened("one").keep(written(tmp_path))
    opened("one").expire(sha256, DAY)
    opened("other").path_of(sha256)
    opened("third").expire(sha256, until)
    for machine in ("one", "other", "third", "fourth"):
        opened(machine).delete_expired(AFTER)
        assert opened(machine).path_of(sha256).read_bytes() == WORDS


def test_a_sooner_day_counts_too(tmp_path: Path, opened: Open) -> None:
    sha256 = opened("one").keep(written(tmp_path))
    opened("one").expire(sha256, AFTER)
    opened("one").expire(sha256, DAY)
    opened("other").delete_expired(AFTER)
    with pytest.raises(FileProblem, match="is deleted"):
        opened("other").path_of(sha256)


# A folder.


def test_the_rights_of_a_folder_stay_unchanged(tmp_path: Path) -> None:
    (share := tmp_path / "share").mkdir()
    share.chmod(0o750)
    snapshots = open_snapshots(tmp_path / "one", str(share))
    assert isinstance(snapshots, FolderSnapshots)
    sha256 = snapshots.keep(written(tmp_path))
    assert share.stat().st_mode & 0o777 == 0o750
    assert (share / sha256).stat().st_mode & 0o007 == 0


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    snapshots = open_snapshots(tmp_path / "one", str(tmp_path / "share"))
    snapshots.delete_expired(DAY)
    for use in (lambda: snapshots.keep(written(tmp_path)), lambda: snapshots.path_of("00" * 32)):
        with pytest.raises(PlaceRefused, match="There is no folder"):
            use()
    assert not (tmp_path / "share").exists()


def test_a_place_that_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="sftp://host/in is not a store") as caught:
        open_snapshots(tmp_path, "sftp://host/in?key=secret")
    assert "s3://BUCKET/PREFIX" in caught.value.hint


# A bucket.


@pytest.fixture
def buckets(bucket: str, tmp_path: Path) -> Callable[[str], BucketSnapshots]:
    def opened(machine: str) -> BucketSnapshots:
        snapshots = open_snapshots(tmp_path / machine, bucket)
        assert isinstance(snapshots, BucketSnapshots)
        return snapshots

    return opened


def test_a_cache_holds_snapshots_used_yesterday_or_today(
    tmp_path: Path, buckets: Callable[[str], BucketSnapshots]
) -> None:
    sha256 = buckets("one").keep(written(tmp_path))
    (kept,) = cached(tmp_path, "one")
    for days, is_there in ((0, True), (1, True), (2, False)):
        used = (NOON - timedelta(days=days)).timestamp()
        os.utime(kept, (used, used))
        (kept.parent / ".swept").unlink(missing_ok=True)
        buckets("one").delete_expired(DAY)
        assert kept.exists() is is_there
    assert buckets("one").path_of(sha256).read_bytes() == WORDS
    assert kept.exists()


def test_a_bucket_is_looked_through_once_a_day(
    tmp_path: Path,
    bucket: str,
    buckets: Callable[[str], BucketSnapshots],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sha256 = buckets("one").keep(written(tmp_path))
    buckets("one").expire(sha256, DAY)
    with monkeypatch.context() as patch:
        patch.setattr(bucket_module, "obstore", Fragile(obstore, 0, is_done=False))
        with pytest.raises(Killed):
            buckets("other").delete_expired(AFTER)
    with monkeypatch.context() as patch:
        patch.setattr(bucket_module, "RETRIES", {"max_retries": 0})
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        buckets("other").delete_expired(AFTER)  # it waits until the bucket is there again
    assert sha256 in files_in(bucket)
    buckets("other").delete_expired(AFTER)
    assert sha256 not in files_in(bucket)
    with monkeypatch.context() as patch:
        patch.setattr(bucket_module, "obstore", Fragile(obstore, 0, is_done=False))
        buckets("other").delete_expired(AFTER)


def test_a_bucket_that_cannot_be_reached(
    tmp_path: Path, buckets: Callable[[str], BucketSnapshots], monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = buckets("one").keep(written(tmp_path))
    monkeypatch.setattr(bucket_module, "RETRIES", {"max_retries": 0})
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    assert buckets("one").path_of(sha256).read_bytes() == WORDS
    for use in (
        lambda: buckets("other").path_of(sha256),
        lambda: buckets("one").keep(written(tmp_path, OTHER)),
        lambda: buckets("one").expire(sha256, DAY),
    ):
        with pytest.raises(Interrupted, match="cannot be reached"):
            use()


# Killed at each call of the bucket's library.


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["before", "after"])
def broken(request: pytest.FixtureRequest) -> Any:
    """Dies at a call of the library, before it is done; in the long runs after it as well.

    Only local files may differ between the end of a call and the begin of the next.
    """

    @contextmanager
    def at(last: int) -> Iterator[Fragile]:
        fragile = Fragile(obstore, last, is_done=request.param)
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            patch.setattr(bucket_module, "obstore", fragile)
            yield fragile

    return at


STEPS = pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
"""Killed at every fourth call, and at each in the long runs."""


@STEPS
def test_killed_while_a_file_is_kept(
    tmp_path: Path, bucket: str, buckets: Callable[[str], BucketSnapshots], broken: Any, step: int
) -> None:
    path = written(tmp_path)
    for last in count(1, step):
        with broken(last) as fragile:
            machine = buckets(f"one-{last}")
            machine.expire(machine.keep(path), DAY)
        there = files_in(bucket)
        sha256 = buckets("one").keep(path)
        assert f"{UNTIL}/{sha256}" not in there or there[sha256] == WORDS
        buckets("one").expire(sha256, DAY)
        assert buckets("other").path_of(sha256).read_bytes() == WORDS
        days = {f"{UNTIL}/{sha256}": str(DAY).encode(), f"{DAYS}/{DAY}.{sha256}": b""}
        assert files_in(bucket) == {sha256: WORDS, **days}
        if fragile.is_over:
            break
        for name in files_in(bucket):
            bucket_module.BucketPlace(bucket).delete(name)
    assert last > 5


@STEPS
def test_a_kill_while_a_snapshot_is_deleted(
    tmp_path: Path, bucket: str, buckets: Callable[[str], BucketSnapshots], broken: Any, step: int
) -> None:
    path = written(tmp_path)
    for last in count(1, step):
        sha256 = buckets("one").keep(path)
        buckets("one").expire(sha256, DAY)
        with broken(last) as fragile:
            buckets(f"two-{last}").delete_expired(AFTER)
        buckets(f"three-{last}").delete_expired(AFTER)
        assert files_in(bucket) == {f"{DELETED}/{sha256}": str(DAY).encode()}
        with pytest.raises(FileProblem, match="is deleted"):
            buckets(f"three-{last}").path_of(sha256)
        if fragile.is_over:
            break
    assert last > 5


def test_a_kill_while_a_snapshot_is_fetched(
    tmp_path: Path, buckets: Callable[[str], BucketSnapshots], broken: Any
) -> None:
    sha256 = buckets("one").keep(written(tmp_path))
    buckets("one").expire(sha256, DAY)
    for last in count(1):
        with broken(last) as fragile:
            buckets(f"two-{last}").path_of(sha256)
        assert buckets(f"two-{last}").path_of(sha256).read_bytes() == WORDS
        buckets(f"two-{last}").delete_expired(DAY)
        assert len(cached(tmp_path, f"two-{last}")) == 1
        if fragile.is_over:
            break


TOMORROW = datetime.now(UTC) + timedelta(days=1)


def test_unneeded_snapshots_are_deleted_for_all_machines(
    tmp_path: Path, opened: Open, store: str
) -> None:
    own = open_snapshots(tmp_path / "one", None)
    before = own.keep(written(tmp_path, OTHER))
    sha256 = opened("one").keep(written(tmp_path))
    opened("one").expire(sha256, DAY)
    assert not opened("other").discard(sha256, datetime.now(UTC) - timedelta(days=1))
    assert opened("other").discard(sha256, TOMORROW)
    assert opened("one").discard(before, TOMORROW)
    assert not opened("one").discard(before, TOMORROW)
    left = {name for name in contents(store) if not name.startswith(DAYS)}
    assert left == set()
    opened("one").delete_expired(AFTER)
    assert contents(store) == {}


def test_a_snapshot_kept_again_is_not_deleted(
    tmp_path: Path, opened: Open, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = opened("one").keep(written(tmp_path))
    # Two days go by: what is kept anew is newer than what was kept then.
    later = time.time() + 2 * 24 * 3600
    if "://" in store:
        put: list[str] = []
        replace = bucket_module.BucketPlace.replace

        def noting(place: bucket_module.BucketPlace, name: str, content: bytes | Path) -> None:
            put.append(name)
            replace(place, name, content)

        monkeypatch.setattr(bucket_module.BucketPlace, "replace", noting)
        opened("other").keep(written(tmp_path))
        assert put == []
        monkeypatch.setattr(time, "time", lambda: later)
        opened("other").keep(written(tmp_path))
        assert put == [sha256]
    else:
        os.utime(Path(store) / sha256, (0, 0))
        opened("other").keep(written(tmp_path))
        assert not opened("one").discard(sha256, datetime.now(UTC) - timedelta(days=1))
    assert opened("one").path_of(sha256).read_bytes() == WORDS


def test_use_of_the_cache_is_no_change_of_a_file(tmp_path: Path, bucket: str) -> None:
    """Another process may be reading it."""
    one = open_snapshots(tmp_path / "one", bucket)
    sha256 = one.keep(written(tmp_path))
    (kept,) = cached(tmp_path, "one")
    os.utime(kept, (0, 0))
    one.path_of(sha256)
    assert kept.stat().st_mtime == 0
    one.delete_expired(datetime.now(UTC).date())
    assert cached(tmp_path, "one") == [kept]
