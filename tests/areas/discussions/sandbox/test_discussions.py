"""Discussions are listed, read, opened and closed as the specification says."""

from datetime import timedelta
from typing import Any

import pytest

from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from tests.areas.discussions.sandbox.talk import (
    TEXT,
    begin,
    close,
    count,
    listed,
    patch,
    read,
    reply,
    written,
)
from tests.areas.orders.sandbox.counter import QUIET, placed
from tests.sandbox.desk import Desk


def test_a_discussion_is_opened_once_for_an_order_a_subtypology_and_a_product(quiet: Desk) -> None:
    order = placed(quiet)
    answer = begin(quiet, order)
    assert (answer.status, answer.body) == (201, b"")
    found = answer.headers["Location"].rpartition("/")[2]
    shown = read(quiet, found)
    assert (shown["orderSellerId"], shown["isOpen"], shown["processStatus"]) == (
        *(order.order_id, True, "Treated"),
    )
    assert [(message["body"], message["sender"]) for message in shown["messages"]] == [
        (TEXT, {"userType": "Seller"})
    ]
    again = begin(quiet, order, subject="Another subject")
    assert (again.status, again.headers["Location"]) == (409, answer.headers["Location"])
    product = order.lines[0]["offer"]["sellerProductId"]
    assert begin(quiet, order, productId=product).status == 201
    assert begin(quiet, order, productId=product).status == 409
    assert [effect.kind for effect in quiet.sandbox.effects()] == ["discussion"] * 2


WRONG: dict[str, dict[str, Any]] = {
    "subject too short": {"subject": "abcd"},
    "subject too long": {"subject": "a" * 51},
    "no such order": {"orderId": "X"},
    "another channel": {"salesChannel": "SECOND"},
    "no such subtypology": {"subtypologyCode": "none"},
    "one that is not usable": {"subtypologyCode": "orderModification"},
    "one of customers": {"subtypologyCode": "wrongProductReceived"},
    "one of another status": {"subtypologyCode": "productIsDamaged"},
    "product of another order": {"productId": "NONE"},
    "body too short": {"message": {"body": "a" * 12}},
    "body too long": {"message": {"body": "a" * 5001}},
    "no such receiver": {"message": {"receiver": "Seller"}},
}


def test_wrong_fields_open_no_discussion(quiet: Desk) -> None:
    order = placed(quiet)
    found = {name: begin(quiet, order, **fields).status for name, fields in WRONG.items()}
    assert found == dict.fromkeys(WRONG, 400)
    assert not quiet.sandbox.effects()


def test_no_seller_opens_a_discussion_on_a_closed_channel(quiet: Desk) -> None:
    answer = begin(quiet, placed(quiet, channel="SECOND"))
    assert (answer.status, answer.reasons[0][1]) == (400, "salesChannel")
    assert (
        DiscussionBehaviour().closed_channels
        == ("SECOND",)
        == tuple(
            entry["salesChannelId"]
            for entry in quiet.ask("GET", "/sales-channel-configurations").json["items"]
            if not entry["isEnabled"]
        )
    )


def test_a_configuration(quiet: Desk) -> None:
    answer = quiet.ask("GET", "/sales-channel-configurations/PRIMARY")
    assert answer.json == {
        "salesChannelId": "PRIMARY",
        "isEnabled": True,
        "allowedReceivers": ["Customer", "GrcOperator"],
    }
    assert quiet.ask("GET", "/sales-channel-configurations/NONE").status == 404


def test_a_discussion_is_closed_once(quiet: Desk) -> None:
    found = written(quiet, placed(quiet))
    assert [close(quiet, found).status for _ in range(2)] == [204, 204]
    assert read(quiet, found)["isOpen"] is False
    assert reply(quiet, found).status == 400
    assert [effect.kind for effect in quiet.sandbox.effects()] == ["close"]


@pytest.mark.parametrize(
    ("field", "value", "opt"),
    [
        ("/isOpen", "true", "opt"),
        ("/isOpen", False, "opt"),
        ("/isOpen", "false", "op"),
        ("/subject", "false", "opt"),
    ],
)
def test_no_other_patch_is_taken(quiet: Desk, field: str, value: Any, opt: str) -> None:
    found = written(quiet, placed(quiet))
    assert patch(quiet, f"/discussions/{found}", field, value, opt).status == 400
    assert patch(quiet, "/discussions/none", "/isOpen", "false").status == 404


def test_data_are_the_sellers(quiet: Desk) -> None:
    order = placed(quiet, seller="S2")
    found = written(quiet, order)
    assert quiet.ask("GET", f"/discussions/{found}").status == 404
    assert listed(quiet) == []
    assert (reply(quiet, found).status, close(quiet, found).status) == (404, 404)


# Lists.


@pytest.fixture
def several(quiet: Desk) -> list[str]:
    """Four discussions, an hour between them: the last is closed, the second answered."""
    found = []
    for channel in ("PRIMARY", "PRIMARY", "SECOND", "PRIMARY"):
        found.append(written(quiet, placed(quiet, channel=channel)))
        quiet.wait(3600)
    reply(quiet, found[1])
    quiet.wait(3600)
    close(quiet, found[3])
    return found


