"""Messages are sent and read as the specification says, with their attachments."""

from base64 import b64decode
from typing import Any

import pytest

from tests.areas.discussions.sandbox.talk import file, patch, read, reply, written
from tests.areas.orders.sandbox.counter import placed
from tests.sandbox.desk import Desk


@pytest.fixture
def discussion(quiet: Desk) -> str:
    return written(quiet, placed(quiet))


def test_a_reply_is_shown_and_noted(quiet: Desk, discussion: str) -> None:
    answer = reply(quiet, discussion, attachments=[file(), file(name="b.png", kind="PNG")])
    assert answer.status == 201
    shown = read(quiet, discussion)
    last = shown["messages"][-1]
    assert (last["messageId"], shown["processStatus"]) == (answer.json["messageId"], "Treated")
    assert [(it["attachmentName"], it["fileFormat"]) for it in last["attachments"]] == [
        ("label.pdf", "pdf"),
        ("b.png", "png"),
    ]
    assert [(effect.kind, effect.key) for effect in quiet.sandbox.effects()] == [
        ("message", discussion)
    ]


MIB = 1024 * 1024
WRONG: dict[str, tuple[dict[str, Any], int]] = {
    "too short": ({"body": "a" * 12}, 400),
    "too long": ({"body": "a" * 5001}, 400),
    "another channel": ({"salesChannel": "SECOND"}, 400),
    "nobody": ({"receivers": []}, 400),
    "not eligible": ({"receivers": [{"userType": "Seller"}]}, 400),
    "four files": ({"attachments": [file()] * 4}, 400),
    "large files": ({"attachments": [file(b"x" * 2 * MIB)] * 2 + [file(b"x")]}, 400),
    "HEIC": ({"attachments": [file(b"\0\0\0 ftypheic", "a.heic", "heic")]}, 400),
    "HEIC under another name": ({"attachments": [file(b"\0\0\0 ftypheic", "a.jpg", "jpg")]}, 400),
    "no base64": ({"attachments": [{**file(), "content": "?"}]}, 400),
    "no discussion": ({"discussionId": "none"}, 404),
}


def test_wrong_messages_are_not_sent(quiet: Desk, discussion: str) -> None:
    found = {name: reply(quiet, discussion, **fields).status for name, (fields, _) in WRONG.items()}
    assert found == {name: status for name, (_, status) in WRONG.items()}
    assert not quiet.sandbox.effects()


def test_a_body_of_another_type(quiet: Desk, discussion: str) -> None:
    headers = {"Content-Type": "text/plain"}
    assert quiet.ask("POST", "/messages", b"hello", headers=headers).status == 415
    path = f"/discussions/{discussion}"
    assert quiet.ask("PATCH", path, b"hello", headers=headers).status == 415


def test_a_message_is_marked_read_once(quiet: Desk, discussion: str) -> None:
    (message,) = read(quiet, discussion)["messages"]
    assert message["hasRead"] is False
    path = f"/messages/{message['messageId']}"
    assert [patch(quiet, path, "/hasRead", "true").status for _ in range(2)] == [204, 204]
    assert read(quiet, discussion)["messages"][0]["hasRead"] is True
    assert [effect.kind for effect in quiet.sandbox.effects()] == ["read"]
    assert patch(quiet, path, "/hasRead", "false").status == 400
    assert patch(quiet, "/messages/none", "/hasRead", "true").status == 404


def test_attachments_come_with_their_content(quiet: Desk, discussion: str) -> None:
    content = b"%PDF-1.7 a label"
    name = reply(quiet, discussion, attachments=[file(content)]).json["messageId"]
    (shown,) = read(quiet, discussion)["messages"][-1]["attachments"]

    def found(**query: str) -> list[tuple[str, bytes]]:
        answer = quiet.ask("GET", "/attachments", query={"salesChannelId": "PRIMARY", **query})
        return [(item["name"], b64decode(item["content"])) for item in answer.json["items"]]

    whole = [("label.pdf", content)]
    assert found(discussionId=discussion) == found(messageId=name) == whole
    assert found(attachmentId=shown["attachmentId"]) == whole
    assert found(messageId="none") == []


@pytest.mark.parametrize(
    "query", [{"discussionId": "x"}, {"salesChannelId": "PRIMARY"}, {}], ids=str
)
def test_attachments_need_their_parameters(quiet: Desk, query: dict[str, str]) -> None:
    assert quiet.ask("GET", "/attachments", query=query).status == 400
