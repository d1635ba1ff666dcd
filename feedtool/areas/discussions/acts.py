"""What a discussion's state says of a request: whether it is so, can be, or cannot any more.

Specification, "Discussions". A message has no key that would keep it from being sent twice, but a
discussion shows all of its messages: a text of the seller's that was not there before is ours.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from feedtool.areas.discussions import codes, wire
from feedtool.areas.discussions.wire import (
    ChannelRules,
    Discussion,
    SentMessage,
    digest_of,
    folded,
)
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible, reached
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import EARLIEST, LATEST, Status
from feedtool.model.text import MessageText, tr
from feedtool.service.answers import moment

SETTLED = timedelta(seconds=60)
"""So late a message may show."""


def look(act: RequestAttempt) -> Sequence[Call]:
    """The discussion with all of its messages."""
    return [wire.read_discussion(act.reference)]


def state(_: RequestAttempt, replies: Sequence[Reply]) -> Discussion | None:
    """The discussion, None where the service has none of this identifier."""
    return wire.discussion_of(replies[0])


def _unknown(act: RequestAttempt) -> Judgement:
    message = tr("the service has no discussion {name}: look at its identifier", name=act.reference)
    return impossible(codes.DISCUSSION_UNKNOWN, message)


def _word(found: Discussion) -> str:
    return "open" if found.is_open else "closed"


def _open(found: Discussion) -> Judgement:
    return Judgement(Goal.OPEN, Status.PENDING, (), _word(found))


# Replies.


def _same(found: Discussion, body: str) -> list[SentMessage]:
    """The seller's messages of this text."""
    wanted = folded(body)
    return [it for it in found.messages if it.is_own and folded(it.body) == wanted]


def _is_answered(found: Discussion, own: SentMessage) -> bool:
    """True if somebody else has written after a message of the seller's."""
    at = moment(own.created_at) or LATEST
    others = (it for it in found.messages if not it.is_own)
    return any((moment(it.created_at) or EARLIEST) > at for it in others)


def _key(message: SentMessage) -> str:
    return message.id or digest_of(message.body)


def _new(found: Discussion, before: Sequence[str]) -> list[SentMessage]:
    """The seller's messages that were not there before."""
    left = Counter(before)
    own = [it for it in found.messages if it.is_own]
    left.subtract(map(_key, own))
    return [it for it in own if left[_key(it)] < 0]


