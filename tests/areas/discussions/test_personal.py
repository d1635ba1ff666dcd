"""Personal data: messages are neither shown nor kept, and their files are only their owner's."""

import sqlite3
import stat
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.discussions.feeds import FEEDS
from tests.areas.discussions.conftest import discussions
from tests.areas.discussions.test_discussions import effects, fill, opening
from tests.areas.orders.test_personal import _usual_rights
from tests.cli.conftest import Feedtool
from tests.runs.test_notify import KEEP, hook

usual_rights = _usual_rights
REPLY = "She wept over the broken heliotrope teapot"
SHORT = "Heliotrope"
FILE = b"%PDF-1.7 heliotrope mews"
SECRETS = (REPLY.encode(), SHORT.encode(), FILE, b"heliotrope")


def test_all_kinds_are_personal() -> None:
    assert all(feed.requests.is_personal for feed in FEEDS)
    assert all(
        feed.requests.is_hidden("reply") and feed.requests.is_hidden("last.body") for feed in FEEDS
    )


def replies(row: Mapping[str, Any]) -> dict[str, Any]:
    """A reply with a file to the claim, and a too short one to another discussion."""
    if row["graduation"] == "Claim":
        return {"reply": REPLY, "attachment.1": "label.pdf", "close": "Yes"}
    return {"reply": SHORT} if row["salesChannelId"] == "SECOND" else {}


@pytest.mark.usefixtures("usual_rights")
def test_no_message_is_logged_or_kept_and_written_files_are_private(
    shop: list[dict[str, Any]], feedtool: Feedtool, tmp_path: Path
) -> None:
    Path("label.pdf").write_bytes(FILE)
    claim = next(row for row in shop if row["graduation"] == "Claim")
    fill(replies, opening(claim, reply=f"{REPLY}?", subject="Heliotrope teapot"))
    telling = hook(tmp_path / "hook.sh", KEEP)
    ran = feedtool("submit filled.xlsx --sandbox --format json --log log.jsonl --hook", telling)
    assert ran.code == 1
    assert effects() == {"message": 1, "read": 1, "close": 1, "discussion": 1}
    told = [Path(name).read_bytes() for name in ("log.jsonl", "told")]
    kept = [path.read_bytes() for path in Path("home").glob("ledger*")]
    assert all(told)
    assert any(b"sha256:" in content for content in kept)
    for secret in SECRETS:
        assert not [1 for content in (*told, *kept, ran.err.encode()) if secret in content]
    with closing(sqlite3.connect("home/ledger.sqlite")) as db:
        bodies = [body for (body,) in db.execute("SELECT body FROM requests")]
    assert len(bodies) == 4
    assert {body[:7] for body in bodies} == {b"sha256:"}
    # All files that name them are their owner's.
    for command in (
        "export discussions --sandbox --yes",
        "export messages --sandbox",
        "export messages --sandbox --out messages.csv",
    ):
        assert feedtool(command).code == 0, command
    names = ("discussions.xlsx", "shop.csv", "messages.xlsx", "messages.csv")
    written = (*names, "filled.result.xlsx", "filled.failed.xlsx")
    assert {stat.S_IMODE(Path(name).stat().st_mode) for name in written} == {0o600}
    assert len(discussions("discussions.xlsx")) == len(shop) + 1
