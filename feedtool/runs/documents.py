"""The files beside a list: each is brought into a folder, whole, and replaces no other."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from shutil import copyfile

from msgspec import Struct, field
from msgspec.structs import replace

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
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.spool import temporary_folder
from feedtool.service.fetch import FetchContext, fetch
from feedtool.sheets.atomic_write import atomic_write, cannot_write

LARGEST = 1 << 30
"""No file of more bytes is brought."""
LONGEST_NAME, LONGEST_ENDING = 160, 40
"""Bytes of each part of a file's name, as a system counts them."""
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
    """The rows, each as often as it has files, with the place of its file or why there is none.

    The files are then in the folder of the index, which is written by whoever asks for them; raises
    as `fetch` does.
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
    """Writes the files of each answer into the folder."""

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

    def call(self, asked: DocumentCall) -> Call:
        place = self._places.setdefault(asked, self.temporary / str(len(self._places)))
        return replace(asked.call, into=place, largest=asked.call.largest or LARGEST)

    def take(self, asked: DocumentCall, reply: Reply) -> Iterable[DocumentCall]:
        body = self._places[asked]
        self._note(self.documents.read(asked, reply, body))
        body.unlink()
        return ()

    def skip(self, asked: DocumentCall, reason: str, status: int | None) -> Iterable[DocumentCall]:
        self._note(self.documents.lack(asked, status, reason))
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
        digest = _digest(whole)
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            place = _free_place(folder / name, digest)
        except OSError as error:
            raise cannot_write(folder / name, error) from error
        if not place.exists():
            with atomic_write(place, is_private=True) as target:
                copyfile(whole, target)
        return {FILE: place.relative_to(folder).as_posix(), DIGEST: digest}


def safe_name(name: str, taken: str = "") -> PurePosixPath:
    """A relative path that any system takes, leading nowhere else, nor to what is `taken`."""
    first, *others = [*filter(None, map(_safe_part, re.split(r"[/\\]", name)))] or ["file"]
    is_taken = first.casefold() == taken.casefold()
    return PurePosixPath(f"_{first}" if is_taken else first, *others)


def _safe_part(part: str) -> str:
    cleaned = NOT_IN_NAMES.sub("_", part).strip(" .")
    base, ending = os.path.splitext(cleaned)  # noqa: PTH122  # a part, not a path
    cleaned = _cut(base, LONGEST_NAME).rstrip() + _cut(ending, LONGEST_ENDING)
    return f"_{cleaned}" if RESERVED.match(cleaned) else cleaned


def _cut(text: str, most: int) -> str:
    """As much of a text as so many bytes hold."""
    return text.encode()[:most].decode(errors="ignore")


def _free_place(wanted: Path, digest: str) -> Path:
    """The path, or with a number: where nothing is yet, or the same file."""
    place, number = wanted, 1
    while place.exists() and not (place.is_file() and _digest(place) == digest):
        number += 1
        place = wanted.with_name(f"{wanted.stem} ({number}){wanted.suffix}")
    return place


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
