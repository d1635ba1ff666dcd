"""Whole deliveries of legacy zips, against the service in-process."""

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from msgspec.structs import replace

from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.wire import LEGACY
from feedtool.areas.offers.delivery import TEXTS, PackageType
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.delivery.foreign_packages import NO_ERROR
from feedtool.delivery.steps import CallSettings, DeliverySettings
from feedtool.delivery.transition import NO_REASON
from feedtool.ledger import Phase
from feedtool.ledger.admission import MOST_SENDS
from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.nouns import Item, Message, PackageSummary
from feedtool.model.settings import AccountSettings, PackageLimits
from feedtool.sandbox import SandboxSettings
from tests.areas.offers.sandbox.records import stored_offers
from tests.conftest import gtin
from tests.delivery.conftest import (
    QUICK,
    SECOND,
    START,
    Killed,
    Scene,
    Script,
    legacy,
    name_of,
    problem,
    quick,
    stock,
    upsert,
)
from tests.pairs import sample

IN_FORCE = Message("", TEXTS.in_force)


def post(call: Call) -> bool:
    return call.method == "POST" and call.target == LEGACY


def log(call: Call) -> bool:
    return call.method == "GET" and call.target.startswith(LEGACY)


def holds(reference: str) -> Callable[[Call], bool]:
    own = f'SellerProductId="{reference}"'.encode()
    return lambda call: post(call) and own in xml(call)


def purge(*rows: int) -> list[Item]:
    return [legacy(row)._replace(package_type=PackageType.PURGE) for row in rows]


def bad(row: int) -> Item:
    """An offer that the service refuses: such products have no sheet."""
    return legacy(row, ProductEan="2000000000008")


def post_sizes(scene: Scene) -> list[int]:
    """The number of offers in each POST."""
    return [xml(call).count(b"<Offer ") for call in scene.client.calls if post(call)]


def xml(call: Call) -> bytes:
    with ZipFile(BytesIO(call.body or b"")) as package:
        return package.read("Content/Offers.xml")


def prices(scene: Scene) -> dict[str, float]:
    return {
        one["sellerExternalReference"]: one["integrationPrice"]["price"]
        for one in stored_offers(scene.transport.sandbox)
    }


# The straight line.


def test_a_zip_is_one_post_and_its_log(scene_of: Callable[..., Scene]) -> None:
    slow = OfferBehaviour(pend=20 * SECOND, integrate=100 * SECOND)
    scene = scene_of(SandboxSettings(parts=(slow,)))
    verdicts = scene.deliver(legacy(3), bad(4), legacy(5))
    assert scene.statuses == ["Integrated", "Rejected", "Integrated"]
    assert verdicts[1].messages == (
        Message("1324", "There is no product sheet for this product.", "product.gtin"),
    )
    assert verdicts[0].messages == (Message("8000", "The offer has been created."),)
    assert (post_sizes(scene), prices(scene)) == ([3], {"R3": 11, "R5": 11})
    [package] = scene.packages
    assert scene.ledger.packages(scene.file) == [
        PackageSummary(package.package_id, PackageType.FULL, "PRIMARY", "Integrated", 3, 1)
    ]
    assert 3 < sum(map(log, scene.client.calls)) < 20  # 100 s: pauses grow, and are not endless
    assert [event.text for event in scene.events] == [
        f"package 1 (Full, PRIMARY): submitted as {package.package_id}",
        "package 1 (Full, PRIMARY): the service says IntegrationPending",
        "package 1 (Full, PRIMARY): results of 3 of 3 rows",
        "package 1 (Full, PRIMARY): closed as Integrated",
    ]


def test_the_log_is_read_over_all_its_pages(scene: Scene) -> None:
    scene.plan([legacy(row) for row in range(3, 13)])
    scene.go_on(settings=DeliverySettings(CallSettings(results_limit=3)))
    assert scene.statuses == ["Integrated"] * 10
    pages = [dict(call.query).get("page") for call in scene.client.calls if log(call)]
    assert pages[-4:] == ["1", "2", "3", "4"]


def test_stock_and_price(scene: Scene) -> None:
    scene.deliver(legacy(3), legacy(4))
    later = scene.another([stock(3, Price="9"), stock(4), stock(5)])
    later.go_on()
    assert later.statuses == ["Integrated", "Integrated", "Rejected"]
    assert later.verdicts[2].messages[0].code == "3628"
    assert prices(scene) == {"R3": 9, "R4": 11}


