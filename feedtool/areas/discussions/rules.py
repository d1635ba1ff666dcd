"""The rules about rows of discussions; their pages for users are in `problems.md`."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from feedtool.areas.discussions import codes, columns
from feedtool.areas.discussions.feeds import BODY, FEEDS, OPEN, REPLY
from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.areas.discussions.wire import CUSTOMER, digest_of
from feedtool.feeds.columns.choice import NO
from feedtool.feeds.feed import CHANNEL, Row, stamped_list
from feedtool.feeds.judgement import ALREADY_SO
from feedtool.feeds.occurrences import RowPlace
from feedtool.feeds.rule import Rule, guard_issue
from feedtool.model.nouns import Issue
from feedtool.model.text import tr

MESSAGES = (REPLY.kind, OPEN.kind)
KINDS = tuple(feed.kind for feed in FEEDS)
ENABLED, RECEIVERS, TYPOLOGIES = (
    "feedtool.discussion-channels",
    "feedtool.receivers",
    "feedtool.typologies",
)
"""Stamps of an export: `PRIMARY=true`, `PRIMARY=Customer|GrcOperator`, and `PRIMARY=lost` for each
subtypology."""

SHORTEST, SHORTEST_ADVISED, LONGEST = 12, 13, 5000
"""Characters of a message: the specification names 12 to 1500 and 13 to 5000 (rule 4)."""
SHORTEST_SUBJECT, LONGEST_SUBJECT = 5, 50


def _stamped(row: Row, name: str) -> dict[str, str]:
    entries = stamped_list(row.sheet.stamp, name)
    return {key: value for key, _, value in (entry.partition("=") for entry in entries)}


def check_length(row: Row) -> Iterator[Issue]:
    """A message that one of the specification's bounds refuses, or both."""
    if not (body := row.values.get(BODY)):
        return
    length, is_new = len(body), row.feed is OPEN
    least = SHORTEST_ADVISED if is_new else SHORTEST
    advised = row.sheet.context.settings.of(DiscussionSettings).reply_length
    if not least <= length <= LONGEST:
        message = tr(
            "the message has {count:,} characters, of {least} to {most:,}",
            count=length,
            least=least,
            most=LONGEST,
        )
        yield Issue(codes.MESSAGE_LENGTH, message, tr("change the text"), columns.REPLY)
    elif not is_new and not SHORTEST_ADVISED <= length <= advised:
        message = tr(
            "the message has {count:,} characters; the service may take {least} to {most:,} alone",
            count=length,
            least=SHORTEST_ADVISED,
            most=advised,
        )
        hint = tr("change the text if the service refuses it")
        yield Issue(codes.MESSAGE_LENGTH_ADVISED, message, hint, columns.REPLY)


def check_subject(row: Row) -> Iterator[Issue]:
    """A subject that is too short or too long."""
    subject = row.values.get(columns.SUBJECT)
    if subject and not SHORTEST_SUBJECT <= len(subject) <= LONGEST_SUBJECT:
        message = tr(
            "the subject has {count} characters, of {least} to {most}",
            count=len(subject),
            least=SHORTEST_SUBJECT,
            most=LONGEST_SUBJECT,
        )
        yield Issue(codes.SUBJECT_LENGTH, message, tr("change the subject"), columns.SUBJECT)


def check_closed(row: Row) -> Iterator[Issue]:
    """A reply in what was closed when it was exported."""
    if row.values.get(columns.IS_OPEN) == NO:
        message = tr("the discussion was closed when it was exported")
        hint = tr("empty the reply; if it was opened again, export it again")
        yield Issue(codes.DISCUSSION_CLOSED, message, hint, columns.REPLY)


def check_receiver(row: Row) -> Iterator[Issue]:
    """Somebody who may not be written to on the row's channel."""
    receiver = row.values.get(columns.RECEIVER) or CUSTOMER
    listed = _stamped(row, RECEIVERS).get(str(row.values.get(CHANNEL)), "")
    if listed and receiver not in listed.split("|"):
        label = columns.RECEIVERS_TYPE.label
        message = tr("{receiver} may not be written to on this channel", receiver=label(receiver))
        hint = tr("choose one of: {choices}", choices=", ".join(map(label, listed.split("|"))))
        yield Issue(codes.RECEIVER_NOT_ELIGIBLE, message, hint, columns.RECEIVER)


def check_channel(row: Row) -> Iterator[Issue]:
    """A new discussion on a channel that takes none of sellers."""
    channel = str(row.values.get(CHANNEL))
    if _stamped(row, ENABLED).get(channel) == NO:
        message = tr("the channel {channel} takes no discussions of sellers", channel=channel)
        hint = tr("answer what customers write there; nothing can be begun")
        yield Issue(codes.CHANNEL_WITHOUT_DISCUSSIONS, message, hint, CHANNEL)


