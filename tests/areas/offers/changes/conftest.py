"""A seller at a sandbox of his own, who sends one file after the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from copy import copy
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count, repeat
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.offers.export import EXPORT
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.areas.registry import sandbox_parts
from feedtool.check import Input, ReadOptions
from feedtool.feeds.selection import EVERY_ROW, SelectionOptions
from feedtool.ledger import Ledger
from feedtool.ledger.snapshots import Snapshots
from feedtool.model.errors import NothingToDo
from feedtool.model.settings import AccountSettings, Guards
from feedtool.runs.deliver import Submission, resume
from feedtool.runs.export import export, remember_export
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions, RunSnapshots
from feedtool.runs.selection import select_rows
from feedtool.runs.submit import plan_only, submit
from feedtool.runs.workspace import Session, Workspace
from feedtool.sandbox.exchange import SandboxSettings
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from feedtool.service.fetch import FetchContext
from tests.answers import query_of
from tests.areas.offers.sandbox.records import Applied, applied_requests
from tests.conftest import table

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ADDRESS = "http://sandbox.invalid/v2"

CHANGED = SelectionOptions(changed_only=True)
PREFERRED = SelectionOptions(changed_only=True, prefer_update=True)
NO_GUARDS = Guards(price_factor=Guards().price_change, removals=Guards().price_change)

AT_ONCE = SandboxSettings(
    parts=(
        OfferBehaviour(
            settle=timedelta(0), pend=timedelta(milliseconds=1), integrate=timedelta(milliseconds=2)
        ),
    )
)

OFFERS = """
SELECT o.channel, o.reference, o.product, o.gtin, o.product_reference, o.condition, o.price,
  o.origin_price, o.taxes, o.modes, o.preparation, s.quantity,
  (SELECT text FROM offer_comment WHERE offer = o.id) AS comment
