"""The rules of orders, each with rows that pass it and rows that fail it."""

import json
from collections.abc import Iterator

import pytest

from feedtool.areas.orders.settings import OrderSettings
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, Find, changed, checked, codes, problems_of
from tests.rule_tables import Fails, Passes, Rows, cases, listed, places


def line(action: str = "", /, **changes: str | None) -> dict[str, str]:
    """A valid row with an action; `__` in a name is the dot of its key."""
    row = {
        "orderId": "24A17F09",
        "lineId": "24A17F09-1",
        "action": action,
        "carrierName": "",
        "parcelNumber": "",
        "trackingUrl": "",
        "reason": "",
        "shippingCostRefund": "",
        "gesture.amount": "",
        "gesture.details": "",
        "status": "",
        "order.lines": "",
        "line.total": "",
        "salesChannelId": "",
        "supplyMode": "",
    }
    return changed(row | FILLED.get(action, {}), changes)


FILLED = {
    "Ship": {"carrierName": "Colissimo", "parcelNumber": "8R00123456789"},
    "Cancel": {"reason": "seller-out-of-stock", "shippingCostRefund": "Yes"},
    "Gesture": {"reason": "MissingProduct", "gesture.amount": "5.00"},
}


def lines(action: str, count: int, of: int, **changes: str | None) -> list[dict[str, str]]:
    """Rows of so many different lines of an order that has `of` lines."""
    return [
        line(action, lineId=f"L{number}", order__lines=str(of), **changes)
        for number in range(count)
    ]


def numbered(*numbers: str) -> list[dict[str, str]]:
    """A shipment of an order of its own for each parcel's number."""
    return [
        line("Ship", orderId=f"O{place}", parcelNumber=number)
        for place, number in enumerate(numbers)
    ]


def parcel(**changes: str | None) -> dict[str, str]:
    row = {"orderId": "24A17F09", "parcelNumber": "8R001", "carrierName": "UPS"}
    return changed(row, changes)


NOW = {
    "Accept": ("WaitingAcceptance", "Processing"),
    "Refuse": ("WaitingAcceptance", "Processing"),
    "Ship": ("Accepted", "InPreparation"),
    "Cancel": ("WaitingAcceptance", "Accepted", "InPreparation", "Shipped", "Delivered"),
    "Gesture": ("Shipped", "Delivered"),
}
NEVER = {
    "Accept": ("Refused", "Rejected", "Cancelled"),
    "Refuse": ("Shipped", "Delivered", "Cancelled", "Rejected"),
    "Ship": ("Refused", "Rejected", "Cancelled"),
    "Cancel": ("Refused", "Rejected"),
    "Gesture": ("Refused", "Rejected", "Cancelled"),
}
LATER = {
    "Accept": ("Accepted", "InPreparation", "Shipped", "Delivered"),
    "Refuse": ("Accepted", "InPreparation", "Refused"),
    "Ship": ("Processing", "WaitingAcceptance", "Shipped", "Delivered"),
    "Cancel": ("Processing", "Cancelled"),
    "Gesture": ("Processing", "WaitingAcceptance", "Accepted", "InPreparation"),
}
"""Statuses in which an action is possible, never is, and may have become possible since."""


def actions_in_statuses() -> Iterator[tuple[str, str, str]]:
    """Each action with each status, in two writings, and the expected code of both."""
    for code, table in {
        "": NOW,
        "action-not-possible": NEVER,
        "state-when-exported": LATER,
    }.items():
        for action, statuses in table.items():
            for status in (*statuses, "Frozen") if table is LATER else statuses:
                yield action, status, code
                yield action, status.upper(), code


