"""The page in the browser: it checks, sends and answers files like the commands.

Read `desk` first, which all routes share; then `app`, which guards and answers each request, and
the `routes`, one module for each subject. `shelf` keeps uploaded and exported files, `jobs` runs
work that takes longer than a request may (a large file is checked in another process, see
`check_process`), `grid` keeps the rows of a sheet for the browser.
"""
