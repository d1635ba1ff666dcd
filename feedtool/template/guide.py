"""The two sheets in front: how to fill the template, and what belongs in each column."""

from collections.abc import Iterator, Sequence

from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.feeds import Feed
from feedtool.template import Language, look
from feedtool.template.fields import Field, Need
from feedtool.template.words import WORDS, Words, about_feed, typeset

INSTRUCTIONS_WIDTHS = {"A": 42, "B": 88}
FIELDS_WIDTHS = {"A": 36, "B": 40, "C": 50, "D": 20, "E": 36, "F": 50}
TECHNICAL_NAME = 6
"""The column of Fields that holds the keys."""


def fill_instructions(
    sheet: Worksheet, feed: Feed, fields: Sequence[Field], language: Language
) -> None:
    """Says what the workbook is for, how it is filled and how it is sent."""
    words = WORDS[language]
    about = about_feed(feed, language)
    sheet.append([about.title])
    sheet["A1"].font = look.TITLE_FONT
    sheet.append([feed.kind])
    sheet["A2"].font = look.KIND_FONT
    _paragraph(sheet, about.rows, language)
    _section(sheet, words.fill)
    for number, step in enumerate(_steps(words, feed, fields), start=1):
        _paragraph(sheet, f"{number}. {step}", language)
    _section(sheet, words.send)
    for command, effect in (("validate", words.validate), ("submit", words.submit)):
        _pair(sheet, f"feedtool {command} {feed.kind}.xlsx", effect, language)
        sheet.cell(sheet.max_row, 1).font = look.CODE_FONT
    _section(sheet, words.legend)
    _legend(sheet, fields, words, language)
    _set_widths(sheet, INSTRUCTIONS_WIDTHS)
    fit_to_page(sheet)


def _steps(words: Words, feed: Feed, fields: Sequence[Field]) -> Iterator[str]:
    """The steps that this sheet needs, in order."""
    yield words.open_sheet.format(sheet=feed.sheet)
    has_either = any(field.need is Need.EITHER for field in fields)
    yield f"{words.stars} {words.either}" if has_either else words.stars
    if any(field.is_folded for field in fields):
        yield words.folded
    yield from (words.keys, words.paste, words.fields)


def _section(sheet: Worksheet, heading: str) -> None:
    sheet.append([])
    sheet.cell(sheet.max_row + 2, 1, heading).font = look.SECTION_FONT


def _paragraph(sheet: Worksheet, text: str, language: Language) -> None:
    """One text over both columns; a merged cell does not grow, so its height is reckoned."""
    row = sheet.max_row + 1
    sheet.cell(row, 1, typeset(text, language)).alignment = look.BODY
    sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=2)
    height = look.LINE_HEIGHT * look.lines(text, sum(INSTRUCTIONS_WIDTHS.values()))
    sheet.row_dimensions[row].height = height


def _pair(sheet: Worksheet, left: str, right: str, language: Language) -> None:
    sheet.append([left, typeset(right, language)])


def _legend(sheet: Worksheet, fields: Sequence[Field], words: Words, language: Language) -> None:
    """A coloured cell of each sort that the header has, and what it means."""
    meanings = {
        Need.ALWAYS: words.required,
        Need.EITHER: words.one_of,
        Need.NEVER: words.optional,
    }
    for need, meaning in meanings.items():
        shown = next((field for field in fields if field.need is need), None)
        if shown:
            _pair(sheet, shown.title, meaning, language)
            cell = sheet.cell(sheet.max_row, 1)
            cell.fill, cell.font = look.HEADER_FILLS[need], look.header_font(need)


def fill_fields(sheet: Worksheet, fields: Sequence[Field], language: Language) -> None:
    """A row for each column of the sheet to fill."""
    words = WORDS[language]
    sheet.append(list(words.headings))
    for cell in sheet[1]:
        cell.fill, cell.font = look.HEADER_FILLS[Need.ALWAYS], look.LIGHT_ON_DARK
        cell.alignment = look.HEADER_ALIGNMENT
    for field in fields:
        _describe(sheet, field, words, language)
    _set_widths(sheet, FIELDS_WIDTHS)
    sheet.freeze_panes = "B2"
    sheet.print_title_rows = "1:1"
    fit_to_page(sheet)


def _describe(sheet: Worksheet, field: Field, words: Words, language: Language) -> None:
    texts = (
        field.title,
        typeset(_requirement(field, words), language),
        typeset(field.help, language),
        field.example,
        "\n".join(field.choices),
        field.key,
    )
    row = sheet.max_row + 1
    for column, text in enumerate(texts, start=1):
        cell = sheet.cell(row, column, text)
        cell.alignment, cell.border, cell.number_format = look.BODY, look.LINE, "@"
        cell.font = look.PLAIN_FONT
    if field.need is not Need.NEVER:
        sheet.cell(row, 1).font = look.STRONG_FONT
    sheet.cell(row, TECHNICAL_NAME).font = look.KEY_FONT
    lines = map(look.lines, texts[:-1], FIELDS_WIDTHS.values())
    sheet.row_dimensions[row].height = look.LINE_HEIGHT * max(lines)


def _requirement(field: Field, words: Words) -> str:
    others = ", ".join(field.others)
    match field.need:
        case Need.ALWAYS:
            return words.yes
        case Need.EITHER:
            return words.instead.format(others=others)
        case Need.UNLESS:
            return words.unless.format(others=others)
        case Need.NEVER:
            return words.no


def _set_widths(sheet: Worksheet, widths: dict[str, int]) -> None:
    for letter, width in widths.items():
        sheet.column_dimensions[letter].width = width
    sheet.sheet_view.showGridLines = False


def fit_to_page(sheet: Worksheet) -> None:
    """As wide as one page, should somebody print it."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
