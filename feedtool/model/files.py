"""Files that are installed with the code, files of systems, and the marks in our workbooks."""

from importlib import import_module
from pathlib import Path, PurePath


def folder_of(package: str) -> Path:
    """The folder of a Python package.

    `importlib.resources` would find it too, but importing that takes a short command longer than
    all its reading there.
    """
    return Path(import_module(package).__path__[0])


# Tell the files of users from those of systems, such as thumbs.db.

OF_SYSTEMS = frozenset(("thumbs.db", "desktop.ini", "__macosx"))
"""System files and folders without a dot at the beginning."""


def is_users_file(path: PurePath) -> bool:
    """True unless a system made the file, or hides it; `path` begins in a folder of the user."""
    return not any(
        part.startswith(".") or part.casefold() in OF_SYSTEMS for part in path.parts if part != ".."
    )


# Marks that feedtool writes into workbooks, and recognises when it reads them.

HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
"""The three columns that an annotated copy adds to its input."""

ROW = "feedtool row"
"""The column that a workbook of rows to correct adds to its template: the origin of each row."""

SUMMARY = "feedtool summary"
"""The sheet that an annotated workbook adds to its input."""

OURS = "feedtool."
"""The prefix of our own properties of a workbook."""
STAMP = "feedtool.template"
"""The property of a workbook with the kind of its template."""
LISTED = "feedtool.list"
"""The property of a workbook with the name of its export, if the workbook is only to look at."""
