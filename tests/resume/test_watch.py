"""Two watchers on one folder, several writers, and a SIGKILL: each good file is answered once."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from openpyxl import Workbook

from feedtool.ledger import Ledger
from feedtool.sandbox import Sandbox
from tests.conftest import offer, table
from tests.resume.world import DEADLINE, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SETTLE = 0.4
"""Of the watchers; the writers' pauses are shorter."""
PAUSE = 0.1
PIECES = 4
WRITERS = 4
PATIENCE = 0.5
"""Seconds for each file, beyond the usual ones."""


def csv(number: int) -> bytes:
    return table([offer(number)]).encode()


def book(number: int) -> bytes:
    made, content = Workbook(), io.BytesIO()
    row = offer(number)
    sheet = made.worksheets[0]
    sheet.append(list(row))
    sheet.append(list(row.values()))
    made.save(content)
    return content.getvalue()


def pieces(content: bytes) -> Iterator[bytes]:
    length = -(-len(content) // PIECES)
    for start in range(0, len(content), length):
        yield content[start : start + length]


# The ways in which a file comes. Each gives the names of those that are to be answered, and of
# those that are to be refused.

Expected = tuple[list[str], list[str]]


def copied_slowly(inbox: Path, number: int) -> Expected:
    with (inbox / f"{number}.csv").open("wb", buffering=0) as file:
        for piece in pieces(csv(number)):
            file.write(piece)
            time.sleep(PAUSE)
    return [f"{number}.csv"], []


def renamed_in(inbox: Path, number: int) -> Expected:
    part = inbox / f"{number}.xlsx.part"
    part.write_bytes(book(number))
    time.sleep(PAUSE)
    part.rename(inbox / f"{number}.xlsx")
    return [f"{number}.xlsx"], []


def written_in_place(inbox: Path, number: int) -> Expected:
    """With a pause in which it seems to rest, and is no package yet."""
    first, *others = pieces(book(number))
    with (inbox / f"{number}.xlsx").open("wb", buffering=0) as file:
        file.write(first)
        time.sleep(SETTLE * 1.5)
        for piece in others:
            file.write(piece)
    return [f"{number}.xlsx"], []


def locked(inbox: Path, number: int) -> Expected:
    """Open in Excel: what is saved first is not what is to be sent."""
    lock = inbox / f"~${number}.xlsx"
    lock.write_bytes(b"somebody")
    (inbox / f"{number}.xlsx").write_bytes(book(number + 500_000))
    time.sleep(SETTLE * 2)
    (inbox / f"{number}.xlsx").write_bytes(book(number))
    lock.unlink()
    return [f"{number}.xlsx"], []


def marked(inbox: Path, number: int) -> Expected:
    (inbox / f"{number}.csv").write_bytes(csv(number))
    (inbox / f"{number}.csv.done").touch()
    return [f"{number}.csv"], []


def duplicated(inbox: Path, number: int) -> Expected:
    """The first is the older one."""
    for place, age in ((f"{number}.csv", 60), (f"{number}-again.csv", 0)):
        part = inbox / f"{place}.tmp"
        part.write_bytes(csv(number))
        then = time.time() - age
        os.utime(part, (then, then))
        part.rename(inbox / place)
    return [f"{number}.csv"], [f"{number}-again.csv"]


def broken(inbox: Path, number: int) -> Expected:
    (inbox / f"{number}.xlsx").write_bytes(book(number)[:-200])
    return [], [f"{number}.xlsx"]


def headless(inbox: Path, number: int) -> Expected:
    (inbox / f"{number}.csv").write_bytes(b"x,y\n%d,1\n" % number)
    return [], [f"{number}.csv"]


WAYS = (
    *(copied_slowly, renamed_in, written_in_place, locked, marked, duplicated),
    *(broken, headless),
)


@dataclass
class Watched:
    """A folder and its watchers."""

    root: Path
    stack: ExitStack
    watchers: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self) -> None:
        command = [sys.executable, "-m", "feedtool", "watch", "w", "--sandbox", "--home", "h"]
        command += ["--settle", str(SETTLE), "--poll", "0.1"]
        # What they say is shown when the test fails.
        process = subprocess.Popen(command, cwd=self.root, env=environment(), text=True)  # noqa: S603
        self.stack.callback(process.wait, DEADLINE)
        self.stack.callback(process.kill)
        self.watchers.append(process)

    def names(self, part: str, pattern: str = "*") -> list[str]:
        found = (self.root / "w" / part).rglob(pattern)
        return sorted(one.name for one in found if one.is_file() and one.name[0] != ".")

    def summaries(self) -> list[str]:
        """The files that were answered, each as often as it was."""
        found = (self.root / "w" / "results").glob("*.summary.json")
        return sorted(json.loads(one.read_text("utf-8"))["file"] for one in found)

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.names(".")
            assert all(one.poll() is None for one in self.watchers)
            time.sleep(0.02)


