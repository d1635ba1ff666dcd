"""The service's answers about discussions: alternative names, and hostile shapes."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.discussions import wire
from feedtool.model.call import Reply
from feedtool.service.answers import Unreadable


def answer(document: Any, status: int = 200, **headers: str) -> Reply:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Reply(status, headers, body, "https://service.example/v2/discussions")


def discussion(**fields: Any) -> wire.Discussion:
    found = wire.discussion_of(answer({"discussionId": "D1", **fields}))
    assert found
    return found


def message(**fields: Any) -> wire.SentMessage:
    (found,) = discussion(messages=[fields]).messages
    return found


ALTERNATIVES: dict[str, tuple[Callable[[], object], object]] = {
    "a channel": (lambda: discussion(salesChannel="PRIMARY").channel, "PRIMARY"),
    "a channel as an object": (lambda: discussion(salesChannel={"id": "A"}).channel, "A"),
    "an order": (lambda: discussion(orderReference="O1").order, "O1"),
    "the seller's order first": (
        lambda: discussion(orderId="A", orderSellerId="B").order,
        "B",
    ),
    "no word on whether it is open": (lambda: discussion().is_open, True),
    "one message alone": (
        lambda: [it.id for it in discussion(lastMessage={"messageId": "M"}).messages],
        ["M"],
    ),
    "messages by their time": (
        lambda: [
            it.id
            for it in discussion(
                messages=[{"id": 2, "createdAt": "2026-02"}, {"id": 1, "createdAt": "2026-01"}]
            ).messages
        ],
        ["1", "2"],
    ),
    "a sender": (lambda: message(sender={"userType": "Seller"}).sender, "Seller"),
    "a userType": (lambda: message(userType="Customer").sender, "Customer"),
    "receivers": (
        lambda: message(receivers=[{"userType": "Seller"}, "Customer", 7]).receivers,
        ("Seller", "Customer", "7"),
    ),
    "a receiver": (lambda: message(receiver="Seller").receivers, ("Seller",)),
    "unread": (lambda: message(hasRead=False, userType="Customer").is_unread, True),
    "one's own": (lambda: message(hasRead=False, userType="Seller").is_unread, False),
    "one's own in small letters": (
        lambda: message(userType="seller", hasRead=False).is_unread,
        False,
    ),
    "not said": (lambda: message(userType="Customer").is_unread, True),
    "said in a word": (lambda: message(hasRead="false", userType="Customer").is_unread, True),
    "read": (lambda: message(hasRead=True, userType="Customer").is_unread, False),
    "a body": (lambda: message(body=" a \r\n\x07b\n").body, "a\n b"),
    "no body": (lambda: message(body=["a"]).body, ""),
    "files": (
        lambda: message(attachments=[{"attachmentName": "a", "id": 1}, 7]).attachments,
        (wire.Attachment("1", "a", ""), wire.Attachment("", "", "")),
    ),
    "eligible receivers": (
        lambda: discussion(eligibleReceivers=["Customer"]).receivers,
        ("Customer",),
    ),
}


@pytest.mark.parametrize(("read", "expected"), ALTERNATIVES.values(), ids=ALTERNATIVES)
def test_alternatives(read: Callable[[], object], expected: object) -> None:
    assert read() == expected


def test_typologies() -> None:
    listed = [{"subtypologyCode": "a", "userType": ["Seller", "Customer"]}, {"state": True}, 7]
    assert wire.typologies_of(answer(listed)) == [
        wire.TypologyEntry("", "a", True, "Seller, Customer")
    ]
    assert wire.typologies_of(answer({}, 404)) == []


def test_files() -> None:
    file = {"attachmentId": "A", "name": "a.pdf", "content": "JVBERi0="}
    expected = [wire.FileContent("A", "a.pdf", "JVBERi0=")]
    for document in (file, [file], {"items": [file, 7]}):
        assert wire.files_of(answer(document)) == expected


def test_the_id_of_a_created_message() -> None:
    assert wire.created(answer({"messageId": "M"}, 201)) == "M"
    assert wire.created(answer({}, 201, location="/discussions/D")) == "D"
    assert wire.created(Reply(201)) is None
    assert wire.created(Reply(201, body=b"<")) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["discussionId", "messages", "sender", "receivers", "attachments", "isOpen", "id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_document_is_read_or_unreadable(document: Any) -> None:
    for read in (wire.discussion_of, wire.discussions_of, wire.typologies_of, wire.files_of):
        with suppress(Unreadable):
            read(answer(document))
    wire.created(answer(document, 201))
