"""`feedtool export discussions`, and the lists beside them: messages, files, typologies."""

from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from feedtool.areas.channel_list import ENABLED, RECEIVERS, channel_list, channels_in
from feedtool.areas.discussions import columns, wire
from feedtool.areas.discussions import rules
from feedtool.areas.discussions.feeds import REPLY
from feedtool.areas.discussions.listing import (
    BY_SALES_CHANNEL,
    FILTERS,
    HINT,
    SINCE,
    check,
    discussion_list,
    found_rows,
    whole_list,
    whole_rows,
)
from feedtool.areas.discussions.rows import attachment_rows, message_rows
from feedtool.areas.discussions.wire import SELLER, Discussion
from feedtool.areas.plain_list import DATE, no_loss, nothing, plain_table
from feedtool.feeds.export import (
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    FilledTemplate,
    Filter,
    Increments,
    KeyedRow,
    KeyedRows,
    ListPage,
    MadeRow,
    Query,
    ServiceList,
)
from feedtool.feeds.feed import CHANNEL
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.call import Call, Reply
from feedtool.model.header import Column
from feedtool.model.text import LANGUAGES, MessageText, plural, tr

OF_CHANNELS = tr("look at --sales-channel")
CHANNELS = channel_list(tr("channels"), BY_SALES_CHANNEL, OF_CHANNELS)

# What discussions may be about.

STATUSES = ("Accepted", "InPreparation", "Shipped", "Delivered", "Cancelled", "Undefined")
"""Of orders, as typologies know them."""
OPENED_IN = STATUSES[:4]
_CODE, _PLACE, _CLAIM = "typology", "channel", "claim"


def _typology_rows(reply: Reply, call: Call) -> ListPage:
    asked = dict(call.query)
    place = {CHANNEL: asked["salesChannel"], "orderStatus": asked["orderStatus"]}
    rows = [
        (
            None,
            {
                **place,
                "typologyCode": entry.typology or asked["typologyCode"],
                columns.SUBTYPOLOGY: entry.code,
                "userType": entry.user or None,
                "state": str(entry.is_usable).lower(),
            },
        )
        for entry in wire.typologies_of(reply)
    ]
    return ListPage(rows, progress=len(rows))


TYPOLOGY_TABLE = {
    CHANNEL: (tr("Sales channel"), TEXT),
    "orderStatus": (tr("Order status"), TEXT),
    "typologyCode": (tr("Typology"), TEXT),
    columns.SUBTYPOLOGY: (tr("Subtypology"), TEXT),
    "userType": (tr("For"), TEXT),
    "state": (tr("Usable"), TEXT),
}
TYPOLOGY_EXPORT = Export(
    "typologies",
    """Export what discussions may be about, into a table.

    A row for each channel, status of orders, subtypology and user. Those that are usable can be
    opened.
    """,
    lambda _: (
        CHANNELS,
        ServiceList(
            tr("typologies"),
            lambda _, channels: [
                wire.read_typologies(channel, status, typology)
                for channel in channels_in(channels)
                for status in STATUSES
                for typology in ("order", "offer")
            ],
            lambda _: _typology_rows,
            nothing(tr("the service names no typologies"), OF_CHANNELS),
            OF_CHANNELS,
            unit=tr("typologies"),
        ),
    ),
    plain_table(tr("Typologies"), known=TYPOLOGY_TABLE),
    no_loss,
    (BY_SALES_CHANNEL,),
)


def _usable(reply: Reply, call: Call) -> ListPage:
    """What a seller may open; the channels go on to the list of discussions."""
    codes = [it.code for it in wire.typologies_of(reply) if it.is_usable]
    return ListPage(tally=Counter({(_CODE, code): 1 for code in codes}))


# The sheet of discussions.

MESSAGES = Filter(
    "messages",
    "",
    tr("Bring whole conversations: one call for each discussion."),
    is_flag=True,
    narrows=False,
)


def _listings(query: Query) -> Iterable[ServiceList]:
    known = _known_channels()
    lists = (known, discussion_list(_counting(found_rows)))
    return (*lists, whole_list(_counting(whole_rows))) if query["messages"] else lists