def check_subtypology(row: Row) -> Iterator[Issue]:
    """A subtypology that the service does not list for the channel."""
    code, channel = row.values.get(columns.SUBTYPOLOGY), row.values.get(CHANNEL)
    pairs = (entry.partition("=") for entry in stamped_list(row.sheet.stamp, TYPOLOGIES))
    listed = [code for of, _, code in pairs if of == channel]
    if code and listed and code not in listed:
        message = tr("the service does not take “{code}”", code=code)
        hint = tr("choose one of: {choices}", choices=", ".join(listed))
        yield Issue(codes.SUBTYPOLOGY_UNUSABLE, message, hint, columns.SUBTYPOLOGY)


_NO_ADDRESS = re.compile(
    r"https?://\S+|\b20\d\d-[01]\d-[0-3]\d\b|\b[0-3]?\d[./-][01]?\d[./-]20\d\d\b"
)
"""An address on the web, or a date."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w|(?<![\w/])\+?\d(?:[ .-]?\d){8,13}(?![\w/])")
"""An e-mail address, or so many digits as a phone number has."""


def check_contact(row: Row) -> Iterator[Issue]:
    """Report contact data in a message, which marketplaces forbid."""
    body = str(row.values.get(BODY) or "")
    known = {str(row.values.get(key)) for key in columns.PLACES | {columns.DISCUSSION}}
    addresses = (match[0] for match in _ADDRESS.finditer(_NO_ADDRESS.sub(" ", body)))
    if any(address not in known for address in addresses):
        message = tr("the message seems to hold an e-mail address or a phone number")
        hint = tr("marketplaces forbid it; take it out")
        yield Issue(codes.CONTACT_DATA, message, hint, columns.REPLY)


class _Written(NamedTuple):
    place: RowPlace
    text: str
    """Its digest."""
    discussion: str


class RepeatedReplies:
    """Remembers the texts that are no saved replies, by their digests."""

    def __init__(self) -> None:
        self._rows: list[_Written] = []
        self._settings = DiscussionSettings()

    def __len__(self) -> int:
        return len(self._rows)

    def rewind(self, length: int) -> None:
        del self._rows[length:]

    def see(self, sheet: int, row: Row) -> None:
        """Note a text that was typed or pasted."""
        if row.feed is REPLY and row.is_blank(columns.TEMPLATE) and (body := row.values.get(BODY)):
            self._settings = row.sheet.context.settings.of(DiscussionSettings)
            discussion = str(row.values.get(columns.DISCUSSION))
            self._rows.append(_Written(RowPlace(sheet, row.number), digest_of(body), discussion))

    def faults(self, _: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """The rows that are held: the same text goes to too many discussions."""
        discussions: defaultdict[str, set[str]] = defaultdict(set)
        for row in self._rows:
            discussions[row.text].add(row.discussion)
        most = self._settings.same_replies
        for row in self._rows:
            count = len(discussions[row.text])
            if most and count > most:
                message = tr(
                    "{count} discussions get this text (allowed: {most})", count=count, most=most
                )
                yield row.place, guard_issue(codes.SAME_REPLY, message, columns.REPLY)


READ_ELSEWHERE = (
    *(codes.ATTACHMENT_FILE, codes.ATTACHMENT_SIZE, codes.ATTACHMENT_TYPE),
    *(codes.DISCUSSION_EXISTS, codes.DISCUSSION_UNKNOWN, codes.REPLY_MISSING, codes.REPLY_TWICE),
    *(codes.TEMPLATE_VALUE_MISSING, ALREADY_SO),
)
"""Codes that are found while a row is read, or when a discussion is looked at."""

RULES = (
    Rule(codes.CHANNEL_WITHOUT_DISCUSSIONS, check_channel, kinds=(OPEN.kind,)),
    Rule(codes.CONTACT_DATA, check_contact, kinds=MESSAGES),
    Rule(codes.DISCUSSION_CLOSED, check_closed, kinds=(REPLY.kind,)),
    Rule(codes.MESSAGE_LENGTH, check_length, kinds=MESSAGES),
    Rule(codes.MESSAGE_LENGTH_ADVISED, kinds=MESSAGES),
    Rule(codes.RECEIVER_NOT_ELIGIBLE, check_receiver, kinds=MESSAGES),
    Rule(codes.SAME_REPLY, survey=RepeatedReplies, kinds=(REPLY.kind,), is_guard=True),
    Rule(codes.SUBJECT_LENGTH, check_subject, kinds=(OPEN.kind,)),
    Rule(codes.SUBTYPOLOGY_UNUSABLE, check_subtypology, kinds=(OPEN.kind,)),
    *(Rule(code, kinds=KINDS) for code in READ_ELSEWHERE),
)
