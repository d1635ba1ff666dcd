"""Between the tables' rows and the nouns of `records` and `model`."""

import json
from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, and_, insert, select

from feedtool.ledger import tables as t
from feedtool.ledger.records import Package, Phase, Stage
from feedtool.ledger.row_results import RowFacts
from feedtool.model.nouns import Message, PackageSummary, Severity, Status, Upload

_REMEMBERED = 4096
"""Different messages that are remembered as text, and as what it says."""

PLAIN = tuple(
    field.name
    for field in fields(Package)
    if field.name not in {"key", "uploads", "message", "package_type", "phase", "blocked_by"}
)
"""Fields of a Package that are columns of the same name."""

FACTS = (
    select(
        t.rows.c.row,
        t.rows.c.reference,
        t.rows.c.fate,
        t.rows.c.fate_text,
        t.packages.c.phase,
        t.packages.c.package_id,
        t.packages.c.state,
        t.packages.c.committed_at.is_not(None).label("is_committed"),
        t.packages.c.message_code,
        t.packages.c.message_text,
        t.uploads.c.stage,
        t.uploads.c.message_code.label("upload_code"),
        t.uploads.c.message_text.label("upload_text"),
        t.results.c.status,
        t.results.c.messages,
    )
    .select_from(
        t.rows.join(t.packages, t.rows.c.package == t.packages.c.package)
        .join(
            t.uploads,
            and_(t.rows.c.package == t.uploads.c.package, t.rows.c.upload == t.uploads.c.upload),
        )
        .outerjoin(
            t.results,
            and_(
                t.rows.c.package == t.results.c.package,
                t.rows.c.reference == t.results.c.reference,
            ),
        )
    )
    .order_by(t.rows.c.row)
)
"""All that a row's verdict depends on."""


def add_uploads(
    db: Connection, file: int, keys: dict[int, int], batch: Iterable[tuple[int, Upload]]
) -> None:
    """Write uploads and their rows; `keys`, package number to key, grows with new packages."""
    uploads: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for number, upload in batch:
        if number not in keys:
            keys[number] = _add_package(db, file, number, upload)
        place = {"package": keys[number], "upload": upload.number}
        uploads.append({**place, "stage": Stage.PLANNED})
        rows += [
            {
                **place,
                "file": file,
                "row": item.row,
                "reference": item.reference,
                "product": item.product,
                "body": item.body,
            }
            for item in upload.items
        ]
    db.execute(insert(t.uploads), uploads)
    db.execute(insert(t.rows), rows)


def _add_package(db: Connection, file: int, number: int, upload: Upload) -> int:
    values = {
        "file": file,
        "number": number,
        "channel": upload.items[0].channel,
        "package_type": str(upload.items[0].package_type),
        "rows": 0,
        "phase": Phase.PLANNED,
    }
    return key_of(db.execute(insert(t.packages).values(values)).inserted_primary_key)


def package_of(row: Any, stages: tuple[Stage, ...]) -> Package:
    """A package from its columns and the stages of its uploads."""
    return Package(
        key=row.package,
        uploads=stages,
        package_type=row.package_type,
        phase=Phase(row.phase),
        message=_message(row.message_code, row.message_text),
        **{name: getattr(row, name) for name in PLAIN},
    )


def stages_of(found: Iterable[Any]) -> dict[int, tuple[Stage, ...]]:
    """By package, from rows (package, stage) in the order of the uploads."""
    stages: dict[int, list[Stage]] = {}
    for package, stage in found:
        stages.setdefault(package, []).append(Stage(stage))
    return {package: tuple(held) for package, held in stages.items()}


def summary_of(row: Any) -> PackageSummary:
    """A package for the user."""
    return PackageSummary(
        package_id=row.package_id,
        package_type=row.package_type,
        channel=row.channel,
        state=row.state,
        rows=row.rows,
        uploads=row.uploads,
    )


def facts_of(row: Any) -> RowFacts:
    """A row of FACTS. Unpacked by position, since there are as many as the sheet has rows."""
    number, reference, fate, why, phase, package_id, state, is_committed, *rest = row
    package_code, package_text, stage, code, text, status, messages = rest
    return RowFacts(
        row=number,
        reference=reference,
        fate=_STATUSES.get(fate),
        why=why or "",
        phase=_PHASES[phase],
        package_id=package_id,
        state=state,
        is_committed=bool(is_committed),
        package_message=_message(package_code, package_text),
        stage=_STAGES[stage],
        upload_message=_message(code, text),
        status=_STATUSES[status] if status else None,
        messages=messages_of(messages) if messages else (),
    )


# Most rows are told much the same, and there are as many as the sheet has rows.


@lru_cache(_REMEMBERED)
def messages_as_text(messages: tuple[Message, ...]) -> str:
    """Messages as they are kept; `messages_of` reads them again."""
    return json.dumps([*map(_kept, messages)], ensure_ascii=False)


@lru_cache(_REMEMBERED)
def messages_of(told: str) -> tuple[Message, ...]:
    """What `messages_as_text` made a text of."""
    return tuple(map(_told, json.loads(told)))


_PHASES = {str(phase): phase for phase in Phase}
_STAGES = {str(stage): stage for stage in Stage}
_STATUSES = {str(status): status for status in Status}


def _told(parts: list[str]) -> Message:
    """A message as it is kept: its code and text, and what else there is of it."""
    code, text, *more = parts
    return Message(code, text, more[0], Severity(more[1])) if more else Message(code, text)


def _kept(message: Message) -> tuple[str, ...]:
    is_plain = not message.field and message.severity is Severity.ERROR
    return (message.code, message.text) if is_plain else message


def key_of(inserted: Any) -> int:
    """The key that the database gave to a new row."""
    return int(inserted[0])


def _message(code: str | None, text: str | None) -> Message | None:
    return None if code is None and text is None else Message(code or "", text or "")
