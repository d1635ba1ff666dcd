"""The sandbox's reports."""

from feedtool.areas.reports.sandbox import reports
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (reports,)
