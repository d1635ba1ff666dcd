from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from tests.areas.offers.sandbox.records import applied_requests
from tests.sandbox.desk import INTEGRATED, SETTLED, Desk

HOUR = 3600
DAY = 24 * HOUR
MUST_BE_WAITING = "The package must be in the state WaitingForCompletion."


@pytest.mark.parametrize(
    ("body", "status", "errors"),
    [
        ({"packageType": "Upsert"}, 201, None),
        ({"packageType": "Update"}, 201, None),
        ({"packageType": "Delete", "more": 1}, 201, None),
        *(
            ({"packageType": kind}, 400, [("ER400", "packageType")])
            for kind in ("upsert", ["Upsert"], 1)
        ),
        *(({"packageType": kind}, 400, [("ER400-9250", "packageType")]) for kind in ("", None)),
        ({}, 400, [("ER400-7480", "packageType")]),
        ([], 400, [("ER400", "body")]),
        (b"{", 400, [("ER400", "body")]),
    ],
)
def test_creation(desk: Desk, body: Any, status: int, errors: list[tuple[str, str]] | None) -> None:
    answer = desk.ask("POST", "/offer-packages", body, headers={"SalesChannelId": "PRIMARY"})
    assert answer.status == status
    if errors is None:
        location = "http://sandbox.invalid/v2/offer-packages/"
        assert answer.headers["Content-Location"].startswith(location)
        assert answer.body == b""
    else:
        assert answer.reasons == errors


def test_the_form_of_a_package(desk: Desk) -> None:
    package_id = desk.create("Update", "SECOND")
    desk.upload(package_id, desk.offer())
    assert desk.read(package_id).json == {
        "packageId": package_id,
        "packageType": "Update",
        "state": "Importing",
        "salesChannelId": "SECOND",
        "submissionDate": "2026-03-02T09:00:00.000000Z",
        "processingDate": None,
        "offerRequestsCount": 1,
        "integratedCount": 0,
        "rejectedCount": 0,
        "duplicatedCount": 0,
    }


# Seconds since PATCH; 1 to IntegrationPending and 2 to Integrated.
@pytest.mark.parametrize(
    ("waited", "state", "results"),
    [
        (0, "Ready", 400),
        (0.9, "Ready", 400),
        (1, "IntegrationPending", 400),
        (1.9, "IntegrationPending", 400),
        (2, "Integrated", 200),
        (2 + 3 * DAY - 1, "Integrated", 200),
        (2 + 3 * DAY, "Integrated", 404),
    ],
)
def test_a_package_proceeds_without_requests(
    desk: Desk, waited: float, state: str, results: int
) -> None:
    package_id = desk.committed("Upsert", [desk.offer()])
    desk.wait(waited)
    assert desk.state(package_id) == state
    assert desk.results(package_id).status == results


@given(
    pauses=st.lists(st.integers(0, 3), max_size=5),
    waited=st.integers(0, 3),
)
@settings(deadline=None, max_examples=15)
def test_a_package_settles_some_time_after_its_last_upload(
    new_desk: type[Desk], pauses: list[int], waited: int
) -> None:
    with new_desk() as desk:
        package_id = desk.create()
        for pause in pauses:
            desk.wait(pause)
            assert desk.upload(package_id, desk.offer()).status == 201
        desk.wait(waited)
        is_importing = bool(pauses) and waited < SETTLED
        state = "Importing" if is_importing else "WaitingForCompletion"
        assert desk.state(package_id) == state
        answer = desk.complete(package_id)
        if is_importing:
            assert (answer.status, answer.json["description"]) == (400, MUST_BE_WAITING)
            desk.wait(SETTLED - waited)
            answer = desk.complete(package_id)
        assert (answer.status, answer.body) == (204, b"")


@pytest.mark.parametrize("waited", [0, INTEGRATED])
def test_a_completed_package_is_closed(desk: Desk, waited: int) -> None:
    package_id = desk.committed("Upsert", [desk.offer()])
    desk.wait(waited)
    again = desk.complete(package_id)
    assert (again.status, again.json["description"]) == (400, MUST_BE_WAITING)
    assert desk.upload(package_id, desk.offer()).status == 400


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"State": "Ready"}, "ER400-7480"),
        *(({"state": state}, "ER400-9250") for state in (None, "")),
        *(({"state": state}, "ER400") for state in ("Integrated", "ready", [1])),
    ],
)
def test_ready_is_all_that_can_be_set(desk: Desk, body: Any, code: str) -> None:
    answer = desk.ask("PATCH", f"/offer-packages/{desk.create()}", body)
    assert (answer.status, answer.reasons) == (400, [(code, "state")])


@pytest.mark.parametrize(("waited", "status"), [(6 * HOUR - 1, 200), (6 * HOUR, 404)])
def test_an_open_package_is_kept_six_hours(desk: Desk, waited: int, status: int) -> None:
    package_id = desk.create()
    desk.upload(package_id, desk.offer())
    desk.wait(waited)
    assert desk.read(package_id).status == status
    assert desk.complete(package_id).status == (204 if status == 200 else 404)
    desk.wait(HOUR)
    assert len(desk.offers()) == len(applied_requests(desk.sandbox)) == (status == 200)


def test_an_empty_package_is_rejected_as_a_whole(desk: Desk) -> None:
    package_id = desk.create(language="fr-FR")
    assert desk.complete(package_id).status == 204
    desk.wait(INTEGRATED)
    package = desk.read(package_id)
    assert package.json["state"] == "Rejected"
    message = "Le package ne contient aucune offre."
    assert package.json["result"] == {"resultCode": "1023", "message": message}
    assert package.headers["Content-Language"] == "fr-FR"
    assert desk.results(package_id).json["items"] == []


