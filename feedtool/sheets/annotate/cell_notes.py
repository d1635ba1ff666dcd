"""Notes in cells, as spreadsheet programs show them when the pointer is over the cell.

A sheet has them in two parts: the texts (`comments`), and a drawing of their boxes in the markup
of old Office programs (`vmlDrawing`), without which Excel shows none.
"""

import re
from collections.abc import Collection, Mapping
from itertools import count

from feedtool.model.cells import letters
from feedtool.sheets.annotate.sheet_envelope import SheetEnvelope
from feedtool.sheets.annotate.workbook_parts import BookParts
from feedtool.sheets.annotate.xml_offsets import Edit, appended, outline, splice
from feedtool.sheets.cell_text import escaped, quoted
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.workbook import SheetEntry, read_relationships

MOST_COMMENTS = 1000
"""Notes in the cells of a sheet: of more, no one would look at each, and programs grow slow."""
AUTHOR = "feedtool"
_AFTER_DRAWING = frozenset(
    {"legacyDrawingHF", "drawingHF", "picture", "oleObjects", "controls", "webPublishItems",
     "tableParts", "extLst"}
)  # fmt: skip
"""Elements that the schema puts behind a sheet's `legacyDrawing`."""
_SHAPE_TYPE = (
    b'<v:shapetype xmlns:v="urn:schemas-microsoft-com:vml"'
    b' xmlns:o="urn:schemas-microsoft-com:office:office" id="_x0000_t202"'
    b' coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">'
    b'<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/>'
    b"</v:shapetype>"
)
_SHAPE = (
    b'<v:shape xmlns:v="urn:schemas-microsoft-com:vml"'
    b' xmlns:o="urn:schemas-microsoft-com:office:office"'
    b' xmlns:x="urn:schemas-microsoft-com:office:excel" id="_x0000_s%(id)d" type="#_x0000_t202"'
    b' style="position:absolute;margin-left:60pt;margin-top:2pt;width:180pt;height:45pt;z-index:1;'
    b'visibility:hidden" fillcolor="#C6EFCE" o:insetmode="auto"><v:fill color2="#C6EFCE"/>'
    b'<v:shadow color="black" obscured="t"/><v:path o:connecttype="none"/>'
    b'<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>'
    b'<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>'
    b"<x:Anchor>%(left)d, 15, %(row)d, 2, %(right)d, 15, %(bottom)d, 4</x:Anchor>"
    b"<x:AutoFill>False</x:AutoFill><x:Row>%(row)d</x:Row><x:Column>%(column)d</x:Column>"
    b"</x:ClientData></v:shape>"
)
_EMPTY_DRAWING = (
    b'<xml xmlns:v="urn:schemas-microsoft-com:vml"'
    b' xmlns:o="urn:schemas-microsoft-com:office:office"'
    b' xmlns:x="urn:schemas-microsoft-com:office:excel"></xml>'
)
_END = b"</xml>"
_SHAPE_ID = re.compile(rb"""id=["']_x0000_s([0-9]{1,9})["']""")
_FIRST_SHAPE = 1025
_WIDTH, _HEIGHT = 3, 3
"""Of a box, in cells."""
_VML = "application/vnd.openxmlformats-officedocument.vmlDrawing"


def add_cell_notes(
    parts: BookParts,
    package: ZipPackage,
    entry: SheetEntry,
    envelope: SheetEnvelope,
    notes: Mapping[tuple[int, int], str],
) -> list[Edit]:
    """Enters notes, by row and 0-based column, into a sheet's parts; the edits of the sheet.

    A cell that has a note keeps it alone. Raises CorruptXml, CorruptZip, ZipBomb.
    """
    relations = {it.id: it for it in read_relationships(package, parts.relations_of(entry.part))}
    old = envelope.root.child("legacyDrawing")
    ids = [] if old is None else [old.attributes[key] for key in old.attributes if key[-2:] == "id"]
    drawings = [relations[name].target for name in ids if name in relations]
    drawing = next(filter(package.part, drawings), None)
    texts = [it.target for it in relations.values() if it.kind == "comments"]
    comments = next(filter(package.part, texts), None)
    boxes = package.read(drawing) if drawing else _EMPTY_DRAWING
    if _END not in boxes or (old is not None and drawing is None):
        return []  # nobody knows what it is; the message beside the row says the same
    if comments is None:
        comments = parts.add_part("comments{}.xml", "comments+xml")
        parts.relate(entry.part, "comments", comments)
        root = b"<comments xmlns=%b><authors/><commentList/></comments>"
        parts.changed[comments] = root % quoted(parts.namespace)
    else:
        parts.changed[comments] = parts.read(comments)
    new = _with_texts(parts, comments, notes)
    edits = []
    if drawing is None:
        drawing = parts.add_part("drawings/vmlDrawing{}.vml", None)
        parts.declare_ending("vml", _VML)
        edits.append(_reference(envelope, parts.relate(entry.part, "vmlDrawing", drawing), parts))
    parts.changed[drawing] = _with_boxes(boxes, new)
    return edits


def _reference(envelope: SheetEnvelope, relation: str, parts: BookParts) -> Edit:
    root = envelope.root
    later = (node.start for node in root.children if node.name in _AFTER_DRAWING)
    place = next(later, root.close)
    names = quoted(parts.relations), quoted(relation)
    return Edit(place, place, b"<%blegacyDrawing xmlns:r=%b r:id=%b/>" % (root.prefix, *names))


def _with_texts(
    parts: BookParts, name: str, notes: Mapping[tuple[int, int], str]
) -> Collection[tuple[int, int]]:
    """Adds those texts to a part of comments whose cells have none; their places."""
    root = outline(parts.changed[name], name)
    authors, texts = root.child("authors"), root.child("commentList")
    if authors is None or texts is None:
        return ()
    number = len(authors.children)
    prefix = root.prefix
    taken = {node.attributes.get("ref") for node in texts.children}
    new = {
        f"{letters(column)}{row}": (row, column)
        for row, column in sorted(notes)
        if f"{letters(column)}{row}" not in taken
    }
    author = b"<%bauthor>%b</%bauthor>" % (prefix, AUTHOR.encode(), prefix)
    markup = b"".join(
        b'<%(p)scomment ref="%(ref)s" authorId="%(author)d"><%(p)stext><%(p)st xml:space='
        b'"preserve">%(text)s</%(p)st></%(p)stext></%(p)scomment>'
        % {
            b"p": prefix,
            b"ref": ref.encode(),
            b"author": number,
            b"text": escaped(notes[place]),
        }
        for ref, place in new.items()
    )
    data = parts.changed[name]
    edits = appended(authors, data, author), appended(texts, data, markup)
    parts.changed[name] = splice(data, edits)
    return new.values()


def _with_boxes(data: bytes, places: Collection[tuple[int, int]]) -> bytes:
    """The drawing with a box for the note of each cell."""
    ids = count(max([_FIRST_SHAPE - 1, *map(int, _SHAPE_ID.findall(data))]) + 1)
    boxes = b"".join(
        _SHAPE
        % {
            b"id": next(ids),
            b"row": row - 1,
            b"bottom": row - 1 + _HEIGHT,
            b"column": column,
            b"left": column + 1,
            b"right": column + 1 + _WIDTH,
        }
        for row, column in places
    )
    kind = b"" if b'id="_x0000_t202"' in data else _SHAPE_TYPE
    head, end, tail = data.rpartition(_END)
    return head + kind + boxes + end + tail
