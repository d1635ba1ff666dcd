"""The page in the browser: files are checked, sent and answered as the commands do it.

Read `desk` first, what all routes share; then `app`, which guards and answers each request, and
the `routes`, one module for each subject. `shelf` keeps the files that were brought, or exported,
`jobs` does what takes longer than an answer may (the check of a large file in a process of its own,
`check_process`), `grid` is what the browser shows of a sheet.
"""
