"""Files that systems put beside those of people: `is_of_people` tells them apart."""

from pathlib import PurePath

OF_SYSTEMS = frozenset(("thumbs.db", "desktop.ini", "__macosx"))
"""Files and folders that are not hidden by a dot."""


def is_of_people(path: PurePath) -> bool:
    """True for what a person has put there; `path` begins in a folder that one has."""
    return not any(
        part.startswith(".") or part.casefold() in OF_SYSTEMS for part in path.parts if part != ".."
    )
