"""The file of a recipe's join, and its age."""

import re
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from feedtool.model.errors import FileProblem
from feedtool.model.text import tr

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*([mhd])", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


class JoinUnusable(FileProblem):
    """The file of a recipe's join cannot be used."""

    code = "join-unusable"


class JoinFile(NamedTuple):
    """A file of a join."""

    name: str
    path: Path
    """The path to read; it may be a snapshot of the file."""
    age: timedelta
    """The file's age when it was chosen."""

    @property
    def aged(self) -> str:
        """The file's name and age, for messages."""
        if self.age < HOUR:
            minutes = max(0, self.age // timedelta(minutes=1))
            return tr("{file} ({count} min old)", file=self.name, count=minutes)
        if self.age < 2 * DAY:
            return tr("{file} ({count} h old)", file=self.name, count=self.age // HOUR)
        return tr("{file} ({count} days old)", file=self.name, count=self.age // DAY)


def oldest(text: str) -> timedelta | None:
    """Return the age in a `too_old`; None if the text is not an age."""
    match = _AGE.fullmatch(text.strip())
    try:
        return timedelta(**{_UNITS[match[2]]: float(match[1])}) if match else None
    except OverflowError:
        return None
