from dataclasses import replace
from typing import Any

import pytest

from feedtool.ledger import Change, Ledger, Package, Phase, Resolution, Stage
from feedtool.ledger.row_results import RowFacts, messages_as_text, row_result
from feedtool.model.nouns import Item, Message, PackageSummary, RowResult, Status
from feedtool.model.sheet import rows_of
from tests.ledger.conftest import add_run

FACTS = RowFacts(
    row=3,
    number=0,
    channel="P",
    reference="A",
    fate=None,
    why=None,
    phase=Phase.CLOSED,
    package_id="p1",
    state="Integrated",
    is_committed=True,
    package_code=None,
    package_text=None,
    stage=Stage.STAGED,
    upload_code=None,
    upload_text=None,
    status=None,
    messages=None,
)
WHY = Message("1023", "Because.")
KEPT = messages_as_text((WHY,))
OF_UPLOAD = {"upload_code": WHY.code, "upload_text": WHY.text}
OF_PACKAGE = {"package_code": WHY.code, "package_text": WHY.text}


@pytest.mark.parametrize(
    ("facts", "status", "text"),
    [
        # The service's own word on the row goes before all else, then what was decided of it.
        (
            {"status": Status.INTEGRATED, "messages": messages_as_text((WHY,))},
            Status.INTEGRATED,
            "Because.",
        ),
        ({"status": Status.DUPLICATED}, Status.DUPLICATED, ""),
        ({"status": Status.REJECTED, "stage": Stage.DOUBTFUL}, Status.REJECTED, ""),
        (
            {"fate": Status.SUPERSEDED, "why": "A later run.", "stage": Stage.PLANNED},
            Status.SUPERSEDED,
            "A later run.",
        ),
        ({"fate": Status.INTEGRATED, "why": "Seen."}, Status.INTEGRATED, "Seen."),
        ({"fate": Status.UNKNOWN, "stage": Stage.DOUBTFUL}, Status.UNKNOWN, ""),
        ({"fate": Status.UNKNOWN, "status": Status.REJECTED}, Status.REJECTED, ""),
        # A refused upload, a rejected package, a package that could not be created.
        ({"stage": Stage.REFUSED} | OF_UPLOAD, Status.REJECTED, "Because."),
        ({"state": "Rejected"} | OF_PACKAGE, Status.REJECTED, "Because."),
        (
            {"package_id": None, "state": None, "is_committed": False, "stage": Stage.PLANNED}
            | OF_PACKAGE,
            Status.REJECTED,
            "Because.",
        ),
        # A batch of products that was sent.
        (
            {"phase": Phase.SUBMITTING, "package_id": None, "stage": Stage.SENDING},
            Status.PENDING,
            "Sent; the answer was lost, and nothing",
        ),
        (
            {"phase": Phase.CLEARED, "package_id": None, "stage": Stage.DOUBTFUL},
            Status.PENDING,
            "Sent; the answer was lost, and nothing",
        ),
        ({"phase": Phase.SUBMITTED}, Status.PENDING, "Sent in package p1; the service has not"),
        # Closed without a word on the row.
        ({}, Status.UNKNOWN, "has given no result"),
        (OF_PACKAGE, Status.UNKNOWN, "has given no result for it. Because."),
        ({"stage": Stage.DOUBTFUL}, Status.UNKNOWN, "was not sent again"),
        (
            {"stage": Stage.DOUBTFUL, "state": "Rejected"} | OF_PACKAGE,
            Status.UNKNOWN,
            "was not sent again. Because.",
        ),
        ({"stage": Stage.PLANNED}, Status.PENDING, "completed without it"),
        # Not closed.
        ({"phase": Phase.COMMITTED}, Status.PENDING, "Committed in package p1"),
        ({"phase": Phase.COMMITTED, "stage": Stage.DOUBTFUL}, Status.PENDING, "was lost"),
        ({"phase": Phase.COMMITTED, "stage": Stage.PLANNED}, Status.PENDING, "without it"),
        ({"phase": Phase.FILLING, "is_committed": False}, Status.PENDING, "Not in force"),
        (
            {"phase": Phase.PLANNED, "package_id": None, "is_committed": False},
            Status.PENDING,
            "Not sent",
        ),
        (
            {"phase": Phase.PLANNED, "is_committed": False, "stage": Stage.PLANNED},
            Status.PENDING,
            "Not in force",
        ),
        # Intended is as much as committed, as long as nobody has seen otherwise.
        ({"phase": Phase.SETTLED}, Status.PENDING, "Committed in package p1"),
    ],
)
def test_what_became_of_a_row(facts: dict[str, object], status: Status, text: str) -> None:
    found = row_result(FACTS._replace(**facts))  # type: ignore[arg-type]
    assert (found.row, found.reference, found.status) == (3, "A", status)
    assert text in " ".join(message.text for message in found.messages)


# Requests of several rows, and rows of several requests.


def item(row: int, reference: str, channel: str = "P", **more: Any) -> Item:
    return Item(row, "Upsert", channel, reference, "", reference.encode(), **more)


