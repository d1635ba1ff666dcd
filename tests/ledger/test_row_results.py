import pytest

from feedtool.ledger import Phase, Stage
from feedtool.ledger.row_results import RowFacts, row_result
from feedtool.model.nouns import Message, Status

FACTS = RowFacts(
    channel="P",
    row=3,
    reference="A",
    fate=None,
    why="",
    phase=Phase.CLOSED,
    package_id="p1",
    state="Integrated",
    is_committed=True,
    package_message=None,
    stage=Stage.STAGED,
    upload_message=None,
    status=None,
    messages=(),
)
WHY = Message("1023", "Because.")


@pytest.mark.parametrize(
    ("facts", "status", "text"),
    [
        # The service's own word on the row goes before all else, then what was decided of it.
        ({"status": Status.INTEGRATED, "messages": (WHY,)}, Status.INTEGRATED, "Because."),
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
        ({"stage": Stage.REFUSED, "upload_message": WHY}, Status.REJECTED, "Because."),
        ({"state": "Rejected", "package_message": WHY}, Status.REJECTED, "Because."),
        (
            {"package_id": None, "state": None, "is_committed": False, "package_message": WHY}
            | {"stage": Stage.PLANNED},
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
        ({"package_message": WHY}, Status.UNKNOWN, "has given no result for it. Because."),
        ({"stage": Stage.DOUBTFUL}, Status.UNKNOWN, "was not sent again"),
        (
            {"stage": Stage.DOUBTFUL, "state": "Rejected", "package_message": WHY},
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
