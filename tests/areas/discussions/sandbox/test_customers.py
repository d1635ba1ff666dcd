"""Messages that customers write without being asked, and their times."""

import pytest

from feedtool.areas.discussions.sandbox.customers import COMPLAINTS
from tests.areas.discussions.sandbox.talk import (
    HOUR,
    begin,
    close,
    count,
    listed,
    read,
    reply,
    written,
)
from tests.areas.orders.sandbox.counter import placed, ship
from tests.sandbox.desk import Desk


def test_a_shop_that_opens_has_discussions_of_all_sorts(desk: Desk) -> None:
    found = listed(desk, includeMessages="LastMessage", sort="asc:createdAt")
    assert [
        (it["salesChannel"], it["isOpen"], it["graduation"], it["processStatus"]) for it in found
    ] == [
        ("PRIMARY", False, "Discussion", "Treated"),
        ("PRIMARY", True, "Claim", "ToTreat"),
        ("PRIMARY", True, "Discussion", "ToTreat"),
        ("SECOND", True, "Discussion", "ToTreat"),
        ("PRIMARY", True, "Discussion", "ToTreat"),
    ]
    whole = [read(desk, it["discussionId"]) for it in found]
    assert [len(it["messages"]) for it in whole] == [2, 1, 3, 1, 1]
    assert [it["fileFormat"] for it in whole[1]["messages"][0]["attachments"]] == ["png"]
    assert [message["hasRead"] for message in whole[2]["messages"]] == [True, True, False]
    assert {it["orderSellerId"] for it in found} <= {
        item["orderId"] for item in desk.ask("GET", "/orders").json["items"]
    }
    assert (count(desk), count(desk, graduationCode="Claim")) == (5, 1)


def test_a_customer_without_an_answer_makes_a_claim(quiet: Desk) -> None:
    found = written(quiet, placed(quiet))
    quiet.wait(48 * HOUR - 1)
    assert read(quiet, found)["graduation"] == "Discussion"
    quiet.wait(1)
    shown = read(quiet, found)
    assert (shown["graduation"], shown["processStatus"], shown["isOpen"]) == (
        *("Claim", "ToTreat", True),
    )


def test_a_customer_with_an_answer_says_thanks(quiet: Desk) -> None:
    found = written(quiet, placed(quiet))
    reply(quiet, found)
    quiet.wait(6 * HOUR - 1)
    assert len(read(quiet, found)["messages"]) == 2
    quiet.wait(1)
    shown = read(quiet, found)
    last = shown["messages"][-1]
    assert (last["sender"]["userType"], last["hasRead"]) == ("Customer", False)
    reply(quiet, found)
    quiet.wait(100 * HOUR)
    assert len(read(quiet, found)["messages"]) == 4
    assert read(quiet, found)["graduation"] == "Discussion"


def test_every_fourth_customer_reopens_a_discussion(quiet: Desk) -> None:
    found = [written(quiet, placed(quiet)) for _ in range(4)]
    for name in found:
        reply(quiet, name)
        close(quiet, name)
    quiet.wait(6 * HOUR)
    assert [read(quiet, name)["isOpen"] for name in found] == [False, False, False, True]
    assert read(quiet, found[3])["processStatus"] == "ToTreat"


@pytest.mark.parametrize("is_asked_before", [False, True])
def test_the_customer_of_every_fifth_shipped_order_writes(
    quiet: Desk, *, is_asked_before: bool
) -> None:
    orders = [placed(quiet) for _ in range(5)]
    for order in orders:
        assert ship(quiet, order).status == 201
    quiet.wait(72 * HOUR - 1)
    if is_asked_before:
        assert listed(quiet) == []
    quiet.wait(49 * HOUR)
    (found,) = listed(quiet, includeMessages="LastMessage")
    assert (found["orderSellerId"], found["graduation"]) == (orders[4].order_id, "Claim")
    assert found["messages"][0]["createdAt"] == "2026-03-05T09:00:00.000000Z"


@pytest.mark.parametrize("subject", [COMPLAINTS[1].subject, "About your screws"])
def test_a_customer_opens_a_discussion_on_the_topic_of_the_sellers(
    quiet: Desk, subject: str
) -> None:
    orders = [placed(quiet) for _ in range(5)]
    for order in orders:
        assert ship(quiet, order).status == 201
    product = orders[4].lines[0]["offer"]["sellerProductId"]
    topic = {"subtypologyCode": COMPLAINTS[1].subtypology, "productId": product}
    assert begin(quiet, orders[4], subject=subject, **topic).status == 201
    quiet.wait(72 * HOUR)
    sellers, customers = listed(quiet, sort="asc:createdAt", includeMessages="FirstMessage")
    assert sellers["discussionId"] != customers["discussionId"]
    for discussion, opener in ((sellers, "Seller"), (customers, "Customer")):
        assert discussion["orderSellerId"] == orders[4].order_id
        assert (discussion["subTypologyCode"], discussion["productId"]) == (*topic.values(),)
        assert discussion["messages"][0]["sender"]["userType"] == opener
