"""The sandbox's reports."""

from feedtool.areas.reports.sandbox import reports
from feedtool.sandbox.exchange import Part, QuietPart

PARTS: tuple[Part, ...] = (QuietPart(reports.ROUTES, reports.TABLES),)
