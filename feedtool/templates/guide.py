"""The first two sheets of a template: instructions, and an explanation of each column.

Also the colours, fonts and typesetting that they share with the sheet to fill.
"""

import re
from collections.abc import Sequence
from itertools import cycle
from math import ceil
from shlex import quote

from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.feeds.template import Contents, Field, Need
from feedtool.model.text import Language
from feedtool.templates import limits
from feedtool.templates.contents import texts

NAVY = "1F3864"
BLUE = "2F5597"
PALE = "D9E2F3"
GREY = "595959"
FACE = "Calibri"


def _fill(colour: str) -> PatternFill:
    return PatternFill("solid", fgColor=colour)


HEADER_FILLS = {
    Need.ALWAYS: _fill(NAVY),
    Need.UNLESS: _fill(NAVY),
    Need.EITHER: _fill(BLUE),
    Need.RECOMMENDED: _fill(BLUE),
    Need.NEVER: _fill(PALE),
}
GROUP_FILLS = tuple(map(_fill, ("DDEBF7", "E2EFDA", "FFF2CC", "FCE4D6", "E4DFEC", "EDEDED")))
"""Fills of the second row, as bands below the labels; both greys of keys are legible on them."""
GROUP_LINES = tuple(
    Side("thick", color=colour)
    for colour in ("5B9BD5", "70AD47", "BF9000", "C55A11", "7F5FA8", "7F7F7F")
)
EXAMPLE_STEP = (
    "The first row below the header is an example. Write over it: as long as it stays as it is, it"
    " is not sent."
)
INSTRUCTIONS_TAB, FIELDS_TAB, TO_FILL = "70AD47", "A5A5A5", NAVY
"""Colours of the tabs."""
LIGHT_ON_DARK = Font(FACE, 11, bold=True, color="FFFFFF")
DARK_ON_LIGHT = Font(FACE, 11, bold=True, color=NAVY)
KEY_ALIGNMENT = Alignment(vertical="center", shrink_to_fit=True)
HEADER_ALIGNMENT = Alignment(horizontal="left", vertical="center", wrap_text=True)
HEADER_GAP = Border(right=Side("thin", color="FFFFFF"))
"""Separates neighbours of one colour."""

EXAMPLE_FONT = Font(FACE, 10, italic=True, color=GREY)
EXAMPLE_LOOK = Font(italic=True, color=GREY)
KEY_FONT = Font(FACE, 8, color=GREY)
KEY_FILL = _fill("F2F2F2")
LINE = Border(bottom=Side("thin", color="BFBFBF"))

TITLE_FONT = Font(FACE, 18, bold=True, color=NAVY)
SECTION_FONT = Font(FACE, 12, bold=True, color=NAVY)
CODE_FONT = Font("Consolas", 10, color=NAVY)
KIND_FONT = Font(FACE, 11, color=GREY)
PLAIN_FONT = Font(FACE, 11)
STRONG_FONT = Font(FACE, 11, bold=True)
BODY = Alignment(vertical="top", wrap_text=True)
INDENTED = Alignment("left", "top", wrap_text=True, indent=2)

LINE_HEIGHT = 15.5
"""Points. Some programs do not compute the height of a row, so heights are estimated here."""


def header_font(need: Need) -> Font:
    return DARK_ON_LIGHT if need is Need.NEVER else LIGHT_ON_DARK


def _height(text: str, width: float) -> float:
    return LINE_HEIGHT * sum(max(1, ceil(len(line) / width)) for line in text.split("\n"))


_FRENCH_BLANKS = re.compile(r"(?<=«) | (?=[:;?!»%])")


def typeset(text: str, language: Language) -> str:
    """Make French blanks beside double signs non-breaking, so that they do not end a line."""
    return _FRENCH_BLANKS.sub("\u00a0", text) if language == "fr" else text


INSTRUCTIONS_WIDTHS = {"A": 42, "B": 88}
FIELDS_WIDTHS = {"A": 36, "B": 40, "C": 50, "D": 20, "E": 36, "F": 50}

MOST_LISTED = 20
"""The most choices that Fields lists; the dropdown always has all."""


def fill_instructions(sheet: Worksheet, contents: Contents) -> None:
    """Write the purpose of the workbook, and how to fill and send it."""
    language = contents.language
    _ = texts(language)
    limits.put(sheet, 1, 1, contents.guide.title).font = TITLE_FONT
    limits.raise_row(sheet, 1, 2 * LINE_HEIGHT)
    limits.put(sheet, 2, 1, contents.kind).font = KIND_FONT
    _paragraph(sheet, contents.guide.about, language)
    for heading, rows in contents.guide.facts:
        _section(sheet, heading)
        for row in rows.split("\n"):
            _paragraph(sheet, row, language)
    _section(sheet, _("How to fill it"))
    last_steps = (
        *([_(EXAMPLE_STEP)] if contents.begins_with_example else []),
        _(
            "References and GTINs are stored as text, so that leading zeros and long numbers "
            "survive. When you paste data, paste values only."
        ),
        _("The sheet “{sheet}” explains every column.").format(sheet=_("Fields")),
    )
    for number, step in enumerate((*contents.guide.steps, *last_steps), start=1):
        _paragraph(sheet, f"{number}. {step}", language)
    _section(sheet, _("How to check and send it"))
    effects = {
        "validate": _("checks every row and sends nothing"),
        "submit": _("sends the valid rows and writes the answer beside each row"),
    }
    for command, effect in effects.items():
        name = quote(contents.file or f"{contents.kind}.xlsx")
        account = contents.guide.account
        if command == "validate":  # it does not call the service
            account = account.removesuffix("--sandbox")
        _paragraph(sheet, f"feedtool {command} {name} {account}".rstrip(), "en")
        sheet.cell(sheet.max_row, 1).font = CODE_FONT
        _paragraph(sheet, effect, language)
        sheet.cell(sheet.max_row, 1).alignment = INDENTED
    if contents.legend:
        _section(sheet, _("Colours of the header"))
        _legend(sheet, contents)
    _groups(sheet, contents)
    _set_widths(sheet, INSTRUCTIONS_WIDTHS)
    fit_to_page(sheet)


