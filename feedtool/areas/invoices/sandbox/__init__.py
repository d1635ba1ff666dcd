"""The sandbox's invoices: `imports` (the routes, and what becomes of a file) and `documents`."""

from feedtool.areas.invoices.sandbox.imports import FILES, IMPORTS
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (IMPORTS, FILES)
