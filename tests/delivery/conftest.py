"""A seller, a ledger, and the service in-process with the clock in hand."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.areas.registry import load, sandbox_parts
from feedtool.delivery import plan
from feedtool.delivery.engine import Delivery
from feedtool.delivery.events import Event
from feedtool.delivery.steps import DeliverySettings
from feedtool.ledger import Ledger, Package
from feedtool.model.call import Call, OutcomeUnknown, Reply, Sender
from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import Item, RowResult
from feedtool.model.settings import PackageLimits
from feedtool.sandbox import Quota, SandboxSettings
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from tests.areas.offers.sandbox.records import Applied, applied_requests
from tests.areas.products.sandbox.made_products import product as made_product
from tests.conftest import gtin
from tests.ledger.empty import ledger_in_memory

QUICK = OfferBehaviour(
    settle=timedelta(0), pend=timedelta(seconds=1), integrate=timedelta(seconds=2)
)
"""A service that keeps nobody waiting: by its own settings a package settles first."""


def quick(*parts: object, quota: Quota | None = None) -> SandboxSettings:
    return SandboxSettings(quota=quota, parts=(*parts, QUICK))


SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TWO = PackageLimits(upload=2, package=100, products=2, legacy=2)
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def offer(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "sellerExternalReference": f"R{number}",
        "product": {"gtin": gtin(number)},
        "condition": "New",
        "price": {
            "price": 11.0,
            "taxes": [{"code": code, "value": 0} for code in ("VAT", "EcoPart", "DEA")],
        },
        "deliveryModes": [{"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}],
        "preparationTime": 2,
        "quantity": 7,
        **changes,
    }


def upsert(row: int, channel: str = "PRIMARY", **changes: Any) -> Item:
    """A row whose reference, unless changed, is its number."""
    document = offer(row, **changes)
    reference = str(document["sellerExternalReference"])
    body = json.dumps(document).encode()
    return Item(row, PackageType.UPSERT, channel, reference, f"{gtin(row)}||New", body)


def delete(row: int, channel: str = "PRIMARY") -> Item:
    body = json.dumps({"sellerExternalReference": f"R{row}"}).encode()
    return Item(row, PackageType.DELETE, channel, f"R{row}", "", body)


def product(row: int, reference: str | None = "", /, **changes: Any) -> Item:
    """A good product; its GTIN is of the range that has no sheets."""
    number = gtin(row - 100_000_000_000)
    reference = f"P{row}" if reference == "" else reference
    document = made_product(number, **{"sellerProductReference": reference, **changes})
    return product_of(row, document)


def product_of(row: int, document: dict[str, Any]) -> Item:
    """A row with this body, unchanged."""
    number = str(document.get("gtin", ""))
    reference = document.get("sellerProductReference") or number
    return Item(row, "Products", "", str(reference), number, json.dumps(document).encode())


def legacy(row: int, channel: str = "PRIMARY", /, **changes: Any) -> Item:
    """An offer of a legacy zip; its reference, unless changed, is its number."""
    document = {
        "SellerProductId": f"R{row}",
        "ProductEan": gtin(row),
        "ProductCondition": "6",
        "Price": "11",
        "EcoPart": "0",
        "DeaTax": "0",
        "Vat": "20",
        "Stock": "7",
        "Comment": "",
        "PreparationTime": "2",
        "ShippingInformation": [
            {
                "DeliveryMode": "Tracked",
                "ShippingCharges": "4.9",
                "AdditionalShippingCharges": "1.5",
            }
        ],
        **changes,
    }
    body = json.dumps(document).encode()
    product_key = f"{document['ProductEan']}||New"
    reference = str(document["SellerProductId"])
    return Item(row, PackageType.FULL, channel, reference, product_key, body)


def stock(row: int, **changes: str) -> Item:
    """The stock and price of the offer that `legacy` made."""
    document = {"SellerProductId": f"R{row}", **(changes or {"Stock": "1"})}
    body = json.dumps(document).encode()
    return Item(row, PackageType.STOCK_AND_PRICE, "PRIMARY", f"R{row}", "", body)


@dataclass
class Recorder:
    """Hands every call on, and remembers them."""

    sender: Sender
    calls: list[Call] = field(default_factory=list)

    def send(self, call: Call) -> Reply:
        self.calls.append(call)
        return self.sender.send(call)


When = str | Callable[[Call], bool]
Answer = Reply | Exception | str | Callable[[Call], Reply | None]


class Script:
    """Answers the calls that `when` matches or names by `then`, and hands the others on.

    What is called and gives None only looks on; of a "lost" answer the service acts all the same.
    """

    def __init__(self, sender: Sender, when: When, *then: Answer, forever: bool = False) -> None:
        self.sender, self.then, self.forever = sender, [*then], forever
        self.when = when if callable(when) else lambda call: name_of(call) == when
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


class Killed(BaseException):
    """The process dies."""


NAMES: dict[str, Callable[[Call], bool]] = {
    "creation": lambda call: call.target == "/offer-packages",
    "upload": lambda call: call.target.endswith("/offer-requests"),
    "commit": lambda call: call.method == "PATCH",
    "seek": lambda call: call.target == "/offers",
    "fetch": lambda call: "results" in call.target,
    "look": lambda call: call.method == "GET",
}


def name_of(call: Call) -> str:
    """The name of a call: the first that fits."""
    return next((name for name, is_one in NAMES.items() if is_one(call)), "")


def problem(status: int, text: str = "No.", **headers: str) -> Reply:
    body = json.dumps({"title": "Refused", "description": text, "traceId": "trace-1"}).encode()
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def holds(reference: str) -> Callable[[Call], bool]:
    """True for uploads with a row of this reference."""
    quoted = f'"{reference}"'.encode()
    return lambda call: name_of(call) == "upload" and quoted in (call.body or b"")


@dataclass
class Scene:
    ledger: Ledger
    transport: SandboxTransport
    client: Recorder
    run_id: int = 0
    file: int = 0
    events: list[Event] = field(default_factory=list)

    def plan(
        self, items: Iterable[Item], limits: PackageLimits | None = None, language: str = "en"
    ) -> None:
        base = self.transport.base
        self.run_id = self.ledger.start_run(now=START, seller="S1", service=base, language=language)
        stream = plan.uploads(items, load().routes, limits)
        self.file = self.ledger.add_file(self.run_id, stream, path="a", sha256="", kind="k")

    def go_on(
        self,
        client: Sender | None = None,
        *,
        pool: int = 1,
        wait: bool = True,
        settings: DeliverySettings | None = None,
        stopping: Callable[[], FeedtoolError | None] = lambda: None,
        ahead: timedelta = timedelta(0),
        only_fetch: bool = False,
        on_event: Callable[[Event], None] | None = None,
    ) -> list[RowResult]:
        """The results of the rows after the run was delivered, by a clock that is so far behind."""
        Delivery(
            self.ledger,
            self.run_id,
            client or self.client,
            load().routes,
            now=lambda: self.transport.now() - ahead,
            sleep=self.transport.sleep,
            jitter=lambda: 1.0,
            pool=pool,
            on_event=on_event or self.events.append,
            wait=wait,
            settings=settings or DeliverySettings(),
            stopping=stopping,
            only_fetch=only_fetch,
        ).run()
        return self.verdicts

    def deliver(self, *items: Item) -> list[RowResult]:
        self.plan(items)
        return self.go_on()

    def another(self, items: Iterable[Item], limits: PackageLimits | None = None) -> "Scene":
        """A later run of the same seller, on the same ledger and service."""
        other = replace(self, events=[])
        other.plan(items, limits)
        return other

    @property
    def verdicts(self) -> list[RowResult]:
        return list(self.ledger.verdicts(self.file))

    @property
    def statuses(self) -> list[str]:
        return [str(verdict.status) for verdict in self.verdicts]

    @property
    def packages(self) -> list[Package]:
        return self.ledger.read_packages(self.run_id)

    @property
    def applied(self) -> list[Applied]:
        """The requests that the service has applied, which decide."""
        return list(applied_requests(self.transport.sandbox))

    def client_with(self, token: str) -> Client:
        base = self.transport.base
        return Client(base, "S1", StaticToken(token), transport=self.transport)


@pytest.fixture
def scene_of() -> Iterator[Callable[..., Scene]]:
    """Makes a scene whose sandbox has the settings given."""
    with ExitStack() as stack:

        def make(settings: SandboxSettings | None = None) -> Scene:
            transport = SandboxTransport(
                sandbox_parts(), settings=settings or quick(), real=lambda: START
            )
            stack.callback(transport.close)
            client = Client(transport.base, "S1", StaticToken("sandbox"), transport=transport)
            return Scene(stack.enter_context(ledger_in_memory()), transport, Recorder(client))

        yield make


@pytest.fixture
def scene(scene_of: Callable[..., Scene]) -> Scene:
    return scene_of()
