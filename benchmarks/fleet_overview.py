"""All sellers at a glance, and lists of runs, in a large ledger.

`python benchmarks/fleet_overview.py [--sellers N] [--runs N]` makes a ledger in SQLite and one in
PostgreSQL with so many runs, each of a file with one package, and measures: the rows of a page of
sellers as `feedtool sellers` has them, the page `/sellers`, the figures of `/metrics`, a page of
runs, a seller's runs, how long the ledger takes to open from the version before, and to forget.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask.testing import FlaskClient

NOW = datetime.now(UTC)
SERVICE = "https://service.example/v2"
TIMES = 15
STATUSES = {"Integrated": 9, "Rejected": 1}


def fill(place: Path | str, sellers: int, runs: int) -> None:
    """A ledger of so many runs, the last 90 days of them; some sellers wait, or are in trouble."""
    from sqlalchemy import insert, text

    from feedtool.ledger import Ledger
    from feedtool.ledger import tables as fleet
    from feedtool.ledger import tables as t
    from feedtool.ledger.database import writing

    every = timedelta(days=90) / runs
    options = json.dumps({"profile": "p", "sheets": [["offers.csv", None]], "who": "w" * 900})
    whose = [{"service": SERVICE, "seller": f"S{number:04}"} for number in range(sellers)]
    with Ledger(place) as ledger:
        for begin in range(0, runs, 10_000):
            numbers = range(begin + 1, min(begin + 10_000, runs) + 1)
            at = {number: NOW - every * (runs - number) for number in numbers}
            rows: dict[Any, list[dict[str, Any]]] = {
                t.runs: [
                    {"run_id": n, "started_at": at[n], "language": "en", "options": options}
                    | whose[n % sellers]
                    for n in numbers
                ],
                t.files: [
                    {"file": n, "run_id": n, "path": "offers.csv", "sha256": "", "kind": "k"}
                    for n in numbers
                ],
                t.packages: [
                    {"package": n, "file": n, "number": 1, "channel": "P", "rows": 10}
                    | {"package_type": "Upsert", "phase": "closed", "created_at": at[n]}
                    for n in numbers
                ],
                t.absorbed: [{"package": n} for n in numbers],
                fleet.counts: [
                    {"run_id": n, "statuses": json.dumps(STATUSES), "counted_at": at[n]}
                    | {"answered": 10, "refused": 1, "held": int(n % 500 == 0), "is_finished": 1}
                    | whose[n % sellers]
                    for n in numbers
                ],
            }
            with writing(ledger.engine) as db:
                for table, entries in rows.items():
                    db.execute(insert(table), entries)
        with writing(ledger.engine) as db:
            last = runs - runs % sellers
            db.execute(insert(fleet.sellers), [*_sellers(whose, last)])
            db.execute(insert(fleet.parcels), [*_parcels(whose)])
        if ledger.engine.dialect.name == "postgresql":
            with ledger.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
                db.execute(text("VACUUM ANALYZE"))


def _sellers(whose: list[dict[str, str]], last: int) -> Iterator[dict[str, Any]]:
    for number, key in enumerate(whose):
        is_in_trouble = number % 50 == 0
        yield {
            **key,
            "profile": f"profile-{number}",
            "run_id": last - len(whose) + number or None,
            "passed_at": NOW,
            "passes": 100,
            "failures": int(is_in_trouble),
            "message": "no answer" if is_in_trouble else None,
            "answers": json.dumps(STATUSES),
        }


def _parcels(whose: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    told = {"kind": "", "name": "a.csv", "origin": "", "size": 1, "priority": 0}
    for number, key in enumerate(whose[::10]):
        for file in range(3):
            waited = timedelta(minutes=number + file)
            named = {"profile": f"profile-{number}", "sha256": f"{number} {file}"}
            yield {**told, **key, **named, "state": "waiting", "arrived_at": NOW - waited}


def timed(name: str, work: Callable[[], object]) -> None:
    """The median and the least of several times, after a first that compiles the statements.

    Where others use the machine too, the least is what it costs.
    """
    work()
    seconds = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    median, least = 1000 * statistics.median(seconds), 1000 * min(seconds)
    print(f"  {name:44} {median:8.1f} ms {least:8.1f} ms", flush=True)


def measure(place: Path | str, folder: Path) -> None:
    """All that is shown of many."""
    from feedtool.delivery.deadlines import ServiceClock
    from feedtool.ledger import Ledger
    from feedtool.ledger.records import seller_key
    from feedtool.ledger.sellers import SellerFilter, SellersOverview
    from feedtool.page.app import application
    from feedtool.runs.history import every_run
    from tests.page.conftest import made_session

    of_one = [seller_key(SERVICE, "S0007")]
    with Ledger(place) as ledger:
        overview = SellersOverview(ledger.engine, ledger.counts)

        def glance(wanted: SellerFilter, first: int = 0) -> object:
            return overview.states(overview.lines(wanted)[first : first + 100], NOW)

        timed("a page of sellers", lambda: glance(SellerFilter()))
        timed("the last page of sellers", lambda: glance(SellerFilter(), 900))
        timed("those in trouble", lambda: glance(SellerFilter(is_in_trouble=True)))
        timed("those of whom rows are held", lambda: glance(SellerFilter(is_held=True)))
        timed("the figures", overview.figures)
        timed("the last 50 runs", lambda: [*every_run(ledger, lambda _: ServiceClock(NOW), 50)])
        timed("50 runs in the midst", lambda: [*every_run(ledger, _clock, 50, before=50_000)])
        timed("the numbers of a seller's runs", lambda: ledger.pages.numbers(50, of=of_one))
        timed("what may go on", ledger.pages.may_go_on)
        timed("the clock of the service", lambda: ledger.skew(SERVICE))
    words = [] if isinstance(place, Path) else ["--ledger", place]
    home = place.parent if isinstance(place, Path) else folder / "home"
    with made_session(home, *words) as session:
        client = application(session).test_client()
        of_seller = f"/en/runs?service={SERVICE}&seller=S0007"
        paths = ("/en/sellers", "/en/sellers?page=10", "/en/runs", of_seller, "/metrics")
        for path in paths:
            timed(f"GET {path}", partial(_see, client, path))


def _clock(_: str) -> Any:
    from feedtool.delivery.deadlines import ServiceClock

    return ServiceClock(NOW)


def _see(client: "FlaskClient", path: str) -> None:
    answer = client.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path}: {answer.status}")


def forgotten(place: Path | str, folder: Path) -> None:
    """The time in which all but the last 9 days are forgotten, and how long others wait at most."""
    from feedtool.ledger import Ledger
    from feedtool.ledger.database import shrink
    from feedtool.ledger.snapshots import Snapshots
    from feedtool.runs.forget import ForgettingPace, forget
    from feedtool.runs.workspace import Workspace

    steps: list[float] = []
    pace = ForgettingPace(steps.append)
    with Ledger(place) as ledger:
        workspace = Workspace(ledger, Snapshots(folder / "none"), folder)
        begun = time.perf_counter()
        done = forget(workspace, NOW - timedelta(days=9), NOW, pace, keep_counts=False)
        seconds = time.perf_counter() - begun
        print(f"  {f'forgetting {done.runs:,} runs':44} {1000 * seconds:8.1f} ms")
        print(f"  {'the longest transaction of that':44} {1000 * max(steps):8.1f} ms")
        begun = time.perf_counter()
        if shrunk := shrink(ledger.engine):
            mb = f"{shrunk.before / 1e6:,.0f} to {shrunk.after / 1e6:,.0f} MB"
            print(f"  {f'the file anew, {mb}':44} {1000 * (time.perf_counter() - begun):8.1f} ms")


def migrated(place: Path | str) -> None:
    """The time in which a ledger of the version before has its counts."""
    from sqlalchemy import text

    from feedtool.ledger import Ledger
    from feedtool.ledger.database import writing

    indexes = ("run_by_seller", "run_by_service", "package_open", "output_unwritten")
    with Ledger(place) as ledger, writing(ledger.engine) as db:
        for index in indexes:
            db.execute(text(f"DROP INDEX {index}"))
        for table in ("parcels", "sellers", "counts", "budgets"):
            db.execute(text(f"DROP TABLE {table}"))
        db.execute(text("UPDATE schema_version SET version = 13"))
    begun = time.perf_counter()
    Ledger(place).close()
    print(f"  {'opening it from version 13':44} {1000 * (time.perf_counter() - begun):8.1f} ms")


@contextmanager
def places(folder: Path) -> Iterator[dict[str, Path | str]]:
    """Where a ledger may be, by the database's name."""
    from tests.ledger import cluster

    (folder / "home").mkdir()
    with cluster.running() as server:
        yield {"SQLite": folder / "home" / "ledger.sqlite", "PostgreSQL": server.url}


def main() -> None:
    """The ledgers, and the measuring."""
    parser = argparse.ArgumentParser(description="Measures lists of sellers and runs.")
    parser.add_argument("--sellers", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=100_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, places(Path(name)) as each:
        for database, place in each.items():
            print(f"{database}: {asked.sellers:,} sellers, {asked.runs:,} runs", flush=True)
            fill(place, asked.sellers, asked.runs)
            measure(place, Path(name))
            migrated(place)
            forgotten(place, Path(name))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
