"""Find the parts of a workbook, and its sheets in order."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from msgspec import Struct

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.sheets.read.errors import (
    SAVE_AS_XLSX,
    Archive,
    NotAWorkbook,
    OdsUnsupported,
    XlsbUnsupported,
)
from feedtool.sheets.read.package import ZipPackage, part_key
from feedtool.sheets.read.xml_parser import Node, corrupt, is_true, parse_part

CONTENT_TYPES = "[Content_Types].xml"
_WORKBOOK = ("spreadsheetml", "ms-excel")
_OTHER_OFFICE = {
    "wordprocessingml": tr("a Word document"),
    "ms-word": tr("a Word document"),
    "presentationml": tr("a PowerPoint presentation"),
    "ms-powerpoint": tr("a PowerPoint presentation"),
    "visio": tr("a Visio drawing"),
}
"""Names of documents by words of their content types."""
_NUMBERS = (".iwa", "Index.zip", "uildVersionHistory.plist")
"""Endings of parts' names in documents of Numbers, Pages and Keynote, new and old."""


class SheetEntry(Struct, frozen=True):
    """A sheet in the workbook's list."""

    name: str
    part: str
    """The part's name, spelled as in the package."""
    state: str = "visible"
    """visible, hidden or veryHidden."""
    is_worksheet: bool = True
    """False for a chart sheet, a dialog or a macro sheet, whose `part` may be empty."""
    full_name: str = ""
    """The name in a file of another format, whose names may be longer than a workbook's."""

    @property
    def hidden(self) -> bool:
        return self.state != "visible"


class WorkbookParts(Struct, frozen=True):
    """The names of a workbook's parts, spelled as in the package; None for an absent part."""

    content_types: str
    workbook: str
    styles: str | None
    shared_strings: str | None
    sheets: tuple[SheetEntry, ...]
    """All sheets in the order of the tabs."""
    date1904: bool
    """True if dates are counted from 1904-01-01 instead of 1900-01-00."""
    properties: dict[str, str]
    """The custom document properties, as texts."""

    @property
    def worksheets(self) -> tuple[SheetEntry, ...]:
        """The sheets with rows, hidden ones included."""
        return tuple(entry for entry in self.sheets if entry.is_worksheet)

    def worksheet(self, name: str) -> SheetEntry:
        """Return the worksheet of this name, or raise UsageProblem."""
        for entry in self.worksheets:
            if entry.name == name:
                return entry
        raise UsageProblem(
            tr("The workbook has no sheet “{name}”.", name=name),
            tr("It has {sheets}.", sheets=", ".join(repr(entry.name) for entry in self.worksheets)),
        )


class Relationship(NamedTuple):
    """An entry of a `.rels` part."""

    id: str
    kind: str
    """The last segment of its type: `worksheet` in strict and in transitional workbooks."""
    target: str
    """A part's name, resolved; the part may be absent."""


def read_workbook(package: ZipPackage) -> WorkbookParts:
    """Find the workbook's parts by their relationships.

    Raises NotAWorkbook, Archive, OdsUnsupported, XlsbUnsupported, CorruptXml, XmlDoctype,
    CorruptZip.
    """
    content_types = _content_types(package)
    root_rels = read_relationships(package, "_rels/.rels")
    workbook = _workbook_part(package, root_rels, content_types)
    folder, name = posixpath.split(workbook.replace("\\", "/"))
    rels_name = _spelled(package, posixpath.join(folder, "_rels", name + ".rels"))
    rels = read_relationships(package, rels_name or "")
    root = parse_part(package, workbook)
    sheets = [
        child for group in root.children if group.name == "sheets" for child in group.children
    ]
    if root.name != "workbook" or not root.is_main:
        namespace = "" if root.is_main else tr(" of another namespace")
        raise corrupt(
            workbook,
            tr(
                "its root is <{name}>{namespace}, not a workbook's <workbook>",
                name=root.name,
                namespace=namespace,
            ),
        )
    return WorkbookParts(
        content_types=_spelled(package, CONTENT_TYPES) or CONTENT_TYPES,
        workbook=workbook,
        styles=_first(package, rels, "styles"),
        shared_strings=_first(package, rels, "sharedStrings"),
        sheets=tuple(_sheets(package, sheets, rels, workbook)),
        date1904=any(
            is_true(child.attributes.get("date1904"))
            for child in root.children
            if child.name == "workbookPr"
        ),
        properties=_properties(package, root_rels),
    )


def read_relationships(package: ZipPackage, name: str) -> list[Relationship]:
    """Return the internal relationships of a `.rels` part in order, [] if it is absent."""
    if package.part(name) is None:
        return []
    base = posixpath.dirname(posixpath.dirname(name.replace("\\", "/")))
    return [
        Relationship(
            element.attributes.get("Id") or "",
            (element.attributes.get("Type") or "").rpartition("/")[2],
            resolve(base, element.attributes.get("Target") or ""),
        )
        for element in parse_part(package, name).children
        if element.name == "Relationship" and element.attributes.get("TargetMode") != "External"
    ]


