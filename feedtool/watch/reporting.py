"""A watcher's output: lines, summaries, errors, and `health.json` for monitors.

Two watchers of one folder write the same `health.json`. The last turn of either counts, so the
folder counts as watched as long as one of them runs.
"""

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from feedtool.ledger.claims import EarlierClaim
from feedtool.model.errors import (
    EXIT_PRECEDENCE,
    Exit,
    FeedtoolError,
    FileProblem,
    UsageProblem,
    reason_of,
)
from feedtool.model.text import joined, kept_text, plural, text_of_kept, tr
from feedtool.report.as_json import Fields, notice_fields
from feedtool.report.sheet_result import SheetResult
from feedtool.report.statuses import statuses_text
from feedtool.report.tally import Totals
from feedtool.sheets.atomic_write import atomic_write

Echo = Callable[[str, str], None]
"""Called with a word for the event, and one line."""


class DeduplicatedLog:
    """Lines about the watcher, each only once while its state stays. Threads may share it."""

    def __init__(self, echo: Echo) -> None:
        self.echo = echo
        self._last: dict[str, str] = {}

    def once(self, key: str, label: str, text: str) -> None:
        """Echo a line, unless it was the last one under this key."""
        if self._last.get(key) != text:
            self._last[key] = text
            self.echo(label, text)

    def is_over(self, key: str) -> None:
        self._last.pop(key, None)


class AnsweredFile(NamedTuple):
    """A file for whose answers a summary is written."""

    name: str
    """The name under which the user brought it."""
    sha256: str
    run: int | None
    taken_at: datetime


def write_summary(
    place: Path, file: AnsweredFile, outcomes: Sequence[SheetResult], code: Exit
) -> None:
    """Write a summary whole, over an earlier one; UsageProblem if it cannot be written."""
    fields = {
        "file": file.name,
        "sha256": file.sha256,
        "run": None if file.run is None else str(file.run),
        "exitCode": int(code),
        "takenAt": file.taken_at.isoformat(),
        "sheets": [*map(_sheet, outcomes)],
    }
    with atomic_write(place) as temporary:
        temporary.write_text(json.dumps(fields, indent=2, ensure_ascii=False) + "\n", "utf-8")


def reason_lines(error: FeedtoolError, more: str = "") -> str:
    """The reason why a file is not sent, and the remedy, on lines of their own."""
    return joined(filter(None, (error.message, error.hint, more)), "\n")


def with_profile(profile: str | None, trouble: FeedtoolError) -> str:
    """Describe the trouble of a profile, or of the command line's account."""
    if not profile:
        return trouble.message
    return tr("profile {profile}: {why}", profile=profile, why=trouble.message)


def totals_line(results: Sequence[SheetResult]) -> str:
    """Sum up all sheets as `12 rows: 9 Integrated, 2 Rejected, 1 Invalid`."""
    totals = Totals()
    for result in results:
        totals.add(result, result.counts())
    counts = totals.counts
    rows = plural("{count:,} row", "{count:,} rows", counts.rows)
    return joined((rows, statuses_text(counts.by_status) or tr("nothing sent")), ": ")


def _sheet(result: SheetResult) -> Fields:
    fields = notice_fields(result)
    names = {"annotated": result.annotated, "failed": result.failed}
    fields |= {name: place and place.name for name, place in names.items()}
    return {name: value for name, value in fields.items() if name not in {"file", "run", "stopped"}}


AGAIN = tr("drop it again while feedtool watch runs with --same-within 0")


class AlreadySent(FileProblem):
    """The same content came again, within the days in which this is taken for a mistake."""

    exit = Exit.ROWS

    def __init__(self, earlier: EarlierClaim, again: str = AGAIN) -> None:
        """`again` says how to send the content all the same."""
        when = earlier.taken_at.astimezone().strftime("%Y-%m-%d %H:%M")
        run = earlier.run_id
        super().__init__(
            tr(
                "The same content was sent as {source} on {when}: run {run}.",
                source=earlier.source,
                when=when,
                run=run,
            ),
            tr(
                "Its answers: feedtool results {run}. To send it all the same, {again}.",
                run=run,
                again=again,
            ),
        )


class RouteUnknown(FileProblem):
    """The file's subfolder names neither a profile nor a kind."""

    def __init__(self, place: PurePosixPath) -> None:
        super().__init__(
            tr("“{parent}” is not a profile or a kind of feed.", parent=place.parent),
            tr(
                "Put the file into the inbox itself, or into a subfolder PROFILE, KIND or "
                "PROFILE/KIND."
            ),
        )


class NameUnfit(FileProblem):
    """The file's name cannot be recorded, or is too long for the names of its answers."""

    def __init__(self, message: str) -> None:
        super().__init__(message, tr("Rename the file and drop it again."))


