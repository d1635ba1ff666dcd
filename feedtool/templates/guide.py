"""The two sheets in front: how to fill the template, and what belongs in each column."""

from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.feeds.template import Contents, Field, Language, Need
from feedtool.templates import limits, look
from feedtool.templates.look import texts, typeset

INSTRUCTIONS_WIDTHS = {"A": 42, "B": 88}
FIELDS_WIDTHS = {"A": 36, "B": 40, "C": 50, "D": 20, "E": 36, "F": 50}
TECHNICAL_NAME = 6
"""The column of Fields that holds the keys."""

MOST_LISTED = 20
"""Choices that Fields lists; where there are more, the dropdown has them all."""


def fill_instructions(sheet: Worksheet, contents: Contents) -> None:
    """Says what the workbook is for, how it is filled and how it is sent."""
    language = contents.language
    _ = texts(language)
    limits.put(sheet, 1, 1, contents.title).font = look.TITLE_FONT
    limits.put(sheet, 2, 1, contents.kind).font = look.KIND_FONT
    _paragraph(sheet, contents.about, language)
    for heading, rows in contents.facts:
        _section(sheet, heading)
        for row in rows.split("\n"):
            _paragraph(sheet, row, language)
    _section(sheet, _("How to fill it"))
    last_steps = (
        _(
            "References and GTINs are stored as text, so that leading zeros and long numbers "
            "survive. When you paste data, paste values only."
        ),
        _("The sheet “Fields” explains every column."),
    )
    for number, step in enumerate((*contents.steps, *last_steps), start=1):
        _paragraph(sheet, f"{number}. {step}", language)
    _section(sheet, _("How to check and send it"))
    effects = {
        "validate": _("checks every row and sends nothing"),
        "submit": _("sends the valid rows and writes the answer beside each row"),
    }
    for command, effect in effects.items():
        name = contents.file or f"{contents.kind}.xlsx"
        _pair(sheet, f"feedtool {command} {name}", effect, language)
        sheet.cell(sheet.max_row, 1).font = look.CODE_FONT
    _section(sheet, _("Colours of the header"))
    _legend(sheet, contents)
    _set_widths(sheet, INSTRUCTIONS_WIDTHS)
    fit_to_page(sheet)


def _section(sheet: Worksheet, heading: str) -> None:
    limits.put(sheet, sheet.max_row + 2, 1, heading).font = look.SECTION_FONT


def _paragraph(sheet: Worksheet, text: str, language: Language) -> None:
    """One text over both columns; a merged cell does not grow, so its height is reckoned."""
    row = sheet.max_row + 1
    limits.put(sheet, row, 1, typeset(text, language)).alignment = look.BODY
    sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=2)
    height = look.LINE_HEIGHT * look.lines(text, sum(INSTRUCTIONS_WIDTHS.values()))
    limits.raise_row(sheet, row, height)


def _pair(sheet: Worksheet, left: str, right: str, language: Language) -> None:
    row = sheet.max_row + 1
    limits.put(sheet, row, 1, left)
    limits.put(sheet, row, 2, typeset(right, language))


def _legend(sheet: Worksheet, contents: Contents) -> None:
    """A coloured cell of each sort that the header has, and what it means."""
    for need, meaning in contents.legend.items():
        shown = next((field for field in contents.fields if field.need is need), None)
        if shown:
            _pair(sheet, shown.title, meaning, contents.language)
            cell = sheet.cell(sheet.max_row, 1)
            cell.fill, cell.font = look.HEADER_FILLS[need], look.header_font(need)


def fill_fields(sheet: Worksheet, contents: Contents) -> None:
    """A row for each column of the sheet to fill."""
    _ = texts(contents.language)
    headings = (_("Column"), _("Required"), _("What belongs in it"), _("Example"), _("Choices"))
    for column, heading in enumerate((*headings, _("Technical name")), start=1):
        cell = limits.put(sheet, 1, column, heading)
        cell.fill, cell.font = look.HEADER_FILLS[Need.ALWAYS], look.LIGHT_ON_DARK
        cell.alignment = look.HEADER_ALIGNMENT
    for row, field in enumerate(contents.fields, start=2):
        _describe(sheet, row, field, contents.language)
    _set_widths(sheet, FIELDS_WIDTHS)
    sheet.freeze_panes = "B2"
    sheet.print_title_rows = "1:1"
    fit_to_page(sheet)


def _describe(sheet: Worksheet, row: int, field: Field, language: Language) -> None:
    texts = (
        field.title,
        typeset(field.requirement or field.help, language),
        typeset(field.help, language),
        field.example,
        _listed(field.choices, language),
        field.key,
    )
    for column, text in enumerate(texts, start=1):
        cell = limits.put(sheet, row, column, text)
        cell.alignment, cell.border, cell.number_format = look.BODY, look.LINE, "@"
        cell.font = look.PLAIN_FONT
    if field.need is not Need.NEVER:
        sheet.cell(row, 1).font = look.STRONG_FONT
    sheet.cell(row, TECHNICAL_NAME).font = look.KEY_FONT
    lines = map(look.lines, texts[:-1], FIELDS_WIDTHS.values())
    limits.raise_row(sheet, row, look.LINE_HEIGHT * max(lines))


def _listed(choices: tuple[str, ...], language: Language) -> str:
    """One choice a line; of very many the first, and how many there are."""
    if len(choices) <= MOST_LISTED:
        return "\n".join(choices)
    text = texts(language)("… {count} in all: see the dropdown")
    more = text.format(count=len(choices))
    return "\n".join((*choices[: MOST_LISTED - 1], more))


def _set_widths(sheet: Worksheet, widths: dict[str, int]) -> None:
    for letter, width in widths.items():
        limits.shape(sheet, letter, width)
    sheet.sheet_view.showGridLines = False


def fit_to_page(sheet: Worksheet) -> None:
    """As wide as one page, should somebody print it."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
