import json
import socket
import threading
from collections import Counter
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.delivery.events import Event
from feedtool.delivery.steps import DeliverySettings
from feedtool.ledger import Phase, Stage
from feedtool.model.call import Call, NotSent, Reply, Sender
from feedtool.model.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.model.nouns import Message, PackageSummary, Status
from feedtool.model.settings import PackageLimits
from feedtool.sandbox import Quota, SandboxSettings
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.delivery.conftest import (
    TWO,
    Scene,
    Script,
    delete,
    holds,
    name_of,
    problem,
    quick,
    upsert,
)
from tests.pairs import sample

# The straight line.


def test_the_calls_of_one_package(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(SandboxSettings())
    verdicts = scene.deliver(*(upsert(row) for row in range(3, 104)))
    assert Counter(v.status for v in verdicts) == {Status.INTEGRATED: 101}
    assert verdicts[0].messages == (Message("8000", verdicts[0].messages[0].text),)
    calls = [*map(name_of, scene.client.calls)]
    assert calls[:4] == ["creation", "upload", "upload", "look"]
    # The PATCH waits until the uploads have settled (rule 6); then come pages of 100 results.
    assert calls.count("commit") == 1
    assert calls[-2:] == ["fetch"] * 2
    sizes = [len(json.loads(call.body or b"")) for call in scene.client.calls[1:3]]
    assert sizes == [100, 1]
    package = scene.packages[0].package_id
    assert scene.ledger.packages(scene.file) == [
        PackageSummary(package, PackageType.UPSERT, "PRIMARY", "Integrated", 101, 2)
    ]
    name = "package 1 (Upsert, PRIMARY)"
    assert scene.events[0].text == f"{name}: created as {package}"
    assert scene.events[-1].text == f"{name}: closed as Integrated"


def test_every_row_gets_its_own_answer(scene: Scene) -> None:
    verdicts = scene.deliver(
        upsert(3),
        upsert(4, condition="Mint"),
        upsert(5, product={"gtin": "2000000000008"}),
        delete(6),
        upsert(7, sellerExternalReference="twice"),
        upsert(8, sellerExternalReference="twice"),
    )
    assert [(v.row, v.reference) for v in verdicts[3:5]] == [(6, "R6"), (7, "twice")]
    assert scene.statuses == ["Integrated", *["Rejected"] * 3, *["Duplicated"] * 2]
    assert all(verdict.messages for verdict in verdicts)


def test_without_waiting_the_engine_ends_at_the_commit(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 7)), PackageLimits(2, 2))
    verdicts = scene.go_on(wait=False)
    assert [package.phase for package in scene.packages] == [Phase.COMMITTED] * 2
    assert {v.status for v in verdicts} == {Status.PENDING}
    assert verdicts[0].messages[0].text == (
        f"Committed in package {scene.packages[0].package_id}; its result is not there yet."
    )
    assert "fetch" not in map(name_of, scene.client.calls)
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 4
    scene.client.calls.clear()
    scene.go_on()
    assert scene.client.calls == [], "nothing is left to do"


def test_a_run_that_is_not_there(scene: Scene) -> None:
    scene.run_id = 99
    with pytest.raises(ValueError, match="no run 99"):
        scene.go_on()


# Packages refused as a whole.


def test_a_rejected_package_gives_its_message_to_all_rows(scene: Scene) -> None:
    message = {"resultCode": "2823", "message": "Package already submitted."}
    final = Reply(200, body=json.dumps({"state": "Rejected", "result": message}).encode())
    scene.plan([upsert(3), upsert(4)])

    def last_look(call: Call) -> bool:
        return name_of(call) == "look" and bool(scene.packages[0].committed_at)

    scene.go_on(Script(scene.client, last_look, final))
    assert scene.statuses == ["Rejected"] * 2
    assert {v.messages for v in scene.verdicts} == {(Message("2823", message["message"]),)}
    assert "fetch" not in map(name_of, scene.client.calls)


def test_a_channel_that_does_not_exist(scene: Scene) -> None:
    scene.deliver(upsert(3, "NOWHERE"), upsert(4))
    assert scene.statuses == ["Rejected", "Integrated"]
    (message,) = scene.verdicts[0].messages
    assert "'NOWHERE' does not exist" in message.text
    assert "[traceId " in message.text


