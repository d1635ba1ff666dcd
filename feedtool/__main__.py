"""`python -m feedtool` is the same as `feedtool`."""

import sys


def main() -> None:
    """The command line. Before the commands are even imported, Ctrl-C ends it too."""
    try:
        from feedtool.cli import run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("error: stopped by Ctrl-C\n")
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
