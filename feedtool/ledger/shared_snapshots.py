"""Snapshots that machines share, so that each can go on with the runs of all.

In a folder they are as in the state folder. In a bucket there is beside them

    until/SHA256          the last day of one that is not kept for good
    days/DAY.SHA256       empty: a listing of these says which are over
    deleted/SHA256        that day, once it is deleted

and the state folder has a cache: what was used here yesterday or today, each with its own note.
What was kept before in the state folder's own snapshots is found there.
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
"""In the cache: the day on which it was last looked for what is over."""
OWN, CACHE = "snapshots", "store"
"""Folders of the state folder."""


def open_snapshots(home: Path, store: str | None) -> Snapshots:
    """The snapshots of a state folder, or those of a store that machines share.

    UsageProblem for what is no store; of the store nothing is asked yet.
    """
    own = Snapshots(home / OWN)
    if not store:
        return own
    place = open_place(store, Path.cwd())
    if isinstance(place, FolderPlace):
        return FolderSnapshots(place.root, own)
    from feedtool.places.bucket import BucketPlace

    if isinstance(place, BucketPlace):
        cache = home / CACHE / hash_of(place.url.encode()).hexdigest()[:16]
        return BucketSnapshots(cache, place, own)
    raise UsageProblem(
        tr("{place} is no store of snapshots.", place=place.url),
        tr("A store is a folder, or a bucket: s3://BUCKET/PREFIX."),
    )


class SharedSnapshots(Snapshots):
    """Those of a store, and of the state folder from before there was one."""

    OPTION = "--store"

    def __init__(self, folder: Path, own: Snapshots) -> None:
        super().__init__(folder)
        self._own = own

    def path_of(self, sha256: str) -> Path:
        """The path of a snapshot; FileProblem where it is neither in the store nor from before."""
        try:
            return self._path_of(sha256)
        except FileProblem:
            with suppress(FileProblem):
                return self._own.path_of(sha256)
            raise

    def delete_expired(self, today: date) -> None:
        """Delete the snapshots whose last day is over; what cannot be deleted stays until later."""
        self._own.delete_expired(today)
        self._delete_expired(today)

    def discard(self, sha256: str, since: datetime) -> bool:
        """As `Snapshots`, in the store and among those from before."""
        is_own = self._own.discard(sha256, since)
        return self._discard(sha256, since) or is_own

    def _discard(self, sha256: str, since: datetime) -> bool:
        return super().discard(sha256, since)

    def _path_of(self, sha256: str) -> Path:
        return super().path_of(sha256)

    def _delete_expired(self, today: date) -> None:
        super().delete_expired(today)


class FolderSnapshots(SharedSnapshots):
    """In a folder, whose own rights say who may read it; it has to be there."""

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
    """In a bucket; the folder is the cache.

    Each step may be the last before a crash. So the content of a snapshot is put before anything is
    said of it; what names the day that it is to be deleted is put before the note that says so, and
    deleted after all else.
    """

    def __init__(self, cache: Path, place: "BucketPlace", own: Snapshots) -> None:
        super().__init__(cache, own)
        self._place = place

    def keep(self, path: Path) -> str:
        """As `Snapshots`, here and in the bucket."""
        sha256 = super().keep(path)
        self._put(sha256)
        self._mark_used(sha256)
        return sha256

    def expire(self, sha256: str, until: date | None) -> None:
        """As `Snapshots`, here and in the bucket."""
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
        there = self._place.find(sha256)
        is_whole = there is not None and there.size == kept.stat().st_size  # or was it changed?
        # An old one is put again, so that `discard` sees that it is in use.
        if there is None or not is_whole or there.modified_ns < (time.time() - NEW) * 10**9:
            self._place.replace(sha256, kept)

    def _path_of(self, sha256: str) -> Path:
        if not self._is_whole(sha256):
            self._fetch(sha256)
        self._mark_used(sha256)
        return self._folder / sha256

    def _mark_used(self, sha256: str) -> None:
        """It stays in the cache for today and tomorrow; whoever reads it sees no change."""
        place = self._folder / sha256
        with suppress(OSError):
            os.utime(place, ns=(time.time_ns(), place.stat().st_mtime_ns))

    def _discard(self, sha256: str, since: datetime) -> bool:
        there = self._place.find(sha256)
        if there is not None and there.modified_ns >= since.timestamp() * 10**9:
            return False
        for name in (sha256, f"{DELETED}/{sha256}", f"{UNTIL}/{sha256}"):
            self._place.delete(name)
        Snapshots.discard(self, sha256, since)
        return there is not None

    def _fetch(self, sha256: str) -> None:
        with self._telling(sha256), self._temporary() as temporary:
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
        """Once a day: with another day nothing else is over."""
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
        """Delete what is over, and what was not used yesterday or today.

        Of a file that another machine has said nothing of yet its note may not be here.
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
