"""The guard of `--purge-and-replace`, which removes every offer that is not in the zip.

A purge is exactly one zip: a second would delete the offers of the first. It needs that no package
is open, and the offers that the service has now are counted before it is sent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.feeds.package_ref import PackageRef
from feedtool.ledger import Change, Ledger, Package, Phase, Resolution
from feedtool.model.call import Call, Reply
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import MessageText, joined, tr
from feedtool.runs.workspace import Session, fetch_context_of
from feedtool.service.fetch import Next, read_list

NOTHING_SENT = tr("nothing was sent")
NOT_CONFIRMED = tr(
    "Not sent: the purge would remove more offers than was confirmed, so submit it again"
)


class Purge(Struct, frozen=True):
    """The effect of a purge: numbers of offers on the service, removed, and remaining."""

    channel: str
    present: int
    removed: int
    remaining: int
    invalid: int = 0
    """Removed offers whose rows in the file are invalid."""

    @property
    def text(self) -> MessageText:
        values = {
            "there": self.present,
            "channel": self.channel,
            "removed": self.removed,
            "remaining": self.remaining,
        }
        if self.invalid:
            return tr(
                "of the {there:,} offers that the service has on {channel} now, {removed:,} will be"
                " removed ({invalid:,} of them since the file's row is not valid); the"
                " {remaining:,} of the zip remain",
                invalid=self.invalid,
                **values,
            )
        return tr(
            "of the {there:,} offers that the service has on {channel} now, {removed:,} will be"
            " removed; the {remaining:,} of the zip remain",
            **values,
        )


Confirm = Callable[[Purge], None]
"""Returns if the user wants the purge; raises UsageProblem otherwise."""


def refuse(purge: Purge) -> None:
    """Raise UsageProblem, as nobody can confirm the purge."""
    raise UsageProblem(
        tr("a purge is never sent without being confirmed: {purge}", purge=purge.text),
        tr("nothing was sent; give --yes with --expect-removals {count}", count=purge.removed),
    )


def unsent(packages: Iterable[Package]) -> list[Package]:
    """Return the purges that have not been sent, and would be sent now."""
    waiting = {Phase.PLANNED, Phase.CLEARED}
    types = {feed.travel.purge_type for feed in load().feeds.values()}
    return [
        package
        for package in packages
        if package.package_type in types and package.phase in waiting
    ]


def hold_back(ledger: Ledger, packages: Iterable[Package], reason: str, now: datetime) -> None:
    """Give up packages that were never sent: their rows become Held, with the reason."""
    for package in packages:
        resolved = [
            Resolution(row.row, Status.HELD, reason, row.number)
            for row in ledger.pending(package.key)
        ]
        after = replace(package, phase=Phase.CLOSED, finished_at=now)
        ledger.save([Change(package, after, resolutions=resolved)])


def check_one_zip(sheets: Sequence[CheckedSheet], limit: int) -> None:
    """Raise UsageProblem unless the purge is one zip of whole offers."""
    readable = [sheet for sheet in sheets if sheet.error is None]
    kinds = [kind for kind, feed in load().feeds.items() if feed.travel.purge_type]
    for sheet in readable:
        if sheet.kind not in kinds:
            raise UsageProblem(
                tr(
                    "{file} is of the kind {kind}: only {kinds} can be a purge",
                    file=sheet.file,
                    kind=sheet.kind,
                    kinds=joined(kinds),
                ),
                tr(
                    "nothing was sent; leave --purge-and-replace out, or add --as {kinds}",
                    kinds=joined(kinds),
                ),
            )
    if unread := [sheet.file for sheet in sheets if sheet.error is not None]:
        raise UsageProblem(
            tr("{file} cannot be read: its offers would be removed", file=unread[0]),
            tr("nothing was sent; correct the file, or leave it out"),
        )
    channels = [Counter(item.channel for item in sheet.valid_items()) for sheet in readable]
    zips = sum(-(-offers // limit) for sheet in channels for offers in sheet.values())
    if zips != 1:
        raise UsageProblem(
            tr(
                "a purge is one zip, and this is {count:,} zips: each would delete what "
                "the one before sent",
                count=zips,
            )
            if zips
            else tr("a purge is one zip, and this is not a zip"),
            tr(
                "nothing was sent; give one file, of one channel, of at most {most:,} offers"
                " (limits.legacy)",
                most=limit,
            ),
        )


def check_nothing_open(ledger: Ledger, seller: str, foreign: Sequence[str]) -> None:
    """Raise UsageProblem if any package is open or being integrated.

    `foreign` has a warning for each such package that was begun elsewhere.
    """
    open_runs = [run for run in ledger.unfinished(seller) if ledger.has_to_fetch(run)]
    if open_runs:
        raise UsageProblem(
            tr(
                "run {run} has packages that are not integrated yet, and a purge needs no open"
                " package",
                run=open_runs[0],
            ),
            tr("nothing was sent; finish it with `feedtool results {run}` first", run=open_runs[0]),
        )
    if foreign:
        raise UsageProblem(
            tr("a purge needs no open package, and {warning}", warning=foreign[0]),
            tr("nothing was sent; wait until it is integrated, or has expired"),
        )


def measure(sheets: Sequence[CheckedSheet], session: Session) -> Purge:
    """Count the effect of the purge on the service's present offers. Raises as `read_list`."""
    present = next(filter(None, (feed.travel.present for feed in load().feeds.values())))
    channel, kept = "", set()
    readable = [sheet for sheet in sheets if sheet.error is None]
    for item in (item for sheet in readable for item in sheet.valid_items()):
        channel = item.channel
        kept.add(item.reference)
    invalid = {row.reference for sheet in readable for row in sheet.rows.refused if row.reference}
    count: Counter[str] = Counter()
    ref = PackageRef("", channel, "", AccountSettings())

    def take(reply: Reply, _: Call) -> Next | None:
        page = present.read(reply)
        removed = [reference for reference in page.items if reference not in kept]
        count["there"] += len(page.items)
        count["removed"] += len(removed)
        count["invalid"] += sum(reference in invalid for reference in removed)
        return Next(present.call(ref._replace(link=page.next))) if page.next else None

    hint = tr("nothing was sent; look at the channel and at what the account is opened for")
    context = fetch_context_of(session)
    read_list(tr("offers"), present.call(ref), take, session.client, context, hint)
    return Purge(channel, count["there"], count["removed"], len(kept), count["invalid"])
