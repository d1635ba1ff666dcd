"""Folders, ZIPs and single files as rows of invoices: `FILE_LIST`.

Each file is a row, and its order is the one that it is named after. The files of a ZIP are rows of
their own, by a path that leads into it.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from feedtool.areas.invoices.contents import FILE, UBL, names_in
from feedtool.areas.invoices.feeds import KIND, ORDER
from feedtool.areas.invoices.settings import InvoiceSettings
from feedtool.feeds.area import FileList
from feedtool.model.cells import Value
from feedtool.model.errors import FileProblem
from feedtool.model.files import is_users_file
from feedtool.model.limits import ReadingLimits
from feedtool.model.settings import AccountSettings

PDF, XML, ZIP = ".pdf", ".xml", ".zip"
DOCUMENTS = (PDF, XML)
_START = 1 << 12


def takes(path: Path) -> bool:
    """True for a folder or ZIP of nothing but invoices by name, for a PDF, and for UBL."""
    if path.is_dir():
        files = [*_files(path)]
        return bool(files) and all(_suffix(file) in (*DOCUMENTS, ZIP) for file in files)
    if _suffix(path) == XML:
        with path.open("rb") as file:
            return UBL.encode() in file.read(_START)
    inner = _inner(path, ReadingLimits())
    return _suffix(path) == PDF or (
        bool(inner) and all(_suffix(file) in DOCUMENTS for file in inner)
    )


def may_take(path: Path) -> bool:
    """True for folders, and for files with the name of an invoice."""
    return path.is_dir() or _suffix(path) in (*DOCUMENTS, ZIP)


def rows(paths: Iterable[Path], folder: Path, settings: AccountSettings) -> list[dict[str, Value]]:
    """A row for each file, sorted by name; paths begin in a folder."""
    files = (file for path in paths for file in (_files(path) if path.is_dir() else (path,)))
    names = sorted(
        Path(os.path.relpath(inner, folder)).as_posix()
        for file in files
        for inner in _inner(file, settings.reading) or [file]
    )
    pattern = settings.of(InvoiceSettings).invoice_name
    return [{ORDER: order_of(name, pattern), FILE: name} for name in names]


def order_of(name: str, pattern: str) -> str:
    """The order that a file is named after; "" if the name does not fit the pattern."""
    last = name.rpartition("/")[2]
    match = re.fullmatch(pattern, last) if pattern else re.fullmatch(r"(.+?)(?:\.[^.]*)?", last)
    return match[1] if match else ""


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder, and of those in it."""
    for path in folder.rglob("*"):
        if path.is_file() and is_users_file(path.relative_to(folder)):
            yield path


def _inner(file: Path, limits: ReadingLimits) -> list[Path]:
    """The files of a ZIP; none if it is no ZIP, or unreadable."""
    try:
        names = names_in(file, limits) if _suffix(file) == ZIP else ()
        return [file / name for name in names if is_users_file(Path(name))]
    except (FileProblem, OSError):  # reported when its content is read
        return []


def _suffix(path: Path) -> str:
    return path.suffix.casefold()


FILE_LIST = FileList(KIND, takes, may_take, rows)
