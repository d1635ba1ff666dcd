"""Put the answers of parcels into their places; only then mark a parcel as told.

A pass writes the answers into this machine's folder. If another machine wrote them, or this one
crashed, they are written again from the ledger and the store.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TextIO

from msgspec.structs import replace

from feedtool.ledger.parcels import Parcel, ParcelState
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.model.text import LanguageChoice, MessageText, Translator, joined, tr
from feedtool.places.incoming import REASON, SUMMARY
from feedtool.report.as_json import Fields, write_entries
from feedtool.report.plain import clean
from feedtool.runs.deliver import results
from feedtool.runs.workspace import Workspace, options_of
from feedtool.watch.folder import Folder
from feedtool.watch.reporting import AnsweredFile, DeduplicatedLog, with_profile, write_summary
from feedtool.worker.parcel_work import clear_lane

WayOut = Callable[[str, Mapping[str, Path]], object]
"""Puts the answers of a file into their place; called again after a crash.

The arguments: the file's name, and local files by the ending that their names add to its stem."""


class AnswerDelivery:
    """Delivers the answers of parcels."""

    def __init__(
        self,
        folder: Folder,
        workspace: Workspace,
        way_out: Callable[[str], WayOut | None],
        log: DeduplicatedLog,
        now: Callable[[], datetime],
        language: LanguageChoice,
    ) -> None:
        """`way_out` returns a profile's; None if only the ledger keeps the answers."""
        self._folder, self._workspace, self._way_out = folder, workspace, way_out
        self._log, self._now, self._language = log, now, language

    def deliver(self, key: tuple[str, str]) -> None:
        """Deliver all answers of a seller; a later pass tries again those that fail."""
        for parcel in self._workspace.ledger.parcels.undelivered(key):
            self._deliver_parcel(parcel)

    def _deliver_parcel(self, parcel: Parcel) -> None:
        subject = f"way out of {parcel.profile}"
        try:
            if way_out := self._way_out(parcel.profile):
                stem = Path(parcel.name).stem
                files = self._files(parcel)
                way_out(parcel.name, {file.name.removeprefix(stem): file for file in files})
        except FeedtoolError as error:
            self._log.once(subject, "error", with_profile(parcel.profile, error))
            return
        self._log.is_over(subject)
        self._workspace.ledger.parcels.mark_delivered(parcel.parcel, self._now())
        clear_lane(self._folder, parcel.lane)

    def _files(self, parcel: Parcel) -> list[Path]:
        """The answers of a parcel, or its reason."""
        results_of, reasons = (
            part / parcel.lane for part in (self._folder.results, self._folder.error)
        )
        summary = results_of / f"{Path(parcel.name).stem}{SUMMARY}"
        if parcel.run_id is None or parcel.message is not None:
            return [self._reason(parcel, reasons)]
        if not summary.exists():
            clear_lane(self._folder, parcel.lane)
            self._write_again(parcel, results_of, summary)
        return sorted(path for path in results_of.iterdir() if path.name[0] != ".")

    def _reason(self, parcel: Parcel, folder: Path) -> Path:
        with suppress(StopIteration, OSError):
            return next(folder.glob(f"*{REASON}"))
        place = folder / parcel.name
        say = Translator(self._language.default)
        self._folder.explain(place, parcel.message or "", say)
        return place.with_name(place.name + REASON)

    def _write_again(self, parcel: Parcel, folder: Path, summary: Path) -> None:
        """Write the answers of a run that another process, or machine, has sent."""
        run = parcel.run_id or 0
        before = options_of(run, self._workspace).outputs
        targets = {name: folder / place.name for name, place in before.targets.items()}
        folder.mkdir(parents=True, exist_ok=True)
        sheets = results(
            run, self._workspace, self._now(), outputs=replace(before, targets=targets)
        )
        file = AnsweredFile(parcel.name, parcel.sha256, run, parcel.arrived_at)
        write_summary(summary, file, sheets, Exit(parcel.exit_code or 0))


# Parcels for people and for scripts.


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
