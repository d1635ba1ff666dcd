"""Lines of Python that run in a process of their own; see `tests.ledger.conftest.Process`."""

import sys


def run_lines(lines: str, *arguments: str) -> int:
    """Runs them, with the arguments in `sys.argv`, until they end."""
    sys.argv = ["-c", *arguments]
    exec(compile(lines, "<lines>", "exec"), {"__name__": "__main__"})  # noqa: S102  # our own
    return 0
