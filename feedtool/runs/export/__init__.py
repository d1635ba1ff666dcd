"""What the service has, as files to look at, to edit and to send back.

Reading order: `pages` asks for a list to its end, `gathered` keeps its rows on disk, `offers`,
`products` and `competition` make rows of what came, `written` writes the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Note(NamedTuple):
    """Something that whoever uses the file should know."""

    text: str
    hint: str = ""
    """What to do; empty where nothing needs to be done."""
    is_loss: bool = False
    """Whether something that was asked for is not in the file."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written."""

    file: Path
    kind: str
    """What it is: a kind of feed, or of list."""
    sheet: str | None
    """The sheet with the rows; None in a CSV."""
    header_row: int
    rows: int
    skipped: int
    """What was had and is not in the file; the notes say why."""
    notes: Sequence[Note]
