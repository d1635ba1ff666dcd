"""Take in files together: a sheet, the files that its cells name, or files alone.

Files that are rows of a sheet, such as invoices, become that sheet, like a folder for `submit`.
They stay beside it, so that more of them can be brought, or one of them again.
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
"""The endings of names of sheets, if other files come with them."""


def index_of_sheet(names: Sequence[str]) -> int:
    """The index of the sheet whose cells name the other files; 0 without a sheet.

    UsageProblem if several files are sheets, or two have the same name.
    """
    tables = [index for index, name in enumerate(names) if name.casefold().endswith(TABLES)]
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


def add_named(session: PageSession, file: FileUpload, name: str, content: BinaryIO) -> FileUpload:
    """Put a file, or each file of a ZIP, beside a sheet, which then has to be checked again.

    Raises the errors of `named_files.add`.
    """
    with session.accounts.reading(file.account) as reading:
        limits = reading.dialect.reading
    add(session.uploads.named(file), name, content, limits, session.body_limit)
    choices = file.choices
    if file.listed:  # the rows change
        choices = msgspec.structs.replace(choices, rows={}, as_rows=())
    return session.uploads.choose(file, choices, is_read_anew=True)


def as_list(session: PageSession, file: FileUpload, language: Language) -> FileUpload:
    """Turn a file that is a row of a sheet, or a ZIP of such files, into that sheet.

    Other files stay unchanged. Raises the errors of `named_files.add`; then nothing is kept.
    """
    place = session.uploads.input(file).path
    file_list = list_of(place)
    if file_list is None:
        return file
    stem = place.stem if place.suffix.casefold() == ZIP else file_list.kind
    listed, name = ListedFacts(file_list.kind, language), plain_name(f"{stem}.xlsx")
    try:
        with place.open("rb") as content:
            sheet = msgspec.structs.replace(file, name=name, listed=listed)
            sheet = add_named(session, sheet, file.name, content)
    except BaseException:
        session.uploads.remove(file)
        raise
    place.unlink()
    return sheet


def write_sheet(session: PageSession, file: FileUpload, settings: AccountSettings) -> None:
    """Write the sheet of an upload whose files are its rows; do nothing for other uploads."""
    if file.listed is None:
        return
    folder = session.uploads.named(file)
    lists = {item.kind: item for area in load().areas for item in area.file_lists}
    file_list, language = lists[file.listed.kind], file.listed.language
    place = session.uploads.input(file).path
    write_list(file_list, named_in(folder), folder, place, settings, language)


def copy_named(session: PageSession, file: FileUpload, before: FileUpload) -> None:
    if (folder := session.uploads.named(before)).is_dir():
        shutil.copytree(folder, session.uploads.named(file))
