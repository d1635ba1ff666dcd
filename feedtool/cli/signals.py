"""Ctrl-C and SIGTERM while something is being sent: the calls under way are finished first."""

import _thread
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from feedtool.cli.errors import echo
from feedtool.model.errors import Exit, FeedtoolError, Interrupted, Stopped

HINT = "what was sent is noted; go on with: feedtool resume"


class Terminated(Interrupted):
    """SIGTERM: nothing more is to be begun."""


class Stopping:
    """The reason why no step is to be begun any more, once there is one."""

    def __init__(self, hint: str = HINT) -> None:
        self._hint = hint
        self._reason: FeedtoolError | None = None
        self._woken = threading.Event()

    def reason(self) -> FeedtoolError | None:
        """None while all may go on."""
        return self._reason

    def sleep(self, seconds: float) -> None:
        """Pause, until somebody wants it to stop."""
        self._woken.wait(seconds)

    def ctrl_c(self, number: int, frame: object) -> None:
        """The first parks what is under way, the second stops at once."""
        del number, frame
        if self._reason is not None:
            _stop_now(self._hint)
        self._stop(Stopped("stopped by Ctrl-C", self._hint))
        # Said last: who reads it and presses Ctrl-C again means what it says.
        echo("stopping", "the calls under way are finished first; Ctrl-C again stops at once")

    def terminate(self, number: int, frame: object) -> None:
        """SIGTERM parks too."""
        del number, frame
        self._stop(Terminated("stopped by SIGTERM", self._hint))

    def _stop(self, reason: FeedtoolError) -> None:
        self._reason = self._reason or reason
        # Not here: a signal may find this very thread in the midst of `sleep`, with the lock that
        # this takes, and would wait for it for ever.
        _thread.start_new_thread(self._woken.set, ())


def _stop_now(hint: str) -> NoReturn:
    """End without waiting for any call: the ledger bears that at any moment."""
    with suppress(Exception):
        echo("error", "stopped by Ctrl-C")
        echo("help", hint)
    os._exit(Exit.CTRL_C)


@contextmanager
def stopping(hint: str = HINT) -> Iterator[Stopping]:
    """Signals stop what is under way gently while it lasts; `hint` says how to go on."""
    stop = Stopping(hint)
    before = {}
    with suppress(ValueError):  # only the main thread may say what a signal does
        before[signal.SIGINT] = signal.signal(signal.SIGINT, stop.ctrl_c)
        before[signal.SIGTERM] = signal.signal(signal.SIGTERM, stop.terminate)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
