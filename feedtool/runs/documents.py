"""Bring the files of a list into a folder; each is whole, and replaces no other."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from shutil import copyfile

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input
from feedtool.feeds.area import FileList
from feedtool.feeds.export import (
    DIGEST,
    FILE,
    PROBLEM,
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    KeyedRow,
    KeyedRows,
    Query,
)
from feedtool.feeds.template import Basis
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.disk_list import temporary_folder
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.text import Language
from feedtool.service.fetch import FetchContext, fetch
from feedtool.sheets.atomic_write import atomic_write, cannot_write

LARGEST = 1 << 30
"""Files of more bytes are not brought."""
LONGEST_NAME, LONGEST_ENDING = 160, 40
"""The most bytes of each part of a file's name, and of its ending."""
NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows keeps for its devices."""


def bring_documents(
    documents: Documents,
    query: Query,
    rows: KeyedRows,
    index: Path,
    client: Sender,
    context: FetchContext,
) -> Iterator[KeyedRow]:
    """Yield the rows, once for each of their files, with its place or the reason it is missing.

    The files are then in the folder of the index; the caller writes the index. Errors as in
    `fetch`.
    """
    with temporary_folder() as temporary:
        reader = _Reader(documents, index, temporary)
        left: list[DocumentCall] = [*documents.calls(query, rows)]
        while left:
            fetch(left, reader, client, context)
            left, reader.again = reader.again, []
            if left and reader.wait:
                context.sleep(reader.wait.total_seconds())
                reader.wait = timedelta()
    for row in rows:
        key = documents.key(row)
        for brought in reader.brought[key]:
            yield {**row, **brought}
        if not reader.brought[key]:
            missing = reader.missing.get(key)
            yield {**row, PROBLEM: missing} if missing else row


class _Reader(Struct):
    """Write the files of each answer into the folder."""

    documents: Documents
    index: Path
    temporary: Path
    again: list[DocumentCall] = field(default_factory=list)
    wait: timedelta = timedelta()
    brought: defaultdict[str, list[dict[str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    missing: dict[str, str] = field(default_factory=dict)
    _places: dict[DocumentCall, Path] = field(default_factory=dict)

    def call(self, document: DocumentCall) -> Call:
        place = self._places.setdefault(document, self.temporary / str(len(self._places)))
        return replace(document.call, into=place, largest=document.call.largest or LARGEST)

    def take(self, document: DocumentCall, reply: Reply) -> Iterable[DocumentCall]:
        body = self._places[document]
        self._note(self.documents.read(document, reply, body))
        body.unlink()
        return ()

    def skip(
        self, document: DocumentCall, reason: str, status: int | None
    ) -> Iterable[DocumentCall]:
        self._note(self.documents.lack(document, status, reason))
        return ()

    def _note(self, answer: DocumentAnswer) -> None:
        for file in answer.files:
            self.brought[file.key].append(self._write(file))
        self.missing |= answer.missing
        self.again += answer.again
        self.wait = max(self.wait, answer.wait)

    def _write(self, file: DocumentFile) -> dict[str, str]:
        folder, name = self.index.parent, safe_name(file.name, self.index.name)
        whole = self.temporary / "whole"
        if isinstance(file.content, bytes):
            whole.write_bytes(file.content)
        else:
            whole = file.content
        sha256 = digest(whole)
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            place = _free_place(folder / name, sha256)
        except OSError as error:
            raise cannot_write(folder / name, error) from error
        if not place.exists():
            with atomic_write(place, is_private=True) as target:
                copyfile(whole, target)
        return {FILE: place.relative_to(folder).as_posix(), DIGEST: sha256}


def safe_name(name: str, taken: str = "") -> PurePosixPath:
    """Return a relative path that any system takes; it leads nowhere else, nor to `taken`."""
    first, *others = [*filter(None, map(_safe_part, re.split(r"[/\\]", name)))] or ["file"]
    is_taken = first.casefold() == taken.casefold()
    return PurePosixPath(f"_{first}" if is_taken else first, *others)


def _safe_part(part: str) -> str:
    cleaned = NOT_IN_NAMES.sub("_", part).strip(" .")
    base, ending = os.path.splitext(cleaned)  # noqa: PTH122  # a part, not a path
    cleaned = _cut(base, LONGEST_NAME).rstrip() + _cut(ending, LONGEST_ENDING)
    return f"_{cleaned}" if RESERVED.match(cleaned) else cleaned


def _cut(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")


def _free_place(path: Path, sha256: str) -> Path:
    """Return the path, numbered if another file has its place; the same file is kept."""
    place, number = path, 1
    while place.exists() and not (place.is_file() and digest(place) == sha256):
        number += 1
        place = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return place


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's content; OSError if it cannot be read."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


# Turn files that form a sheet together into a workbook with a row for each.


def with_lists(
    inputs: Sequence[Input],
    kind: str | None,
    settings: AccountSettings,
    language: Language,
    folder: Path,
) -> list[Input]:
    """Return the inputs; folders, and files that form a list, become workbooks in `folder`.

    A folder and a ZIP are a workbook each, single files are one together. `kind` is the requested
    one.
    """
    read: list[Input] = []
    single: dict[str, list[Path]] = {}
    for file in inputs:
        file_list = list_of(file.path, kind)
        if file_list is None:
            read.append(file)
        elif file.path.is_dir() or file.path.suffix.casefold() == ".zip":
            read.append(_write_listed(file_list, [file.path], settings, language, folder))
        else:
            single.setdefault(file_list.kind, []).append(file.path)
    lists = {item.kind: item for area in load().areas for item in area.file_lists}
    single_lists = (
        _write_listed(lists[name], paths, settings, language, folder)
        for name, paths in single.items()
    )
    return [*read, *single_lists]


def list_of(path: Path, kind: str | None = None) -> FileList | None:
    """Return the list that a folder is, or that a file belongs to; `kind` is the requested one."""
    try:
        is_other = path.is_file() and load().format_of(path) is not None
        return None if is_other else load().file_list_of(path, kind)
    except OSError:  # the reading reports it
        return None


def _write_listed(
    file_list: FileList,
    paths: Sequence[Path],
    settings: AccountSettings,
    language: Language,
    folder: Path,
) -> Input:
    """Write the workbook of a list, and return it as an input.

    Its place is beside the list; the paths in its rows are relative to the folder of the list.
    """
    name = paths[0] if paths[0].name else paths[0].resolve()
    if len(paths) > 1:
        shared = os.path.commonpath([path.absolute().parent for path in paths])
        name = Path(os.path.relpath(shared)) / file_list.kind
    target = folder / f"{len(list(folder.iterdir()))}.xlsx"
    write_list(file_list, paths, name.parent, target, settings, language)
    stem = name.name if paths[0].is_dir() else name.stem
    place = name.with_name(f"{stem}.xlsx" if len(paths) == 1 else f"{file_list.kind}.xlsx")
    return Input(str(name), target, place=place)


def write_list(
    file_list: FileList,
    paths: Sequence[Path],
    folder: Path,
    target: Path,
    settings: AccountSettings,
    language: Language,
) -> None:
    """Write the workbook of a list; the paths in its rows are relative to `folder`."""
    from feedtool.templates.contents import contents_of
    from feedtool.templates.rows import SheetRows, TableRows, write

    contents = contents_of(load().feeds[file_list.kind], Basis(language, Context(settings)))
    rows = TableRows(file_list.rows(paths, folder, settings))
    write(target, [SheetRows(contents, rows)], settings.reading)
