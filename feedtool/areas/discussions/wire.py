"""Calls for discussions, messages and attachments, and readers of their answers.

Specification, "Discussions". Names that it does not show are read by alternatives, all seen in the
field; every shape is checked.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson

from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.areas.plain_list import REFUSALS, TARGET
from feedtool.model.call import CREATED, JSON, READ, STAGED, Call, Reply
from feedtool.model.limits import MIB
from feedtool.model.text import tr
from feedtool.service.answers import (
    SMALL,
    Unreadable,
    created_id,
    items_of,
    last_segment,
    listed,
    loads,
    spelled,
    text,
)

READ_OR_GONE = READ | {404}
READ_OR_NONE = READ | {400, 404}
OPENED = CREATED | {409}
"""A second discussion of the same is refused by 409 with the first one's location (rule 2)."""
PAGE = 100
"""The largest page of discussions (specification, "Limits")."""
CUSTOMER, SELLER, SUPPORT = "Customer", "Seller", "GrcOperator"
TO_TREAT, TREATED = "ToTreat", "Treated"
GRADUATIONS = (_, CLAIM, _) = ("Discussion", "Claim", "Level_1")
MOST_MESSAGES = 1000
LONGEST_MESSAGE = 32_000
"""Characters of a message that are shown; a cell of a spreadsheet holds no more."""
LARGEST_FILES = 64 * MIB


class Attachment(NamedTuple):
    """A file of a message, without its content."""

    id: str
    name: str
    format: str


class SentMessage(NamedTuple):
    """A message of a discussion."""

    id: str
    sender: str
    receivers: tuple[str, ...]
    body: str
    is_unread: bool
    """True if somebody else wrote it, and it is not marked read."""
    created_at: str
    attachments: tuple[Attachment, ...]

    @property
    def is_own(self) -> bool:
        """True for the seller's messages, and for those without a sender."""
        return self.sender in {SELLER, ""}


class Discussion(NamedTuple):
    """A discussion."""

    id: str
    channel: str
    order: str
    product: str
    is_open: bool
    updated_at: str
    messages: tuple[SentMessage, ...]
    """The messages of the answer, oldest first: all, only the first or only the last."""
    receivers: tuple[str, ...]
    """The receivers of the seller's messages; empty if the answer does not name them."""
    document: Mapping[str, Any]
    """The document of the service."""


# Calls.


def _path(collection: str, name: str) -> str:
    return f"/{collection}/{quote(name, safe='')}"


def read_discussion(discussion: str) -> Call:
    return Call("GET", _path("discussions", discussion), READ_OR_GONE)


def read_discussions(query: Iterable[tuple[str, str]]) -> Call:
    return Call("GET", "/discussions", READ, query=(*query, ("pageSize", str(PAGE))))


def read_count(*query: tuple[str, str]) -> Call:
    return Call("GET", "/discussions/count", READ, query=query)


def read_configuration(channel: str) -> Call:
    return Call("GET", f"{TARGET}/{quote(channel, safe='')}", READ | REFUSALS)


def read_typologies(channel: str, status: str, typology: str, user: str = "") -> Call:
    """The call for the topics of a channel and a status of orders."""
    query = (("salesChannel", channel), ("orderStatus", status), ("typologyCode", typology))
    users = (("userType", user),) if user else ()
    return Call("GET", "/typologies", READ_OR_NONE, query=(*query, *users))


def read_attachments(channel: str, **ids: str) -> Call:
    """Files with their content, by discussionId, messageId or attachmentId."""
    query = (("salesChannelId", channel), *ids.items())
    return Call("GET", "/attachments", READ, query=query, largest=LARGEST_FILES)


def send(body: Mapping[str, Any], settings: DiscussionSettings) -> Call:
    """Write a message."""
    if settings.message_receiver != "receivers":
        receivers = body["receivers"]
        body = {name: value for name, value in body.items() if name != "receivers"}
        body[settings.message_receiver] = receivers[0]["userType"]
    return Call("POST", "/messages", CREATED, headers=JSON, body=orjson.dumps(body))


def begin(body: bytes) -> Call:
    """Open a discussion; an existing one of the same topic is an answer, too."""
    return Call("POST", "/discussions", OPENED, headers=JSON, body=body)


def mark_read(message: str, settings: DiscussionSettings) -> Call:
    return _patch(_path("messages", message), "hasRead", settings, yes=True)


def close(discussion: str, settings: DiscussionSettings) -> Call:
    return _patch(_path("discussions", discussion), "isOpen", settings, yes=False)


def _patch(target: str, field: str, settings: DiscussionSettings, *, yes: bool) -> Call:
    """Change one member (rule 5)."""
    value: object = yes if settings.patch_value == "boolean" else str(yes).lower()
    entry = {settings.patch_op: "replace", "path": f"/{field}", "value": value}
    return Call("PATCH", target, STAGED, headers=JSON, body=orjson.dumps([entry]))


# Answers.


def discussion_of(reply: Reply) -> Discussion | None:
    """The discussion of an answer, None for 404; Unreadable for anything else."""
    if reply.status not in READ:
        return None
    discussion = read_document(loads(reply.body))
    if discussion is None:
        raise Unreadable(tr("the answer is not a discussion"))
    return discussion


def discussions_of(reply: Reply) -> list[Discussion]:
    """The discussions of a page; Unreadable if an entry is no discussion."""
    documents = [read_document(item) for item in items_of(reply, tr("discussions"))]
    if None in documents:
        raise Unreadable(tr("the answer holds something that is not a discussion"))
    return [discussion for discussion in documents if discussion]


