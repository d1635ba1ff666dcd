"""Tell the files of people from those of systems, such as thumbs.db."""

from pathlib import PurePath

OF_SYSTEMS = frozenset(("thumbs.db", "desktop.ini", "__macosx"))
"""System files and folders without a dot at the beginning."""


def is_of_people(path: PurePath) -> bool:
    """True for a file of a person; `path` begins in a folder of a person."""
    return not any(
        part.startswith(".") or part.casefold() in OF_SYSTEMS for part in path.parts if part != ".."
    )
