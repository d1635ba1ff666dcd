"""Snapshots that machines share, so that each can resume the runs of all.

A folder has the same layout as the state folder. A bucket also has

    until/SHA256          the last day of a snapshot that is not kept forever
    days/DAY.SHA256       empty: a listing of these names shows which snapshots are over
    deleted/SHA256        that day, once the snapshot is deleted

and the state folder has a cache: the snapshots used here yesterday or today, each with its own
note. Older snapshots in the state folder's own folder are still read.
"""

import os
import time
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256 as hash_of
from pathlib import Path
from typing import TYPE_CHECKING

from feedtool.ledger.snapshots import (
    DELETED,
    MISSING,
    NEW,
    UNTIL,
    Snapshots,
    changed,
    deleted,
    digest_of,
)
from feedtool.model.errors import FeedtoolError, FileProblem, UsageProblem
from feedtool.model.text import tr
from feedtool.places import open_place
from feedtool.places.folder import FolderPlace, require_folder

if TYPE_CHECKING:  # its library is an extra
    from feedtool.places.bucket import BucketPlace

DAYS = "days"
SWEPT = ".swept"
"""A file in the cache with the day of the last search for expired snapshots."""
OWN, CACHE = "snapshots", "store"
"""Folders of the state folder."""


def open_snapshots(home: Path, store: str | None) -> Snapshots:
    """The snapshots of a state folder, or of a store that machines share.

    UsageProblem if it is no store; the store is not accessed yet.
    """
    local = Snapshots(home / OWN)
    if not store:
        return local
    place = open_place(store, Path.cwd())
    if isinstance(place, FolderPlace):
        return FolderSnapshots(place.root, local)
    from feedtool.places.bucket import BucketPlace

    if isinstance(place, BucketPlace):
        cache = home / CACHE / hash_of(place.url.encode()).hexdigest()[:16]
        return BucketSnapshots(cache, place, local)
    raise UsageProblem(
        tr("{place} is no store of snapshots.", place=place.url),
        tr("A store is a folder, or a bucket: s3://BUCKET/PREFIX."),
    )


class SharedSnapshots(Snapshots):
    """The snapshots of a store, and older ones in the state folder."""

    OPTION = "--store"

    def __init__(self, folder: Path, own: Snapshots) -> None:
        super().__init__(folder)
        self._own = own

    def path_of(self, sha256: str) -> Path:
        """The path of a snapshot; FileProblem if neither the store nor the state folder has it."""
        try:
            return self._path_of(sha256)
        except FileProblem:
            with suppress(FileProblem):
                return self._own.path_of(sha256)
            raise

    def delete_expired(self, today: date) -> None:
        """Delete the snapshots whose last day is over; failures are tried again later."""
        self._own.delete_expired(today)
        self._delete_expired(today)

    def discard(self, sha256: str, since: datetime) -> bool:
        """Discard a snapshot in the store and in the state folder, as `Snapshots` does."""
        is_own = self._own.discard(sha256, since)
        return self._discard(sha256, since) or is_own

    def _discard(self, sha256: str, since: datetime) -> bool:
        return super().discard(sha256, since)

    def _path_of(self, sha256: str) -> Path:
        return super().path_of(sha256)

    def _delete_expired(self, today: date) -> None:
        super().delete_expired(today)


class FolderSnapshots(SharedSnapshots):
    """Snapshots in a folder, whose own rights decide on access; it must exist."""

    FILE_MODE, FOLDER_MODE = 0o660, 0o770

    def _discard(self, sha256: str, since: datetime) -> bool:
        require_folder(self._folder)
        return super()._discard(sha256, since)

    def _path_of(self, sha256: str) -> Path:
        require_folder(self._folder)
        return super()._path_of(sha256)

    def _make_folder(self) -> None:
        require_folder(self._folder)


