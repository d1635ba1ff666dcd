"""One writer at a time for each ledger and seller, over processes and, on PostgreSQL, machines.

The lock ends with the process that holds it, however that ends: nobody has to remove it.

    SQLite in a file   a lock on `<ledger's name>.<digest>.lock` beside the file
    PostgreSQL         an advisory lock of a connection that has no other use
    SQLite in memory   none: nobody else can see it
"""

import getpass
import glob
import hashlib
import json
import os
import re
import socket
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Self

from msgspec import Struct
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import SQLAlchemyError

from feedtool.ledger.database import writing
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.ledger.trouble import explained, is_file, shown_as
from feedtool.model.errors import Interrupted, UsageProblem, reason_of
from feedtool.model.text import tr

TIME = "%Y%m%dT%H%M%SZ"
NAME_LENGTH = 63
"""PostgreSQL cuts an application_name after as many bytes."""

DEAD_AFTER = {
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    # After its own message the server waits for an answer to that instead.
    "tcp_user_timeout": "60000",
    "idle_session_timeout": "0",
}
"""Settings with which the server ends the lock of a lost machine within a minute, and no other."""
DEAD_SOON = DEAD_AFTER | {
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_user_timeout": "4000",
}
"""The same within ten seconds; but a line that is cut for four seconds loses the lock too."""

FRESH = timedelta(seconds=5)
"""The server ends no lock so soon, unless it is restarted."""

