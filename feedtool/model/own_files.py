"""Files that are installed with the code."""

from importlib import import_module
from pathlib import Path


def folder_of(package: str) -> Path:
    """The folder of a Python package.

    `importlib.resources` would find it too, but importing that takes a short command longer than
    all its reading there.
    """
    return Path(import_module(package).__path__[0])
