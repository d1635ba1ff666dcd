"""`python -m feedtool` is the same as `feedtool`."""

import sys


def main() -> None:
    """The command line."""
    from feedtool.cli import run

    sys.exit(run())


if __name__ == "__main__":
    main()