def test_a_channel_that_cannot_be_sent(scene: Scene) -> None:
    with pytest.raises(UsageProblem, match="sales channel"):
        scene.deliver(upsert(3), upsert(4, "ÉTÉ"))
    assert scene.client.calls == []


@pytest.mark.parametrize("guilty", sample([10, 3, 4, 5, 6, 7, 8, 9], 1))
def test_one_guilty_row_keeps_no_other_back(scene: Scene, guilty: int) -> None:
    rows = (upsert(row, quantity="x" if row == guilty else 7) for row in range(3, 13))
    scene.plan(rows, PackageLimits(8, 100))
    scene.go_on()
    expected = {f"R{row}": "Integrated" for row in range(3, 13)} | {f"R{guilty}": "Rejected"}
    assert {v.reference: str(v.status) for v in scene.verdicts} == expected
    assert len(scene.applied) == 9
    (message,) = scene.verdicts[guilty - 3].messages
    assert '[0].quantity: "x" is not of types' in message.text
    # Eight, four, two, one.
    assert len(scene.packages) == 4


# Not authorised, not reached.


@pytest.mark.parametrize(
    ("token", "message", "hint"),
    [
        ("wrong", "does not accept the token", "Check the token"),
        ("forbidden", "does not allow", "lacks the right"),
    ],
)
def test_a_token_without_rights(scene: Scene, token: str, message: str, hint: str) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(NotAuthorised, match=message) as caught:
        scene.go_on(scene.client_with(token))
    assert hint in caught.value.hint
    assert "[traceId " in caught.value.message
    assert token not in caught.value.message.replace(message, "")
    assert scene.statuses == ["Pending"]
    # With a good one it goes on.
    scene.go_on()
    assert scene.statuses == ["Integrated"]


@pytest.mark.parametrize("when", sample(["upload", "commit", "creation", "look", "fetch"], 2))
def test_a_service_that_cannot_be_reached(scene: Scene, when: str) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    script = Script(scene.client, when, NotSent("ConnectError: refused"), forever=True)
    with pytest.raises(Interrupted, match="cannot be reached: ConnectError: refused") as caught:
        scene.go_on(script)
    assert "resume" in caught.value.hint
    assert script.matched == DeliverySettings().failures
    assert set(scene.statuses) == {"Pending"}
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 6
    assert len(scene.applied) == 6


