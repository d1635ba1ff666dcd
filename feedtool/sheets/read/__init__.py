"""Read files of rows and columns, workbooks and CSV, as blocks of cells."""
