"""Discussions from the command line: exported, filled in a spreadsheet, sent, answered, again."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.areas.discussions.sandbox.customers import customer_writes
from feedtool.areas.orders.sandbox.store import numbered
from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox
from feedtool.sandbox.state import moment_of
from tests.areas.conftest import fill_csv, killed_and_resumed
from tests.areas.discussions.conftest import discussions
from tests.cli.conftest import STATE, Feedtool, Ran

Row = Mapping[str, Any]
Fill = Callable[[Row], Mapping[str, Any]]
FIRST = 3
"""The first row of an exported sheet."""
SUBMIT = ("submit", "filled.xlsx", "--sandbox", "--format", "json")
SUBMIT_PLAIN = ("submit", "filled.csv", "--sandbox", "--format", "json")
REPLY = "Good morning,\nyour parcel is on its way."


def fill(wanted: Fill, *new: Mapping[str, Any]) -> None:
    """Fills the rows of the workbook as a person does, and adds some."""
    book = load_workbook("discussions.xlsx")
    sheet = book["Discussions"]
    columns = {cell.value: place for place, cell in enumerate(sheet[FIRST - 1], start=1)}
    rows = discussions("discussions.xlsx")
    for number, fields in enumerate((*map(wanted, rows), *new), start=FIRST):
        for key, value in fields.items():
            sheet.cell(number, columns[key]).value = value
    book.save("filled.xlsx")


def fill_plain(shop: Iterable[Row], wanted: Fill, *new: Mapping[str, Any]) -> None:
    """Fills the rows of `shop.csv` and adds some, into `filled.csv`."""
    fill_csv("shop.csv", "filled.csv", map(wanted, shop), *new)


def nothing(_: Row) -> Mapping[str, Any]:
    return {}


def handled(row: Row) -> dict[str, Any]:
    """A shop's acts: it answers, claims with a file, and closes thanks."""
    if row["isOpen"] == "false":
        return {}
    if "Thank you" in row["last.body"]:
        return {"markRead": "Yes", "close": "Yes"}
    if row["graduation"] == "Claim":
        return {"reply": REPLY, "attachment.1": "label.pdf", "close": "Yes"}
    return {"reply": REPLY, "markRead": "No"}


def opening(row: Row, **changes: Any) -> dict[str, Any]:
    """A new discussion about the order of a row."""
    return {
        "orderId": row["orderId"],
        "salesChannelId": row["salesChannelId"],
        "subject": "About your order",
        "subTypologyCode": "productIsNotWorking",
        "reply": "Does your product work, or can we help?",
        **changes,
    }


def is_claim(row: Row) -> bool:
    return bool(row["graduation"] == "Claim")


def effects() -> Counter[str]:
    """The number of acts in the embedded sandbox, by kind."""
    with Sandbox(sandbox_parts(), STATE) as sandbox:
        done = Counter((effect.kind, effect.fingerprint) for effect in sandbox.effects())
    assert set(done.values()) <= {1}
    return Counter(kind for kind, _ in done)


def answered(row: Row) -> Mapping[str, Any]:
    """The row of a discussion with its messages, as the service has it now."""
    return next(
        other for other in discussions("whole.xlsx") if other["discussionId"] == row["discussionId"]
    )


def results(ran: Ran) -> list[tuple[int, str]]:
    return [(result["row"], result["status"]) for result in ran.only["results"]]


def codes(result: Row) -> set[str]:
    return {message["resultCode"] for message in result["messages"]}


