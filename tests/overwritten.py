"""A file that another program writes while it is read, at moments that a test chooses."""

import os
from pathlib import Path, PosixPath
from typing import Any


class Overwritten(PosixPath):
    """A path whose file gets another content when it is opened.

    `moments` maps the number of an opening, from 1 on, to the content that is written then: in
    place, or, if `is_replaced`, into a new file that replaces it.
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
            # Clocks of file systems are too coarse to distinguish a test's moments.
            os.utime(target, (self.opened, self.opened))
            if self.is_replaced:
                target.replace(plain)
        return file


def overwritten(path: Path, moments: dict[int, bytes], *, is_replaced: bool = False) -> Overwritten:
    """The path with a file that gets another content at these moments."""
    changing = Overwritten(path)
    changing.moments, changing.is_replaced, changing.opened = moments, is_replaced, 0
    return changing