SET = "SELECT set_config(name, :value, false) FROM pg_settings WHERE name = :name"
"""Does nothing if an older server has no such setting."""
IS_HELD = (
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = :pid"
    " AND objsubid = 1 AND ((classid::bigint << 32) | objid::bigint) = :key"
)
WHO_HOLDS_ANY = (
    "SELECT (l.classid::bigint << 32) | l.objid::bigint, a.application_name"
    " FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
SCHEMA = "SELECT current_schema()"
"""A database may hold a ledger in each of its schemas."""


class Holder(Struct, frozen=True):
    """The process that holds a lock, by its own description. No secret is in it."""

    pid: int
    host: str
    user: str
    command: str  # `submit`, `watch` …: the command's name, without its options
    since: datetime

    def __str__(self) -> str:
        return tr(
            "process {pid} on {host} since {since} UTC (feedtool {command}, of {user})",
            pid=self.pid,
            host=self.host,
            since=f"{self.since.astimezone(UTC):%Y-%m-%d %H:%M}",
            command=self.command,
            user=self.user,
        )

    @classmethod
    def here(cls, command: str, now: datetime) -> Self:
        return cls(os.getpid(), socket.gethostname(), _user(), command, now)

    def as_text(self) -> str:
        """The content of the lock's file; the server shows its first bytes."""
        words = (re.sub(r"[^!-~]", "_", part) for part in (self.command, self.user, self.host))
        since = self.since.astimezone(UTC).strftime(TIME)
        return " ".join(("feedtool", str(self.pid), since, *words))

    @classmethod
    def from_text(cls, text: str | None) -> Self | None:
        """Decode the text of `as_text`; None if it is incomplete."""
        match = re.fullmatch(r"feedtool (\d+) (\d{8}T\d{6}Z) (\S+) (\S+) (\S+)", text or "")
        if match is None:
            return None
        pid, since, command, user, host = match.groups()
        begun = datetime.strptime(since, TIME).replace(tzinfo=UTC)
        return cls(int(pid), host, user, command, begun)


def who() -> str:
    return f"{_user()}@{socket.gethostname()}"


def _user() -> str:
    # For a user without a name systems raise different errors.
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "?"


class Held(UsageProblem):
    """Another process has the lock."""

    def __init__(self, shown: str, seller: str, holder: Holder | None) -> None:
        super().__init__(
            tr(
                "The ledger {shown} is held for seller {seller} by {holder}.",
                shown=shown,
                seller=seller,
                holder=holder or tr("another process"),
            ),
            tr("One process at a time sends for a seller: wait until it is done, or end it."),
        )
        self.holder = holder
        """None until the process has written its description."""


@contextmanager
def hold(
    engine: Engine,
    seller: str,
    service: str,
    *,
    command: str,
    now: datetime,
    wait: Callable[[Held], bool] | None = None,
    is_awaited: bool = False,
) -> Iterator[None]:
    """Hold the lock of a seller of a service: no other process sends for him from this ledger.

    Neither case nor a slash at the end makes another service. Processes that find the lock taken
    show `command` (its name alone: options may hold a secret) and `now`. They call `wait`, if it
    is given: it pauses, and tells whether to try once more. With `is_awaited` other machines wait
    to go on when this one is lost; then the lock ends sooner.

    Raises:
        Held: Another process has the lock, and is not waited for (any longer).
        Interrupted: The server cannot be reached. While the lock is held, `writing` raises it once
            the server has ended the lock, as after a restart.
        UsageProblem: The file system has no locks, or does not let us write beside the ledger.
    """
    me = Holder.here(command, now)
    digest = _digest(seller_key(service, seller))
    taken: Callable[[], AbstractContextManager[None]]
    if engine.dialect.name == "postgresql":
        taken = partial(_advisory, engine, seller, digest, me, is_awaited=is_awaited)
    elif is_file(engine.url):
        taken = partial(_locked, _file_of(_ledger_of(engine), digest), seller, me)
    else:
        taken = nullcontext
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(taken())
                break
            except Held as held:
                if wait is None or not wait(held):
                    raise
        yield


def check_lock(engine: Engine, seen_at: datetime, now: Callable[[], datetime]) -> None:
    """Check a lock that is held here, if it was seen long ago: this machine may have slept.

    Raises:
        Interrupted: The server has ended the lock. A lock of a file never ends so.
    """
    if engine.dialect.name == "postgresql" and abs(now() - seen_at) > FRESH:
        with writing(engine):
            pass


def holders(engine: Engine, keys: Collection[SellerKey]) -> dict[SellerKey, Holder | None]:
    """The processes that send for some sellers now; None for one without a description yet.

    On PostgreSQL it is one query. The name of a killed process is removed from its file.
    """
    by_digest = {_digest(key): key for key in keys}
    if engine.dialect.name == "postgresql":
        with explained(engine, "read"), engine.connect() as connection:
            schema = _only(connection, SCHEMA)
            names = dict(map(tuple, connection.execute(text(WHO_HOLDS_ANY))))
        numbers = {_number(schema, digest): key for digest, key in by_digest.items()}
        held = names.keys() & numbers.keys()
        return {numbers[number]: Holder.from_text(names[number]) for number in held}
    if not is_file(engine.url):
        return {}
    ledger = _ledger_of(engine)
    contents = ((key, _content(_file_of(ledger, digest))) for digest, key in by_digest.items())
    return {key: Holder.from_text(name) for key, name in contents if name}


def at_work(engine: Engine) -> set[Holder]:
    """The processes that hold any lock of the ledger, to send or to wait for work."""
    if engine.dialect.name == "postgresql":
        with explained(engine, "read"), engine.connect() as connection:
            names = [name for _, name in connection.execute(text(WHO_HOLDS_ANY))]
    else:
        ledger = _ledger_of(engine) if is_file(engine.url) else None
        files = ledger.parent.glob(f"{glob.escape(ledger.name)}.*.lock") if ledger else ()
        names = [*map(_content, files)]
    return {*filter(None, map(Holder.from_text, names))}


def _digest(key: SellerKey) -> str:
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()


# A file. It stays when the lock ends: removing it would take the lock from a process that has it
# open already and is about to lock it.


def _ledger_of(engine: Engine) -> Path:
    return Path(str(engine.url.database)).resolve()


def _file_of(ledger: Path, digest: str) -> Path:
    return ledger.with_name(f"{ledger.name}.{digest[:16]}.lock")


def _content(path: Path) -> str:
    """The description in a lock's file; empty if the lock is free.

    Only a lock that seems to be held is tried, so that nobody finds it taken by this test.
    """
    with suppress(OSError), path.open("r+b", buffering=0) as file:
        noted = file.read(4096)
        if noted and not _lock(file.fileno()):
            return noted.decode(errors="replace")
        if noted:  # its process was killed
            _write(file.fileno(), "")
    return ""


@contextmanager
def _locked(path: Path, seller: str, me: Holder) -> Iterator[None]:
    ledger = path.with_name(path.name.removesuffix(".lock").rpartition(".")[0])
    with ExitStack() as stack:
        try:
            handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
            stack.callback(os.close, handle)
            is_mine = _lock(handle)
        except OSError as error:
            raise UsageProblem(
                tr(
                    "The ledger {ledger} cannot be locked with {name}: {why}.",
                    ledger=ledger,
                    name=path.name,
                    why=reason_of(error),
                ),
                tr("Name another on a disk of this machine with --home."),
            ) from error
        if not is_mine:
            content = os.pread(handle, 4096, 0) if hasattr(os, "pread") else path.read_bytes()
            raise Held(str(ledger), seller, Holder.from_text(content.decode(errors="replace")))
        _write(handle, me.as_text())
        stack.callback(_write, handle, "")
        yield


def _write(handle: int, content: str) -> None:
    # The description is a courtesy: the lock holds on a full disk too.
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, content.encode())


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> bool:
        os.lseek(handle, 1 << 30, os.SEEK_SET)  # a locked byte cannot be read, so one far away
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# An advisory lock of the server.