PASSES: Passes = {
    "action-missing": {
        "nothing is asked": line(),
        "a parcel number is a shipment": line(carrierName="UPS", parcelNumber="8R001"),
        "an action": line("Cancel"),
        "an action that is refused": line("Destroy", reason="x"),
        "a parcel number that is refused": line(carrierName="UPS", parcelNumber="8R\u202e1"),
    },
    "action-not-possible": {
        "no status": line("Ship"),
        "the seller's": line("Ship", supplyMode="Seller"),
        "in another writing": line("Ship", supplyMode="SELLER"),
        "only a shipment minds who ships": line("Cancel", supplyMode="Fulfillment"),
        "nothing is asked": line(status="Cancelled", supplyMode="Fulfillment"),
    },
    "state-when-exported": {"none": line("Ship")},
    "actions-differ": {
        "all accept": lines("Accept", 3, 3),
        "ship one, cancel another": [*lines("Ship", 1, 2), *lines("Cancel", 2, 2)[1:]],
        "another order": [line("Accept"), line("Refuse", orderId="24A17F10")],
        "another row that asks for nothing": [line("Accept"), line(lineId="L2")],
        "a gesture beside a cancellation": [line("Cancel"), line("Gesture")],
    },
    "approval-primary-only": {
        "the primary channel": line("Accept", salesChannelId="PRIMARY"),
        "not shown": line("Refuse"),
        "other actions": line("Ship", salesChannelId="SECOND"),
        "nothing is asked": line(salesChannelId="SECOND"),
    },
    "gesture-above-order": {
        "all of it": line("Gesture", gesture__amount="12.90", line__total="12.90"),
        "no total": line("Gesture", gesture__amount="12.90"),
        "a total that is not an amount": line("Gesture", line__total="twelve"),
        "an amount that is refused": line("Gesture", gesture__amount="many", line__total="1.00"),
        "no gesture": line("Ship", gesture__amount="12.90", line__total="1.00"),
    },
    "parcel-checksum": {
        "right": line("Ship", parcelNumber="RR473124829GB"),
        "right, with blanks": line("Ship", parcelNumber="RR 473 124 829 GB"),
        "11 less the rest is ten": line("Ship", parcelNumber="RR000000080FR"),
        "11 less the rest is eleven": line("Ship", parcelNumber="RR000000005FR"),
        "another form": line("Ship", parcelNumber="8R00123456789"),
        "a digit more": line("Ship", parcelNumber="RR4731248290GB"),
        "no shipment": line("Cancel", parcelNumber="RR473124828GB"),
    },
    "parcel-series": {
        "two": numbered("8R001", "8R002"),
        "by two": numbered("8R001", "8R003", "8R005"),
        "falling": numbered("8R003", "8R002", "8R001"),
        "the same": numbered("8R001", "8R001", "8R001"),
        "another head": numbered("8R001", "9R002", "8R003"),
        "no digits": numbered("A", "B", "C"),
        "a row between": [*numbered("8R001", "8R002"), line(), *numbered("8R003")],
        "a row without a number between": [
            *numbered("8R001", "8R002"),
            line("Cancel", orderId="O9"),
            line("Ship", orderId="O8", parcelNumber="8R003"),
        ],
    },
    "duplicate-row": {
        "another line": lines("Ship", 2, 2),
        "another parcel": [line("Ship"), line("Ship", parcelNumber="8R002")],
        "another action": [line("Ship"), line("Cancel")],
        "another order": [line("Ship"), line("Ship", orderId="24A17F10")],
        "two gestures": [line("Gesture"), line("Gesture")],
        "nothing is asked": [line(), line()],
        "a carrier's file": [parcel(), parcel(parcelNumber="8R002")],
    },
    "refuse-part": {
        "all": lines("Refuse", 3, 3),
        "no line is named": line("Refuse", lineId="", order__lines="3"),
        "their number is not shown": line("Refuse"),
        "a part is accepted": lines("Accept", 2, 3),
        "a number that is none": line("Refuse", order__lines="three"),
    },
    "ship-part": {
        "all": lines("Ship", 3, 3, salesChannelId="SECOND"),
        "a channel that takes lines": lines("Ship", 2, 3, salesChannelId="THIRD"),
        "a channel that nothing is said of": lines("Ship", 2, 3, salesChannelId="PRIMARY"),
    },
    "ship-part-advised": {
        "all": lines("Ship", 3, 3),
        "a line in two parcels": [
            *lines("Ship", 2, 2),
            line("Ship", lineId="L0", order__lines="2", parcelNumber="8R002"),
        ],
        "a channel that takes whole orders": lines("Ship", 2, 3, salesChannelId="SECOND"),
        "a part is cancelled": lines("Cancel", 1, 3),
    },
    "tracking-url": {
        "none": line("Ship"),
        "a path": line("Ship", trackingUrl="https://track.example.com/8R001?x=1#a"),
        "no path": line("Ship", trackingUrl="http://example.com"),
        "a port": line("Ship", trackingUrl="https://example.com:8443/x"),
        "capitals": line("Ship", trackingUrl="HTTPS://EXAMPLE.COM/8R001"),
        "no shipment": line("Cancel", trackingUrl="example"),
    },
    "carrier-unknown": {
        "of the profile": line("Ship"),
        "in another writing": line("Ship", carrierName="colissimo"),
    },
}
FAILS: Fails = {
    "action-missing": {
        "a reason": (line(reason="seller-out-of-stock"), "2 action"),
        "a carrier": (line(carrierName="UPS"), "2 action"),
        "a refused amount": (line(gesture__amount="many"), "2 action"),
    },
    "action-not-possible": {
        "the warehouse's": (line("Ship", supplyMode="Fulfillment"), "2 action"),
        "without an action": (
            line(carrierName="UPS", parcelNumber="8R001", supplyMode="Xdock"),
            "2 action",
        ),
    },
    "state-when-exported": {
        "it may have changed since": (line("Accept", status="Shipped"), "2 action")
    },
    "actions-differ": {
        "accept and refuse": ([line("Accept"), line("Refuse")], "2 action, 3 action"),
        "accept and ship": ([line("Accept"), line("Ship")], "2 action, 3 action"),
        "apart": (
            [line("Refuse"), line("Ship", orderId="O2"), line("Cancel")],
            "2 action, 4 action",
        ),
    },
    "approval-primary-only": {
        "accept": (line("Accept", salesChannelId="SECOND"), "2 action"),
        "refuse": (line("Refuse", salesChannelId="SECOND"), "2 action"),
    },
    "gesture-above-order": {
        "a cent": (
            line("Gesture", gesture__amount="12.91", line__total="12.90"),
            "2 gesture.amount",
        ),
    },
    "parcel-checksum": {
        "wrong": (line("Ship", parcelNumber="RR473124828GB"), "2 parcelNumber"),
        "small letters": (line("Ship", parcelNumber="rr473124828gb"), "2 parcelNumber"),
        "a carrier's file": (parcel(parcelNumber="RR123456789FR"), "2 parcelNumber"),
    },
    "parcel-series": {
        "three": (
            numbered("8R001", "8R002", "8R003"),
            "2 parcelNumber, 3 parcelNumber, 4 parcelNumber",
        ),
        "over a round number": (
            numbered("8R008", "8R009", "8R010", "8R011", "1"),
            "2 parcelNumber, 3 parcelNumber, 4 parcelNumber, 5 parcelNumber",
        ),
        "a sheet that is read twice": (
            [
                line("Gesture", orderId="O7", gesture__amount="1,234"),
                line("Gesture", orderId="O8", gesture__amount="9.50"),
                *numbered("8R001", "8R002", "8R003"),
            ],
            "4 parcelNumber, 5 parcelNumber, 6 parcelNumber",
        ),
        "behind others": (
            numbered("X9", "8R001", "8R002", "8R003"),
            "3 parcelNumber, 4 parcelNumber, 5 parcelNumber",
        ),
        "digits alone": (
            numbered("10000000000000000001", "10000000000000000002", "10000000000000000003"),
            "2 parcelNumber, 3 parcelNumber, 4 parcelNumber",
        ),
    },
    "duplicate-row": {
        "all the same": ([line("Ship"), line("Ship")], "3 lineId"),
        "the number in another writing": (
            [line("Ship", parcelNumber="8R 001"), line("Ship", parcelNumber="8r001")],
            "3 lineId",
        ),
        "apart": ([line("Cancel"), line("Ship", orderId="O2"), line("Cancel")], "4 lineId"),
        "three": ([line("Accept")] * 3, "3 lineId, 4 lineId"),
        "a carrier's file": ([parcel(lineId="L1"), parcel(lineId="L1")], "3 lineId"),
        # `1,234` makes a second reading necessary: only 9.50 behind it settles the column.
        "a sheet that is read twice": (
            [line("Gesture", gesture__amount=amount) for amount in ("1,234", "9.50")]
            + [line("Ship"), line("Ship")],
            "5 lineId",
        ),
    },
    "refuse-part": {
        "two of three": (lines("Refuse", 2, 3), "2 action, 3 action"),
    },
    "ship-part": {
        "two of three": (lines("Ship", 2, 3, salesChannelId="SECOND"), "2 action, 3 action"),
    },
    "ship-part-advised": {
        "two of three": (lines("Ship", 2, 3), "2 action, 3 action"),
        "of a channel that takes lines": (
            lines("Ship", 1, 3, salesChannelId="PRIMARY"),
            "2 action",
        ),
    },
    "tracking-url": {
        name: (line("Ship", trackingUrl=address), "2 trackingUrl")
        for name, address in {
            "no scheme": "www.example.com/8R001",
            "another scheme": "ftp://example.com/8R001",
            "no host": "https:///8R001",
            "a host without a point": "https://localhost/8R001",
            "a blank": "https://example.com/8R 001",
            "a number": "8R001",
        }.items()
    },
    "carrier-unknown": {
        "misspelt": (line("Ship", carrierName="Colisimo"), "2 carrierName"),
        "a carrier's file": (parcel(), "2 carrierName"),
    },
}
WARNINGS = {
    "carrier-unknown",
    "parcel-checksum",
    "parcel-series",
    "ship-part-advised",
    "state-when-exported",
}
SHOP = AccountSettings().having(
    OrderSettings(
        carriers=("Colissimo", "Chronopost"), line_management={"SECOND": "no", "THIRD": "yes"}
    )
)