LONE = {"sellerExternalReference": "A"}
GOOD: tuple[Any, ...] = (
    *([LONE], {"offerRequests": [LONE]}, [{}], [{"new": {"any": [1]}, "price": {"new": 1}}]),
    *([{"quantity": 7.0}], [{"product": {"gtin": 3760452700039}}]),
    [{"quantity": None, "price": None, "deliveryModes": None}],
)
NONE: tuple[Any, ...] = (
    *([], {"offerRequests": []}, {"offerRequests": None}, {}, None, LONE, "A"),
    *({"offerRequests": LONE}, b"[{", b'[{"quantity": NaN}]', b'["\xff"]'),
)
"""Bodies that are no set of offer requests."""


@pytest.mark.parametrize(
    ("body", "causes"),
    [
        *((body, []) for body in GOOD),
        *((body, ["body"]) for body in NONE),
        ([LONE, "A"], ["[1]"]),
        ([{"sellerExternalReference": 1}], ["[0].sellerExternalReference"]),
        ([{"quantity": "7"}, {"quantity": 7.5}], ["[0].quantity", "[1].quantity"]),
        ([{"quantity": True}], ["[0].quantity"]),
        ([{"price": 11}], ["[0].price"]),
        ([{"price": {"price": "11"}}], ["[0].price.price"]),
        ([{"price": {"taxes": [{"value": "20"}]}}], ["[0].price.taxes[0].value"]),
        ([{"deliveryModes": {"code": "X"}}], ["[0].deliveryModes"]),
    ],
)
def test_an_upload_is_checked_for_structure_only(desk: Desk, body: Any, causes: list[str]) -> None:
    answer = desk.ask("POST", f"/offer-packages/{desk.create()}/offer-requests", body)
    assert answer.status == (400 if causes else 201)
    assert [cause for _, cause in (answer.reasons if causes else ())] == causes


@pytest.mark.parametrize(
    ("kind", "status"),
    [("Application/JSON; charset=utf-8", 201), (None, 415), ("text/plain", 415)],
)
def test_the_media_type_is_json(desk: Desk, kind: str | None, status: int) -> None:
    path = f"/offer-packages/{desk.create()}/offer-requests"
    assert desk.ask("POST", path, [LONE], headers={"Content-Type": kind}).status == status


@pytest.mark.parametrize(
    ("uploads", "last"),
    [([100], 201), ([101], 400), ([60, 60, 60, 60, 9], 201), ([60, 60, 60, 60, 11], 400)],
)
def test_limits_of_an_upload_and_a_package(
    new_desk: type[Desk], uploads: list[int], last: int
) -> None:
    with new_desk(OfferBehaviour(package_limit=250)) as desk:
        package_id = desk.create()
        answers = [desk.upload(package_id, *([LONE] * size)).status for size in uploads]
        assert answers == [*[201] * (len(uploads) - 1), last]
        accepted = sum(uploads) - (uploads[-1] if last == 400 else 0)
        assert desk.read(package_id).json["offerRequestsCount"] == accepted


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["waiting", "second", "empty", "integrated", "importing"]),
        ("state=WaitingForCompletion", ["waiting", "second"]),
        ("state=Importing", ["importing"]),
        ("state=Integrated", ["integrated"]),
        ("state=Rejected", ["empty"]),
        ("state=Ready", []),
        ("salesChannelId=SECOND", ["second"]),
        ("salesChannelId=PRIMARY&state=WaitingForCompletion", ["waiting"]),
        ("limit=2", ["waiting", "second", "empty", "integrated", "importing"]),
    ],
)
def test_packages_are_listed(desk: Desk, query: str, found: list[str]) -> None:
    names = {desk.create(): "waiting", desk.create(channel="SECOND"): "second"}
    names[empty := desk.create()] = "empty"
    desk.complete(empty)
    names[desk.committed("Upsert", [desk.offer()])] = "integrated"
    desk.wait(INTEGRATED)
    names[importing := desk.create()] = "importing"
    desk.upload(importing, LONE)
    listed = desk.pages("/offer-packages", query)
    assert [names[package["packageId"]] for package in listed] == found


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("state=Open", ("ER400", "state")),
        ("state=ready", ("ER400", "state")),
        ("state=", ("ER400-9250", "state")),
        ("salesChannelId=THIRD", ("ER400", "salesChannelId")),
        ("salesChannelId=", ("ER400-9250", "salesChannelId")),
        *((f"limit={limit}", ("ER400", "limit")) for limit in ("0", "-1", "ten", "", "1&limit=2")),
        ("cursor=x", ("ER400", "cursor")),
    ],
)
def test_a_listing_refuses_invalid_parameters(
    desk: Desk, query: str, error: tuple[str, str]
) -> None:
    answer = desk.ask("GET", "/offer-packages", query=query)
    assert (answer.status, answer.reasons) == (400, [error])


def test_packages_are_integrated_in_the_order_of_their_commits(desk: Desk) -> None:
    first, second = desk.create(), desk.create()
    for package_id in (first, second):
        desk.upload(package_id, desk.offer("A", 1))
    desk.wait(SETTLED)
    for package_id in (second, first):
        desk.complete(package_id)
        desk.wait(1)
    desk.wait(DAY)
    desk.offers()
    log = [(entry.package_id, entry.codes) for entry in applied_requests(desk.sandbox)]
    assert log == [(second, ("8000",)), (first, ("9000",))]


def test_overdue_steps_happen_at_their_due_time(desk: Desk) -> None:
    package_id = desk.committed("Upsert", [desk.offer()])
    desk.wait(DAY)
    assert desk.read(package_id).json["processingDate"] == "2026-03-02T09:00:03.000000Z"
    [offer] = desk.offers()
    assert offer["createdAt"] == offer["updatedAt"] == "2026-03-02T09:00:03.000000Z"
