"""The ways in which a file comes into the inbox, each with what is to become of it."""

import io
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.conftest import offer, table
from tests.resume.world import fill

SETTLE = 0.4
"""The watchers' seconds; the writers' pauses are shorter."""
PAUSE = 0.1
PIECES = 4


def csv(number: int) -> bytes:
    return table([offer(number)]).encode()


def book(number: int) -> bytes:
    content = io.BytesIO()
    fill(content, Offers=[offer(number)])
    return content.getvalue()


def pieces(content: bytes) -> list[bytes]:
    length = -(-len(content) // PIECES)
    return [content[start : start + length] for start in range(0, len(content), length)]


class Expected(NamedTuple):
    """The expected results of written files."""

    good: str | None = None  # the file that is to be answered
    bad: Mapping[str, str] = {}  # the files that are to be refused, and what their reason says
    has_failed: bool = False  # whether a row of the good one is to be corrected


def copied_slowly(inbox: Path, number: int) -> Expected:
    with (inbox / f"{number}.csv").open("wb", buffering=0) as file:
        for piece in pieces(csv(number)):
            file.write(piece)
            time.sleep(PAUSE)
    return Expected(f"{number}.csv")


def renamed_in(inbox: Path, number: int) -> Expected:
    part = inbox / f"{number}.xlsx.part"
    part.write_bytes(book(number))
    time.sleep(PAUSE)
    part.rename(inbox / f"{number}.xlsx")
    return Expected(f"{number}.xlsx")


def written_in_place(inbox: Path, number: int) -> Expected:
    """Write a file with a pause in which it seems complete, and is no package yet."""
    first, *others = pieces(book(number))
    with (inbox / f"{number}.xlsx").open("wb", buffering=0) as file:
        file.write(first)
        time.sleep(SETTLE * 1.5)
        for piece in others:
            file.write(piece)
    return Expected(f"{number}.xlsx")


def locked(inbox: Path, number: int) -> Expected:
    """Open in Excel: what is saved first is not what is to be sent."""
    lock = inbox / f"~${number}.xlsx"
    lock.write_bytes(b"somebody")
    (inbox / f"{number}.xlsx").write_bytes(book(number + 500_000))
    time.sleep(SETTLE * 2)
    (inbox / f"{number}.xlsx").write_bytes(book(number))
    lock.unlink()
    return Expected(f"{number}.xlsx")


def marked(inbox: Path, number: int) -> Expected:
    (inbox / f"{number}.csv").write_bytes(csv(number))
    (inbox / f"{number}.csv.done").touch()
    return Expected(f"{number}.csv")


def duplicated(inbox: Path, number: int) -> Expected:
    """The first is the older one."""
    for place, age in ((f"{number}.csv", 60), (f"{number}-again.csv", 0)):
        part = inbox / f"{place}.tmp"
        part.write_bytes(csv(number))
        then = time.time() - age
        os.utime(part, (then, then))
        part.rename(inbox / place)
    reason = f"The same content was sent as {number}.csv"
    return Expected(f"{number}.csv", {f"{number}-again.csv": reason})


def faulty(inbox: Path, number: int) -> Expected:
    """Write a file with one wrong row of two."""
    rows = [offer(number), offer(number + 800_000, quantity="-1")]
    (inbox / f"{number}.csv").write_bytes(table(rows).encode())
    return Expected(f"{number}.csv", has_failed=True)


def broken(inbox: Path, number: int) -> Expected:
    (inbox / f"{number}.xlsx").write_bytes(book(number)[:-200])
    return Expected(bad={f"{number}.xlsx": "damaged"})


def headless(inbox: Path, number: int) -> Expected:
    (inbox / f"{number}.csv").write_bytes(b"x,y\n%d,1\n" % number)
    return Expected(bad={f"{number}.csv": "no row looks like a header"})


USUAL = (copied_slowly, locked, duplicated, faulty, broken)
WAYS = (*USUAL, renamed_in, written_in_place, marked, headless)
