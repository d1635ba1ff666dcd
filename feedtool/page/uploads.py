"""The files that were brought to the page, each in a folder with all that is made of it.

HOME/page/ID/
    facts.json     what is known of it: name, account, choices, plan, run
    file/NAME      the file as it came
    named/NAME     the files that its cells name, or that are its rows
    recipe.toml    what its columns are, where that was chosen
    plan.jsonl     the plan that was shown
    documents/     what an export has brought beside it
    read-TOKEN/    what was made of it as it is read now
        NAME           the sheet, where it is made of files that are its rows
        named.json     which of the files are here that its cells name
        grid.sqlite    what the browser shows of it
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

from feedtool.areas.offers.changes.selection import ReleasedGuard
from feedtool.check import Input
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import Language, tr
from feedtool.report.plain import clean
from feedtool.sheets.atomic_write import atomic_write

ID = re.compile(r"[A-Za-z0-9_-]{16}")
PIECE = 1 << 20
"""Bytes that are read at a time."""
LONGEST_NAME = 180
"""Bytes of a name in UTF-8: copies add a word to it, and systems take 255."""
OWN = 0o600
FACTS, READ = "facts.json", "read-"
UNREADABLE = (OSError, ValueError, UsageProblem)
"""What facts give that are not there, were half written, or changed by another hand."""


class NotHere(UsageProblem):
    """There is no such file, run or job."""


class FileTooLarge(FeedtoolError):
    """A file is larger than may be read."""


class RunFile(msgspec.Struct, frozen=True):
    """A file of a run."""

    run: int
    name: str
    """As the run knows it."""


class Choices(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was chosen for a file; the options of `submit` have the same names."""

    kind: str | None = None
    sheets: tuple[str, ...] = ()
    has_recipe: bool = False
    """True if `recipe.toml` says what its columns are."""
    as_rows: tuple[int, ...] = ()
    changed_only: bool | None = None
    """None is as the account has it."""
    rows: dict[str, str] = {}
    """By sheet the rows that alone are sent, as `2-5,9`; none: all."""
    releases: tuple[ReleasedGuard, ...] = ()
    """The guards whose rows are sent all the same."""
    all_or_nothing: bool = False
    purges: bool = False
    """True if all that is not in the file is to be removed at the service."""
    as_in: RunFile | None = None
    """The file of a run that it is; it is read as it was then."""


class ExportFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a file that was exported."""

    kind: str
    """Of the export."""
    rows: int
    notes: list[tuple[str, str, bool]] = []
    """Each is what to know, what to do, and whether it is a loss; as `kept_text` makes them."""
    sent_as: str = ""
    """The kind of feed that its rows go back as; empty where they do not."""


class ListedFacts(msgspec.Struct, frozen=True):
    """What is known of a sheet that was made of files, with a row for each."""

    kind: str
    language: Language
    """Of labels."""


class FileUpload(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file on the shelf."""

    id: str
    name: str
    sha256: str
    size: int
    at: Annotated[datetime, msgspec.Meta(tz=True)]
    account: str
    """The name of the account that it is for."""
    who: str
    replaces: str = ""
    """The id of the file that it corrects."""
    choices: Choices = Choices()
    reading: str = ""
    """A new one with each choice of how it is read: nothing is taken for what was made before."""
    run: int | None = None
    """The run that has sent it."""
    export: ExportFacts | None = None
    """None of a file that was brought from elsewhere."""
    listed: ListedFacts | None = None
    """None of a file that is a sheet by itself."""


class OldFolder(NamedTuple):
    """What was brought, or made of a run, some time ago."""

    name: str
    """The id of the file, or the number of the run."""
    folder: Path
    run: int | None
    """The run that it is needed for until that is finished."""


