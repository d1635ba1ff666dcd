"""The files that cells name, such as invoices: kept with a run, to be read again unchanged."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field

from feedtool.model.errors import FileProblem
from feedtool.model.settings import Locate, same_path

NOWHERE = Path("nowhere", "nothing")
"""A place where no file is."""


class RecordedFiles(Struct):
    """The files of a command, each kept when it is read."""

    keep: Callable[[Path], str]
    """Keeps a file, and returns its SHA-256."""
    path_of: Callable[[str], Path]
    """Returns the kept file of a SHA-256."""
    kept: dict[str, str] = field(default_factory=dict)
    """SHA-256 by the path in the cell, not by the place where the file was read."""
    allowed: Locate = same_path
    """Returns the place that may be read for a path."""

    def __call__(self, path: Path) -> Path:
        """Return the copy of a file, or the place in the copy of a ZIP.

        For a file that cannot be read it is the original place.
        """
        place = self.allowed(path)
        pairs = zip((path, *path.parents), (place, *place.parents), strict=False)
        try:
            name, file = next((pair for pair in pairs if pair[1].is_file()), (path, None))
            if file and str(name) not in self.kept:
                self.kept[str(name)] = self.keep(file)
        except (FileProblem, OSError, ValueError):  # the reading reports it
            return place
        return kept_place(path, self.kept, self.path_of) if file else place


class KeptFiles(Struct):
    """The files of a run, unchanged since."""

    kept: Mapping[str, str]
    path_of: Callable[[str], Path]
    """Raises FileProblem if the file is gone."""

    def __call__(self, path: Path) -> Path:
        """Return the copy of a file, or the place in the copy of a ZIP; NOWHERE if it was not kept.

        So nothing is sent later that was missing, or forbidden, at the time of the run.
        """
        place = kept_place(path, self.kept, self.path_of)
        return NOWHERE if place == path else place


def kept_place(path: Path, kept: Mapping[str, str], path_of: Callable[[str], Path]) -> Path:
    file = next((item for item in (path, *path.parents) if str(item) in kept), None)
    return path_of(kept[str(file)]) / path.relative_to(file) if file else path
