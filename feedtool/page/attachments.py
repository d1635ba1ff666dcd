"""The files that cells name, such as invoices: they lie beside their sheet, and are found by name.

Each lies in the folder under its name without folders. A browser tells of no folders, so a file is
matched by the last part of what a cell says. No path of a cell is ever opened: what is found is one
of the files in the folder, or nothing.
"""

import unicodedata
from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO

import msgspec

from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.files import MIB, ReadingLimits, is_of_people
from feedtool.model.settings import NotLocated
from feedtool.model.text import tr
from feedtool.page.uploads import PIECE, FileTooLarge, copy_in, plain_name
from feedtool.sheets import ZipPackage
from feedtool.sheets.atomic_write import atomic_write

LARGEST = 20 * MIB
"""Bytes of a file; no service takes a larger one."""
MOST_FILES = 5_000
"""Files that may lie beside one sheet."""
ZIP = ".zip"
SMALLER = tr("export it again, in a lower quality")
FEWER = tr("split the sheet, and bring each part with its own files")


class NamedFacts(msgspec.Struct, frozen=True):
    """What the check of a sheet has found of the files that its cells name."""

    named: int = 0
    """Files that cells name."""
    missing: tuple[str, ...] = ()
    """Those that are not here, as cells name them."""
    ambiguous: dict[str, tuple[str, ...]] = {}
    """By the key of a name what cells say, where several files are called so."""
    unnamed: tuple[str, ...] = ()
    """Files that are here, and that no cell names."""

    @property
    def is_whole(self) -> bool:
        """True if every file is here that cells name."""
        return not (self.missing or self.ambiguous)


class NamedFiles:
    """The files beside a sheet, for what its cells name; notes what they name.

    Raises NotLocated for what is not among them, and for a name that several files of the sheet
    have in different folders. The first cell with such a name is found out once the last was seen,
    so a sheet is read once more with what `keep_facts` has kept.
    """

    def __init__(self, folder: Path, facts: Path) -> None:
        """`folder` has the files; `facts` is the place of what is found of them."""
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
            raise NotLocated(
                tr("another cell names another file that is called {name}", name=_last(text)),
                tr("give each file its own name, without folders"),
            )
        if place := self._places.get(key):
            return place
        raise NotLocated(
            tr("this file was not brought"), tr("bring it under the name that the cell says")
        )

    def keep_facts(self) -> bool:
        """Keeps what was found; False where the sheet is to be read once more by that."""
        cells, places = self._cells, self._places
        ambiguous = {key: tuple(said.values()) for key, said in cells.items() if len(said) > 1}
        facts = NamedFacts(
            named=sum(map(len, cells.values())),
            missing=tuple(
                text
                for key, said in cells.items()
                if key not in places and key not in ambiguous
                for text in said.values()
            ),
            ambiguous=ambiguous,
            unnamed=tuple(place.name for key, place in places.items() if key not in cells),
        )
        with atomic_write(self._facts, is_private=True) as place:
            place.write_bytes(msgspec.json.encode(facts))
        return ambiguous.keys() <= self._known


def facts_in(place: Path) -> NamedFacts:
    """What the last check has found of the files beside a sheet."""
    if not place.is_file():
        return NamedFacts()
    return msgspec.json.decode(place.read_bytes(), type=NamedFacts)


def named_in(folder: Path) -> list[Path]:
    """The files beside a sheet, by name."""
    return sorted(it for it in folder.glob("*") if it.is_file() and not it.is_symlink())


def key_of(name: str) -> str:
    """What the names of one file share, in whatever folder it is; empty where nothing is left."""
    try:
        return _folded(plain_name(name))
    except UsageProblem:
        return ""


def add(folder: Path, name: str, content: BinaryIO, limits: ReadingLimits, most: int) -> None:
    """Lays a file into the folder beside a sheet, or each of a ZIP, in the place of its namesake.

    `most` are the bytes of all files together.

    Raises:
        FileTooLarge: a file is larger than may be, or all of them are.
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
    """Moves files beside a sheet, once there is room for all of them."""
    there = {key_of(place.name): place for place in named_in(folder)}
    whole = there | {key_of(file.name): file for file in files}
    if len(whole) > MOST_FILES:
        raise UsageProblem(tr("these are more than {count:,} files", count=MOST_FILES), FEWER)
    _refuse_more(sum(file.stat().st_size for file in whole.values()), most)
    folder.mkdir(mode=0o700, exist_ok=True)
    for file in files:
        if before := there.get(key_of(file.name)):
            before.unlink()
        file.replace(folder / file.name)


def _unpacked(archive: Path, target: Path, limits: ReadingLimits, most: int) -> list[Path]:
    """The files of a ZIP, but those of systems, in a new folder and out of all their own."""
    places: dict[str, Path] = {}
    target.mkdir(mode=0o700)
    try:
        with ZipPackage(archive, limits) as package:
            names = [it for it in package.names if is_of_people(PurePosixPath(_slashed(it)))]
            sizes = (info.file_size for it in names if (info := package.part(it)))
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


def _last(name: str) -> str:
    return _slashed(name).rpartition("/")[2]
