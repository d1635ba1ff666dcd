"""`python -m feedtool` is the same as `feedtool`."""

import gc
import sys

_CREATED = 500_000
"""Objects between two looks for unreachable cycles. There are hardly any, but the modules of a
command are many, and a sheet may have hundreds of thousands of problems: to look through them
took a tenth of a short command's time, and a fifth of a long one's."""


def main() -> None:
    """The command line. Before the commands are even imported, Ctrl-C ends it too."""
    gc.set_threshold(_CREATED)
    try:
        from feedtool.cli import run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("error: stopped by Ctrl-C\n")
        code = 130
    # The process ends: to look for cycles in all that it imported took a fifth of a short command.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
