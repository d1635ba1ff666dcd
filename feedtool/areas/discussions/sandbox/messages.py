"""The routes of messages and attachments: part "Discussions", rules 3 to 5."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from feedtool.areas.discussions.sandbox import store
from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.areas.discussions.sandbox.channels import eligible_receivers
from feedtool.areas.discussions.sandbox.customers import written
from feedtool.areas.discussions.sandbox.store import (
    DISCUSSIONS,
    MESSAGES,
    SELLER,
    NewMessage,
    SentFile,
)
from feedtool.sandbox import effects
from feedtool.sandbox.arguments import DRAFT, FILLED, TEXT, asked, check_structure, json_body
from feedtool.sandbox.exchange import (
    FIELD_MISSING,
    Exchange,
    HttpRequest,
    HttpResponse,
    Route,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import stamp

LARGEST = 4 * 1024 * 1024
"""Bytes of all attachments of a message."""
FORMATS = frozenset(
    ("pdf", "jpg", "jpeg", "png", "gif", "bmp", "tif", "tiff", "doc", "docx", "xls", "xlsx")
)

FILES = {
    "type": ["array", "null"],
    "maxItems": 3,
    "items": {
        "type": "object",
        "required": ["content", "name", "fileFormat"],
        "properties": {"content": FILLED, "name": FILLED, "fileFormat": FILLED},
    },
}


def _validator(behaviour: DiscussionBehaviour) -> jsonschema_rs.Draft202012Validator:
    receiver = {
        "type": "object",
        "required": ["userType"],
        "properties": {"userType": FILLED, "userId": TEXT},
    }
    return jsonschema_rs.Draft202012Validator(
        {
            "$schema": DRAFT,
            "type": "object",
            "required": ["discussionId", "salesChannel", "body", "receivers"],
            "properties": {
                "discussionId": FILLED,
                "salesChannel": FILLED,
                "body": {
                    "type": "string",
                    "minLength": behaviour.shortest,
                    "maxLength": behaviour.longest,
                },
                "receivers": {"type": "array", "minItems": 1, "items": receiver},
                "attachments": FILES,
            },
        }
    )


def sent_files(message: Mapping[str, Any]) -> list[SentFile]:
    """The attachments of a message; 400 for an attachment that is not accepted."""
    files = [
        SentFile(entry["name"], entry["fileFormat"].lower().lstrip("."), _content(entry["content"]))
        for entry in message.get("attachments") or ()
    ]
    for file in files:
        if file.format not in FORMATS or file.content[4:8] == b"ftyp":
            raise bad_request("attachments", f"The format {file.format} is not accepted.")
    if sum(len(file.content) for file in files) > LARGEST:
        raise bad_request("attachments", "The attachments exceed 4 MB.")
    return files


def _content(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except binascii.Error as error:
        raise bad_request("attachments", "The content must be base64.") from error


@written
def reply(exchange: Exchange) -> HttpResponse:
    """POST /messages."""
    body, settings = json_body(exchange.request), exchange.settings
    behaviour = settings.of(DiscussionBehaviour)
    check_structure(_validator(behaviour), body, "a message")
    discussion = store.asked_discussion(exchange, body["discussionId"])
    channel = discussion.document["salesChannel"]
    receivers = [entry["userType"] for entry in body["receivers"]]
    if body["salesChannel"] != channel:
        raise bad_request("salesChannel", f"The discussion is of {channel}.")
    if not discussion.document["isOpen"]:
        raise bad_request("discussionId", "The discussion is closed.")
    if not set(receivers) <= set(eligible_receivers(channel, settings)):
        raise bad_request("receivers", "The receiver is not eligible.")
    message = NewMessage(SELLER, receivers, body["body"], sent_files(body))
    name = store.write_message(exchange.db, discussion, message, exchange.now, settings)
    effects.note(exchange, "message", discussion.name, body)
    return json_answer(201, {"messageId": name})


def patched(request: HttpRequest, path: str, value: str) -> None:
    """Refuse a body that is not the only possible patch (rule 5)."""
    body, expected = json_body(request), {"opt": "replace", "path": path, "value": value}
    if body != [expected]:
        raise bad_request("body", f"The body must be [{expected}].")


@written
def mark_read(exchange: Exchange) -> HttpResponse:
    """PATCH /messages/{id}: marks it read."""
    message = MESSAGES.find(exchange.db, exchange.seller, exchange.ids["id"])
    if message is None:
        raise not_found("The message")
    patched(exchange.request, "/hasRead", "true")
    if not message.document["hasRead"]:
        message.document["hasRead"] = True
        MESSAGES.keep(exchange.db, message)
        effects.note(exchange, "read", message.name, None)
    return HttpResponse(204)


@written
def read_attachments(exchange: Exchange) -> HttpResponse:
    """GET /attachments: with their content."""
    channel = asked(exchange, "salesChannelId")
    if channel is None:
        raise bad_request("salesChannelId", "salesChannelId is required.", FIELD_MISSING)
    names = ("discussionId", "messageId", "attachmentId")
    identifiers = {name: text for name in names if (text := asked(exchange, name)) is not None}
    if not identifiers:
        raise bad_request("discussionId", f"One of {', '.join(names)} is required.")
    attachment = identifiers.pop("attachmentId", None)
    discussions = DISCUSSIONS.every(exchange.db, exchange.seller, salesChannel=channel)
    known = {discussion.name for discussion in discussions}
    items = [
        document
        for message in MESSAGES.every(exchange.db, exchange.seller, **identifiers)
        if message.document["discussionId"] in known and message.shows_at <= stamp(exchange.now)
        for document in store.attachment_documents(message)
        if attachment in {None, document["attachmentId"]}
    ]
    return json_answer(200, {"items": items})


ROUTES: tuple[Route, ...] = (
    Route("POST", "/messages", reply),
    Route("PATCH", "/messages/{id}", mark_read),
    Route("GET", "/attachments", read_attachments),
)
