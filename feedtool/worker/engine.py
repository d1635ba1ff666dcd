"""Run the passes that Procrastinate hands out side by side in one process, until a stop.

Each pass runs in its own thread. If the server cannot be reached, the library's worker begins anew
once it can; passes under way meanwhile end, or are parked, by themselves.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from msgspec import Struct
from sqlalchemy import Engine

from feedtool.ledger.lock import Holder
from feedtool.ledger.parcels import DueSeller, Parcels
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import FeedtoolError, Interrupted
from feedtool.watch.reporting import Health, Turn
from feedtool.worker.passes import Passes
from feedtool.worker.queue import (
    ANY_CHANNEL,
    CALL,
    CHANNEL,
    TASK,
    GonePass,
    Presence,
    Recovery,
    connect_arguments,
    job_of,
    pool_arguments,
    procrastinate,
    queue_of,
    queue_trouble,
    session_of,
)

POLL = 30.0
"""Seconds between two looks for passes without a call."""
HEARTBEAT = 60.0
FORGOTTEN = 86_400.0
"""Seconds after which the library itself forgets a worker; `presence` does so sooner."""
LOOK = 1.0
"""Seconds between two checks for the end of all work."""
LONGEST_PAUSE = 10.0
"""Seconds between two tries to reach the server."""

NOTIFY = "SELECT pg_notify(%(any)s, %(call)s), pg_notify(%(channel)s, %(call)s)"
IS_LEFT = """
SELECT count(*) AS left FROM procrastinate_jobs j WHERE status = 'todo'
 AND (scheduled_at IS NULL OR scheduled_at <= now())
 AND (%(queues)s::varchar[] IS NULL OR queue_name = ANY(%(queues)s::varchar[]))
 AND NOT EXISTS (SELECT FROM procrastinate_jobs other
  WHERE other.status = 'doing' AND other.lock = j.lock)"""


class Stop(Protocol):
    """The wish to stop."""

    def reason(self) -> FeedtoolError | None: ...

    def listen(self, listener: Callable[[], None]) -> None:
        """Call a function in a separate thread once there is a reason."""


class PassWork(Protocol):
    """The work that the engine runs. Each method may block, and is called in threads."""

    def do(self, key: SellerKey, tries: int) -> bool:
        """Do a seller's pass, after `tries` without effect; True if another is due at once."""

    def due(self) -> Sequence[DueSeller]: ...

    def is_done(self) -> bool: ...

    def sellers(self) -> Collection[SellerKey] | None:
        """The sellers to serve; None for all."""

    def note_trouble(self, trouble: FeedtoolError | None) -> None:
        """Note the error that keeps passes from being handed out; None once they are again."""


class EngineSettings(Struct, frozen=True):
    """The settings of a process that runs passes."""

    schema: str
    """The queue's schema in the database."""
    me: Holder
    side_by_side: int
    is_once: bool = False
    """True if the process ends as soon as no pass is due."""
    is_drained: bool = False
    """True if the process ends when all is done."""


