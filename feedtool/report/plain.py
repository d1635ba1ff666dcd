"""Text from files and from the service, made safe to show: nothing in it steers a terminal.

A cell can hold escape sequences that repaint a terminal, and direction overrides that make a text
read as something else. Both are spelled out (`<U+202E>`), so that one sees that they are there.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from feedtool.model.text import MessageText, joined, tr

STEERING = (
    "\x7f-\x9f"  # DEL and the C1 controls, one of which starts an escape sequence
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks and overrides
    "\u200b\u2060\ufeff\u180e\u2028\u2029\ufff9-\ufffb"  # invisible, or breaking the line
    "\ud800-\udfff"  # halves of characters, which no encoding can write
)
"""Characters that have no business in a line of text, apart from the C0 controls."""

LONGEST_VALUE = 60
"""Characters of a cell's value that are shown."""

BLANKS = " \u00a0\u2007\u202f\u3000"
BLANK = "␣"
"""Stands for a blank that would not be seen."""

LONGEST_MESSAGE = 2_000
"""Characters of a message that are shown."""

_BREAKING = re.compile(r"[^\S\u00a0\u202f]+")
"""Blanks other than those that French puts before its signs, and into its numbers."""
_UNSAFE = re.compile(f"[\x00-\x1f{STEERING}]")


def clean(text: str) -> str:
    """The text with everything that steers spelled out, line breaks and tabs included."""
    if text.isprintable():  # nothing unsafe is, and millions of texts pass here
        return text
    return _UNSAFE.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def called_here(path: Path) -> str:
    """A file's name, from the working folder on where it lies below that."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def on_one_line(text: str) -> str:
    """A text without line breaks and with single blanks; those that are not to break stay."""
    return _BREAKING.sub(" ", text).strip(" ")


def printable(text: str) -> str:
    """A message on one line, cleaned and of bearable length."""
    return shorten(clean(on_one_line(text)), LONGEST_MESSAGE)


def sentence(text: str) -> str:
    """An advice that stands alone, in a cell of a table: as `printable`, with a capital."""
    return f"{text[:1].upper()}{printable(text)[1:]}"


def value(text: str) -> str:
    """A cell's value on one line, cleaned and of bearable length; blanks at its ends are seen."""
    short = shorten(text, LONGEST_VALUE)
    inner = short.strip(BLANKS)
    start = short.index(inner)
    before, after = start, len(short) - start - len(inner)
    return shorten(clean(f"{BLANK * before}{inner}{BLANK * after}"), LONGEST_VALUE)


def shorten(text: str, longest: int) -> str:
    """The text itself, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 row`, `1,204 rows`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(numbers: Sequence[int], total: int) -> MessageText:
    """Ascending numbers, neighbours joined: `4, 7, 12-15 and 1,203 more`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = joined("-".join(map(str, run)) for run in runs)
    left = total - len(numbers)
    return tr("{rows} and {left:,} more", rows=shown, left=left) if left else shown
