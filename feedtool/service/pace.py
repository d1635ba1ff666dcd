"""The pace of calls, learnt from the answers of one seller. Pure.

The service's quotas are "not shown" (specification, part "Limits"), so it is found out as TCP
finds it: halved at a 429, and raised by one step after so many successes. One scale holds it all:

    pool … 2 lanes · 1 lane · a pause of 0.5 s … a pause of 30 s

Retry-After is not in it: that holds every call. `back_off` is the pause where it says nothing.
It is kept when a run ends, so that the next one does not begin by asking too much again.
"""

import json
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from feedtool.service.answers import AnswerKind

LONGEST_PAUSE = timedelta(seconds=30)
SPEEDS = 60
"""Speed s of one paused lane is s calls in `LONGEST_PAUSE`, the latency aside."""
RISE_AFTER = 10
"""So many successes in a row, without a 429 among them, raise the pace by one step."""

BURST = timedelta(seconds=1)
"""429s this close to each other answer calls that flew together: the pace falls once."""


class Pace(Struct, frozen=True):
    """The pace as it is after some answers; `Pace(pool)` is full speed."""

    pool: int  # the most calls that may be under way at a time; at least 1
    behind: int = 0  # steps below full speed: one for each lane given up, then one for each speed
    successes: int = 0  # since the last step, up or down
    fell_at: datetime | None = None  # when the pace fell last
    next_at: datetime | None = None
    """The earliest start of the next call; None where no pause is in force."""

    @classmethod
    def begun(cls, pool: int, kept: str | None, now: datetime) -> "Pace":
        """The pace that an earlier run has `kept`: what it lacked is halved by each hour since.

        Full speed where nothing was kept, or nothing that can be read. Where the pool was another
        it is the lanes that stay.
        """
        try:
            known = json.loads(kept or "{}")
            ago = now - datetime.fromisoformat(known["at"])
            behind = int(known["behind"]) * 0.5 ** max(0.0, ago / timedelta(hours=1))
            more, successes = pool - int(known["pool"]), int(known["successes"])
        except (ValueError, TypeError, KeyError):
            return cls(pool)
        if not int(behind):
            return cls(pool)
        return cls(pool, min(pool - 1 + SPEEDS, max(0, int(behind) + more)), successes)

    def kept(self, now: datetime) -> str | None:
        """What `begun` goes on from, as JSON; None at full speed."""
        known = {"pool": self.pool, "behind": self.behind, "successes": self.successes}
        return json.dumps({**known, "at": now.isoformat()}) if self.behind else None

    @property
    def lanes(self) -> int:
        """The most calls under way at a time: from 1 to the pool."""
        return max(1, self.pool - self.behind)

    @property
    def pause(self) -> timedelta | None:
        """From an answer to the next call, where one lane alone is still too fast."""
        speed = self._speed
        return LONGEST_PAUSE / speed if speed < SPEEDS + 1 else None

    @property
    def _speed(self) -> int:
        """1 to `SPEEDS`, or one more where no pause is in force."""
        return SPEEDS + 1 - max(0, self.behind - self.pool + 1)

    def after(self, kind: AnswerKind, now: datetime) -> "Pace":
        """The pace after an answer: halved by a 429, but once within `BURST`.

        Other answers than successes say nothing about quotas. Where a pause is in force it begins
        anew with every answer.
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
        """The steps below full speed at which the pace is half of this."""
        if self.lanes > 1:
            return self.pool - self.lanes // 2
        if self.pause is None:
            return self.pool
        return self.pool + SPEEDS - max(1, self._speed // 2)


def back_off(times: int, jitter: float) -> timedelta:
    """The pause after so many failures: from 0.5 s up to 2, 4, 8 … 60 s by a `jitter` of 0 to 1."""
    return timedelta(seconds=max(0.5, jitter * min(60.0, 2.0 ** min(times, 10))))


def longest_back_off(failures: int, most: int) -> timedelta:
    """The pauses that are still to come, each at its longest, until so many failed in a row."""
    pauses = (back_off(times, 1.0) for times in range(failures, most))
    return sum(pauses, timedelta(0))
