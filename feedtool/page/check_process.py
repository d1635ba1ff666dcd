"""A large file is checked by a process of its own: the page answers meanwhile, and stays small."""

import os
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from typing import IO

from feedtool.model.errors import FeedtoolError
from feedtool.model.text import tr
from feedtool.page.jobs import Job

LARGE = 2 << 20
"""Bytes of a file that is worth a process: some ten thousand rows."""
_PATIENCE = 5
"""Seconds in which the process may clean up."""
DONE = None
"""What it tells at its good end; before it counts of rows, or else what went wrong."""


class CheckEnded(FeedtoolError):
    """The process of a check was ended, as by a lack of memory."""


class _Unheard(Exception):
    """Nobody listens to the process any longer."""


def check_elsewhere(command: Sequence[str], file: str, job: Job) -> None:
    """Has a file checked by a process, and counts its rows. Raises what checking raises, too."""
    # Ctrl-C is for the page alone, which ends the process.
    with Popen(  # noqa: S603  # our own
        [*command, file], stdin=DEVNULL, stdout=PIPE, start_new_session=True
    ) as process:
        if process.stdout is None:
            raise AssertionError(command)
        try:
            for rows in _told(process.stdout):
                job.count(rows)
        except BaseException:
            process.stdout.close()  # by which it notices
            try:
                process.wait(_PATIENCE)
            except TimeoutExpired:
                process.kill()
            raise


def _told(pipe: IO[bytes]) -> Iterator[int]:
    """The counts of rows. Raises what went wrong."""
    while True:
        try:
            told = pickle.load(pipe)  # noqa: S301  # our own process wrote it
        except Exception as error:
            raise CheckEnded(
                tr("the check was ended from outside"),
                tr("check the file again; see whether the machine has memory left"),
            ) from error
        if told is DONE:
            return
        if isinstance(told, BaseException):
            raise told
        yield told


class _ToldJob(Job):
    """A job that tells another process how many rows it has read."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(threading.Event())
        self._pipe = pipe

    def count(self, rows: int) -> None:
        """Tells of more rows."""
        self.say(rows)

    def say(self, told: object) -> None:
        """Tells something. Raises _Unheard where nobody listens."""
        try:
            self._pipe.write(pickle.dumps(told))
        except OSError as error:
            raise _Unheard from error


def check_for_another(check: Callable[[Job], None]) -> None:
    """Checks, and tells `check_elsewhere` on stdout how far it is, and what went wrong."""
    # What else is printed must not get in between.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as pipe:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        job = _ToldJob(pipe)
        try:
            check(job)
            job.say(DONE)
        except _Unheard:
            return
        except Exception as error:  # noqa: BLE001  # it is raised again, where somebody is told
            if not isinstance(error, FeedtoolError):
                error.add_note(traceback.format_exc())
            job.say(error)
