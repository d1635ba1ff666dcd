from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.ledger import Change, Ledger, Package, Phase, Resolution, Stage
from feedtool.ledger.row_history import messages_as_text
from feedtool.ledger.row_results import RowFacts, row_result
from feedtool.model.nouns import Item, Message, PackageSummary, RowResult, Status
from feedtool.model.sheet import rows_of
from tests.ledger.conftest import add_run, cleared, read_run

WHY = Message("1023", "Because.")
CLOSED = RowFacts(
    *(3, 0, "P", "A", None, None, Phase.CLOSED, "p1", "Integrated", True, None, None),
    *(Stage.STAGED, None, None, None, None),
)
OF_UPLOAD = {"upload_code": WHY.code, "upload_text": WHY.text}
OF_PACKAGE = {"package_code": WHY.code, "package_text": WHY.text}
PLANNED, DOUBTFUL = {"stage": Stage.PLANNED}, {"stage": Stage.DOUBTFUL}
COMMITTED = {"phase": Phase.COMMITTED}
UNNAMED: dict[str, object] = {"package_id": None}
UNCOMMITTED = {"is_committed": False}
LOST = "Sent; the answer was lost, and nothing"


@pytest.mark.parametrize(
    ("facts", "status", "text"),
    [
        # The service's own word on the row goes before all else, then what was decided of it.
        ({"status": "Integrated", "messages": messages_as_text((WHY,))}, "Integrated", "Because."),
        ({"status": "Duplicated"}, "Duplicated", ""),
        ({"status": "Rejected"} | DOUBTFUL, "Rejected", ""),
        ({"fate": "Superseded", "why": "A later run."} | PLANNED, "Superseded", "A later run."),
        ({"fate": "Integrated", "why": "Seen."}, "Integrated", "Seen."),
        ({"fate": "Unknown"} | DOUBTFUL, "Unknown", ""),
        ({"fate": "Unknown", "status": "Rejected"}, "Rejected", ""),
        # A refused upload, a rejected package, a package that could not be created.
        ({"stage": Stage.REFUSED} | OF_UPLOAD, "Rejected", "Because."),
        ({"state": "Rejected"} | OF_PACKAGE, "Rejected", "Because."),
        (UNNAMED | UNCOMMITTED | PLANNED | OF_PACKAGE | {"state": None}, "Rejected", "Because."),
        # A batch of products that was sent.
        ({"phase": Phase.SUBMITTING, "stage": Stage.SENDING} | UNNAMED, "Pending", LOST),
        ({"phase": Phase.CLEARED} | UNNAMED | DOUBTFUL, "Pending", LOST),
        # A single request that is sent once more, is refused and looked at, or waits to be sent.
        ({"phase": Phase.CHECKED} | UNNAMED | PLANNED, "Pending", LOST),
        ({"phase": Phase.SUBMITTING, "stage": Stage.REFUSED}, "Pending", "The service refused it;"),
        (
            {"phase": Phase.CLEARED, "state": "Processing"} | UNNAMED | UNCOMMITTED | PLANNED,
            "Pending",
            "Not sent yet: the service says Processing.",
        ),
        ({"phase": Phase.SUBMITTED}, "Pending", "Sent in package p1; the service has not"),
        # Closed without a word on the row.
        ({}, "Unknown", "has given no result"),
        (OF_PACKAGE, "Unknown", "has given no result for it. Because."),
        (DOUBTFUL, "Unknown", "was not sent again"),
        ({"state": "Rejected"} | DOUBTFUL | OF_PACKAGE, "Unknown", "was not sent again. Because."),
        (PLANNED, "Pending", "completed without it"),
        # Not closed.
        (COMMITTED, "Pending", "Committed in package p1"),
        (COMMITTED | DOUBTFUL, "Pending", "was lost"),
        (COMMITTED | PLANNED, "Pending", "without it"),
        ({"phase": Phase.FILLING} | UNCOMMITTED, "Pending", "Not in force"),
        ({"phase": Phase.PLANNED} | UNNAMED | UNCOMMITTED, "Pending", "Not sent"),
        ({"phase": Phase.PLANNED} | UNCOMMITTED | PLANNED, "Pending", "Not in force"),
        # Intended is as much as committed, as long as nobody has seen otherwise.
        ({"phase": Phase.SETTLED}, "Pending", "Committed in package p1"),
    ],
)
def test_results_of_rows(facts: dict[str, Any], status: str, text: str) -> None:
    found = row_result(CLOSED._replace(**facts))
    assert (found.row, found.reference, found.status) == (3, "A", status)
    assert text in " ".join(message.text for message in found.messages)


