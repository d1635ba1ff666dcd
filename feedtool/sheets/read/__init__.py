"""Read files of rows and columns, workbooks and CSV, as blocks of cells.

Reading order: `file_format` recognises a file's format; `package` and `workbook` open a
workbook; `xlsx` reads its sheets in chunks, by pattern or by a parser (`xml_parser`,
`sheet_rows`); `csv_source` reads CSV (`csv_dialect` proves its quotation marks, `code_pages`
guesses its encoding). All of them return `feedtool.model.cells.Block`.
"""
