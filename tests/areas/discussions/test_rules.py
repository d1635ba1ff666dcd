"""The rules of discussions, each with rows that pass it and rows that fail it."""

import json
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.discussions.attachments import format_of
from feedtool.areas.discussions.codes import PROBLEMS
from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, changed, checked, codes, problems_of
from tests.rule_tables import Fails, Passes, Rows, cases, listed, places

TEXT = "Good morning, it is on its way."


def row(**changes: str | None) -> dict[str, str]:
    """A row of a discussion without filled cells; `__` in a name is the dot of its key."""
    keys = ("reply", "reply.template", "receiver", "attachment.1", "attachment.2", "markRead")
    shown = ("close", "subject", "subTypologyCode", "isOpen", "unread.ids", "parcelNumber")
    common = {"discussionId": "D1", "orderId": "26154437870", "salesChannelId": "PRIMARY"}
    return changed({**common, **dict.fromkeys((*keys, *shown), "")}, changes)


def new(**changes: str | None) -> dict[str, str]:
    filled = {"subject": "Your order", "subTypologyCode": "lost", "reply": TEXT}
    return row(**{"discussionId": "", **filled, **changes})


PASSES: Passes = {
    "message-length": {
        "nothing": row(),
        "twelve": row(reply="a" * 12),
        "five thousand": row(reply="a" * 5000),
        "thirteen in a new one": new(reply="a" * 13),
    },
    "message-length-advised": {
        "thirteen": row(reply="a" * 13),
        "fifteen hundred": row(reply="a" * 1500),
        "a long first message": new(reply="a" * 1501),
    },
    "subject-length": {
        "five": new(subject="a" * 5),
        "fifty": new(subject="a" * 50),
        "of an old one": row(reply=TEXT, subject="a"),
    },
    "discussion-closed": {
        "open": row(reply=TEXT, isOpen="Yes"),
        "not known": row(reply=TEXT),
        "nothing is asked": row(isOpen="No"),
        "only marked": row(markRead="Yes", isOpen="No"),
    },
    "contact-data": {
        "no number": row(reply="It was shipped on 2026-11-20 at 10:30."),
        "a date and a time": row(reply="We ship it on 2026-11-20 10:30."),
        "a date as people write it": row(reply="We ship it on 20.11.2026 10 o'clock."),
        "the order": row(reply="Your order 26154437870 is on its way."),
        "an address on the web": row(reply="See https://track.example/0123456789 for it."),
    },
    "reply-twice": {"a text": row(reply=TEXT), "a saved one": row(reply__template="hello")},
    "template-value-missing": {
        "all there": row(reply__template="parcel", parcelNumber="8R1"),
        "needs none": row(reply__template="hello"),
    },
}
FAILS: Fails = {
    "message-length": {
        "eleven": (row(reply="a" * 11), "2 reply"),
        "too long": (row(reply="a" * 5001), "2 reply"),
        "twelve in a new one": (new(reply="a" * 12), "2 reply"),
    },
    "message-length-advised": {
        "twelve": (row(reply="a" * 12), "2 reply"),
        "long": (row(reply="a" * 1501), "2 reply"),
    },
    "subject-length": {
        "four": (new(subject="abcd"), "2 subject"),
        "long": (new(subject="a" * 51), "2 subject"),
    },
    "discussion-closed": {"closed": (row(reply=TEXT, isOpen="No"), "2 reply")},
    "contact-data": {
        "an address": (row(reply="Write to shop@example.com, please."), "2 reply"),
        "a number": (row(reply="Call us: +33 6 39 98 00 01."), "2 reply"),
        "another": (new(reply="Call us: 0639980001 at once."), "2 reply"),
    },
    "reply-twice": {"both": (row(reply=TEXT, reply__template="hello"), "2 reply.template")},
    "template-value-missing": {
        "empty": (row(reply__template="parcel"), "2 reply.template"),
        "no such place": (row(reply__template="wrong"), "2 reply.template"),
        "a column that it may not have": (
            row(reply__template="subject", subject="A parcel"),
            "2 reply.template",
        ),
        "two words": (row(reply__template="words"), "2 reply.template"),
        "with a dash": (row(reply__template="dash"), "2 reply.template"),
        "nothing in braces": (row(reply__template="braces"), "2 reply.template"),
    },
    "required-missing": {
        "a file alone": (row(attachment__1="a.pdf"), "2 reply"),
        "a subject alone": (
            row(discussionId="", subject="Hello there", salesChannelId=""),
            "2 salesChannelId, 2 reply, 2 subTypologyCode",
        ),
    },
    "enum-value": {
        "receiver": (row(reply=TEXT, receiver="Nobody"), "2 receiver"),
        "mark read": (row(markRead="maybe"), "2 markRead"),
        "close": (row(close="perhaps"), "2 close"),
        "no such reply": (row(reply__template="none"), "2 reply.template"),
    },
}
REPLIES = {
    "hello": "Good morning, how can we help?",
    "parcel": "Your parcel {parcelNumber} of {orderId} is on its way.",
    "wrong": "Your {thing} is on its way.",
    "subject": "Good morning, {subject} is on its way.",
    "words": "Good morning {first name}, it is on its way.",
    "dash": "Good morning {customer-name}, it is on its way.",
    "braces": "Good morning {}, it is on its way.",
}
SETTINGS = AccountSettings().having(DiscussionSettings(replies=REPLIES))


