import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.wire import packages
from feedtool.delivery.events import Event
from feedtool.delivery.steps import DeliverySettings
from feedtool.ledger import Ledger, Phase, Stage
from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply, Sender
from feedtool.model.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.model.nouns import Message, PackageSummary, Status
from feedtool.model.settings import PackageLimits
from feedtool.sandbox import Quota, SandboxSettings
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.delivery.conftest import Scene, delete, quick, upsert

TWO = PackageLimits(upload=2, package=100)
PATIENT = DeliverySettings(patience=timedelta(hours=10))


Answer = Reply | Exception | str | Callable[[Call], Reply | None]


class Script:
    """Answers the calls that `when` matches by `then`, and hands the others on.

    What is called and gives None only looks on; of a "lost" answer the service acts all the same.
    """

    def __init__(
        self, sender: Sender, when: Callable[[Call], bool], *then: Answer, forever: bool = False
    ) -> None:
        self.sender, self.when, self.then, self.forever = sender, when, [*then], forever
        self.matched = 0

    def send(self, call: Call) -> Reply:
        if not self.when(call) or not self.then:
            return self.sender.send(call)
        self.matched += 1
        answer = self.then[0] if self.forever else self.then.pop(0)
        if callable(answer):
            return answer(call) or self.sender.send(call)
        if isinstance(answer, Reply):
            return answer
        if answer == "lost":
            self.sender.send(call)
        raise answer if isinstance(answer, Exception) else OutcomeUnknown(answer)


def napping(scene: Scene, when: Callable[[Call], bool]) -> Script:
    """Lets five and a half hours pass before the first such call."""
    return Script(scene.client, when, lambda _: scene.transport.sleep(5.5 * 3600))


def creation(call: Call) -> bool:
    return call.target == "/offer-packages"


def upload(call: Call) -> bool:
    return call.target.endswith("/offer-requests")


def commit(call: Call) -> bool:
    return call.method == "PATCH"


def look(call: Call) -> bool:
    return call.method == "GET" and not fetch(call) and not seek(call)


def seek(call: Call) -> bool:
    return call.target == "/offers"


def fetch(call: Call) -> bool:
    return "results" in call.target


def problem(status: int, text: str = "No.", **headers: str) -> Reply:
    body = json.dumps({"title": "Refused", "description": text, "traceId": "trace-1"}).encode()
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


# The straight line.


def test_the_calls_of_one_package(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(SandboxSettings())
    verdicts = scene.deliver(*(upsert(row) for row in range(3, 104)))
    assert Counter(v.status for v in verdicts) == {Status.INTEGRATED: 101}
    assert verdicts[0].messages == (Message("8000", verdicts[0].messages[0].text),)
    said = scene.client.said
    assert said[:4] == [
        "POST offer-packages",
        "POST offer-requests",
        "POST offer-requests",
        "GET package",
    ]
    # The service takes the PATCH once the uploads have settled, then pages of 100 results.
    assert Counter(said)["PATCH package"] > 1
    assert said[-2:] == ["GET offer-requests-results"] * 2
    assert [len(json.loads(c.body or b"")) for c in scene.client.calls if upload(c)] == [100, 1]
    assert scene.ledger.packages(scene.file) == [
        PackageSummary(
            scene.packages[0].package_id, PackageType.UPSERT, "PRIMARY", "Integrated", 101, 2
        )
    ]


def test_every_row_gets_its_own_answer(scene: Scene) -> None:
    verdicts = scene.deliver(
        upsert(3),
        upsert(4, condition="Mint"),
        upsert(5, product={"gtin": "2000000000008"}),
        delete(6),
        upsert(7, sellerExternalReference="twice"),
        upsert(8, sellerExternalReference="twice"),
    )
    assert [(v.row, v.reference, str(v.status)) for v in verdicts] == [
        (3, "R3", "Integrated"),
        (4, "R4", "Rejected"),
        (5, "R5", "Rejected"),
        (6, "R6", "Rejected"),
        (7, "twice", "Duplicated"),
        (8, "twice", "Duplicated"),
    ]
    assert all(verdict.messages for verdict in verdicts)


def test_without_waiting_it_ends_at_the_commit(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 7)), PackageLimits(2, 2))
    verdicts = scene.go_on(wait=False)
    assert [package.phase for package in scene.packages] == [Phase.COMMITTED] * 2
    assert {v.status for v in verdicts} == {Status.PENDING}
    assert verdicts[0].messages[0].text == (
        f"Committed in package {scene.packages[0].package_id}; its result is not there yet."
    )
    assert not any(fetch(call) for call in scene.client.calls)
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 4


def test_a_delivered_run_has_nothing_left_to_do(scene: Scene) -> None:
    scene.deliver(upsert(3))
    asked = len(scene.client.calls)
    scene.go_on()
    assert len(scene.client.calls) == asked


def test_a_run_that_is_not_there(scene: Scene) -> None:
    scene.run_id = 99
    with pytest.raises(ValueError, match="no run 99"):
        scene.go_on()