@pytest.mark.parametrize(("code", "rows"), cases(PASSES))
def test_passes(find: Find, code: str, rows: Rows) -> None:
    assert find(code, *listed(rows), dialect=SHOP) == []


@pytest.mark.parametrize(("code", "rows", "expected"), cases(FAILS))
def test_fails(find: Find, code: str, rows: Rows, expected: str) -> None:
    problems = find(code, *listed(rows), dialect=SHOP)
    assert places(problems) == expected
    assert {problem.severity for problem in problems} == {
        "warning" if code in WARNINGS else "error"
    }


def test_an_action_is_judged_by_the_status(files: Files) -> None:
    cases = [*actions_in_statuses()]
    rows = [
        line(action, orderId=f"O-{number}", status=status)
        for number, (action, status, _) in enumerate(cases)
    ]
    (sheet,) = checked(files.csv(*rows), dialect=SHOP)
    severities = {"action-not-possible": "error", "state-when-exported": "warning"}
    names: dict[int | None, tuple[str, str]] = {
        number: (action, status) for number, (action, status, _) in enumerate(cases, start=2)
    }
    said = [
        (*names[problem.row], problem.code, problem.severity, problem.field)
        for code in severities
        for problem in problems_of(sheet, code)
    ]
    assert sorted(said) == sorted(
        (action, status, code, severities[code], "action") for action, status, code in cases if code
    )