def _section(sheet: Worksheet, heading: str) -> None:
    limits.put(sheet, sheet.max_row + 2, 1, heading).font = SECTION_FONT


def _paragraph(sheet: Worksheet, text: str, language: Language) -> None:
    """Write one text over both columns; a merged cell does not grow, so its height is estimated."""
    row = sheet.max_row + 1
    limits.put(sheet, row, 1, typeset(text, language)).alignment = BODY
    sheet.merge_cells(start_row=row, start_column=1, end_row=row, end_column=2)
    limits.raise_row(sheet, row, _height(text, sum(INSTRUCTIONS_WIDTHS.values())))


def _pair(sheet: Worksheet, left: str, right: str, language: Language) -> None:
    row = sheet.max_row + 1
    limits.put(sheet, row, 1, left)
    limits.put(sheet, row, 2, typeset(right, language))


def _legend(sheet: Worksheet, contents: Contents) -> None:
    """Write a coloured cell for each need in the header, with its meaning."""
    for need, meaning in contents.legend.items():
        shown = next((field for field in contents.fields if field.need is need), None)
        if shown:
            _pair(sheet, shown.title, meaning, contents.language)
            cell = sheet.cell(sheet.max_row, 1)
            cell.fill, cell.font = HEADER_FILLS[need], header_font(need)


def group_bands(fields: Sequence[Field]) -> dict[str, tuple[PatternFill, Side]]:
    names = dict.fromkeys(field.group for field in fields if field.group)
    return dict(zip(names, cycle(zip(GROUP_FILLS, GROUP_LINES, strict=True)), strict=False))


def _groups(sheet: Worksheet, contents: Contents) -> None:
    """Write a coloured cell for each group of columns, with its columns."""
    for group, (fill, line) in group_bands(contents.fields).items():
        fields = [field for field in contents.fields if field.group == group]
        labels = [field.label for field in fields if not field.is_folded] or [
            field.label for field in fields
        ]
        more = ["…"] if len(labels[:MOST_LISTED]) < len(fields) else []
        text = ", ".join((*labels[:MOST_LISTED], *more))
        _pair(sheet, group, text, contents.language)
        cell, beside = sheet.cell(sheet.max_row, 1), sheet.cell(sheet.max_row, 2)
        cell.fill, cell.font, cell.border = fill, STRONG_FONT, Border(top=line)
        cell.alignment = beside.alignment = BODY
        limits.raise_row(sheet, sheet.max_row, _height(text, INSTRUCTIONS_WIDTHS["B"]))


def fill_fields(sheet: Worksheet, contents: Contents) -> None:
    _ = texts(contents.language)
    headings = (_("Column"), _("Required"), _("What belongs in it"), _("Example"), _("Choices"))
    for column, heading in enumerate((*headings, _("Technical name")), start=1):
        cell = limits.put(sheet, 1, column, heading)
        cell.fill, cell.font = HEADER_FILLS[Need.ALWAYS], LIGHT_ON_DARK
        cell.alignment = HEADER_ALIGNMENT
    for row, field in enumerate(contents.fields, start=2):
        _describe(sheet, row, field, contents.language)
    _set_widths(sheet, FIELDS_WIDTHS)
    sheet.freeze_panes = "B2"
    sheet.print_title_rows = "1:1"
    fit_to_page(sheet)


def _describe(sheet: Worksheet, row: int, field: Field, language: Language) -> None:
    """Write the row of a column, one choice a line; of many choices the first and the count."""
    choices = field.choices
    if len(choices) > MOST_LISTED:
        more = texts(language)("… {count} in all: see the dropdown").format(count=len(choices))
        choices = (*choices[: MOST_LISTED - 1], more)
    cells = (
        field.title,
        typeset(field.requirement or field.help, language),
        typeset(field.help, language),
        field.example,
        "\n".join(choices),
        field.key,
    )
    for column, text in enumerate(cells, start=1):
        cell = limits.put(sheet, row, column, text)
        cell.alignment, cell.border, cell.number_format = BODY, LINE, "@"
        cell.font = PLAIN_FONT
    if field.need is not Need.NEVER:
        sheet.cell(row, 1).font = STRONG_FONT
    sheet.cell(row, len(cells)).font = KEY_FONT
    limits.raise_row(sheet, row, max(map(_height, cells[:-1], FIELDS_WIDTHS.values())))


def _set_widths(sheet: Worksheet, widths: dict[str, int]) -> None:
    for letter, width in widths.items():
        limits.shape(sheet, letter, width)
    sheet.sheet_view.showGridLines = False


def fit_to_page(sheet: Worksheet) -> None:
    """Print the sheet in the width of one page."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