class Uploads:
    """A folder of files, readable by its owner alone."""

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
        """Keeps a file as it comes in.

        Raises:
            FileTooLarge: it has more bytes than `limit`; nothing of it is kept.
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
                os.fsync(copy.fileno())  # what is known of it is not to outlive it
        except BaseException:
            shutil.rmtree(self.folder(id_), ignore_errors=True)
            raise
        file = FileUpload(id_, name, sha256, size, at, account, who, replaces)
        self.save(file)
        return file

    def save(self, file: FileUpload) -> FileUpload:
        """Keeps what is known of a file now."""
        with atomic_write(self.folder(file.id) / FACTS, is_private=True) as place:
            place.write_bytes(msgspec.json.encode(file))
        return file

    def choose(self, file: FileUpload, choices: Choices, *, is_read_anew: bool) -> FileUpload:
        """Keeps other choices for a file, and removes what was made by those before."""
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
        """Removes a file with all that was made of it."""
        shutil.rmtree(self.folder(file.id), ignore_errors=True)

    def file(self, id_: str) -> FileUpload:
        """A file by its id; NotHere where there is none, or nothing can be known of it."""
        hint = tr("bring it again; runs keep what was sent")
        try:
            if ID.fullmatch(id_):
                return self._read(id_)
        except FileNotFoundError:
            pass
        except UNREADABLE as error:
            raise NotHere(tr("what is known of this file cannot be read"), hint) from error
        raise NotHere(tr("this file is no longer here"), hint)

    def folder(self, id_: str) -> Path:
        """The folder of a file."""
        return self._folder / id_

    def input(self, file: FileUpload) -> Input:
        """A file to be read, under its own name."""
        folder = self._made(file) if file.listed else self.folder(file.id) / "file"
        return Input(file.name, folder / file.name)

    def named(self, file: FileUpload) -> Path:
        """The folder of the files that its cells name."""
        return self.folder(file.id) / "named"

    def named_facts(self, file: FileUpload) -> Path:
        """Where it is said which of these are here."""
        return self._made(file) / "named.json"

    def recipe(self, file: FileUpload) -> Path:
        """Where it is said what the columns of a file are, if that was chosen."""
        return self.folder(file.id) / "recipe.toml"

    def grid(self, file: FileUpload) -> Path:
        """The place of what the browser shows of a file as it is read now."""
        return self._made(file) / "grid.sqlite"

    def copies(self, file: FileUpload) -> Path:
        """The folder of copies of a file as it is read now."""
        return self._made(file) / "copies"

    def documents(self, file: FileUpload) -> Path:
        """The folder of what was exported beside a file."""
        return self.folder(file.id) / "documents"

    def files(self) -> list[FileUpload]:
        """All files, the newest first."""
        files = filter(None, (self._known(place.name) for place in self._folder.glob("*/")))
        return sorted(files, key=lambda file: file.at, reverse=True)

    def old_folders(self, before: datetime, quiet_since: datetime) -> Iterator[OldFolder]:
        """What was brought, or made of runs, before a moment, and has been quiet for a while.

        Of what nothing can be known it counts when it was changed.
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
        """A file by its id; None where nothing can be known of it."""
        with suppress(*UNREADABLE):
            return self._read(id_)
        return None

    def _read(self, id_: str) -> FileUpload:
        """Reads what is known of a file; one of UNREADABLE where it cannot be."""
        file = msgspec.json.decode((self.folder(id_) / FACTS).read_bytes(), type=FileUpload)
        if (file.id, file.name) != (id_, plain_name(file.name)):
            raise ValueError(id_)
        return file

    def _made(self, file: FileUpload) -> Path:
        return self.folder(file.id) / f"{READ}{file.reading}"


def plain_name(given: str) -> str:
    """The name of a file without any folder; UsageProblem where nothing is left."""
    last = given.replace("\\", "/").rpartition("/")[2]
    name = clean(last.replace("\0", "").replace(":", "_")).strip(". ")  # a: is a drive on Windows
    stem, dot, suffix = name.rpartition(".")
    longest = LONGEST_NAME - len(f"{dot}{suffix}".encode())
    if not name or longest < 1:
        raise UsageProblem(tr("this file has no name"), tr("give it one, such as offers.xlsx"))
    cut = (stem or name).encode()[:longest].decode("utf-8", "ignore")
    return f"{cut}{dot}{suffix}" if stem else cut


def copy_in(pieces: Iterable[bytes], place: Path, limit: int, hint: str) -> tuple[str, int]:
    """Writes a new file, for its owner alone; its SHA-256 and its size.

    FileTooLarge, with this hint, where it has more bytes than `limit`.
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
