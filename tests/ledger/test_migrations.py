from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template

import pytest
from sqlalchemy import Column, Connection, Engine, MetaData, Table, Text, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from feedtool.ledger import Ledger
from feedtool.ledger.database import open_engine, reading, writing
from feedtool.ledger.migrations import STEPS, Step
from feedtool.ledger.records import seller_key
from feedtool.model.errors import UsageProblem
from tests.ledger.conftest import MOSTLY_SQLITE, Process, on_both
from tests.ledger.steps import grow, split

BROKEN = RuntimeError("out of ideas")


@pytest.fixture
def postgresql(new_database: str) -> str:
    """A PostgreSQL database without tables."""
    return new_database


def break_off(db: Connection) -> None:
    split(db)
    raise BROKEN


def fail(db: Connection) -> None:
    split(db)
    db.execute(text("INSERT INTO orders SELECT * FROM orders"))


@contextmanager
def opened(place: Path | str, steps: Sequence[Step] = STEPS) -> Iterator[Engine]:
    engine = open_engine(place, steps=steps)
    yield engine
    engine.dispose()


def old(place: Path | str, *steps: Step) -> None:
    """A ledger of version 1 with two pets, and then taken through these steps."""
    with opened(place, ()) as engine, writing(engine) as db:
        Table("pets", MetaData(), Column("name", Text, primary_key=True)).create(db)
        db.execute(text("INSERT INTO pets VALUES ('Tom'), ('Kim')"))
    for count in range(1, len(steps) + 1):
        open_engine(place, steps=steps[:count]).dispose()


def rows_at(place: Path | str, version: int) -> dict[str, list[tuple[object, ...]]]:
    """The rows of the two tables, if the ledger has this version."""
    held = {}
    with opened(place, [_never] * (version - 1)) as engine, reading(engine) as db:
        assert db.execute(text("SELECT version FROM schema_version")).all() == [(version,)]
        for table in sorted({"pets", "orders"} & set(inspect(db).get_table_names())):
            rows = db.execute(text(f"SELECT * FROM {table} ORDER BY 1"))  # noqa: S608  # ours
            held[table] = [tuple(row) for row in rows]
    return held


def _never(db: Connection) -> None:
    raise AssertionError(db)


ONE = {"pets": [("Kim",), ("Tom",)]}
TWO = {"pets": [("Kim", 7), ("Tom", 7)]}
THREE = {**TWO, "orders": [("Kim", 7), ("Tom", 7)]}


@on_both(
    ("had", "given"),
    [
        *(([grow], [_never, split]), ([grow, split], [_never, _never])),
        *(([], []), ([], [grow]), ([], [grow, split])),
    ],
)
def test_a_ledger_gets_the_steps_that_it_has_not_had(
    place: Path | str, had: list[Step], given: list[Step]
) -> None:
    old(place, *had)
    for _ in range(2):
        open_engine(place, steps=given).dispose()
        assert rows_at(place, len(given) + 1) == [ONE, TWO, THREE][len(given)]
        given = [_never] * len(given)


@MOSTLY_SQLITE
def test_a_new_ledger_needs_no_steps(place: Path | str) -> None:
    open_engine(place, steps=[_never, _never]).dispose()
    assert rows_at(place, 3) == {}


@on_both(
    ("step", "kind", "why"),
    [(break_off, RuntimeError, "out of ideas"), (fail, UsageProblem, "cannot be opened")],
)
def test_a_step_that_fails_leaves_the_old_ledger(
    place: Path | str, step: Step, kind: type[Exception], why: str
) -> None:
    old(place)
    for _ in range(2):
        with pytest.raises(kind, match=why) as caught:
            open_engine(place, steps=[grow, step])
        assert kind is RuntimeError or isinstance(caught.value.__cause__, SQLAlchemyError)
        assert rows_at(place, 1) == ONE
    open_engine(place, steps=[grow, split]).dispose()
    assert rows_at(place, 3) == THREE