def test_what_is_told_on_the_way(scene: Scene) -> None:
    scene.deliver(*(upsert(row) for row in range(3, 154)))
    kinds = [event.kind for event in scene.events]
    assert kinds == [
        *("created", "upload", "upload", "state", "committed", "state", "state"),
        *("results", "results", "closed"),
    ]
    progress = [(e.kind, e.done, e.total) for e in scene.events if e.kind in {"upload", "results"}]
    assert progress == [
        ("upload", 1, 2),
        ("upload", 2, 2),
        ("results", 100, 151),
        ("results", 151, 151),
    ]
    assert scene.events[0].text == (
        f"package 1 (Upsert, PRIMARY): created as {scene.packages[0].package_id}"
    )
    assert scene.events[-1].text == "package 1 (Upsert, PRIMARY): closed as Integrated"


# Packages refused as a whole.


def test_a_rejected_package_gives_its_message_to_all_rows(scene: Scene) -> None:
    rejected = {
        "state": "Rejected",
        "result": {"resultCode": "2823", "message": "Package already submitted."},
    }
    scene.plan([upsert(3), upsert(4)])
    final = Reply(200, body=json.dumps(rejected).encode())
    scene.go_on(
        Script(scene.client, lambda c: look(c) and bool(scene.packages[0].committed_at), final)
    )
    assert [(str(v.status), v.messages) for v in scene.verdicts] == [
        ("Rejected", (Message("2823", "Package already submitted."),))
    ] * 2
    assert not any(fetch(call) for call in scene.client.calls)


def test_a_channel_that_does_not_exist(scene: Scene) -> None:
    scene.deliver(upsert(3, "NOWHERE"), upsert(4))
    assert scene.statuses == ["Rejected", "Integrated"]
    text = scene.verdicts[0].messages[0].text
    assert "'NOWHERE' does not exist" in text
    assert "[traceId " in text


def test_a_channel_that_cannot_be_sent(scene: Scene) -> None:
    with pytest.raises(UsageProblem, match="sales channel"):
        scene.deliver(upsert(3), upsert(4, "ÉTÉ"))
    assert scene.client.calls == []


def holds(reference: str) -> Callable[[Call], bool]:
    """Uploads with a row of this reference."""
    quoted = f'"{reference}"'.encode()
    return lambda call: upload(call) and quoted in (call.body or b"")


def sent(scene: Scene) -> list[tuple[str, list[str]]]:
    """Package and references of every upload that has arrived, in their order."""
    return [
        (
            call.target.split("/")[2],
            [row["sellerExternalReference"] for row in json.loads(call.body or b"")],
        )
        for call in scene.client.calls
        if upload(call)
    ]


@pytest.mark.parametrize("guilty", range(3, 11))
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


@pytest.mark.parametrize("when", [creation, upload, look, commit, fetch])
def test_a_service_that_cannot_be_reached(scene: Scene, when: Callable[[Call], bool]) -> None:
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


def test_a_port_at_which_nobody_listens(scene: Scene) -> None:
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
        scene.go_on(Script(scene.client, creation, problem(404), forever=True))
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
        if not upload(call):
            return self.sender.send(call)
        self.seen.append(call.body)
        if self.first.acquire(blocking=False):
            for _ in range(3):  # the other lanes are taken too
                assert self.inside.acquire(timeout=60)
            return problem(429, retry_after="5")
        self.inside.release()
        assert self.gate.wait(timeout=60)
        return self.sender.send(call)


def test_what_waits_for_a_lane_is_taken_back_at_a_refusal(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 23)), TWO)
    crowd = Crowd(scene.client)

    def told(event: Event) -> None:
        if event.kind == "waiting" and not crowd.gate.is_set():
            # Four are in the lanes, and the one that the refusal made free may have the next.
            assert len(crowd.seen) in (4, 5)
            crowd.gate.set()

    scene.events = Listening(told)
    scene.go_on(crowd, pool=4)
    assert scene.statuses == ["Integrated"] * 20
    assert len(scene.applied) == 20
    # Ten uploads, and the refused one once more: what was taken back has never left.
    assert len(crowd.seen) == 11


def test_what_is_lost_soon_is_warned_of_once(scene: Scene) -> None:
    scene.plan([upsert(3)])
    scene.go_on(Script(napping(scene, look), commit, problem(400), problem(400)), settings=PATIENT)
    assert scene.statuses == ["Integrated"]
    told = [event.text for event in scene.events if event.kind == "deadline"]
    package = f"package 1 (Upsert, PRIMARY): {scene.packages[0].package_id}"
    assert told == [f"{package}: what was uploaded expires at 2026-03-02 15:00 UTC"]


# Unknown outcomes.


