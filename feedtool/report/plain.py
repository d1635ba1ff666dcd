"""Make text from files and from the service safe to show: nothing in it controls a terminal.

A cell can hold escape sequences that repaint a terminal, and direction overrides that reorder a
text for the reader. Both are spelled out (`<U+202E>`), so that they are visible.
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
"""Characters that must not be in a line of text, besides the C0 controls."""

LONGEST_VALUE = 60
"""Most characters of a cell's value that are shown."""

BLANKS = " \u00a0\u2007\u202f\u3000"
BLANK = "␣"
"""The sign for an invisible blank."""

LONGEST_MESSAGE = 2_000
"""Most characters of a message that are shown."""

_BREAKING = re.compile(r"[^\S\u00a0\u202f]+")
"""Blanks, except those that French writes before punctuation and in numbers."""
_UNSAFE = re.compile(f"[\x00-\x1f{STEERING}]")


def clean(text: str) -> str:
    """Return the text with control characters spelled out, line breaks and tabs too."""
    if text.isprintable():  # no unsafe character is; fast for millions of texts
        return text
    return _UNSAFE.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def relative_name(path: Path) -> str:
    """A file's name; relative to the working folder if the file is in it."""
    folder = Path.cwd()
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def on_one_line(text: str) -> str:
    """Return a text without line breaks, with single blanks; non-breaking ones stay."""
    return _BREAKING.sub(" ", text).strip(" ")


def printable(text: str) -> str:
    """Return a message on one line, cleaned and shortened."""
    return shorten(clean(on_one_line(text)), LONGEST_MESSAGE)


def sentence(text: str) -> str:
    """Return an advice for a cell of a table: like `printable`, with a capital."""
    return f"{text[:1].upper()}{printable(text)[1:]}"


def value(text: str) -> str:
    """Return a cell's value on one line, cleaned and shortened; blanks at its ends are visible."""
    short = shorten(text, LONGEST_VALUE)
    inner = short.strip(BLANKS)
    before = short.index(inner)
    after = len(short) - before - len(inner)
    return shorten(clean(f"{BLANK * before}{inner}{BLANK * after}"), LONGEST_VALUE)


def shorten(text: str, longest: int) -> str:
    """Return the text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def listed(numbers: Sequence[int], total: int) -> MessageText:
    """List ascending numbers, with ranges: `4, 7, 12-15 and 1,203 more`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = joined("-".join(map(str, run)) for run in runs)
    left = total - len(numbers)
    return tr("{rows} and {left:,} more", rows=shown, left=left) if left else shown
