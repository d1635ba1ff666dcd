"""Split and run a command that a user gives as one text."""

import os
import shlex
import subprocess
from collections.abc import Sequence

from feedtool.model.text import tr

LONGEST_COMMAND = 60.0
"""The most seconds of a command that prints a secret."""


def words_of(command: str, *, is_windows: bool = os.name == "nt") -> list[str]:
    r"""The program and its arguments, split at blanks outside quotes.

    On Windows a backslash is an ordinary character, as in `C:\tools\name.exe`; elsewhere it
    quotes the next character. Raises ValueError for a quote that is never closed.
    """
    if is_windows:
        return [word.strip('"') for word in shlex.split(command, posix=False)]
    return shlex.split(command)


def printed_by(command: Sequence[str]) -> tuple[str, str]:
    """Run a command; return its output, which may be a secret, or "" and the reason of a failure.

    No exception is raised that would hold the output.
    """
    # Its stderr is ours, so that it may ask for a passphrase there.
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
        return "", tr("its output is not text")
    except OSError as error:
        return "", error.strerror or tr("it cannot be run")
