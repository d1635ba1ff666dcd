"""Find the column for a header in a recipe, or for `@C`."""

from collections.abc import Mapping

from feedtool.check.recipes.recipe import LETTERS
from feedtool.model.cells import index_of, letters
from feedtool.model.errors import UsageProblem
from feedtool.model.header import folded
from feedtool.model.text import joined, tr
from feedtool.sheets.read.source import LAST_COLUMN


def column_index(header: str, texts: Mapping[int, str], place: str) -> int | None:
    """Return the column of a header, or of `@C`; None if the sheet does not have it.

    Raises UsageProblem if several columns have the header, or if the letters are invalid.
    """
    if header.startswith(LETTERS):
        return _index_by_letters(header, place)
    exact = [index for index, text in texts.items() if text == " ".join(header.split())]
    same = exact or [index for index, text in texts.items() if folded(text) == folded(header)]
    if len(same) > 1:
        raise UsageProblem(
            tr(
                "{place}: “{header}” is the header of columns {where}",
                place=place,
                header=header,
                where=joined(map(letters, same)),
            ),
            tr(
                "name one of them by its letters: “{column}”",
                column=f"{LETTERS}{letters(same[0])}",
            ),
        )
    return same[0] if same else None


def _index_by_letters(header: str, place: str) -> int:
    name = header.removeprefix(LETTERS).upper()
    if name.isascii() and name.isalpha() and (index := index_of(name)) <= LAST_COLUMN:
        return index
    raise UsageProblem(
        tr("{place}: “{header}” names no column", place=place, header=header),
        tr("write its letters, as in “@C”"),
    )
