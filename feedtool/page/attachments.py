"""The files that cells name, such as invoices: they are kept beside their sheet, by name.

Each is in one folder under its plain name. A browser sends no folders, so the last part of a
cell's path has to match. No path of a cell is ever opened: only files in that folder are found.
"""

import unicodedata
from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO

import msgspec

from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.files import is_users_file
from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.settings import NotLocated
from feedtool.model.text import tr
from feedtool.page.uploads import PIECE, FileTooLarge, copy_in, plain_name
from feedtool.sheets import ZipPackage
from feedtool.sheets.atomic_write import atomic_write

LARGEST = 20 * MIB
"""Most bytes of a file; no service takes a larger one."""
MOST_FILES = 5_000
"""Most files beside one sheet."""
ZIP = ".zip"
SMALLER = tr("export it again, in a lower quality")
FEWER = tr("split the sheet, and bring each part with its own files")


class NamedFacts(msgspec.Struct, frozen=True):
    """The state of the files that a sheet's cells name, by its last check."""

    named: int = 0
    """The number of files that cells name."""
    missing: tuple[str, ...] = ()
    """Files that were not brought, by the cells' text."""
    ambiguous: dict[str, tuple[str, ...]] = {}
    """The cells' texts by the key of a name that several files have."""
    unnamed: tuple[str, ...] = ()
    """Brought files that no cell names."""

    @property
    def is_whole(self) -> bool:
        return not (self.missing or self.ambiguous)


class NamedFiles:
    """Finds the files that a sheet's cells name, and notes these names.

    Raises NotLocated for a file that was not brought, and for a name that several files have in
    different folders. The second cell with such a name shows that the first one is ambiguous, so
    the sheet is read once more with the names that `keep_facts` has kept.
    """

    def __init__(self, folder: Path, facts: Path) -> None:
        """`folder` has the files; `facts` is the place of the results."""
        self._facts = facts
        self._places = {key_of(place.name): place for place in named_in(folder)}
        self._known = facts_in(facts).ambiguous.keys()
        self._cells: dict[str, dict[str, str]] = {}

    def __call__(self, path: Path) -> Path:
        """The place of the file that a cell names."""
        key, text = key_of(str(path)), str(path)
        if not key:
            raise NotLocated(tr("this names no file"), tr("write the name of a file"))
        cells = self._cells.setdefault(key, {})
        cells.setdefault(_folded(_slashed(text)), text)
        if len(cells) > 1 or key in self._known:
            name = _slashed(text).rpartition("/")[2]
            raise NotLocated(
                tr("another cell names another file that is called {name}", name=name),
                tr("give each file its own name, without folders"),
            )
        if place := self._places.get(key):
            return place
        raise NotLocated(
            tr("this file was not brought"), tr("bring it under the name that the cell says")
        )

    def keep_facts(self) -> bool:
        """Write the results; False if the sheet has to be read once more with them."""
        cells, places = self._cells, self._places
        ambiguous = {key: tuple(texts.values()) for key, texts in cells.items() if len(texts) > 1}
        facts = NamedFacts(
            named=sum(map(len, cells.values())),
            missing=tuple(
                text
                for key, texts in cells.items()
                if key not in places and key not in ambiguous
                for text in texts.values()
            ),
            ambiguous=ambiguous,
            unnamed=tuple(place.name for key, place in places.items() if key not in cells),
        )
        with atomic_write(self._facts, is_private=True) as place:
            place.write_bytes(msgspec.json.encode(facts))
        return ambiguous.keys() <= self._known


def facts_in(place: Path) -> NamedFacts:
    """The results of the last check about the files beside a sheet."""
    if not place.is_file():
        return NamedFacts()
    return msgspec.json.decode(place.read_bytes(), type=NamedFacts)


def named_in(folder: Path) -> list[Path]:
    """The files beside a sheet, by name."""
    return sorted(path for path in folder.glob("*") if path.is_file() and not path.is_symlink())


def key_of(name: str) -> str:
    """The key of a file's name in any folder and case; empty if nothing is left."""
    try:
        return _folded(plain_name(name))
    except UsageProblem:
        return ""


def add(folder: Path, name: str, content: BinaryIO, limits: ReadingLimits, most: int) -> None:
    """Put a file, or each file of a ZIP, into the folder beside a sheet, over an equal name.

    `most` limits the bytes of all files together.

    Raises:
        FileTooLarge: a file is too large, or all files together.
        UsageProblem: there are too many, a ZIP cannot be unpacked, or a file has no name.
    """
    name = unicodedata.normalize("NFC", plain_name(name))
    is_packed = name.casefold().endswith(ZIP)
    with TemporaryDirectory(dir=folder.parent, prefix=".") as coming:
        place = Path(coming, name)
        pieces = iter(partial(content.read, PIECE), b"")
        copy_in(pieces, place, *((most, FEWER) if is_packed else (LARGEST, SMALLER)))
        files = _unpacked(place, Path(coming, "unpacked"), limits, most) if is_packed else [place]
        _replace(folder, files, most)


def _replace(folder: Path, files: Sequence[Path], most: int) -> None:
    """Move files beside a sheet, if all of them fit the limits."""
    present = {key_of(place.name): place for place in named_in(folder)}
    whole = present | {key_of(file.name): file for file in files}
    if len(whole) > MOST_FILES:
        raise UsageProblem(tr("these are more than {count:,} files", count=MOST_FILES), FEWER)
    _refuse_more(sum(file.stat().st_size for file in whole.values()), most)
    folder.mkdir(mode=0o700, exist_ok=True)
    for file in files:
        if before := present.get(key_of(file.name)):
            before.unlink()
        file.replace(folder / file.name)


def _unpacked(archive: Path, target: Path, limits: ReadingLimits, most: int) -> list[Path]:
    """Unpack the files of a ZIP, without those of systems and without their folders."""
    places: dict[str, Path] = {}
    target.mkdir(mode=0o700)
    try:
        with ZipPackage(archive, limits) as package:
            names = [name for name in package.names if is_users_file(PurePosixPath(_slashed(name)))]
            sizes = (info.file_size for name in names if (info := package.part(name)))
            _refuse_more(sum(sizes), most)
            for name in names:
                place = target / unicodedata.normalize("NFC", plain_name(name))
                if places.setdefault(key_of(name), place) is not place:
                    raise UsageProblem(
                        tr(
                            "the ZIP {archive} holds two files {name}",
                            archive=archive.name,
                            name=place.name,
                        ),
                        tr("give each file its own name"),
                    )
                copy_in(package.stream(name), place, LARGEST, SMALLER)
    except FileProblem as error:
        raise UsageProblem(
            tr("the ZIP {name} cannot be unpacked: {why}", name=archive.name, why=error.message),
            tr("pack it again, or bring the files that are in it"),
        ) from error
    if not places:
        raise UsageProblem(tr("the ZIP {name} holds no file", name=archive.name))
    return [*places.values()]


def _refuse_more(size: int, most: int) -> None:
    if size > most:
        text = tr("these files have more than {count:,} MB together", count=most // MIB)
        raise FileTooLarge(text, FEWER)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _slashed(name: str) -> str:
    return name.replace("\\", "/")
