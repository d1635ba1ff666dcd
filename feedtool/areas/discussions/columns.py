"""The columns of discussions: what identifies one, what the user fills, what the service shows.

Source: specification, "Discussion, message, attachment" and "Discussions". Other headers that mean
a column are in `locale/`.
"""

from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.areas.discussions.wire import CUSTOMER, SUPPORT
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.choice import Choice, Ignored, YesNo
from feedtool.feeds.columns.identifier import Identifier
from feedtool.feeds.columns.text import TEXT_CONTROL_CHARS, Text, no_value, plain, refused
from feedtool.feeds.feed import CHANNEL
from feedtool.feeds.template import UNWRITABLE, Words
from feedtool.model.cells import Cell, CellType, Column, shown
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr

DISCUSSION, ORDER, PRODUCT = "discussionId", "orderId", "productId"
REPLY, TEMPLATE, RECEIVER = "reply", "reply.template", "receiver"
FILES = ("attachment.1", "attachment.2", "attachment.3")
CLOSE, MARK_READ = "close", "markRead"
SUBJECT, SUBTYPOLOGY = "subject", "subTypologyCode"
GRADUATION, PROCESS_STATUS, IS_OPEN = "graduation", "processStatus", "isOpen"
LAST_AT, LAST_FROM, LAST_BODY = "last.at", "last.from", "last.body"
UNREAD, WAITING, CONVERSATION = "unread.ids", "waiting.hours", "conversation"

WORDS = Words("feedtool.areas.discussions")
_column = WORDS.column
RECEIVERS_TYPE = Choice({CUSTOMER: WORDS.of("Customer"), SUPPORT: WORDS.of("Support")})


class UnquotedText(Text, frozen=True):
    """A text of one line or several, of any length; what is wrong with it never quotes it."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """A text whose lines end with line feeds."""
        del column
        if flaw := no_value(cell):
            return flaw
        text = "\n".join(line.rstrip() for line in plain(shown(cell)).splitlines())
        if UNWRITABLE.search(text):
            message = tr("the text holds a control character")
            return refused(TEXT_CONTROL_CHARS, message, tr("delete the text and type it again"))
        return text or None


class SavedReply(Choice, frozen=True):
    """The name of a saved reply of the profile."""

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        return tuple(column.settings.of(DiscussionSettings).replies)


IDENTITY_COLUMNS = WORDS.group(
    "Discussion",
    _column(
        DISCUSSION,
        Identifier(),
        "Discussion",
        "The discussion's identifier; it stays as it is. Empty opens a new one.",
        "f81ca182",
    ),
    _column(
        ORDER, Identifier(), "Order", "The order that it is about.", "24A17F09", is_in_example=False
    ),
    _column(CHANNEL, Identifier(), "Sales channel", "The channel of the order."),
    _column(PRODUCT, Identifier(), "Product id", "Of the order, where it is about one product."),
)
FILLED_COLUMNS = WORDS.group(
    "To fill",
    _column(
        REPLY,
        UnquotedText(),
        "Reply",
        "What is sent; an empty cell sends nothing.",
        "Your parcel left our warehouse today.",
    ),
    _column(
        TEMPLATE,
        SavedReply({}),
        "Saved reply",
        "The name of a saved reply, in the place of a text.",
    ),
    _column(RECEIVER, RECEIVERS_TYPE, "To", "Who gets it; empty means the customer.", CUSTOMER),
    *(
        _column(key, UnquotedText(), f"File {number}", "A file, from the folder of this sheet on.")
        for number, key in enumerate(FILES, 1)
    ),
    _column(MARK_READ, YesNo(), "Mark read", "Yes marks the customer's messages as read."),
    _column(CLOSE, YesNo(), "Close", "Yes closes the discussion, after the reply."),
)
NEW_COLUMNS = WORDS.group(
    "New discussion",
    _column(SUBJECT, UnquotedText(), "Subject", "Of a new discussion: 5 to 50 characters."),
    _column(SUBTYPOLOGY, Identifier(), "About", "What a new discussion is about."),
)
FILLED = (REPLY, TEMPLATE, *FILES)
"""The keys of what makes a message."""

VALUES = {
    "product": "Product's name",
    "parcelNumber": "Parcel number",
    "carrierName": "Carrier",
    "trackingUrl": "Tracking address",
}
VALUE_COLUMNS = WORDS.group(
    "For saved replies",
    *(
        _column(key, Text() if key == "product" else Identifier(), label, "For saved replies.")
        for key, label in VALUES.items()
    ),
)
PLACES = frozenset((ORDER, *VALUES))
"""The keys that a saved reply may have in braces."""


def _state(key: str, label: str, cell_type: CellType | None = None) -> Column:
    return _column(key, cell_type or Ignored(), label, "As the service shows it; it is not sent.")


STATE_COLUMNS = WORDS.group(
    "State",
    _state(LAST_AT, "Last message"),
    _state(LAST_FROM, "From"),
    _state(LAST_BODY, "Text of the last message"),
    _state(CONVERSATION, "Conversation"),
    _state(WAITING, "Hours without an answer"),
    _state(GRADUATION, "Graduation"),
    _state(PROCESS_STATUS, "Process status"),
    _state(IS_OPEN, "Open", YesNo()),
    _state("typologyCode", "Typology"),
    _state("createdAt", "Created"),
    _state("updatedAt", "Updated"),
    _state(UNREAD, "Unread messages", Identifier()),
)
FOLDED = frozenset((PRODUCT, *FILES[1:], *VALUES, UNREAD, "typologyCode"))
"""Keys of columns that are folded away."""
PERSONAL = frozenset((REPLY, SUBJECT))
"""Keys of columns that are sent, and may name people."""


def columns_of(settings: AccountSettings) -> tuple[Column, ...]:
    """The columns of the template, with saved replies if the profile has any."""
    has_replies = bool(settings.of(DiscussionSettings).replies)
    return tuple(
        column for column in COLUMNS if has_replies or column.key not in {TEMPLATE, *VALUES}
    )


COLUMNS = (*IDENTITY_COLUMNS, *FILLED_COLUMNS, *NEW_COLUMNS, *VALUE_COLUMNS)
EVERY_COLUMN = (*COLUMNS, *STATE_COLUMNS)
