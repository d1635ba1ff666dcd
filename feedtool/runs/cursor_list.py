"""List the cursors of a kind of export, and how far each has come."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TextIO

from feedtool.ledger.cursors import CursorState
from feedtool.model.text import Translator, joined, plural, tr
from feedtool.report.as_json import Fields, write_lines, write_objects
from feedtool.report.plain import clean


def write_cursors(states: Sequence[CursorState], out: TextIO, form: str, say: Translator) -> None:
    """Write a line for each cursor, or a list of objects, or events."""
    if form == "text":
        out.writelines(clean(say(_line(state))) + "\n" for state in states)
    elif form == "json":
        write_objects(map(_fields, states), out)
    else:
        write_lines(({"type": "cursor", **_fields(state)} for state in states), out)


def _line(state: CursorState) -> str:
    cursor = state.cursor
    position = f"{cursor.position:%Y-%m-%d %H:%M} UTC" if cursor.position else tr("nowhere yet")
    facts = (
        cursor.filters,
        tr("read up to {position}", position=position),
        plural("{count:,} batch", "{count:,} batches", state.batches),
        plural("{count:,} thing", "{count:,} things", state.things),
        tr("seller {seller}", seller=cursor.seller),
    )
    return joined((cursor.name, joined(facts)), "  ")


def _fields(state: CursorState) -> Fields:
    cursor = state.cursor
    return {
        "cursor": cursor.name,
        "kind": cursor.kind,
        "service": cursor.service,
        "seller": cursor.seller,
        "filters": cursor.filters,
        "since": _time(cursor.since),
        "position": cursor.position and _time(cursor.position),
        "reconciledAt": _time(cursor.reconciled_at),
        "batches": state.batches,
        "things": state.things,
    }


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