def resolve(base: str, target: str) -> str:
    """Return the part's name for a target, which may be absolute, relative, or with backslashes."""
    path = unquote(target.replace("\\", "/"))
    if path.startswith("/"):
        base = ""
    return posixpath.normpath(posixpath.join("/", base, path.lstrip("/"))).lstrip("/")


def _content_types(package: ZipPackage) -> Mapping[str, str]:
    """Return the content types by part and by extension; raises if this is no Office package."""
    if package.part("mimetype") is not None:
        kind = package.read("mimetype")
        if b"opendocument.spreadsheet" in kind:
            raise OdsUnsupported(
                tr("The file is an OpenDocument spreadsheet (.ods)."), SAVE_AS_XLSX
            )
        if b"opendocument" in kind:
            raise NotAWorkbook(tr("The file is an OpenDocument text or drawing."), SAVE_AS_XLSX)
    if package.part(CONTENT_TYPES) is None:
        if any(name.endswith(_NUMBERS) for name in package.names):
            raise NotAWorkbook(
                tr("The file is a Numbers spreadsheet (.numbers), or another document of Apple's."),
                tr("In Numbers choose File > Export To > Excel, and give that file."),
            )
        raise Archive(
            tr("The file is a zip archive, not a workbook."),
            tr("Unpack it and give the file inside."),
        )
    return {
        part_key(
            unquote(
                element.attributes.get("PartName")
                or "." + (element.attributes.get("Extension") or "")
            )
        ): (element.attributes.get("ContentType") or "")
        for element in parse_part(package, CONTENT_TYPES).children
    }


def _workbook_part(package: ZipPackage, rels: list[Relationship], types: Mapping[str, str]) -> str:
    """Return the name of the workbook's main part. Raises NotAWorkbook, XlsbUnsupported.

    Its type decides: SheetJS declares the type of binary workbooks for all `.bin` parts of every
    workbook, and a document may contain a workbook. If its type is unknown, the types of the other
    parts decide.
    """
    part = _first(package, rels, "officeDocument") or _spelled(package, "xl/workbook.xml")
    key = part_key(part or "")
    kind = types.get(key) or types.get(posixpath.splitext(key)[1]) or ""
    if not any(word in kind for word in (*_WORKBOOK, *_OTHER_OFFICE)):
        kind = " ".join(types.values())
    if "sheet.binary.macroEnabled.main" in kind:
        raise XlsbUnsupported(tr("The file is a binary workbook (.xlsb)."), SAVE_AS_XLSX)
    if part and any(word in kind for word in _WORKBOOK):
        return part
    other = next((name for word, name in _OTHER_OFFICE.items() if word in kind), None)
    raise NotAWorkbook(
        tr("The file is {other}, not a workbook.", other=other)
        if other
        else tr("The package holds no workbook."),
        tr("Give the .xlsx, .xlsm or .csv file."),
    )


def _sheets(
    package: ZipPackage, elements: Iterable[Node], rels: list[Relationship], workbook: str
) -> Iterator[SheetEntry]:
    """Yield the sheets in the order of the tabs.

    Excel lists the modules and dialogs of Excel 5 without a part, and other programs may lose the
    part of a chart; these have no rows. Raises CorruptXml for a worksheet without its part.
    """
    by_id = {rel.id: rel for rel in rels}
    sheet_of_part: dict[str, str] = {}
    for element in elements:
        if element.name != "sheet":
            continue
        attributes = element.attributes
        name = attributes.get("name") or ""
        # `r:id` has different namespaces in strict and transitional workbooks.
        relation = next((value for key, value in attributes.items() if key.endswith(":id")), "")
        rel = by_id.get(relation)
        part = (rel and _spelled(package, rel.target)) or ""
        is_worksheet = rel.kind == "worksheet" if rel else bool(relation)
        if is_worksheet and not part:
            raise corrupt(workbook, tr("sheet “{name}” has no part in the package", name=name))
        if is_worksheet and part in sheet_of_part:
            first = sheet_of_part[part]
            reason = tr("sheets “{first}” and “{second}” have one part", first=first, second=name)
            raise corrupt(workbook, reason)
        sheet_of_part[part] = name
        state = attributes.get("state") or "visible"
        yield SheetEntry(name, part, state, is_worksheet=is_worksheet)


def _properties(package: ZipPackage, root_rels: list[Relationship]) -> dict[str, str]:
    """Return the custom document properties; each is an element around one typed value."""
    part = _first(package, root_rels, "custom-properties") or _first(
        package, root_rels, "customProperties"
    )
    if part is None:
        return {}
    return {
        element.attributes.get("name") or "": element.all_text().strip()
        for element in parse_part(package, part).children
    }


def _first(package: ZipPackage, rels: list[Relationship], kind: str) -> str | None:
    """Return the first related part of a kind that is in the package, or None."""
    spelled = (_spelled(package, rel.target) for rel in rels if rel.kind == kind)
    return next((name for name in spelled if name), None)


def _spelled(package: ZipPackage, name: str) -> str | None:
    info = package.part(name)
    return info.filename if info else None
