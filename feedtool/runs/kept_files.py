"""The files that cells name, such as invoices: kept with a run, and read again as they were."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field

from feedtool.model.errors import FileProblem
from feedtool.model.settings import Locate, same_path

NOWHERE = Path("nowhere", "nothing")
"""A place at which nothing is."""


class RecordedFiles(Struct):
    """The files of a command, each kept when it is read."""

    keep: Callable[[Path], str]
    """Keeps a file; its SHA-256."""
    path_of: Callable[[str], Path]
    """The kept file of a SHA-256."""
    kept: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each, by the path that cells name it by, wherever it was read."""
    allowed: Locate = same_path
    """The place that may be read for a path."""

    def __call__(self, path: Path) -> Path:
        """The copy of a file, or the place in the copy of a ZIP; what cannot be read, its place."""
        place = self.allowed(path)
        named = zip((path, *path.parents), (place, *place.parents), strict=False)
        try:
            name, file = next((pair for pair in named if pair[1].is_file()), (path, None))
            if file and str(name) not in self.kept:
                self.kept[str(name)] = self.keep(file)
        except (FileProblem, OSError, ValueError):  # which is told where it is read
            return place
        return located(path, self.kept, self.path_of) if file else place


class KeptFiles(Struct):
    """The files of a run, as they were then."""

    kept: Mapping[str, str]
    path_of: Callable[[str], Path]
    """FileProblem where it is gone."""

    def __call__(self, path: Path) -> Path:
        """The copy of a file, or the place in the copy of a ZIP; what was not kept is nowhere.

        So nothing is sent later that was not there, or that nobody was to read, then.
        """
        place = located(path, self.kept, self.path_of)
        return NOWHERE if place == path else place


def located(path: Path, kept: Mapping[str, str], path_of: Callable[[str], Path]) -> Path:
    """The place of a path in what was kept."""
    file = next((item for item in (path, *path.parents) if str(item) in kept), None)
    return path_of(kept[str(file)]) / path.relative_to(file) if file else path
