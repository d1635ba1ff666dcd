"""Statuses of rows of discussions whose request was done."""

from feedtool.model.nouns import RowStatus, Status
from feedtool.model.text import plural, tr

SENT = Status("Sent")
OPENED = Status("Opened")
CLOSED = Status("Closed")
READ = Status("Read")

STATUSES = (
    RowStatus(
        SENT,
        tr("Sent"),
        lambda count: plural("{count:,} Sent", "{count:,} Sent", count),
        tr("The service shows the message in its discussion."),
    ),
    RowStatus(
        OPENED,
        tr("Opened"),
        lambda count: plural("{count:,} Opened", "{count:,} Opened", count),
        tr("The service shows the discussion, with the row's message as its first."),
    ),
    RowStatus(
        CLOSED,
        tr("Closed"),
        lambda count: plural("{count:,} Closed", "{count:,} Closed", count),
        tr("The service shows the discussion as closed."),
    ),
    RowStatus(
        READ,
        tr("Read"),
        lambda count: plural("{count:,} Read", "{count:,} Read", count),
        tr("The service shows the message as read."),
    ),
)
