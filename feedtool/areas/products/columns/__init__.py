"""The types of cells that only products have."""

from feedtool.feeds.rule import Problems

PROBLEMS = Problems(__name__)