def by_address(folder: Path) -> DeliverySettings:
    dialect = AccountSettings().having(
        LegacySettings(
            legacy_transport="url", legacy_folder=str(folder), legacy_address="https://a.example/x/"
        )
    )
    return DeliverySettings(CallSettings(dialect))


def test_the_address_travels_in_the_place_of_the_bytes(scene: Scene, tmp_path: Path) -> None:
    scene.plan([legacy(3)])
    taken = Script(scene.client, post, Reply(200, {}, b'"77"'))
    scene.go_on(taken, wait=False, settings=by_address(tmp_path))
    [file] = tmp_path.iterdir()
    assert scene.packages[0].package_id == "77"
    client = Script(scene.client, log, Reply(200, {}, b'{"integration_state": "Pending"}'))
    scene.go_on(client, wait=False)
    assert file.suffix == ".zip"
    with ZipFile(file) as package:
        assert b"R3" in package.read("Content/Offers.xml")


def test_a_folder_that_cannot_be_written(scene: Scene, tmp_path: Path) -> None:
    scene.plan([legacy(3)])
    with pytest.raises(UsageProblem, match="cannot be put into"):
        scene.go_on(settings=by_address(tmp_path / "none"))
    assert not any(map(post, scene.client.calls))
    scene.go_on()
    assert scene.statuses == ["Integrated"]


# What the log says.


def page(*entries: dict[str, Any], state: str = "Integrated", **more: Any) -> Reply:
    document = {"integration_state": state, "offer_log_paged_list": list(entries), **more}
    return Reply(200, {}, json.dumps(document).encode())


def entry(reference: str | None, ean: str | None = None, status: str = "Integrated") -> Any:
    return {
        "seller_product_id": reference,
        "product_ean": ean,
        "offer_integration_status": status,
        "property_list": [{"property_code": "6", "property_error": "19", "log_message": "No."}],
    }


def whole(*entries: dict[str, Any]) -> Reply:
    return page(*entries, total_logs_count=len(entries), count_by_page=100)


TAKEN, REJECTED = ["Integrated"] * 2, ["Rejected"] * 2
NO = Message("1906", "No.", "price.price")


@pytest.mark.parametrize(
    ("answer", "statuses", "message"),
    [
        (whole(entry("R3"), entry("R4", None, "Rejected")), ["Integrated", "Rejected"], NO),
        # Matched by the EAN where the SellerProductId is not told, or not ours.
        (whole(entry(None, gtin(3)), entry("r4", gtin(4))), TAKEN, NO),
        (whole(entry("R3"), entry("", f"0{gtin(4)}")), TAKEN, NO),
        # What names another offer is not ours.
        (whole(entry("R3"), entry("R4"), entry("R9"), entry(None, gtin(9))), TAKEN, NO),
        # It goes in circles: the offer tells.
        (page(entry("R3"), total_logs_count=10**9, count_by_page=1), TAKEN, IN_FORCE),
        # The zip is rejected as a whole.
        (page(state="Rejected"), REJECTED, Message("", NO_REASON)),
        (page(entry(None, None, "Rejected"), state="Rejected"), REJECTED, NO._replace(field="")),
    ],
)
def test_results_of_the_log(
    scene: Scene, answer: Reply, statuses: list[str], message: Message
) -> None:
    scene.plan([legacy(3), legacy(4)])
    scene.go_on(Script(scene.client, log, answer, forever=True))
    assert scene.statuses == statuses
    assert scene.verdicts[1].messages == (message,)


def test_an_ean_that_two_rows_have_matches_neither(scene: Scene) -> None:
    used = legacy(4, ProductEan=gtin(3), ProductCondition="1")
    scene.plan([legacy(3), used._replace(product=f"{gtin(3)}||UsedLikeNew")])
    answer = whole(entry(None, gtin(3), "Duplicated"))
    scene.go_on(Script(scene.client, log, answer, forever=True))
    # Of neither the log says anything certain: their offers were looked up.
    assert scene.statuses == ["Integrated", "Integrated"]
    assert {verdict.messages for verdict in scene.verdicts} == {(IN_FORCE,)}


