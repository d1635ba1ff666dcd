"""The queue of sellers' passes, which Procrastinate keeps in a separate schema.

The schema stands beside the ledger's, and is named after the library's own tables: a version of the
library with other tables begins a new one. Losing the whole queue loses nothing: once a minute the
sellers with parcels that are due are queued again.

There is one task, a seller's pass. It is queued once and runs once at a time. A pass that is due
sooner, or has a higher priority, replaces the queued one.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, Engine, text

from feedtool.ledger.database import CONNECTING, MAKING_TABLES, reading, writing
from feedtool.ledger.lock import DEAD_SOON, NAME_LENGTH, Holder
from feedtool.ledger.records import SellerKey
from feedtool.ledger.trouble import LATER, explain, shown_as
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import tr

# Import Procrastinate, an optional package, when it is needed, and silence its log lines.


LOGGERS = ("procrastinate", "psycopg.pool", "asyncio")
"""The loggers to silence; the callers report the errors."""


def procrastinate() -> ModuleType:
    """Return the library; UsageProblem if it is not installed."""
    try:
        library = import_module("procrastinate")
        for name in ("procrastinate.worker", "psycopg_pool"):  # the first import needs neither
            import_module(name)
    except ImportError as error:
        raise UsageProblem(
            tr("Workers need more than is installed here: {module} is missing.", module=error.name),
            tr("Install it with: pip install 'feedtool[workers]'"),
        ) from error
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    return library


def refuse_other_ledgers(engine: Engine) -> None:
    """Raise UsageProblem for a ledger that workers cannot share."""
    if engine.dialect.name != "postgresql":
        raise UsageProblem(
            tr(
                "Workers share a ledger on PostgreSQL; {ledger} is a file of this machine.",
                ledger=shown_as(engine.url),
            ),
            tr("Name one with --ledger postgresql://USER:PASSWORD@HOST/DATABASE."),
        )


def connect_arguments(engine: Engine) -> dict[str, Any]:
    """The driver's arguments to connect to the ledger's database."""
    url = engine.url
    usual = {name: value for name, value in CONNECTING.items() if name not in url.query}
    _, arguments = engine.dialect.create_connect_args(url)
    return {**usual, **arguments}


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
            for other in self.listed(queueing_lock=queue_of(key), status="todo"):
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


# Know which workers are alive, and queue again the passes of those that are gone.


LOOK = 1.0
"""Seconds between two looks after the others."""
QUEUE_ANEW = 60
"""Looks between two queueings of all due sellers."""
TURN = "20s"
"""The longest wait to look after the others; then the worker ends a stuck one, and waits again.

An endless wait would keep the server from tidying its tables.
"""
SEE_GONE = """DO $$BEGIN
  PERFORM set_config('client_connection_check_interval', '1s', false);
EXCEPTION WHEN invalid_parameter_value OR undefined_object THEN NULL; END$$"""
"""Let the server see within a second that a worker which waits for its turn was killed.

