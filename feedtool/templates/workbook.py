"""Build the workbook of a template: its sheets in order, its stamp, its bytes."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from openpyxl import Workbook
from openpyxl.formatting.rule import Rule
from openpyxl.packaging.custom import StringProperty
from openpyxl.styles import Border
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.xml.constants import ARC_CORE
from openpyxl.xml.functions import tostring

from feedtool.feeds.template import (
    FIRST_ROW,
    KEY_ROW,
    LABEL_ROW,
    CellEntry,
    Contents,
    Field,
    Need,
    example_reference,
)
from feedtool.model.text import Language
from feedtool.templates import guide, limits
from feedtool.templates.contents import texts
from feedtool.templates.guide import typeset

FORMAT_VERSION = "1"
"""Version of the template's layout, by which a later feedtool recognises an old one."""

LISTS = "_lists"
EXAMPLE_ROW = 1
LAST_ROW = limits.ROWS
"""The last row of a sheet, so that validations cover all rows."""
MOST_ON_PAGE = 40
"""The most columns printed on one page; more would be too small to read."""
UNDATED = datetime(1980, 1, 1, tzinfo=UTC)
"""A template has no date, so that equal templates have equal bytes at any time."""


def build(contents: Contents, *others: Contents) -> Workbook:
    """Return an empty workbook that opens on the first sheet to fill, which the guide explains."""
    workbook, sheets = Workbook(), (contents, *others)
    workbook.remove(workbook.worksheets[0])
    _ = texts(contents.language)
    instructions, explained = map(workbook.create_sheet, (_("Instructions"), _("Fields")))
    for each in sheets:
        taken = {LISTS, *workbook.sheetnames} if each is not contents else ()
        workbook.create_sheet(limits.sheet_name(each.sheet, taken))
    lists = workbook.create_sheet(LISTS)
    lists.sheet_state = "hidden"
    guide.fill_instructions(instructions, contents)
    guide.fill_fields(explained, contents)
    for sheet, each in zip(workbook.worksheets[2:-1], sheets, strict=True):
        names = _fill_lists(workbook, lists, each.fields)
        if each.has_example:
            _fill_example(sheet, each)
        _fill_header(sheet, each)
        if each.begins_with_example:
            _fill_first_row(sheet, each)
        _shape_columns(sheet, each.fields)
        _guard_entries(sheet, each, names)
        sheet.sheet_properties.tabColor = guide.TO_FILL
    instructions.sheet_properties.tabColor = guide.INSTRUCTIONS_TAB
    explained.sheet_properties.tabColor = guide.FIELDS_TAB
    # The workbook opens on the sheet to fill, with its first cell chosen.
    workbook.active = opened = workbook.worksheets[2]
    for sheet in workbook.worksheets:
        sheet.sheet_view.tabSelected = sheet is opened
    for pane in opened.sheet_view.selection:
        pane.activeCell = pane.sqref = f"A{FIRST_ROW + contents.has_example}"
    _stamp(workbook, contents)
    return workbook


def packed(workbook: Workbook) -> bytes:
    """Return the bytes of a workbook's file; equal workbooks have equal bytes."""
    drawn = BytesIO()
    workbook.save(drawn)
    workbook.properties.created = workbook.properties.modified = UNDATED.replace(tzinfo=None)
    core = tostring(workbook.properties.to_tree())
    file = BytesIO()
    with ZipFile(drawn) as source, ZipFile(file, "w", ZIP_DEFLATED) as copy:
        for name in source.namelist():
            entry = ZipInfo(name, UNDATED.timetuple()[:6])
            entry.compress_type = ZIP_DEFLATED
            entry.create_system = 3  # else the entry names this machine's system
            copy.writestr(entry, core if name == ARC_CORE else source.read(name))
    return file.getvalue()


