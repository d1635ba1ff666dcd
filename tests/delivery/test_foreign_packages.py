"""Packages of others in the service's lists: named or left out, and never without end."""

import json
from collections.abc import Callable, Iterable

import httpx
import pytest
from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire import packages
from feedtool.areas.registry import load
from feedtool.delivery.foreign_packages import OPEN, foreign_packages
from feedtool.feeds.delivery import Meaning
from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply
from feedtool.sandbox import SandboxSettings
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.delivery.conftest import TWO, Scene, Script, holds, name_of, problem, upsert

BASE = "https://service.example/v2"
NOTHING = Reply(200, {}, b'{"items": []}', BASE)


def listed(ids: Iterable[object], state: str = "WaitingForCompletion") -> Reply:
    items = [{"packageId": str(one), "state": state} for one in ids]
    return Reply(200, {}, json.dumps({"items": items}).encode(), BASE)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (NOTHING, []),
        (listed("ab", "Integrated"), []),
        (problem(404), []),
        (NotSent("refused"), []),
        (OutcomeUnknown("it is too long"), ["packages that were not begun here are not known: it"]),
        (Reply(200, {}, b"{", BASE), ["not begun here are not known: the answer is not JSON"]),
        (listed("ab"), ["package a of this seller is open", "package b of this seller is open"]),
        (
            listed(range(1030)),
            [*["of this seller is open and was not begun here"] * 20, "1,010 more packages"],
        ),
        (listed(range(100_001)), ["100,001 packages; the most is 100,000"]),
    ],
)
def test_packages_that_others_have_open(
    scene: Scene, answer: Reply | Exception, expected: list[str]
) -> None:
    found = foreign_packages(scene.ledger, Script(scene.client, "creation", answer), load().routes)
    assert len(found) == len(expected)
    assert all(part in warning for part, warning in zip(expected, found, strict=True)), found


@pytest.mark.parametrize(
    ("finished", "refused", "meanings", "states"),
    [
        (3, {}, OPEN, ["WaitingForCompletion", "Importing"]),
        # More than all pages that are read of a list without states.
        pytest.param(501, {}, OPEN, ["WaitingForCompletion", "Importing"], marks=pytest.mark.long),
        (3, {"WaitingForCompletion", "Importing"}, OPEN, [""]),
        (3, {"Importing"}, OPEN, ["WaitingForCompletion", ""]),
        (
            *(3, {"Importing"}, OPEN | {Meaning.WORKING}),
            ["WaitingForCompletion", "Ready", "IntegrationPending", ""],
        ),
    ],
)
def test_open_packages_are_asked_for_by_state(
    scene_of: Callable[..., Scene],
    finished: int,
    refused: set[str],
    meanings: set[Meaning],
    states: list[str],
) -> None:
    scene = scene_of(SandboxSettings())
    create = packages.create_package("PRIMARY", PackageType.DELETE, "en")

    def begin() -> str:
        return packages.package_id(scene.client.send(create))

    for _ in range(finished):
        scene.client.send(packages.commit(begin()))
    scene.transport.sleep(60)
    waiting, importing = begin(), begin()
    scene.client.send(packages.upload(importing, [b'{"sellerExternalReference":"A"}']))
    scene.client.calls.clear()
    service = Script(
        scene.client,
        lambda call: dict(call.query).get("state") in refused,
        problem(400),
        forever=True,
    )
    found = foreign_packages(scene.ledger, service, load().routes, meanings)
    assert sorted(line.split()[1] for line in found) == sorted([waiting, importing])
    assert [dict(call.query).get("state", "") for call in scene.client.calls] == states


def test_our_own_are_no_strangers(scene: Scene) -> None:
    scene.deliver(upsert(3))
    (ours,) = scene.packages
    answer = listed([ours.package_id, "other"])
    (found,) = foreign_packages(
        scene.ledger, Script(scene.client, "creation", answer), load().routes
    )
    assert found.startswith("package other ")


def test_a_list_of_900_000_is_not_read_to_its_end(scene: Scene) -> None:
    item = b'{"packageId":"p","state":"WaitingForCompletion"},'
    huge = httpx.Response(200, content=b"[" + item * 900_000 + b"{}]")
    transport = httpx.MockTransport(lambda _: huge)
    with Client(BASE, "S1", StaticToken("t0ken"), transport=transport) as client:
        (found,) = foreign_packages(scene.ledger, client, load().routes)
    assert "the answer is longer than 33554432 bytes" in found


def strange_results(count: int) -> Reply:
    items = [
        {"sellerExternalReference": f"X{number}", "integrationStatus": "Integrated"}
        for number in range(count)
    ]
    address = "http://sandbox.invalid/v2/offer-packages/x/offer-requests-results"
    headers = {"link": f'<{address}?cursor=2>; rel="next"'}
    return Reply(200, headers, json.dumps({"items": items}).encode(), address)


@pytest.mark.parametrize("pages", [1, 2])
def test_results_of_others_are_left_out(scene: Scene, pages: int) -> None:
    scene.plan([upsert(3), upsert(4)])
    strange = strange_results(1000)
    scene.go_on(Script(scene.client, "fetch", *[strange] * pages))
    assert scene.statuses == ["Integrated"] * 2
    told = [(event.done, event.total) for event in scene.events if event.kind == "results"]
    assert told
    assert all(done <= total for done, total in told), "what is kept is of our rows"


def test_our_results_behind_a_page_of_others_are_read(scene: Scene) -> None:
    scene.plan([upsert(3), upsert(4)])

    def others_first(call: Call) -> Reply:
        link = {"link": f'<http://sandbox.invalid/v2/{call.target}>; rel="next"'}
        return replace(strange_results(100), headers=link)

    scene.go_on(Script(scene.client, "fetch", others_first))
    assert scene.statuses == ["Integrated"] * 2
    read = [event for event in scene.events if event.kind == "results"]
    assert len(read) <= 2


def test_a_package_that_somebody_else_commits(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)

    def meddle(call: Call) -> bool:
        if holds("R5")(call) and len(scene.packages) == 1:
            scene.transport.sleep(60)
            scene.client.send(packages.commit(scene.packages[0].package_id or ""))
        return False

    scene.go_on(Script(scene.client, meddle, "x"))
    # The upload that came too late was refused; the one after it was not even tried. A package
    # of our own takes them.
    assert scene.statuses == ["Integrated"] * 6
    assert [(package.rows, len(package.uploads)) for package in scene.packages] == [(2, 3), (4, 3)]
    assert len(scene.applied) == 6
    assert [*map(name_of, scene.client.calls)].count("commit") == 2


def test_pages_that_go_round_in_a_circle_come_to_an_end(scene: Scene) -> None:
    scene.plan([upsert(3), upsert(4)])
    link = {"link": '<?cursor=1>; rel="next"'}
    item = {"sellerExternalReference": "R3", "integrationStatus": "Integrated"}
    body = json.dumps({"items": [item]}).encode()
    page = Reply(200, link, body, "http://sandbox.invalid/v2/offer-packages/x")
    scene.go_on(Script(scene.client, "fetch", page, forever=True))
    assert scene.statuses == ["Integrated", "Integrated"]
    assert "No result names it" in scene.verdicts[1].messages[0].text
