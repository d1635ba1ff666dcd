"""One file would delete, or set to stock zero, a large part of the offers known.

A file that was exported while the stock system was down has zeros in every row, and a list of
offers to delete may be the list of those to keep. The rows that delete or set to zero are held back
and not sent, the others are. It is counted among the offers of the channel that feedtool knows to
be there, since it sent them or an export showed them, without those that are at zero already. A
product's stock is shared by all channels, so what a file sets to zero is counted among all known
stocks as well, whatever channel it is for; and what it deletes among all offers of its channel, at
zero or not. `removals` in the profile's [guards] table says how many
percent are allowed, 50 unless it says otherwise, 0 switches the guard off; below `least` offers,
20, it says nothing.

Example: 400 offers are known on PRIMARY, and the file sets 390 of them to stock zero.

To mend it, look at the file and where it comes from; if it is meant, send it with --release
mass-removal.
"""

from collections.abc import Iterator

from feedtool.areas.offers.changes.guards import (
    Holding,
    Removals,
    SheetSummary,
    code,
    issue,
    rounded,
)
from feedtool.model.settings import Guards

CODE = code(__name__, __doc__)


def check_file(file: SheetSummary, settings: Guards) -> Iterator[Holding]:
    """Compare what a file removes of a channel with what is known to be there."""
    for removals in file.removals:
        if not settings.removals or removals.known < max(settings.least, 1):
            continue
        percent = removals.removed / removals.known * 100
        if percent > settings.removals:
            text = f"{_describe(removals)}, {rounded(percent)} % (allowed: {settings.removals} %)"
            yield Holding(issue(CODE, text), removals.channel, only_removals=True)


def _describe(removals: Removals) -> str:
    part, channel = f"{removals.removed:,} of the {removals.known:,}", removals.channel
    if channel is None:
        return f"{part} stocks known above zero, which all channels share, would be set to zero"
    if removals.are_deleted:
        return f"{part} offers known on {channel} would be deleted"
    return (
        f"{part} offers known on {channel}, not counting those at stock zero, would be deleted"
        " or set to stock zero"
    )
