"""The sandbox's invoices: `imports` (the routes, and what becomes of a file) and `documents`."""

from feedtool.areas.invoices.sandbox import imports
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (imports,)