def test_a_row_goes_into_three_packages_at_most(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    script = Script(scene.client, holds("R5"), *["reset"] * 9)
    scene.go_on(script)
    assert scene.statuses == ["Integrated"] * 2 + ["Unknown"] * 2 + ["Integrated"] * 2
    assert script.matched == len(scene.packages) == 3
    assert "was lost" in scene.verdicts[2].messages[0].text


def test_a_refused_upload_of_a_package_that_expired_is_sent_in_halves(scene: Scene) -> None:
    scene.plan([upsert(3), upsert(4, quantity="x")])
    with pytest.raises(Interrupted):
        scene.go_on(Script(scene.client, look, NotSent("refused"), forever=True))
    scene.transport.sleep(7 * 3600)
    scene.go_on()
    assert scene.statuses == ["Integrated", "Rejected"]


# Packages that do not do as expected.


def test_another_runs_package_that_expired_is_left_to_that_run(scene: Scene) -> None:
    scene.plan([upsert(3)])
    older, file = scene.run_id, scene.file
    with pytest.raises(Interrupted):
        scene.go_on(Script(scene.client, commit, "reset", NotSent("refused"), forever=True))
    scene.transport.sleep(7 * 3600)
    assert scene.deliver(upsert(4))[0].status is Status.INTEGRATED
    (verdict,) = scene.ledger.verdicts(file)
    assert verdict.status is Status.PENDING
    scene.run_id = older
    scene.go_on()
    (verdict,) = scene.ledger.verdicts(file)
    assert verdict.status is Status.INTEGRATED
    assert Counter(applied.reference for applied in scene.applied) == {"R3": 1, "R4": 1}


def test_filling_stops_an_hour_before_a_package_expires(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 11)), TWO)
    scene.go_on(napping(scene, holds("R5")), settings=PATIENT)
    assert scene.statuses == ["Integrated"] * 8
    assert [(package.rows, package.creations) for package in scene.packages] == [(4, 1), (4, 1)]
    assert len(scene.applied) == 8


@pytest.mark.parametrize("when", [look, fetch])
def test_where_results_are_gone_the_offers_tell(scene: Scene, when: Callable[[Call], bool]) -> None:
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
    assert sum(commit(call) for call in scene.client.calls) == 2


def test_pages_that_go_round_in_a_circle_come_to_an_end(scene: Scene) -> None:
    scene.plan([upsert(3), upsert(4)])
    link = {"link": '<?cursor=1>; rel="next"'}
    item = {"sellerExternalReference": "R3", "integrationStatus": "Integrated"}
    body = json.dumps({"items": [item]}).encode()
    page = Reply(200, link, body, "http://sandbox.invalid/v2/offer-packages/x")
    scene.go_on(Script(scene.client, fetch, page, forever=True))
    assert scene.statuses == ["Integrated", "Integrated"]
    assert "No result names it" in scene.verdicts[1].messages[0].text


# Stopping and going on.


@pytest.mark.parametrize("nth", range(10))
@pytest.mark.parametrize("pool", [1, 4])
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


def test_without_waiting_a_blocked_run_says_so(scene: Scene) -> None:
    scene.plan([upsert(3)])
    scene.go_on(wait=False)
    newer = scene.another([upsert(3)])
    with pytest.raises(Interrupted, match="same references"):
        newer.go_on(wait=False)
    newer.go_on()
    assert scene.statuses == newer.statuses == ["Integrated"]


def test_what_was_under_way_is_written_down_when_interrupted(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 43)), TWO)

    def stop(event: Any) -> None:
        scene.events.append(event)
        if event.kind == "upload" and event.done == 8:
            raise KeyboardInterrupt

    scene.events = Listening(stop)
    with pytest.raises(KeyboardInterrupt):
        scene.go_on(pool=4)
    (package,) = scene.packages
    assert package.staged(Stage.SENDING) == 0
    assert package.staged(Stage.STAGED) >= 8
    scene.events = []
    scene.go_on(pool=4)
    assert scene.statuses == ["Integrated"] * 40
    assert len(scene.applied) == 40


def test_what_was_not_yet_sent_when_interrupted_is_sent_later(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 13)), TWO)
    with Breaking(scene.ledger) as broken, pytest.raises(Interrupted, match="disk"):
        replace(scene, ledger=broken).go_on(pool=4)
    (package,) = scene.packages
    assert package.uploads == (Stage.PLANNED,) * 5
    assert not any(upload(call) for call in scene.client.calls)
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 10


class Breaking(Ledger):
    """A ledger whose uploads cannot be read."""

    def __init__(self, ledger: Ledger) -> None:
        self.__dict__ = ledger.__dict__

    def bodies(self, package: int, uploads: Collection[int]) -> dict[int, list[bytes]]:
        del package, uploads
        raise Interrupted("The disk is gone.")

    def close(self) -> None:
        """Somebody else's."""


class Listening(list[Any]):
    """Calls the function instead of being appended to."""

    def __init__(self, call: Callable[[Any], None]) -> None:
        super().__init__()
        self.call = call

    def append(self, event: Any) -> None:
        scene_call, self.call = self.call, super().append
        scene_call(event)
        self.call = scene_call


def test_a_bug_in_the_sender_is_not_swallowed(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(ZeroDivisionError):
        scene.go_on(Script(scene.client, creation, ZeroDivisionError()), pool=4)
