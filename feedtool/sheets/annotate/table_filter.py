"""A filter over the table of a sheet that has none, known as ours by a hidden name.

Excel gives the range of each filter a hidden name of its own; both names are ours, and are taken
back with the filter. A filter in which something was chosen is the user's from then on: rows may
be hidden by it, and without it nothing would say why.
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
_EXCELS = "_xlnm._FilterDatabase"
_BEFORE_NAMES = frozenset(
    {"fileVersion", "fileSharing", "workbookPr", "workbookProtection", "bookViews", "sheets",
     "functionGroups", "externalReferences"}
)  # fmt: skip
_BEFORE_FILTER = frozenset(
    {"sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr",
     "sheetProtection", "protectedRanges", "scenarios"}
)  # fmt: skip
"""Elements that the schema puts before the names of a workbook and the filter of a sheet."""
_INSTEAD = ("autoFilter", "sortState", "tableParts", "sheetProtection", "customSheetViews")
"""Elements of a sheet that have a filter of their own, or where ours could not be used."""


def take_back_filter(
    parts: BookParts, entry: SheetEntry, envelope: SheetEnvelope
) -> list[Edit] | None:
    """The edits of a sheet that take our filter out; None where it has one of its own."""
    names = list(_names(parts, entry))
    old = envelope.root.child("autoFilter")
    if not any(node.attributes.get("name") == MARK for node in names):
        has_own = names or any(map(envelope.root.child, _INSTEAD))
        return None if has_own else []
    if old and not old.is_empty_tag and old.inner < old.close:
        return None
    # Their list goes with them where it looks like one of ours.
    root = parts.root(parts.workbook)
    group = root.child("definedNames")
    is_ours = group and not group.text.strip() and group.start == _end_before_names(root)
    parts.remove(parts.workbook, names, parent="definedNames" if is_ours else "")
    return [Edit(old.start, old.end, b"")] if old else []


def _names(parts: BookParts, entry: SheetEntry) -> Iterator[Node]:
    """The names of a filter that a sheet has."""
    number = str(parts.sheets.index(entry))
    group = parts.root(parts.workbook).child("definedNames")
    for node in group.children if group else ():
        known = node.attributes.get("name") in (MARK, _EXCELS)
        if known and node.attributes.get("localSheetId") == number:
            yield node


def _end_before_names(root: Node) -> int:
    """Where names belong in a workbook that has none."""
    return max(node.end for node in root.children if node.name in _BEFORE_NAMES)


def add_filter(
    parts: BookParts, entry: SheetEntry, envelope: SheetEnvelope, area: CellRange
) -> list[Edit]:
    """Enters a filter over a range, the row of its buttons first; the edits of the sheet.

    There is none where cells of it are merged, since they cannot be sorted.
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
        for name in (MARK, _EXCELS)
    )
    group = root.child("definedNames")
    if group:
        parts.append(parts.workbook, group, markup)
    else:
        tags = root.prefix + b"definedNames"
        whole = b"<%b>%b</%b>" % (tags, markup, tags)
        parts.insert(parts.workbook, _end_before_names(root), whole)
    before = [it.end for it in envelope.root.children if it.is_main and it.name in _BEFORE_FILTER]
    ref = str(area).encode()
    return [Edit(before[-1], before[-1], b'<%bautoFilter ref="%b"/>' % (envelope.root.prefix, ref))]
