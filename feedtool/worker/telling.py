"""The answers of parcels are put into their places; only then is a parcel marked as told.

A pass writes them into this machine's folder. Where another machine wrote them, or this one has
crashed, they are written again from the ledger and the store.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from feedtool.ledger.parcels import Parcel
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.model.text import LanguageChoice, Translator
from feedtool.places.answers import SUMMARY
from feedtool.places.arrivals import REASON
from feedtool.runs.deliver import results
from feedtool.runs.workspace import Workspace, options_of
from feedtool.watch.folder import Folder
from feedtool.watch.messages import DeduplicatedLog, Summarised, of_profile, write_summary
from feedtool.worker.parcel_work import clear_lane

WayOut = Callable[[str, Mapping[str, Path]], object]
"""Puts the answers of a file into their place; called again after a crash.

It is given the file's name, and local files by what their names add to its stem."""


class Teller:
    """Tells the answers of parcels."""

    def __init__(
        self,
        folder: Folder,
        workspace: Workspace,
        way_out: Callable[[str], WayOut | None],
        log: DeduplicatedLog,
        now: Callable[[], datetime],
        language: LanguageChoice,
    ) -> None:
        """`way_out` gives that of a profile; None where only the ledger keeps the answers."""
        self._folder, self._workspace, self._way_out = folder, workspace, way_out
        self._log, self._now, self._language = log, now, language

    def tell(self, key: tuple[str, str]) -> None:
        """Tell all answers of a seller; what cannot be told now is told with a later pass."""
        for parcel in self._workspace.ledger.parcels.untold(key):
            self._tried(parcel)

    def _tried(self, parcel: Parcel) -> None:
        subject = f"way out of {parcel.profile}"
        try:
            if way_out := self._way_out(parcel.profile):
                way_out(parcel.name, self._answers(parcel))
        except FeedtoolError as error:
            self._log.once(subject, "error", of_profile(parcel.profile, error))
            return
        self._log.is_over(subject)
        self._workspace.ledger.parcels.tell(parcel.parcel, self._now())
        clear_lane(self._folder, parcel.lane)

    def _answers(self, parcel: Parcel) -> dict[str, Path]:
        """The files that answer a parcel, or the reason, by what their names add to its stem."""
        stem = Path(parcel.name).stem
        return {file.name.removeprefix(stem): file for file in self._files(parcel)}

    def _files(self, parcel: Parcel) -> list[Path]:
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
        """The answers of a run that another process, or machine, has sent."""
        run = parcel.run_id or 0
        before = options_of(run, self._workspace).outputs
        targets = {name: folder / place.name for name, place in before.targets.items()}
        folder.mkdir(parents=True, exist_ok=True)
        found = results(run, self._workspace, self._now(), outputs=replace(before, targets=targets))
        file = Summarised(parcel.name, parcel.sha256, run, parcel.arrived_at)
        write_summary(summary, file, found, Exit(parcel.exit_code or 0))
