"""A large file is checked by a process of its own: the page answers meanwhile, and stays small."""

import pickle
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen
from typing import IO

from feedtool.model.errors import FeedtoolError
from feedtool.model.text import tr
from feedtool.page.jobs import Job

LARGE = 2 << 20
"""Bytes of a file that is worth a process: some ten thousand rows."""


class CheckEnded(FeedtoolError):
    """The process of a check was ended, as by a lack of memory."""


def check_elsewhere(command: Sequence[str], file: str, job: Job) -> None:
    """Has a file checked by a process, and counts its rows. Raises what checking raises, too."""
    with Popen([*command, file], stdin=DEVNULL, stdout=PIPE) as process:  # noqa: S603  # our own
        if process.stdout is None:
            raise AssertionError(command)
        # Where counting fails since the page is to end, the pipe is closed, and the check ends too.
        for told in _told(process.stdout):
            if isinstance(told, BaseException):
                raise told
            job.count(told)
    if process.returncode:
        raise CheckEnded(
            tr("the check was ended from outside"),
            tr("check the file again; see whether the machine has memory left"),
        )


def _told(pipe: IO[bytes]) -> Iterator[int | BaseException]:
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            yield pickle.load(pipe)  # noqa: S301  # our own process wrote it


class _ToldJob(Job):
    """A job that tells another process how many rows it has read."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(threading.Event())
        self._pipe = pipe

    def count(self, rows: int) -> None:
        """Tells of more rows. Raises BrokenPipeError where nobody listens any longer."""
        pickle.dump(rows, self._pipe)
        self._pipe.flush()


def check_for_another(check: Callable[[Job], None], pipe: IO[bytes]) -> None:
    """Checks, and tells `check_elsewhere` by a pipe how far it is, and what went wrong."""
    try:
        check(_ToldJob(pipe))
    except BrokenPipeError:
        return
    except Exception as error:  # noqa: BLE001  # it is raised again, where somebody is told
        if not isinstance(error, FeedtoolError):
            error.add_note(traceback.format_exc())
        pickle.dump(error, pipe)
        pipe.flush()