@MOSTLY_SQLITE  # a step that fails is undone by PostgreSQL in the same way
def test_a_kill_in_the_middle_leaves_the_old_ledger(place: Path | str) -> None:
    lines = """
from tests.ledger.steps import grow, split
def stop(db):
    split(db)
    say("in the middle"); listen()
open_engine(place, steps=[grow, stop])
"""
    old(place)
    with Process(lines, place) as other:
        assert other.heard() == "in the middle"
    assert rows_at(place, 1) == ONE
    open_engine(place, steps=[grow, split]).dispose()
    assert rows_at(place, 3) == THREE


@MOSTLY_SQLITE  # PostgreSQL's lock is that of those who make the tables, as test_database shows
def test_one_of_two_migrating_processes_waits(place: Path | str) -> None:
    lines = """
from tests.ledger.steps import grow, split
def told(step):
    def run(db):
        step(db)
        say("migrating"); listen()
    return run
say("ready"); listen()
open_engine(place, steps=[told(grow), split])
say("open"); listen()
"""
    old(place)
    with Process(lines, place) as first, Process(lines, place) as second:
        assert (first.heard(), second.heard()) == ("ready", "ready")
        first.tell()
        assert first.heard() == "migrating"
        second.tell()
        first.tell()
        assert (first.heard(), second.heard()) == ("open", "open")
    assert rows_at(place, 3) == THREE


@on_both("version", [2, 3], on_postgresql=0)
def test_a_newer_ledger_is_left_alone(place: Path | str, version: int) -> None:
    old(place, *[grow, split][: version - 1])
    with pytest.raises(UsageProblem, match=f"of version {version}, made by a newer") as caught:
        open_engine(place, steps=())
    assert "Upgrade" in caught.value.hint
    assert rows_at(place, version) == [ONE, TWO, THREE][version - 1]


# A ledger as an earlier version made it: packages closed, in doubt, open, and not begun.


SPELT = {
    "sqlite": {"serial": "INTEGER", "key": "INTEGER", "bytes": "BLOB", "rowless": " WITHOUT ROWID"},
    "postgresql": {"serial": "BIGSERIAL", "key": "BIGINT", "bytes": "BYTEA", "rowless": ""},
}


def as_made(place: Path | str, version: int) -> None:
    folder = Path(__file__).parent / f"version_{version}"
    with opened(place) as engine, writing(engine) as db:
        old = MetaData()
        old.reflect(db)
        old.drop_all(db)
        spelt = Template((folder / "tables.sql").read_text("utf-8")).substitute(
            SPELT[db.dialect.name]
        )
        for statement in f"{spelt};\n{(folder / 'rows.sql').read_text('utf-8')}".split(";\n"):
            if statement.strip():
                db.exec_driver_sql(statement)
        if db.dialect.name == "sqlite":
            db.exec_driver_sql("UPDATE rows SET body = CAST(body AS BLOB)")


def described(place: Path | str) -> dict[object, object]:
    """All that the tables are, without the order of columns or the names of constraints."""
    with opened(place) as engine, reading(engine) as db:
        inspector = inspect(db)
        # Of all tables at once: a server has far fewer questions to answer.
        keys, foreign = inspector.get_multi_pk_constraint(), inspector.get_multi_foreign_keys()
        indexes, options = inspector.get_multi_indexes(), inspector.get_multi_table_options()
        return {
            table: (
                {column["name"]: (str(column["type"]), column["nullable"]) for column in columns},
                keys[table]["constrained_columns"],
                {
                    (*one["constrained_columns"], one["referred_table"], *one["referred_columns"])
                    for one in foreign[table]
                },
                {
                    (one["name"], *one["column_names"], bool(one["unique"]))
                    for one in indexes[table]
                },
                options[table].get("sqlite_with_rowid"),
            )
            for table, columns in inspector.get_multi_columns().items()
        }


FLEET = ("parcels", "sellers", "counts", "budgets")
ADDED = {
    9: ("earlier", "seen", "batches", "cursors", "entries", "held", *FLEET),
    10: ("seen", "batches", "cursors", "entries", "held", *FLEET),
    11: ("entries", "held", *FLEET),
    12: ("held", *FLEET),
    13: FLEET,
    14: (),
}
"""The tables that a ledger of a version has not, all others being there."""
LISTS = ("run_by_seller", "run_by_service", "package_open", "output_unwritten")
"""The indexes of version 15."""


