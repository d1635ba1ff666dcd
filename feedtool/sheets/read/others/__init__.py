"""Read spreadsheets that are neither .xlsx nor CSV into rows of Cells."""