def _names(files: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted(str(file["name"]) for file in files)


def judge_reply(act: RequestAttempt, found: Discussion | None) -> Judgement:
    """Whether the message is there, can be sent, or cannot."""
    if found is None:
        return _unknown(act)
    asked = json.loads(act.body)
    if act.baseline is None:
        written = _written_before(found, asked)
        return _sent(act, found, written) if written else _hindered(found, asked) or _open(found)
    new, wanted = _new(found, json.loads(act.baseline)["own"]), folded(asked["body"])
    named = (it for it in found.messages if it.id and it.id == act.package.package_id)
    if written := next(chain(named, (it for it in new if folded(it.body) == wanted)), None):
        return _sent(act, found, written)
    # A new message of another text may be this one, as the service shows it.
    return Judgement(Goal.OPEN, Status.UNKNOWN if new else Status.PENDING, (), _word(found))


def _written_before(found: Discussion, asked: Mapping[str, Any]) -> SentMessage | None:
    """The same message, unless somebody else has written since."""
    for it in reversed(_same(found, asked["body"])):
        if sorted(file.name for file in it.attachments) == _names(asked["attachments"]):
            return None if _is_answered(found, it) else it
    return None


def _sent(act: RequestAttempt, found: Discussion, written: SentMessage) -> Judgement:
    at = moment(written.created_at)
    proof = tr("is there, written {at} UTC", at=f"{at:%Y-%m-%d %H:%M}") if at else tr("is there")
    return reached(act, Status.SENT, proof, _word(found))


def _hindered(found: Discussion, asked: Mapping[str, Any]) -> Judgement | None:
    """Why a message cannot be sent; None where it can."""
    if not found.is_open:
        message = tr("the discussion is closed: nothing more can be written in it")
        return impossible(codes.DISCUSSION_CLOSED, message, _word(found))
    (receiver,) = asked["receivers"]
    return not_eligible(receiver["userType"], found.receivers)


def not_eligible(receiver: str, eligible: Sequence[str]) -> Judgement | None:
    """That somebody may not be written to; None where nothing speaks against it."""
    if not eligible or receiver in eligible:
        return None
    message = tr(
        "{receiver} may not be written to here, but {others}",
        receiver=receiver,
        others=", ".join(eligible),
    )
    return impossible(codes.RECEIVER_NOT_ELIGIBLE, message)


def _before_reply(_: RequestAttempt, found: Discussion | None) -> str:
    """The seller's messages that were there, and the channel that the row may not name."""
    own = [_key(it) for it in found.messages if it.is_own] if found else []
    return json.dumps({"own": own, "channel": found.channel if found else ""})


def _send(act: RequestAttempt) -> Call:
    body = json.loads(act.body)
    channel = json.loads(act.baseline or "{}").get("channel")
    return wire.send(
        {**body, "salesChannel": channel or body["salesChannel"]}, act.package.settings.discussions
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
"""Writing a message: where the answer was lost, a new message of this text is ours."""


# What is marked, and closed.


def _lacks_reply(act: RequestAttempt, found: Discussion) -> Judgement | None:
    """That the reply of the same row is not there; None where it is, or there is none."""
    after = json.loads(act.body).get("after")
    own = [it for it in found.messages if it.is_own and digest_of(it.body) == after]
    if not after or any(not _is_answered(found, it) for it in own):
        return None
    message = tr("the reply is not there, or somebody has written since: answer first")
    return impossible(codes.REPLY_MISSING, message)


Judge = Callable[[RequestAttempt, Discussion], Judgement]


def _of_known(judge: Judge) -> Callable[[RequestAttempt, Discussion | None], Judgement]:
    """A judge of discussions that there are, once the reply is there."""

    def judged(act: RequestAttempt, found: Discussion | None) -> Judgement:
        if found is None:
            return _unknown(act)
        judgement = judge(act, found)
        lacking = _lacks_reply(act, found) if judgement.goal is Goal.OPEN else None
        return lacking or judgement

    return judged


def judge_close(act: RequestAttempt, found: Discussion) -> Judgement:
    """Whether the discussion is closed, or can be."""
    return _open(found) if found.is_open else reached(act, Status.CLOSED, tr("is closed"), "closed")


def judge_read(act: RequestAttempt, found: Discussion) -> Judgement:
    """Whether the message is marked, or can be."""
    wanted = _marked(act, found)
    unread = sum(it.is_unread for it in found.messages)
    message = next((it for it in found.messages if it.id == wanted), None)
    if wanted and message is None:
        text = tr("the discussion has no message {name}", name=wanted)
        return impossible(codes.DISCUSSION_UNKNOWN, text, _word(found))
    if message is not None and message.is_unread:
        return _open(found)
    proof: MessageText = tr("is read")
    if unread:
        proof = tr("is read; {count} more of its messages are not", count=unread)
    return reached(act, Status.READ, proof, "read")


def _marked(act: RequestAttempt, found: Discussion | None) -> str:
    """The message that is marked: the one that the row names, else the last that is not read."""
    named = str(act.baseline or json.loads(act.body)["messageId"])
    unread = [it.id for it in found.messages if it.is_unread] if found else []
    return named or (unread[-1] if unread else "")


def _patch_read(act: RequestAttempt) -> Call:
    settings = act.package.settings.discussions
    name = str(act.baseline or json.loads(act.body)["messageId"])
    return wire.mark_read(name, settings)


def _patch_closed(act: RequestAttempt) -> Call:
    return wire.close(act.reference, act.package.settings.discussions)


_of_discussion = partial(
    Direct, looks=look, state=state, repeat=Repeat.SAFE, patience=timedelta(minutes=2)
)
READ: Direct[Discussion | None] = _of_discussion(
    call=_patch_read, judge=_of_known(judge_read), baseline=_marked
)
"""Marking a message as read."""
CLOSE: Direct[Discussion | None] = _of_discussion(call=_patch_closed, judge=_of_known(judge_close))
"""Closing a discussion."""


# New discussions.


class Opening(NamedTuple):
    """The discussions of an order, and what its channel allows."""

    existing: tuple[Discussion, ...]
    channel: ChannelRules


def _looks_of_opening(act: RequestAttempt) -> Sequence[Call]:
    """By the order, or once the service has named it, the discussion itself."""
    if act.package.package_id:
        return [wire.read_discussion(act.package.package_id)]
    asked = json.loads(act.body)
    query = (("orderSellerId", asked["orderId"]), ("includeMessages", "FirstMessage"))
    return [wire.read_discussions(query), wire.read_configuration(asked["salesChannel"])]


def _opening(act: RequestAttempt, replies: Sequence[Reply]) -> Opening:
    """The discussions of the same order, subtypology and product."""
    if act.package.package_id:
        found = wire.discussion_of(replies[0])
        return Opening((found,) if found else (), ChannelRules(True, ()))
    asked = json.loads(act.body)
    return Opening(
        tuple(it for it in wire.discussions_of(replies[0]) if _is_same(it, asked)),
        wire.configuration_of(replies[1]),
    )


def _is_same(found: Discussion, asked: Mapping[str, Any]) -> bool:
    subtypology = found.document.get("subTypologyCode") or found.document.get("subtypologyCode")
    return (
        found.order == asked["orderId"]
        and subtypology == asked["subtypologyCode"]
        and found.product == (asked["productId"] or "")
    )


def judge_opening(act: RequestAttempt, found: Opening) -> Judgement:
    """Whether the discussion is there with our message, can be opened, or cannot."""
    asked = json.loads(act.body)
    for existing in found.existing:
        if act.baseline is not None and not existing.messages:  # they show later
            return Judgement(Goal.WAITING, Status.PENDING, (), _word(existing))
        first = existing._replace(messages=existing.messages[:1])
        if _same(first, asked["message"]["body"]):
            proof = tr("is there: discussion {name}", name=existing.id)
            return reached(act, Status.OPENED, proof, _word(existing))
        message = tr("there is a discussion of this already: reply in {name}", name=existing.id)
        if not existing.is_open:
            message = tr(
                "there is a closed discussion of this, {name}: open one about something else",
                name=existing.id,
            )
        return impossible(codes.DISCUSSION_EXISTS, message, _word(existing))
    if act.baseline is None and not found.channel.is_enabled:
        message = tr(
            "the channel {channel} takes no discussions of sellers", channel=asked["salesChannel"]
        )
        return impossible(codes.CHANNEL_WITHOUT_DISCUSSIONS, message)
    hindered = not_eligible(asked["message"]["receiver"], found.channel.receivers)
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
