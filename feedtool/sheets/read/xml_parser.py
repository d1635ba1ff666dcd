"""XML of small parts, parsed without document types, entities or network."""

import re
from xml.parsers import expat

from lxml import etree

from feedtool.sheets.read.errors import SAVE_AGAIN, CorruptXml, XmlDoctype
from feedtool.sheets.read.package import ZipPackage

MAIN_NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
"""Of transitional and of strict workbooks."""
_DOCTYPES = tuple("<!DOCTYPE".encode(name) for name in ("utf-8", "utf-16-le", "utf-16-be"))
_WHOLE = re.compile("[0-9]{1,18}")
_NOT_TRUSTED = "Have its sender make it anew in a spreadsheet program."


def parse_part(package: ZipPackage, name: str) -> etree._Element:
    """The root element of a small part. Raises CorruptXml, XmlDoctype, CorruptZip, ZipBomb."""
    data = package.read(name)
    if any(mark in data for mark in _DOCTYPES):
        raise doctype(name)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        raise corrupt(name, f"its XML is malformed at line {line}, column {column}") from error
    except ValueError as error:
        raise corrupt(name, f"its XML cannot be read ({error})") from error


def doctype(part: str) -> XmlDoctype:
    """The error of a part that declares a document type, to be raised."""
    return XmlDoctype(f"Part {part} of the workbook declares a document type.", _NOT_TRUSTED)


def hardened_parser(part: str, separator: str | None = None) -> expat.XMLParserType:
    """An expat parser that raises XmlDoctype at the first sign of one.

    With a `separator` it is namespace-aware and reports `namespace + separator + name`.
    """
    parser = expat.ParserCreate(namespace_separator=separator)
    parser.buffer_text = True
    # Newer versions of expat may put a token off to the next call; blocks must not wait for it.
    defer = getattr(parser, "SetReparseDeferralEnabled", None)
    if defer is not None:
        defer(False)

    def refuse(*_: object) -> None:
        raise doctype(part)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser


def parse(parser: expat.XMLParserType, data: bytes, part: str, *, final: bool) -> None:
    """Feed a parser. Raises CorruptXml, and whatever the parser's handlers raise."""
    try:
        parser.Parse(data, final)
    except expat.ExpatError as error:
        line, column = error.lineno, error.offset + 1
        raise corrupt(part, f"its XML is malformed at line {line}, column {column}") from error
    except (ValueError, LookupError) as error:
        # Encodings that do not exist, or that expat cannot read.
        raise corrupt(part, f"its XML cannot be read ({error})") from error


def corrupt(part: str, what: object) -> CorruptXml:
    """The error of a malformed or contradictory part, to be raised."""
    return CorruptXml(f"Part {part} of the workbook is damaged: {what}.", SAVE_AGAIN)


def local(element: etree._Element) -> str:
    """An element's name without its namespace: strict and transitional workbooks differ in it."""
    return str(etree.QName(element).localname)


def whole(text: str | None) -> int | None:
    """A whole number of up to 18 digits; None for anything else, absent ones included."""
    return int(text) if text and _WHOLE.fullmatch(text) else None


def is_true(value: str | None) -> bool:
    """An xsd:boolean, absent being false."""
    return value in ("1", "true")
