"""The files that ship beside our code."""

from importlib import import_module
from pathlib import Path


def folder_of(package: str) -> Path:
    """The folder of a Python package.

    `importlib.resources` would say it too; to import that takes a short command longer than all
    that it reads there.
    """
    return Path(import_module(package).__path__[0])
