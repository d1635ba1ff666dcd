"""Discussions, messages and attachments as they are kept, and as they are shown.

Specification, "Discussion, message, attachment". Names that it does not show are the field's.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime
from sqlite3 import Connection, Row
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.sandbox.exchange import Exchange, not_found
from feedtool.sandbox.state import stamp

TABLES = """
CREATE TABLE IF NOT EXISTS discussion(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  discussion_id TEXT UNIQUE NOT NULL,
  seller TEXT NOT NULL,
  order_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  product_id TEXT NOT NULL,    -- empty where it is about the order
  typology TEXT NOT NULL,
  subtypology TEXT NOT NULL,
  subject TEXT NOT NULL,
  opener TEXT NOT NULL,        -- Customer or Seller
  is_open INTEGER NOT NULL,
  graduation TEXT NOT NULL,
  process_status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  shown_at TEXT NOT NULL,      -- from then on it is seen
  next_at TEXT,                -- when its customer does something; NULL where nothing is due
  UNIQUE (seller, order_id, subtypology, product_id)
);
CREATE INDEX IF NOT EXISTS discussion_next ON discussion(next_at) WHERE next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS discussion_by_change ON discussion(seller, updated_at, id);
CREATE TABLE IF NOT EXISTS message(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT UNIQUE NOT NULL,
  discussion INTEGER NOT NULL,
  sender TEXT NOT NULL,
  receivers TEXT NOT NULL,     -- user types, by commas
  body TEXT NOT NULL,
  has_read INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  shown_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS message_by_discussion ON message(discussion, id);
CREATE TABLE IF NOT EXISTS attachment(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  attachment_id TEXT UNIQUE NOT NULL,
  message INTEGER NOT NULL,
  name TEXT NOT NULL,
  format TEXT NOT NULL,
  content BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS attachment_by_message ON attachment(message);
"""

CUSTOMER, SELLER, SUPPORT = "Customer", "Seller", "GrcOperator"
DISCUSSION, CLAIM, LEVEL_1 = "Discussion", "Claim", "Level_1"
TO_TREAT, TREATED = "ToTreat", "Treated"


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
    at: datetime,
    behaviour: DiscussionBehaviour,
) -> Row:
    """A new discussion with its first message."""
    name = uuid5(NAMESPACE_URL, f"discussion {seller} {topic.order} {topic.subtypology} {topic}")
    delay = behaviour.visible_after if message.sender == SELLER else at - at
    db.execute(
        "INSERT INTO discussion(discussion_id, seller, order_id, channel, product_id, typology,"
        " subtypology, subject, opener, is_open, graduation, process_status, created_at,"
        " updated_at, shown_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1, ?10, ?11, ?12, ?12, ?13)",
        (
            *(str(name), seller, topic.order, topic.channel, topic.product, topic.typology),
            *(topic.subtypology, topic.subject, message.sender, DISCUSSION, TREATED),
            *(stamp(at), stamp(at + delay)),
        ),
    )
    row = find(db, seller, str(name))
    if row is None:
        raise LookupError(name)
    write_message(db, row, message, at, behaviour)
    return find(db, seller, str(name)) or row


def write_message(
    db: Connection, row: Row, message: NewMessage, at: datetime, behaviour: DiscussionBehaviour
) -> str:
    """The identifier of a new message of a discussion, whose customer then does the next thing."""
    (count,) = db.execute(
        "SELECT COUNT(*) FROM message WHERE discussion = ?", (row["id"],)
    ).fetchone()
    name = str(uuid5(NAMESPACE_URL, f"message {row['discussion_id']} {count} {stamp(at)}"))
    is_sellers = message.sender == SELLER
    shown = at + behaviour.visible_after if is_sellers else at
    number = db.execute(
        "INSERT INTO message(message_id, discussion, sender, receivers, body, has_read,"
        " created_at, shown_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(name, row["id"], message.sender, ",".join(message.receivers), message.body),
            *(is_sellers, stamp(at), stamp(shown)),
        ),
    ).lastrowid
    for place, file in enumerate(message.files):
        own = str(uuid5(NAMESPACE_URL, f"attachment {name} {place}"))
        db.execute(
            "INSERT INTO attachment(attachment_id, message, name, format, content)"
            " VALUES (?, ?, ?, ?, ?)",
            (own, number, *file),
        )
    wait = behaviour.thanks_after if is_sellers else behaviour.claims_after
    change(
        db,
        row["id"],
        at,
        process_status=TREATED if is_sellers else TO_TREAT,
        next_at=stamp(at + wait),
    )
    return name


def change(db: Connection, discussion: int, at: datetime, **fields: Any) -> None:
    """Change a discussion."""
    fields["updated_at"] = stamp(at)
    names = ", ".join(f"{name} = :{name}" for name in fields)
    db.execute(f"UPDATE discussion SET {names} WHERE id = :id", {**fields, "id": discussion})  # noqa: S608 - only names of ours are filled in


def find(db: Connection, seller: str, discussion_id: str) -> Row | None:
    """The seller's discussion of this identifier, None where there is none."""
    query = "SELECT * FROM discussion WHERE seller = ? AND discussion_id = ?"
    row: Row | None = db.execute(query, (seller, discussion_id)).fetchone()
    return row


def asked_discussion(exchange: Exchange, discussion_id: str) -> Row:
    """The seller's discussion of this identifier; 404 where there is none."""
    row = find(exchange.db, exchange.seller, discussion_id)
    if row is None:
        raise not_found("The discussion")
    return row


# As they are shown.


def messages_of(db: Connection, discussion: int, now: datetime) -> list[Row]:
    """The messages of a discussion that are seen, oldest first."""
    query = "SELECT * FROM message WHERE discussion = ? AND shown_at <= ? ORDER BY id"
    return db.execute(query, (discussion, stamp(now))).fetchall()


def discussion_document(row: Row) -> dict[str, Any]:
    """A discussion as it is shown, without its messages."""
    return {
        "discussionId": row["discussion_id"],
        "orderId": row["order_id"],
        "orderSellerId": row["order_id"],
        "productId": row["product_id"] or None,
        "salesChannel": row["channel"],
        "subject": row["subject"],
        "typologyCode": row["typology"],
        "subTypologyCode": row["subtypology"],
        "isOpen": bool(row["is_open"]),
        "graduation": row["graduation"],
        "processStatus": row["process_status"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
    }


def message_documents(db: Connection, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Messages as they are shown, with what is told of their attachments."""
    return [
        {
            "messageId": row["message_id"],
            "sender": {"userType": row["sender"]},
            "receivers": [{"userType": name} for name in row["receivers"].split(",")],
            "body": row["body"],
            "hasRead": bool(row["has_read"]),
            "createdAt": row["created_at"],
            "attachments": [
                {
                    "attachmentId": file["attachment_id"],
                    "attachmentName": file["name"],
                    "fileFormat": file["format"],
                }
                for file in db.execute(
                    "SELECT * FROM attachment WHERE message = ? ORDER BY id", (row["id"],)
                )
            ],
        }
        for row in rows
    ]


def attachment_document(row: Row) -> dict[str, Any]:
    """An attachment with its content."""
    return {
        "attachmentId": row["attachment_id"],
        "messageId": row["message_id"],
        "name": row["name"],
        "fileFormat": row["format"],
        "content": b64encode(row["content"]).decode(),
    }
