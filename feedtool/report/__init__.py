"""The results of a command as text, JSON, CSV or HTML.

Every report is made from `SheetResult`s, one for each sheet, and is streamed: a million problems
are never in memory. Reading order: `sheet_result`, `tally` (groups and counts), `text`, `as_json`,
`html`, `file`; callers pass in the pages of problem `codes`.
"""
