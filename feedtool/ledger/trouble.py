"""What to do where a ledger cannot be used: who holds SQLite's file, no room, or it is gone."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from feedtool.model.errors import Interrupted

ON_OPENING = {
    "sqlite": "name another with --home, or move the file away to begin a new one",
    "postgresql": "see that the server runs, and that the URL's user, password and database are"
    " right",
}
LATER = {
    "sqlite": "make room, or name another with --home",
    "postgresql": "see to the server, then go on",
}
"""What to do where nothing better is known, by the database's name."""

LOCKS = Path("/proc/locks")
"""Who has locked what, where the system tells: only Linux does."""


def way_out(code: int | None, path: Path) -> tuple[str, str] | None:
    """What is wrong with a ledger's file, and what to do; None where the driver says it best.

    Args:
        code: SQLite's, which may be an extended one.
        path: The file.

    Raises:
        Interrupted: It is there no more.
    """
    if not path.exists():
        raise gone(path)
    kind = None if code is None else code & 0xFF
    if kind in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        who = " and ".join(holders(path)) or "another program"
        return f"{who} has locked it", "close it there, or wait until it is done, and try again"
    if kind == sqlite3.SQLITE_FULL:
        return "the disk is full", "make room, or name another with --home"
    return None


def gone(path: Path) -> Interrupted:
    """The file was deleted, moved or replaced while it was in use."""
    return Interrupted(
        f"The ledger {path} is gone: its folder was deleted or moved while feedtool was at work.",
        "What was sent last may be in force, and is noted nowhere: look with `feedtool export`"
        " before you send it again. If the folder was moved, move it back and run `feedtool"
        " resume`.",
    )


def identity(path: Path) -> tuple[int, int] | None:
    """Which file stands at a place; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def holders(path: Path) -> list[str]:
    """Who else has locked the file for writing, each `name (process 12)`; empty if nobody tells."""
    files = (path.with_name(path.name + end) for end in ("", "-shm", "-wal", "-journal"))
    inodes = {str(known[1]) for one in files if (known := identity(one))}
    found = dict[str, str]()
    with suppress(OSError):
        for line in LOCKS.read_text("ascii").splitlines():
            # `3: POSIX  ADVISORY  WRITE 4242 fe:00:1311 120 120`; who waits for one has a `->`.
            words = line.split()
            if words[3] == "WRITE" and words[5].rpartition(":")[2] in inodes:
                found[words[4]] = _name_of(words[4])
    return [f"{name} (process {pid})" for pid, name in found.items() if int(pid) > 0]


def _name_of(pid: str) -> str:
    try:
        return (LOCKS.parent / pid / "comm").read_text("utf-8", errors="replace").strip()
    except OSError:
        return "a program"
