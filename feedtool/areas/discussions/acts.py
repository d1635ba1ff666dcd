"""Judge a request by a discussion's state: done already, possible, or no longer possible.

Specification, "Discussions". A message has no key that would keep it from being sent twice, but a
discussion shows all its messages: a new message of the seller with this text is the sent one.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from feedtool.areas.discussions import codes, columns, statuses, wire
from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.areas.discussions.wire import (
    SELLER,
    ChannelRules,
    Discussion,
    SentMessage,
    digest_of,
    folded,
    prose,
)
from feedtool.areas.plain_list import date_of
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.feed import CHANNEL
from feedtool.feeds.judgement import impossible, reached
from feedtool.model.call import Call, Reply
from feedtool.model.cells import Value
from feedtool.model.nouns import EARLIEST, LATEST, Status
from feedtool.model.text import MessageText, joined, tr
from feedtool.service.answers import moment, text

SETTLED = timedelta(seconds=60)
"""The longest delay until a message shows."""


def look(act: RequestAttempt) -> Sequence[Call]:
    return [wire.read_discussion(act.reference)]


def state(_: RequestAttempt, replies: Sequence[Reply]) -> Discussion | None:
    return wire.discussion_of(replies[0])


def _unknown(act: RequestAttempt) -> Judgement:
    message = tr("the service has no discussion {name}: look at its identifier", name=act.reference)
    return impossible(codes.DISCUSSION_UNKNOWN, message)


def _word(discussion: Discussion) -> str:
    return "open" if discussion.is_open else "closed"


def _open(discussion: Discussion) -> Judgement:
    return Judgement(Goal.OPEN, Status.PENDING, (), _word(discussion))


# Replies.


def _same(discussion: Discussion, body: str) -> list[SentMessage]:
    """The seller's messages of this text."""
    text = folded(body)
    return [
        message
        for message in discussion.messages
        if message.is_own and folded(message.body) == text
    ]


def _is_answered(discussion: Discussion, message: SentMessage) -> bool:
    """True if somebody else has written after a message of the seller's."""
    written_at = moment(message.created_at) or LATEST
    others = (other for other in discussion.messages if not other.is_own)
    return any((moment(other.created_at) or EARLIEST) > written_at for other in others)


def _key(message: SentMessage) -> str:
    return message.id or digest_of(message.body)


def _new(discussion: Discussion, before: Sequence[str]) -> list[SentMessage]:
    """The seller's messages that were not there before."""
    left = Counter(before)
    messages = [message for message in discussion.messages if message.is_own]
    left.subtract(map(_key, messages))
    return [message for message in messages if left[_key(message)] < 0]


def judge_reply(act: RequestAttempt, discussion: Discussion | None) -> Judgement:
    """Judge a reply by the messages of its discussion."""
    if discussion is None:
        return _unknown(act)
    request = json.loads(act.body)
    if act.baseline is None:
        written = _written_before(discussion, request)
        if written:
            return _sent(act, discussion, written)
        return _hindered(discussion, request) or _open(discussion)
    new, text = _new(discussion, json.loads(act.baseline)["own"]), folded(request["body"])
    with_id = (
        message
        for message in discussion.messages
        if message.id and message.id == act.package.package_id
    )
    with_text = (message for message in new if folded(message.body) == text)
    if written := next(chain(with_id, with_text), None):
        return _sent(act, discussion, written)
    # A new message of another text may be this one, as the service shows it.
    return Judgement(Goal.OPEN, Status.UNKNOWN if new else Status.PENDING, (), _word(discussion))


def _written_before(discussion: Discussion, request: Mapping[str, Any]) -> SentMessage | None:
    """The same message, unless somebody else has written since."""
    names = sorted(str(file["name"]) for file in request["attachments"])
    for message in reversed(_same(discussion, request["body"])):
        if sorted(file.name for file in message.attachments) == names:
            return None if _is_answered(discussion, message) else message
    return None


