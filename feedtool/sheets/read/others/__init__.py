"""Spreadsheets that are neither .xlsx nor CSV: each format is read into rows of Cells."""
