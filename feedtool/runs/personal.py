"""Personal data: sheets that may name people, and how long their snapshots are kept."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from feedtool.areas.registry import load
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet

if TYPE_CHECKING:
    from feedtool.ledger.snapshots import Snapshots


def is_personal(sheets: Iterable[CheckedSheet]) -> bool:
    """True if one of the sheets is of a kind that may name people."""
    feeds = load().feeds
    kinds = {sheet.kind for sheet in sheets if sheet.kind}
    return any(feeds[kind].requests.is_personal for kind in kinds if kind in feeds)


def personal_files(sheets: Sequence[CheckedSheet]) -> frozenset[str]:
    return frozenset(sheet.file for sheet in sheets if is_personal([sheet]))


def expire(
    snapshots: "Snapshots", digests: Iterable[str | None], settings: AccountSettings, now: datetime
) -> None:
    """Let snapshots expire after the number of days that the settings keep personal data."""
    days = settings.keep_personal
    until = (now + timedelta(days=days)).date() if days else None
    for digest in filter(None, digests):
        snapshots.expire(digest, until)
