"""A discussion as a row of a sheet, and its messages as rows of a table."""

from collections.abc import Iterator
from datetime import datetime

from feedtool.areas.discussions import columns, wire
from feedtool.areas.discussions.wire import SELLER, Discussion, SentMessage, prose
from feedtool.areas.plain_list import date_of
from feedtool.feeds.feed import CHANNEL
from feedtool.model.cells import Value
from feedtool.model.text import joined
from feedtool.service.answers import moment, text

TO_TREAT, TREATED, CLAIM = wire.TO_TREAT, wire.TREATED, wire.CLAIM


def discussion_row(
    discussion: Discussion, now: datetime | None, *, is_whole: bool = False
) -> dict[str, Value]:
    """The row of a discussion, by the columns' keys; with all of its messages if they are there."""
    document, last = discussion.document, discussion.messages[-1] if discussion.messages else None
    unread = [message.id for message in discussion.messages if message.is_unread]
    return {
        columns.DISCUSSION: discussion.id,
        columns.ORDER: discussion.order or None,
        CHANNEL: discussion.channel or None,
        columns.PRODUCT: discussion.product or None,
        columns.SUBJECT: prose(document.get("subject")) or None,
        columns.SUBTYPOLOGY: text(document.get("subTypologyCode")) or None,
        **({} if last is None else _last(last)),
        columns.CONVERSATION: conversation(discussion) if is_whole else None,
        columns.WAITING: _waiting(discussion, last, now),
        columns.IS_OPEN: str(discussion.is_open).lower(),
        **{
            key: text(document.get(key)) or None
            for key in (columns.GRADUATION, columns.PROCESS_STATUS, "typologyCode")
        },
        "createdAt": date_of(document.get("createdAt")),
        "updatedAt": date_of(discussion.updated_at),
        columns.UNREAD: str(joined(unread, "; ")) or None,
    }


def _last(message: SentMessage) -> dict[str, Value]:
    return {
        columns.LAST_AT: date_of(message.created_at),
        columns.LAST_FROM: message.sender or None,
        columns.LAST_BODY: message.body or None,
    }


def conversation(discussion: Discussion) -> Value:
    """All messages in one text, each below its time and sender."""
    texts = (
        f"{message.created_at} {message.sender}\n{message.body}" for message in discussion.messages
    )
    return prose("\n\n".join(texts)) or None


def _waiting(discussion: Discussion, last: SentMessage | None, now: datetime | None) -> Value:
    """The hours that a customer has waited for an answer; blank for none."""
    since = moment(last.created_at) if last and last.sender != SELLER else None
    if not (since and now and discussion.is_open):
        return None
    return max(0, int((now - since).total_seconds() // 3600))


def message_rows(discussion: Discussion) -> Iterator[dict[str, Value]]:
    """A row for each message of a discussion."""
    for message in discussion.messages:
        yield {
            columns.DISCUSSION: discussion.id,
            columns.ORDER: discussion.order or None,
            "messageId": message.id or None,
            "at": date_of(message.created_at),
            "from": message.sender or None,
            "to": str(joined(message.receivers)) or None,
            "hasRead": str(not message.is_unread).lower(),
            "body": message.body or None,
            "attachments": str(joined(file.name for file in message.attachments)) or None,
        }


def attachment_rows(discussion: Discussion) -> Iterator[dict[str, Value]]:
    """A row for each file of a discussion's messages."""
    for message in discussion.messages:
        for file in message.attachments:
            yield {
                columns.DISCUSSION: discussion.id,
                columns.ORDER: discussion.order or None,
                CHANNEL: discussion.channel or None,
                "messageId": message.id or None,
                "at": date_of(message.created_at),
                "from": message.sender or None,
                "attachmentId": file.id or None,
                "name": file.name or None,
                "fileFormat": file.format or None,
            }