def test_an_unknown_state_counts_as_unfinished(scene: Scene) -> None:
    scene.plan([legacy(3)])
    scene.go_on(Script(scene.client, log, page(state="Queued"), page(state="Queued")))
    assert scene.statuses == ["Integrated"]
    assert "package 1 (Full, PRIMARY): the service says Queued" in [e.text for e in scene.events]


def test_a_log_without_a_total_ends_at_an_empty_page(scene: Scene) -> None:
    scene.plan([legacy(3), legacy(4), legacy(5)])
    pages = [page(entry("R3")), page(entry("R4")), page(entry("R5")), page()]
    script = Script(scene.client, log, *pages)
    scene.go_on(script)
    assert scene.statuses == ["Integrated"] * 3
    assert script.matched == 4


@pytest.mark.parametrize("is_strict", [False, True], ids=["ignored", "refused"])
def test_rows_beyond_the_page_of_a_log_that_knows_of_no_pages(
    scene: Scene, *, is_strict: bool
) -> None:
    """Their offers decide; rows not in force are sent again, and then are on the first page."""

    def first_page(call: Call) -> Reply:
        if is_strict and call.query:
            return problem(400)
        return scene.client.sender.send(replace(call, query=(("count_by_page", "3"),)))

    scene.plan([legacy(3), bad(4), legacy(5), legacy(6), bad(7), legacy(8)])
    scene.go_on(Script(scene.client, log, first_page, forever=True))
    taken, refused = "Integrated", "Rejected"
    assert scene.statuses == [taken, refused, taken, taken, refused, taken]
    assert post_sizes(scene) == [6, 1]
    later = scene.another([stock(row) for row in (3, 5, 6, 8)])
    script = Script(scene.client, log, first_page, forever=True)
    later.go_on(script)
    # Stock alone proves nothing, but the log says that there is no error.
    assert later.statuses == ["Integrated"] * 4
    assert later.verdicts[3].messages == (NO_ERROR,)
    assert script.matched < 10


def test_a_log_that_is_gone(scene: Scene) -> None:
    scene.plan([legacy(3), bad(4)])
    scene.go_on(Script(scene.client, log, problem(404), forever=True))
    assert scene.statuses == ["Integrated", "Unknown"]
    assert [v.messages[0].text for v in scene.verdicts] == [TEXTS.in_force, TEXTS.results_gone]
    assert post_sizes(scene) == [2]


# Refusals.


FOUR = [legacy(row) for row in range(3, 7)]


def test_a_refused_zip_goes_on_in_halves(scene: Scene) -> None:
    scene.plan(FOUR)
    scene.go_on(Script(scene.client, holds("R5"), problem(400), forever=True))
    assert scene.statuses == ["Integrated", "Integrated", "Rejected", "Integrated"]
    assert scene.verdicts[2].messages[0].text.startswith("Refused. No (HTTP 400)")
    assert post_sizes(scene) == [2, 1]


def caused(*causes: str) -> Reply:
    errors = [{"code": "ER400", "cause": cause, "reason": "No."} for cause in causes]
    return Reply(400, {}, json.dumps({"title": "Refused", "errors": errors}).encode())


@pytest.mark.parametrize(
    ("items", "answer"),
    [
        (FOUR, caused("PublicationPool", "Id")),
        (purge(3, 4), problem(400)),
        pytest.param(FOUR, caused("SalesChannelId"), marks=pytest.mark.long),
        pytest.param(FOUR, problem(415), marks=pytest.mark.long),
    ],
)
def test_nor_does_one_that_is_refused_for_the_package_itself(
    scene: Scene, items: list[Item], answer: Reply
) -> None:
    scene.plan(items)
    scene.go_on(Script(scene.client, post, answer, forever=True))
    assert scene.statuses == ["Rejected"] * len(items)
    assert all(v.messages[0].text.startswith("Refused.") for v in scene.verdicts)
    scene.go_on()
    assert (len(scene.packages), post_sizes(scene)) == (1, [])


def test_a_zip_with_a_wrong_offer_is_halved(scene: Scene) -> None:
    scene.plan([legacy(3), legacy(4)])
    scene.go_on(Script(scene.client, post, caused("SalesChannelId", "Price")))
    assert scene.statuses == ["Integrated", "Integrated"]


# An unknown outcome of the POST: the offers decide.


