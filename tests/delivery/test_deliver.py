from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from feedtool.delivery.decide import Settings
from feedtool.dialect import Limits
from feedtool.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.ledger import Ledger, Phase, Stage
from feedtool.model import Item, Message, PackageSummary, PackageType, Status
from feedtool.sandbox import Quota
from feedtool.sandbox import Settings as SandboxSettings
from feedtool.service import wire
from feedtool.service.wire import Call, NotSent, OutcomeUnknown, Reply, Sender, UploadBody
from tests.delivery.conftest import QUICK, START, delete, upsert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.delivery.conftest import Scene

TWO = Limits(upload=2, package=100)


class Script:
    """Answers the calls that `when` matches by `then`, and hands the others on."""

    def __init__(
        self,
        sender: Sender,
        when: Callable[[Call], bool],
        *then: Reply | Exception | str,
        forever: bool = False,
    ) -> None:
        self.sender = sender
        self.when = when
        self.then = list(then)
        self.forever = forever
        self.matched = 0

    def send(self, call: Call) -> Reply:
        if not self.when(call) or not self.then:
            return self.sender.send(call)
        self.matched += 1
        answer = self.then[0] if self.forever else self.then.pop(0)
        if answer == "lost":
            # The service acts, and its answer never arrives.
            self.sender.send(call)
            raise OutcomeUnknown("ReadTimeout")
        if isinstance(answer, Reply):
            return answer
        raise answer if isinstance(answer, Exception) else OutcomeUnknown(answer)


def creation(call: Call) -> bool:
    return call.target == "/offer-packages"


def upload(call: Call) -> bool:
    return call.target.endswith("/offer-requests")


def commit(call: Call) -> bool:
    return call.method == "PATCH"


def look(call: Call) -> bool:
    return call.method == "GET" and not fetch(call)


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


def test_channels_and_types_travel_apart(scene: Scene) -> None:
    scene.deliver(upsert(3), upsert(4, "SECOND"), delete(5), upsert(6))
    assert [(p.package_type, p.channel, p.rows, p.state) for p in scene.packages] == [
        ("Upsert", "PRIMARY", 2, "Integrated"),
        ("Upsert", "SECOND", 1, "Integrated"),
        ("Delete", "PRIMARY", 1, "Integrated"),
    ]
    assert scene.statuses == ["Integrated", "Integrated", "Rejected", "Integrated"]


def test_packages_are_integrated_side_by_side(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), Limits(2, 2))
    scene.go_on()
    said = scene.client.said
    # The second is created while the first is on its way, and not only after its end.
    creations = [n for n, call in enumerate(said) if call == "POST offer-packages"]
    assert len(creations) == 3
    assert "GET offer-requests-results" not in said[: creations[-1]]
    assert scene.statuses == ["Integrated"] * 6


@pytest.mark.parametrize(
    ("language", "word"), [("en", "The offer"), ("fr", "L'offre"), ("es", "La oferta")]
)
def test_messages_in_three_languages(scene: Scene, language: str, word: str) -> None:
    scene.plan([upsert(3)], language=language)
    (verdict,) = scene.go_on()
    assert verdict.messages[0].text.startswith(word)


def test_the_wrapped_shape_of_an_upload(scene: Scene) -> None:
    scene.plan([upsert(3)])
    scene.go_on(settings=Settings(upload_body=UploadBody.OFFER_REQUESTS))
    assert scene.statuses == ["Integrated"]


def test_threads_do_no_worse(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 203)), Limits(upload=5, package=60))
    scene.go_on(pool=4)
    assert Counter(scene.statuses) == {"Integrated": 200}
    assert len(scene.applied) == 200


def test_without_waiting_it_ends_at_the_commit(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 7)), Limits(2, 2))
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


def test_nothing_to_deliver(scene: Scene) -> None:
    assert scene.deliver() == []
    assert scene.client.calls == []


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


@pytest.mark.parametrize("status", [400, 409, 413, 415, 422])
def test_a_refused_upload_refuses_its_rows(scene: Scene, status: int) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    scene.go_on(
        Script(scene.client, lambda c: upload(c) and b'"R5"' in (c.body or b""), problem(status))
    )
    assert scene.statuses == ["Integrated"] * 2 + ["Rejected"] * 2 + ["Integrated"] * 2
    assert scene.verdicts[2].messages == (
        Message("", f"Refused. No (HTTP {status}) [traceId trace-1]"),
    )
    # After a refusal the package itself is looked at before the next upload.
    assert scene.client.said[:4] == [
        "POST offer-packages",
        "POST offer-requests",
        "GET package",
        "POST offer-requests",
    ]