def test_a_closed_port_interrupts_after_retries(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/v2"
    began = scene.transport.now()
    with (
        Client(base, "S1", StaticToken("sandbox")) as client,
        pytest.raises(Interrupted, match=r"reached: 127\.0\.0\.1:\d+ refused the connection$"),
    ):
        scene.go_on(client)
    end = scene.transport.now()
    assert round((end - began).total_seconds()) == 2 + 4 + 8 + 16 + 32
    assert [event.kind for event in scene.events] == ["unreachable"] + ["trouble"] * 5
    text = f"refused the connection; trying again until about {end:%H:%M:%S} UTC"
    assert scene.events[0].text.endswith(text)


def test_a_wrong_base_address_stops_the_run(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(UsageProblem, match="HTTP 404") as caught:
        scene.go_on(Script(scene.client, "creation", problem(404), forever=True))
    assert "base address" in caught.value.hint
    assert scene.statuses == ["Pending"]


# Quotas.


def test_a_quota_is_lived_with(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(quick(quota=Quota(requests=7, seconds=60)))
    scene.plan((upsert(row) for row in range(3, 43)), TWO)
    scene.go_on(pool=4)
    assert scene.statuses == ["Integrated"] * 40
    assert any(event.kind == "waiting" and "429" in event.text for event in scene.events)


class Crowd:
    """Lets calls come in at once: the first upload is refused, the others wait for the gate."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self.gate = threading.Event()
        self.inside = threading.Semaphore(0)
        self.first = threading.Lock()
        self.seen: list[bytes | None] = []

    def send(self, call: Call) -> Reply:
        if name_of(call) != "upload":
            return self.sender.send(call)
        self.seen.append(call.body)
        if self.first.acquire(blocking=False):
            for _ in range(3):  # the other lanes are taken too
                assert self.inside.acquire(timeout=60)
            return problem(429, retry_after="5")
        self.inside.release()
        assert self.gate.wait(timeout=60)
        return self.sender.send(call)


def test_uploads_waiting_for_a_lane_are_withdrawn_at_a_refusal(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 23)), TWO)
    crowd = Crowd(scene.client)

    def open_gate(event: Event) -> None:
        if event.kind == "waiting" and not crowd.gate.is_set():
            # Four are in the lanes, and the one that the refusal made free may have the next.
            assert len(crowd.seen) in (4, 5)
            crowd.gate.set()

    scene.go_on(crowd, pool=4, on_event=open_gate)
    assert scene.statuses == ["Integrated"] * 20
    assert len(scene.applied) == 20
    # Ten uploads, and the refused one once more: what was taken back has never left.
    assert len(crowd.seen) == 11


# Unknown outcomes.


def test_a_row_goes_into_three_packages_at_most(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    script = Script(scene.client, holds("R5"), *["reset"] * 9)
    scene.go_on(script)
    assert scene.statuses == ["Integrated"] * 2 + ["Unknown"] * 2 + ["Integrated"] * 2
    assert script.matched == len(scene.packages) == 3
    assert "was lost" in scene.verdicts[2].messages[0].text


@pytest.mark.parametrize("when", ["look", "fetch"])
def test_offers_decide_if_results_are_gone(scene: Scene, when: str) -> None:
    scene.plan([upsert(3)])
    scene.go_on(wait=False)
    scene.transport.sleep(60)
    scene.go_on(Script(scene.client, when, problem(404)))
    (verdict,) = scene.verdicts
    assert verdict.status is Status.INTEGRATED
    assert "shows the offer as it was asked for" in verdict.messages[0].text
    (package,) = scene.packages
    assert package.message is not None
    assert "no longer has package" in package.message.text
    assert "trace-1" in package.message.text


# Stopping and going on.


STOPS = [(pool, nth) for nth in range(10) for pool in (1, 4)]
SOME = STOPS[::5]


@pytest.mark.parametrize(("pool", "nth"), sample([*SOME, *sorted({*STOPS} - {*SOME})], len(SOME)))
def test_stopping_after_any_call(scene: Scene, nth: int, pool: int) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    begun: list[int] = []

    def stopping() -> Interrupted | None:
        begun.append(len(scene.client.calls))
        return Interrupted("Stopped.") if len(scene.client.calls) >= nth else None

    with pytest.raises(Interrupted, match=r"^Stopped\.$"):
        scene.go_on(stopping=stopping, pool=pool)
    assert all(package.staged(Stage.SENDING) == 0 for package in scene.packages)
    # Nothing is begun once it has been said.
    first = next(calls for calls in begun if calls >= nth)
    assert len(scene.client.calls) - first < pool
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 6
    assert len(scene.applied) == 6


# Several runs of one seller.


def test_without_waiting_a_blocked_run_is_reported(scene: Scene) -> None:
    scene.plan([upsert(3)])
    scene.go_on(wait=False)
    newer = scene.another([upsert(3)])
    with pytest.raises(Interrupted, match="same references"):
        newer.go_on(wait=False)
    newer.go_on()
    assert scene.statuses == newer.statuses == ["Integrated"]


def test_uploads_under_way_are_recorded_at_an_interruption(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 43)), TWO)

    def stop(event: Event) -> None:
        if event.kind == "upload" and event.done == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scene.go_on(pool=4, on_event=stop)
    (package,) = scene.packages
    assert package.staged(Stage.SENDING) == 0
    assert package.staged(Stage.STAGED) >= 8
    scene.go_on(pool=4)
    assert scene.statuses == ["Integrated"] * 40
    assert len(scene.applied) == 40


def test_unsent_uploads_are_sent_after_an_interruption(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.plan((upsert(row) for row in range(3, 13)), TWO)
    monkeypatch.setattr(scene.ledger, "bodies", Mock(side_effect=Interrupted("No disk.")))
    with pytest.raises(Interrupted, match="disk"):
        scene.go_on(pool=4)
    monkeypatch.undo()
    (package,) = scene.packages
    assert package.uploads == (Stage.PLANNED,) * 5
    assert "upload" not in map(name_of, scene.client.calls)
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 10


def test_a_bug_in_the_sender_is_not_swallowed(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(ZeroDivisionError):
        scene.go_on(Script(scene.client, "creation", ZeroDivisionError()), pool=4)
