"""A command that a user gives in one text, and what it prints."""

import os
import shlex
import subprocess
from collections.abc import Sequence

from feedtool.model.text import tr

LONGEST_COMMAND = 60.0
"""The most seconds that a command may take which prints a secret."""


def words_of(command: str, *, is_windows: bool = os.name == "nt") -> list[str]:
    r"""The program and its arguments, split at blanks that are not in quotes.

    On Windows a backslash is one, as in `C:\tools\told.exe`; elsewhere it takes the next
    character as it is. Raises ValueError for a quote that is never closed.
    """
    if is_windows:
        return [word.strip('"') for word in shlex.split(command, posix=False)]
    return shlex.split(command)


def printed_by(command: Sequence[str]) -> tuple[str, str]:
    """All that a command prints, which may be a secret; and why that is nothing, where it is.

    No exception is raised that would hold what it printed.
    """
    # Its stderr goes where ours goes, so that it may ask for a passphrase there.
    try:
        done = subprocess.run(  # noqa: S603 - the user's own command, and no shell
            command, stdout=subprocess.PIPE, check=True, timeout=LONGEST_COMMAND
        )
        return done.stdout.decode(), ""
    except subprocess.CalledProcessError as error:
        return "", tr("it ended with exit code {code}", code=error.returncode)
    except subprocess.TimeoutExpired:
        return "", tr("it took longer than {seconds:g} s", seconds=LONGEST_COMMAND)
    except UnicodeDecodeError:
        return "", tr("what it prints is no text")
    except OSError as error:
        return "", error.strerror or tr("it cannot be run")