def test_a_package_of_refused_uploads_is_never_committed(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 7)), TWO)
    scene.go_on(Script(scene.client, upload, problem(400), forever=True))
    assert scene.statuses == ["Rejected"] * 4
    assert not any(commit(call) for call in scene.client.calls)


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


@pytest.mark.parametrize("when", [upload, look, commit, fetch])
def test_a_token_that_runs_out_on_the_way(scene: Scene, when: Callable[[Call], bool]) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    with pytest.raises(NotAuthorised):
        scene.go_on(Script(scene.client, when, problem(401)))
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 6
    assert len(scene.applied) == 6


def test_no_token_at_all(scene: Scene) -> None:
    scene.plan([upsert(3)])
    none = NotAuthorised("The token command gives no token.")
    with pytest.raises(NotAuthorised, match="gives no token"):
        scene.go_on(Script(scene.client, creation, none))


@pytest.mark.parametrize("when", [creation, upload, look, commit, fetch])
def test_a_service_that_cannot_be_reached(scene: Scene, when: Callable[[Call], bool]) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    script = Script(scene.client, when, NotSent("ConnectError: refused"), forever=True)
    with pytest.raises(Interrupted, match="cannot be reached: ConnectError: refused") as caught:
        scene.go_on(script)
    assert "Pending" in caught.value.hint
    assert script.matched == Settings().failures
    assert set(scene.statuses) == {"Pending"}
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 6
    assert len(scene.applied) == 6


@pytest.mark.parametrize("when", [creation, upload, look, commit, fetch])
def test_a_short_outage_is_waited_out(scene: Scene, when: Callable[[Call], bool]) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    scene.go_on(Script(scene.client, when, *[NotSent("refused")] * 4))
    assert scene.statuses == ["Integrated"] * 6
    assert len(scene.applied) == 6


def test_a_wrong_base_address_stops_the_run(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(UsageProblem, match="HTTP 404") as caught:
        scene.go_on(Script(scene.client, creation, problem(404), forever=True))
    assert "base address" in caught.value.hint
    assert scene.statuses == ["Pending"]


# Quotas.


@pytest.mark.parametrize("when", [creation, upload, look, commit, fetch])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry_after": "77"}, 77), ({"retry_after": "Mon, 02 Mar 2026 09:01:17 GMT"}, 0)],
)
def test_too_many_requests(
    scene: Scene, when: Callable[[Call], bool], headers: dict[str, str], seconds: int
) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    begun = scene.transport.now()
    scene.go_on(Script(scene.client, when, problem(429, **headers)))
    assert scene.statuses == ["Integrated"] * 6
    assert (scene.transport.now() - begun).total_seconds() >= seconds
    assert len(scene.applied) == 6


def test_a_quota_is_lived_with(scene_of: Callable[..., Scene]) -> None:
    scene = scene_of(replace(QUICK, quota=Quota(requests=7, seconds=60)))
    scene.plan((upsert(row) for row in range(3, 43)), TWO)
    scene.go_on(pool=4)
    assert scene.statuses == ["Integrated"] * 40
    assert any(event.kind == "waiting" and "429" in event.text for event in scene.events)


