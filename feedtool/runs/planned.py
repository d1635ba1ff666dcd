"""The basis of a plan: how files are read, which of their rows are sent, and from which account.

A dry run that is saved is `plan_only` with the writer; `submit` with the verifier of the same basis
sends exactly that.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.offers.changes.effects import Effects, OpenAccepted
from feedtool.areas.offers.changes.selection import SelectionOptions
from feedtool.check import Input, ReadOptions
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.annotated_copy import digest_of
from feedtool.runs.chosen_rows import as_condition
from feedtool.runs.kept_recipes import RecordedRecipes
from feedtool.runs.plan_conditions import Account, Conditions, Hashes, conditions_of
from feedtool.runs.plan_file import PlanVerifier, PlanWriter, SavedPlan
from feedtool.runs.selected_rows import accepted_offers, select_rows, select_unknown
from feedtool.runs.workspace import Workspace

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.ledger import Ledger

Show = Callable[[Mapping[str, Effects]], None]
"""Shows the effects of a plan on the offers of each channel, before it is saved or sent."""


def with_recording(reading: ReadOptions, folder: Path) -> ReadOptions:
    """Return the reading options so that each recipe that a plan uses is kept in a folder."""
    from feedtool.ledger.snapshots import Snapshots

    kept = Snapshots(folder)
    return replace(reading, recipes=RecordedRecipes(reading.recipes, kept.keep, kept.path_of))


class PlanBasis(Struct, frozen=True):
    """All that decides about the requests of a plan, except the files."""

    reading: ReadOptions
    selection: SelectionOptions
    account: Account
    is_all_or_nothing: bool = False
    recipe: str | None = None
    """The recipe that was named, if any."""

    @property
    def is_account_known(self) -> bool:
        return self.account.service is not None and self.account.seller is not None

    def conditions(self, inputs: Hashes) -> Conditions:
        """Return the conditions that must be the same when the plan is sent."""
        selection = self.selection
        options: dict[str, str | bool | None] = {
            "all_or_nothing": self.is_all_or_nothing,
            "changed_only": selection.changed_only,
            "prefer_update": selection.prefer_update,
            "recipe": self.recipe,
            "rows": as_condition(selection.rows),
            **dict.fromkeys((f"release {guard.code}" for guard in selection.released), True),
        }
        return conditions_of(inputs, self.reading, self.account, **options)

    def select(self, workspace: Workspace | None) -> Callable[[Sequence[CheckedSheet]], None]:
        """Return a function that selects the rows to send, by the ledger if it is known."""
        if workspace is None or not self.is_account_known:
            return partial(select_unknown, reading=self.reading, selection=self.selection)
        return partial(
            select_rows,
            workspace,
            reading=self.reading,
            selection=self.selection,
            account=self._address_and_seller(),
        )

    def accepted(self, workspace: Workspace | None) -> OpenAccepted:
        """Return an opener of the accepted offers in the ledger; it gives None if unknown."""
        if workspace is None or not self.is_account_known:
            return lambda: None
        return partial(accepted_offers, workspace, self._address_and_seller())

    def writer(
        self,
        inputs: Sequence[Input],
        place: Path,
        known: OpenAccepted,
        show: Show,
        now: datetime,
        words: Mapping[str, Any],
    ) -> PlanWriter:
        """Return a plan to save; `reading` must be made by `with_recording`.

        `words` are the options to be typed again when it is sent, by click's names.
        """
        return PlanWriter(
            self.conditions,
            known,
            show,
            place,
            lambda: [(file.name, digest_of(file.path)) for file in inputs],
            words,
            now,
            cast("RecordedRecipes", self.reading.recipes),
        )

    def verifier(self, plan: SavedPlan, known: OpenAccepted, show: Show) -> PlanVerifier:
        return PlanVerifier(self.conditions, known, show, plan)

    def _address_and_seller(self) -> tuple[str, str]:
        return self.account.service or "", self.account.seller or ""


def run_of_plan(plan: SavedPlan, ledger: "Ledger") -> int | None:
    """The last run that has sent a plan: to send it again may undo what has happened since."""
    runs = ledger.pages.runs(ledger.pages.with_option_text(plan.digest))
    return max((run.run_id for run in runs if run.options.get("plan") == plan.digest), default=None)
