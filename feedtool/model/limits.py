"""Limits of reading: a larger file may be made to exhaust the machine."""

from msgspec import Struct
from msgspec.structs import astuple

MIB = 1 << 20


class ReadingLimits(Struct, frozen=True):
    """Limits of unpacking, in absolute sizes: a ratio would punish repetitive sheets.

    The defaults leave room for a million rows of 16 columns with inline texts.
    """

    part: int = 2048 * MIB
    """Inflated bytes of one part that is read by blocks (a sheet, the shared strings)."""
    total: int = 4096 * MIB
    """Inflated bytes of all parts together."""
    small: int = 64 * MIB
    """Inflated bytes of a part that is read whole (workbook, styles, relationships)."""
    parts: int = 20_000
    """Number of parts."""
    text: int = 8 * MIB
    """Characters of one cell, and bytes from one tag to the next."""
    strings: int = 128 * MIB
    """UTF-8 bytes of all shared strings."""
    processes: int = 2
    """1 has large sheets read by one process; else two do it, where the machine has two cores."""

    def __post_init__(self) -> None:
        if min(astuple(self)) < 1:
            raise ValueError("a limit of reading below 1 leaves no file to be read")
