"""Notes in cells, which spreadsheet programs show when the pointer is over the cell.

A sheet has notes in two parts: the texts (`comments`), and a drawing of their boxes in the markup
of old Office programs (`vmlDrawing`), which Excel needs to show them. A sheet that already has
notes or such drawings gets none. Our notes begin with `feedtool: `, which every program keeps; by
this they are found and removed when the sheet is annotated again.
"""

import re
from collections.abc import Mapping

from feedtool.model.cells import letters
from feedtool.model.errors import FileProblem
from feedtool.sheets.annotate.notes import MOST_COMMENTS
from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope
from feedtool.sheets.annotate.workbook_parts import BookParts, relations_of
from feedtool.sheets.annotate.xml_offsets import Edit
from feedtool.sheets.cell_text import escaped, quoted, shown
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.workbook import SheetEntry, read_relationships
from feedtool.sheets.read.xml_parser import parse_part

LONGEST = 1000
"""Characters of a note."""
AUTHOR = "feedtool"
_START = f"{AUTHOR}: "
_AFTER_DRAWING = frozenset(
    {"legacyDrawingHF", "drawingHF", "picture", "oleObjects", "controls", "webPublishItems",
     "tableParts", "extLst"}
)  # fmt: skip
"""Elements that the schema puts after a sheet's `legacyDrawing`."""
_NOTE_RELATIONS = frozenset({"comments", "threadedComment", "vmlDrawing"})
"""Relationships of a sheet that has notes, or drawings of the old format."""
_BOX = re.compile(rb"<(?:\w+:)?shape\s")
_SHAPES = (
    b'<xml xmlns:v="urn:schemas-microsoft-com:vml"'
    b' xmlns:o="urn:schemas-microsoft-com:office:office"'
    b' xmlns:x="urn:schemas-microsoft-com:office:excel">'
    b'<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202"'
    b' path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/>'
    b'<v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>%b</xml>'
)
_SHAPE = (
    b'<v:shape id="_x0000_s%(id)d" type="#_x0000_t202" style="position:absolute;'
    b'margin-left:60pt;margin-top:2pt;width:220pt;height:%(height)dpt;z-index:1;visibility:hidden"'
    b' fillcolor="#FFFFE1" o:insetmode="auto"><v:fill color2="#FFFFE1"/>'
    b'<v:shadow color="black" obscured="t"/><v:path o:connecttype="none"/>'
    b'<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>'
    b'<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>'
    b"<x:Anchor>%(left)d, 15, %(row)d, 2, %(right)d, 15, %(bottom)d, 4</x:Anchor>"
    b"<x:AutoFill>False</x:AutoFill><x:Row>%(row)d</x:Row><x:Column>%(column)d</x:Column>"
    b"</x:ClientData></v:shape>"
)
_LIST = (
    b"<comments xmlns=%b><authors><author>%b</author></authors>"
    b"<commentList>%b</commentList></comments>"
)
_FIRST_SHAPE = 1025
_COLUMNS, _LINE, _POINTS = 3, 40, 15
"""A box's width in columns, the characters of a line, the height of a line in points."""
_VML = "application/vnd.openxmlformats-officedocument.vmlDrawing"
_COMMENTS = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"

Notes = Mapping[tuple[int, int], str]
"""Texts by row and 0-based column."""


def remove_notes(
    parts: BookParts, package: ZipPackage, entry: SheetEntry, envelope: SheetEnvelope
) -> list[Edit] | None:
    """Return the edits of a sheet that remove our earlier notes; None if it has the user's.

    Raises CorruptXml, CorruptZip, ZipBomb.
    """
    listed = [
        relation
        for relation in read_relationships(package, relations_of(entry.part))
        if relation.kind in _NOTE_RELATIONS
    ]
    related = {relation.kind: relation for relation in listed}
    drawing = envelope.root.child("legacyDrawing")
    if not related and drawing is None:
        return []
    if related.keys() != {"comments", "vmlDrawing"} or drawing is None:
        return None
    names = [related[kind].target for kind in sorted(related)]
    if len(names) < len(listed) or not _are_ours(package, *names):
        return None
    parts.unrelate(entry.part, {relation.id for relation in related.values()})
    for name in names:
        parts.drop(name)
    return [Edit(drawing.start, drawing.end, b"")]


def _are_ours(package: ZipPackage, comments: str, boxes: str) -> bool:
    """True if all notes are ours, and the drawing has a box for each of them and nothing else."""
    if not (package.part(comments) and package.part(boxes)):
        return False
    try:
        count = len(_BOX.findall(package.read(boxes)))
        if not 0 < count <= MOST_COMMENTS:
            return False
        texts = parse_part(package, comments).child("commentList")
    except FileProblem:
        return False  # an unreadable part is kept
    return (
        texts is not None
        and len(texts.children) == count
        and all(text.all_text().startswith(_START) for text in texts.children)
    )


def add_notes(
    parts: BookParts, entry: SheetEntry, envelope: SheetEnvelope, notes: Notes
) -> list[Edit]:
    """Add notes to a workbook whose sheet has none, and return the edits of the sheet."""
    if not notes:
        return []
    texts = parts.add_part("comments{}.xml", _COMMENTS)
    parts.relate(entry.part, "comments", texts)
    comments = b"".join(
        b'<comment ref="%b%d" authorId="0"><text><t xml:space="preserve">%b</t></text></comment>'
        % (letters(column).encode(), row, escaped(_note_text(text)))
        for (row, column), text in notes.items()
    )
    parts.changed[texts] = _LIST % (quoted(parts.namespace), AUTHOR.encode(), comments)
    drawing = parts.add_part("drawings/vmlDrawing{}.vml", _VML)
    relation = parts.relate(entry.part, "vmlDrawing", drawing)
    parts.changed[drawing] = _SHAPES % b"".join(
        _box(number, *place, text) for number, (place, text) in enumerate(notes.items())
    )
    root = envelope.root
    later = (node.start for node in root.children if node.name in _AFTER_DRAWING)
    place = next(later, root.close)
    names = quoted(parts.relations), quoted(relation)
    return [Edit(place, place, b"<%blegacyDrawing xmlns:r=%b r:id=%b/>" % (root.prefix, *names))]


def _note_text(text: str) -> str:
    text = shown(text)
    return _START + (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def _box(number: int, row: int, column: int, text: str) -> bytes:
    """Return the box of a note, with room for its text."""
    lines = 1 + sum(1 + len(line) // _LINE for line in _note_text(text).splitlines())
    return _SHAPE % {
        b"id": _FIRST_SHAPE + number,
        b"height": lines * _POINTS,
        b"row": row - 1,
        b"bottom": row - 1 + lines,
        b"column": column,
        b"left": column + 1,
        b"right": column + 1 + _COLUMNS,
    }
