"""A network between a server and a machine that is cut: what is on its way is lost, in silence.

A proxy that goes silent would not do: the system under it goes on answering for it. So both are in
a network namespace of their own, whose one line is taken down.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests.resume.world import DEADLINE, pipe

LINE = """
import fcntl, socket, struct, sys
FLAGS_OF, SET_FLAGS, UP = 0x8913, 0x8914, 1

def turn(on):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any:
        asked = struct.pack("16sh", b"lo", 0)
        name, flags = struct.unpack("16sh", fcntl.ioctl(any, FLAGS_OF, asked))
        flags = flags | UP if on else flags & ~UP
        fcntl.ioctl(any, SET_FLAGS, struct.pack("16sh", name, flags))

turn(True)
print("up", flush=True)
for line in sys.stdin:
    turn(line == "up\\n")
    print(line, end="", flush=True)
"""


class Cable(NamedTuple):
    """A network whose loopback is the line between all that are in it."""

    prefix: tuple[str, ...]
    """The command that starts what is in it, as nobody."""
    turn: Callable[[str], None]
    """`down` cuts the line, `up` mends it."""


@contextmanager
def cable() -> Iterator[Cable]:
    """A network that nobody is in yet."""
    alone = ("unshare", "--user", "--net", "--keep-caps")
    with subprocess.Popen(  # noqa: S603  # our own lines
        [*alone, sys.executable, "-c", LINE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def heard() -> str:
            return pipe(process.stdout).readline().strip()

        def turn(to: str) -> None:
            pipe(process.stdin).write(f"{to}\n")
            pipe(process.stdin).flush()
            assert heard() == to

        assert heard() == "up", "this system lets us have no network of our own"
        there = ("nsenter", "--user", "--net", f"--target={process.pid}", "--preserve-credentials")
        try:
            yield Cable(there, turn)
        finally:
            pipe(process.stdin).close()
            process.wait(DEADLINE)
