"""A seller who takes a run back: A, B, perhaps C, then undo B, each with a bad machine and network.

What undo restores of an offer is as it was after A; what was touched since, or of which the earlier
value is not known, stays as it was before the undo.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from feedtool.areas.offers.changes.accepted import AcceptedOffers
from feedtool.areas.offers.changes.projection import project
from feedtool.areas.offers.changes.undo import undo_rows
from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.feeds import UPDATE
from feedtool.feeds.feed import Row as FeedRow
from feedtool.feeds.feed import SheetColumns
from feedtool.feeds.memory import UndoOptions, UndoRow
from feedtool.model.nouns import Item, Status
from feedtool.model.settings import AccountSettings, Context
from tests.areas.offers.sandbox.records import stored_offers
from tests.simulation.checker import Findings, Wrong
from tests.simulation.network import SELLER
from tests.simulation.story import CHANNELS, MARK, Row, Story, Told
from tests.simulation.world import CALM_LIVES, CHAOTIC_LIVES, SERVICE, World

Key = tuple[str, str]
RESTORED = ("price", "taxes", "deliveryModes", "preparationTime")
"""The fields of an offer that undo always restores."""
MOSTLY = 0.8
UNDO = 9
"""The number of the run that takes another one back."""


@dataclass
class UndoneStory(Story):
    """Runs of which the first mostly creates all that the second changes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.random.random() < MOSTLY:
            self.before.clear()
            keys = [(row.item.channel, row.item.reference) for row in self.runs[1].rows]
            rows = [
                self._row(1, number, PackageType.UPSERT, *key)
                for number, key in enumerate(dict.fromkeys(keys), 3)
            ]
            self.runs[0] = Told(1, rows)


@dataclass
class Undone(World):
    """The world of one seed, whose second run is undone."""

    after: list[dict[Key, Any]] = field(default_factory=list)
    """The offers after each run: A, B, perhaps C, then the undo."""
    undo: list[UndoRow] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.faults = self.network.chance

    def _tell_story(self) -> Story:
        return UndoneStory(self._dice("story"), self._dice("shapes"))

    def live(self) -> None:
        """The runs one after the other, each to its end, and then the undo of the second."""
        self._stock()
        runs = list(self.story.runs)
        for run in runs:
            self._live_through(run)
        project(self.ledger.engine, SERVICE, SELLER)
        known = AcceptedOffers(self.ledger.engine, SERVICE, SELLER, 0)
        second = self.ledger.run(self._run_of(self.files[2]))
        assert second is not None
        settings = AccountSettings()
        self.undo = [*undo_rows(self.ledger.engine, second, known, settings, UndoOptions())]
        values = [row for row in self.undo if not row.reason]
        rows = [_row(number, row) for number, row in enumerate(values, 3)]
        if rows:
            self.story.runs.append(Told(UNDO, rows))
            self._live_through(self.story.runs[-1])

    def _run_of(self, file: int) -> int:
        ids = self.ledger.run_ids()
        return next(run for run in ids if file in [one.file for one in self.ledger.files(run)])

    def _live_through(self, run: Told) -> None:
        """Take a run through all faults to its end."""
        to_begin = [run]
        self.power.chance, self.network.chance = self.crashes, self.faults
        for _ in range(CHAOTIC_LIVES):
            if not self._one_life(to_begin):
                break
            self._idle((0, 0, 1, 60, 10_000))
        self._calm_down()
        for _ in range(CALM_LIVES):
            if not self._one_life(to_begin):
                break
            self._idle((1, 60, 4000))
        self.after.append(self._offers())

    def _offers(self) -> dict[Key, Any]:
        return {
            (channel, offer["sellerExternalReference"]): [offer.get(name) for name in RESTORED]
            for channel in CHANNELS
            for offer in stored_offers(self.service, SELLER, channel)
        }

    def judged(self) -> Findings:
        """The findings of the undo; Wrong for any wrong offer."""
        after_a, after_b = self.after[:2]
        before_undo = self.after[len(self.story.runs) - (1 if self._is_undone else 0) - 1]
        now, statuses = self.after[-1], Counter[str]()
        results = self.results(self.story.runs[-1]) if self._is_undone else []
        statuses.update(str(result.status) for _, result in results)
        restored = {row.key for row, result in results if result.status is Status.INTEGRATED}
        touched = {row.key for run in self.story.runs[2:] if run.number != UNDO for row in run.rows}
        self._check(not restored & touched, f"{restored & touched} was touched since")
        for key, offer in now.items():
            right = (after_a if key in restored else before_undo).get(key)
            self._check(offer == right, f"{key} is {offer}, not {right}")
        named = {(row.channel, row.reference) for row in self.undo}
        for key in after_a.keys() & after_b.keys() - touched - named:
            self._check(after_a[key] == after_b[key], f"{key} was changed, and nothing says so")
        return Findings(statuses, Counter())

    @property
    def _is_undone(self) -> bool:
        return self.story.runs[-1].number == UNDO

    def _check(self, is_right: bool, what: str) -> None:  # noqa: FBT001 - an assertion of its own
        if not is_right:
            raise Wrong(what)


def _row(number: int, row: UndoRow) -> Row:
    """The request of a row of the workbook that takes a run back."""
    context = Context(AccountSettings())
    keys = frozenset(row.values)
    modes = UPDATE.sheet.modes(context.settings)
    sheet = SheetColumns(context, keys, modes)
    values = UPDATE.requests.make(
        FeedRow(number, UPDATE, row.channel, row.values, frozenset(), sheet)
    )
    document = {**values, MARK: f"{UNDO}/{number}"}
    body = json.dumps(document, default=float).encode()
    item = Item(number, UPDATE.travel.package_type, row.channel, row.reference, "", body)
    return Row(f"{UNDO}/{number}", item, document)