@contextmanager
def _advisory(
    engine: Engine, seller: str, digest: str, me: Holder, *, is_awaited: bool
) -> Iterator[None]:
    with ExitStack() as stack:
        with explained(engine, "locked"):
            connection = stack.enter_context(engine.connect())
            connection.execution_options(isolation_level="AUTOCOMMIT")
            # The connection never returns to the pool, and the lock ends with it.
            connection.detach()
            key = _number(_only(connection, SCHEMA), digest)
            # The name comes first: a process that finds the lock taken finds the name too.
            settings = DEAD_SOON if is_awaited else DEAD_AFTER
            for name, value in {**settings, "application_name": me.as_text()[:NAME_LENGTH]}.items():
                _only(connection, SET, name=name, value=value)
            if not _only(connection, "SELECT pg_try_advisory_lock(:key)", key=key):
                names = dict(map(tuple, connection.execute(text(WHO_HOLDS_ANY))))
                raise Held(shown_as(engine.url), seller, Holder.from_text(names.get(key)))
            stack.callback(_unlock, connection, key)
            pid = _only(connection, "SELECT pg_backend_pid()")

        def refuse_without_lock(writer: Connection) -> None:
            writes = writer.get_execution_options().get("writes", False)
            if writes and not _only(writer, IS_HELD, pid=pid, key=key):
                raise Interrupted(
                    tr("The server has let go of the lock of seller {seller}.", seller=seller),
                    tr("Somebody else may send by now; go on with: feedtool resume"),
                )

        event.listen(engine, "begin", refuse_without_lock)
        stack.callback(event.remove, engine, "begin", refuse_without_lock)
        yield


def _unlock(connection: Connection, key: int) -> None:
    """Unlock at once: the server would notice a closed connection only later."""
    with suppress(SQLAlchemyError):  # the lock of a broken connection is gone, or soon will be
        _only(connection, "SELECT pg_advisory_unlock(:key)", key=key)


def _number(schema: str, digest: str) -> int:
    mixed = hashlib.sha256(f"{schema} {digest}".encode()).digest()
    return int.from_bytes(mixed[:8], "big", signed=True)


def _only(connection: Connection, query: str, **values: object) -> Any:
    return connection.execute(text(query), values).scalar()
