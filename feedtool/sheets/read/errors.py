"""The reasons why a file is unreadable: a class for each code, whose page is in `problems.md`.

The message names the real format of the file, the hint a way to a readable file.
"""

from feedtool.model.errors import FileProblem
from feedtool.model.text import tr

SAVE_AS_XLSX = tr('Open it in a spreadsheet program and save it as "Excel workbook (.xlsx)".')
SAVE_AGAIN = tr("Open it in a spreadsheet program, repair it if asked, and save it again as .xlsx.")
NOT_TRUSTED = tr("Have its sender make it anew in a spreadsheet program.")
COPY_AGAIN = tr(
    "Copy or download it again, or make it again in the program that it comes from."
    " A workbook may be fixed too: open it in a spreadsheet program, repair it, "
    "and save it again as .xlsx."
)


class Encrypted(FileProblem):
    """The file is protected by a password."""

    code = "encrypted"


class LegacyXls(FileProblem):
    """The file is a workbook of Excel 97-2003 or older (.xls) that cannot be read."""

    code = "legacy-xls"


class OdsUnsupported(FileProblem):
    """The file is an OpenDocument spreadsheet (.ods) that cannot be read."""

    code = "ods-unsupported"


class XlsbUnsupported(FileProblem):
    """The file is a binary workbook (.xlsb) that cannot be read."""

    code = "xlsb-unsupported"


class HtmlAsXls(FileProblem):
    """The file is a web page without a table that can be read."""

    code = "html-as-xls"


class Xml2003AsXls(FileProblem):
    """The file is an XML spreadsheet of Excel 2003 that cannot be read."""

    code = "xml2003-as-xls"


class NotAWorkbook(FileProblem):
    """The file is neither a workbook nor a text of rows and columns."""

    code = "not-a-workbook"


class Archive(NotAWorkbook):
    """The file is a gzip file or a zip, which may contain a table."""


class CorruptZip(FileProblem):
    """The package is damaged: it is cut off, or its checksums do not fit."""

    code = "corrupt-zip"


class CorruptXml(FileProblem):
    """A part of the workbook does not have the format that it must have."""

    code = "corrupt-xml"


class ZipBomb(FileProblem):
    """The package unpacks to more than a workbook needs."""

    code = "zip-bomb"


class ZipBadName(FileProblem):
    """The package holds a part whose name leads out of the package."""

    code = "zip-bad-name"


class ZipDuplicateMember(FileProblem):
    """The package holds two parts of one name."""

    code = "zip-duplicate-member"


class XmlDoctype(FileProblem):
    """A part of the workbook declares a document type."""

    code = "xml-doctype"


class GridOutOfRange(FileProblem):
    """A cell lies outside the grid of 1,048,576 rows and 16,384 columns (A to XFD)."""

    code = "grid-out-of-range"


class EmptyFile(FileProblem):
    """The file is empty: it has no bytes, or only blanks."""

    code = "empty-file"


class CsvEncoding(FileProblem):
    """The text mixes encodings: UTF-8 in one place, and bytes that cannot be UTF-8 in another."""

    code = "csv-encoding"


class CsvNul(FileProblem):
    """The text holds NUL bytes, which no text has."""

    code = "csv-nul"


class CsvUnterminatedQuote(FileProblem):
    """A quotation mark opens a field and is not closed at its end."""

    code = "csv-unterminated-quote"
