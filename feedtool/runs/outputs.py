"""Which annotated copies are wanted, and where they go."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field

from feedtool.areas.registry import load
from feedtool.model.errors import FileProblem
from feedtool.model.text import LanguageChoice, Translator
from feedtool.report.sheet_result import SheetResult
from feedtool.sheets import is_other_format

ENGLISH_UNLESS_STAMPED = LanguageChoice()


class Outputs(Struct, frozen=True):
    """Where the annotated copies go."""

    targets: Mapping[str, Path] = field(default_factory=dict)
    """By the input's name; an input that is not here gets no copy."""
    is_in_place: bool = False
    """True if the copy takes the input's own place."""
    only_whole: bool = False
    """True if a copy is written only once nothing stops the delivery before its end."""
    is_plain: bool = False
    """True if a copy gets neither notes in cells nor a filter."""
    no_failed: bool = False
    """True if no workbook of the rows to correct is written beside a copy."""
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """That of what is written beside the rows."""

    def say(self, results: Iterable[SheetResult]) -> Translator:
        """The translator for sheets of a workbook: the first template among them decides."""
        stamps = (result.checked.language for result in results)
        return Translator(self.language.of(next(filter(None, stamps), None)))


def has_workbook_copy(path: Path) -> bool:
    """True if the annotated copy is a workbook of a file's rows, since the file is none itself.

    So it is of an Offers.xml, and of a spreadsheet of another format than .xlsx and CSV.
    """
    try:
        return load().format_of(path) is not None or is_other_format(path)
    except (OSError, FileProblem):
        return False  # the error is said where it is read
