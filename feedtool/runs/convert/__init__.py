"""Workbooks, CSVs, Offers.xml, its zip and JSON requests, each into each other; nothing is sent.

Reading order: `ways` says which kind of feed may become which, `requests` shows JSON requests as
the rows of a sheet, `carry` turns a row of one kind into a row of another, `items` makes requests
of it, `files` writes them, and `conversion` puts these together.
"""

from feedtool.runs.convert.conversion import Wish, convert
from feedtool.runs.convert.ways import Form, form_of

__all__ = ["Form", "Wish", "convert", "form_of"]