def _fill_lists(workbook: Workbook, sheet: Worksheet, fields: Sequence[Field]) -> dict[str, str]:
    """Write a column for each dropdown; return the names of their ranges, by the column's key."""
    names: dict[str, str] = {}
    chosen = [field for field in fields if field.choices]
    for column, field in enumerate(chosen, start=len(workbook.defined_names) + 1):
        for row, text in enumerate((field.key, *field.choices), start=1):
            limits.put(sheet, row, column, text).number_format = "@"
        letter = get_column_letter(column)
        place = f"'{LISTS}'!${letter}$2:${letter}${len(field.choices) + 1}"
        taken = list(workbook.defined_names)
        name = limits.defined_name(f"list_{field.key}".replace(".", "_"), taken)
        workbook.defined_names[name] = DefinedName(name, attr_text=place)
        names[field.key] = name
    return names


def _fill_example(sheet: Worksheet, contents: Contents) -> None:
    """Fill a row above the header: it stays in sight, and rows above a header are not sent."""
    for column, field in enumerate(contents.fields, start=1):
        text = field.example
        if column == 1:
            text = texts(contents.language)("Example: {example}").format(example=text)
        cell = limits.put(sheet, EXAMPLE_ROW, column, text)
        cell.font, cell.alignment, cell.number_format = guide.EXAMPLE_FONT, guide.BODY, "@"
    limits.raise_row(sheet, EXAMPLE_ROW, 2 * guide.LINE_HEIGHT)


def _fill_first_row(sheet: Worksheet, contents: Contents) -> None:
    """Fill the example row below the header as a merchandiser would; folded columns stay empty.

    The row has the look of an example as long as its reference is unchanged.
    """
    keys = [field.key for field in contents.fields]
    place = keys.index(contents.reference) if contents.reference in keys else 0
    reference = example_reference(contents.language, contents.fields[place].example)
    is_example = Rule(
        type="expression",
        formula=[f'${get_column_letter(place + 1)}${FIRST_ROW}="{reference}"'],
        dxf=DifferentialStyle(font=guide.EXAMPLE_LOOK),
    )
    last = get_column_letter(len(contents.fields))
    sheet.conditional_formatting.add(f"A{FIRST_ROW}:{last}{FIRST_ROW}", is_example)
    for column, field in enumerate(contents.fields, start=1):
        if field.is_folded or not field.is_in_example or not field.example:
            continue
        cell = sheet.cell(FIRST_ROW, column)
        if field.is_number:
            cell.value = float(field.example.replace(",", "."))
        else:
            limits.put(
                sheet, FIRST_ROW, column, reference if column == place + 1 else field.example
            )
        cell.number_format = field.entry.number_format


def _fill_header(sheet: Worksheet, contents: Contents) -> None:
    """Write a row of labels for people, and a row of keys for feedtool."""
    above, bands = int(contents.has_example), guide.group_bands(contents.fields)
    for column, field in enumerate(contents.fields, start=1):
        put_header(sheet, column, field, field.need, above)
        if band := bands.get(field.group):
            label, key = (sheet.cell(row + above, column) for row in (LABEL_ROW, KEY_ROW))
            fill, line = band
            key.fill, label.border = fill, Border(top=line, right=guide.HEADER_GAP.right)
            if contents.has_example:
                sheet.cell(EXAMPLE_ROW, column).fill = fill
    limits.raise_row(sheet, LABEL_ROW + above, 48)
    if contents.hides_keys:
        sheet.row_dimensions[KEY_ROW + above].hidden = True
    sheet.freeze_panes = f"{contents.first_unfrozen}{FIRST_ROW + above}"
    sheet.print_title_rows = f"{LABEL_ROW + above}:{KEY_ROW + above}"
    if len(contents.fields) <= MOST_ON_PAGE:
        guide.fit_to_page(sheet)


def put_header(sheet: Worksheet, column: int, field: Field, need: Need, above: int = 0) -> None:
    """Write the two header cells of a column in the colours of `need`, below `above` rows."""
    label = limits.put(sheet, LABEL_ROW + above, column, field.title)
    label.fill, label.font = guide.HEADER_FILLS[need], guide.header_font(need)
    label.alignment, label.border = guide.HEADER_ALIGNMENT, guide.HEADER_GAP
    key = limits.put(sheet, KEY_ROW + above, column, field.key)
    key.font, key.fill, key.border = guide.KEY_FONT, guide.KEY_FILL, guide.LINE
    key.alignment = guide.KEY_ALIGNMENT