def read_document(document: Any) -> Discussion | None:
    """A discussion, None for what has no identifier."""
    fields = document if isinstance(document, dict) else {}
    if not (identifier := text(fields.get("discussionId"))):
        return None
    words = {
        name: spelled(fields[name], of)
        for name, of in (("processStatus", (TO_TREAT, TREATED)), ("graduation", GRADUATIONS))
        if name in fields
    }
    messages = [_message(message) for message in _messages(fields) if isinstance(message, dict)]
    if all(message.created_at for message in messages):
        messages.sort(key=lambda message: message.created_at)
    return Discussion(
        identifier,
        _named(fields, "salesChannel", "salesChannelId"),
        _named(fields, "orderSellerId", "orderId", "orderReference"),
        _named(fields, "productId"),
        fields.get("isOpen") is not False,
        text(fields.get("updatedAt")),
        tuple(messages[-MOST_MESSAGES:]),
        _users(fields.get("eligibleReceivers")),
        {**fields, **words},
    )


def _messages(fields: Mapping[str, Any]) -> list[Any]:
    """The messages, from any member that may hold them."""
    if isinstance(every := fields.get("messages"), list):
        return every
    singles = (fields.get(name) for name in ("message", "firstMessage", "lastMessage"))
    return [message for message in singles if message]


def _message(fields: Mapping[str, Any]) -> SentMessage:
    sender = next(iter(_users([fields.get("sender") or fields.get("userType")])), "")
    receivers = fields.get("receivers")
    files = fields.get("attachments")
    return SentMessage(
        _named(fields, "messageId", "id"),
        sender,
        _users(receivers if isinstance(receivers, list) else [fields.get("receiver")]),
        prose(fields.get("body")),
        fields.get("hasRead") is not True and sender != SELLER,
        text(fields.get("createdAt")),
        tuple(map(_attachment, files[:MOST_MESSAGES])) if isinstance(files, list) else (),
    )


def _attachment(value: Any) -> Attachment:
    fields = value if isinstance(value, dict) else {}
    names = _named(fields, "attachmentId", "id"), _named(fields, "attachmentName", "name")
    return Attachment(*names, text(fields.get("fileFormat")))


def _named(fields: Mapping[str, Any], *names: str) -> str:
    """The first text among members; an object counts by its `id`."""
    values = (fields.get(name) for name in names)
    plain = (value.get("id") if isinstance(value, dict) else value for value in values)
    return next(filter(None, map(text, plain)), "")


def _users(values: Any) -> tuple[str, ...]:
    """User types: texts, or objects that have one."""
    listed_users = values[:MOST_MESSAGES] if isinstance(values, list) else []
    plain = (user.get("userType") if isinstance(user, dict) else user for user in listed_users)
    return tuple(filter(None, (spelled(user, (CUSTOMER, SELLER, SUPPORT)) for user in plain)))


def prose(value: object) -> str:
    """A text of the service's with its line breaks, of bounded length; "" for anything else."""
    if not isinstance(value, str):
        return ""
    lines = value[:LONGEST_MESSAGE].splitlines()
    shown = (
        "".join(character if character.isprintable() else " " for character in line).rstrip()
        for line in lines
    )
    return "\n".join(shown).strip()


def folded(body: str) -> str:
    """A message's text for comparisons: services change blanks and line ends, and write `&amp;`."""
    return " ".join(prose(unescape(body)).split())


def digest_of(body: str) -> str:
    """The digest by which later requests refer to a message."""
    return sha256(folded(body).encode()).hexdigest()


def created(reply: Reply) -> str | None:
    return created_id(reply, last_segment(reply.url), "messageId", "discussionId", "id")


class ChannelRules(NamedTuple):
    """The rules of a channel for discussions."""

    is_enabled: bool
    receivers: tuple[str, ...]
    """Empty if the service does not name them."""


def configuration_of(reply: Reply) -> ChannelRules:
    """The rules of a channel; without an answer everything is allowed."""
    document = loads(reply.body, SMALL) if reply.status in READ else {}
    fields = document if isinstance(document, dict) else {}
    return ChannelRules(
        fields.get("isEnabled") is not False, _users(fields.get("allowedReceivers"))
    )


class TypologyEntry(NamedTuple):
    """A topic of discussions."""

    typology: str
    code: str
    is_usable: bool
    user: str


def typologies_of(reply: Reply) -> list[TypologyEntry]:
    """The typologies of an answer, if the service lists any."""
    if reply.status not in READ:
        return []
    items = items_of(reply, tr("typologies"))
    entries = [_typology(item) for item in items if isinstance(item, dict)]
    return [entry for entry in entries if entry.code]


def _typology(fields: Mapping[str, Any]) -> TypologyEntry:
    users = fields.get("userType")
    return TypologyEntry(
        _named(fields, "typologyCode"),
        _named(fields, "subTypologyCode", "subtypologyCode"),
        fields.get("state") is not False,
        ", ".join(_users(users if isinstance(users, list) else [users])),
    )


class FileContent(NamedTuple):
    """A file of an answer."""

    id: str
    name: str
    content: str
    """In base64."""


def files_of(reply: Reply) -> list[FileContent]:
    """The files of an answer, a list or a single one."""
    document = loads(reply.body)
    if isinstance(document, dict) and "content" in document:
        items: Any = [document]
    else:
        items = document.get("items") if isinstance(document, dict) else document
    return [
        FileContent(
            _named(file, "attachmentId", "id"),
            _named(file, "name", "attachmentName"),
            file["content"] if isinstance(file.get("content"), str) else "",
        )
        for file in listed(items, tr("files"))
        if isinstance(file, dict)
    ]
