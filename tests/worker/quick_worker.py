"""A worker that looks more often after others and the end, as a process of its own runs it."""

from collections.abc import Sequence
from unittest import mock

from feedtool.worker import engine, queue
from tests.resume.runner import PAUSE, with_short_waits


def quick_worker(arguments: Sequence[str], speed: float) -> int:
    """Run a command that waits `speed` times shorter, and looks after others more often.

    The server does so as well.
    """
    seen = queue.SEE_GONE.replace("1s", "50ms")
    with (
        mock.patch.multiple(engine, LOOK=PAUSE),
        mock.patch.multiple(queue, LOOK=PAUSE, SEE_GONE=seen),
    ):
        return with_short_waits(arguments, speed)
