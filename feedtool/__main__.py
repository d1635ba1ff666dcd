"""`python -m feedtool` is the same as `feedtool`."""

import gc
import sys

_CREATED = 50_000
"""Objects between two looks for unreachable cycles. There are hardly any, but a sheet may have
hundreds of thousands of problems, and to look through them took a fifth of the time."""


def main() -> None:
    """The command line. Before the commands are even imported, Ctrl-C ends it too."""
    gc.set_threshold(_CREATED)
    try:
        from feedtool.cli import run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("error: stopped by Ctrl-C\n")
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
