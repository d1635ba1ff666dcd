"""Export lists of the service as uploads: to look at, or to edit and to send."""

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from msgspec import Struct, field
from msgspec.structs import replace
from werkzeug.datastructures import MultiDict

from feedtool.check import ReadOptions
from feedtool.feeds.export import Export, Filter, Query, moment_of
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import Language, kept_text, tr
from feedtool.page.jobs import Job
from feedtool.page.session import PageSession, now
from feedtool.page.uploads import ExportFacts, FileUpload, Uploads
from feedtool.report.file import Exported
from feedtool.runs.cursors import (
    CursorUse,
    bring,
    cursor_use,
    filters_of,
    index_in,
    query_of,
    target_of,
    value_of,
)

EXPORT = "export "
"""The beginning of the keys of jobs."""
AGAIN = tr("Export it again; nothing was written.")


class ExportRequest(NamedTuple):
    """A requested export."""

    kind: Export
    account: str
    who: str
    language: Language
    """The language of labels."""
    ending: str
    """The file's ending, such as `.xlsx`."""
    values: Mapping[str, str]
    """The filters' texts by their names; blank ones do not filter."""
    since: datetime | None = None
    """Only entries that changed then or later, of a kind with increments."""
    use: CursorUse | None = None
    """The use of a cursor; None brings all."""


def start_export(session: PageSession, request: ExportRequest) -> str:
    """Begin an export; return the id of its job, which becomes the upload's id."""
    id_ = secrets.token_urlsafe(12)
    session.jobs.start(EXPORT + id_, "delivery", partial(_export, session, id_, request))
    return id_


def archive_of(uploads: Uploads, file: FileUpload) -> Path | None:
    """The zip of an exported list and the files beside it; None without such files."""
    place = uploads.documents(file) / f"{Path(file.name).stem}.zip"
    return place if place.is_file() else None


def _export(session: PageSession, id_: str, request: ExportRequest, job: Job) -> None:
    """Write the upload, or nothing at all."""
    folder = session.uploads.folder(id_) / "file"
    folder.mkdir(mode=0o700, parents=True)
    try:
        file = _upload_of(id_, request, *_write_list(session, request, folder, job))
        if request.kind.documents:
            target = session.uploads.documents(file) / f"{request.kind.kind}.zip"
            target.parent.mkdir(mode=0o700)
            with ZipFile(target, "x", ZIP_DEFLATED) as archive:
                for path in sorted(folder.rglob("*")):
                    archive.write(path, path.relative_to(folder))
        session.uploads.save(file)
    except BaseException:
        shutil.rmtree(folder.parent, ignore_errors=True)
        raise


def _write_list(
    session: PageSession, request: ExportRequest, folder: Path, job: Job
) -> tuple[Exported, list[tuple[str, str]]]:
    """Write the list; return its facts, and notes with their labels."""
    job.report(tr("Asking the service"))
    notes: list[tuple[str, str]] = []
    if request.kind.documents:
        target = index_in(folder, request.kind)
    else:
        target = target_of(request.kind, request.use, folder).with_suffix(request.ending)
    with session.accounts.open(request.account) as opened:
        query = opened.query(request.kind, request.values)
        exported = bring(
            request.kind,
            replace(query, language=request.language, since=request.since),
            target,
            opened.session,
            opened.workspace,
            use=request.use,
            go_on=AGAIN,
            on_progress=lambda text, _: job.report(tr("{things} so far", things=text)),
            tell=lambda label, text: notes.append((label, text)),
        )
    return exported, notes


def _upload_of(
    id_: str, request: ExportRequest, exported: Exported, labelled_notes: list[tuple[str, str]]
) -> FileUpload:
    notes = [(text, "", label == "warning") for label, text in labelled_notes]
    with exported.file.open("rb") as file:
        sha256 = file_digest(file, "sha256").hexdigest()
    about = ExportFacts(
        request.kind.kind,
        exported.rows,
        [
            (kept_text(text), kept_text(hint), is_loss)
            for text, hint, is_loss in (*notes, *exported.notes)
        ],
        exported.kind if request.kind.is_sent_back and exported.rows else "",
    )
    size = exported.file.stat().st_size
    name, account, who = exported.file.name, request.account, request.who
    return FileUpload(id_, name, sha256, size, now(), account, who, export=about)


