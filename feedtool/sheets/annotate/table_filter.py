"""Add a filter to the table of a sheet without one, and mark it as ours with a hidden name.

Excel also gives the range of each filter a hidden name; we write both names, and remove both with
the filter. A filter with a selection belongs to the user: it may hide rows, and without it nobody
would see why.
"""

from collections.abc import Iterator

from feedtool.model.cells import letters
from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope
from feedtool.sheets.annotate.workbook_parts import BookParts
from feedtool.sheets.annotate.xml_offsets import Edit
from feedtool.sheets.cell_text import escaped
from feedtool.sheets.read.source import CellRange
from feedtool.sheets.read.workbook import SheetEntry
from feedtool.sheets.read.xml_parser import Node

MARK = "_feedtool_filter"
_EXCEL_NAME = "_xlnm._FilterDatabase"
_BEFORE_NAMES = frozenset(
    {"fileVersion", "fileSharing", "workbookPr", "workbookProtection", "bookViews", "sheets",
     "functionGroups", "externalReferences"}
)  # fmt: skip
_BEFORE_FILTER = frozenset(
    {"sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr",
     "sheetProtection", "protectedRanges", "scenarios"}
)  # fmt: skip
"""Elements that the schema puts before the names of a workbook and the filter of a sheet."""
_EXCLUDING = ("autoFilter", "sortState", "tableParts", "sheetProtection", "customSheetViews")
"""Elements of a sheet that have their own filter, or with which ours could not be used."""


def remove_filter(
    parts: BookParts, entry: SheetEntry, envelope: SheetEnvelope
) -> list[Edit] | None:
    """Return the edits of a sheet that remove our filter; None if it has the user's filter."""
    names = list(_names(parts, entry))
    old = envelope.root.child("autoFilter")
    if not any(node.attributes.get("name") == MARK for node in names):
        has_filter = names or any(map(envelope.root.child, _EXCLUDING))
        return None if has_filter else []
    if old and not old.is_empty_tag and old.inner < old.close:
        return None
    # The list of names is removed, too, if it looks like one that we have added.
    root = parts.root(parts.workbook)
    group = root.child("definedNames")
    is_ours = group and not group.text.strip() and group.start == _end_before_names(root)
    parts.remove(parts.workbook, names, parent="definedNames" if is_ours else "")
    return [Edit(old.start, old.end, b"")] if old else []


def _names(parts: BookParts, entry: SheetEntry) -> Iterator[Node]:
    """Yield the defined names of a sheet's filter."""
    number = str(parts.sheets.index(entry))
    group = parts.root(parts.workbook).child("definedNames")
    for node in group.children if group else ():
        is_filter = node.attributes.get("name") in (MARK, _EXCEL_NAME)
        if is_filter and node.attributes.get("localSheetId") == number:
            yield node


def _end_before_names(root: Node) -> int:
    """Return the place for names in a workbook without any."""
    return max(node.end for node in root.children if node.name in _BEFORE_NAMES)


def add_filter(
    parts: BookParts, entry: SheetEntry, envelope: SheetEnvelope, area: CellRange
) -> list[Edit]:
    """Add a filter over a range, whose first row has its buttons; return the sheet's edits.

    A range with merged cells gets no filter, since they cannot be sorted.
    """
    if any(merge.last_row >= area.first_row for merge in envelope.merges()):
        return []
    sheet = entry.name.replace("'", "''")
    first, last = (
        f"${letters(column)}${row}"
        for row, column in (
            (area.first_row, area.first_column),
            (area.last_row, area.last_column),
        )
    )
    root = parts.root(parts.workbook)
    place = escaped(f"'{sheet}'!{first}:{last}")
    markup = b"".join(
        b'<%bdefinedName name="%b" localSheetId="%d" hidden="1">%b</%bdefinedName>'
        % (root.prefix, name.encode(), parts.sheets.index(entry), place, root.prefix)
        for name in (MARK, _EXCEL_NAME)
    )
    group = root.child("definedNames")
    if group:
        parts.append(parts.workbook, group, markup)
    else:
        tags = root.prefix + b"definedNames"
        element = b"<%b>%b</%b>" % (tags, markup, tags)
        parts.insert(parts.workbook, _end_before_names(root), element)
    after = envelope.end_of(_BEFORE_FILTER)
    ref = str(area).encode()
    return [Edit(after, after, b'<%bautoFilter ref="%b"/>' % (envelope.root.prefix, ref))]
