"""The feeds of discussions: a sheet in which each row may reply, open, mark read, close.

One row may be several requests of its discussion: the reply, then what is read, then the end. The
sheet's own kind is the reply.
"""

import re
from collections.abc import Sequence
from functools import partial

from feedtool.areas.discussions import acts, codes, columns
from feedtool.areas.discussions.attachments import LocalFile, files_of
from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.areas.discussions.wire import CUSTOMER, digest_of
from feedtool.feeds.columns.choice import YES
from feedtool.feeds.feed import (
    CHANNEL,
    Enrich,
    Feed,
    Recognition,
    Requests,
    Row,
    SheetColumns,
    SheetDesign,
    TemplatePage,
    Travel,
    always,
)
from feedtool.model.nouns import Issue
from feedtool.model.text import FieldName, tr

BODY, MESSAGE = "body", "messageId"
"""Keys of what a row gets here: the finished text, and the message that is marked."""
_PLACE = re.compile(r"\{([^{}]*)\}")


_SENT = frozenset(column.key for column in (*columns.COLUMNS, *columns.STATE_COLUMNS[-1:]))

# Contents of a row.


def enrich(_: SheetColumns) -> Enrich:
    """Reads the files of a row, and finishes its text."""

    def finish(row: Row) -> tuple[Row, Sequence[Issue]]:
        body, issues = _body(row)
        files, wrong = files_of(row)
        values = {**row.values, BODY: body}
        return row._replace(values=values, details=tuple(files)), [*issues, *wrong]

    return finish


def _body(row: Row) -> tuple[str | None, list[Issue]]:
    """The text of a row's message, typed or from a saved reply."""
    typed, name = row.values.get(columns.REPLY), row.values.get(columns.TEMPLATE)
    if not name:
        return typed, []
    if typed:
        message = tr("there is a text, and the name of a saved reply")
        hint = tr("empty one of the two cells")
        return None, [Issue(codes.REPLY_TWICE, message, hint, columns.TEMPLATE)]
    saved = row.sheet.context.settings.of(DiscussionSettings).replies[str(name)]
    filled = {key for key in columns.PLACES if row.values.get(key)}
    lacking = [key for key in _PLACE.findall(saved) if key not in filled]
    if lacking:
        return None, [_lacking(key) for key in dict.fromkeys(lacking)]
    return _PLACE.sub(lambda match: str(row.values[match[1]]), saved).strip(), []


def _lacking(key: str) -> Issue:
    code = codes.TEMPLATE_VALUE_MISSING
    if key not in columns.PLACES:
        message = tr("the saved reply has {{{key}}}, which is not a known placeholder", key=key)
        places = ", ".join(f"{{{place}}}" for place in sorted(columns.PLACES))
        return Issue(code, message, tr("it may have: {places}", places=places), columns.TEMPLATE)
    message = tr("the saved reply needs {field}, and the cell is empty", field=FieldName(key))
    return Issue(code, message, tr("fill the cell, or type the reply"), columns.TEMPLATE)


def writes(row: Row) -> bool:
    return any(not row.is_blank(key) for key in columns.FILLED)


def asked_of(row: Row) -> Sequence[Row]:
    """The requests of a row; none if it is not filled."""
    if row.is_blank(columns.DISCUSSION):
        is_new = writes(row) or not row.is_blank(columns.SUBJECT)
        return (row._replace(feed=OPEN),) if is_new else ()
    parts = [row] if writes(row) else []
    marked = ({**row.values, MESSAGE: message} for message in _marked(row))
    parts += (row._replace(feed=READ, values=values) for values in marked)
    if row.values.get(columns.CLOSE) == YES or columns.CLOSE in row.refused:
        parts.append(row._replace(feed=CLOSE))
    return parts


def _marked(row: Row) -> Sequence[str]:
    """The messages that a row marks as read; "" is the last unread one."""
    reads = row.sheet.context.settings.of(DiscussionSettings).reply_reads == "yes"
    choice = row.values.get(columns.MARK_READ)
    unread = str(row.values.get(columns.UNREAD) or "").replace(";", " ").split()
    if choice == YES or columns.MARK_READ in row.refused:
        return unread or ("",)
    return unread if writes(row) and choice is None and reads else ()


