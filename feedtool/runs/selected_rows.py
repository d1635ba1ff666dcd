"""Select the valid rows of a command to send: chosen ones, that no guard holds, and that change.

`chosen_rows`, `held_rows` and the changes of offers each decide on their part.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from feedtool.areas.offers.changes.guards import EarlierFile, predecessor
from feedtool.areas.offers.changes.selection import SelectionOptions, select, withdraw
from feedtool.check import ReadOptions
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.chosen_rows import withhold_unchosen
from feedtool.runs.held_rows import hold_guarded
from feedtool.runs.workspace import Workspace

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.areas.offers.changes.accepted import AcceptedOffers


def select_rows(
    workspace: Workspace,
    sheets: Sequence[CheckedSheet],
    reading: ReadOptions,
    selection: SelectionOptions,
    account: tuple[str, str],
    run: int | None = None,
) -> None:
    """Decide which rows are sent, by the ledger of an account (address, seller)."""
    known = accepted_offers(workspace, account, run)
    withdraw(sheets, known)
    withhold_unchosen(sheets, selection.rows)
    if reading.purges:  # sent whole, also if little has changed
        selection = replace(selection, changed_only=False, prefer_update=False)

    def earlier(sheet: CheckedSheet) -> EarlierFile | None:
        files = workspace.ledger.earlier(*account, sheet.kind or "", run)
        return predecessor(sheet.file, ((file.path, file.run_id, file.size) for file in files))

    sent_before = partial(workspace.ledger.sent_before, *account, run)
    taken_before = partial(workspace.ledger.taken_before, *account, run)
    doubtful_before = partial(workspace.ledger.doubtful_before, *account, run)
    known_references = partial(workspace.ledger.known_references, *account, run)
    others = hold_guarded(
        sheets, selection, sent_before, taken_before, doubtful_before, known_references
    )
    select(others, known, selection, reading.dialect, earlier)


def accepted_offers(
    workspace: Workspace, account: tuple[str, str], run: int | None = None
) -> "AcceptedOffers":
    """Open the offers that the service has accepted of an account, before `run`, if given."""
    from feedtool.areas.offers.changes.accepted import AcceptedOffers
    from feedtool.areas.offers.changes.projection import project
    from feedtool.ledger.records import ABANDONED

    project(workspace.ledger.engine, *account)
    cut_short = (  # killed before all of its rows were in the ledger
        other
        for other, options, files in workspace.ledger.begun(*account)
        if other != run and len(options.get("sheets", ())) > files and ABANDONED not in options
    )
    return AcceptedOffers(workspace.ledger.engine, *account, next(cut_short, 0))


def select_unknown(
    sheets: Sequence[CheckedSheet], reading: ReadOptions, selection: SelectionOptions
) -> None:
    """Decide which rows would be sent, without an account or its ledger."""
    withhold_unchosen(sheets, selection.rows)
    select(hold_guarded(sheets, selection), None, selection, reading.dialect, lambda _: None)
