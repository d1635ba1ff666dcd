"""The results of a command as text, JSON, CSV or HTML.

Every report is made from `SheetResult`s, one for each sheet, and streams: a million problems are
never in memory. To be read in this order: `sheet_result`, `tally` (groups and counts), `text`,
`as_json`, `html`, `file`; the pages of problem `codes` are handed in.
"""