@on_both("version", [9, 12, 14, *ADDED.keys() - {9, 12, 14}], on_postgresql=0, on_sqlite=3)
def test_a_ledger_of_a_later_version_gets_the_tables_that_it_has_not(
    place: Path | str, version: int
) -> None:
    expected = described(place)
    with opened(place) as engine, writing(engine) as db:
        for index in LISTS:
            db.execute(text(f"DROP INDEX {index}"))
        for table in ADDED[version]:
            db.execute(text(f"DROP TABLE {table}"))
        db.execute(text(f"UPDATE schema_version SET version = {version}"))  # noqa: S608  # ours
    assert described(place) == expected


def test_a_ledger_of_the_first_version_is_migrated_and_read(place: Path | str) -> None:
    expected = described(place)
    as_made(place, 1)
    with Ledger(place) as ledger:
        run = ledger.run(1)
        assert run is not None
        assert (run.seller, run.options) == ("S1", {})
        ids = [package.package_id for package in ledger.read_packages(1)]
        assert ids == ["p1", "p2", "p3", None]
        found = [
            (verdict.row, verdict.reference, str(verdict.status)) for verdict in ledger.verdicts(1)
        ]
        with reading(ledger.engine) as db:
            flights = db.execute(text("SELECT package, key FROM flights ORDER BY package, key"))
            # What was under way is in flight.
            flying = ["2 pG2||New", "2 rB", "2 rC", "3 pG6||New"]
            assert [f"{package} {key}" for package, key in flights] == flying
    pending = ((4, "B"), (5, "C"), (6, "B"), (7, "E"))
    assert found == [(3, "A", "Integrated"), *((*row, "Pending") for row in pending)]
    # Its tables are those of a new ledger.
    assert described(place) == expected


def test_a_ledger_of_the_eighth_version_is_migrated_and_read(place: Path | str) -> None:
    expected = described(place)
    as_made(place, 8)
    with Ledger(place) as ledger:
        with reading(ledger.engine) as db:
            counts = db.execute(text("SELECT * FROM counts")).mappings().one()
            sellers = db.execute(text("SELECT * FROM sellers")).mappings().one()
            run = db.execute(text("SELECT * FROM runs")).mappings().one()
        results = [" ".join(map(str, result[:3])) for result in ledger.verdicts(1)]
        assert results == [
            *("3 R3 Integrated", "4 R4 Pending", "5 R5 Rejected", "6 R6 Pending", "7 R7 Pending"),
            *("8 R8 Unchanged", "9 R9 Held"),
        ]
        assert [(group.run_id, group.code, group.rows) for group in ledger.held.open_codes()] == [
            (1, "price-jump", 1)
        ]
        statuses = {"Integrated": 1, "Pending": 3, "Rejected": 1, "Unchanged": 1, "Held": 1}
        assert ledger.statuses(1) == statuses
        assert [package.rows for package in ledger.read_packages(1)] == [2, 1, 1, 1]
        (moved,) = ledger.lookup_rows(4, 5) or ledger.pending(4)
        assert (moved.row, moved.reference, moved.sends, moved.number) == (6, "R6", 1, 0)
        assert ledger.bodies(4, [1]) == {1: [b'{"n":6}']}
    # Its rows are counted for their seller.
    key = seller_key(run["service"], run["seller"])
    assert (counts["service"], counts["seller"]) == (sellers["service"], sellers["seller"]) == key
    told = {name: counts[name] for name in ("statuses", "counted_at", "held", "is_finished")}
    # They are counted where they are shown first.
    assert told == {"statuses": "", "counted_at": run["started_at"], "held": 1, "is_finished": 0}
    assert (sellers["run_id"], sellers["passes"], sellers["answers"]) == (1, 0, "{}")
    assert described(place) == expected