@pytest.mark.parametrize(("code", "rows"), cases(PASSES))
def test_passes(files: Files, code: str, rows: Rows) -> None:
    (sheet,) = checked(files.csv(*listed(rows)), dialect=SETTINGS)
    assert problems_of(sheet, code) == []


@pytest.mark.parametrize(("code", "rows", "expected"), cases(FAILS))
def test_fails(files: Files, code: str, rows: Rows, expected: str) -> None:
    (sheet,) = checked(files.csv(*listed(rows)), dialect=SETTINGS)
    found = problems_of(sheet, code)
    assert places(found) == expected
    assert all(problem.message for problem in found)


# What a row becomes.

REQUESTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "nothing": (row(), []),
    "a receiver alone": (row(receiver="Support"), []),
    "a reply": (row(reply=TEXT), ["Reply"]),
    "a reply marks": (row(reply=TEXT, unread__ids="M1; M2"), ["Reply", "Read", "Read"]),
    "unless it is said": (row(reply=TEXT, unread__ids="M1", markRead="No"), ["Reply"]),
    "marked": (row(markRead="Yes", unread__ids="M1"), ["Read"]),
    "marked, and none is known": (row(markRead="Yes"), ["Read"]),
    "not marked": (row(markRead="No", unread__ids="M1"), []),
    "closed": (row(close="Yes"), ["Close"]),
    "not closed": (row(close="No"), []),
    "all": (row(reply=TEXT, unread__ids="M1", close="Yes"), ["Reply", "Read", "Close"]),
    "new": (new(close="Yes", markRead="Yes"), ["Open"]),
}


@pytest.mark.parametrize(("asked", "expected"), REQUESTS.values(), ids=REQUESTS)
def test_requests_of_a_row(files: Files, asked: dict[str, str], expected: list[str]) -> None:
    (sheet,) = checked(files.csv(asked), dialect=SETTINGS)
    assert codes(sheet) == []
    assert [item.package_type for item in sheet.valid_items()] == expected


def test_a_reply_need_not_mark_messages_as_read(files: Files) -> None:
    settings = AccountSettings().having(DiscussionSettings(reply_reads="no"))
    (sheet,) = checked(files.csv(row(reply=TEXT, unread__ids="M1")), dialect=settings)
    assert [item.package_type for item in sheet.valid_items()] == ["Reply"]


def test_a_saved_reply_is_finished(files: Files) -> None:
    asked = row(reply__template="parcel", parcelNumber="8R1")
    (sheet,) = checked(files.csv(asked), dialect=SETTINGS)
    (item,) = sheet.valid_items()
    assert json.loads(item.body)["body"] == "Your parcel 8R1 of 26154437870 is on its way."


def test_lines_are_kept(files: Files) -> None:
    (sheet,) = checked(files.book({"Discussions": [row(reply="Good day, \r\n\r\nit is sent. ")]}))
    (item,) = sheet.valid_items()
    assert json.loads(item.body)["body"] == "Good day,\n\nit is sent."


def test_the_error_of_a_control_character_hides_the_text(files: Files) -> None:
    (sheet,) = checked(files.csv(row(reply=f"Secret {chr(1)} words are here.")))
    (problem,) = problems_of(sheet, "text-control-chars")
    assert "Secret" not in problem.message


# The stamps of an export.

STAMPS = {
    "template": "discussions",
    "discussion-channels": "PRIMARY=true,SECOND=false",
    "receivers": "PRIMARY=Customer|GrcOperator,SECOND=Customer",
    "typologies": "PRIMARY=lost,PRIMARY=broken,SECOND=other",
}
STAMPED: dict[str, tuple[dict[str, str], list[str]]] = {
    "all is well": (new(receiver="Support"), []),
    "a closed channel": (
        new(salesChannelId="SECOND", subTypologyCode="other"),
        ["channel-without-discussions"],
    ),
    "a closed channel is answered": (row(reply=TEXT, salesChannelId="SECOND"), []),
    "a receiver": (
        row(reply=TEXT, salesChannelId="SECOND", receiver="Support"),
        ["receiver-not-eligible"],
    ),
    "nothing is known": (row(reply=TEXT, salesChannelId="THIRD", receiver="Support"), []),
    "a subtypology": (new(subTypologyCode="none"), ["subtypology-unusable"]),
    "of another channel": (new(subTypologyCode="other"), ["subtypology-unusable"]),
    "of an unknown channel": (new(subTypologyCode="none", salesChannelId="THIRD"), []),
}


