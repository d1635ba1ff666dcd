"""The rules about legacy zips; their pages for users are in `problems.md`."""

from collections.abc import Iterator

from feedtool.areas.legacy.offers_xml import STOCK_AND_PRICE_KIND
from feedtool.feeds.columns.text import visible
from feedtool.feeds.feed import Row
from feedtool.feeds.rule import Problems, Rule, notices
from feedtool.model.nouns import Issue
from feedtool.model.text import tr

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
