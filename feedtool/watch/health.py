"""`health.json`: the time of a watcher's last turn and its troubles, for monitors.

Two watchers of one folder write the same file. It is of the one that made the last turn, so the
folder counts as watched as long as one of them runs.
"""

import json
import os
import platform
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from feedtool.model.errors import EXIT_PRECEDENCE, Exit, FeedtoolError, UsageProblem

FILE = "health.json"
WATCHING, STOPPED, DONE = "watching", "stopped", "done"
"""It turns; it was stopped; it was to look once, and is through."""


class Turn(NamedTuple):
    """The result of a look at the folder."""

    in_work: int = 0
    """Files that are being sent."""
    waiting: int = 0
    """Files of the inbox that are to be sent sooner or later."""
    troubles: Sequence[tuple[str | None, FeedtoolError]] = ()
    """What keeps a profile, or the command line's account, from its files; or the watcher."""


class Health:
    """Writes the file."""

    def __init__(
        self, root: Path, now: Callable[[], datetime], warn: Callable[[str], None]
    ) -> None:
        """Removes what a killed watcher of this machine has left."""
        self._place, self._now, self._warn = root / FILE, now, warn
        self._turn, self._turned_at = Turn(), now()
        self._has_failed = False
        for left in root.glob(f".health-{platform.node()}-*.tmp"):
            with suppress(OSError):
                left.unlink()

    def turn(self, turn: Turn) -> None:
        """Write down a turn that has just been made."""
        self._turn, self._turned_at = turn, self._now()
        self.write(WATCHING)

    def write(self, state: str) -> None:
        """Write down a state of the watcher, and its last turn."""
        turn = self._turn
        codes = {trouble.exit for _, trouble in turn.troubles}
        fields = {
            "state": state,
            "turnAt": self._turned_at.isoformat(timespec="seconds"),
            "inWork": turn.in_work,
            "waiting": turn.waiting,
            "exitCode": int(next((code for code in EXIT_PRECEDENCE if code in codes), Exit.OK)),
            "troubles": [
                f"profile {profile}: {trouble.message}" if profile else trouble.message
                for profile, trouble in turn.troubles
            ],
        }
        temporary = self._place.with_name(f".health-{platform.node()}-{os.getpid()}.tmp")
        try:
            # Not brought to the disk: whoever asks after a crash of the machine finds it too old.
            temporary.write_text(json.dumps(fields, indent=2) + "\n", "utf-8")
            temporary.replace(self._place)
            self._has_failed = False
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            if not self._has_failed:  # a reader may have it open; a disk may be full for long
                self._warn(f"{self._place} cannot be written: {error.strerror}")
            self._has_failed = True


def check_health(root: Path, now: datetime, within: timedelta) -> tuple[Exit, str]:
    """The state of the watcher of a folder, as an exit code and one line.

    Args:
        root: The folder.
        now: The time, by the watcher's clock or one that goes alike.
        within: How old its last turn may be.

    Raises:
        UsageProblem: There is no such folder, or its file is no health file.
    """
    place = root / FILE
    if not root.is_dir():
        raise UsageProblem(f"there is no folder {root}", "name the folder that is watched")
    try:
        fields = json.loads(place.read_text("utf-8"))
        state, age = str(fields["state"]), now - datetime.fromisoformat(fields["turnAt"])
        code, troubles = Exit(fields["exitCode"]), "; ".join(fields["troubles"])
        work = f"{fields['inWork']} in work, {fields['waiting']} waiting"
    except FileNotFoundError:
        return Exit.INTERRUPTED, f"no watcher has ever looked into {root}"
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageProblem(
            f"{place} does not say how the watcher is", "a running watcher writes it anew"
        ) from error
    ago = f"{max(0, round(age.total_seconds()))} s ago"
    if state == STOPPED:
        return Exit.INTERRUPTED, f"the watcher of {root} was stopped; last turn {ago}"
    if age > within:
        return Exit.INTERRUPTED, f"nobody watches {root}: last turn {ago}"
    return code, f"{troubles} ({work})" if troubles else f"{state}: last turn {ago}, {work}"
