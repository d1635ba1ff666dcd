"""The errors that stop a command, each with its exit code, which scripts rely on.

    FeedtoolError                70 when nothing better is known
    ├── UsageProblem              2  options or configuration that cannot work
    ├── FileProblem               3  a file that cannot be read; carries a problem code
    ├── NotAuthorised             4  the service refuses the credential (401) or the right (403)
    ├── Interrupted               5  the service cannot be reached, or answers what stops a run
    ├── Stopped                 130  Ctrl-C
    └── NothingToDo               9

Rows that are wrong are no exceptions: they are data (`model.Problem`).
"""

import errno
from collections.abc import Iterable
from enum import IntEnum

from feedtool.model.text import tr


class Exit(IntEnum):
    """The exit codes that scripts rely on."""

    OK = 0
    ROWS = 1
    """Some rows are invalid, refused or held."""
    USAGE = 2
    """Usage or configuration, a plan that no longer fits, a ledger that another process holds."""
    FILE = 3
    """The file is missing, cannot be read or has no known template."""
    AUTH = 4
    """Not authorised."""
    INTERRUPTED = 5
    """Interrupted, or the service cannot be reached."""
    PENDING = 6
    """Committed, results still pending."""
    NOTHING = 9
    """Nothing to do."""
    BUG = 70
    """A bug in feedtool."""
    CTRL_C = 130
    """Ctrl-C."""


EXIT_PRECEDENCE = (
    Exit.BUG,
    Exit.CTRL_C,
    Exit.USAGE,
    Exit.AUTH,
    Exit.INTERRUPTED,
    Exit.FILE,
    Exit.PENDING,
    Exit.ROWS,
    Exit.OK,
    Exit.NOTHING,
)
"""The exit code with several files: the first of these that occurred."""


def first_of(codes: Iterable[Exit]) -> Exit:
    """The exit code for several results; NOTHING without any."""
    occurred = set(codes)
    return next((code for code in EXIT_PRECEDENCE if code in occurred), Exit.NOTHING)


class FeedtoolError(Exception):
    """An error that stops the command: one line with the problem, and one with the way out."""

    exit: Exit = Exit.BUG

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageProblem(FeedtoolError):
    exit = Exit.USAGE


class CannotWrite(UsageProblem):
    """A file of feedtool cannot be written: not the fault of the input file."""


class LedgerAway(UsageProblem):
    """The server of the ledger gives no connection now, but may later."""


class NotAuthorised(FeedtoolError):
    exit = Exit.AUTH


class Interrupted(FeedtoolError):
    exit = Exit.INTERRUPTED


class Stopped(FeedtoolError):
    exit = Exit.CTRL_C


class NothingToDo(FeedtoolError):
    exit = Exit.NOTHING


class FileProblem(FeedtoolError):
    """A file that cannot be read at all.

    Subclasses have codes, whose pages are in the `problems.md` of their packages.
    """

    exit = Exit.FILE
    code: str = ""


_REASONS = {
    errno.ENOENT: tr("No such file or directory"),
    errno.EACCES: tr("Permission denied"),
    errno.EPERM: tr("Operation not permitted"),
    errno.EEXIST: tr("File exists"),
    errno.EISDIR: tr("Is a directory"),
    errno.ENOTDIR: tr("Not a directory"),
    errno.ENOSPC: tr("No space left on device"),
    errno.EROFS: tr("Read-only file system"),
    errno.EIO: tr("Input/output error"),
}
"""The usual words of operating systems."""


def reason_of(error: Exception) -> str:
    """The operating system's reason of an error, in its usual words, which can be translated."""
    known = _REASONS.get(getattr(error, "errno", None) or 0)
    return known or getattr(error, "strerror", None) or str(error) or type(error).__name__
