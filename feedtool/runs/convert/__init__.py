"""Workbooks, CSVs, files of the areas' own formats and JSON requests, each into each other.

Nothing is sent. Reading order: `forms` says what is written and what rows become there, `requests`
shows JSON requests as the rows of a sheet, `write` makes requests of rows and writes them,
`sheet` carries the rows of one over, and `conversion` puts these together.
"""

from feedtool.runs.convert.conversion import convert
from feedtool.runs.convert.forms import Form, form_of
from feedtool.runs.convert.sheet import ConversionOptions

__all__ = ["ConversionOptions", "Form", "convert", "form_of"]