def test_a_zip_that_was_taken_although_its_answer_was_lost(scene: Scene) -> None:
    scene.plan([legacy(3), bad(4), legacy(5)])
    scene.go_on(Script(scene.client, post, "lost"))
    # The one that the service had refused went again, alone, and now has its log.
    assert scene.statuses == ["Integrated", "Rejected", "Integrated"]
    assert scene.verdicts[0].messages == (IN_FORCE,)
    assert scene.verdicts[1].messages[0].code == "1324"
    assert post_sizes(scene) == [3, 1]
    assert scene.transport.now() - START >= DeliverySettings().before_resending
    [first, second] = [index for index, call in enumerate(scene.client.calls) if post(call)]
    assert "seek" in map(name_of, scene.client.calls[first:second])
    assert not any(map(log, scene.client.calls[first:second]))


def test_a_failing_zip_is_sent_a_limited_number_of_times(scene: Scene) -> None:
    scene.plan([legacy(3)])
    script = Script(scene.client, post, problem(500), forever=True)
    scene.go_on(script)
    assert scene.statuses == ["Unknown"]
    assert scene.verdicts[0].messages == (Message("", TEXTS.too_often),)
    assert script.matched == 3


def test_stock_is_no_proof(scene: Scene) -> None:
    scene.deliver(legacy(3), legacy(4))
    later = scene.another([stock(3), stock(4, Price="9")])
    later.go_on(Script(scene.client, post, "lost"))
    assert later.statuses == ["Unknown", "Integrated"]
    assert [v.messages[0].text for v in later.verdicts] == [TEXTS.changed, TEXTS.in_force]


@pytest.mark.parametrize("lost", sample(["lost", Reply(200, {}, b"{}"), problem(500)], 2))
def test_a_purge_is_never_repeated_automatically(scene: Scene, lost: Reply | str) -> None:
    scene.deliver(legacy(3), legacy(4))
    scene.client.calls.clear()
    scene.transport.sleep(60)
    later = scene.another(purge(4, 5))
    later.go_on(Script(scene.client, post, lost))
    is_taken = lost == "lost"
    assert later.statuses == (["Integrated"] * 2 if is_taken else ["Unknown"] * 2)
    text = TEXTS.in_force if is_taken else TEXTS.not_repeated
    assert {v.messages[0].text for v in later.verdicts} == {text}
    assert len(post_sizes(scene)) == is_taken
    assert sorted(prices(scene)) == (["R4", "R5"] if is_taken else ["R3", "R4"])


# Beside other packages.


@pytest.mark.parametrize(
    ("older", "newer", "left"),
    [([upsert(3)], purge(9), ["R9"]), (purge(9), [upsert(3)], ["R3", "R9"])],
    ids=["a purge waits for every open package", "every package waits for an open purge"],
)
def test_packages_beside_a_purge(
    scene: Scene, older: list[Item], newer: list[Item], left: list[str]
) -> None:
    scene.plan(older)
    scene.go_on(wait=False)
    later = scene.another(newer)
    later.go_on()
    assert scene.statuses[:1] == later.statuses == ["Integrated"]
    assert sorted(prices(scene)) == left


# Over a network that loses answers, by a process that is killed.

SWIFT = quick(replace(QUICK, integrate=timedelta(seconds=20)))
THREE = PackageLimits(legacy=3)
ROWS = range(3, 9)
REFUSED = 6


NO_FAULT: Reply | BaseException = Reply(0)
LOST = OutcomeUnknown("ReadTimeout"), Killed()
FAULTS: list[tuple[bool, Reply | BaseException]] = [
    *((True, fault) for fault in (*LOST, Reply(500))),
    *((False, fault) for fault in (*LOST, NotSent("refused"), Reply(429))),
]
"""True if the service acts all the same, and the result of the call."""


@dataclass
class Network:
    """Ill luck for some of the calls, or death at one of them."""

    scene: Scene
    luck: random.Random | None = None
    killed_at: int = 0
    acts: bool = True
    names: list[str] = field(default_factory=list)
    """The name of each call."""

    def send(self, call: Call) -> Reply:
        self.names.append("post" if post(call) else name_of(call))
        acts, fault = True, NO_FAULT
        if len(self.names) == self.killed_at:
            acts, fault = self.acts, Killed()
        elif self.luck and self.luck.random() < 0.2:
            acts, fault = self.luck.choice(FAULTS)
        reply = self.scene.client.send(call) if acts else Reply(0)
        if isinstance(fault, BaseException):
            raise fault
        return reply if fault is NO_FAULT else fault


