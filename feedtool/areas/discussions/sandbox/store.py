"""Stored discussions and messages, and the steps of customers in them.

Specification, "Discussion, message, attachment" and "Discussion" (states). Names that it does not
show are the field's. Nothing happens by chance: a customer who has no answer makes a claim of the
discussion, a customer with an answer says thanks, and every fourth opens a closed one again.
"""

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from sqlite3 import Connection
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.sandbox.exchange import Exchange, SandboxSettings, not_found
from feedtool.sandbox.resources import Life, Resource, StoredThing, TimedState
from feedtool.sandbox.state import stamp

CUSTOMER, SELLER, SUPPORT = "Customer", "Seller", "GrcOperator"
DISCUSSION, CLAIM, LEVEL_1 = "Discussion", "Claim", "Level_1"
TO_TREAT, TREATED = "ToTreat", "Treated"
EVERY_REOPENS = 4
"""One in so many discussions that were closed."""

THANKS = "Thank you very much for your answer, that helps."
AGAIN = "I am sorry, but this is not solved yet: please look at it again."


class SentFile(NamedTuple):
    """An attachment of a message that is written."""

    name: str
    format: str
    content: bytes


class NewMessage(NamedTuple):
    """A message that is written."""

    sender: str
    receivers: Sequence[str]
    body: str
    files: Sequence[SentFile] = ()


class Topic(NamedTuple):
    """The subject of a discussion that is opened."""

    order: str
    channel: str
    subtypology: str
    subject: str
    product: str = ""
    typology: str = "order"


def open_discussion(
    db: Connection,
    seller: str,
    topic: Topic,
    message: NewMessage,
    now: datetime,
    settings: SandboxSettings,
) -> StoredThing:
    """A new discussion with its first message."""
    discussion = DISCUSSIONS.new(db, seller, _shows_at(message, now, settings))
    text = f"discussion {seller} {topic.order} {topic.subtypology} {topic}"
    discussion.name = str(uuid5(NAMESPACE_URL, text))
    if DISCUSSIONS.find(db, seller, discussion.name):  # a customer opens what a seller has opened
        discussion.name = str(uuid5(NAMESPACE_URL, f"{text} {message.sender}"))
    discussion.document = {
        "discussionId": discussion.name,
        "orderId": topic.order,
        "orderSellerId": topic.order,
        "productId": topic.product or None,
        "salesChannel": topic.channel,
        "subject": topic.subject,
        "typologyCode": topic.typology,
        "subTypologyCode": topic.subtypology,
        "isOpen": True,
        "graduation": DISCUSSION,
        "processStatus": TREATED,
        "createdAt": stamp(now),
        "updatedAt": stamp(now),
    }
    write_message(db, discussion, message, now, settings)
    return discussion


def write_message(
    db: Connection,
    discussion: StoredThing,
    message: NewMessage,
    now: datetime,
    settings: SandboxSettings,
) -> str:
    """Add a message to a discussion and plan the customer's next step; return its identifier."""
    is_sellers = message.sender == SELLER
    written = MESSAGES.new(db, discussion.seller, _shows_at(message, now, settings))
    count = len(messages_of(db, discussion))
    written.name = str(uuid5(NAMESPACE_URL, f"message {discussion.name} {count} {stamp(now)}"))
    written.document = {
        "discussionId": discussion.name,
        "messageId": written.name,
        "sender": {"userType": message.sender},
        "receivers": [{"userType": name} for name in message.receivers],
        "body": message.body,
        "hasRead": is_sellers,
        "createdAt": stamp(now),
        "attachments": [
            {
                "attachmentId": str(uuid5(NAMESPACE_URL, f"attachment {written.name} {place}")),
                "attachmentName": file.name,
                "fileFormat": file.format,
            }
            for place, file in enumerate(message.files)
        ],
        "contents": [b64encode(file.content).decode() for file in message.files],
    }
    MESSAGES.keep(db, written)
    DISCUSSIONS.enter(discussion, TREATED if is_sellers else TO_TREAT, now, settings)
    DISCUSSIONS.keep(db, discussion)
    return written.name


def _shows_at(message: NewMessage, now: datetime, settings: SandboxSettings) -> datetime:
    is_sellers = message.sender == SELLER
    return now + settings.of(DiscussionBehaviour).visible_after if is_sellers else now


def messages_of(db: Connection, discussion: StoredThing) -> list[StoredThing]:
    """The messages of a discussion, seen or not, oldest first."""
    return MESSAGES.every(db, discussion.seller, discussionId=discussion.name)


def asked_discussion(exchange: Exchange, discussion_id: str) -> StoredThing:
    """The seller's discussion of this identifier, else 404."""
    discussion = DISCUSSIONS.find(exchange.db, exchange.seller, discussion_id)
    if discussion is None:
        raise not_found("The discussion")
    return discussion


def attachment_documents(message: StoredThing) -> list[dict[str, Any]]:
    """The attachments of a message, with their content."""
    document = message.document
    return [
        {
            "attachmentId": file["attachmentId"],
            "messageId": message.name,
            "name": file["attachmentName"],
            "fileFormat": file["fileFormat"],
            "content": content,
        }
        for file, content in zip(document["attachments"], document["contents"], strict=True)
    ]


# Steps of customers.


def make_claim(_: Connection, discussion: StoredThing, now: datetime, __: SandboxSettings) -> None:
    """Let a customer who has had no answer make a claim of a discussion."""
    discussion.document |= {"graduation": CLAIM, "updatedAt": stamp(now)}


def respond(
    db: Connection, discussion: StoredThing, now: datetime, settings: SandboxSettings
) -> None:
    """Let a customer who has an answer say thanks, or open again what was closed."""
    is_open = discussion.document["isOpen"]
    messages = messages_of(db, discussion)
    senders = [message.document["sender"]["userType"] for message in messages]
    if is_open and senders.count(CUSTOMER) <= 1:
        write_message(db, discussion, NewMessage(CUSTOMER, (SELLER,), THANKS), now, settings)
        discussion.next_at = None  # after thanks a customer waits for nothing
    elif not is_open and discussion.number % EVERY_REOPENS == 0:
        discussion.document["isOpen"] = True
        write_message(db, discussion, NewMessage(CUSTOMER, (SELLER,), AGAIN), now, settings)


DISCUSSIONS = Resource(
    kind="discussion",
    life=Life(
        DiscussionBehaviour,
        {
            TO_TREAT: TimedState(lambda of, _: of.claims_after, make_claim),
            TREATED: TimedState(lambda of, _: of.thanks_after, respond),
        },
        status="processStatus",
        changed="updatedAt",
    ),
    indexed=("orderId",),
)
MESSAGES = Resource(kind="message", indexed=("discussionId",))