# Requests of several rows, and rows of several requests.


def item(row: int, reference: str, channel: str = "P", **more: Any) -> Item:
    return Item(row, "Upsert", channel, reference, "", reference.encode(), **more)


MANY = (
    *(item(3, "A", further_rows=(5, 9)), item(4, "B")),
    *(item(4, "B", "S", number=1, further_rows=(5,)), item(6, "C")),
)
WITHHELD = (
    *(RowResult(7, "D", Status.UNCHANGED, (), "P"), RowResult(7, "D", Status.HELD, (WHY,), "S")),
)


@pytest.fixture
def many(ledger: Ledger) -> Ledger:
    """The ledger, with a file of many rows."""
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


def result_lines(ledger: Ledger) -> list[str]:
    return [
        f"{verdict.row} {verdict.channel} {verdict.reference} {verdict.status}"
        for verdict in ledger.verdicts(1)
    ]


def test_results_of_a_row_come_in_the_order_of_its_requests(ledger: Ledger) -> None:
    items = item(3, "A", further_rows=(5,)), item(5, "B", "C"), item(5, "B", "A", number=1)
    add_run(ledger, items)
    expected = [(3, "A", "P"), (5, "A", "P"), (5, "B", "C"), (5, "B", "A")]
    assert [
        (verdict.row, verdict.reference, verdict.channel) for verdict in ledger.verdicts(1)
    ] == expected
    assert [(row, one.reference, one.channel) for row, one in rows_of(items)] == expected


def test_each_row_has_a_result_of_each_of_its_requests(many: Ledger) -> None:
    saved(many, 0, A=Status.INTEGRATED, B=Status.INTEGRATED, C=Status.REJECTED)
    assert result_lines(many) == [
        *("3 P A Integrated", "4 P B Integrated", "4 S B Pending", "5 P A Integrated"),
        *("5 S B Pending", "6 P C Rejected", "7 P D Unchanged", "7 S D Held", "9 P A Integrated"),
    ]
    rows = {Status.INTEGRATED: 2, Status.PENDING: 2, Status.REJECTED: 1, Status.HELD: 1}
    assert many.statuses(1) == rows
    sent = ("3 P A", "4 P B", "4 S B", "5 P A", "5 S B", "6 P C", "9 P A")
    assert sorted(" ".join(map(str, one)) for one in many.references_of(1)) == [*sent]
    packages = [("p", "Upsert", "P", None, 5, 1), (None, "Upsert", "S", None, 2, 1)]
    assert many.packages(1) == [PackageSummary(*package) for package in packages]


def test_a_resolution_is_of_one_request_of_its_row(many: Ledger) -> None:
    (row,) = many.pending(2)
    assert (row.row, row.number) == (4, 1)
    saved(many, 1, Resolution(4, Status.UNKNOWN, "Gone.", 1))
    fates = ("4 P B Pending", "4 S B Unknown", "5 P A Pending", "5 S B Unknown")
    assert [one for one in result_lines(many) if one[0] in "45"] == [*fates]


def test_a_request_is_sent_again_with_all_of_its_rows(many: Ledger) -> None:
    saved(many, 1, Resolution(4, None, "Not in force.", 1))
    (again,) = many.read_packages(1)[2:]
    assert (again.rows, many.bodies(again.key, [1])) == (1, {1: [b"B"]})
    assert many.packages(1)[2] == PackageSummary(None, "Upsert", "S", None, 2, 1)
    later = [
        (verdict.row, *verdict.messages) for verdict in many.verdicts(1) if verdict.channel == "S"
    ]
    assert later[:2] == [(row, Message("", "Not in force.")) for row in (4, 5)]


def test_a_later_run_supersedes_only_requests_of_its_channel(many: Ledger) -> None:
    run, _ = add_run(many, [item(3, "B", "S")])
    (newer,) = many.read_packages(run)
    many.save([Change(newer, replace(newer, phase=Phase.CLOSED, creations=1))])
    first = read_run(many, 1)
    for package in many.read_packages(1):
        cleared(many, package, first)
    superseded = [one for one in result_lines(many) if one.endswith("Superseded")]
    assert superseded == ["4 S B Superseded", "5 S B Superseded"]
    assert [many.sent_later(first, channel, {"B"}) for channel in "PS"] == [{}, {"B": run}]
