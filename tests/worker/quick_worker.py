"""A worker that looks more often whether all is done, as a process of its own runs it."""

from collections.abc import Sequence
from unittest import mock

from feedtool.worker import engine, queue
from tests.resume.runner import PAUSE, with_short_waits


def quick_worker(arguments: Sequence[str], speed: float) -> int:
    """Run a command that waits `speed` times shorter, and looks after others more often."""
    with mock.patch.multiple(engine, LOOK=PAUSE), mock.patch.multiple(queue, LOOK=PAUSE):
        return with_short_waits(arguments, speed)
