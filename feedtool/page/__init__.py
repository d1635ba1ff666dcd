"""The page in the browser: files are checked, sent and answered as the commands do it.

Read `desk` first, what all routes share; then `app`, which guards and answers each request, and
the `routes`, one module for each subject. `shelf` keeps the files that were brought, or exported,
`jobs` does what takes longer than an answer may, `grid` is what the browser shows of a sheet.
"""