def _message_required(row: Row) -> list[str]:
    """Require the text, unless a saved reply has an issue already."""
    if not writes(row) or row.values.get(BODY) or not row.is_blank(columns.TEMPLATE):
        return []
    return row.blanks((columns.REPLY,))


def _open_required(row: Row) -> list[str]:
    needed = (columns.ORDER, CHANNEL, columns.SUBJECT, columns.SUBTYPOLOGY)
    text = () if row.values.get(BODY) or not row.is_blank(columns.TEMPLATE) else (columns.REPLY,)
    return row.blanks((*needed, *text))


# Bodies of requests.


def _receiver(row: Row) -> str:
    return str(row.values.get(columns.RECEIVER) or CUSTOMER)


def _files(row: Row) -> list[dict[str, str]]:
    files: Sequence[LocalFile] = row.details if isinstance(row.details, tuple) else ()
    return [file.document() for file in files]


def _reply(row: Row) -> dict[str, object]:
    return {
        "discussionId": row.values[columns.DISCUSSION],
        "salesChannel": row.values.get(CHANNEL) or "",
        "body": row.values[BODY],
        "receivers": [{"userType": _receiver(row)}],
        "attachments": _files(row),
    }


def _opening(row: Row) -> dict[str, object]:
    return {
        "subject": row.values[columns.SUBJECT],
        "orderId": row.values[columns.ORDER],
        "salesChannel": row.values[CHANNEL],
        "subtypologyCode": row.values[columns.SUBTYPOLOGY],
        "productId": row.values.get(columns.PRODUCT),
        "message": {
            "body": row.values[BODY],
            "receiver": _receiver(row),
            "attachments": _files(row),
        },
    }


def _closing(row: Row) -> dict[str, object]:
    """The discussion, and the digest of the row's reply, without which nothing is done."""
    body = row.values.get(BODY)
    after = {"after": digest_of(str(body))} if body else {}
    return {"discussionId": row.values[columns.DISCUSSION], **after}


# The feeds.

SHEET = SheetDesign(
    name="Discussions",
    columns=columns.columns_of,
    every_column=always(*columns.EVERY_COLUMN),
    key_column=columns.DISCUSSION,
    folded=columns.FOLDED,
    has_channel=False,
)
_recognition = partial(
    Recognition,
    needs=(columns.DISCUSSION, columns.REPLY),
    lists={"hasRead": "messages", "attachmentId": "attachments"},
)
_requests = partial(
    Requests,
    reference=columns.DISCUSSION,
    split=asked_of,
    enrich=enrich,
    is_sent=_SENT.__contains__,
    personal=columns.PERSONAL,
)
_feed = partial(Feed, area="feedtool.areas.discussions", sheet=SHEET)

REPLY = _feed(
    kind="discussions",
    summary=tr("Discussions with customers: replies, new ones, what is read, what is closed."),
    recognition=_recognition(),
    requests=_requests(make=_reply, required=_message_required),
    travel=Travel(package_type="Reply", protocol=acts.REPLY),
    template=TemplatePage(
        "Discussions",
        tr(
            "Each row is a discussion. Write a reply, or choose a saved one, mark what is read, "
            "close what is done; a row in which nothing is filled asks for nothing. A row without "
            "a discussion opens one."
        ),
    ),
)
OPEN = _feed(
    kind="discussions-open",
    summary=tr("New discussions about orders, each with its first message."),
    recognition=_recognition(only_if_asked=True),
    requests=_requests(
        make=_opening,
        required=_open_required,
        reference=columns.ORDER,
        identity=(columns.ORDER, columns.SUBTYPOLOGY, columns.PRODUCT),
    ),
    travel=Travel(package_type="Open", protocol=acts.OPEN),
)
READ = _feed(
    kind="discussions-read",
    summary=tr("Messages that are marked as read."),
    recognition=_recognition(only_if_asked=True),
    requests=_requests(make=lambda row: {**_closing(row), "messageId": row.values[MESSAGE]}),
    travel=Travel(package_type="Read", protocol=acts.READ),
)
CLOSE = _feed(
    kind="discussions-close",
    summary=tr("Discussions that are closed."),
    recognition=_recognition(only_if_asked=True),
    requests=_requests(make=_closing),
    travel=Travel(package_type="Close", protocol=acts.CLOSE),
)
FEEDS = (REPLY, OPEN, READ, CLOSE)
