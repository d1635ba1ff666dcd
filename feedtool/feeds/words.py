"""The names of an area's columns in every language: its catalogues `columns.po`.

A text's English wording is its own key. Under the context `aliases` stand other headers that mean
a column, each on a line of its own: those of the channel operator's templates (source: the field's
files) and usual wordings. Case, accents, blanks and punctuation do not matter in them; `…` stands
for any words.
"""

from importlib.resources import files

from feedtool.feeds.feed import LANGUAGES
from feedtool.model.header import CellType, Column
from feedtool.model.translation import read_po

Texts = tuple[str, str, str]
"""A text in `LANGUAGES`."""


class Words:
    """The catalogues of a package, one for each language."""

    def __init__(self, package: str) -> None:
        folder = files(package) / "locale"
        self._texts = [
            read_po((folder / language / "columns.po").read_text("utf-8")) for language in LANGUAGES
        ]

    def of(self, english: str) -> Texts:
        """A text in all languages; where a translation lacks, in English."""
        first, second, third = (texts.get(("", english)) or english for texts in self._texts)
        return first, second, third

    def aliases(self, key: str, context: str = "aliases") -> tuple[str, ...]:
        """Other names of a column, or of what else has a key, of all languages."""
        names = (texts.get((context, key), "") for texts in self._texts)
        return tuple(name for text in names for name in text.splitlines())

    def column(
        self, key: str, cell_type: CellType, label: str, note: str, example: str = ""
    ) -> Column:
        """A column.

        Args:
            key: Its key.
            cell_type: What its cells hold.
            label: Its label in English.
            note: What belongs in it, in English.
            example: A value.
        """
        return Column(key, cell_type, self.of(label), self.of(note), example, self.aliases(key))