# The form of an export.


ENDING, SINCE, CURSOR, READER, PEEK = "ending", "since", "cursor", "reader", "peek"
"""The fields beside the filters; all but the first only for kinds with increments."""
OWN_READER = "page"
"""The default cursor of the page: other programs have their own."""
NEW, CHANGED = "new", "changed"
INPUTS = {"WHEN": "date", "DAY": "date", "YYYY-MM": "month"}
"""Types of inputs by the filter's metavar; others are texts."""


class FormField(NamedTuple):
    """The field of a filter."""

    entry: Filter
    texts: Sequence[str]
    """The filled-in texts: several if more than one choice is ticked."""
    error: FeedtoolError | None

    @property
    def input(self) -> str:
        return INPUTS.get(self.entry.metavar, "text")


class ExportForm(Struct, frozen=True):
    """A form, filled in or empty."""

    kind: Export
    entered: MultiDict[str, str]
    errors: Mapping[str, FeedtoolError] = field(default_factory=dict)
    """Errors by the field's name; "" for an error of the whole form."""

    @property
    def values(self) -> dict[str, str]:
        return {entry.name: ",".join(self.texts(entry)) for entry in self.kind.filters}

    @property
    def fields(self) -> list[FormField]:
        return [
            FormField(entry, self.texts(entry), self.errors.get(entry.name))
            for entry in self.kind.filters
        ]

    def texts(self, entry: Filter) -> list[str]:
        texts = (text.strip() for text in self.entered.getlist(entry.name))
        return [text for text in texts if text]

    def text(self, name: str, default: str = "") -> str:
        return self.entered.get(name, default).strip()

    @property
    def ending(self) -> str:
        """The file's ending; UsageProblem if the kind cannot be written so."""
        ending = self.text(ENDING) or self.kind.endings[0]
        if ending not in self.kind.endings:
            raise UsageProblem(tr("there is no such form of file"), tr("choose one of the list"))
        return ending

    @property
    def since(self) -> datetime | None:
        """The time since which entries have changed; UsageProblem for an invalid text."""
        text = self.text(SINCE)
        return moment_of(f"--{SINCE}")(text) if text and self.kind.increments else None

    @property
    def use(self) -> CursorUse | None:
        """The use of a cursor; UsageProblem for an invalid name."""
        mode = self.text(CURSOR) if self.kind.increments else ""
        if mode not in {NEW, CHANGED}:
            return None
        reader = self.text(READER) or OWN_READER
        return cursor_use(reader, is_changed=mode == CHANGED, is_peek=PEEK in self.entered)

    def checked(self, reading: ReadOptions, language: Language) -> "ExportForm":
        """Return the form with its errors; sends nothing to the service."""
        steps: dict[str, Callable[[], object]] = {
            entry.name: partial(value_of, entry, self.values[entry.name])
            for entry in self.kind.filters
        }
        if self.kind.increments:
            steps |= {SINCE: lambda: self.since, READER: lambda: self.use}
        errors = dict(_failures(steps))
        if not errors:
            context, channel = reading.context, reading.channel
            query = query_of(self.kind, self.values, channel, language, context)
            errors = dict(_failures({"": partial(self._check, query)}))
        return ExportForm(self.kind, self.entered, errors)

    def _check(self, query: Query) -> None:
        self.kind.check(query)
        if self.use:
            filters_of(self.kind, query, self.use)


def _failures(steps: Mapping[str, Callable[[], object]]) -> Iterator[tuple[str, FeedtoolError]]:
    for name, step in steps.items():
        try:
            step()
        except UsageProblem as error:
            yield name, error
