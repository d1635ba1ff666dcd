"""The input files of runs as they were read, kept as long as results may be written for them.

A snapshot is named by the SHA-256 of its content, so that equal files are kept once, and the
content can be proved. Only the owner can read it. A snapshot that is not kept forever has a note
`until/NAME` with its last day; after its deletion the note is in `deleted/`. The time of
`used/NAME` is the last time that the same content was kept again.
"""

import errno
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from feedtool.model.disk_list import bring_folder_to_disk
from feedtool.model.errors import CannotWrite, FeedtoolError, FileProblem, UsageProblem, reason_of
from feedtool.model.file_version import Version, read_unchanged, unchanged
from feedtool.model.text import tr
from feedtool.places import open_place
from feedtool.places.folder import FolderPlace, require_folder

if TYPE_CHECKING:
    from feedtool.places.bucket import BucketPlace

UNTIL, DELETED, USED = "until", "deleted", "used"
"""The folders of notes."""
NEW = 12 * 3600
"""Seconds for which a snapshot's own time shows that it is in use."""

MISSING = tr("It is what the run was sent from; bring it back to go on.")
FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class Snapshots:
    """A folder of snapshots, made with the first snapshot."""

    FILE_MODE, FOLDER_MODE = 0o600, 0o700
    """The rights of new files and folders."""
    OPTION = "--home"
    """The option that names another folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, path: Path) -> str:
        """Keep a file in its present state; return its SHA-256, the snapshot's name.

        FileProblem if it cannot be read, or is being written all the time; CannotWrite if the
        snapshot cannot be written: then nothing of it is left behind.
        """
        return read_unchanged(path, str(path), partial(self._keep, path))

    def _keep(self, path: Path, version: Version | None) -> str:
        with _readable(path, tr("See that it is there, and that you may read it.")) as source:
            digest = digest_of(source)
            if self._is_whole(digest):
                self._mark_used(digest)
                return digest
            source.seek(0)
            with self._reporting_failures(path), unchanged(path, str(path), version) as confirm:
                return self._copy_of(source, confirm)

    @contextmanager
    def _reporting_failures(self, what: object) -> Iterator[None]:
        """Raise CannotWrite if the system refuses to keep a snapshot."""
        try:
            yield
        except OSError as error:
            why = tr("the disk is full") if error.errno in FULL else reason_of(error)
            raise CannotWrite(
                tr(
                    "No snapshot of {path} can be kept in {folder}: {why}.",
                    path=what,
                    folder=self._folder,
                    why=why,
                ),
                tr(
                    "Make room and allow writing there, or name another place with {option}.",
                    option=self.OPTION,
                ),
            ) from error

    def path_of(self, sha256: str) -> Path:
        """The path of a snapshot; FileProblem if it is missing, unreadable or changed."""
        path, note = self._folder / sha256, self._folder / DELETED / sha256
        if note.is_file() and not path.exists():
            raise deleted(note.read_text("ascii"))
        with _readable(path, MISSING) as kept:
            digest = digest_of(kept)
        if digest != sha256:
            raise changed(path)
        return path

    def expire(self, sha256: str, until: date | None) -> None:
        """Set the last day of a snapshot, in place of an earlier one; None keeps it forever."""
        note = self._folder / UNTIL / sha256
        if until is None:
            note.unlink(missing_ok=True)
        else:
            with self._reporting_failures(sha256):
                self._make_folder()
                note.parent.mkdir(mode=self.FOLDER_MODE, exist_ok=True)
                self._write(note, until.isoformat())

    def delete_expired(self, today: date) -> None:
        """Delete the snapshots whose last day is over; failures are tried again later."""
        with suppress(OSError):
            for note in (self._folder / UNTIL).iterdir():
                if "" < note.read_text("ascii") < today.isoformat():
                    (self._folder / note.name).unlink(missing_ok=True)
                    (self._folder / DELETED).mkdir(mode=self.FOLDER_MODE, exist_ok=True)
                    note.replace(self._folder / DELETED / note.name)

    def discard(self, sha256: str, since: datetime) -> bool:
        """Delete a snapshot that no run needs, and its notes; True if it existed.

        A snapshot that was kept again after `since` stays: a run that needs it may be about to
        begin.
        """
        place, used = self._folder / sha256, self._folder / USED / sha256
        if max(_modified_at(place), _modified_at(used)) >= since.timestamp():
            return False
        is_there = place.exists()
        try:
            for path in (place, used, *(self._folder / name / sha256 for name in (UNTIL, DELETED))):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise CannotWrite(
                tr("{path} cannot be deleted: {why}.", path=place, why=reason_of(error)),
                tr("Allow writing there, and run it again."),
            ) from error
        return is_there

    def _mark_used(self, sha256: str) -> None:
        """Note that an old snapshot is needed again; its own time is that of its content."""
        if _modified_at(self._folder / sha256) < time.time() - NEW:
            with suppress(OSError):
                (note := self._folder / USED / sha256).parent.mkdir(self.FOLDER_MODE, exist_ok=True)
                note.touch(self.FILE_MODE)

    def _is_whole(self, sha256: str) -> bool:
        with suppress(OSError), (self._folder / sha256).open("rb", buffering=0) as kept:
            return digest_of(kept) == sha256
        return False

    def _copy_of(self, source: BinaryIO, confirm: Callable[[], None]) -> str:
        """Copy a file unless it was changed; return the SHA-256 of the copy."""
        self._make_folder()
        with self._temporary() as temporary:
            with open(temporary, "x+b", opener=partial(os.open, mode=self.FILE_MODE)) as copy:
                shutil.copyfileobj(source, copy)
                copy.flush()
                os.fsync(copy.fileno())
                copy.seek(0)
                digest = digest_of(copy)
            confirm()
            temporary.replace(self._folder / digest)
        bring_folder_to_disk(self._folder)
        return digest

    def _make_folder(self) -> None:
        self._folder.mkdir(mode=self.FOLDER_MODE, parents=True, exist_ok=True)
        self._folder.chmod(self.FOLDER_MODE)

    @contextmanager
    def _temporary(self) -> Iterator[Path]:
        """The path of a temporary file, which is removed in the end."""
        temporary = self._folder / f".{secrets.token_hex(8)}.tmp"
        try:
            yield temporary
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _write(self, note: Path, text: str) -> None:
        """Write or replace a note as a whole."""
        with self._temporary() as temporary:
            with open(temporary, "x", opener=partial(os.open, mode=self.FILE_MODE)) as file:
                file.write(text)
            temporary.replace(note)


def deleted(day: str) -> FileProblem:
    """The error of a snapshot that was deleted after its last day."""
    return FileProblem(
        tr(
            "The snapshot of what was sent is deleted: it held personal data, and was kept"
            " until {day}.",
            day=day,
        ),
        tr(
            "The answers are in the annotated copy that was written then; `feedtool status`"
            " counts them. How long such snapshots are kept says the setting keep_personal."
        ),
    )


def changed(place: object) -> FileProblem:
    """The error of a snapshot whose content does not match its name."""
    return FileProblem(
        tr("The snapshot {path} is not what was sent: its content has changed.", path=place),
        tr("Put the original file there, or bring it back from a backup."),
    )


def _modified_at(path: Path) -> float:
    """The time of a file's last change, in seconds since 1970; 0 if it is absent."""
    with suppress(OSError):
        return path.stat().st_mtime
    return 0


@contextmanager
def _readable(path: Path, hint: str) -> Iterator[BinaryIO]:
    try:
        with path.open("rb", buffering=0) as file:
            yield file
    except OSError as error:
        raise FileProblem(
            tr("{path} cannot be read: {why}.", path=path, why=reason_of(error)), hint
        ) from error


def digest_of(file: Any) -> str:
    """The SHA-256 of an open file from its position on."""
    return hashlib.file_digest(file, "sha256").hexdigest()


# Snapshots that machines share, so that each can resume the runs of all.


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
        cache = home / CACHE / hashlib.sha256(place.url.encode()).hexdigest()[:16]
        return BucketSnapshots(cache, place, local)
    raise UsageProblem(
        tr("{place} is not a store of snapshots.", place=place.url),
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
