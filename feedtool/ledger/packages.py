"""Packages and their uploads: between the tables' rows and the nouns of `records`."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from feedtool.ledger import tables as t
from feedtool.ledger.records import Package, Phase, Stage
from feedtool.ledger.row_results import message_of
from feedtool.model.nouns import Upload

PLAIN = tuple(
    field.name
    for field in fields(Package)
    if field.name not in {"key", "uploads", "message", "package_type", "phase", "blocked_by"}
)
"""Fields of a Package that are columns of the same name."""


def add_uploads(
    db: Connection, file: int, keys: dict[int, int], batch: Iterable[tuple[int, Upload]]
) -> None:
    """Write uploads and their requests; `keys`, package number to key, grows with new packages."""
    uploads: list[dict[str, Any]] = []
    requests: list[dict[str, Any]] = []
    further: list[dict[str, int]] = []
    for number, upload in batch:
        if number not in keys:
            first = upload.items[0]
            keys[number] = add_package(db, file, number, first.channel, first.package_type)
        place = {"package": keys[number], "upload": upload.number}
        uploads.append({**place, "stage": Stage.PLANNED})
        requests += [
            {
                **place,
                "file": file,
                "row": item.row,
                "number": item.number,
                "reference": item.reference,
                "product": item.product,
                "body": item.body,
            }
            for item in upload.items
        ]
        further += [
            {"file": file, "row": row, "first_row": item.row, "number": item.number}
            for item in upload.items
            for row in item.further_rows
        ]
    db.execute(insert(t.uploads), uploads)
    db.execute(insert(t.requests), requests)
    if further:
        db.execute(insert(t.request_rows), further)


def add_package(db: Connection, file: int, number: int, channel: str, package_type: str) -> int:
    """The key of a new package without rows."""
    values = {
        "file": file,
        "number": number,
        "channel": channel,
        "package_type": str(package_type),
        "rows": 0,
        "phase": Phase.PLANNED,
    }
    return key_of(db.execute(insert(t.packages).values(values)).inserted_primary_key)


def count_requests(db: Connection, package: int) -> None:
    """Write down how many requests a package has."""
    counted = select(func.count()).where(t.requests.c.package == package)
    db.execute(
        update(t.packages)
        .where(t.packages.c.package == package)
        .values(rows=counted.scalar_subquery())
    )


def read_packages(db: Connection, which: ColumnElement[bool]) -> list[Package]:
    """Some packages, file by file, by number."""
    stages: dict[int, list[Stage]] = {}
    for package, stage in db.execute(_STAGES.where(which)):
        stages.setdefault(package, []).append(Stage(stage))
    return [
        Package(
            key=row.package,
            uploads=tuple(stages.get(row.package, ())),
            package_type=row.package_type,
            phase=Phase(row.phase),
            message=message_of(row.message_code, row.message_text),
            **{name: getattr(row, name) for name in PLAIN},
        )
        for row in db.execute(_PACKAGES.where(which))
    ]


_STAGES = (
    select(t.uploads.c.package, t.uploads.c.stage)
    .select_from(t.uploads.join(t.package_runs))
    .order_by(*t.uploads.primary_key)
)
_PACKAGES = (
    select(t.packages).select_from(t.package_runs).order_by(t.packages.c.file, t.packages.c.number)
)


def key_of(inserted: Any) -> int:
    """The key that the database gave to a new row."""
    return int(inserted[0])
