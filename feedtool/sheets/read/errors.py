"""The reasons why a file is unreadable: a class for each code; its docstring explains it to users.

The message says what the file really is, the hint how to turn it into one that can be read.
"""

from feedtool.model.errors import FileProblem

SAVE_AS_XLSX = 'Open it in a spreadsheet program and save it as "Excel workbook (.xlsx)".'
SAVE_AGAIN = "Open it in a spreadsheet program, repair it if asked, and save it again as .xlsx."
COPY_AGAIN = (
    "Copy or download it again, or make it again in the program that it comes from. A workbook may "
    "be mended too: open it in a spreadsheet program, repair it, and save it again as .xlsx."
)


class Encrypted(FileProblem):
    """The file is protected by a password.

    A workbook that asks for a password when it is opened is encrypted as a whole; nothing in it
    can be read without the password. (Protecting a sheet or the structure against changes is
    something else and does no harm.)

    Example: offers.xlsx was saved with Tools > General options > Password to open.

    How to mend it: open the file, remove the password to open, save it again.
    """

    code = "encrypted"


class LegacyXls(FileProblem):
    """The file is a workbook of Excel 97-2003 or older (.xls).

    That format is another one altogether than .xlsx, whatever the file's name says.

    Example: an ERP exports offers.xls, and somebody renames it to offers.xlsx.

    How to mend it: open it in a spreadsheet program and save it as "Excel workbook (.xlsx)".
    """

    code = "legacy-xls"


class OdsUnsupported(FileProblem):
    """The file is an OpenDocument spreadsheet (.ods).

    LibreOffice and OpenOffice save this format unless told otherwise; it is not read here.

    Example: offers.ods.

    How to mend it: in LibreOffice choose Save as > Excel 2007-365 (.xlsx), or save as CSV.
    """

    code = "ods-unsupported"


class XlsbUnsupported(FileProblem):
    """The file is a binary workbook (.xlsb).

    It looks like any workbook in Excel, but its sheets are stored in a binary form.

    Example: offers.xlsb, chosen because it is smaller.

    How to mend it: open it in Excel and save it as "Excel workbook (.xlsx)".
    """

    code = "xlsb-unsupported"


class HtmlAsXls(FileProblem):
    """The file is a web page that only carries a spreadsheet's name.

    Many web shops "export to Excel" by writing an HTML table into a file called .xls or .xlsx.
    A login or error page that was saved instead of the download looks the same.

    Example: a file that starts with `<html>` or `<table>`.

    How to mend it: look at it in a browser; if it is the table, open it in a spreadsheet program
    and save it as "Excel workbook (.xlsx)". If it is a login page, download the file again.
    """

    code = "html-as-xls"


class Xml2003AsXls(FileProblem):
    """The file is an XML spreadsheet of Excel 2003.

    One single XML text, not a package as .xlsx is, whatever the file's name says.

    Example: a file that starts with `<?xml …?><?mso-application progid="Excel.Sheet"?>`.

    How to mend it: open it in Excel and save it as "Excel workbook (.xlsx)".
    """

    code = "xml2003-as-xls"


class NotAWorkbook(FileProblem):
    """The file is neither a workbook nor a text of rows and columns.

    Example: a PDF, a picture, a Word document, a zip of something else.

    How to mend it: give the .xlsx, .xlsm or .csv file itself.
    """

    code = "not-a-workbook"


class CorruptZip(FileProblem):
    """The package is damaged: it is cut off, or its checksums do not fit.

    A .xlsx file is a zip package. A download or copy that broke off, or a file picked up while
    it was still being written, cannot be unpacked.

    Example: offers.xlsx of which only the first half arrived.

    How to mend it: copy or download it again; else open it in a spreadsheet program, let it
    repair the file and save it again.
    """

    code = "corrupt-zip"


class CorruptXml(FileProblem):
    """A part of the workbook is not what the format asks for.

    The package can be unpacked, but its XML is malformed or contradicts itself: two rows of one
    number, rows out of order, a text that is looked up and does not exist.

    Example: `<row r="5">` twice in one sheet.

    How to mend it: open the file in a spreadsheet program, let it repair the file, save it again;
    tell whoever wrote the program that made it.
    """

    code = "corrupt-xml"


class ZipBomb(FileProblem):
    """The package unpacks to more than a workbook needs.

    A small file can be made to unpack to hundreds of gigabytes. Reading stops at fixed sizes,
    far above those of a workbook with a million rows.

    Example: 1 MB that unpacks to 1 GB in one string.

    How to mend it: if the file is honest, delete what is not needed (empty formatted rows and
    columns), or split it, and save it again.
    """

    code = "zip-bomb"


class ZipBadName(FileProblem):
    """The package holds a part whose name leads out of the package.

    Names such as `../../etc/passwd` have no business in a workbook. Nothing was unpacked.

    Example: a part named `xl/../../evil.xml`.

    How to mend it: do not trust this file; have its sender make it anew in a spreadsheet program.
    """

    code = "zip-bad-name"


class ZipDuplicateMember(FileProblem):
    """The package holds two parts of one name.

    Which of them counts would be a guess: what is checked here might not be what another program
    shows. (Capital and small letters make no difference in a workbook.)

    Example: two parts `xl/worksheets/sheet1.xml`.

    How to mend it: open the file in a spreadsheet program, look at what it shows, save it again.
    """

    code = "zip-duplicate-member"


class XmlDoctype(FileProblem):
    """A part of the workbook declares a document type.

    Declarations can make a small text grow without end or fetch other files; no spreadsheet
    program writes them, and none are followed here.

    Example: `<!DOCTYPE lolz [<!ENTITY lol "…">]>`.

    How to mend it: do not trust this file; have its sender make it anew in a spreadsheet program.
    """

    code = "xml-doctype"


class GridOutOfRange(FileProblem):
    """A cell lies outside the grid of 1,048,576 rows and 16,384 columns (A to XFD).

    Example: a cell XFE1, or a row 1048577.

    How to mend it: no spreadsheet program makes such a file; correct the program that made it,
    or split the rows over several files.
    """

    code = "grid-out-of-range"


class EmptyFile(FileProblem):
    """The file is empty: it has no bytes, or nothing but blanks.

    Example: offers.csv of 0 bytes, left behind by an export that failed.

    How to mend it: make the export again and look at its size.
    """

    code = "empty-file"


class CsvEncoding(FileProblem):
    """The text mixes encodings: UTF-8 in one place, and bytes that cannot be UTF-8 in another.

    Reading it in either encoding would spoil some letters. This comes from joining two files, or
    from a program that writes the headings in one encoding and the data in the other.

    Example: `é` as the bytes C3 A9 in line 3 and as the byte E9 in line 90.

    How to mend it: open each file in a spreadsheet program and save it as "CSV UTF-8".
    """

    code = "csv-encoding"


class CsvNul(FileProblem):
    """The text holds NUL bytes, which no text has.

    A file that was cut off by a crash often ends in NULs; else it is no text at all.

    Example: the last block of the file is zeros because the computer lost power.

    How to mend it: make the export again and save it as "CSV UTF-8".
    """

    code = "csv-nul"


class CsvUnterminatedQuote(FileProblem):
    """A quotation mark opens a field and is not closed at its end.

    Everything from there to the next mark, or to the end of the file, would be one field, and the
    rows in it lost.

    Example: `"Table 24",19.90` is fine; `"Table 24,19.90` is not. A mark inside a
    quoted field is doubled: `"Screen 24"" black",99.00`.

    How to mend it: look at the line that the message names, close or double the mark.
    """

    code = "csv-unterminated-quote"
