"""The codes of problems with what goes to the warehouses; their pages are in `problems.md`."""

from feedtool.feeds.judgement import ALREADY_SO
from feedtool.feeds.rule import Problems

PROBLEMS = Problems("feedtool.areas.inbound")

DIMENSIONS_ORDER = PROBLEMS.error("dimensions-order")
DUPLICATE_ITEM = PROBLEMS.error("duplicate-item")
PRODUCT_NOT_REFERENCED = PROBLEMS.error("product-not-referenced")
REFERENCE_TAKEN = PROBLEMS.error("reference-taken")
REFERENCE_TWICE = PROBLEMS.error("reference-twice")
WORD_UNKNOWN = PROBLEMS.warning("word-unknown")

FOUND_ELSEWHERE = (
    *(ALREADY_SO, PRODUCT_NOT_REFERENCED, REFERENCE_TAKEN),
    WORD_UNKNOWN,
)
"""Codes that are found while a cell is read, or when a request is looked at."""