FROM offer AS o JOIN stock AS s USING (seller, product, condition)
WHERE o.seller = ?
"""


class Market:
    """A sandbox and a ledger in memory, for as many sellers as one likes."""

    def __init__(self, folder: Path, ledger: Ledger | None = None) -> None:
        ticks = count()
        self.transport = SandboxTransport(
            sandbox_parts(),
            settings=AT_ONCE,
            real=lambda: START + timedelta(milliseconds=next(ticks)),
        )
        self.ledger = ledger or Ledger()
        self.books = Workspace(self.ledger, Snapshots(folder / "snapshots"), folder / "results")
        self.folder = folder
        self.elsewhere = ExitStack()
        """The ledgers of other machines."""
        self._sellers = count(1)

    def shop(self, guards: Guards = NO_GUARDS) -> "Shop":
        return Shop(self, f"seller {next(self._sellers)}", guards)

    def close(self) -> None:
        self.elsewhere.close()
        self.transport.close()
        self.ledger.close()


class Shop:
    """A seller there."""

    def __init__(self, market: Market, seller: str, guards: Guards) -> None:
        self.seller, self.guards, self.folder = seller, guards, market.folder
        self.transport, self.ledger, self.books = market.transport, market.ledger, market.books
        self.market = market
        now, sleep = self.transport.now, self.transport.sleep
        self.unrecorded: list[int] = []
        client = self.client("sandbox")
        self.service = Session(client, seller, ADDRESS, "en", now, sleep, pool=1, page=1000)

    def client(self, token: str) -> Client:
        return Client(
            ADDRESS, self.seller, StaticToken(token), language="en", transport=self.transport
        )

    def asked(self, kind: str | None = None) -> ReadOptions:
        return ReadOptions(AccountSettings(guards=self.guards), kind=kind)

    def purging(self) -> ReadOptions:
        return replace(self.asked("legacy-offers"), purges=True)

    def send(
        self,
        *rows: Mapping[str, str],
        selection: SelectionOptions = EVERY_ROW,
        kind: str | None = None,
        name: str = "offers.csv",
        asked: ReadOptions | None = None,
        service: Session | None = None,
        **how: Any,
    ) -> Submission:
        path = self.folder / name
        path.write_text(table(rows), encoding="utf-8")
        return submit(
            [Input(name, path)],
            asked or self.asked(kind),
            Outputs(),
            service or self.service,
            self.books,
            selection=selection,
            **how,
        )

    def plan(
        self,
        *rows: Mapping[str, str],
        selection: SelectionOptions = EVERY_ROW,
        kind: str | None = None,
        name: str = "offers.csv",
    ) -> Submission:
        """The results of a dry run, which sends nothing: a row that would be sent is Valid."""
        path = self.folder / name
        path.write_text(table(rows), encoding="utf-8")
        asked, account = self.asked(kind), (ADDRESS, self.seller)
        select = partial(
            select_rows, self.books, reading=asked, selection=selection, account=account
        )
        return Submission(plan_only([Input(name, path)], asked, Outputs(), select=select))

    def resume(self) -> None:
        for number in (*self.unrecorded, *self.ledger.unfinished(self.seller)):
            resume(number, self.service, self.books)

    def export(self, channel: str = "PRIMARY") -> None:
        """Export like `feedtool export offers`, which remembers the shown offers."""
        now = self.transport.now
        query, target = query_of(EXPORT, channel=channel), self.folder / "export.csv"
        around = FetchContext(now, self.transport.sleep, pool=1)
        service = replace(self.service, seller=self.seller, address=ADDRESS, now=now)
        messages: list[str] = []
        with (
            suppress(NothingToDo),
            remember_export(
                EXPORT, query, service, self.books, lambda *text: messages.append(text[1])
            ) as it,
        ):
            export(EXPORT, query, target, service.client, around, service=ADDRESS, observed=it)
        assert messages == []

    def elsewhere(self) -> "Shop":
        """The same seller at another machine, whose ledger is empty."""
        other = copy(self)
        other.ledger, other.unrecorded = self.market.elsewhere.enter_context(Ledger()), []
        other.books = replace(self.books, ledger=other.ledger)
        return other

    def kill_while_recording(self, *rows: Mapping[str, str]) -> None:
        """A run that is gone before any of its rows is in the ledger."""
        path = self.folder / "killed.csv"
        path.write_text(table(rows), encoding="utf-8")
        kept = self.books.keep(Input("killed.csv", path))
        recorded = RunOptions(
            self.asked(),
            Outputs(),
            RunSnapshots([("killed.csv", str(kept.sha256))]),
            sheets=[("killed.csv", None)],
        )
        number = self.ledger.start_run(
            now=self.transport.now(),
            seller=self.seller,
            service=ADDRESS,
            options=recorded.as_json(),
        )
        self.unrecorded.append(number)

    def applied(self) -> list[Applied]:
        """All requests of this seller that the service has had."""
        every = applied_requests(self.transport.sandbox)
        return [one for one in every if one.seller == self.seller]

    def offers(self) -> list[tuple[object, ...]]:
        """All offers of the service, without times."""
        with self.transport.sandbox.state.transaction() as db:
            return sorted(tuple(row) for row in db.execute(OFFERS, (self.seller,)))


def statuses(submission: Submission) -> list[str]:
    return [
        result.status.value for sheet in submission.outcomes for result in sheet.every_verdict()
    ]


def codes(submission: Submission) -> Sequence[tuple[int, list[str]]]:
    """Row and codes of what is said of every row of which anything is."""
    return [
        (verdict.row, [message.code for message in verdict.messages])
        for outcome in submission.outcomes
        for verdict in outcome.every_verdict()
        if verdict.messages
    ]


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    made = Market(tmp_path_factory.mktemp("market"))
    yield made
    made.close()


@pytest.fixture
def shop(market: Market) -> Shop:
    return market.shop()


@pytest.fixture(scope="module")
def next_market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Market]]:
    """The same market for some examples: the more sellers there are, the slower it is."""
    folder = tmp_path_factory.mktemp("markets")
    with ExitStack() as stack:

        def markets() -> Iterator[Market]:
            while True:
                stack.close()
                market = Market(folder)
                stack.callback(market.close)
                yield from repeat(market, 25)

        yield partial(next, markets())
