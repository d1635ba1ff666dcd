"""Types of cells for products."""

from feedtool.feeds.rule import Problems

PROBLEMS = Problems(__name__)
