"""What has to be so before anything is sent: the sheets, judged, and whether any of them may be."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from feedtool.areas.legacy.purge import check_one_zip
from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.errors import UsageProblem
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.row_results import ALL_OR_NOTHING, OTHERS_HELD

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.ledger import Ledger
    from feedtool.model.call import Sender


def checked_sheets(
    inputs: Sequence[Input], asked: ReadOptions, *, has_channel: bool = True
) -> list[CheckedSheet]:
    """The sheets that are to be sent; UsageProblem where they cannot be what is asked for."""
    sheets = check(inputs, asked, load())
    if not has_channel:
        _refuse_without_channel(sheets)
    if asked.purges:
        check_one_zip(sheets, asked.dialect.limits.legacy)
    return sheets


def _refuse_without_channel(sheets: Iterable[CheckedSheet]) -> None:
    feeds = load().feeds
    kinds = {sheet.kind for sheet in sheets if sheet.kind and feeds[sheet.kind].has_channel}
    if kinds:
        raise UsageProblem(
            "--channel is missing",
            f"it names the sales channel that {', '.join(sorted(kinds))} are for; products need"
            " none",
        )


def blocked_reason(
    sheets: Sequence[CheckedSheet], asked: ReadOptions, *, is_all_or_nothing: bool
) -> str:
    """Why no row is sent although some might be; empty where they are, or could not be."""
    if all(sheet.error for sheet in sheets):
        return ""
    if is_all_or_nothing and not all(sheet.is_clean() for sheet in sheets):
        return ALL_OR_NOTHING
    is_whole = is_all_or_nothing or asked.purges
    return OTHERS_HELD if is_whole and any(sheet.held for sheet in sheets) else ""


def has_items(sheets: Iterable[CheckedSheet]) -> bool:
    """Whether any row is to be sent."""
    return any(True for sheet in sheets for _ in sheet.valid_items())


def open_elsewhere(
    sheets: Iterable[CheckedSheet], ledger: "Ledger", client: "Sender", *, is_working: bool = False
) -> list[str]:
    """A warning for each open package of the seller that was not begun here.

    It takes the one call that is made before a run is written down, so that a wrong token leaves
    no run behind: NotAuthorised. With `is_working` also for what is being integrated.
    """
    from feedtool.delivery.foreign_packages import foreign_packages
    from feedtool.feeds.answers import Meaning

    meanings = {Meaning.OPEN, Meaning.WORKING} if is_working else {Meaning.OPEN}
    routes = load().routes
    return foreign_packages(ledger, client, routes, meanings) if has_items(sheets) else []
