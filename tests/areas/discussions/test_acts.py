"""The four protocols of discussions: what a state says of a request, and what is sent of it."""

import json
from typing import Any

import pytest

from feedtool.areas.discussions import acts
from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.areas.discussions.wire import digest_of
from feedtool.feeds.direct import Direct, Goal, Judgement, RequestAttempt
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import Reply
from feedtool.model.nouns import Status
from feedtool.model.settings import AccountSettings
from feedtool.service.answers import Unreadable

TEXT = "Good morning,\nit is on its way."
UNKNOWN = (Goal.IMPOSSIBLE, Status.REJECTED, "discussion-unknown")
OPEN = (Goal.OPEN, Status.PENDING, "")


def message(sender: str = "Customer", body: str = "Where is it?", **fields: Any) -> dict[str, Any]:
    return {"sender": {"userType": sender}, "body": body, "hasRead": sender == "Seller", **fields}


def own(body: str = TEXT, **fields: Any) -> dict[str, Any]:
    return message("Seller", body, **fields)


def discussion(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    common = {"discussionId": "D/1", "salesChannel": "PRIMARY", "orderSellerId": "O1"}
    numbered = [{"messageId": f"M{number}", **it} for number, it in enumerate(messages, 1)]
    return {**common, "isOpen": True, "messages": numbered, **fields}


CLOSED = {"isOpen": False}
DAYS = ("2026-11-19T08:00:00.5Z", "2026-11-20T08:00:00Z")
ASKED = {
    "discussionId": "D/1",
    "salesChannel": "",
    "body": TEXT,
    "receivers": [{"userType": "Customer"}],
    "attachments": [],
}
FILE = {"name": "label.pdf", "fileFormat": "pdf", "content": "JVBERi0="}
SHOWN = {"attachmentName": "label.pdf", "attachmentId": "A1"}


def act(
    body: Any, baseline: str | None = None, package_id: str = "", **settings: Any
) -> RequestAttempt:
    account = AccountSettings().having(DiscussionSettings(**settings))
    package = PackageRef("Reply", "", "en", account, package_id)
    return RequestAttempt(package, 2, "D/1", json.dumps(body).encode(), baseline)


def reply(document: Any) -> Reply:
    """An answer with this document; 404 for None."""
    if document is None:
        return Reply(404)
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(200, body=body)


def outcome(
    protocol: Direct[Any], asked: RequestAttempt, *documents: Any
) -> tuple[Goal, Status, str]:
    """The goal, the row's status, and the first message's code."""
    state = protocol.state(asked, [*map(reply, documents)])
    judgement: Judgement = protocol.judge(asked, state)
    first = judgement.messages[0] if judgement.messages else None
    return judgement.goal, judgement.status, first.code if first else ""


SENT = (Goal.REACHED, Status("Sent"), "")
SENT_BEFORE = (Goal.REACHED, Status("Sent"), "already-so")


BEFORE: dict[str, tuple[Any, dict[str, Any], tuple[Goal, Status, str]]] = {
    "there is no such discussion": (None, {}, UNKNOWN),
    "a customer waits": (discussion(message()), {}, OPEN),
    "it is answered otherwise": (discussion(message(), own("Something else.")), {}, OPEN),
    "it is answered so": (discussion(message(), own()), {}, SENT_BEFORE),
    "with other blanks": (discussion(own(TEXT.replace("\n", "\r\n\t "))), {}, SENT_BEFORE),
    "by the customer": (discussion(message(body=TEXT)), {}, OPEN),
    "without the file": (discussion(own()), {"attachments": [FILE]}, OPEN),
    "with the file": (
        discussion(own(attachments=[SHOWN])),
        {"attachments": [FILE]},
        SENT_BEFORE,
    ),
    "it is closed": (
        discussion(message(), **CLOSED),
        {},
        (Goal.IMPOSSIBLE, Status.REJECTED, "discussion-closed"),
    ),
    "the customer wrote before": (
        discussion(message(createdAt=DAYS[0]), own(createdAt=DAYS[1])),
        {},
        SENT_BEFORE,
    ),
    "and wrote again": (
        discussion(own(createdAt=DAYS[0]), message(body="And now?", createdAt=DAYS[1])),
        {},
        OPEN,
    ),
    "the service names no senders": (discussion({"body": TEXT}), {}, SENT_BEFORE),
    "it writes the sender small": (discussion(message("seller", TEXT)), {}, SENT_BEFORE),
    "it escapes signs": (discussion(own("A &amp; B &lt;3")), {"body": "A & B <3"}, SENT_BEFORE),
    "it is closed and answered": (discussion(own(), **CLOSED), {}, SENT_BEFORE),
    "an eligible receiver": (discussion(eligibleReceivers=["Customer"]), {}, OPEN),
    "another": (
        discussion(eligibleReceivers=["Customer"]),
        {"receivers": [{"userType": "GrcOperator"}]},
        (Goal.IMPOSSIBLE, Status.REJECTED, "receiver-not-eligible"),
    ),
}


@pytest.mark.parametrize(("document", "changes", "expected"), BEFORE.values(), ids=BEFORE)
def test_before_a_reply(document: Any, changes: Any, expected: Any) -> None:
    assert outcome(acts.REPLY, act({**ASKED, **changes}), document) == expected


IN_DOUBT = (Goal.OPEN, Status.UNKNOWN, "")
LONG = [message(body=f"{number}", createdAt=f"2026-01-01T{number:06}") for number in range(1000)]
NO_NAMES: dict[str, Any] = {"messageId": None}
AFTER: dict[str, tuple[Any, list[str], str, tuple[Goal, Status, str]]] = {
    "nothing shows": (discussion(message()), [], "", OPEN),
    "it shows": (discussion(message(), own()), [], "", SENT),
    "only what was there": (discussion(own()), ["M1"], "", OPEN),
    "one more": (discussion(own(), own()), ["M1"], "", SENT),
    "without names, none is new": (discussion(own(**NO_NAMES)), [digest_of(TEXT)], "", OPEN),
    "one more without a name": (
        discussion(own(**NO_NAMES), own(**NO_NAMES)),
        [digest_of(TEXT)],
        "",
        SENT,
    ),
    "the one that the answer named": (discussion(own()), ["M1"], "M1", SENT),
    "the one named, changed": (discussion(message(), own("Good…")), [], "M2", SENT),
    "the one named, without a sender": (discussion({"body": "Good…"}), [], "M1", SENT),
    "perhaps it, changed": (discussion(message(), own("Good…")), [], "", IN_DOUBT),
    "perhaps it, without a sender": (discussion({"body": "Good…"}), [], "", IN_DOUBT),
    "somebody else's": (discussion(message(), message("GrcOperator")), [], "", OPEN),
    "after a thousand": (discussion(*LONG, own(createdAt="2026-01-02")), [], "M1001", SENT),
    "it was closed meanwhile": (discussion(message(), **CLOSED), [], "", OPEN),
}


@pytest.mark.parametrize(("document", "before", "name", "expected"), AFTER.values(), ids=AFTER)
def test_after_a_reply(document: Any, before: list[str], name: str, expected: Any) -> None:
    baseline = json.dumps({"own": before, "channel": "PRIMARY"})
    assert outcome(acts.REPLY, act(ASKED, baseline, name), document) == expected


def test_a_reply_gets_its_channel_from_the_discussion() -> None:
    attempt = act(ASKED)
    state = acts.REPLY.state(attempt, [reply(discussion(own(), salesChannel="SECOND"))])
    baseline = acts.REPLY.baseline(attempt, state)
    sent = acts.REPLY.call(attempt._replace(baseline=baseline))
    assert json.loads(baseline) == {"own": ["M1"], "channel": "SECOND"}
    assert json.loads(sent.body or b"") == {**ASKED, "salesChannel": "SECOND"}


def test_a_reply_in_the_other_spelling() -> None:
    sent = acts.REPLY.call(act(ASKED, message_receiver="receiver"))
    body = json.loads(sent.body or b"")
    assert (body["receiver"], "receivers" in body) == ("Customer", False)


AFTER_REPLY = {"after": digest_of(TEXT)}
IS_CLOSED, IS_READ = (Goal.REACHED, Status("Closed")), (Goal.REACHED, Status("Read"))
MISSING = (Goal.IMPOSSIBLE, Status.REJECTED, "reply-missing")
CLOSING: dict[str, tuple[Any, dict[str, str], tuple[Any, ...]]] = {
    "open": (discussion(message()), {}, OPEN),
    "closed": (discussion(**CLOSED), {}, (*IS_CLOSED, "already-so")),
    "unknown": (None, {}, UNKNOWN),
    "without its reply": (discussion(message()), AFTER_REPLY, MISSING),
    "with its reply": (discussion(own()), AFTER_REPLY, OPEN),
    "with an old one alone": (
        discussion(own(createdAt=DAYS[0]), message(createdAt=DAYS[1])),
        AFTER_REPLY,
        MISSING,
    ),
    "closed without its reply": (
        discussion(**CLOSED),
        AFTER_REPLY,
        (*IS_CLOSED, "already-so"),
    ),
}


@pytest.mark.parametrize(("document", "asked", "expected"), CLOSING.values(), ids=CLOSING)
def test_closing(document: Any, asked: dict[str, str], expected: Any) -> None:
    assert outcome(acts.CLOSE, act({"discussionId": "D/1", **asked}), document) == expected


READING: dict[str, tuple[Any, dict[str, str], tuple[Any, ...]]] = {
    "unread": (discussion(message()), {"messageId": "M1"}, OPEN),
    "not said": (discussion(message(hasRead=None)), {"messageId": "M1"}, OPEN),
    "read": (
        discussion(message(hasRead=True)),
        {"messageId": "M1"},
        (*IS_READ, "already-so"),
    ),
    "the last that is not": (discussion(message(), own()), {"messageId": ""}, OPEN),
    "none is left": (discussion(own()), {"messageId": ""}, (*IS_READ, "already-so")),
    "no such message": (discussion(message()), {"messageId": "M7"}, UNKNOWN),
    "unknown": (None, {"messageId": "M1"}, UNKNOWN),
    "without its reply": (discussion(message()), {"messageId": "M1", **AFTER_REPLY}, MISSING),
}


@pytest.mark.parametrize(("document", "asked", "expected"), READING.values(), ids=READING)
def test_marking_as_read(document: Any, asked: dict[str, str], expected: Any) -> None:
    assert outcome(acts.READ, act({"discussionId": "D/1", **asked}), document) == expected


def test_the_last_unread_message_is_marked_and_the_others_are_counted() -> None:
    attempt = act({"discussionId": "D/1", "messageId": ""})
    before = discussion(message(), message(), own())
    baseline = acts.READ.baseline(attempt, acts.READ.state(attempt, [reply(before)]))
    attempt = attempt._replace(baseline=baseline)
    call = acts.READ.call(attempt)
    assert (call.method, call.target) == ("PATCH", "/messages/M2")
    after = discussion(message(), message(hasRead=True), own())
    judgement = acts.READ.judge(attempt, acts.READ.state(attempt, [reply(after)]))
    assert [str(it.text) for it in judgement.messages] == [
        "is read; 1 more of its messages are not"
    ]


PATCHES: dict[str, tuple[dict[str, str], list[dict[str, Any]]]] = {
    "as the specification has it": (
        {},
        [{"opt": "replace", "path": "/isOpen", "value": "false"}],
    ),
    "as the field has it": (
        {"patch_op": "op", "patch_value": "boolean"},
        [{"op": "replace", "path": "/isOpen", "value": False}],
    ),
}


@pytest.mark.parametrize(("settings", "expected"), PATCHES.values(), ids=PATCHES)
def test_patches(settings: dict[str, str], expected: Any) -> None:
    call = acts.CLOSE.call(act({"discussionId": "D/1"}, **settings))
    assert (call.method, call.target) == ("PATCH", "/discussions/D%2F1")
    assert json.loads(call.body or b"") == expected


# New discussions.

NEW: dict[str, Any] = {
    "subject": "Your order",
    "orderId": "O1",
    "salesChannel": "PRIMARY",
    "subtypologyCode": "lost",
    "productId": None,
    "message": {"body": TEXT, "receiver": "Customer", "attachments": []},
}
SAME = {"subTypologyCode": "lost", "productId": None}
ALLOWED = {"isEnabled": True, "allowedReceivers": ["Customer"]}
EXISTS = (Goal.IMPOSSIBLE, Status.REJECTED, "discussion-exists")
OPENED = (Goal.REACHED, Status("Opened"))


def listed(*found: dict[str, Any]) -> dict[str, Any]:
    return {"items": [*found]}


OPENING: dict[str, tuple[Any, Any, str, tuple[Any, ...]]] = {
    "there is none": (listed(), ALLOWED, "Customer", OPEN),
    "about something else": (
        listed(discussion(own(), subTypologyCode="broken")),
        ALLOWED,
        "Customer",
        OPEN,
    ),
    "a closed one": (
        listed(discussion(message(), **SAME, **CLOSED)),
        ALLOWED,
        "Customer",
        EXISTS,
    ),
    "about a product": (
        listed(discussion(own(), subTypologyCode="lost", productId="P")),
        ALLOWED,
        "Customer",
        OPEN,
    ),
    "of the customer": (listed(discussion(message(), **SAME)), ALLOWED, "Customer", EXISTS),
    "of ours": (
        listed(discussion(own(), **SAME)),
        ALLOWED,
        "Customer",
        (*OPENED, "already-so"),
    ),
    "a closed channel": (
        listed(),
        {"isEnabled": False},
        "Customer",
        (Goal.IMPOSSIBLE, Status.REJECTED, "channel-without-discussions"),
    ),
    "a channel that says nothing": (listed(), None, "GrcOperator", OPEN),
    "another receiver": (
        listed(),
        ALLOWED,
        "GrcOperator",
        (Goal.IMPOSSIBLE, Status.REJECTED, "receiver-not-eligible"),
    ),
}


@pytest.mark.parametrize(
    ("discussions", "channel", "receiver", "expected"), OPENING.values(), ids=OPENING
)
def test_before_an_opening(discussions: Any, channel: Any, receiver: str, expected: Any) -> None:
    attempt = act({**NEW, "message": {**NEW["message"], "receiver": receiver}})
    assert outcome(acts.OPEN, attempt, discussions, channel) == expected


def test_the_closed_discussion_of_the_same_is_named() -> None:
    closed = listed(discussion(message(), **SAME, **CLOSED))
    attempt = act(NEW)
    judgement = acts.OPEN.judge(attempt, acts.OPEN.state(attempt, [reply(closed), reply(ALLOWED)]))
    assert "closed discussion of this, D/1" in judgement.messages[0].text


AFTER_OPENING: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ours": (discussion(own(), message(), **SAME), (*OPENED, "")),
    "the one that was there": (discussion(message(), own(), **SAME), EXISTS),
    "not yet": (None, OPEN),
    "its message not yet": (discussion(**SAME), (Goal.WAITING, Status.PENDING, "")),
}


@pytest.mark.parametrize(("document", "expected"), AFTER_OPENING.values(), ids=AFTER_OPENING)
def test_after_an_opening(document: Any, expected: Any) -> None:
    attempt = act(NEW, "", "D/1")
    assert [call.target for call in acts.OPEN.looks(attempt)] == ["/discussions/D%2F1"]
    assert outcome(acts.OPEN, attempt, document) == expected


@pytest.mark.parametrize("status", [201, 409])
def test_a_second_one_names_the_first(status: int) -> None:
    call = acts.OPEN.call(act(NEW))
    assert status in call.success
    assert acts.OPEN.created(Reply(status, {"location": "/v2/discussions/D%2F1"})) == "D/1"


@pytest.mark.parametrize("document", [[], "x", {"items": 1}, b"<", {"messages": []}], ids=str)
def test_no_discussion_is_unreadable(document: Any) -> None:
    for protocol in (acts.REPLY, acts.READ, acts.CLOSE):
        with pytest.raises(Unreadable):
            protocol.state(act(ASKED), [reply(document)])
