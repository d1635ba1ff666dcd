"""Know which workers are alive, and queue again the passes of those that are gone.

A worker is alive as long as one of its connections holds an advisory lock. The lock ends with
its process at once, with its machine within ten seconds, and for no other reason. So no worker has
to write that it is alive, and none is taken for dead because it is slow.

One worker looks after the others; the rest wait for its lock, and send no query meanwhile. Each
second it queues again the passes of workers that are gone, and wakes idle workers if a pass
is due. Each minute it queues all sellers with parcels that are due, so no lost pass matters.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from feedtool.ledger.lock import DEAD_SOON, NAME_LENGTH, Holder
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.worker.queue import ANY_CHANNEL, CALL, CHANNEL

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
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
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
                await self._look()
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

    async def _look(self) -> None:
        gone = await (await self._ask(LOOK_AFTER)).fetchall()
        for job, arguments in gone:
            if job is not None:
                await self._recovery.give_out(GonePass(job, arguments))
