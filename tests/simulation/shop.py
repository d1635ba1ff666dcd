"""A seller whose runs have products besides, and offers for these, in a world as of `world`.

Batches have no package that could be asked for and no key that makes a second copy harmless by
itself, so what counts is (design, section 7): a batch whose answer was lost is not sent again
before the reports were read, every product has one true answer, and no offer goes before its
product has one.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType, product_names
from feedtool.areas.products.sandbox.submission import ProductBehaviour
from feedtool.areas.products.wire import product_names as names_of_product
from feedtool.delivery.submitted import LOST, NEVER_SEEN
from feedtool.model.call import Call, NotSent, OutcomeUnknown, Reply
from feedtool.model.nouns import Item, RowResult, Status
from feedtool.sandbox import SandboxSettings
from feedtool.sandbox.exchange import Quota
from tests.areas.products.sandbox.made_products import PIECES, product
from tests.areas.products.sandbox.records import Reported, reported_products
from tests.conftest import gtin
from tests.simulation.checker import Court, Findings, Wrong
from tests.simulation.machine import Crash
from tests.simulation.network import Network
from tests.simulation.story import MARK, Row, Story, Told
from tests.simulation.world import World

NO_SHEET = "1324"
PRODUCTS = "Products"
BEHIND = 500
"""The row of a run's first product, behind all offers."""
STRANGE = 226


# What the seller wants.


@dataclass
class ShopStory(Story):
    """Runs of offers, some of which are for products that the same run makes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        chance = self.random
        for run in self.runs:
            some = chance.sample(range(len(self.references)), chance.randint(1, 3))
            rows = [self._made(run.number, row, own) for row, own in enumerate(some, BEHIND)]
            if chance.random() < 0.06:
                broken = {**rows[0].document, "title": 1}
                item = rows[0].item._replace(body=json.dumps(broken).encode())
                rows[0] = Row(rows[0].mark, item, broken, is_malformed=True)
            run.rows.extend(rows)

    def _made(self, run: int, row: int, own: int) -> Row:
        chance = self.random.random()
        changes = {f"_{PIECES}": ["many"]} if chance < 0.1 else {"title": f"Mug {run}"}
        number, mark = gtin(own, 2), f"{run}/p{row}"
        document = product(number, **changes) | {MARK: mark}
        body = json.dumps(document).encode()
        item = Item(row, PRODUCTS, "", document["sellerProductReference"], number, body)
        return Row(mark, item, document)

    def _product(self, reference: str) -> dict[str, str]:
        """Mostly a product without a sheet until it is made."""
        own = self.references.index(reference) if reference in self.references else 0
        return {"gtin": gtin(own, 2 if self.random.random() < 0.5 else 3)}


# The way there.


@dataclass
class ProductCalls:
    """The calls about products, in their order."""

    steps: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By the GTIN: `lost` and the mark of a POST whose answer we have not, `known` and the mark
    of one whose answer we have, `read` for the reports."""


class ShopNetwork(Network):
    """A network that remembers the calls about products."""

    asked: ProductCalls
    is_sending = False

    def send(self, call: Call) -> Reply:
        self.is_sending = True
        try:
            reply = super().send(call)
        except NotSent:
            raise
        except (OutcomeUnknown, Crash):
            self._note(call, "lost")
            raise
        finally:
            self.is_sending = False
        is_known = reply.status < 500 and reply.status != STRANGE
        self._note(call, "known" if is_known else "lost")
        numbers = dict(call.query).get("gtin") or call.target.partition("gtin=")[2]
        if is_known and numbers:
            for number in numbers.partition("&")[0].replace("%2C", ",").split(","):
                self.asked.steps[number].append("read")
        return reply

    def post_late(self, call: Call, within: timedelta) -> None:
        if not self.is_sending:  # it was under way when the process died
            self._note(call, "lost")
        super().post_late(call, within)

    def half(self, call: Call, token: str) -> Reply:
        """Take the batch whole or not at all: it is one document."""
        return self.broken(call, token) if _is_batch(call) else super().half(call, token)

    def _note(self, call: Call, what: str) -> None:
        if _is_batch(call):
            for one in json.loads(call.body or b"")["products"]:
                self.asked.steps[one["gtin"]].append(f"{what} {one[MARK]}")


def _is_batch(call: Call) -> bool:
    return call.method == "POST" and call.target == "/products-integration"


# What happens.


