"""The uploads of the page, each in a folder with all files made from it.

HOME/page/ID/
    facts.json     the facts: name, account, choices, plan, run
    file/NAME      the upload, unchanged
    named/NAME     the files that its cells name, or that are its rows
    recipe.toml    the meaning of its columns, if that was chosen
    plan.jsonl     the plan that was shown
    documents/     the documents that an export has brought beside it
    read-TOKEN/    files made by the present choices of reading
        NAME           the sheet, if it is made from files that are its rows
        named.json     the state of the files that its cells name
        grid.sqlite    the rows for the browser
        copies/        copies to download
"""

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple

import msgspec

from feedtool.check import Input
from feedtool.feeds.selection import ReleasedGuard
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import Language, tr
from feedtool.report.plain import clean
from feedtool.sheets.atomic_write import atomic_write

ID = re.compile(r"[A-Za-z0-9_-]{16}")
PIECE = 1 << 20
"""Bytes that are read at a time."""
LONGEST_NAME = 180
"""Most bytes of a name in UTF-8: copies add a word to it, and systems allow 255."""
OWN = 0o600
FACTS, READ = "facts.json", "read-"
UNREADABLE = (OSError, ValueError, UsageProblem)
"""Errors of facts that are missing, half written, or changed by other programs."""


class NotHere(UsageProblem):
    """The file, run or job does not exist."""

    def __init__(self, message: str = "", hint: str = "") -> None:
        super().__init__(message or tr("There is nothing at this address."), hint)


class FileTooLarge(FeedtoolError):
    """A file is too large."""


class RunFile(msgspec.Struct, frozen=True):
    """A file of a run."""

    run: int
    name: str
    """The file's name in the run."""


class Choices(msgspec.Struct, frozen=True, omit_defaults=True):
    """The choices for a file; the options of `submit` have the same names."""

    kind: str | None = None
    sheets: tuple[str, ...] = ()
    has_recipe: bool = False
    """True if `recipe.toml` has the meaning of its columns."""
    as_rows: tuple[int, ...] = ()
    changed_only: bool | None = None
    """None: the account's setting counts."""
    rows: dict[str, str] = {}
    """The only rows to send by sheet, such as `2-5,9`; empty: all."""
    releases: tuple[ReleasedGuard, ...] = ()
    """The guards whose rows are sent all the same."""
    all_or_nothing: bool = False
    purges: bool = False
    """True if the service has to remove everything that is not in the file."""
    as_in: RunFile | None = None
    """The file of an earlier run that this file repeats; it is read like then."""


class ExportFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The facts of an exported file."""

    kind: str
    """The kind of the export."""
    rows: int
    notes: list[tuple[str, str, bool]] = []
    """Triples: the note and the advice, both by `kept_text`, and True for a loss."""
    sent_as: str = ""
    """The kind of feed as which its rows can be sent; empty if they cannot."""


class ListedFacts(msgspec.Struct, frozen=True):
    """The facts of a sheet that was made from files, with a row for each."""

    kind: str
    language: Language
    """The language of labels."""


class FileUpload(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that was uploaded or exported."""

    id: str
    name: str
    sha256: str
    size: int
    at: Annotated[datetime, msgspec.Meta(tz=True)]
    account: str
    """The name of its account."""
    who: str
    replaces: str = ""
    """The id of the upload that it corrects."""
    choices: Choices = Choices()
    reading: str = ""
    """A new token with each choice of reading, so that files made before do not count."""
    run: int | None = None
    """The run that has sent it."""
    export: ExportFacts | None = None
    """None if the file was not exported by the page."""
    listed: ListedFacts | None = None
    """None if the file is a sheet itself."""


class OldFolder(NamedTuple):
    """An old folder of an upload or a run."""

    name: str
    """The id of the upload, or the number of the run."""
    folder: Path
    run: int | None
    """The run that needs the folder until it is finished."""


