"""A seller, several runs, a machine that dies, a network that fails, a service, and time.

All of it follows from one seed. The decision table, the shell that carries it out, the ledger
and the service are the real ones; time, the network and the threads are not.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from unittest import mock

from msgspec.structs import replace

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.areas.offers.wire.packages import commit, create_package, upload
from feedtool.areas.registry import load, sandbox_parts
from feedtool.delivery import engine as shell
from feedtool.delivery import plan
from feedtool.delivery.steps import CallSettings, DeliverySettings
from feedtool.model.call import Call
from feedtool.model.errors import FeedtoolError, Interrupted
from feedtool.model.nouns import Item, RowResult
from feedtool.model.settings import PackageLimits
from feedtool.model.sheet import rows_of
from feedtool.sandbox import Sandbox, SandboxSettings
from feedtool.service import calls
from tests.areas.offers.sandbox.records import sell_offer
from tests.simulation.checker import Findings, checked
from tests.simulation.machine import Clock, Crash, FragileLedger, Lanes, Power
from tests.simulation.network import GOOD, SELLER, Network
from tests.simulation.story import CHANNELS, Row, Story, Told

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SERVICE = "https://service.invalid/v2"

FAULTS, CRASHES = 0.03, 0.01
"""The chances at each call, and at each call or write."""

CHAOTIC_LIVES = 12
"""Number of processes, one after the other, with a bad network and a bad machine."""

CALM_LIVES = 60
"""Number of processes with a good network, after which all must be complete."""


class Now(BaseException):
    """Ctrl-C, twice: the process ends at once, but not without writing down what it knows."""


@dataclass
class World:
    """The world of one seed; `live` runs it."""

    seed: int
    ledger: FragileLedger
    log: list[str] = field(default_factory=list)
    files: dict[int, int] = field(default_factory=dict)
    """The ledger's file of each run, by the run's number."""
    only_fetch: bool = False
    chaotic_lives: int = CHAOTIC_LIVES

    def __post_init__(self) -> None:
        self.ledger.wipe()
        self.story = self._tell_story()
        self.dice = self._dice("world")
        self.clock = Clock(START)
        self.service = self._make_service()
        scale = self.dice.choice((0.3, 1.0, 1.0, 1.0, 2.5))
        self.power = Power(self._dice("power"), self.note, 0.0)
        self.crashes = CRASHES * scale
        self.network = self._network_type()(
            self.service,
            self.clock,
            self.power,
            self._dice("network"),
            self.note,
            ahead=timedelta(hours=self.dice.choice((0, 0, 0, -9, -1, 2, 7))),
            chance=FAULTS * scale,
        )
        self.settings = DeliverySettings(
            CallSettings(results_limit=self.dice.choice((None, 1, 2, 3))),
            patience=self.dice.choice((timedelta(minutes=10), timedelta(hours=1))),
        )
        upload = self.dice.choice((2, 3))
        self.limits = PackageLimits(upload=upload, package=self.dice.choice((6, 8, 10)))
        self.pool = self.dice.choice((1, 2, 4))

    def _tell_story(self) -> Story:
        return Story(self._dice("story"), self._dice("shapes"))

    def _network_type(self) -> type[Network]:
        return Network

    def _make_service(self) -> Sandbox:
        return Sandbox(sandbox_parts(), settings=self._service_settings())

    def _dice(self, what: str) -> Random:
        return Random(f"{what} of {self.seed}")  # noqa: S311 - it guards nothing

    def _service_settings(self) -> SandboxSettings:
        """Quick or slow, and hardly ever in order."""
        dice = self._dice("service")
        slow = dice.choice((2, 2, 15, 100))
        return SandboxSettings(
            parts=(
                OfferBehaviour(
                    settle=timedelta(seconds=dice.choice((0, 0, 5))),
                    pend=timedelta(seconds=1),
                    integrate=timedelta(seconds=2),
                    delays=tuple(timedelta(seconds=dice.randint(0, slow)) for _ in range(7)),
                ),
            )
        )

    def note(self, what: str) -> None:
        self.log.append(f"{self.clock.time:%d %H:%M:%S} {what}")

    # What happens.

    def live(self) -> None:
        """Everything from the first run to the last result."""
        self._stock()
        to_begin = list(self.story.runs)
        self.power.chance = self.crashes
        for _ in range(self.chaotic_lives):
            if not self._one_life(to_begin):
                break
            self._idle((0, 0, 1, 60, 10_000, 40_000, 400_000))
        self._calm_down()
        for _ in range(CALM_LIVES):
            if not self._one_life(to_begin):
                return
            self._idle((1, 60, 4000))
        raise AssertionError(f"after {CALM_LIVES} good processes something is still unfinished")

    def _one_life(self, to_begin: list[Told]) -> bool:
        """Run one process from start to end; False if nothing is left to do."""
        unfinished = self.ledger.unfinished(SELLER)
        if not to_begin and not unfinished:
            return False
        self.power.is_on = True
        begins = bool(to_begin) and (not unfinished or self.dice.random() < 0.5)
        try:
            if begins:
                run_id = self._begin(to_begin[0])
                to_begin.pop(0)
            else:
                run_id = self.dice.choice(unfinished)
                self.note(f"RESUME run {run_id}")
            self._deliver(run_id)
        except Crash:
            for call in self.lanes.abandoned():
                if self.dice.random() < 0.5:
                    self.network.post_late(call, timedelta(minutes=5))
            self._forget_or_keep(to_begin)
        except Now:
            self.note("STOPPED")
        except FeedtoolError as error:
            self.note(f"ended: {error.message}")
        return True

    def _begin(self, run: Told) -> int:
        self.note(f"SUBMIT run {run.number}")
        run_id = self.ledger.start_run(now=self.clock.time, seller=SELLER, service=SERVICE)
        items, routes = (row.item for row in run.rows), load().routes
        stream = plan.uploads(items, routes, self.limits, self._waits(run))
        self.files[run.number] = 0
        name = f"run{run.number}"
        file = self.ledger.add_file(run_id, stream, path=name, sha256="", kind="k")
        self.files[run.number] = file
        return run_id

    def _waits(self, run: Told) -> Callable[[Item], bool]:
        """True for rows of a run that wait for others."""
        del run
        return lambda _: False

    def _forget_or_keep(self, to_begin: list[Told]) -> None:
        """A run that died while it was begun: it is in the ledger, or it is begun again."""
        number = to_begin[0].number if to_begin else None
        if number is None or number not in self.files:
            return
        for run_id in self.ledger.unfinished(SELLER):
            for file in self.ledger.files(run_id):
                if file.path == f"run{number}":
                    self.files[number] = file.file
                    to_begin.pop(0)
                    return
        del self.files[number]

    def _deliver(self, run_id: int) -> None:
        self.lanes = Lanes(self.dice)
        patience = self.dice.random() * (30 if self.dice.random() < 0.3 else 2000)
        until = self.clock.time + timedelta(minutes=patience)

        def stopping() -> FeedtoolError | None:
            is_over = self.power.chance > 0 and self.clock.time > until
            return Interrupted("Ctrl-C") if is_over else None

        with self._threads():
            shell.Delivery(
                self.ledger,
                run_id,
                self.network,
                load().routes,
                now=self.clock.now,
                sleep=self._sleep,
                jitter=self.dice.random,
                pool=self.pool,
                wait=self.dice.random() < 0.7,
                settings=self.settings,
                stopping=stopping,
                only_fetch=self.only_fetch,
            ).run()

    @contextmanager
    def _threads(self) -> Iterator[None]:
        """Our threads instead of the shell's, the same for a seed."""
        with (
            mock.patch.object(calls, "executor", return_value=self.lanes),
            mock.patch.object(calls, "wait_for", self.lanes.wait_for),
        ):
            yield

    def _sleep(self, seconds: float) -> None:
        self.power.check()
        if self.power.chance and self.dice.random() < 0.005:
            raise Now
        self._wait(timedelta(seconds=seconds))

    def _idle(self, seconds: tuple[int, ...]) -> None:
        """Pass the time between two processes, as long as a cron job or a weekend."""
        self._wait(timedelta(seconds=self.dice.choice(seconds) * self.dice.random()))

    def _wait(self, duration: timedelta) -> None:
        """Time passes, and customers buy."""
        self.network.pass_time(duration)
        if self.dice.random() < min(0.5, duration / timedelta(hours=1)):
            channel, name = self.dice.choice(CHANNELS), self.dice.choice(self.story.references)
            number = self.dice.randint(1, 9)
            if sell_offer(self.service, SELLER, channel, name, self.network.service_time, number):
                self.note(f"SALE of {name} on {channel}")

    def _calm_down(self) -> None:
        self.note("CALM")
        self.power.chance = self.network.chance = 0.0
        self.network.out_until = None
        self.network.tokens.token = GOOD
        self.settings = replace(self.settings, patience=timedelta(hours=3))

    def _stock(self) -> None:
        """Fill the service before the first run, with offers sent by somebody else."""
        chance, self.network.chance = self.network.chance, 0.0
        for run in self.story.before:
            channel = run.rows[0].item.channel
            created = self.network.send(create_package(channel, PackageType.UPSERT, "en"))
            package = created.headers["content-location"].rpartition("/")[2]
            rows = [row.item.body for row in run.rows]
            calls: list[Call] = [upload(package, rows), commit(package)]
            for call in calls:
                assert self.network.send(call).status < 300
                self.network.pass_time(timedelta(minutes=1))
            self.network.pass_time(timedelta(hours=1))
        self.network.chance = chance

    # What came of it.

    @property
    def rows(self) -> dict[str, Row]:
        return {row.mark: row for run in self.story.runs for row in run.rows}

    def results(self, run: Told) -> list[tuple[Row, RowResult]]:
        """Each result of a run and the request that it is of."""
        self.power.is_on = True
        requests = [request for _, request in rows_of(row.item for row in run.rows)]
        by_item = {row.item: row for row in run.rows}
        results = self.ledger.verdicts(self.files[run.number])
        return [(by_item[item], result) for item, result in zip(requests, results, strict=True)]

    def judged(self) -> Findings:
        """The findings of the world; Wrong for any fault."""
        return checked(self)

    def close(self) -> None:
        self.service.close()
