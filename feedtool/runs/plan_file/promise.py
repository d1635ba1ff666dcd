"""What a command has to do with a plan: it saves one, or it keeps to one.

Either way what the numbers mean is told before anything is sent.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from feedtool.areas.offers.changes.effects import Effects, Known, effects_of
from feedtool.areas.registry import load
from feedtool.delivery.dependencies import Dependencies
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import PackageLimits
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.plan_file.conditions import Conditions
from feedtool.runs.plan_file.file import SavedPlan, save

Hashes = Sequence[tuple[str, str | None]]
"""Each file's name, and the SHA-256 of its content; None where it cannot be read."""

Sheets = Sequence[CheckedSheet]

Tell = Callable[[Mapping[str, Effects]], None]


class Promise(Protocol):
    """A plan that is made, or kept."""

    @property
    def digest(self) -> str | None:
        """Of the plan that is kept."""
        ...

    def begin(self, inputs: Hashes) -> None:
        """The files are as they are now; UsageProblem where that is not as it was planned."""
        ...

    def settle(self, sheets: Sheets, sent: Sheets) -> None:
        """They were judged, and of `sent` the valid rows are to be sent; the same is raised."""
        ...


def effects_in(
    sheets: Sheets, sent: Sheets, limits: PackageLimits, known: Known
) -> dict[str, Effects]:
    """What becomes of the offers of each channel."""
    dependencies = Dependencies(sheets, load().feeds)
    readable = (sheet for sheet in sent if sheet.error is None)
    planned = (one for sheet in readable for one in dependencies.uploads(sheet, limits))
    return effects_of((upload.items for _, upload in planned), known)


@dataclass(slots=True)
class Saving:
    """A plan that is to be saved."""

    place: Path
    conditions: Callable[[Hashes], Conditions]
    hashes: Callable[[], Hashes]
    """Of the files as they are when it is called."""
    words: Mapping[str, Any]
    limits: PackageLimits
    known: Known
    tell: Tell
    now: datetime
    _inputs: Hashes = ()

    @property
    def digest(self) -> None:
        """Nothing is sent by it."""

    def begin(self, inputs: Hashes) -> None:
        """Remember them."""
        self._inputs = inputs

    def settle(self, sheets: Sheets, sent: Sheets) -> None:
        """Tell what it comes to, and write it down."""
        if self.hashes() != self._inputs:
            raise UsageProblem("a file was changed while it was read", "make the plan again")
        effects = effects_in(sheets, sent, self.limits, self.known)
        self.tell(effects)
        save(
            self.place,
            self.conditions(self._inputs),
            sheets,
            self.limits,
            sent=sent,
            words=self.words,
            effects={channel: one.as_json() for channel, one in effects.items()},
            now=self.now,
        )


@dataclass(frozen=True, slots=True)
class Keeping:
    """A plan that is to be sent."""

    plan: SavedPlan
    conditions: Callable[[Hashes], Conditions]
    limits: PackageLimits
    known: Known
    tell: Tell

    @property
    def digest(self) -> str:
        """Of the plan."""
        return self.plan.digest

    def begin(self, inputs: Hashes) -> None:
        """Refuse what is not as it was."""
        self.plan.refuse_unfit(self.conditions(inputs))

    def settle(self, sheets: Sheets, sent: Sheets) -> None:
        """Refuse what would be sent otherwise; tell what it comes to."""
        self.plan.refuse_other(sheets, self.limits, sent=sent)
        self.tell(effects_in(sheets, sent, self.limits, self.known))
