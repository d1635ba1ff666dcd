"""Parcels for people and for scripts."""

from collections.abc import Iterable
from datetime import datetime
from typing import TextIO

from feedtool.ledger.parcels import Parcel, ParcelState
from feedtool.model.text import MessageText, Translator, joined, tr
from feedtool.report.as_json import Fields, write_entries
from feedtool.report.plain import clean

WORDS = {
    ParcelState.WAITING: tr("waiting"),
    ParcelState.HELD: tr("held"),
    ParcelState.ANSWERED: tr("answered"),
    ParcelState.DROPPED: tr("dropped"),
}


def write_parcels(
    parcels: Iterable[Parcel], out: TextIO, form: str, say: Translator, now: datetime
) -> None:
    """Write a line for each parcel, or JSON (`jsonl`: an object a line)."""
    if form == "text":
        out.writelines(clean(say(line_of(parcel, now))) + "\n" for parcel in parcels)
    else:
        write_entries(map(_fields, parcels), out, form)


def line_of(parcel: Parcel, now: datetime) -> MessageText:
    """Describe a parcel in one line."""
    facts = (
        tr("Parcel {parcel}", parcel=parcel.parcel),
        f"{parcel.arrived_at:%Y-%m-%d %H:%M} UTC",
        joined(filter(None, (parcel.profile, parcel.kind)), "/"),
        parcel.name,
    )
    return joined((joined(facts), joined(_state(parcel, now))), ": ")


def _state(parcel: Parcel, now: datetime) -> Iterable[MessageText]:
    is_waiting = parcel.state is ParcelState.WAITING
    if is_waiting and parcel.begun_at:
        yield tr("in work since {at} UTC", at=f"{parcel.begun_at:%Y-%m-%d %H:%M}")
    elif parcel.state is ParcelState.ANSWERED and parcel.told_at is None:
        yield tr("answered, not delivered yet")
    else:
        yield WORDS[parcel.state]
    if is_waiting and parcel.not_before and parcel.not_before > now:
        yield tr("not before {at} UTC", at=f"{parcel.not_before:%Y-%m-%d %H:%M}")
    if parcel.priority and parcel.state is not ParcelState.ANSWERED:
        yield tr("priority {priority}", priority=parcel.priority)
    if parcel.run_id:
        yield tr("run {run}", run=parcel.run_id)


def _fields(parcel: Parcel) -> Fields:
    return {
        "parcel": parcel.parcel,
        "profile": parcel.profile,
        "kind": parcel.kind or None,
        "service": parcel.service,
        "seller": parcel.seller,
        "name": parcel.name,
        "sha256": parcel.sha256,
        "size": parcel.size,
        "origin": parcel.origin,
        "state": str(parcel.state),
        "priority": parcel.priority,
        "arrivedAt": parcel.arrived_at.isoformat(),
        "notBefore": _iso(parcel.not_before),
        "begunAt": _iso(parcel.begun_at),
        "run": None if parcel.run_id is None else str(parcel.run_id),
        "exitCode": parcel.exit_code,
        "message": parcel.message,
        "answeredAt": _iso(parcel.answered_at),
        "toldAt": _iso(parcel.told_at),
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
