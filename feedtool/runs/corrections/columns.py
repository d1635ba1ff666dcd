"""The columns of a workbook of rows to correct: its template's, and what else the rows fill."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import cast

from feedtool.check import ROW
from feedtool.feeds.feed import Feed
from feedtool.feeds.template import LANGUAGES, Basis, CellEntry, Contents, Field, Language
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Header
from feedtool.model.settings import Context
from feedtool.model.translation import translation
from feedtool.templates.contents import contents_of, plain_contents
from feedtool.templates.workbook import KEY_ROW, LABEL_ROW

STAMP_LANGUAGE = "feedtool.language"
ROW_WIDTH, FURTHER_WIDTH = 14, 20
NO_HEADER = " "
"""What stands above cells without a header: their row is refused for that, as it was."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where everything of a sheet stands in the workbook."""

    contents: Contents
    places: Mapping[int, int]
    """The 0-based column of each of the sheet's columns."""
    header: Header
    """As whoever reads the workbook finds it."""


def basis_of(
    header: Header, context: Context, language: Language, filled: Collection[int]
) -> Basis:
    """The basis of the workbook of a sheet, with the language of its stamp, if it has one.

    `filled` are the columns in which one of the rows holds something, or is to.
    """
    stamped = header.stamp.get(STAMP_LANGUAGE)
    keys = frozenset(column.key for index, column in header.columns.items() if index in filled)
    return Basis(stamped if stamped in LANGUAGES else language, context, keys=keys)


def columns_of(
    file: str,
    feed: Feed,
    header: Header,
    filled: Collection[int],
    given: Collection[str],
    basis: Basis,
    run: int,
) -> Columns:
    """The columns for some rows of a sheet.

    Args:
        file: The name of its file.
        feed: The kind of its rows.
        header: Its own.
        filled: The columns in which one of the rows holds something, or is to.
        given: The keys of further columns that are filled in.
        basis: What the template is made for.
        run: In which it was sent.
    """
    contents = _template(feed, basis)
    of_keys = {column.key: index for index, column in header.columns.items()}
    places: dict[int, int] = {}
    fields: list[Field] = []
    for place, field in enumerate(contents.fields):
        index = of_keys.get(field.key)
        if index is not None:
            places[index] = place
        is_filled = index in filled or field.key in given
        fields.append(replace(field, is_folded=field.is_folded and not is_filled))
    _ = translation("feedtool.runs", contents.language)
    own = {field.key for field in fields}
    note = _("A column of {file}, as it was there.").format(file=file)
    for index in sorted(set(filled) - places.keys() - header.own):
        places[index] = len(fields)
        text = header.texts.get(index, "")
        column = header.columns.get(index)
        key = _free(column.key if column else text or NO_HEADER, own)
        fields.append(Field(key, text, note, CellEntry("General", FURTHER_WIDTH)))
    note = _("The row of {file} that this one corrects: leave it as it is.").format(file=file)
    fields.append(Field(ROW, ROW, note, CellEntry("0", ROW_WIDTH)))
    origin = _("The rows of {file} that were not taken in run {run}, as they were sent.")
    how = _(
        "What is wrong stands on the right, in the three last columns, and the cells to look at"
        " are coloured. Correct them, delete the rows that are not to be sent, and send this"
        " workbook as it is: nothing else of {file} is sent again."
    )
    fact = _("To correct"), f"{origin}\n{how}".format(file=file, run=run)
    contents = replace(contents, fields=tuple(fields), facts=(fact, *contents.facts))
    columns = {places[index]: it for index, it in header.columns.items() if index in places}
    texts = {index: field.key for index, field in enumerate(fields)}
    headings = LABEL_ROW if feed.template else 0
    found = Header(KEY_ROW, KEY_ROW, columns, texts, (), frozenset(), headings=headings)
    return Columns(contents, places, found)


def _free(key: str, taken: set[str]) -> str:
    """A header that no other column has; blanks at its end do not count where it is read."""
    while key in taken:
        key += " "
    taken.add(key)
    return key


def _template(feed: Feed, basis: Basis) -> Contents:
    try:
        return contents_of(feed, basis)
    except UsageProblem:  # none of the rows has a category that can be had
        catalog = basis.context.catalog(basis.language)
        spoken = cast("Language", catalog.language) if catalog else basis.language
        return plain_contents(feed, basis._replace(language=spoken))