FILTERS: dict[str, tuple[dict[str, Any], list[int]]] = {
    "none": ({}, [3, 1, 2, 0]),
    "oldest first": ({"sort": "asc:updatedAt"}, [0, 2, 1, 3]),
    "by creation": ({"sort": "asc:createdAt"}, [0, 1, 2, 3]),
    "open": ({"isOpen": "true"}, [1, 2, 0]),
    "to treat": ({"processStatus": "ToTreat", "isOpen": "true"}, [2, 0]),
    "channels": ({"salesChannel": "SECOND,NONE"}, [2]),
    "a page": ({"pageSize": 2, "pageIndex": 2}, [2, 0]),
    "typology": ({"typologyCode": "Offer"}, []),
    "subtypology": ({"subTypologyCode": "productIsDamaged"}, [3, 1, 2, 0]),
}


def test_filters(quiet: Desk, several: list[str]) -> None:
    found = {
        name: [several.index(entry["discussionId"]) for entry in listed(quiet, **query)]
        for name, (query, _) in FILTERS.items()
    }
    assert found == {name: expected for name, (_, expected) in FILTERS.items()}


def test_lists_by_identifiers_periods_and_with_messages(quiet: Desk, several: list[str]) -> None:
    second = read(quiet, several[1])
    assert [entry["discussionId"] for entry in listed(quiet, discussionId=several[0])] == several[
        :1
    ]
    (of_order,) = listed(
        quiet, orderSellerId=second["orderSellerId"], includeMessages="LastMessage"
    )
    assert [message["body"] for message in of_order["messages"]] == [TEXT]
    (first,) = listed(quiet, discussionId=several[1], includeMessages="FirstMessage")
    assert [it["sender"]["userType"] for it in first["messages"]] == ["Customer"]
    since = {"updatedAtMin": second["updatedAt"], "updatedAtMax": second["updatedAt"]}
    assert [it["discussionId"] for it in listed(quiet, **since)] == [several[1]]


def test_counts(quiet: Desk, several: list[str]) -> None:
    assert len(several) == count(quiet) == 4
    assert count(quiet, processStatus="ToTreat", isOpen="true") == 2
    assert count(quiet, salesChannel="SECOND", graduationCode="Discussion") == 1
    assert count(quiet, graduationCode="Claim") == 0


REFUSED: dict[str, dict[str, Any]] = {
    "page 0": {"pageIndex": 0},
    "page 101": {"pageIndex": 101},
    "size 101": {"pageSize": 101},
    "no sort": {"sort": "updatedAt"},
    "another sort": {"sort": "asc:subject"},
    "not yes or no": {"isOpen": "yes"},
    "no status": {"processStatus": "Done"},
    "no date": {"updatedAtMin": "2026"},
    "seven months": {
        "updatedAtMin": "2026-01-01T00:00:00Z",
        "updatedAtMax": "2026-08-01T00:00:00Z",
    },
    "messages": {"includeMessages": "All"},
    "nothing": {"salesChannel": ""},
}


def test_wrong_filters_of_a_list_are_refused(quiet: Desk) -> None:
    found = {
        name: quiet.ask("GET", "/discussions", query=query).status
        for name, query in REFUSED.items()
    }
    assert found == dict.fromkeys(REFUSED, 400)


def test_a_period_has_six_months_at_most(quiet: Desk) -> None:
    found = written(quiet, placed(quiet))
    quiet.wait(200 * 24 * 3600)
    assert listed(quiet) == []
    early = quiet.now - timedelta(days=210)
    window = {
        "updatedAtMin": early.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "updatedAtMax": (early + timedelta(days=180)).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    assert [entry["discussionId"] for entry in listed(quiet, **window)] == [found]


TYPOLOGIES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a seller in preparation": (
        {"salesChannel": "PRIMARY", "orderStatus": "InPreparation", "userType": "Seller"},
        {"orderCancellation", "orderModification", "orderNotShipped"},
    ),
    "all channels": (
        {"salesChannel": "PRIMARY,SECOND", "orderStatus": "Cancelled"},
        set(),
    ),
    "one channel": ({"salesChannel": "PRIMARY", "orderStatus": "Cancelled"}, {"printReceipt"}),
    "offers": (
        {"salesChannel": "PRIMARY", "orderStatus": "Undefined", "typologyCode": "Offer"},
        {"productInformation"},
    ),
}


@pytest.mark.parametrize(("query", "expected"), TYPOLOGIES.values(), ids=TYPOLOGIES)
def test_typologies(quiet: Desk, query: dict[str, Any], expected: set[str]) -> None:
    entries = quiet.ask("GET", "/typologies", query=query).json
    assert {entry["subTypologyCode"] for entry in entries} == expected


@pytest.mark.parametrize(
    "query",
    [
        {"orderStatus": "Shipped"},
        {"salesChannel": "PRIMARY"},
        {"salesChannel": "NONE", "orderStatus": "Shipped"},
        {"salesChannel": "PRIMARY", "orderStatus": "Processing"},
        {"salesChannel": "PRIMARY", "orderStatus": "Shipped", "typologyCode": "other"},
    ],
    ids=str,
)
def test_typologies_need_their_parameters(quiet: Desk, query: dict[str, Any]) -> None:
    assert quiet.ask("GET", "/typologies", query=query).status == 400


def test_a_change_may_show_late(new_desk: type[Desk]) -> None:
    behaviour = DiscussionBehaviour(visible_after=timedelta(seconds=20))
    with new_desk(QUIET, behaviour) as desk:
        order = placed(desk)
        found = written(desk, order)
        assert (reply(desk, found).status, begin(desk, order).status) == (201, 201)
        assert (len(read(desk, found)["messages"]), len(listed(desk))) == (1, 1)
        assert begin(desk, order).status == 409
        desk.wait(20)
        assert (len(read(desk, found)["messages"]), len(listed(desk))) == (2, 2)
