"""The workbook itself: its sheets in order, the one to fill, its stamp, its bytes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from openpyxl import Workbook
from openpyxl.packaging.custom import StringProperty
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.xml.constants import ARC_CORE
from openpyxl.xml.functions import tostring

from feedtool.columns.choice import Choice
from feedtool.columns.gtin import Gtin
from feedtool.columns.number import Number
from feedtool.columns.text import Text
from feedtool.dialect import Dialect
from feedtool.feeds import Feed
from feedtool.template import Language, look
from feedtool.template.entry import list_name, number_format, validation
from feedtool.template.fields import Field, fields_of
from feedtool.template.guide import fill_fields, fill_instructions, fit_to_page
from feedtool.template.words import WORDS, about_feed, typeset

FORMAT_VERSION = "1"
"""Of the template's layout, so that a later feedtool can tell an old one."""

LISTS = "_lists"
LABEL_ROW, KEY_ROW = 1, 2
UNDATED = datetime(1980, 1, 1, tzinfo=UTC)
"""A template has no date: the same template has the same bytes, whenever it is made."""

TITLE_LENGTH, PROMPT_LENGTH = 32, 255
"""Characters that spreadsheet programs take."""


def build(feed: Feed, language: Language, dialect: Dialect) -> Workbook:
    """An empty workbook to fill, opened on its sheet."""
    fields = fields_of(feed, language, dialect)
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    instructions, explained, sheet, lists = (
        workbook.create_sheet(name) for name in ("Instructions", "Fields", feed.sheet, LISTS)
    )
    fill_instructions(instructions, feed, fields, language)
    fill_fields(explained, fields, language)
    _fill_lists(workbook, lists, fields)
    _fill_header(sheet, fields)
    _shape_columns(sheet, fields)
    _guard_entries(sheet, fields, language, dialect)
    _open_on(workbook, sheet)
    _stamp(workbook, feed, language)
    return workbook


def save(workbook: Workbook, target: Path) -> None:
    """Writes a workbook so that equal workbooks have equal bytes."""
    drawn = BytesIO()
    workbook.save(drawn)
    workbook.properties.created = workbook.properties.modified = UNDATED.replace(tzinfo=None)
    core = tostring(workbook.properties.to_tree())
    packed = BytesIO()
    with ZipFile(drawn) as source, ZipFile(packed, "w", ZIP_DEFLATED) as copy:
        for name in source.namelist():
            entry = ZipInfo(name, UNDATED.timetuple()[:6])
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3  # else it names the machine's own
            copy.writestr(entry, core if name == ARC_CORE else source.read(name))
    target.write_bytes(packed.getvalue())


def _fill_lists(workbook: Workbook, sheet: Worksheet, fields: Sequence[Field]) -> None:
    """A column for each dropdown, with its named range."""
    sheet.sheet_state = "hidden"
    chosen = [field for field in fields if field.choices]
    for column, field in enumerate(chosen, start=1):
        for row, text in enumerate((field.key, *field.choices), start=1):
            sheet.cell(row, column, text).number_format = "@"
        letter = get_column_letter(column)
        place = f"'{LISTS}'!${letter}$2:${letter}${len(field.choices) + 1}"
        name = list_name(field)
        workbook.defined_names[name] = DefinedName(name, attr_text=place)


def _fill_header(sheet: Worksheet, fields: Sequence[Field]) -> None:
    """Row 1 for people, row 2 for feedtool."""
    for column, field in enumerate(fields, start=1):
        label = sheet.cell(LABEL_ROW, column, field.title)
        label.fill, label.font = look.HEADER_FILLS[field.need], look.header_font(field.need)
        label.alignment, label.border = look.HEADER_ALIGNMENT, look.HEADER_GAP
        key = sheet.cell(KEY_ROW, column, field.key)
        key.font, key.fill, key.border = look.KEY_FONT, look.KEY_FILL, look.LINE
    sheet.row_dimensions[LABEL_ROW].height = 48
    sheet.freeze_panes = "B3"  # the reference stays in sight too
    sheet.print_title_rows = f"{LABEL_ROW}:{KEY_ROW}"
    fit_to_page(sheet)


def _shape_columns(sheet: Worksheet, fields: Sequence[Field]) -> None:
    """Widths and formats of whole columns; what few need is folded away."""
    for field in fields:
        column = sheet.column_dimensions[field.letter]
        column.width = _width(field)
        column.number_format = number_format(field.column.type)
        column.outline_level = int(field.is_folded)
        column.hidden = field.is_folded
    for field, following in pairwise(fields):
        if field.is_folded and not following.is_folded:
            sheet.column_dimensions[following.letter].collapsed = True


def _width(field: Field) -> float:
    match field.column.type:
        case Gtin():
            return 18
        case Text():
            return 24
        case Choice():
            return 4 + max(map(len, (field.label, *field.choices)))
        case Number():
            return 15
        case _:
            return 20


def _guard_entries(
    sheet: Worksheet, fields: Sequence[Field], language: Language, dialect: Dialect
) -> None:
    """Dropdowns and limits below the header; on the header itself what belongs in the column."""
    for field in fields:
        rule = validation(field, language, dialect)
        if rule:
            sheet.add_data_validation(rule)
    for field in fields:
        hint = DataValidation(
            showInputMessage=True,
            promptTitle=typeset(field.label, language)[:TITLE_LENGTH],
            prompt=_hint(field, language)[:PROMPT_LENGTH],
        )
        hint.add(f"{field.letter}{LABEL_ROW}")
        sheet.add_data_validation(hint)


def _hint(field: Field, language: Language) -> str:
    example = WORDS[language].example.format(example=field.example) if field.example else ""
    return typeset(f"{field.help}\n{example}".rstrip(), language)


def _open_on(workbook: Workbook, sheet: Worksheet) -> None:
    """Whoever opens the workbook sees the sheet to fill, its first cell chosen."""
    workbook.active = workbook.index(sheet)
    for other in workbook.worksheets:
        other.sheet_view.tabSelected = other is sheet
    for pane in sheet.sheet_view.selection:
        pane.activeCell = pane.sqref = "A3"


def _stamp(workbook: Workbook, feed: Feed, language: Language) -> None:
    """What the workbook is, where a reader finds it whatever the sheet has become."""
    stamps = {"template": feed.kind, "version": FORMAT_VERSION, "language": language}
    for name, value in stamps.items():
        stamp = StringProperty(name=f"feedtool.{name}", value=value)
        workbook.custom_doc_props.append(stamp)  # type: ignore[attr-defined]  # the stubs lag
    workbook.properties.creator = "feedtool"
    workbook.properties.language = language
    workbook.properties.title = about_feed(feed, language).title
