"""What the service has, as files to look at, to edit and to send back.

Reading order: `pages` asks for a list to its end, `gathered` keeps its rows on disk, `offers`,
`products` and `competition` make rows of what came, `written` writes the file.
"""
