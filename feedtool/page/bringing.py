"""How files come to the page together: a sheet, the files that its cells name, or files alone.

Files that are rows of a sheet, such as invoices, become that sheet, as a folder does for `submit`.
They lie beside it, so that more of them can be brought, or one of them once more.
"""

import shutil
from collections.abc import Sequence
from typing import BinaryIO

import msgspec

from feedtool.areas.registry import load
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.model.text import Language, tr
from feedtool.page.attachments import ZIP, add, key_of, named_in
from feedtool.page.session import PageSession
from feedtool.page.uploads import FileUpload, ListedFacts, plain_name
from feedtool.runs.documents import list_of, write_list

TABLES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".csv", ".tsv", ".txt")
"""The ends of the names of what is a sheet if other files come with it."""


def place_of_sheet(names: Sequence[str]) -> int:
    """Which of several files is the sheet whose cells name the others; the first if none is one.

    UsageProblem where several are, or two have the same name.
    """
    tables = [at for at, name in enumerate(names) if name.casefold().endswith(TABLES)]
    if len(names) > 1 and len(tables) > 1:
        raise UsageProblem(
            tr("these are several tables"),
            tr("bring one of them, with the files that its cells name"),
        )
    if len({*map(key_of, names)}) < len(names):
        raise UsageProblem(
            tr("two of these files have the same name"), tr("give each file its own name")
        )
    return next(iter(tables), 0)


def bring_named(session: PageSession, file: FileUpload, name: str, content: BinaryIO) -> FileUpload:
    """Lays a file, or each file of a ZIP, beside a sheet, which is then to be checked anew.

    Raises as `named_files.add`.
    """
    with session.accounts.reading(file.account) as reading:
        limits = reading.dialect.reading
    add(session.uploads.named(file), name, content, limits, session.body_limit)
    choices = file.choices
    if file.listed:  # it gets other rows
        choices = msgspec.structs.replace(choices, rows={}, as_rows=())
    return session.uploads.choose(file, choices, is_read_anew=True)


def as_list(session: PageSession, file: FileUpload, language: Language) -> FileUpload:
    """A file that is a row of a sheet, or a ZIP of such, as that sheet; any other as it is.

    Raises as `named_files.add`; then nothing is kept.
    """
    place = session.uploads.input(file).path
    found = list_of(place)
    if found is None:
        return file
    stem = place.stem if place.suffix.casefold() == ZIP else found.kind
    listed, name = ListedFacts(found.kind, language), plain_name(f"{stem}.xlsx")
    try:
        with place.open("rb") as content:
            sheet = msgspec.structs.replace(file, name=name, listed=listed)
            sheet = bring_named(session, sheet, file.name, content)
    except BaseException:
        session.uploads.remove(file)
        raise
    place.unlink()
    return sheet


def write_sheet(session: PageSession, file: FileUpload, settings: AccountSettings) -> None:
    """Writes the sheet of files that are its rows, where it is none by itself."""
    if file.listed is None:
        return
    folder = session.uploads.named(file)
    lists = {item.kind: item for area in load().areas for item in area.file_lists}
    found, language = lists[file.listed.kind], file.listed.language
    place = session.uploads.input(file).path
    write_list(found, named_in(folder), folder, place, settings, language)


def inherit(session: PageSession, file: FileUpload, before: FileUpload) -> None:
    """Gives a corrected sheet the files that lie beside the one whose place it takes."""
    if (theirs := session.uploads.named(before)).is_dir():
        shutil.copytree(theirs, session.uploads.named(file))