def killed(begun: Callable[[], Scene], *, acts: bool, is_at_all: bool) -> Iterator[Scene]:
    """Deliveries at their end: one that nothing disturbs, then one for each of its calls.

    The process of each of these ends at that call, before or after it acts, and another goes on.
    Unless it is at all calls, it is at the first of each name and at the last one.
    """
    scene = begun()
    whole = Network(scene)
    finish(scene, lambda: whole)
    yield scene
    count = len(whole.names)
    some = {*(whole.names.index(name) + 1 for name in whole.names), count}
    for number in range(1, count + 1) if is_at_all else sorted(some):
        scene = begun()
        network = Network(scene, killed_at=number, acts=acts)
        with pytest.raises(Killed):
            scene.go_on(network, settings=DeliverySettings(CallSettings(results_limit=2)))
        finish(scene, partial(Network, scene))
        yield scene


def begun(scene_of: Callable[..., Scene], *, purges: bool = False) -> Scene:
    scene = scene_of(SWIFT)
    if purges:
        # In several zips no command plans it; each row's answer must be true nevertheless.
        scene.plan(purge(*ROWS))
    else:
        scene.plan([bad(row) if row == REFUSED else legacy(row) for row in ROWS], THREE)
    return scene


def finish(scene: Scene, network: Callable[[], Network]) -> None:
    """Go on until nothing is left to do."""
    for _ in range(60):
        try:
            scene.go_on(
                network(), settings=DeliverySettings(CallSettings(results_limit=2), failures=4)
            )
        except (Killed, FeedtoolError):
            scene.transport.sleep(60)
        if all(package.phase is Phase.CLOSED for package in scene.packages):
            return
    raise AssertionError(scene.packages)


def check(scene: Scene) -> None:
    """Every row has one true answer, and none was sent again before its offer was looked up."""
    shown = prices(scene)
    for verdict in scene.verdicts:
        if verdict.messages[0].text == TEXTS.too_often:
            assert verdict.status == "Unknown"
            continue
        assert (verdict.status == "Integrated") is (verdict.reference in shown), verdict
        assert verdict.status == ("Rejected" if verdict.row == REFUSED else "Integrated")
    taken = Counter(request.reference for request in scene.applied)
    assert max(taken.values()) <= MOST_SENDS
    for row in ROWS:
        calls = scene.client.calls
        posts = [index for index, call in enumerate(calls) if holds(f"R{row}")(call)]
        for before, again in itertools.pairwise(posts):
            assert "seek" in map(name_of, calls[before:again]), row


CALLS = pytest.mark.parametrize(
    "is_at_all", [False, pytest.param(True, marks=pytest.mark.long)], ids=["some", "all"]
)


@CALLS
@pytest.mark.parametrize("acts", [True, False], ids=["after", "before"])
def test_killed_at_any_call(scene_of: Callable[..., Scene], *, is_at_all: bool, acts: bool) -> None:
    for scene in killed(partial(begun, scene_of), acts=acts, is_at_all=is_at_all):
        check(scene)


@CALLS
@pytest.mark.parametrize("acts", [True, False], ids=["after", "before"])
def test_a_purge_killed_at_any_call_is_sent_once(
    scene_of: Callable[..., Scene], *, is_at_all: bool, acts: bool
) -> None:
    for scene in killed(partial(begun, scene_of, purges=True), acts=acts, is_at_all=is_at_all):
        meant = sum(package.attempts > 0 for package in scene.packages)
        assert (meant, len(scene.packages)) == (1, 1)
        shown = prices(scene)
        for verdict in scene.verdicts:
            assert verdict.status == ("Integrated" if verdict.reference in shown else "Unknown")


@pytest.mark.parametrize("seed", sample(range(25), 2))
def test_ill_luck(scene_of: Callable[..., Scene], seed: int) -> None:
    scene = begun(scene_of)
    luck = random.Random(seed)  # noqa: S311 - to be the same every time
    finish(scene, lambda: Network(scene, luck))
    check(scene)
