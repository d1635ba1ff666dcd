"""A folder of this machine, or of a share that it sees."""

import os
import secrets
import shutil
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from feedtool.model.disk_list import bring_folder_to_disk
from feedtool.model.errors import FileProblem, reason_of
from feedtool.model.file_version import Version, read_unchanged
from feedtool.model.text import tr
from feedtool.places.contract import Entry, Moved, PlaceRefused

TEMPORARY = ".feedtool-{}.tmp"
"""The name of a file before it gets its own: hidden, and by its ending unfinished."""
PACKAGES = (".xlsx", ".xlsm", ".xlsb", ".ods", ".xls", ".zip")


def temporary_name() -> str:
    return TEMPORARY.format(secrets.token_hex(6))


def entry_of(name: str, status: os.stat_result) -> Entry:
    """Return a file's entry; the inode number in its version shows that a file was replaced."""
    version = f"{status.st_ino}-{status.st_mtime_ns}"
    return Entry(name, status.st_size, version, status.st_mtime_ns)


def entries_of(folder: Path, name: PurePosixPath) -> Iterator[Entry]:
    """Yield the plain files in a folder and below it, without links and hidden folders."""
    with os.scandir(folder) as items:
        for item in items:
            # A file that is deleted meanwhile is left out.
            with suppress(FileNotFoundError):
                if item.is_dir(follow_symlinks=False) and not item.name.startswith("."):
                    yield from entries_of(Path(item.path), name / item.name)
                elif item.is_file(follow_symlinks=False):
                    yield entry_of(str(name / item.name), Path(item.path).lstat())


def seems_complete(path: Path) -> bool:
    """True for a zip file that opens, and for any other file with content."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
            # Some programs reserve the space first, and write the beginning later.
            is_hollow = not start.strip(b"\0")
            if not start or (is_hollow and path.suffix.casefold() in PACKAGES):
                return False
            return not start.startswith(b"PK") or zipfile.is_zipfile(file)
    except OSError:
        return False


def require_folder(folder: Path) -> None:
    """Raise PlaceRefused if a folder is absent: an absent share is no empty folder."""
    if not folder.is_dir():
        raise PlaceRefused(
            tr("There is no folder {folder}.", folder=folder),
            tr("See that the name is right, and that its disk is there, or make it."),
        )


class FolderPlace:
    """A folder, which has to exist."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = str(root)

    def listing(self, folder: str) -> list[Entry]:
        """Return the plain files in a folder; no links, which may lead anywhere."""
        with self._explained(folder):
            return list(entries_of(self._path(folder), PurePosixPath(folder)))

    def find(self, name: str) -> Entry | None:
        with self._explained(name):
            return self._find(name)

    def fetch(self, name: str, target: Path) -> Entry:
        """Copy a file, and return the entry that was copied."""

        def copy(_: Version | None) -> Entry:
            with source.open("rb") as file, target.open("wb") as copied:
                shutil.copyfileobj(file, copied)
                return entry_of(name, os.fstat(file.fileno()))

        source = self._path(name)
        try:
            return read_unchanged(source, f"{self.url}/{name}", copy)
        except FileNotFoundError as error:
            raise missing_file(self.url, name) from error
        except OSError as error:
            raise self._refused(name, error) from error

    def put(self, name: str, source: Path) -> bool:
        """Write a temporary file, then give it the name, unless another file has it."""
        place = self._path(name)
        temporary = place.with_name(temporary_name())
        with self._explained(name):
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copyfile(source, temporary)
                with temporary.open("rb+") as file:
                    os.fsync(file.fileno())
                is_free = _link(temporary, place)
            finally:
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
            bring_folder_to_disk(place.parent)
        return is_free

    def move(self, entry: Entry, target: str) -> Moved:
        """Rename in one step; if another file came meanwhile, rename it back."""
        source, place = self._path(entry.name), self.root / target
        with self._explained(target):
            if self._find(entry.name) != entry:
                return Moved.GONE
            place.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(place):
                return Moved.TAKEN
            try:
                source.rename(place)
            except FileNotFoundError:
                return Moved.GONE
            moved = self._find(target)
            if moved and moved._replace(name=entry.name) == entry:
                bring_folder_to_disk(place.parent)
                return Moved.DONE
            _link(place, source)
            place.unlink(missing_ok=True)
        return Moved.GONE

    def delete(self, name: str) -> None:
        with self._explained(name):
            self._path(name).unlink(missing_ok=True)

    def close(self) -> None:
        """Do nothing: no connection is open."""

    def _path(self, name: str) -> Path:
        """Return a name's path; PlaceRefused if the place itself is absent."""
        require_folder(self.root)
        return self.root / name

    def _find(self, name: str) -> Entry | None:
        try:
            status = self._path(name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return entry_of(name, status) if stat.S_ISREG(status.st_mode) else None

    @contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._refused(name, error) from error

    def _refused(self, name: str, error: OSError) -> PlaceRefused:
        return PlaceRefused(
            tr("{place} cannot be used: {why}.", place=self.root / name, why=reason_of(error)),
            tr("See that it is there, and that feedtool may read and write in its folder."),
        )


def missing_file(url: str, name: str) -> FileProblem:
    return FileProblem(
        tr("There is no {name} in {place}.", name=name, place=url),
        tr("See that nobody else has taken it away."),
    )


def _link(source: Path, target: Path) -> bool:
    """Give a file a second name, unless it is taken; without hard links rename the file."""
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError:
        if os.path.lexists(target):
            return False
        source.rename(target)
    return True
