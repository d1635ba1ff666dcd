"""Invoices, as the area declares itself."""

from feedtool.feeds.area import Area

AREA = Area("invoices")
