"""A file of rows and columns read: workbooks and CSV, as blocks of cells."""
