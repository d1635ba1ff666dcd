"""Moved to `feedtool.cells`."""

from feedtool.cells import *  # noqa: F403