class Bug(FeedtoolError):
    """An unexpected error in feedtool; the next file or account goes on."""

    def __init__(self, error: Exception, report: Callable[[Exception], str]) -> None:
        """`report` writes a bug report, and returns its place."""
        super().__init__(
            tr("This is a bug in feedtool: {name}.", name=type(error).__name__),
            tr("Please report it with the contents of {report}", report=report(error)),
        )


class Deferred(Exception):
    """A file cannot be finished now; it goes on later, from the ledger."""

    def __init__(self, reason: FeedtoolError) -> None:
        super().__init__(reason.message)
        self.reason = reason


FILE = "health.json"
WATCHING, WORKING, STOPPED, DONE = "watching", "working", "stopped", "done"
"""Running, as a watcher or a worker; stopped; ended by itself, as with --once."""
STATES = {WATCHING: tr("watching"), WORKING: tr("working"), DONE: tr("done")}


class Turn(NamedTuple):
    """The result of a look at the folder."""

    in_work: int = 0
    waiting: int = 0
    """Files of the inbox that are still to be sent."""
    troubles: Sequence[tuple[str | None, FeedtoolError]] = ()
    """Errors that stop a profile; None: the command line's account, or the watcher."""


class Health:
    """Writes `health.json`."""

    def __init__(
        self,
        root: Path,
        now: Callable[[], datetime],
        warn: Callable[[str], None],
        state: str = WATCHING,
    ) -> None:
        """Remove a killed watcher's temporary files; `state` is written with each turn."""
        self._place, self._now, self._warn, self._state = root / FILE, now, warn, state
        self._turn, self._turned_at = Turn(), now()
        self._has_failed = False
        for left in root.glob(f".health-{platform.node()}-*.tmp"):
            with suppress(OSError):
                left.unlink()

    def turn(self, turn: Turn) -> None:
        self._turn, self._turned_at = turn, self._now()
        self.write(self._state)

    def write(self, state: str) -> None:
        """Write a state of the watcher, and its last turn."""
        turn = self._turn
        codes = {trouble.exit for _, trouble in turn.troubles}
        troubles = [with_profile(profile, trouble) for profile, trouble in turn.troubles]
        fields = {
            "state": state,
            "turnAt": self._turned_at.isoformat(timespec="seconds"),
            "inWork": turn.in_work,
            "waiting": turn.waiting,
            "exitCode": int(next((code for code in EXIT_PRECEDENCE if code in codes), Exit.OK)),
            "troubles": troubles,
            "translatable": [*map(kept_text, troubles)],
        }
        temporary = self._place.with_name(f".health-{platform.node()}-{os.getpid()}.tmp")
        try:
            # Not synced to disk: after a crash of the machine it counts as too old.
            temporary.write_text(json.dumps(fields, indent=2) + "\n", "utf-8")
            temporary.replace(self._place)
            self._has_failed = False
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            if not self._has_failed:  # a reader may have it open; a disk may be full for long
                self._warn(
                    tr("{place} cannot be written: {why}", place=self._place, why=reason_of(error))
                )
            self._has_failed = True


WATCHER, WORKER = tr("watcher"), tr("worker")
"""The processes whose health is written."""
WHERE: Mapping[str, str] = {
    WATCHER: tr("name the folder that is watched"),
    WORKER: tr("name the --home of the worker, which has not run in this one yet"),
}


def check_health(
    root: Path, now: datetime, within: timedelta, who: str = WATCHER
) -> tuple[Exit, str]:
    """The state of a folder's watcher or worker; its last turn may be as old as `within`."""
    place = root / FILE
    if not root.is_dir():
        raise UsageProblem(tr("there is no folder {root}", root=root), WHERE[who])
    try:
        fields = json.loads(place.read_text("utf-8"))
        state, age = str(fields["state"]), now - datetime.fromisoformat(fields["turnAt"])
        kept = fields.get("translatable", fields["troubles"])
        code, troubles = Exit(fields["exitCode"]), joined(map(text_of_kept, kept), "; ")
        work = tr(
            "{working} in work, {waiting} waiting",
            working=fields["inWork"],
            waiting=fields["waiting"],
        )
    except FileNotFoundError:
        return Exit.INTERRUPTED, tr("no {who} has ever looked into {root}", who=who, root=root)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageProblem(
            tr("{place} does not say how the {who} is", place=place, who=who),
            tr("a running {who} writes it anew", who=who),
        ) from error
    ago = tr("{seconds} s ago", seconds=max(0, round(age.total_seconds())))
    if state == STOPPED:
        return Exit.INTERRUPTED, tr(
            "the {who} of {root} was stopped; last turn {ago}", who=who, root=root, ago=ago
        )
    if age > within:
        return Exit.INTERRUPTED, tr(
            "no {who} looks after {root}: last turn {ago}", who=who, root=root, ago=ago
        )
    return code, tr("{troubles} ({work})", troubles=troubles, work=work) if troubles else tr(
        "{state}: last turn {ago}, {work}", state=STATES.get(state, state), ago=ago, work=work
    )
