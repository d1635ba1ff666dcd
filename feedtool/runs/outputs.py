"""The annotated copies to write, and their places."""

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
    """The places and forms of the annotated copies."""

    targets: Mapping[str, Path] = field(default_factory=dict)
    """Place by the input's name; an input without one gets no copy."""
    is_in_place: bool = False
    """True if the copy replaces the input."""
    only_whole: bool = False
    """True if a copy is written only after a delivery that nothing stopped."""
    is_plain: bool = False
    """True if a copy gets neither notes in cells nor a filter."""
    no_failed: bool = False
    """True if no workbook of the rows to correct is written beside a copy."""
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    """The language of the notes beside the rows."""

    def translator(self, results: Iterable[SheetResult]) -> Translator:
        """Return the translator for sheets of a workbook: the first template among them decides."""
        stamps = (result.checked.language for result in results)
        return Translator(self.language.of(next(filter(None, stamps), None)))


def has_workbook_copy(path: Path) -> bool:
    """True if the annotated copy is a workbook of the rows, since the file cannot be annotated.

    That is so for an Offers.xml, and for a spreadsheet in another format than .xlsx and CSV.
    """
    try:
        return load().format_of(path) is not None or is_other_format(path)
    except (OSError, FileProblem):
        return False  # the reading reports it
