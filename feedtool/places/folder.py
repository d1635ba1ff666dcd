"""A folder of this machine, or of a share that it sees."""

import os
import secrets
import shutil
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from feedtool.model.disk import bring_folder_to_disk
from feedtool.model.errors import FileProblem, reason_of
from feedtool.model.file_version import Version, read_unchanged
from feedtool.model.text import tr
from feedtool.places.contract import Entry, Moved, PlaceRefused

TEMPORARY = ".feedtool-{}.tmp"
"""What has not taken its place yet: hidden, and unfinished by its name."""
PACKAGES = (".xlsx", ".xlsm", ".xlsb", ".ods", ".xls", ".zip")


def temporary_name() -> str:
    """A name that nobody else has."""
    return TEMPORARY.format(secrets.token_hex(6))


def entry_of(name: str, seen: os.stat_result) -> Entry:
    """A file as the system has it: by its number another one in its place is told from it."""
    return Entry(name, seen.st_size, f"{seen.st_ino}-{seen.st_mtime_ns}", seen.st_mtime_ns)


def entries_of(folder: Path, name: PurePosixPath) -> Iterator[Entry]:
    """The plain files in a folder and those below it; no links, nothing of hidden folders."""
    with os.scandir(folder) as found:
        for there in found:
            # What goes away while it is looked at was not there.
            with suppress(FileNotFoundError):
                if there.is_dir(follow_symlinks=False) and not there.name.startswith("."):
                    yield from entries_of(Path(there.path), name / there.name)
                elif there.is_file(follow_symlinks=False):
                    yield entry_of(str(name / there.name), Path(there.path).lstat())


def opens(path: Path) -> bool:
    """True for a file that is no package, or one that opens; not for one that is empty."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
            # Some programs make room first, and write the beginning later.
            is_hollow = not start.strip(b"\0")
            if not start or (is_hollow and path.suffix.casefold() in PACKAGES):
                return False
            return not start.startswith(b"PK") or zipfile.is_zipfile(file)
    except OSError:
        return False


def require_folder(folder: Path) -> None:
    """PlaceRefused where a folder is absent: a share that is not there is no empty folder."""
    if not folder.is_dir():
        raise PlaceRefused(
            tr("There is no folder {folder}.", folder=folder),
            tr("See that the name is right, and that its disk is there, or make it."),
        )


class FolderPlace:
    """A folder, which has to be there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.url = str(root)

    def listing(self, folder: str) -> list[Entry]:
        """The plain files in it; no links, which may lead anywhere."""
        with self._allowed(folder):
            return list(entries_of(self._there(folder), PurePosixPath(folder)))

    def find(self, name: str) -> Entry | None:
        """A plain file as it is now."""
        with self._allowed(name):
            return self._seen(name)

    def fetch(self, name: str, target: Path) -> Entry:
        """Its content, and which it was."""

        def copy(_: Version | None) -> Entry:
            with source.open("rb") as file, target.open("wb") as copied:
                shutil.copyfileobj(file, copied)
                return entry_of(name, os.fstat(file.fileno()))

        source = self._there(name)
        try:
            return read_unchanged(source, f"{self.url}/{name}", copy)
        except FileNotFoundError as error:
            raise gone(self.url, name) from error
        except OSError as error:
            raise self._refused(name, error) from error

    def put(self, name: str, source: Path) -> bool:
        """It takes its name whole, unless another has it."""
        place = self._there(name)
        temporary = place.with_name(temporary_name())
        with self._allowed(name):
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
        """One step, which is taken back where another file has come meanwhile."""
        source, place = self._there(entry.name), self.root / target
        with self._allowed(target):
            if self._seen(entry.name) != entry:
                return Moved.GONE
            place.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(place):
                return Moved.TAKEN
            try:
                source.rename(place)
            except FileNotFoundError:
                return Moved.GONE
            moved = self._seen(target)
            if moved and moved._replace(name=entry.name) == entry:
                bring_folder_to_disk(place.parent)
                return Moved.DONE
            _link(place, source)
            place.unlink(missing_ok=True)
        return Moved.GONE

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""
        with self._allowed(name):
            self._there(name).unlink(missing_ok=True)

    def close(self) -> None:
        """Nothing is open."""

    def _there(self, name: str) -> Path:
        """The path of a name; PlaceRefused where the folder itself is absent."""
        require_folder(self.root)
        return self.root / name

    def _seen(self, name: str) -> Entry | None:
        try:
            seen = self._there(name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return entry_of(name, seen) if stat.S_ISREG(seen.st_mode) else None

    @contextmanager
    def _allowed(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._refused(name, error) from error

    def _refused(self, name: str, error: OSError) -> PlaceRefused:
        return PlaceRefused(
            tr("{place} cannot be used: {why}.", place=self.root / name, why=reason_of(error)),
            tr("See that it is there, and that feedtool may read and write in its folder."),
        )


def gone(url: str, name: str) -> FileProblem:
    """The error of a file that is not there."""
    return FileProblem(
        tr("There is no {name} in {place}.", name=name, place=url),
        tr("See that nobody else has taken it away."),
    )


def _link(source: Path, target: Path) -> bool:
    """Give a file a second name, unless it is taken; where there are no such, its only one."""
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError:
        if os.path.lexists(target):
            return False
        source.rename(target)
    return True
