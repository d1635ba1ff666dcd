"""`health.json`: how a watcher is, for monitors. Rewritten at each turn, whole or not at all.

Two watchers of one folder write the same file. It tells of the one that made the last turn, so the
folder counts as watched as long as one of them runs.
"""

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from feedtool import __version__
from feedtool.model.errors import EXIT_PRECEDENCE, Exit, FeedtoolError, UsageProblem

FILE = "health.json"
WATCHING, STOPPED, DONE = "watching", "stopped", "done"
"""It turns; it was stopped; it was to look once, and is through."""
GRAVE = ("error", "refused")
"""The words for what has happened that a monitor is to know of."""

Tell = Callable[[str, str], None]


class Work(NamedTuple):
    """A file that is being sent."""

    file: PurePosixPath
    """In the inbox."""
    since: datetime
    run: int | None


@dataclass(frozen=True, slots=True)
class Turn:
    """What a look at the folder has shown."""

    in_work: Sequence[Work] = ()
    waiting: int = 0
    """Files of the inbox that are to be sent sooner or later."""
    troubles: Mapping[str | None, FeedtoolError] | None = None
    """What keeps a profile, or the command line's account, from its files."""
    broken: FeedtoolError | None = None
    """Why the folder or the ledger could not be looked at."""


class Health:
    """Writes down how the watcher of a folder is."""

    def __init__(self, root: Path, now: Callable[[], datetime], poll: float, tell: Tell) -> None:
        self._place = root / FILE
        self._now, self._poll, self._tell = now, poll, tell
        self._began = now()
        self._last: dict[str, str] | None = None
        self._turn = Turn()
        self._turned_at = self._began
        self._has_failed = False

    def tell(self, label: str, text: str) -> None:
        """Tell on, and remember what is grave."""
        if label in GRAVE:
            self._last = {"at": _text(self._now()), "message": text}
        self._tell(label, text)

    def turn(self, turn: Turn) -> None:
        """Write down a turn that has just been made."""
        self._turn, self._turned_at = turn, self._now()
        self._write(WATCHING)

    def end(self, state: str) -> None:
        """Write down that there will be no further turn."""
        self._write(state)

    def _write(self, state: str) -> None:
        turn = self._turn
        troubles = [_trouble(profile, error) for profile, error in (turn.troubles or {}).items()]
        if turn.broken:
            troubles.append(_trouble(None, turn.broken))
        told = {
            "state": state,
            "turnAt": _text(self._turned_at),
            "startedAt": _text(self._began),
            "pollSeconds": self._poll,
            "host": platform.node(),
            "pid": os.getpid(),
            "version": __version__,
            "waiting": turn.waiting,
            "inWork": [_work(one) for one in turn.in_work],
            "troubles": troubles,
            "lastError": self._last,
        }
        temporary = self._place.with_name(f".health-{platform.node()}-{os.getpid()}.tmp")
        try:
            # Not brought to the disk: whoever asks after a crash of the machine finds it too old.
            temporary.write_text(
                json.dumps(told, indent=2, ensure_ascii=False) + "\n", "utf-8", "replace"
            )
            temporary.replace(self._place)
            self._has_failed = False
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            if not self._has_failed:  # a reader may have it open; a disk may be full for long
                self._tell("warning", f"{self._place} cannot be written: {error.strerror}")
            self._has_failed = True


class Verdict(NamedTuple):
    """How a watcher is."""

    code: Exit
    text: str


def asked(root: Path, now: datetime, within: timedelta) -> Verdict:
    """How the watcher of a folder is, by what it has written down.

    Args:
        root: The folder.
        now: The time of whoever asks; the same clock, or one that goes alike.
        within: How old its last turn may be.

    Raises:
        UsageProblem: There is no such folder, or its file is no health file.
    """
    place = root / FILE
    if not root.is_dir():
        raise UsageProblem(f"there is no folder {root}", "name the folder that is watched")
    try:
        found = json.loads(place.read_text("utf-8"))
        state, turned = str(found["state"]), datetime.fromisoformat(found["turnAt"])
        age, work = now - turned, f"{len(found['inWork'])} in work, {found['waiting']} waiting"
        troubles = [(Exit(one["exitCode"]), _shown(one)) for one in found["troubles"]]
    except FileNotFoundError:
        return Verdict(Exit.INTERRUPTED, f"no watcher has ever looked into {root}")
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageProblem(
            f"{place} does not say how the watcher is", "a running watcher writes it anew"
        ) from error
    ago = f"{max(0, round(age.total_seconds()))} s ago"
    if state == STOPPED:
        return Verdict(Exit.INTERRUPTED, f"the watcher of {root} was stopped; last turn {ago}")
    if age > within:
        return Verdict(Exit.INTERRUPTED, f"nobody watches {root}: last turn {ago}")
    if troubles:
        code = min((code for code, _ in troubles), key=EXIT_PRECEDENCE.index)
        return Verdict(code, f"{'; '.join(text for _, text in troubles)} ({work})")
    return Verdict(Exit.OK, f"{state}: last turn {ago}, {work}")


def _shown(trouble: Mapping[str, Any]) -> str:
    whose = f"profile {trouble['profile']}: " if trouble["profile"] else ""
    return f"{whose}{trouble['message']}"


def _trouble(profile: str | None, error: FeedtoolError) -> dict[str, Any]:
    return {"profile": profile, "exitCode": int(error.exit), "message": error.message}


def _work(one: Work) -> dict[str, Any]:
    return {
        "file": str(one.file),
        "since": _text(one.since),
        "run": None if one.run is None else str(one.run),
    }


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
