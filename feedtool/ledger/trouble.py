"""Explain why a ledger cannot be used (locked, full, damaged, away, gone) and what to do."""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import tr

ON_OPENING = {
    "sqlite": tr("name another with --home, or move the file away to begin a new one"),
    "postgresql": tr(
        "see that the server runs, and that the URL's user, password and database are right"
    ),
}
LATER = {
    "sqlite": tr("make room, or name another with --home"),
    "postgresql": tr("see to the server, then go on"),
}
"""Advice if no better is known, by the database's name."""
DAMAGED_HINT = tr(
    "send nothing more with it, and keep its files as they are: `feedtool ledger check` says what "
    "is damaged; look with `feedtool export` at what the service has, then go on with an earlier "
    "copy of `feedtool ledger backup` (--ledger sqlite:///COPY) or another ledger (--home)"
)
"""The way out where SQLite's file is damaged."""

LOCKS = Path("/proc/locks")
"""The system's list of locks; only Linux has it."""
WORLDS = ("08", "25006", "25P03", "28", "3D", "42501", "42P01", "53", "55", "57", "58", "XX")
"""SQLSTATEs, or their classes, of failures that are no bug in feedtool: no connection, a read-only
server, no rights, a missing table, no room, no lock, a server that shuts down or is broken."""
NO_CONNECTION = ("08", "53300", "57P")
"""SQLSTATEs of a server that is absent, not ready, or has no connection free."""
SHOWN = ("host", "port", "options", "service")
"""Options of a URL that are shown; any other may be a password, or a misspelt one."""


IS_MISTAKEN = re.compile(
    r'password|no pg_hba\.conf entry|(role|database) ".*" does not exist|permission denied'
)
"""Messages of a server that will refuse later too; with others it is away."""


def is_away(error: BaseException) -> bool:
    """True if a server cannot be reached, is starting, shuts down, or has no connection free."""
    cause = getattr(error, "orig", None)
    if not isinstance(error, OperationalError) or isinstance(cause, sqlite3.Error):
        return False
    state: str | None = getattr(cause, "sqlstate", None)
    return state.startswith(NO_CONNECTION) if state else not IS_MISTAKEN.search(str(cause))


def gone(path: Path) -> Interrupted:
    """The error of a file that was deleted, moved or replaced while it was in use."""
    return Interrupted(
        tr(
            "The ledger {path} is gone: its folder was deleted or moved while feedtool was "
            "at work.",
            path=path,
        ),
        tr(
            "The last requests may be in force without a record of them: look with "
            "`feedtool export` before you send them again. If the folder was moved, "
            "move it back and run `feedtool resume`."
        ),
    )


def identity(path: Path) -> tuple[int, int] | None:
    """The device and number of the file at a path; None if it is absent."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def holders(path: Path) -> list[str]:
    """Other programs that have locked the file for writing, as `name (process 12)`; Linux only."""
    files = (path.with_name(path.name + end) for end in ("", "-shm", "-wal", "-journal"))
    inodes = {str(known[1]) for file in files if (known := identity(file))}
    programs = dict[str, str]()
    with suppress(OSError):
        for line in LOCKS.read_text("ascii").splitlines():
            # `3: POSIX  ADVISORY  WRITE 4242 fe:00:1311 120 120`; who waits for one has a `->`.
            words = line.split()
            if words[3] == "WRITE" and words[5].rpartition(":")[2] in inodes:
                programs[words[4]] = "a program"
    for pid in programs:
        with suppress(OSError):
            name = (LOCKS.parent / pid / "comm").read_text("utf-8", errors="replace")
            programs[pid] = name.strip()
    return [f"{name} (process {pid})" for pid, name in programs.items() if int(pid) > 0]


@contextmanager
def explained(engine: Engine, done: str) -> Iterator[None]:
    """Turn failures of the database into Interrupted: the ledger cannot be `done`."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise UsageProblem(
            tr("{object} cannot be recorded: its name is not UTF-8.", object=error.object),
            tr("Rename the file or the folder, and try again."),
        ) from error
    except DBAPIError as error:
        # All other errors are bugs. SQLite's driver raises a bare DatabaseError for a broken file.
        is_known = type(error).__name__ in {"OperationalError", "InterfaceError", "DatabaseError"}
        state = getattr(error.orig, "sqlstate", None) or ""
        if not (is_known or error.connection_invalidated or state.startswith(WORLDS)):
            raise
        reason, way_out = explain(error, engine.url, LATER)
        raise Interrupted(
            tr("The ledger cannot be {done}: {reason}.", done=done, reason=reason),
            tr("Nothing that it does not know of was sent; {way_out}.", way_out=way_out),
        ) from error


def explain(error: BaseException, url: URL, otherwise: Mapping[str, str]) -> tuple[str, str]:
    """The reason and the way out; Interrupted if the file is gone."""
    cause = getattr(error, "orig", None) or error
    if is_file(url):
        path = Path(str(url.database))
        if not path.exists():
            raise gone(path)
        # An extended code holds its kind in the low byte.
        kind = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if kind in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            who = " and ".join(holders(path)) or tr("another program")
            return tr("{who} has locked it", who=who), tr(
                "close it there, or wait until it is done, and try again"
            )
        if kind in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:  # by where the damage is
            return tr("it is damaged"), DAMAGED_HINT
        if kind == sqlite3.SQLITE_FULL:
            return tr("the disk is full"), tr("make room, or name another with --home")
    reason = (str(cause) or type(cause).__name__).splitlines()[0].rstrip(".")
    for secret in (url.password, url.query.get("password"), url.query.get("sslpassword")):
        if secret:
            reason = reason.replace(str(secret), "***")
    return reason, otherwise[url.get_backend_name()]


def is_file(url: URL) -> bool:
    """True of SQLite in a file, rather than in memory or on a server."""
    return url.get_backend_name() == "sqlite" and url.database not in {None, "", ":memory:"}


def shown_as(url: URL) -> str:
    """A database's name for people, without a password."""
    if is_file(url):
        return str(url.database)
    public = {name: value for name, value in url.query.items() if name in SHOWN}
    plain = url.set(drivername=url.get_backend_name(), query=public)
    return plain.render_as_string(hide_password=True)
