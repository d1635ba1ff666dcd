"""The columns of a workbook of rows to correct: its template's, and what else the rows fill."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from feedtool.areas.products.feeds import STAMP_LANGUAGE
from feedtool.areas.registry import load
from feedtool.check import ROW, Asked
from feedtool.feeds.feed import LANGUAGES
from feedtool.model.cells import letters
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Header
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.corrections.words import FAILED_WORDS
from feedtool.templates import PRODUCTS, Language
from feedtool.templates.contents import Contents, Field, Need
from feedtool.templates.entry import Entry
from feedtool.templates.fields import contents_of
from feedtool.templates.for_rows import contents_for
from feedtool.templates.workbook import KEY_ROW, LABEL_ROW

ROW_WIDTH, FURTHER_WIDTH = 14, 20
NO_HEADER = " "
"""What stands above cells without a header: their row is refused for that, as it was."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Where everything of a sheet stands in the workbook."""

    contents: Contents
    places: Mapping[int, int]
    """The 0-based column of each of the sheet's columns."""
    header: Header
    """As whoever reads the workbook finds it."""
    row_column: int
    """The 0-based column that names the rows of the original."""


def shape_of(
    checked: CheckedSheet,
    filled: Collection[int],
    asked: Asked,
    codes: Sequence[str],
    given: Collection[str],
    language: Language,
    run: int,
) -> Shape:
    """The columns for some rows of a sheet.

    Args:
        checked: The sheet.
        filled: Its columns in which one of the rows holds something, or is to.
        asked: How it was read.
        codes: Of products the rows' categories.
        given: The keys of further columns that are filled in.
        language: Of the labels, where the workbook does not say.
        run: In which it was sent.
    """
    header = checked.header
    if header is None:
        raise ValueError("only a sheet with a header has rows")
    contents = _template(checked, header, filled, asked, codes, language)
    of_keys = {column.key: index for index, column in header.columns.items()}
    places: dict[int, int] = {}
    fields: list[Field] = []
    for place, field in enumerate(contents.fields):
        index = of_keys.get(field.key)
        if index is not None:
            places[index] = place
        is_filled = index in filled or field.key in given
        fields.append(replace(field, is_folded=field.is_folded and not is_filled))
    words = FAILED_WORDS[contents.language]
    own = {field.key for field in fields}
    for index in sorted(set(filled) - places.keys() - header.own):
        places[index] = len(fields)
        text = header.texts.get(index, "")
        column = header.columns.get(index)
        key = _free(column.key if column else text or NO_HEADER, own)
        note = words.further.format(file=checked.file)
        fields.append(_field(key, text, note, len(fields), Entry("General", FURTHER_WIDTH)))
    row_column = len(fields)
    note = words.row.format(file=checked.file)
    fields.append(_field(ROW, ROW, note, row_column, Entry("0", ROW_WIDTH)))
    origin = words.origin.format(file=checked.file, run=run)
    contents = replace(
        contents,
        fields=tuple(fields),
        facts=(
            (words.heading, f"{origin}\n{words.how.format(file=checked.file)}"),
            *contents.facts,
        ),
        is_stamped=checked.is_kind_certain,
    )
    return Shape(contents, places, _header(header, contents, places), row_column)


def _free(key: str, taken: set[str]) -> str:
    """A header that no other column has; blanks at its end do not count where it is read."""
    while key in taken:
        key += " "
    taken.add(key)
    return key


def _field(key: str, label: str, note: str, index: int, entry: Entry) -> Field:
    return Field(key, letters(index), label, note, "", Need.NEVER, note, note, entry)


def _header(original: Header, contents: Contents, places: Mapping[int, int]) -> Header:
    columns = {
        places[index]: column for index, column in original.columns.items() if index in places
    }
    return Header(
        KEY_ROW,
        KEY_ROW,
        columns,
        {index: field.key for index, field in enumerate(contents.fields)},
        (),
        frozenset(),
        headings=LABEL_ROW if contents.kind == PRODUCTS else 0,
    )


def _template(
    checked: CheckedSheet,
    header: Header,
    filled: Collection[int],
    asked: Asked,
    codes: Sequence[str],
    language: Language,
) -> Contents:
    kind, dialect = str(checked.kind), asked.dialect
    said = header.stamp.get(STAMP_LANGUAGE)
    spoken = cast("Language", said if said in LANGUAGES else language)
    keys = [column.key for index, column in header.columns.items() if index in filled]
    if kind != PRODUCTS:
        return contents_for(kind, keys, (), spoken, asked.context)
    catalog = asked.catalog(said)
    try:
        return contents_for(kind, keys, codes, cast("Language", said), asked.context)
    except UsageProblem:  # none of the rows has a category that can be had
        spoken = cast("Language", catalog.language) if catalog else spoken
        return contents_of(load().feeds[kind], spoken, dialect)