@dataclass
class Shop(World):
    """The world of one seed, with products too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.limits = replace(self.limits, products=self.dice.choice((1, 2, 3)))
        pause = timedelta(minutes=self.dice.choice((0, 0, 2)))
        self.settings = replace(self.settings, batch_pause=pause)

    def _tell_story(self) -> ShopStory:
        return ShopStory(self._dice("story"), self._dice("shapes"))

    def _network_type(self) -> type[Network]:
        self.asked = ProductCalls()
        return type("Remembering", (ShopNetwork,), {"asked": self.asked})

    def _service_settings(self) -> SandboxSettings:
        dice = self._dice("batches")
        validated = timedelta(seconds=dice.choice((0, 5, 40)))
        settings = super()._service_settings()
        products = ProductBehaviour(
            validate=validated,
            integrate=validated + timedelta(seconds=dice.choice((1, 60, 1200))),
            creations=Quota(dice.choice((1, 2)), 3600) if dice.random() < 0.2 else None,
        )
        return replace(settings, parts=(*settings.parts, products))

    def _waits(self, run: Told) -> Callable[[Item], bool]:
        made = {name for row in products_of(run) for name in _names(row.item)}

        def waits(item: Item) -> bool:
            is_upsert = item.package_type == PackageType.UPSERT
            return is_upsert and not made.isdisjoint(product_names(item.reference, item.product))

        return waits

    def judged(self) -> Findings:
        court = ShopCourt(self)
        court.check_service()
        court.check_sendings()
        return court.check_verdicts()


def products_of(run: Told) -> list[Row]:
    return [row for row in run.rows if row.item.package_type == PRODUCTS]


def _names(item: Item) -> frozenset[str]:
    return names_of_product(item.reference, item.product)


# What came of it.


class ShopCourt(Court):
    """Checks a world with products by its witnesses."""

    def __init__(self, world: Shop) -> None:
        super().__init__(world)
        self.shop = world
        self.reported: dict[str, list[Reported]] = defaultdict(list)
        for record in reported_products(world.service):
            self.reported[record.body[MARK]].append(record)

    def check_sendings(self) -> None:
        """Check that the reports were read after each POST whose answer was lost."""
        for number, steps in self.shop.asked.steps.items():
            in_doubt: set[str] = set()
            for step in steps:
                what, _, mark = step.partition(" ")
                if what == "read":
                    in_doubt.clear()
                elif mark in in_doubt:
                    raise Wrong(
                        f"{mark} ({number}) was sent again, and no report was read: {steps}"
                    )
                elif what == "lost":
                    in_doubt.add(mark)

    def check_verdicts(self) -> Findings:
        for run in self.world.story.runs:
            self._check_meeting(run)
        return super().check_verdicts()

    def _check_verdict(self, row: Row, verdict: RowResult) -> None:
        if row.item.package_type != PRODUCTS:
            super()._check_verdict(row, verdict)
            return
        records = self.reported.get(row.mark, [])
        told = [record.status for record in records]
        say = f"product {row.mark} is {verdict.status}, and at the service {told}"
        others = [record for record in records if record.codes != ("QuotaExceeded",)]
        if len(others) > MOST_COPIES:
            raise Wrong(f"{say}: it came there {len(others)} times")
        right = {
            Status.INTEGRATED: "Integrated" in told,
            Status.REFUSED: "Refused" in told and "Integrated" not in told,
            Status.REJECTED: row.is_malformed and not told,
            Status.SUPERSEDED: "Integrated" not in told and any(self._later(row)),
            Status.UNKNOWN: verdict.messages[0].text in {LOST, NEVER_SEEN},
        }
        if not right.get(verdict.status):
            raise Wrong(say)

    def _check_meeting(self, run: Told) -> None:
        """No offer went before its product: else it would lack a sheet that the run has made."""
        integrated = {
            name
            for row, verdict in self.world.results(run)
            for name in _names(row.item)
            if row.item.package_type == PRODUCTS and verdict.status is Status.INTEGRATED
        }
        for row in run.rows:
            names = product_names(row.item.reference, row.item.product)
            codes = [code for record in self.applied.get(row.mark, []) for code in record.codes]
            if NO_SHEET in codes and not integrated.isdisjoint(names):
                raise Wrong(f"offer {row.mark} was made before its product")


MOST_COPIES = 2
"""A batch whose answer was lost is sent once more."""
