"""A channel that a StockAndPrice package cannot name.

Only a Full package of the legacy interface carries publication pools (specification, "Legacy offer
routes"). A StockAndPrice package names no channel, so what it changes are the offers of the primary
one: a price that was meant for another channel would be set there.

Example: `SECOND` in the column `salesChannelId`, or `--channel SECOND`, of a sheet sent with
`--as legacy-stock-and-price`.

To mend it, send such rows with `--as offers-update`. If the channel is the account's primary one,
say so: `primary_channel` in the profile.
"""

from collections.abc import Iterator

from feedtool.areas.legacy.offers_xml import STOCK_AND_PRICE_KIND
from feedtool.feeds.columns.text import visible
from feedtool.feeds.feed import Row
from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)
KINDS = (STOCK_AND_PRICE_KIND,)


def check(row: Row) -> Iterator[Issue]:
    """A fault where the row is for another channel than the primary one."""
    primary = row.sheet.dialect.primary_channel
    if row.channel in ("", primary):  # none: nothing is sent to it
        return
    yield Issue(
        CODE,
        f"a StockAndPrice package cannot say that it is for {visible(row.channel)}: it changes the"
        f" offers of {primary}",
        "send it with --as offers-update; or set primary_channel in the profile if this is it",
        "salesChannelId",
    )
