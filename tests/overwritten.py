"""A file that somebody else writes while it is read, at the moments that a test names."""

import os
from pathlib import Path, PosixPath
from typing import Any


class Overwritten(PosixPath):
    """A path whose file becomes another one while it is open.

    `moments` are the numbers of the openings, from 1 on, each with what is then written. It is
    written in place, or, if `is_replaced`, beside it and renamed.
    """

    moments: dict[int, bytes]
    is_replaced: bool
    opened: int

    def open(self, *args: Any, **kwargs: Any) -> Any:
        file = super().open(*args, **kwargs)
        self.opened += 1
        if content := self.moments.get(self.opened):
            plain = Path(self)
            target = plain.with_name("new") if self.is_replaced else plain
            target.write_bytes(content)
            # Clocks of file systems are too coarse to tell a test's moments apart.
            os.utime(target, (self.opened, self.opened))
            if self.is_replaced:
                target.replace(plain)
        return file


def overwritten(path: Path, moments: dict[int, bytes], *, is_replaced: bool = False) -> Overwritten:
    """The same path, whose file becomes another one."""
    found = Overwritten(path)
    found.moments, found.is_replaced, found.opened = moments, is_replaced, 0
    return found