@pytest.mark.parametrize(("asked", "expected"), STAMPED.values(), ids=STAMPED)
def test_stamps_of_the_export_are_checked(
    files: Files, asked: dict[str, str], expected: list[str]
) -> None:
    (sheet,) = checked(files.book({"Discussions": [asked]}, **STAMPS))
    assert [code for _, code in codes(sheet)] == expected


# Files.

PDF, PNG = b"%PDF-1.7", b"\x89PNG\r\n\x1a\n"
OLE, ZIP = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PK\x03\x04"
FORMATS: dict[str, tuple[bytes, str, str | None]] = {
    "PDF": (PDF, ".pdf", "pdf"),
    "PDF by another name": (PDF, ".jpg", "pdf"),
    "PNG": (PNG, ".PNG", "png"),
    "JPG": (b"\xff\xd8\xff\xe0", ".jpeg", "jpeg"),
    "JPG without a name": (b"\xff\xd8\xff\xe0", "", "jpg"),
    "GIF": (b"GIF89a", ".gif", "gif"),
    "BMP": (b"BM....", ".bmp", "bmp"),
    "TIF": (b"II*\0", ".tiff", "tiff"),
    "DOC": (OLE, ".doc", "doc"),
    "XLS": (OLE, ".xls", "xls"),
    "DOCX": (ZIP + b"..word/document.xml", ".docx", "docx"),
    "XLSX": (ZIP + b"..xl/workbook.xml", ".bin", "xlsx"),
    "a ZIP": (ZIP + b"..a.txt", ".docx", None),
    "HEIC": (b"\0\0\0\x18ftypheic", ".heic", None),
    "HEIC by another name": (b"\0\0\0\x18ftypmif1", ".jpg", None),
    "a program": (b"MZ", ".pdf", None),
}


@pytest.mark.parametrize(("content", "ending", "expected"), FORMATS.values(), ids=FORMATS)
def test_formats(content: bytes, ending: str, expected: str | None) -> None:
    assert format_of(content, ending) == expected


ATTACHED: dict[str, tuple[dict[str, bytes], str]] = {
    "one": ({"a.pdf": PDF}, ""),
    "two": ({"a.pdf": PDF, "b.png": PNG}, ""),
    "not there": ({}, "2 attachment.1 attachment-file"),
    "empty": ({"a.pdf": b""}, "2 attachment.1 attachment-file"),
    "HEIC": ({"a.pdf": b"\0\0\0\x18ftypheic"}, "2 attachment.1 attachment-type"),
    "a film": ({"a.pdf": b"\0\0\0\x18ftypisom"}, "2 attachment.1 attachment-type"),
    "one too large": ({"a.pdf": PDF + b"x" * 100}, "2 attachment.1 attachment-size"),
    "two too large": (
        {"a.pdf": PDF + b"x" * 60, "b.png": PNG + b"x" * 60},
        "2 attachment.1 attachment-size",
    ),
}


@pytest.mark.parametrize(("found", "expected"), ATTACHED.values(), ids=ATTACHED)
def test_attachments(files: Files, tmp_path: Path, found: dict[str, bytes], expected: str) -> None:
    for name, content in found.items():
        (tmp_path / name).write_bytes(content)
    names = {f"attachment.{place}": f"{tmp_path / name}" for place, name in enumerate(found, 1)}
    path = files.csv(row(reply=TEXT) | (names or {"attachment.1": "none.pdf"}))
    settings = AccountSettings().having(DiscussionSettings(attachment_bytes=100))
    (sheet,) = checked(path, dialect=settings)
    problems = [f"{problem.row} {problem.field} {problem.code}" for problem in sheet.problems()]
    is_heic = any("HEIC" in it.message for it in sheet.problems())
    assert is_heic == any(b"heic" in content for content in found.values())
    assert problems == ([expected] if expected else [])
    if not expected:
        (item,) = sheet.valid_items()
        sent: list[Any] = json.loads(item.body)["attachments"]
        assert [file["name"] for file in sent] == [*found]


def test_every_code_is_met_in_a_test() -> None:
    tests = (path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    text = "".join(tests)
    assert [name for name in sorted(PROBLEMS.names) if name not in text] == []