class Uploads:
    """The folder of uploads, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def take_in(  # the facts of a file
        self,
        name: str,
        content: BinaryIO,
        *,
        limit: int,
        account: str,
        who: str,
        at: datetime,
        replaces: str = "",
    ) -> FileUpload:
        """Keep a new file.

        Raises:
            FileTooLarge: it has more bytes than `limit`; nothing is kept.
            UsageProblem: it has no name.
        """
        name, id_ = plain_name(name), secrets.token_urlsafe(12)
        place = self.folder(id_) / "file" / name
        place.parent.mkdir(mode=0o700, parents=True)
        try:
            pieces = iter(partial(content.read, PIECE), b"")
            hint = tr("split it into several files")
            sha256, size = copy_in(pieces, place, limit, hint)
            with place.open("rb+") as copy:
                os.fsync(copy.fileno())  # the facts must not outlive the file in a crash
        except BaseException:
            shutil.rmtree(self.folder(id_), ignore_errors=True)
            raise
        file = FileUpload(id_, name, sha256, size, at, account, who, replaces)
        self.save(file)
        return file

    def save(self, file: FileUpload) -> FileUpload:
        with atomic_write(self.folder(file.id) / FACTS, is_private=True) as place:
            place.write_bytes(msgspec.json.encode(file))
        return file

    def choose(self, file: FileUpload, choices: Choices, *, is_read_anew: bool) -> FileUpload:
        """Keep other choices for a file, and remove files made by earlier ones."""
        folder = self.folder(file.id)
        for made in ("plan.jsonl", "plan.json"):
            (folder / made).unlink(missing_ok=True)
        reading = secrets.token_hex(8) if is_read_anew else file.reading
        chosen = self.save(msgspec.structs.replace(file, choices=choices, reading=reading))
        for place in folder.glob(f"{READ}*/"):
            if place != self._made(chosen):
                shutil.rmtree(place, ignore_errors=True)
        return chosen

    def remove(self, file: FileUpload) -> None:
        shutil.rmtree(self.folder(file.id), ignore_errors=True)

    def file(self, id_: str) -> FileUpload:
        """Return a file by its id; NotHere if it is unknown, or its facts cannot be read."""
        hint = tr("bring it again; runs keep what was sent")
        try:
            if ID.fullmatch(id_):
                return self._read(id_)
        except FileNotFoundError:
            pass
        except UNREADABLE as error:
            raise NotHere(tr("the stored data of this file cannot be read"), hint) from error
        raise NotHere(tr("this file is no longer here"), hint)

    def folder(self, id_: str) -> Path:
        return self._folder / id_

    def input(self, file: FileUpload) -> Input:
        folder = self._made(file) if file.listed else self.folder(file.id) / "file"
        return Input(file.name, folder / file.name)

    def named(self, file: FileUpload) -> Path:
        return self.folder(file.id) / "named"

    def named_facts(self, file: FileUpload) -> Path:
        return self._made(file) / "named.json"

    def recipe(self, file: FileUpload) -> Path:
        return self.folder(file.id) / "recipe.toml"

    def grid(self, file: FileUpload) -> Path:
        return self._made(file) / "grid.sqlite"

    def copies(self, file: FileUpload) -> Path:
        return self._made(file) / "copies"

    def documents(self, file: FileUpload) -> Path:
        return self.folder(file.id) / "documents"

    def files(self) -> list[FileUpload]:
        files = filter(None, (self._known(place.name) for place in self._folder.glob("*/")))
        return sorted(files, key=lambda file: file.at, reverse=True)

    def old_folders(self, before: datetime, quiet_since: datetime) -> Iterator[OldFolder]:
        """Yield folders of uploads and runs from `before`, not changed since `quiet_since`.

        If an upload's facts cannot be read, the folder's last change counts as its time.
        """
        for place in (*self._folder.glob("*/"), *self._folder.glob("runs/*/")):
            if place.name == "runs":
                continue
            with suppress(OSError):  # another page has removed it
                changed = datetime.fromtimestamp(place.stat().st_mtime, UTC)
                is_of_run = place.parent != self._folder
                file = None if is_of_run else self._known(place.name)
                if changed < quiet_since and (file.at if file else changed) < before:
                    run = int(place.name) if is_of_run and place.name.isdecimal() else None
                    yield OldFolder(place.name, place, file.run if file else run)

    def _known(self, id_: str) -> FileUpload | None:
        """A file by its id; None if its facts cannot be read."""
        with suppress(*UNREADABLE):
            return self._read(id_)
        return None

    def _read(self, id_: str) -> FileUpload:
        """Read the facts of a file; raises one of UNREADABLE."""
        file = msgspec.json.decode((self.folder(id_) / FACTS).read_bytes(), type=FileUpload)
        if (file.id, file.name) != (id_, plain_name(file.name)):
            raise ValueError(id_)
        return file

    def _made(self, file: FileUpload) -> Path:
        return self.folder(file.id) / f"{READ}{file.reading}"


def plain_name(path: str) -> str:
    """The name of a file without any folder; UsageProblem if nothing is left."""
    last = path.replace("\\", "/").rpartition("/")[2]
    name = clean(last.replace("\0", "").replace(":", "_")).strip(". ")  # a: is a drive on Windows
    stem, dot, suffix = name.rpartition(".")
    longest = LONGEST_NAME - len(f"{dot}{suffix}".encode())
    if not name or longest < 1:
        raise UsageProblem(tr("this file has no name"), tr("give it one, such as offers.xlsx"))
    cut = (stem or name).encode()[:longest].decode("utf-8", "ignore")
    return f"{cut}{dot}{suffix}" if stem else cut


def copy_in(pieces: Iterable[bytes], place: Path, limit: int, hint: str) -> tuple[str, int]:
    """Write a new file, readable by its owner alone; return its SHA-256 and its size.

    FileTooLarge, with this hint, if it has more bytes than `limit`.
    """
    digest, size = hashlib.sha256(), 0
    with open(place, "xb", opener=partial(os.open, mode=OWN)) as copy:
        for piece in pieces:
            size += len(piece)
            if size > limit:
                name, most = place.name, limit >> 20
                text = tr("the file {name} has more than {count:,} MB", name=name, count=most)
                raise FileTooLarge(text, hint)
            digest.update(piece)
            copy.write(piece)
    return digest.hexdigest(), size
