"""The steps of `migrations` from version 13 on: files that wait for workers, lists of runs."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa

from feedtool.ledger.table_changes import creation, execute, integer_key, number, texts

# 13 to 14: parcels, sellers, counts of runs, budgets.


def fleet(connection: sa.Connection) -> None:
    """Add the tables of files that wait for a worker, of sellers, counts and budgets."""
    create = creation(connection)
    _parcels(create)
    create(
        "sellers",
        sa.Column("service", sa.Text, primary_key=True),
        sa.Column("seller", sa.Text, primary_key=True),
        *texts("profile"),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id")),
        sa.Column("passed_at", sa.String(32)),
        *(number(name, is_key=False) for name in ("passes", "failures")),
        sa.Column("exit_code", sa.Integer),
        sa.Column("message", sa.Text),
        sa.Column("not_before", sa.String(32)),
        sa.Column("pace", sa.Text),
        *texts("answers"),
    )
    run_id = sa.Column(
        "run_id",
        integer_key(),
        sa.ForeignKey("runs.run_id"),
        primary_key=True,
        autoincrement=False,
    )
    create(
        "counts",
        run_id,
        *texts("service", "seller", "statuses"),
        sa.Column("counted_at", sa.String(32), nullable=False),
        *(number(count, is_key=False) for count in ("answered", "refused", "held", "is_finished")),
        sa.Index("counts_by_seller", "service", "seller", "run_id"),
        sa.Index("counts_by_time", "service", "seller", "counted_at", "answered", "refused"),
        _partial("counts_held", "held > 0", "service", "seller", "held"),
        _partial("counts_unfinished", "is_finished = 0", "service", "seller", "run_id"),
        _partial("counts_uncounted", "statuses = ''", "run_id"),
    )
    create(
        "budgets",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )
    _begin_counts(connection)


def _partial(name: str, where: str, *columns: str) -> sa.Index:
    only = sa.text(where)
    return sa.Index(name, *columns, sqlite_where=only, postgresql_where=only)


# Every run is in `counts`. Its rows are counted when they are shown, since counting 100,000 runs
# would take minutes. The step only notes if a run is finished, and the last run of each seller.

AT_ONCE = 1_000


class _Left(NamedTuple):
    """Facts of runs, from the other tables."""

    open: set[int]
    """Runs with a package that is not closed."""
    sheets: dict[int, set[tuple[str, str | None]]]
    """The sheets that are written down, by run."""
    held: dict[int, int]
    """The number of rows that guards hold, by run."""


def _begin_counts(db: sa.Connection) -> None:
    left = _Left(set(), defaultdict(set), {})
    left.open.update(run for (run,) in db.execute(_OPEN))
    for run, path, sheet in db.execute(sa.text("SELECT run_id, path, sheet FROM files")):
        left.sheets[run].add((path, sheet))
    left.held.update(map(tuple, db.execute(_HELD)))
    sellers: dict[tuple[str, str], dict[str, Any]] = {}
    for runs in _runs(db):
        entries = [_entry(run, left) for run in runs]
        sellers |= {(entry["service"], entry["seller"]): entry for entry in entries}
        db.execute(_COUNT, entries)
    if sellers:
        db.execute(_SELLER, [*sellers.values()])


def _runs(db: sa.Connection) -> Iterator[list[Any]]:
    """All runs, the oldest first, in lists of at most AT_ONCE."""
    query = sa.text(
        "SELECT run_id, started_at, seller, service, options FROM runs"
        " WHERE run_id > :after ORDER BY run_id LIMIT :limit"
    )
    after = 0
    while runs := [*db.execute(query, {"after": after, "limit": AT_ONCE})]:
        yield runs
        after = runs[-1].run_id


def _entry(run: Any, left: _Left) -> dict[str, Any]:
    try:
        options = json.loads(run.options)
    except ValueError:  # unreadable options count as none
        options = {}
    sheets = {tuple(sheet) for sheet in options.get("sheets", ())}
    is_given_up = "abandoned" in options
    is_whole = is_given_up or sheets <= left.sheets[run.run_id]
    return {
        "run_id": run.run_id,
        "service": run.service.rstrip("/").casefold(),
        "seller": run.seller,
        "profile": options.get("profile") or "",
        "at": run.started_at,
        "held": 0 if is_given_up else left.held.get(run.run_id, 0),
        "is_finished": int(is_whole and run.run_id not in left.open),
    }


_OPEN = sa.text(
    "SELECT DISTINCT f.run_id FROM files f JOIN packages p ON p.file = f.file"
    " WHERE p.phase <> 'closed'"
)
_HELD = sa.text(
    "SELECT f.run_id, SUM(h.rows) FROM files f JOIN held h ON h.file = f.file"
    " WHERE h.dropped_at IS NULL GROUP BY f.run_id"
)
_COUNT = sa.text(
    "INSERT INTO counts (run_id, service, seller, statuses, counted_at, answered, refused, held,"
    " is_finished) VALUES (:run_id, :service, :seller, '', :at, 0, 0, :held, :is_finished)"
)
_SELLER = sa.text(
    "INSERT INTO sellers (service, seller, profile, run_id, passes, failures, answers)"
    " VALUES (:service, :seller, :profile, :run_id, 0, 0, '{}')"
)


def _parcels(create: Callable[..., None]) -> None:
    waits = sa.text("state <> 'answered'")
    create(
        "parcels",
        sa.Column("parcel", integer_key(), primary_key=True),
        *texts("service", "seller", "profile", "kind", "name", "sha256", "origin", "state"),
        sa.Column("size", sa.BigInteger, nullable=False),
        number("priority", is_key=False),
        sa.Column("arrived_at", sa.String(32), nullable=False),
        *(
            sa.Column(name, sa.String(32))
            for name in ("not_before", "begun_at", "answered_at", "told_at")
        ),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id")),
        sa.Column("exit_code", sa.Integer),
        sa.Column("message", sa.Text),
        sa.Index(
            "parcel_by_content",
            *("service", "seller", "profile", "kind", "sha256"),
            unique=True,
            sqlite_where=waits,
            postgresql_where=waits,
        ),
        sa.Index("parcel_by_seller", "service", "seller", "state"),
        sa.Index("parcel_by_state", "state", "told_at"),
        has_rowid=True,
    )


# 14 to 15: indexes that find runs among many.


def run_lists(connection: sa.Connection) -> None:
    """Index runs by seller, open packages and unwritten copies; make the table of parcels anew."""
    # No command of version 14 wrote parcels.
    execute(connection, "DROP TABLE parcels")
    _parcels(creation(connection))
    execute(
        connection,
        "CREATE INDEX run_by_seller ON runs (service, seller)",
        "CREATE INDEX run_by_service ON runs (service, run_id)",
        "CREATE INDEX package_open ON packages (file) WHERE phase <> 'closed'",
        "CREATE INDEX output_unwritten ON outputs (run_id) WHERE sha256 = ''",
    )
