"""What to do where a ledger cannot be used: who holds SQLite's file, no room, or it is gone."""

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
"""What to do where nothing better is known, by the database's name."""
DAMAGED_HINT = tr(
    "send nothing more with it, and keep its files as they are: `feedtool ledger check` says what "
    "is damaged; look with `feedtool export` at what the service has, then go on with an earlier "
    "copy of `feedtool ledger backup` (--ledger sqlite:///COPY) or another ledger (--home)"
)
"""The way out where SQLite's file is damaged."""

LOCKS = Path("/proc/locks")
"""Who has locked what, where the system tells: only Linux does."""
WORLDS = ("08", "25006", "25P03", "28", "3D", "42501", "42P01", "53", "55", "57", "58", "XX")
"""SQLSTATEs, or their classes, of what is no bug of ours: no connection, nothing may be written, no
rights, no such table any more, no room, no lock, a server that shuts down or is broken."""
NO_CONNECTION = ("08", "53300", "57P")
"""SQLSTATEs of a server that is not there, not now, or not for one more."""
SHOWN = ("host", "port", "options", "service")
"""Options of a URL that are shown; any other may be a password, or a misspelt one."""


IS_MISTAKEN = re.compile(
    r'password|no pg_hba\.conf entry|(role|database) ".*" does not exist|permission denied'
)
"""The words of a server that will give no connection later either; others say that it is away."""


def is_away(error: BaseException) -> bool:
    """True if a server cannot be reached, is starting, shuts down, or has no connection free."""
    cause = getattr(error, "orig", None)
    if not isinstance(error, OperationalError) or isinstance(cause, sqlite3.Error):
        return False
    state: str | None = getattr(cause, "sqlstate", None)
    return state.startswith(NO_CONNECTION) if state else not IS_MISTAKEN.search(str(cause))


def gone(path: Path) -> Interrupted:
    """The file was deleted, moved or replaced while it was in use."""
    return Interrupted(
        tr(
            "The ledger {path} is gone: its folder was deleted or moved while feedtool was "
            "at work.",
            path=path,
        ),
        tr(
            "What was sent last may be in force, and is noted nowhere: look with `feedtool "
            "export` before you send it again. If the folder was moved, move it back and "
            "run `feedtool resume`."
        ),
    )


def identity(path: Path) -> tuple[int, int] | None:
    """Which file stands at a place; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def holders(path: Path) -> list[str]:
    """Who else has locked the file for writing, each `name (process 12)`; empty if nobody tells."""
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
    """What goes wrong with the database becomes Interrupted: the ledger cannot be `done`."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise UsageProblem(
            tr("{object} cannot be recorded: its name is not UTF-8.", object=error.object),
            tr("Rename the file or the folder, and try again."),
        ) from error
    except DBAPIError as error:
        # All else is a bug. SQLite's driver says DatabaseError, without more, of a broken file.
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
    """What is wrong, and what to do; Interrupted where the file is there no more."""
    cause = getattr(error, "orig", None) or error
    if is_file(url):
        path = Path(str(url.database))
        if not path.exists():
            raise gone(path)
        # An extended code has more than its kind in it.
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
