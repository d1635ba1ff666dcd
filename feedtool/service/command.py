"""The command that a user gives in one text."""

import os
import shlex


def words_of(command: str, *, is_windows: bool = os.name == "nt") -> list[str]:
    r"""The program and its arguments, split at blanks that are not in quotes.

    On Windows a backslash is one, as in `C:\tools\told.exe`; elsewhere it takes the next
    character as it is. Raises ValueError for a quote that is never closed.
    """
    if is_windows:
        return [word.strip('"') for word in shlex.split(command, posix=False)]
    return shlex.split(command)