def test_a_filled_export_is_sent_once_and_answered(
    shop: list[dict[str, Any]], feedtool: Feedtool
) -> None:
    (claim,) = filter(is_claim, shop)
    fill(handled, opening(claim))
    ran = feedtool(*SUBMIT)
    assert ran.code == 0, ran
    expected = {
        "closed": ["Skipped"],
        "thanks": ["Read", "Closed"],
        "claim": ["Sent", "Read", "Closed"],
        "other": ["Sent"],
        "new": ["Opened"],
    }
    found: dict[int, list[str]] = {}
    for row, status in results(ran):
        found.setdefault(row, []).append(status)
    assert sorted(found.values()) == sorted([*expected.values(), ["Sent"]])
    beside = [
        (row["feedtool status"], row["feedtool message"])
        for row in discussions("filled.result.xlsx")
    ]
    assert Counter(status for status, _ in beside) == {
        "Skipped": 1,
        "Closed": 1,
        "Sent": 3,
        "Opened": 1,
    }
    assert all("is there" in message for status, message in beside if status == "Sent")
    done = {"message": 3, "read": 2, "close": 2, "discussion": 1}
    assert effects() == done
    acts = [(act["verb"], act["calls"]) for act in ran.only["acts"]]
    assert Counter(verb for verb, _ in acts) == {"Reply": 3, "Read": 2, "Close": 2, "Open": 1}
    assert {calls for _, calls in acts} == {1}

    # The same as CSV.
    fill_plain(shop, handled, opening(claim))
    again = feedtool(*SUBMIT_PLAIN)
    assert again.code == 0
    assert [(row + 1, status) for row, status in results(again)] == results(ran)
    for result in again.only["results"]:
        assert codes(result) >= ({"already-so"} if result["status"] != "Skipped" else set())
    assert effects() == done

    assert feedtool("export discussions --sandbox --messages --out whole.xlsx").code == 0
    whole = answered(claim)
    assert (whole["isOpen"], whole["last.from"], whole["last.body"]) == ("false", "Seller", REPLY)
    assert "unread.ids" not in whole or not whole["unread.ids"]


