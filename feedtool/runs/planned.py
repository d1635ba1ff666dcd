"""What a plan is made on: how files are read, which rows of them are sent, and from which account.

A dry run that is kept is `plan_only` with the writer, and sends exactly that as `submit` with the
verifier of the same basis.
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
"""Is shown what a plan does to the offers of each channel, before it is kept or sent."""


def recorded(reading: ReadOptions, folder: Path) -> ReadOptions:
    """The same way to read, so that each recipe is kept in a folder by which a plan is made."""
    from feedtool.ledger.snapshots import Snapshots

    kept = Snapshots(folder)
    return replace(reading, recipes=RecordedRecipes(reading.recipes, kept.keep, kept.path_of))


class PlanBasis(Struct, frozen=True):
    """All that decides on what would be sent, but for the files."""

    reading: ReadOptions
    selection: SelectionOptions
    account: Account
    is_all_or_nothing: bool = False
    recipe: str | None = None
    """As it was named, where one was."""

    @property
    def is_account_known(self) -> bool:
        """True if it is said whose offers are meant."""
        return self.account.service is not None and self.account.seller is not None

    def conditions(self, inputs: Hashes) -> Conditions:
        """What must be the same when the plan is sent."""
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
        """Decides which rows would be sent, by what the ledger knows of the account, if any."""
        asked, selection = self.reading, self.selection
        if workspace is None or not self.is_account_known:
            return partial(select_unknown, asked=asked, selection=selection)
        whose = self._whose()
        return partial(select_rows, workspace, asked=asked, selection=selection, account=whose)

    def known(self, workspace: Workspace | None) -> OpenAccepted:
        """Opens what the service has accepted, by the ledger; None where nothing is known."""
        if workspace is None or not self.is_account_known:
            return lambda: None
        return partial(accepted_offers, workspace, self._whose())

    def writer(
        self,
        inputs: Sequence[Input],
        place: Path,
        known: OpenAccepted,
        show: Show,
        now: datetime,
        words: Mapping[str, Any],
    ) -> PlanWriter:
        """The plan that is to be saved; the reading is `recorded`.

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
        """The plan that is to be sent, or not at all."""
        return PlanVerifier(self.conditions, known, show, plan)

    def _whose(self) -> tuple[str, str]:
        return self.account.service or "", self.account.seller or ""


def run_of_plan(plan: SavedPlan, ledger: "Ledger") -> int | None:
    """The last run that has sent a plan: to send it again may undo what has happened since."""
    runs = ledger.pages.runs(ledger.pages.with_option_text(plan.digest))
    return max((run.run_id for run in runs if run.options.get("plan") == plan.digest), default=None)