def _shape_columns(sheet: Worksheet, fields: Sequence[Field]) -> None:
    """Set widths and formats of columns, and fold away the columns that few sheets need."""
    for number, field in enumerate(fields, start=1):
        letter = get_column_letter(number)
        limits.shape(sheet, letter, field.entry.width)
        column = sheet.column_dimensions[letter]
        column.number_format = field.entry.number_format
        column.outline_level = int(field.is_folded)
        column.hidden = field.is_folded
    for number, (field, following) in enumerate(pairwise(fields), start=2):
        if field.is_folded and not following.is_folded:
            sheet.column_dimensions[get_column_letter(number)].collapsed = True


def _guard_entries(sheet: Worksheet, contents: Contents, names: Mapping[str, str]) -> None:
    """Add dropdowns and limits below the header, and a prompt on each header cell."""
    label, first = LABEL_ROW + contents.has_example, FIRST_ROW + contents.has_example
    lettered = [
        (get_column_letter(number), field) for number, field in enumerate(contents.fields, start=1)
    ]
    for letter, field in lettered:
        rule = _rule_of(field.entry, names.get(field.key, ""), contents.language)
        if contents.prompts_cells:
            rule = rule or DataValidation(allowBlank=True)
            _prompt(rule, field, contents)
        if rule:
            rule.add(f"{letter}{first}:{letter}{LAST_ROW}")
            limits.add_rule(sheet, rule)
    for letter, field in lettered:
        hint = DataValidation()
        _prompt(hint, field, contents)
        hint.add(f"{letter}{label}")
        limits.add_rule(sheet, hint)


def _rule_of(entry: CellEntry, choices: str, language: Language) -> DataValidation | None:
    """Return the validation of a column, None if any entry is allowed; `choices` names a range."""
    limit = entry.limit
    if limit is None:
        return None
    _ = texts(language)
    first, second = (*limit.bounds, None, None)[:2]
    rule = DataValidation(
        limit.type,
        operator=limit.operator,
        formula1=choices if limit.type == "list" else first,
        formula2=second,
        allowBlank=True,
        showErrorMessage=limit.is_strict,
    )
    if limit.is_strict:
        rule.errorTitle = typeset(_("This value is not possible"), language)
        rule.error = typeset(limit.refusal or _("Please choose a value from the list."), language)
    return rule


def _prompt(rule: DataValidation, field: Field, contents: Contents) -> None:
    """Show a column's hint on the cells of a rule; the default is its help and its requirement."""
    _ = texts(contents.language)
    hint = field.hint or field.help
    if field.requirement and not field.hint:
        hint += f"\n{_('Required')}: {field.requirement}"
    hint = "\n".join(filter(None, (field.group, hint)))
    if field.example:
        hint += "\n" + _("Example: {example}").format(example=field.example)
    rule.showInputMessage = True
    rule.promptTitle = typeset(field.label, contents.language)
    rule.prompt = typeset(hint.rstrip(), contents.language)


def _stamp(workbook: Workbook, contents: Contents) -> None:
    """Write the kind into properties of the workbook, which survive any change of the sheet."""
    stamps = {
        **({"template": (contents.kind,)} if contents.is_stamped else {}),
        "version": (FORMAT_VERSION,),
        "language": (contents.language,),
        **contents.stamps,
    }
    for stamp, items in stamps.items():
        for name, value in limits.properties(f"feedtool.{stamp}", items):
            entry = StringProperty(name=name, value=value)
            workbook.custom_doc_props.append(entry)  # type: ignore[attr-defined]  # the stubs lag
    workbook.properties.creator = "feedtool"
    workbook.properties.language = contents.language
    workbook.properties.title = contents.guide.title