A server on Windows cannot, nor one before PostgreSQL 14.
"""
STUCK = "30s"
"""The worker that looks after the others is stuck if it was silent for so long."""

SETTING = "SELECT set_config(name, %(value)s, false) FROM pg_settings WHERE name = %(name)s"
LOOK_AFTER = """
WITH present AS (
  SELECT l.objid::bigint AS worker FROM pg_locks l
   WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
   AND l.classid::bigint = %(there)s
   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
), gone AS (
  SELECT id, args FROM procrastinate_jobs WHERE status = 'doing'
   AND NOT EXISTS (SELECT FROM present WHERE present.worker = worker_id)
), ready AS (
  SELECT DISTINCT queue_name FROM procrastinate_jobs job
   WHERE status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now()) AND NOT EXISTS (
    SELECT FROM procrastinate_jobs other WHERE other.status = 'doing' AND other.lock = job.lock)
   LIMIT 50
), woken AS (
  SELECT pg_notify(channel, %(call)s)::text FROM (
   SELECT %(any)s AS channel WHERE EXISTS (SELECT FROM ready)
   UNION ALL SELECT %(channel)s || queue_name FROM ready) AS channels
)
SELECT id, args FROM gone UNION ALL SELECT NULL, NULL FROM woken"""
FORGET_WORKERS = """
DELETE FROM procrastinate_workers WHERE last_heartbeat < now() - interval '10 minutes'
 AND id NOT IN (SELECT l.objid::bigint FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
  AND l.classid::bigint = %(there)s
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))"""
END_STUCK_WORKER = """
SELECT pg_terminate_backend(a.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
 WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
 AND l.classid::bigint = %(there)s AND l.objid = 0
 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
 AND a.state_change < clock_timestamp() - %(stuck)s::interval"""


class GonePass(NamedTuple):
    """A pass of a worker that is gone."""

    job: int
    arguments: Mapping[str, Any]


class Recovery(NamedTuple):
    """Actions on lost passes."""

    give_out: Callable[[GonePass], Awaitable[None]]
    """Queue a pass again."""
    queue_due: Callable[[], Awaitable[None]]
    """Queue all sellers with due parcels."""


class Presence:
    """Shows that a worker is alive, and looks after the others when it is its turn."""

    def __init__(
        self,
        arguments: Mapping[str, Any],
        session: tuple[str, ...],
        me: Holder,
        recovery: Recovery,
        on_lost: Callable[[BaseException], None],
    ) -> None:
        """Connects with `arguments`; `session` has the connection's first statements."""
        self._arguments, self._session, self._me = arguments, session, me
        self._recovery, self._on_lost = recovery, on_lost
        self._connection: Any = None
        self._task: asyncio.Task[None] | None = None
        digest = hashlib.sha256("".join(session).encode()).digest()
        self._names = {
            "there": int.from_bytes(digest[:3]),
            "call": CALL,
            "any": ANY_CHANNEL,
            "channel": CHANNEL,
        }

    async def begin(self, worker: int) -> None:
        """Show that this worker is alive, by its number in the library's tables."""
        self._connection = await self._connect()
        await self._refuse_pooled()
        settings = {**DEAD_SOON, "application_name": self._me.as_text()[:NAME_LENGTH]}
        for name, value in {**settings, "lock_timeout": TURN}.items():
            await self._ask(SETTING, name=name, value=value)
        await self._ask(SEE_GONE)
        await self._ask("SELECT pg_advisory_lock(%(there)s, %(worker)s)", worker=worker)
        self._task = asyncio.create_task(self._stay())

    async def end(self) -> None:
        """Show it no longer, and stop looking after others."""
        while self._task and not self._task.done():
            # A cancellation gets lost if a query is answered at the same moment.
            self._task.cancel()
            await asyncio.wait([self._task], timeout=LOOK)
        if self._connection:
            await self._connection.close()

    async def _connect(self) -> Any:
        from psycopg import AsyncConnection

        connection = await AsyncConnection.connect(**self._arguments, autocommit=True)
        for statement in self._session:
            await connection.execute(statement.encode())
        return connection

    async def _refuse_pooled(self) -> None:
        """Raise UsageProblem behind a pooler that shares connections between statements."""
        other = await self._connect()
        try:
            query = b"SELECT pg_backend_pid()"
            for _ in range(3):
                process = await (await self._connection.execute(query)).fetchone()
                if process == await (await other.execute(query)).fetchone():
                    raise UsageProblem(
                        tr("The ledger is reached through a pooler that shares connections."),
                        tr(
                            "Each seller's lock needs a connection of its own: name the server "
                            "itself, or let the pooler work by sessions (pool_mode = session)."
                        ),
                    )
        finally:
            await other.close()

    async def _ask(self, query: str, **values: object) -> Any:
        return await self._connection.execute(query.encode(), {**self._names, **values})

    async def _stay(self) -> None:
        """Wait for this worker's turn, then look after the others until `end`."""
        try:
            while not await self._is_my_turn():
                await self._ask(END_STUCK_WORKER, stuck=STUCK)
            looks = 0
            while True:
                if looks % QUEUE_ANEW == 0:
                    await self._ask(FORGET_WORKERS)
                    await self._recovery.queue_due()
                for job, arguments in await (await self._ask(LOOK_AFTER)).fetchall():
                    if job is not None:
                        await self._recovery.give_out(GonePass(job, arguments))
                looks += 1
                await asyncio.sleep(LOOK)
        except Exception as error:  # noqa: BLE001  # after any error this worker's presence is lost
            self._on_lost(error)

    async def _is_my_turn(self) -> bool:
        from psycopg.errors import LockNotAvailable

        try:
            await self._ask("SELECT pg_advisory_lock(%(there)s, 0)")
        except LockNotAvailable:
            return False
        return True
