"""Spreadsheets in and out, losslessly and in constant memory; knows nothing of marketplaces.

`read` opens a workbook or a CSV, `annotate` writes results beside its rows, `fill` writes rows into
a workbook of ours or a CSV. What other rooms use is imported from here, from `sheets.annotate` and
from `sheets.fill`.

Reading order of `read`: `file_format` decides what a file is; `package` and `workbook` open a
workbook; `xlsx` reads its sheets in chunks (`xml_chunks`), by pattern (`row_regex`) where that is
proven to be safe and by a parser (`sheet_parser`) elsewhere; `csv_source` reads CSV (`csv_dialect`
proves its quotation marks). All come out as `feedtool.model.cells.Block`.
"""

from feedtool.model.limits import ReadingLimits
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
from feedtool.sheets.read.file_format import open_source
from feedtool.sheets.read.keyed_sheet import HEADER, KeyedLine, KeyedSheet, decode
from feedtool.sheets.read.package import DEFAULT_LIMITS, ZipPackage, part_key
from feedtool.sheets.read.source import (
    HeadRow,
    MergedArea,
    Notice,
    Sheet,
    Source,
    first_rows,
    rows_after,
)
from feedtool.sheets.read.workbook import SheetEntry
from feedtool.sheets.read.xml_parser import hardened_parser, parse
from feedtool.sheets.read_back import NotAsWritten

__all__ = [
    "DEFAULT_LIMITS",
    "HEADER",
    "CorruptXml",
    "CorruptZip",
    "EmptyFile",
    "Encrypted",
    "HeadRow",
    "KeyedLine",
    "KeyedSheet",
    "MergedArea",
    "NotAWorkbook",
    "NotAsWritten",
    "Notice",
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
    "first_rows",
    "hardened_parser",
    "open_source",
    "parse",
    "part_key",
    "rows_after",
]
