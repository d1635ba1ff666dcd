"""The queue of sellers' passes, which Procrastinate keeps in a separate schema.

The schema stands beside the ledger's, and is named after the library's own tables: a version of the
library with other tables begins a new one. Losing the whole queue loses nothing: once a minute the
sellers with parcels that are due are queued again.

There is one task, a seller's pass. It is queued once and runs once at a time. A pass that is due
sooner, or has a higher priority, replaces the queued one.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, Engine, text

from feedtool.ledger.database import MAKING_TABLES, reading, writing
from feedtool.ledger.records import SellerKey
from feedtool.ledger.trouble import LATER, explain, shown_as
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import tr
from feedtool.worker.library import connect_arguments, procrastinate, refuse_other_ledgers

TASK = "feedtool.pass"
ANY_CHANNEL = "procrastinate_any_queue_v1"
"""The channel that workers of all sellers listen on."""
CHANNEL = "procrastinate_queue_v1#"
"""The channel for one seller's workers; the name of the seller's queue is added."""
CALL = '{"type": "job_inserted", "job_id": 0}'
"""The message that makes a worker look for a job."""
PATIENCE = 3.0
"""Seconds until a server that gives no connection is said to be away."""


class QueuedPass(NamedTuple):
    """A seller's pass, queued or under way."""

    job: int
    key: SellerKey
    is_running: bool
    priority: int
    due: datetime | None
    """None means at once."""


def queue_of(key: SellerKey) -> str:
    """The name of a seller's queue, short enough for a channel of the server."""
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]


def job_of(
    key: SellerKey, due: datetime | None = None, priority: int = 0, tries: int = 0
) -> dict[str, Any]:
    """The settings of a seller's pass; `tries` counts passes without effect in a row."""
    name = queue_of(key)
    return {
        "name": TASK,
        "queue": name,
        "lock": name,
        "queueing_lock": name,
        "priority": priority,
        "schedule_at": due,
        "task_kwargs": {"service": key[0], "seller": key[1], "tries": tries},
    }


class PassQueue:
    """The queue of a ledger's passes; threads may share it."""

    def __init__(self, engine: Engine) -> None:
        """UsageProblem if the library is missing, or workers cannot share the ledger."""
        self._library = procrastinate()
        refuse_other_ledgers(engine)
        self._engine = engine
        self.schema = _prepared(engine, self._library.schema.SchemaManager.get_schema())
        self._app = self._library.App(
            connector=self._library.SyncPsycopgConnector(
                **pool_arguments(engine), configure=self._configure
            )
        )

    def __enter__(self) -> Self:
        with self._explained():
            self._app.open()
        return self

    def __exit__(self, *_: object) -> None:
        self._app.close()

    def put(
        self,
        key: SellerKey,
        due: datetime | None = None,
        priority: int = 0,
        tries: int = 0,
    ) -> None:
        """Queue a seller's pass; of two, the earlier time and the higher priority count."""
        with self._explained():
            if self._queued(key, due, priority, tries):
                return
            for other in self._of(key):
                is_sooner = other.due is not None and (due is None or due < other.due)
                if is_sooner or priority > other.priority:
                    self._app.job_manager.cancel_job_by_id(other.job, delete_job=True)
                    soonest = due if is_sooner else other.due
                    self._queued(key, soonest, max(priority, other.priority), tries)

    def _queued(self, key: SellerKey, due: datetime | None, priority: int, tries: int) -> bool:
        """Queue a pass; False if one is queued already."""
        try:
            self._app.configure_task(**job_of(key, due, priority, tries)).defer()
        except self._library.exceptions.AlreadyEnqueued:
            return False
        return True

    def _of(self, key: SellerKey) -> list[QueuedPass]:
        return self.listed(queueing_lock=queue_of(key), status="todo")

    def listed(self, **filters: Any) -> list[QueuedPass]:
        """All passes that are queued or under way, in their order of queueing."""
        with self._explained():
            jobs = self._app.job_manager.list_jobs(**filters)
        return [
            QueuedPass(
                job.id,
                (job.task_kwargs["service"], job.task_kwargs["seller"]),
                job.status == "doing",
                job.priority,
                job.scheduled_at,
            )
            for job in jobs
            if job.task_name == TASK and job.status in {"todo", "doing"}
        ]

    def _configure(self, connection: Any) -> None:
        connection.autocommit = True
        for statement in session_of(self.schema):
            connection.execute(statement)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        import psycopg_pool

        trouble = (self._library.exceptions.ConnectorException, psycopg_pool.PoolTimeout)
        try:
            yield
        except trouble as error:
            raise queue_trouble(self._engine, error) from error


def pool_arguments(engine: Engine) -> dict[str, Any]:
    """The arguments of the library's pool of connections."""
    return {"kwargs": connect_arguments(engine), "min_size": 1, "max_size": 2, "timeout": PATIENCE}


def session_of(schema: str) -> tuple[str, ...]:
    """The statements that a connection to the queue begins with."""
    # Passes that a crash takes from the queue are queued again.
    return f'SET search_path TO "{schema}"', "SET synchronous_commit TO off"


def queue_trouble(engine: Engine, error: BaseException) -> Interrupted:
    """The error with the reason why the queue cannot be used."""
    if isinstance(error, Interrupted):
        return error
    reason, _ = explain(error.__cause__ or error, engine.url, LATER)
    shown = shown_as(engine.url)
    return Interrupted(
        tr("The queue in {shown} cannot be used: {reason}.", shown=shown, reason=reason),
        tr("Check the server. Nothing is lost: what waits is in the ledger, and is queued again."),
    )


# The schema.


def _prepared(engine: Engine, tables: str) -> str:
    """The name of the queue's schema; create it if it is missing."""
    digest = hashlib.sha256(tables.encode()).hexdigest()[:8]
    with reading(engine) as db:
        name = f"{db.scalar(text('SELECT current_schema()'))[:40]}_queue_{digest}"
        if _is_there(db, name):
            return name
    with writing(engine) as db:
        db.execute(text(MAKING_TABLES))
        if not _is_there(db, name):
            _make(db, name, tables)
    return name


def _is_there(db: Connection, name: str) -> bool:
    query = text("SELECT count(*) FROM pg_namespace WHERE nspname = :name")
    return bool(db.scalar(query, {"name": name}))


def _make(db: Connection, name: str, tables: str) -> None:
    database = db.engine.url.database or ""
    may = text("SELECT has_database_privilege(current_database(), 'CREATE')")
    if not db.scalar(may):
        raise UsageProblem(
            tr("The queue cannot be made: its user may make no schema in {name}.", name=database),
            tr("Let the owner of the database run: GRANT CREATE ON DATABASE … TO …"),
        )
    quoted = db.dialect.identifier_preparer.quote_identifier(name)
    db.execute(text(f"CREATE SCHEMA {quoted}"))
    db.execute(text(f"SET LOCAL search_path TO {quoted}"))
    # Several statements at once; a % in them is no placeholder.
    db.exec_driver_sql(tables, execution_options={"no_parameters": True})