def _sent(act: RequestAttempt, discussion: Discussion, written: SentMessage) -> Judgement:
    written_at = moment(written.created_at)
    proof = tr("is there")
    if written_at:
        proof = tr("is there, written {at} UTC", at=f"{written_at:%Y-%m-%d %H:%M}")
    return reached(act, statuses.SENT, proof, _word(discussion))


def _hindered(discussion: Discussion, request: Mapping[str, Any]) -> Judgement | None:
    """The judgement of a message that cannot be sent, or None."""
    if not discussion.is_open:
        message = tr("the discussion is closed: nothing more can be written in it")
        return impossible(codes.DISCUSSION_CLOSED, message, _word(discussion))
    (receiver,) = request["receivers"]
    return not_eligible(receiver["userType"], discussion.receivers)


def not_eligible(receiver: str, eligible: Sequence[str]) -> Judgement | None:
    """The judgement of a receiver who is not eligible, or None."""
    if not eligible or receiver in eligible:
        return None
    message = tr(
        "{receiver} may not be written to here, but {others}",
        receiver=receiver,
        others=", ".join(eligible),
    )
    return impossible(codes.RECEIVER_NOT_ELIGIBLE, message)


def _before_reply(_: RequestAttempt, discussion: Discussion | None) -> str:
    """The seller's messages before the request, and the discussion's channel, as JSON."""
    messages = discussion.messages if discussion else ()
    keys = [_key(message) for message in messages if message.is_own]
    return json.dumps({"own": keys, "channel": discussion.channel if discussion else ""})


def _send(act: RequestAttempt) -> Call:
    body = json.loads(act.body)
    channel = json.loads(act.baseline or "{}").get("channel")
    return wire.send(
        {**body, "salesChannel": channel or body["salesChannel"]},
        act.package.settings.of(DiscussionSettings),
    )


REPLY: Direct[Discussion | None] = Direct(
    call=_send,
    looks=look,
    state=state,
    judge=judge_reply,
    created=wire.created,
    baseline=_before_reply,
    repeat=Repeat.TRACED,
    patience=SETTLED,
)
"""Writing a message; if the answer was lost, a new message with this text proves it."""


# Marking and closing.


def _lacks_reply(act: RequestAttempt, discussion: Discussion) -> Judgement | None:
    """The judgement of a row whose reply is missing, or None."""
    after = json.loads(act.body).get("after")
    replies = [
        reply for reply in discussion.messages if reply.is_own and digest_of(reply.body) == after
    ]
    if not after or any(not _is_answered(discussion, reply) for reply in replies):
        return None
    message = tr("the reply is not there, or somebody has written since: answer first")
    return impossible(codes.REPLY_MISSING, message)


Judge = Callable[[RequestAttempt, Discussion], Judgement]


def _judge_known(judge: Judge, act: RequestAttempt, discussion: Discussion | None) -> Judgement:
    """Judge as `judge` does, but refuse unknown discussions, and rows whose reply is missing."""
    if discussion is None:
        return _unknown(act)
    judgement = judge(act, discussion)
    lacking = _lacks_reply(act, discussion) if judgement.goal is Goal.OPEN else None
    return lacking or judgement


def judge_close(act: RequestAttempt, discussion: Discussion) -> Judgement:
    """Judge the closing of a discussion."""
    if discussion.is_open:
        return _open(discussion)
    return reached(act, statuses.CLOSED, tr("is closed"), "closed")


def judge_read(act: RequestAttempt, discussion: Discussion) -> Judgement:
    """Judge the marking of a message."""
    name = _marked(act, discussion)
    unread = sum(entry.is_unread for entry in discussion.messages)
    message = next((entry for entry in discussion.messages if entry.id == name), None)
    if name and message is None:
        text = tr("the discussion has no message {name}", name=name)
        return impossible(codes.DISCUSSION_UNKNOWN, text, _word(discussion))
    if message is not None and message.is_unread:
        return _open(discussion)
    proof: MessageText = tr("is read")
    if unread:
        proof = tr("is read; {count} more of its messages are not", count=unread)
    return reached(act, statuses.READ, proof, "read")


def _marked(act: RequestAttempt, discussion: Discussion | None) -> str:
    """The message to mark: of the row, else the last unread message."""
    messages = discussion.messages if discussion else ()
    unread = (message.id for message in reversed(messages) if message.is_unread)
    return _chosen(act) or next(unread, "")


