"""Files that are installed with the code."""

from importlib import import_module
from pathlib import Path, PurePath

from msgspec import Struct
from msgspec.structs import astuple


def folder_of(package: str) -> Path:
    """The folder of a Python package.

    `importlib.resources` would find it too, but importing that takes a short command longer than
    all its reading there.
    """
    return Path(import_module(package).__path__[0])


# Tell the files of people from those of systems, such as thumbs.db.


OF_SYSTEMS = frozenset(("thumbs.db", "desktop.ini", "__macosx"))
"""System files and folders without a dot at the beginning."""


def is_of_people(path: PurePath) -> bool:
    """True for a file of a person; `path` begins in a folder of a person."""
    return not any(
        part.startswith(".") or part.casefold() in OF_SYSTEMS for part in path.parts if part != ".."
    )


# Marks that feedtool writes into workbooks, and recognises when it reads them.


HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
"""The three columns that an annotated copy adds to its input."""

ROW = "feedtool row"
"""The column that a workbook of rows to correct adds to its template: the origin of each row."""

SUMMARY = "feedtool summary"
"""The sheet that an annotated workbook adds to its input."""

OURS = "feedtool."
"""The prefix of our own properties of a workbook."""
STAMP = "feedtool.template"
"""The property of a workbook with the kind of its template."""
LISTED = "feedtool.list"
"""The property of a workbook with the name of its export, if the workbook is only to look at."""


# Limits of reading.


MIB = 1 << 20


class ReadingLimits(Struct, frozen=True):
    """Limits of unpacking, in absolute sizes: a ratio would punish repetitive sheets.

    The defaults leave room for a million rows of 16 columns with inline texts.
    """

    part: int = 2048 * MIB
    """Inflated bytes of one part that is read by blocks (a sheet, the shared strings)."""
    total: int = 4096 * MIB
    """Inflated bytes of all parts together."""
    small: int = 64 * MIB
    """Inflated bytes of a part that is read whole (workbook, styles, relationships)."""
    parts: int = 20_000
    """Number of parts."""
    text: int = 8 * MIB
    """Characters of one cell, and bytes from one tag to the next."""
    strings: int = 128 * MIB
    """UTF-8 bytes of all shared strings."""
    processes: int = 2
    """1 has large sheets read by one process; else two do it, where the machine has two cores."""

    def __post_init__(self) -> None:
        if min(astuple(self)) < 1:
            raise ValueError("a limit of reading below 1 leaves no file to be read")
