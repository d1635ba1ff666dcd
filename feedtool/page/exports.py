"""Lists of the service that are brought onto the shelf: to look at, or to edit and to send."""

import secrets
import shutil
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from msgspec.structs import replace

from feedtool.feeds.export import Export
from feedtool.model.text import Language, kept_text, tr
from feedtool.page.desk import PageSession, now
from feedtool.page.jobs import Job
from feedtool.page.shelf import ExportFacts, FileUpload, Uploads
from feedtool.report.output_files import Exported
from feedtool.runs.cursors import CursorUse
from feedtool.runs.export_request import bring, index_in, target_of

EXPORT = "export "
"""The beginning of the keys of jobs."""
AGAIN = tr("Export it again; nothing was written.")


class ExportOrder(NamedTuple):
    """An export that is asked for."""

    kind: Export
    account: str
    who: str
    language: Language
    """Of labels."""
    ending: str
    """Of the file: `.xlsx`."""
    values: Mapping[str, str]
    """The filters by their names, as texts; blank ones ask for nothing."""
    since: datetime | None = None
    """Only what has changed then or later, of a kind that can bring what is new."""
    use: CursorUse | None = None
    """How a cursor is used; None brings all."""


def start_export(session: PageSession, order: ExportOrder) -> str:
    """Begins an export; the id of its job, and of the file that it brings onto the shelf."""
    id_ = secrets.token_urlsafe(12)
    session.jobs.start(EXPORT + id_, "delivery", partial(_shelve, session, id_, order))
    return id_


def archive_of(shelf: Uploads, file: FileUpload) -> Path | None:
    """The files beside an exported list, in a zip with the list; None where there are none."""
    place = shelf.documents(file) / f"{Path(file.name).stem}.zip"
    return place if place.is_file() else None


def _shelve(session: PageSession, id_: str, order: ExportOrder, job: Job) -> None:
    """Puts the file onto the shelf, or nothing at all."""
    folder = session.uploads.folder(id_) / "file"
    folder.mkdir(mode=0o700, parents=True)
    try:
        file = _facts(id_, order, *_brought(session, order, folder, job))
        if order.kind.documents:
            _pack(folder, session.uploads.documents(file) / f"{order.kind.kind}.zip")
        session.uploads.save(file)
    except BaseException:
        shutil.rmtree(folder.parent, ignore_errors=True)
        raise


def _brought(
    session: PageSession, order: ExportOrder, folder: Path, job: Job
) -> tuple[Exported, list[tuple[str, str]]]:
    """The file, and what else is to be known, each with its label."""
    job.tell(tr("Asking the service"))
    told: list[tuple[str, str]] = []
    with session.accounts.open(order.account) as opened:
        query = opened.query(order.kind, order.values)
        exported = bring(
            order.kind,
            replace(query, language=order.language, since=order.since),
            _target(order, folder),
            opened.session,
            opened.workspace,
            use=order.use,
            go_on=AGAIN,
            on_progress=lambda text, _: job.tell(tr("{things} so far", things=text)),
            tell=lambda label, text: told.append((label, text)),
        )
    return exported, told


def _target(order: ExportOrder, folder: Path) -> Path:
    if order.kind.documents:
        return index_in(folder, order.kind)
    return target_of(order.kind, order.use, folder).with_suffix(order.ending)


def _facts(
    id_: str, order: ExportOrder, exported: Exported, told: list[tuple[str, str]]
) -> FileUpload:
    notes = [(text, "", label == "warning") for label, text in told]
    with exported.file.open("rb") as file:
        sha256 = file_digest(file, "sha256").hexdigest()
    about = ExportFacts(
        order.kind.kind,
        exported.rows,
        [(kept_text(text), kept_text(hint), bad) for text, hint, bad in (*notes, *exported.notes)],
        exported.kind if order.kind.is_sent_back and exported.rows else "",
    )
    size = exported.file.stat().st_size
    name, account, who = exported.file.name, order.account, order.who
    return FileUpload(id_, name, sha256, size, now(), account, who, export=about)


def _pack(folder: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700)
    with ZipFile(target, "x", ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