def environment() -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "HOME": "/nonexistent"}


@contextmanager
def watched(root: Path, watchers: int = 2) -> Iterator[Watched]:
    with ExitStack() as stack:
        found = Watched(root, stack)
        (root / "w" / "inbox").mkdir(parents=True)
        for _ in range(watchers):
            found.start()
        yield found


def is_quiet(world: Watched) -> bool:
    return not world.names("inbox") and not world.names("processing")


@pytest.mark.parametrize(
    ("count", "kills"), [(32, 1), pytest.param(200, 8, marks=pytest.mark.long)]
)
def test_each_good_file_is_answered_once(tmp_path: Path, count: int, kills: int) -> None:
    seed = random.Random().randrange(1 << 30)  # noqa: S311  # no secret
    print(f"seed {seed}")  # noqa: T201  # shown when it fails
    chance = random.Random(seed)  # noqa: S311  # no secret
    seconds = DEADLINE + count * PATIENCE
    with watched(tmp_path) as world, ThreadPoolExecutor(WRITERS) as writers:
        inbox = tmp_path / "w" / "inbox"
        written = [
            writers.submit(WAYS[number % len(WAYS)], inbox, number)
            for number in range(1, count + 1)
        ]
        for number in range(kills):
            least = count * number // (kills + 1) // 2
            world.wait_for(lambda least=least: len(world.summaries()) >= least, seconds)  # type: ignore[misc]
            world.wait_for(lambda: bool(world.names("processing")), seconds)
            time.sleep(chance.random() / 10)
            victim = chance.choice(world.watchers)
            victim.send_signal(signal.SIGKILL)
            victim.wait(DEADLINE)
            world.watchers.remove(victim)
            if number + 1 < kills:
                world.start()
        expected = [one.result(seconds) for one in written]
        good = sorted(name for names, _ in expected for name in names)
        bad = sorted(name for _, names in expected for name in names)
        world.wait_for(lambda: len(world.summaries()) == len(good) and is_quiet(world), seconds)
        for one in world.watchers:
            one.terminate()
            assert one.wait(DEADLINE) == 0
    assert world.summaries() == good
    assert world.names("done") == good
    assert world.names("processing") == []
    refused = [name for name in world.names("error") if not name.endswith(".reason.txt")]
    assert refused == bad
    assert set(world.names("error", "*.reason.txt")) == {f"{name}.reason.txt" for name in bad}
    with Sandbox(tmp_path / "h" / "sandbox.sqlite") as sandbox:
        applied = Counter(one.reference for one in sandbox.applied())
    assert applied == Counter(f"SKU-{name.split('.')[0]}" for name in good)
    with Ledger(tmp_path / "h" / "ledger.sqlite") as ledger:
        folder = (tmp_path / "w" / ".feedtool-folder").read_text()
        assert ledger.claims.under_way(folder) == []


def test_what_a_dead_watcher_had_claimed_is_taken_over_within_ten_seconds(tmp_path: Path) -> None:
    with watched(tmp_path, 1) as world:
        inbox, processing = (tmp_path / "w" / part for part in ("inbox", "processing"))
        first = world.watchers.pop()
        world.wait_for(processing.is_dir, DEADLINE)
        for number in range(1, 20):
            (inbox / f"{number}.csv.part").write_bytes(csv(number))
            (inbox / f"{number}.csv.part").rename(inbox / f"{number}.csv")
        world.wait_for(lambda: bool(world.names("processing")), DEADLINE)
        first.send_signal(signal.SIGKILL)
        first.wait(DEADLINE)
        left = world.names("processing")
        world.start()
        world.wait_for(lambda: not set(left) & set(world.names("processing")), 10)
        world.wait_for(lambda: is_quiet(world), DEADLINE)
    assert world.summaries() == sorted(f"{number}.csv" for number in range(1, 20))