def test_a_wait_beyond_all_patience_is_not_waited(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(Interrupted, match="no progress"):
        scene.go_on(Script(scene.client, upload, problem(429, retry_after="86400")))
    assert scene.transport.now() - START < timedelta(minutes=1)


# Unknown outcomes.


@pytest.mark.parametrize(
    ("lost", "statuses", "applied"),
    [
        # The service took it, and the answer was lost: the results tell.
        ("lost", ["Integrated"] * 6, 6),
        # It never arrived, which nobody can know: it is not sent again.
        ("reset", ["Integrated"] * 2 + ["Unknown"] * 2 + ["Integrated"] * 2, 4),
    ],
)
def test_an_upload_of_unknown_outcome(
    scene: Scene, lost: str, statuses: list[str], applied: int
) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    scene.go_on(Script(scene.client, lambda c: upload(c) and b'"R5"' in (c.body or b""), lost))
    assert scene.statuses == statuses
    assert len(scene.applied) == applied
    assert scene.packages[0].uploads[1] is Stage.DOUBTFUL
    sent = [
        json.loads(call.body or b"")[0]["sellerExternalReference"]
        for call in scene.client.calls
        if upload(call)
    ]
    assert len(sent) == len(set(sent))


@pytest.mark.parametrize("status", [302, 408, 425, 500, 502, 503])
def test_answers_that_prove_nothing(scene: Scene, status: int) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    scene.go_on(Script(scene.client, upload, problem(status)))
    assert scene.statuses == ["Unknown"] * 2 + ["Integrated"] * 4
    assert "was not sent again" in scene.verdicts[0].messages[0].text


@pytest.mark.parametrize("answer", ["lost", "reset", Reply(201), Reply(201, body=b"<html>")])
def test_a_creation_of_unknown_outcome_is_made_again(scene: Scene, answer: Any) -> None:
    scene.plan([upsert(3)])
    scene.go_on(Script(scene.client, creation, answer))
    assert scene.statuses == ["Integrated"]
    assert scene.packages[0].creations == 1


@pytest.mark.parametrize("answer", ["lost", "reset", problem(500), problem(400)])
def test_a_commit_of_unknown_outcome_is_looked_at(scene: Scene, answer: Any) -> None:
    scene.plan([upsert(3)])
    scene.go_on(Script(scene.client, commit, answer))
    assert scene.statuses == ["Integrated"]
    assert len(scene.applied) == 1


@pytest.mark.parametrize("when", [look, fetch])
@pytest.mark.parametrize("answer", ["lost", problem(500), Reply(200), Reply(200, body=b"[1")])
def test_reading_is_repeated(scene: Scene, when: Callable[[Call], bool], answer: Any) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    scene.go_on(Script(scene.client, when, answer, answer))
    assert scene.statuses == ["Integrated"] * 6


def test_a_service_that_stages_nothing_is_not_fed_for_long(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 103)), TWO)
    script = Script(scene.client, upload, problem(500), forever=True)
    with pytest.raises(Interrupted, match="no usable answer"):
        scene.go_on(script)
    assert script.matched == Settings().failures
    assert set(scene.statuses) == {"Pending"}


def test_results_that_lead_to_another_host_are_not_followed(scene: Scene) -> None:
    scene.plan([upsert(3)])
    link = {"link": '<https://evil.example/v2/x>; rel="next"'}
    page = Reply(200, link, b'{"items": []}', "http://sandbox.invalid/v2/x")
    with pytest.raises(Interrupted, match="another host"):
        scene.go_on(Script(scene.client, fetch, page, forever=True))
    assert scene.statuses == ["Pending"]


# Packages that do not do as expected.