class PassEngine:
    """Runs Procrastinate in this process."""

    def __init__(
        self, engine: Engine, settings: EngineSettings, work: PassWork, stop: Stop
    ) -> None:
        self._engine, self._settings, self._work, self._stop = engine, settings, work, stop
        self._library = procrastinate()
        self._threads: ThreadPoolExecutor
        self._worker: Any = None
        self._calls: set[asyncio.Task[None]] = set()
        self._lost: BaseException | None = None
        self._is_finished = False

    def run(self) -> None:
        """Work until a stop, or until all is done.

        UsageProblem behind a pooler that shares connections; Interrupted if the server is away
        and `is_once` is set.
        """
        with (
            ThreadPoolExecutor(self._settings.side_by_side, "pass") as self._threads,
            # The driver needs this loop on Windows.
            asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner,
        ):
            runner.run(self._run())

    async def _run(self) -> None:
        import psycopg
        import psycopg_pool

        away = (
            self._library.exceptions.ConnectorException,
            psycopg.Error,
            psycopg_pool.PoolTimeout,
        )
        loop, failures, stopped = asyncio.get_running_loop(), 0, asyncio.Event()
        # A pass that another worker got meanwhile cannot end in the library's tables.
        loop.set_exception_handler(lambda *_: None)

        def wake() -> None:
            loop.call_soon_threadsafe(self._end, stopped)

        self._stop.listen(wake)
        while self._stop.reason() is None and not self._is_finished:
            try:
                self._lost = None
                await self._serve()
                if self._lost:
                    raise self._lost
            except (*away, Interrupted) as error:
                trouble = queue_trouble(self._engine, error)
                if self._settings.is_once:
                    raise trouble from error
                self._work.note_trouble(trouble)
                failures += 1
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopped.wait(), min(LONGEST_PAUSE, 0.1 * 2**failures))
            else:
                failures = 0

    def _end(self, stopped: asyncio.Event) -> None:
        stopped.set()
        if self._worker:
            self._worker.stop()

    async def _serve(self) -> None:
        """Run the library's worker until it is stopped, or loses the server."""
        keys = await asyncio.to_thread(self._work.sellers)
        queues = None if keys is None else sorted(map(queue_of, keys))
        settings, app = self._settings, self._app()
        worker = self._library.worker.Worker(
            app,
            queues,
            concurrency=settings.side_by_side,
            wait=not settings.is_once,
            fetch_job_polling_interval=POLL,
            abort_job_polling_interval=FORGOTTEN,
            delete_jobs="always",
            install_signal_handlers=False,
            update_heartbeat_interval=HEARTBEAT,
            stalled_worker_timeout=FORGOTTEN,
        )
        presence = self._presence(app, worker)
        app.job_manager = self._manager(app, presence.begin)
        async with app.open_async():
            if settings.is_once:
                await self._queue_due(app)
            ending = asyncio.create_task(self._watch_for_end(worker, keys))
            try:
                if self._stop.reason() is None:
                    self._worker = worker
                    self._work.note_trouble(None)
                    await worker.run()
            finally:
                self._worker = None
                ending.cancel()
                await presence.end()
                await asyncio.gather(*self._calls, return_exceptions=True)
            if settings.is_once:
                left = await app.connector.execute_query_one_async(IS_LEFT, queues=queues)
                self._is_finished = not left["left"]

    def _app(self) -> Any:
        """The library's app, connected to the queue, with its one task."""
        schema = self._settings.schema

        async def configure(connection: Any) -> None:
            await connection.set_autocommit(True)
            for statement in session_of(schema):
                await connection.execute(statement)

        app = self._library.App(
            connector=self._library.PsycopgConnector(
                **pool_arguments(self._engine), configure=configure
            )
        )

        async def run(service: str, seller: str, tries: int) -> None:
            key, loop = (service, seller), asyncio.get_running_loop()
            is_next_due = await loop.run_in_executor(self._threads, self._work.do, key, tries)
            if is_next_due and (this := asyncio.current_task()):
                # The next pass can be handed out only after this one has left the library's tables.
                this.add_done_callback(lambda _: self._call(app, key))

        app.task(run, name=TASK)
        return app

    def _call(self, app: Any, key: SellerKey) -> None:
        """Wake idle workers: a seller's pass has become free."""
        names = {"any": ANY_CHANNEL, "channel": CHANNEL + queue_of(key), "call": CALL}
        task = asyncio.create_task(app.connector.execute_query_async(NOTIFY, **names))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    def _manager(self, app: Any, begin: Callable[[int], Awaitable[None]]) -> Any:
        """The library's manager of jobs, which shows a worker's presence before its first job."""
        base: Any = self._library.manager.JobManager

        class Manager(base):  # type: ignore[misc]  # a library that may not be installed
            async def register_worker(self) -> int:
                worker: int = await super().register_worker()
                await begin(worker)
                return worker

        return Manager(app.connector)

    def _presence(self, app: Any, worker: Any) -> Presence:
        library = self._library

        async def give_out(gone: GonePass) -> None:
            key = gone.arguments["service"], gone.arguments["seller"]
            await self._put(app, key)  # first: this worker, too, may die between the two
            failed = library.jobs.Status.FAILED
            with suppress(library.exceptions.ConnectorException):  # another was faster
                await app.job_manager.finish_job_by_id_async(gone.job, failed, delete_job=True)
            self._call(app, key)

        def lost(error: BaseException) -> None:
            self._lost = error
            worker.stop()

        return Presence(
            connect_arguments(self._engine),
            session_of(self._settings.schema),
            self._settings.me,
            Recovery(give_out, lambda: self._queue_due(app)),
            lost,
        )

    async def _queue_due(self, app: Any) -> None:
        """Queue the due sellers that are not queued yet."""
        due = await asyncio.to_thread(self._work.due)
        queued = {job.queue for job in await app.job_manager.list_jobs_async()} if due else ()
        for seller in due:
            key = seller.service, seller.seller
            if queue_of(key) not in queued:
                await self._put(app, key, seller.priority)

    async def _put(self, app: Any, key: SellerKey, priority: int = 0) -> None:
        with suppress(self._library.exceptions.AlreadyEnqueued):
            await app.configure_task(**job_of(key, priority=priority)).defer_async()

    async def _watch_for_end(self, worker: Any, keys: Collection[SellerKey] | None) -> None:
        """Stop the worker when all is done, or when the set of served sellers has changed."""
        pause = LOOK if self._settings.is_drained else HEARTBEAT
        while True:
            await asyncio.sleep(pause)
            with suppress(FeedtoolError):  # if the ledger is away, others report it
                self._is_finished = self._settings.is_drained and await asyncio.to_thread(
                    self._work.is_done
                )
                if self._is_finished or await asyncio.to_thread(self._work.sellers) != keys:
                    worker.stop()
                    return


INTERVAL = 20.0
"""Seconds between two writings."""


@contextmanager
def keep_health_fresh(health: Health, passes: Passes, parcels: Parcels) -> Iterator[None]:
    """Write the health file now, then every `INTERVAL` seconds, in a separate thread."""
    ended = threading.Event()

    def write() -> None:
        waiting = 0
        while True:
            with suppress(FeedtoolError):  # if the ledger is away, the troubles say so
                waiting = parcels.count_waiting()
            health.turn(Turn(passes.in_work, waiting, passes.troubles))
            if ended.wait(INTERVAL):
                return

    thread = threading.Thread(target=write, name="health", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
