"""The page in a process of its own, for `tests.forked`: it may be killed at a write."""

from pathlib import Path

from feedtool.cli import run
from tests.resume.runner import Points


def show_page(kill: int) -> int:
    """Shows the page until it ends, or dies at the write of this number, if it is not negative."""
    if kill >= 0:
        Points(kill, Path("points")).watch()
    return run(["page", "--no-open", "--home", "home"])