def test_over_two_files_the_first_is_named_with_its_file(files: Files) -> None:
    one = files.csv(line("Ship"), name="one.csv")
    two = files.csv(line("Ship", orderId="O2"), line("Ship"), name="two.csv")
    first, second = checked(one, two)
    assert problems_of(first, "duplicate-row") == []
    (problem,) = problems_of(second, "duplicate-row")
    assert (problem.row, problem.message) == (3, "the same is asked in row 2 of one.csv")


def test_a_wrong_row_holds_back_only_its_order(files: Files) -> None:
    rows = [line("Ship", lineId="L1"), line("Ship", lineId="L2", parcelNumber="")]
    (sheet,) = checked(files.csv(*rows, line("Ship", orderId="O2", parcelNumber="8R2"), line()))
    assert codes(sheet) == [(2, "request-incomplete"), (3, "required-missing")]
    assert [item.reference for item in sheet.valid_items()] == ["O2"]


@pytest.mark.parametrize(
    ("reason", "sent"),
    [
        *((word, "Other") for word in ("Other", "other", "Autre", "AUTRE  motif", "Otro", "otra")),
        *((word, word) for word in ("MissingProduct", "Autre colis", "Another")),
    ],
)
def test_a_gesture_for_another_reason_needs_details(files: Files, reason: str, sent: str) -> None:
    bare = line("Gesture", orderId="O1", reason=reason)
    full = line("Gesture", orderId="O2", reason=reason, gesture__details="A late parcel")
    (sheet,) = checked(files.csv(bare, full))
    lacking = [(2, "required-missing")] if sent == "Other" else []
    assert codes(sheet) == lacking
    bodies = [json.loads(item.body) for item in sheet.valid_items()]
    assert {body["reason"] for body in bodies} == {sent}
    assert bodies[-1]["reasonDetails"] == "A late parcel"


LISTED = (
    "PRIMARY|InPreparation=seller-out-of-stock|Other,SECOND|Shipped=broken,PRIMARY|Shipped=,"
    "THIRD|Shipped=lost~Perdu en route|other"
)


REASONS = [
    # Reason, channel and status of a row, and the reasons to choose one of.
    ("seller-out-of-stock", "PRIMARY", "InPreparation", ""),
    ("Other", "PRIMARY", "InPreparation", ""),
    ("broken", "PRIMARY", "InPreparation", "seller-out-of-stock, Other"),
    ("broken", "SECOND", "Shipped", ""),
    ("other", "SECOND", "Shipped", "broken"),
    ("Perdu en route", "THIRD", "Shipped", "lost (Perdu en route), other"),
    ("lost", "THIRD", "Shipped", ""),
    # Where nothing is listed nothing is known.
    ("anything", "SECOND", "InPreparation", ""),
    ("anything", "PRIMARY", "Shipped", ""),
    ("anything", "", "", ""),
]


def test_reasons_are_those_of_the_export(files: Files) -> None:
    rows = [
        line("Cancel", orderId=f"O-{number}", reason=reason, salesChannelId=channel, status=status)
        for number, (reason, channel, status, _) in enumerate(REASONS)
    ]
    (sheet,) = checked(files.book({"Orders": rows}, template="orders", reasons=LISTED))
    faults = [
        (problem.row, problem.field, problem.code, problem.hint) for problem in sheet.problems()
    ]
    assert faults == [
        (row, "reason", "reason-not-eligible", f"choose one of: {expected}")
        for row, (*_, expected) in enumerate(REASONS, start=2)
        if expected
    ]
