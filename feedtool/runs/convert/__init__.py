"""Workbooks, CSVs, files of the areas' own formats and JSON requests, each into each other.

Nothing is sent. Reading order: `forms` says what is written and what rows become there, `requests`
shows JSON requests as the rows of a sheet, `sheet` converts the rows of a sheet, `request_maker`
makes requests of them, and `conversion` puts these together and writes.
"""

from feedtool.runs.convert.conversion import convert
from feedtool.runs.convert.forms import ConversionOptions, Form, form_of

__all__ = ["ConversionOptions", "Form", "convert", "form_of"]
