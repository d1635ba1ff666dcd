"""Many sellers, many workers: how fast parcels come in, and what workers cost that idle.

`python benchmarks/fleet.py [--only PART]` starts a PostgreSQL and real workers on this machine,
and measures: parcels that are brought, each a file of one row; passes of sellers without a parcel,
worked off by two workers; the queries that ten workers ask who have nothing to do; and how soon
another worker has the seller of one that is killed, or whose machine is cut off.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.ledger.conftest import Server
    from tests.worker.market import Market

FILES, PASSES, IDLERS = 500, 1_000, 10
SETTLING, LOOKING = 30.0, 60.0
"""Seconds until workers idle, and in which their queries are counted."""
KILLS, CUTS = 5, 3
ADDRESS = "https://service.example/v2"
ASKED = """SELECT xact_commit + xact_rollback FROM pg_stat_database
 WHERE datname = current_database()"""


def show(name: str, figure: float, unit: str, target: str, spread: str = "") -> None:
    """A line of the table."""
    print(f"  {name:48} {figure:8.1f} {unit:4} ({target}){spread}", flush=True)


@contextmanager
def opened(server: "Server", machines: int = 2) -> Iterator["Market"]:
    """A market with a ledger of its own; nothing in it is sent."""
    from tests.resume.world import serving
    from tests.worker.market import market

    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as served:
        (root := Path(name) / "market").mkdir()
        with server.database() as url, market(root, served, url, machines=machines) as found:
            yield found


def brought(server: "Server") -> None:
    """Files of 20 sellers, brought one seller after the other."""
    from feedtool.ledger.records import seller_key
    from feedtool.ledger.snapshots import open_snapshots
    from feedtool.runs.workspace import Workspace
    from feedtool.worker.inbox import Intake, IntakeOptions
    from tests.conftest import offer, table

    with opened(server) as market:
        files = [market.root / f"{number}.csv" for number in range(FILES)]
        for number, file in enumerate(files):
            file.write_text(table([offer(number)]), "utf-8")
        snapshots = open_snapshots(market.root, str(market.root / "store"))
        workspace = Workspace(market.ledger, snapshots, market.root / "spares")
        rates = []
        for number in range(20):
            key = seller_key(ADDRESS, f"S{number}")
            intake = Intake(workspace, market.queue, key, f"S{number}", None)
            ours = files[number::20]
            begun = time.perf_counter()
            found = intake.bring_all(ours, IntakeOptions(), datetime.now(UTC))
            rates.append(len(found.parcels) / (time.perf_counter() - begun))
    show("parcels brought, one after the other", statistics.median(rates), "/s", "at least 100")


def passed(server: "Server") -> None:
    """Passes of sellers of whom nothing waits."""
    with opened(server) as market:
        for number in range(PASSES):
            market.queue.put((ADDRESS, f"S{number}"))
        left = [(PASSES, 0.0)]
        for _ in market.machines:
            market.start("--side-by-side", "8")

        def is_empty() -> bool:
            left.append((len(market.queue.listed()), time.perf_counter()))
            return left[-1][0] == 0

        market.wait_for(is_empty)
        market.end()
    begun, ended = next(it for it in left if it[0] < 0.9 * PASSES), left[-1]
    rate = (begun[0] - ended[0]) / (ended[1] - begun[1])
    show("empty passes of two workers", rate, "/s", "at least 50")


def idle(server: "Server") -> None:
    """What the server is asked by workers that have nothing to do."""
    import psycopg

    with opened(server, machines=IDLERS) as market:
        for _ in market.machines:
            market.start("--side-by-side", "8")
        url = market.ledger.engine.url.set(drivername="postgresql")
        market.wait_for(lambda: all(map(market.is_there, market.processes)))
        with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as db:

            def asked() -> int:
                return int((db.execute(ASKED).fetchone() or (0,))[0])

            time.sleep(SETTLING)
            before = asked()
            time.sleep(LOOKING)
            rate = (asked() - before) / LOOKING
        market.end()
    show(f"queries of {IDLERS} workers that idle", rate, "/s", "less than 5")


def taken(name: str, target: str, times: int, measure: Callable[[], float]) -> None:
    """How soon a seller is another's."""
    found = sorted(measure() for _ in range(times))
    spread = f", {found[0]:.1f} to {found[-1]:.1f} in {times}"
    show(name, statistics.median(found), "s", target, spread)


def taken_from_killed(server: "Server") -> None:
    """A worker is killed."""
    from tests.ledger.conftest import Process
    from tests.worker.fleet import Fleet, taken_over

    def measure() -> float:
        with server.database() as url:
            fleet = Fleet(url)
            with fleet.ledger, fleet.queue:
                return taken_over(fleet, url, Process.kill)

    taken("taken over from a killed process", "at most 1", KILLS, measure)


def taken_from_cut_off(_: "Server") -> None:
    """A machine is cut off: one that looks after the others, and one that waits for its turn."""
    from tests.worker.fleet import Work, cut_off, taken_over

    def measure(*, is_waiting: bool) -> float:
        with cut_off() as (fleet, url, cable):
            looking = Work()
            looking.ours = []
            turn = ["2s"] if is_waiting else []
            with fleet.working(looking) if is_waiting else nullcontext():
                return taken_over(fleet, url, lambda _: cable.turn("down"), turn, cable.prefix)

    name = "taken over from a machine that is cut off"
    taken(name, "at most 10", CUTS, lambda: measure(is_waiting=False))
    taken(f"{name}, asking", "at most 10", CUTS, lambda: measure(is_waiting=True))


PARTS = {
    "brought": brought,
    "passed": passed,
    "idle": idle,
    "killed": taken_from_killed,
    "cut": taken_from_cut_off,
}


def main() -> None:
    """All that is measured, one after the other."""
    from tests.ledger import cluster
    from tests.ledger.conftest import Server

    parser = argparse.ArgumentParser(description="Measures what many workers do, and cost.")
    parser.add_argument("--only", choices=PARTS, help="Only this part.")
    only = parser.parse_args().only
    with cluster.running() as running:
        for name, measure in PARTS.items():
            if only in {None, name}:
                measure(Server(running))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
