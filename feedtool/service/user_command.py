"""A command of the user's, from the one text that options and settings have for it."""

import os
import shlex

IS_WINDOWS = os.name == "nt"


def words_of(command: str, *, is_windows: bool = IS_WINDOWS) -> list[str]:
    r"""The program and its arguments, split at blanks that are not in quotes.

    On Windows a backslash is one, as in `C:\tools\told.exe`; elsewhere it takes the next
    character as it is. Raises ValueError for a quote that is never closed.
    """
    if is_windows:
        return [word.strip('"') for word in shlex.split(command, posix=False)]
    return shlex.split(command)
