"""Lines on a terminal or in a file: coloured if asked, and wrapped if there is a width."""

from dataclasses import dataclass
from enum import StrEnum
from textwrap import wrap
from typing import TextIO

NARROWEST = 40
"""Below this nothing is wrapped: broken words help nobody."""


class Ink(StrEnum):
    """Colours by meaning, as ANSI codes that every terminal knows."""

    NONE = ""
    BOLD = "1"
    ERROR = "1;31"
    WARNING = "1;33"
    GOOD = "32"
    HELP = "36"
    FAINT = "2"


@dataclass(frozen=True, slots=True)
class Page:
    """Where a report for people is written."""

    out: TextIO
    is_colour: bool = False
    width: int | None = None
    """Columns; None wraps nothing."""

    def line(
        self, text: str = "", *, ink: Ink = Ink.NONE, label: str = "", indent: int = 0
    ) -> None:
        """Writes one line, wrapped under its beginning where it is too long.

        Args:
            text: What it says, clean already.
            ink: The colour of the label, or of the whole text where there is no label.
            label: What stands in front of the text.
            indent: Blanks in front of it all.
        """
        whole = f"{' ' * indent}{label}{text}"
        lines = [whole]
        if self.width and len(whole) > self.width >= NARROWEST:
            hanging = " " * (indent + 4)
            lines = wrap(whole, self.width, subsequent_indent=hanging, break_on_hyphens=False)
            lines = lines or [""]  # of blanks alone nothing is left
        if self.is_colour and ink:
            lines = _inked(lines, ink, label)
        self.out.write("\n".join(lines) + "\n")


def _inked(lines: list[str], ink: Ink, label: str) -> list[str]:
    first, *others = lines
    if label:
        return [first.replace(label, _painted(label, ink), 1), *others]
    return [_painted(line, ink) for line in lines]


def _painted(text: str, ink: Ink) -> str:
    bare = text.lstrip(" ")
    return f"{' ' * (len(text) - len(bare))}\x1b[{ink}m{bare}\x1b[0m"
