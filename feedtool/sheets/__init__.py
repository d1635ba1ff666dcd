"""Readers and writers of spreadsheets: lossless, in constant memory, independent of marketplaces.

`read` opens a workbook or a CSV, `annotate` writes results beside its rows, `fill` writes rows into
one of feedtool's workbooks or a CSV. Other rooms import from here, from `sheets.annotate` and from
`sheets.fill`.
"""

from feedtool.model.limits import ReadingLimits
from feedtool.sheets.atomic_write import NotAsWritten
from feedtool.sheets.read.code_pages import Doubts
from feedtool.sheets.read.errors import (
    CorruptXml,
    CorruptZip,
    EmptyFile,
    Encrypted,
    NotAWorkbook,
    XmlDoctype,
    ZipBadName,
    ZipBomb,
    ZipDuplicateMember,
)
from feedtool.sheets.read.file_format import is_other_format, open_source
from feedtool.sheets.read.package import DEFAULT_LIMITS, ZipPackage, part_key
from feedtool.sheets.read.source import HEADER, KeyedLine, KeyedSheet, Sheet, Source, decode
from feedtool.sheets.read.workbook import SheetEntry
from feedtool.sheets.read.xml_parser import hardened_parser

__all__ = [
    "DEFAULT_LIMITS",
    "HEADER",
    "CorruptXml",
    "CorruptZip",
    "Doubts",
    "EmptyFile",
    "Encrypted",
    "KeyedLine",
    "KeyedSheet",
    "NotAWorkbook",
    "NotAsWritten",
    "ReadingLimits",
    "Sheet",
    "SheetEntry",
    "Source",
    "XmlDoctype",
    "ZipBadName",
    "ZipBomb",
    "ZipDuplicateMember",
    "ZipPackage",
    "decode",
    "hardened_parser",
    "is_other_format",
    "open_source",
    "part_key",
]