MANY = (
    item(3, "A", further_rows=(5, 9)),
    item(4, "B"),
    item(4, "B", "S", number=1, further_rows=(5,)),
    item(6, "C"),
)
WITHHELD = (
    RowResult(7, "D", Status.UNCHANGED, (), "P"),
    RowResult(7, "D", Status.HELD, (WHY,), "S"),
)


@pytest.fixture
def many(ledger: Ledger) -> Ledger:
    """With a file of these."""
    add_run(ledger, MANY, withheld=WITHHELD)
    return ledger


def saved(ledger: Ledger, number: int, *resolutions: Resolution, **results: Status) -> Package:
    """A package that is closed with these results."""
    package = ledger.read_packages(1)[number]
    sent = replace(package, phase=Phase.LOOKING, package_id="p", uploads=(Stage.STAGED,))
    given = [(reference, status, ()) for reference, status in results.items()]
    closed = replace(sent, phase=Phase.CLOSED, creations=1)
    ledger.save([Change(package, sent), Change(sent, closed, None, given, None, resolutions)])
    return package


def told(ledger: Ledger) -> list[tuple[int, str, str, str]]:
    return [
        (result.row, result.channel, result.reference, str(result.status))
        for result in ledger.verdicts(1)
    ]


def test_results_of_a_row_come_in_the_order_of_its_requests(ledger: Ledger) -> None:
    items = item(3, "A", further_rows=(5,)), item(5, "B", "C"), item(5, "B", "A", number=1)
    add_run(ledger, items)
    expected = [(3, "A", "P"), (5, "A", "P"), (5, "B", "C"), (5, "B", "A")]
    assert [(one.row, one.reference, one.channel) for one in ledger.verdicts(1)] == expected
    assert [(row, one.reference, one.channel) for row, one in rows_of(items)] == expected


def test_each_row_has_a_result_of_each_of_its_requests(many: Ledger) -> None:
    saved(many, 0, A=Status.INTEGRATED, B=Status.INTEGRATED, C=Status.REJECTED)
    assert told(many) == [
        (3, "P", "A", "Integrated"),
        (4, "P", "B", "Integrated"),
        (4, "S", "B", "Pending"),
        (5, "P", "A", "Integrated"),
        (5, "S", "B", "Pending"),
        (6, "P", "C", "Rejected"),
        (7, "P", "D", "Unchanged"),
        (7, "S", "D", "Held"),
        (9, "P", "A", "Integrated"),
    ]
    rows = {Status.INTEGRATED: 2, Status.PENDING: 2, Status.REJECTED: 1, Status.HELD: 1}
    assert many.statuses(1) == rows
    assert sorted(many.references_of(1)) == [
        *((3, "P", "A"), (4, "P", "B"), (4, "S", "B"), (5, "P", "A"), (5, "S", "B")),
        *((6, "P", "C"), (9, "P", "A")),
    ]
    assert many.packages(1) == [
        PackageSummary("p", "Upsert", "P", None, 5, 1),
        PackageSummary(None, "Upsert", "S", None, 2, 1),
    ]


def test_a_resolution_is_of_one_request_of_its_row(many: Ledger) -> None:
    (row,) = many.pending(2)
    assert (row.row, row.number) == (4, 1)
    saved(many, 1, Resolution(4, Status.UNKNOWN, "Gone.", 1))
    fates = {(row, channel): status for row, channel, _, status in told(many)}
    assert [fates[key] for key in ((4, "P"), (4, "S"), (5, "P"), (5, "S"))] == [
        *("Pending", "Unknown", "Pending", "Unknown")
    ]


def test_a_request_is_sent_again_with_all_of_its_rows(many: Ledger) -> None:
    saved(many, 1, Resolution(4, None, "Not in force.", 1))
    (again,) = many.read_packages(1)[2:]
    assert (again.rows, many.bodies(again.key, [1])) == (1, {1: [b"B"]})
    assert many.packages(1)[2] == PackageSummary(None, "Upsert", "S", None, 2, 1)
    later = [result for result in many.verdicts(1) if result.channel == "S"]
    assert [(result.row, result.messages[0].text) for result in later[:2]] == [
        (4, "Not in force."),
        (5, "Not in force."),
    ]


def test_a_later_run_supersedes_the_request_of_its_channel_alone(many: Ledger) -> None:
    run, _ = add_run(many, [item(3, "B", "S")])
    (newer,) = many.read_packages(run)
    sent = replace(newer, phase=Phase.CLOSED, creations=1)
    many.save([Change(newer, sent)])
    first = many.run(1)
    assert first is not None
    for package in many.read_packages(1):
        many.clear(package, first)
    rows = [(row, channel) for row, channel, _, status in told(many) if status == "Superseded"]
    assert rows == [(4, "S"), (5, "S")]
    assert [many.sent_later(first, channel, {"B"}) for channel in "PS"] == [{}, {"B": run}]