def _chosen(act: RequestAttempt) -> str:
    return str(act.baseline or json.loads(act.body)["messageId"])


_of_discussion = partial(
    Direct, looks=look, state=state, repeat=Repeat.SAFE, patience=timedelta(minutes=2)
)
READ: Direct[Discussion | None] = _of_discussion(
    call=lambda act: wire.mark_read(_chosen(act), act.package.settings.of(DiscussionSettings)),
    judge=partial(_judge_known, judge_read),
    baseline=_marked,
)
"""Marking a message as read."""
CLOSE: Direct[Discussion | None] = _of_discussion(
    call=lambda act: wire.close(act.reference, act.package.settings.of(DiscussionSettings)),
    judge=partial(_judge_known, judge_close),
)
"""Closing a discussion."""


# New discussions.


class Opening(NamedTuple):
    """The discussions of an order, and the rules of its channel."""

    existing: tuple[Discussion, ...]
    channel: ChannelRules


def _looks_of_opening(act: RequestAttempt) -> Sequence[Call]:
    """The calls for the order's discussions, or for the discussion once its id is known."""
    if act.package.package_id:
        return [wire.read_discussion(act.package.package_id)]
    request = json.loads(act.body)
    query = (("orderSellerId", request["orderId"]), ("includeMessages", "FirstMessage"))
    return [wire.read_discussions(query), wire.read_configuration(request["salesChannel"])]


def _opening(act: RequestAttempt, replies: Sequence[Reply]) -> Opening:
    """The discussions of the same order, subtypology and product."""
    if act.package.package_id:
        discussion = wire.discussion_of(replies[0])
        return Opening((discussion,) if discussion else (), ChannelRules(True, ()))
    request = json.loads(act.body)
    return Opening(
        tuple(entry for entry in wire.discussions_of(replies[0]) if _is_same(entry, request)),
        wire.configuration_of(replies[1]),
    )


def _is_same(discussion: Discussion, request: Mapping[str, Any]) -> bool:
    fields = discussion.document
    subtypology = fields.get("subTypologyCode") or fields.get("subtypologyCode")
    return (
        discussion.order == request["orderId"]
        and subtypology == request["subtypologyCode"]
        and discussion.product == (request["productId"] or "")
    )


def judge_opening(act: RequestAttempt, state: Opening) -> Judgement:
    """Judge the opening of a discussion by those of its topic."""
    request = json.loads(act.body)
    for existing in state.existing:
        if act.baseline is not None and not existing.messages:  # they show later
            return Judgement(Goal.WAITING, Status.PENDING, (), _word(existing))
        first = existing._replace(messages=existing.messages[:1])
        if _same(first, request["message"]["body"]):
            proof = tr("is there: discussion {name}", name=existing.id)
            return reached(act, statuses.OPENED, proof, _word(existing))
        message = tr("there is a discussion of this already: reply in {name}", name=existing.id)
        if not existing.is_open:
            message = tr(
                "there is a closed discussion of this, {name}: open one about something else",
                name=existing.id,
            )
        return impossible(codes.DISCUSSION_EXISTS, message, _word(existing))
    if act.baseline is None and not state.channel.is_enabled:
        message = tr(
            "the channel {channel} takes no discussions of sellers", channel=request["salesChannel"]
        )
        return impossible(codes.CHANNEL_WITHOUT_DISCUSSIONS, message)
    hindered = not_eligible(request["message"]["receiver"], state.channel.receivers)
    return (hindered if act.baseline is None else None) or Judgement(Goal.OPEN, Status.PENDING)


OPEN: Direct[Opening] = Direct(
    call=lambda act: wire.begin(act.body),
    looks=_looks_of_opening,
    state=_opening,
    judge=judge_opening,
    created=wire.created,
    repeat=Repeat.TRACED,
    patience=SETTLED,
)
"""Opening a discussion: a second one of the same the service refuses, and names the first."""


# A discussion as a row of a sheet, and its messages as rows of a table.


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
