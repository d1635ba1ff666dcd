"""Make files survive a crash of the machine."""

import os
from contextlib import suppress
from pathlib import Path


def bring_folder_to_disk(folder: Path) -> None:
    """Write a folder's names to disk; a system that cannot open folders does so by itself."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
