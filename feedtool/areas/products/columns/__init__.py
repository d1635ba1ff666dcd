"""The types of cells that only products have."""

from feedtool.feeds.problems import Problems

PROBLEMS = Problems(__name__)
