"""One file would delete, or set to stock zero, a large part of the offers known on a channel.

A file that was exported while the stock system was down has zeros in every row, and a list of
offers to delete may be the list of those to keep. The rows that delete or set to zero are held back
and not sent, the others are. It is counted among the offers that feedtool knows to be there, since
it sent them or an export showed them. `removals` in the profile's [guards] table says how many
percent are allowed, 50 unless it says otherwise, 0 switches the guard off; below `least` offers,
20, it says nothing.

Example: 400 offers are known on PRIMARY, and the file sets 390 of them to stock zero.

To mend it, look at the file and where it comes from; if it is meant, send it with --release
mass-removal.
"""

from collections.abc import Iterator

from feedtool.dialect import Guards
from feedtool.guards import Facts, Holding, code, release, rounded
from feedtool.model import Fault

CODE = code(__name__, __doc__)


def check_file(file: Facts, settings: Guards) -> Iterator[Holding]:
    """Compares what a file removes of a channel with what is known to be there."""
    for channel, (removed, known) in file.removals.items():
        if not settings.removals or known < settings.least:
            continue
        percent = removed / known * 100
        if percent > settings.removals:
            text = (
                f"{removed:,} of the {known:,} offers known on {channel} would be deleted or set to"
                f" stock zero, {rounded(percent)} % (allowed: {settings.removals} %)"
            )
            yield Holding(Fault(CODE, text, release(CODE)), channel, only_removals=True)