# The normal run checks each untouched export in `test_lists`, and sends one of orders.
@pytest.mark.long
def test_an_untouched_export_does_nothing(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    ran = feedtool("submit", "discussions.xlsx", "--sandbox", "--format", "json")
    assert (ran.code, ran.statuses) == (9, ["Skipped"] * len(shop))
    assert {row["feedtool status"] for row in discussions("discussions.result.xlsx")} == {"Skipped"}
    assert not effects()


def test_a_customer_gets_a_second_answer_to_a_second_message(
    shop: list[dict[str, Any]], feedtool: Feedtool
) -> None:
    fill_plain(shop, lambda row: {"reply": REPLY} if is_claim(row) else {})
    assert feedtool(*SUBMIT_PLAIN).code == 0
    with Sandbox(sandbox_parts(), STATE) as sandbox, sandbox.state.transaction() as db:
        order = numbered(db, "sandbox", 1)
        assert order
        ((latest,),) = db.execute("SELECT latest FROM clock").fetchall()
        customer_writes(db, order, "And when?", moment_of(latest) + timedelta(seconds=1))
    fill_plain(shop, lambda row: {"reply": "Tomorrow, in the morning."} if is_claim(row) else {})
    ran = feedtool(*SUBMIT_PLAIN)
    assert Counter(ran.statuses)["Sent"] == 1
    assert effects()["message"] == 2


def test_a_dry_run_writes_the_requests(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    (claim,) = filter(is_claim, shop)
    fill_plain(shop, handled, opening(claim, receiver="Support"))
    ran = feedtool("submit", "filled.csv", "--dry-run", "--requests", "requests")
    assert ran.code == 0, ran
    written = sorted(Path("requests/filled.csv").iterdir())
    bodies = {path.stem.split("-")[2]: json.loads(path.read_bytes()) for path in written}
    assert set(bodies) == {"Reply", "Read", "Close", "Open"}
    assert bodies["Open"]["message"]["receiver"] == "GrcOperator"
    files = [path for path in written if b"label.pdf" in path.read_bytes()]
    assert len(files) == 1
    assert not effects()


# What cannot be.


def test_impossible_acts_are_reported_and_not_sent(
    shop: list[dict[str, Any]], feedtool: Feedtool
) -> None:
    """A second discussion of the same, a closed channel, an unknown typology, a lost reply.

    A CSV has no stamps: nobody knows what its export was told.
    """
    claim = next(filter(is_claim, shop))
    other = next(row for row in shop if row["salesChannelId"] == "SECOND")
    fill_plain(
        shop,
        lambda row: {"discussionId": "none", "close": "Yes"} if row == claim else {},
        opening(other),
        opening(claim, subTypologyCode=claim["subTypologyCode"], productId=claim["productId"]),
        opening(claim, subTypologyCode="wrongOne"),
    )
    ran = feedtool(*SUBMIT_PLAIN)
    told = {result["row"]: (result["status"], codes(result)) for result in ran.only["results"]}
    asked = {row: it for row, it in told.items() if it[0] != "Skipped"}
    assert (ran.code, [*asked.values()]) == (
        1,
        [
            ("Rejected", {"discussion-unknown"}),
            ("Rejected", {"channel-without-discussions"}),
            ("Rejected", {"discussion-exists"}),
            ("Rejected", {"ER400"}),
        ],
    )
    assert claim["discussionId"] in json.dumps(ran.json)
    assert not effects()


def test_a_discussion_without_its_reply_is_not_marked_or_closed(
    shop: list[dict[str, Any]], feedtool: Feedtool
) -> None:
    """The service refuses a reply of twelve characters, which the specification allows."""
    fill_plain(shop, lambda row: {"reply": "I am sorry .", "close": "Yes"} if is_claim(row) else {})
    ran = feedtool(*SUBMIT_PLAIN)
    asked = [result for result in ran.only["results"] if result["status"] != "Skipped"]
    assert [(result["status"], codes(result)) for result in asked] == [
        ("Rejected", {"ER400"}),
        ("Rejected", {"reply-missing"}),
        ("Rejected", {"reply-missing"}),
    ]
    assert {row["salesChannelId"] for row in shop} == {"PRIMARY", "SECOND"}
    assert not effects()


def test_the_same_text_for_many_is_held(shop: list[dict[str, Any]], feedtool: Feedtool) -> None:
    text = '[profile.shop]\nseller = "sandbox"\n[profile.shop.discussions]\nsame_replies = 2\n'
    Path("feedtool.toml").write_text(text)
    waiting = [row for row in shop if row["processStatus"] == "ToTreat"]
    fill_plain(shop, lambda row: {"reply": REPLY} if row in waiting else {})
    ran = feedtool(*SUBMIT_PLAIN, "--profile", "shop")
    assert Counter(ran.statuses) == {"Held": len(waiting), "Skipped": 1}
    assert not effects()
    ran = feedtool(*SUBMIT_PLAIN, "--profile", "shop", "--release", "same-reply", "--dry-run")
    assert [act["verb"] for act in ran.only["acts"]].count("Reply") == len(waiting)


def test_a_saved_reply_is_finished_from_the_row(feedtool: Feedtool) -> None:
    text = '[profile.shop]\nseller = "sandbox"\n[profile.shop.discussions.replies]\n'
    text += 'parcel = "Your order {orderId} is parcel {parcelNumber}."\n'
    Path("feedtool.toml").write_text(text)
    ran = feedtool("export discussions --sandbox --profile shop --to-treat --out shop.csv")
    assert ran.code == 0, ran
    with Path("shop.csv").open(encoding="utf-8-sig", newline="") as file:
        first, *others = csv.DictReader(file)
    assert others
    reply = {"reply.template": "parcel"}
    numbers = ("8R1", *("" for _ in others))
    fill_csv("shop.csv", "filled.csv", ({**reply, "parcelNumber": number} for number in numbers))
    ran = feedtool(*SUBMIT_PLAIN, "--profile", "shop")
    assert ran.out, ran.err
    wrong = ran.only["problems"]
    assert {(it["code"], it["field"]) for it in wrong} == {
        ("template-value-missing", "reply.template")
    }
    assert len(wrong) == len(others)
    assert effects()["message"] == 1
    assert feedtool("export messages --sandbox --out messages.csv").code == 0
    sent = f"Your order {first['orderId']} is parcel 8R1."
    assert sent in Path("messages.csv").read_text("utf-8-sig")


# Killed.

WRITES = 80
"""A submit of four requests reaches fewer points; at a later one nothing dies."""


# The normal run kills acts on orders, which go the same way.
@pytest.mark.long
@pytest.mark.parametrize("at", range(WRITES))
def test_killed_at_a_write_each_is_done_once(
    shop: list[dict[str, Any]], feedtool: Feedtool, at: int
) -> None:
    claim = next(filter(is_claim, shop))
    fill_plain(shop, lambda row: handled(row) if row == claim else {}, opening(claim))
    ran = killed_and_resumed(feedtool, at, WRITES, "submit", "filled.csv", "--sandbox")
    statuses = [status for status in ran.statuses if status != "Skipped"]
    assert statuses == ["Sent", "Read", "Closed", "Opened"]
    assert effects() == {"message": 1, "read": 1, "close": 1, "discussion": 1}
