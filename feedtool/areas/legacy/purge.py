"""The guard of `--purge-and-replace`, which removes every offer that is not in the zip.

A purge is exactly one zip: a second would delete the offers of the first. It needs that no package
is open, and the offers that the service has now are counted before it is sent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.legacy.writer import STOCK_AND_PRICE_KIND
from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire.offers import offers_page, read_offers
from feedtool.feeds.columns.text import visible
from feedtool.feeds.feed import Row
from feedtool.feeds.rule import Problems, Rule, notices
from feedtool.model.call import READ, Call, Reply, Sender
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Issue, Status
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import MessageText, tr
from feedtool.service.fetch import Next, read_list

if TYPE_CHECKING:
    from feedtool.ledger import Ledger, Package
    from feedtool.service.fetch import FetchContext

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
        """The effect in one sentence."""
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


def unsent(packages: "Iterable[Package]") -> "list[Package]":
    """Return the purges that have not been sent, and would be sent now."""
    from feedtool.ledger import Phase

    waiting = {Phase.PLANNED, Phase.CLEARED}
    return [
        package
        for package in packages
        if package.package_type == PackageType.PURGE and package.phase in waiting
    ]


def hold_back(ledger: "Ledger", packages: "Iterable[Package]", reason: str, now: datetime) -> None:
    """Give up packages that were never sent: their rows become Held, with the reason."""
    from feedtool.ledger import Change, Phase, Resolution

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
    for sheet in readable:
        if sheet.kind != "legacy-offers":
            raise UsageProblem(
                tr(
                    "{file} is of the kind {kind}: only legacy-offers can be a purge",
                    file=sheet.file,
                    kind=sheet.kind,
                ),
                tr("nothing was sent; leave --purge-and-replace out, or add --as legacy-offers"),
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
                "a purge is one zip, and this is {count:,} zips: each would delete what the one"
                " before brought",
                count=zips,
            )
            if zips
            else tr("a purge is one zip, and this is no zip at all"),
            tr(
                "nothing was sent; give one file, of one channel, of at most {most:,} offers"
                " (limits.legacy)",
                most=limit,
            ),
        )


def check_nothing_open(ledger: "Ledger", seller: str, foreign: Sequence[str]) -> None:
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


def measure(sheets: Sequence[CheckedSheet], client: Sender, context: "FetchContext") -> Purge:
    """Count the effect of the purge on the service's present offers. Raises as `read_list`."""
    channel, kept = "", set()
    readable = [sheet for sheet in sheets if sheet.error is None]
    for item in (item for sheet in readable for item in sheet.valid_items()):
        channel = item.channel
        kept.add(item.reference)
    invalid = {row.reference for sheet in readable for row in sheet.rows.refused if row.reference}
    count: Counter[str] = Counter()

    def take(reply: Reply, _: Call) -> Next | None:
        """Count the offers of a page, and return the next request."""
        page = offers_page(reply)
        removed = [offer.reference for offer in page.offers if offer.reference not in kept]
        count["there"] += len(page.offers)
        count["removed"] += len(removed)
        count["invalid"] += sum(reference in invalid for reference in removed)
        return Next(Call("GET", page.next, READ)) if page.next else None

    first = read_offers(channel, fields=())  # only the references are needed
    hint = tr("nothing was sent; look at the channel and at what the account is opened for")
    read_list(tr("offers"), first, take, client, context, hint)
    return Purge(channel, count["there"], count["removed"], len(kept), count["invalid"])


PROBLEMS = Problems("feedtool.areas.legacy")

CHANNEL_NOT_CARRIED = PROBLEMS.error("channel-not-carried")
XML_IRREGULAR = PROBLEMS.warning("xml-irregular")


def check_channel(row: Row) -> Iterator[Issue]:
    """Report a row that is for another channel than the primary one."""
    primary = row.sheet.context.settings.primary_channel
    if row.channel in ("", primary):  # a row without a channel is not sent
        return
    yield Issue(
        CHANNEL_NOT_CARRIED,
        tr(
            "a StockAndPrice package cannot say that it is for {channel}: it changes the offers of"
            " {primary}",
            channel=visible(row.channel),
            primary=primary,
        ),
        tr("send it with --as offers-update; or set primary_channel in the profile if this is it"),
        "salesChannelId",
    )


RULES = (
    Rule(CHANNEL_NOT_CARRIED, check_channel, kinds=(STOCK_AND_PRICE_KIND,)),
    Rule(
        XML_IRREGULAR,
        check_sheet=notices(XML_IRREGULAR, tr("correct the program that makes the file")),
    ),
)