def test_a_package_that_expires_before_its_commit_is_made_again(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    asleep = Script(scene.client, lambda c: upload(c) and b'"R5"' in (c.body or b""), "x")

    def nap(call: Call) -> bool:
        if asleep.then and upload(call) and b'"R7"' in (call.body or b""):
            scene.transport.sleep(7 * 3600)
            asleep.then.clear()
        return False

    asleep.when = nap
    scene.go_on(asleep, settings=Settings(patience=timedelta(hours=10)))
    assert scene.statuses == ["Integrated"] * 6
    assert scene.packages[0].creations == 2
    assert len(scene.applied) == 6


def test_packages_that_keep_vanishing(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(Interrupted, match="keeps losing our packages"):
        scene.go_on(Script(scene.client, upload, problem(404), forever=True))
    assert sum(creation(call) for call in scene.client.calls) == Settings().creations


@pytest.mark.parametrize("when", [look, fetch])
def test_results_that_are_gone(scene: Scene, when: Callable[[Call], bool]) -> None:
    scene.plan([upsert(3)])
    scene.go_on(wait=False)
    scene.go_on(Script(scene.client, when, problem(404)))
    (verdict,) = scene.verdicts
    assert verdict.status is Status.UNKNOWN
    assert "no longer has package" in verdict.messages[1].text
    assert "trace-1" in verdict.messages[1].text


def test_an_unheard_of_state_is_not_yet(scene: Scene) -> None:
    scene.plan([upsert(3)])
    odd = Reply(200, body=b'{"state": "Simmering"}')
    scene.go_on(Script(scene.client, look, odd, odd, odd))
    assert scene.statuses == ["Integrated"]
    assert "the service says Simmering" in scene.events[2].text


def test_a_state_that_lasts_is_pending_in_the_end(scene: Scene) -> None:
    scene.plan([upsert(3)])
    scene.go_on(wait=False)
    odd = Reply(200, body=b'{"state": "Simmering"}')
    scene.go_on(Script(scene.client, look, odd, forever=True))
    assert scene.statuses == ["Pending"]
    waited = scene.transport.now() - START
    assert abs(waited - Settings().patience) < timedelta(minutes=1)


def test_a_package_that_never_settles_interrupts(scene: Scene) -> None:
    scene.plan([upsert(3)])
    with pytest.raises(Interrupted, match=r"no progress .* the service says WaitingForCompletion"):
        scene.go_on(Script(scene.client, commit, problem(400), forever=True))
    scene.go_on()
    assert scene.statuses == ["Integrated"]


def test_a_package_that_somebody_else_commits(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)

    def meddle(call: Call) -> bool:
        if upload(call) and b'"R5"' in (call.body or b""):
            scene.transport.sleep(60)
            scene.client.send(wire.commit(scene.packages[0].package_id or ""))
        return False

    scene.go_on(Script(scene.client, meddle, "x"))
    # The upload that came too late was refused; the one after it was not even tried.
    assert scene.statuses == ["Integrated"] * 2 + ["Rejected"] * 2 + ["Pending"] * 2
    assert "takes no more" in scene.verdicts[2].messages[0].text
    assert "completed without it" in scene.verdicts[4].messages[0].text
    assert sum(commit(call) for call in scene.client.calls) == 1


def test_results_that_come_late_are_read_again(scene: Scene) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    early = Reply(200, body=b'{"items": []}', url="http://sandbox.invalid/v2/x")
    scene.go_on(Script(scene.client, fetch, early, early))
    assert scene.statuses == ["Integrated"] * 6
    assert scene.packages[0].readings == 3


def test_results_that_never_come(scene: Scene) -> None:
    scene.plan([upsert(3)])
    none = Reply(200, body=b'{"items": []}', url="http://sandbox.invalid/v2/x")
    scene.go_on(Script(scene.client, fetch, none, forever=True))
    (verdict,) = scene.verdicts
    assert (verdict.status, len(verdict.messages)) == (Status.UNKNOWN, 1)
    assert "has given no result" in verdict.messages[0].text


def test_pages_that_go_round_in_a_circle_come_to_an_end(scene: Scene) -> None:
    scene.plan([upsert(3), upsert(4)])
    link = {"link": '<?cursor=1>; rel="next"'}
    item = {"sellerExternalReference": "R3", "integrationStatus": "Integrated"}
    body = json.dumps({"items": [item]}).encode()
    page = Reply(200, link, body, "http://sandbox.invalid/v2/offer-packages/x")
    scene.go_on(Script(scene.client, fetch, page, forever=True))
    assert scene.statuses == ["Integrated", "Unknown"]


def test_results_too_early_are_asked_for_again(scene: Scene) -> None:
    scene.plan([upsert(3)])
    scene.go_on(Script(scene.client, fetch, problem(400), problem(400)))
    assert scene.statuses == ["Integrated"]


# Stopping and going on.


class Pulled(BaseException):
    """The plug."""


@pytest.mark.parametrize("nth", range(9))
def test_a_crash_after_any_call(scene: Scene, nth: int) -> None:
    scene.plan((upsert(row) for row in range(3, 9)), TWO)
    count = iter(range(100))

    def pull(call: Call) -> Reply:
        answer = scene.client.send(call)
        if next(count) == nth:
            raise Pulled
        return answer

    class Crashing:
        def send(self, call: Call) -> Reply:
            return pull(call)

    with pytest.raises(Pulled):
        scene.go_on(Crashing())
    # All that a new process knows is what the ledger has.
    scene.go_on()
    assert scene.statuses == ["Integrated"] * 6
    assert len(scene.applied) == 6


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
    """A ledger whose third upload cannot be read."""

    def __init__(self, ledger: Ledger) -> None:
        self.__dict__ = ledger.__dict__

    def bodies(self, package: int, upload: int) -> list[bytes]:
        if upload == 3:
            raise Interrupted("The disk is gone.")
        return super().bodies(package, upload)

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


# The whole size.


def rows_to_delete(count: int) -> Iterator[Item]:
    first = delete(1)
    for row in range(1, count + 1):
        name = f"R{row}"
        body = b'{"sellerExternalReference":"%s"}' % name.encode()
        yield first._replace(row=row, reference=name, body=body)


def test_one_row_more_than_a_package_holds(scene: Scene) -> None:
    scene.plan(rows_to_delete(50_001))
    scene.go_on(settings=Settings(results_limit=1000))
    assert [(p.rows, len(p.uploads)) for p in scene.packages] == [(50_000, 500), (1, 1)]
    assert sum(upload(call) for call in scene.client.calls) == 501
    assert Counter(scene.statuses) == {"Rejected": 50_001}
    assert scene.packages[0].staged(Stage.STAGED) == 500
