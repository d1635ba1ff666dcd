"""The pace of calls, learnt from the answers of one seller. Pure.

The service's quotas are "not shown" (specification, part "Limits"), so the pace is learnt as in
TCP: a 429 halves it, and RISE_AFTER successes raise it by one step. The steps are:

    pool … 2 lanes · 1 lane · a pause of 0.5 s … a pause of 30 s

Retry-After does not change the pace: it makes all calls wait, and without it `back_off` is the
pause. The pace is stored at the end of a run, so that the next run does not begin too fast again.
"""

import json
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from feedtool.service.answers import AnswerKind

LONGEST_PAUSE = timedelta(seconds=30)
SPEEDS = 60
"""The highest speed of one lane with pauses: calls in `LONGEST_PAUSE`, apart from latency."""
RISE_AFTER = 10
"""Successes in a row that raise the pace by one step."""

BURST = timedelta(seconds=1)
"""429s within this time answer calls that were under way together: the pace falls once."""


class Pace(Struct, frozen=True):
    """The pace after some answers; `Pace(pool)` is full speed."""

    pool: int  # the most calls that may be under way at a time; at least 1
    behind: int = 0  # steps below full speed: one for each lane given up, then one for each speed
    successes: int = 0  # since the last step, up or down
    fell_at: datetime | None = None  # the time of the last fall
    next_at: datetime | None = None
    """The earliest start of the next call; None without a pause."""

    @classmethod
    def restored(cls, pool: int, stored: str | None, now: datetime) -> "Pace":
        """Return the pace that an earlier run stored; each hour since halves the steps `behind`.

        Full speed if nothing readable was stored. If the pool has changed, the number of lanes
        stays.
        """
        try:
            known = json.loads(stored or "{}")
            ago = now - datetime.fromisoformat(known["at"])
            behind = int(known["behind"]) * 0.5 ** max(0.0, ago / timedelta(hours=1))
            more, successes = pool - int(known["pool"]), int(known["successes"])
        except (ValueError, TypeError, KeyError):
            return cls(pool)
        if not int(behind):
            return cls(pool)
        return cls(pool, min(pool - 1 + SPEEDS, max(0, int(behind) + more)), successes)

    def stored(self, now: datetime) -> str | None:
        """Return JSON for `restored`, or None at full speed."""
        known = {"pool": self.pool, "behind": self.behind, "successes": self.successes}
        return json.dumps({**known, "at": now.isoformat()}) if self.behind else None

    @property
    def lanes(self) -> int:
        return max(1, self.pool - self.behind)

    @property
    def pause(self) -> timedelta | None:
        """The pause between an answer and the next call; None if one lane is not too fast."""
        speed = self._speed
        return LONGEST_PAUSE / speed if speed < SPEEDS + 1 else None

    @property
    def _speed(self) -> int:
        """The speed, from 1 to `SPEEDS`; SPEEDS + 1 is without a pause."""
        return SPEEDS + 1 - max(0, self.behind - self.pool + 1)

    def after(self, kind: AnswerKind, now: datetime) -> "Pace":
        """Return the pace after an answer; a 429 halves it, but only once within `BURST`.

        Answers other than these and successes say nothing about quotas. Every answer starts the
        pause again.
        """
        if kind is AnswerKind.WAIT:
            is_same = self.fell_at is not None and abs(now - self.fell_at) < BURST
            fallen = self if is_same else replace(self, behind=self._halved(), fell_at=now)
            pace = replace(fallen, successes=0)
        elif kind is AnswerKind.DONE and self.behind:
            is_enough = self.successes + 1 >= RISE_AFTER
            pace = replace(
                self,
                behind=self.behind - is_enough,
                successes=0 if is_enough else self.successes + 1,
            )
        else:
            pace = self
        return replace(pace, next_at=now + pace.pause if pace.pause else None)

    def _halved(self) -> int:
        """Return the steps below full speed that halve the pace."""
        if self.lanes > 1:
            return self.pool - self.lanes // 2
        if self.pause is None:
            return self.pool
        return self.pool + SPEEDS - max(1, self._speed // 2)


def back_off(times: int, jitter: float) -> timedelta:
    """Return the pause after failures: from 0.5 s to 2, 4, 8 … 60 s by a `jitter` of 0 to 1."""
    return timedelta(seconds=max(0.5, jitter * min(60.0, 2.0 ** min(times, 10))))
