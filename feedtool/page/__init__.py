"""The page in the browser: it checks, sends and answers files like the commands.

Reading order: `session`, which all routes share; then `app`, which guards and answers each request,
and the `routes`, one module for each subject. `uploads` keeps uploaded and exported files, `jobs`
runs work that takes longer than a request may (`checks` reads a large file in another process),
`grid` keeps the rows of a sheet for the browser, `columns` shows the form of `runs.mapping`, which
`feedtool map` asks in a terminal.
"""