class BucketSnapshots(SharedSnapshots):
    """Snapshots in a bucket; the folder is the cache.

    Each step may be the last before a crash. So the content of a snapshot is put before anything
    that names it; the name with its last day is put before the note with that day, and deleted
    last.
    """

    def __init__(self, cache: Path, place: "BucketPlace", own: Snapshots) -> None:
        super().__init__(cache, own)
        self._place = place

    def keep(self, path: Path) -> str:
        """Keep a file here and in the bucket, as `Snapshots` does."""
        sha256 = super().keep(path)
        self._put(sha256)
        self._mark_used(sha256)
        return sha256

    def expire(self, sha256: str, until: date | None) -> None:
        """Set the last day here and in the bucket, as `Snapshots` does."""
        note = f"{UNTIL}/{sha256}"
        if until is None:
            self._place.delete(note)
        else:
            self._place.replace(f"{DAYS}/{until}.{sha256}", b"")
            self._place.replace(note, until.isoformat().encode())
        super().expire(sha256, until)
        if self._is_whole(sha256):  # another machine may just have deleted it, by an older note
            self._put(sha256)

    def _put(self, sha256: str) -> None:
        kept = self._folder / sha256
        entry = self._place.find(sha256)
        is_whole = entry is not None and entry.size == kept.stat().st_size  # or was it changed?
        # An old snapshot is put again, so that `discard` sees that it is in use.
        if entry is None or not is_whole or entry.modified_ns < (time.time() - NEW) * 10**9:
            self._place.replace(sha256, kept)

    def _path_of(self, sha256: str) -> Path:
        if not self._is_whole(sha256):
            self._fetch(sha256)
        self._mark_used(sha256)
        return self._folder / sha256

    def _mark_used(self, sha256: str) -> None:
        """Keep a snapshot in the cache for today and tomorrow; its time of change stays."""
        place = self._folder / sha256
        with suppress(OSError):
            os.utime(place, ns=(time.time_ns(), place.stat().st_mtime_ns))

    def _discard(self, sha256: str, since: datetime) -> bool:
        entry = self._place.find(sha256)
        if entry is not None and entry.modified_ns >= since.timestamp() * 10**9:
            return False
        for name in (sha256, f"{DELETED}/{sha256}", f"{UNTIL}/{sha256}"):
            self._place.delete(name)
        Snapshots.discard(self, sha256, since)
        return entry is not None

    def _fetch(self, sha256: str) -> None:
        with self._reporting_failures(sha256), self._temporary() as temporary:
            self._make_folder()
            try:
                self._place.fetch(sha256, temporary)
            except FileProblem as error:
                if day := self._place.read(f"{DELETED}/{sha256}"):
                    raise deleted(day.decode()) from None
                raise FileProblem(error.message, MISSING) from error
            with temporary.open("rb", buffering=0) as fetched:
                if digest_of(fetched) != sha256:
                    raise changed(f"{self._place.url}/{sha256}")
            if day := self._place.read(f"{UNTIL}/{sha256}"):
                Snapshots.expire(self, sha256, date.fromisoformat(day.decode()))
            temporary.replace(self._folder / sha256)

    def _delete_expired(self, today: date) -> None:
        """Delete expired snapshots once a day; during a day no more expire."""
        swept = self._folder / SWEPT
        with suppress(OSError):
            if swept.read_text("ascii") == str(today):
                return
        with suppress(FeedtoolError, OSError):
            self._make_folder()
            self._empty_cache(today)
            self._empty_bucket(today)
            self._write(swept, str(today))

    def _empty_cache(self, today: date) -> None:
        """Delete expired snapshots, and those not used yesterday or today.

        The note of a snapshot may be missing here if another machine wrote it.
        """
        for file in self._folder.iterdir():
            if not file.is_file():
                continue
            note = self._folder / UNTIL / file.name
            is_over = note.is_file() and note.read_text("ascii") < str(today)
            seen = file.stat()
            used = datetime.fromtimestamp(max(seen.st_atime, seen.st_mtime), UTC).date()
            if is_over or used < today - timedelta(days=1):
                file.unlink(missing_ok=True)
                note.unlink(missing_ok=True)

    def _empty_bucket(self, today: date) -> None:
        for entry in self._place.listing(DAYS):
            day, _, sha256 = entry.path.name.partition(".")
            if day >= str(today):
                continue
            note = self._place.read(f"{UNTIL}/{sha256}")
            if note and note.decode() < str(today):
                self._place.delete(sha256)
                self._place.replace(f"{DELETED}/{sha256}", note)
                self._place.delete(f"{UNTIL}/{sha256}")
            self._place.delete(entry.name)
