"""How commands end: each failure as one line that says what, one what to do, and an exit code."""

import errno
import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from feedtool.model.errors import Exit, FeedtoolError, Interrupted

UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


Said = Callable[[str, str], None]
Ended = Callable[[int], None]

_hearing: list[tuple[Said, Ended]] = []
"""Who hears what the command of this process says, and how it ends: as stderr, the process's."""


def heard_by(said: Said, ended: Ended) -> None:
    """Have somebody hear, from here to the command's end, what is said and the exit code."""
    _hearing.append((said, ended))


def run(command: click.Command, arguments: list[str]) -> int:
    """Runs the command line and returns its exit code."""
    _hearing.clear()
    code = _run(command, arguments)
    for _, ended in _hearing:
        ended(code)
    return code


def _run(command: click.Command, arguments: list[str]) -> int:
    with suppress(ValueError):  # only the main thread may say what a signal does
        signal.signal(signal.SIGTERM, _terminate)
    _open_what_is_closed()
    try:
        result = command.main(arguments, prog_name="feedtool", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as error:  # click's own way to end where nobody reads its help any more
        return _unread(error, arguments)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last resort
        ending = next(ending for kind, ending in ENDINGS if isinstance(error, kind))
        return ending(error, arguments)
    return int(result) if isinstance(result, int) else Exit.OK


def _open_what_is_closed() -> None:
    """A stream that our caller has closed is empty, or swallows what is written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  # for good


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise Interrupted("stopped by SIGTERM", "run it again")


def echo_error(error: FeedtoolError) -> None:
    """One line that says what, and one what to do."""
    echo("error", error.message)
    if error.hint:
        echo("help", error.hint)


def echo(label: str, text: str) -> None:
    """A labelled line on stderr, free of control characters."""
    from feedtool.report.plain import clean

    colour = {"error": "red", "warning": "yellow", "help": "cyan"}.get(label)
    head = click.style(f"{label}:", fg=colour, bold=True)
    click.echo(f"{head} {clean(text)}", err=True, color=wants_colour(sys.stderr))
    for said, _ in _hearing:
        said(label, text)


def wants_colour(stream: object) -> bool:
    """Whether colours belong on a stream: a terminal, and nobody said NO_COLOR."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and not os.environ.get("NO_COLOR")


def _bug(error: Exception, arguments: list[str]) -> int:
    """One line, and a report ready to paste; it holds no value of any option or file."""
    path = bug_report(error, arguments)
    echo("error", f"this is a bug in feedtool: {type(error).__name__}")
    echo("help", f"please report it with the contents of {path}")
    return Exit.BUG


def bug_report(error: Exception, arguments: list[str]) -> Path | str:
    """Where the report of a bug is, or why there is none."""
    try:
        return _write_report(error, arguments)
    except OSError as reason:
        return f"(no report could be written: {reason.strerror})"


def _write_report(error: Exception, arguments: list[str]) -> Path:
    import platform
    import tempfile
    import traceback

    from feedtool import __version__

    # Names of options, never their values: a value may be a token, and begin with a dash.
    names = (word.partition("=")[0] for word in arguments)
    shown = [name for name in names if re.fullmatch("--[a-z-]+", name)]
    frames = traceback.extract_tb(error.__traceback__)
    lines = [
        f"feedtool {__version__}, Python {platform.python_version()}, {platform.system()}",
        f"command: {arguments[0] if arguments else ''} {' '.join(shown)}",
        f"{type(error).__qualname__} at",
        *(f"  {Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames),
    ]
    descriptor, name = tempfile.mkstemp(prefix="feedtool-bug-", suffix=".txt")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return Path(name)


def _ended(error: Any, arguments: list[str]) -> int:
    del arguments
    return int(error.exit_code)


def _ctrl_c(error: Any, arguments: list[str]) -> int:
    # click takes the end of a file for the user's wish; nothing here asks the user anything.
    if isinstance(error.__cause__, EOFError):
        return _bug(error.__cause__, arguments)
    echo("error", "stopped by Ctrl-C")
    return Exit.CTRL_C


def _usage(error: Any, arguments: list[str]) -> int:
    del arguments
    echo("error", error.format_message())
    if getattr(error, "ctx", None):
        echo("help", f"{error.ctx.command_path} --help")
    return Exit.USAGE


def _told(error: Any, arguments: list[str]) -> int:
    del arguments
    echo_error(error)
    return int(error.exit)


def _unwritable(error: Any, arguments: list[str]) -> int:
    """A full disk, or a device that takes nothing; a file that was to be written has a name.

    A name that no system takes is one that was given, wherever it is met first.
    """
    if error.errno == errno.ENAMETOOLONG:
        echo("error", f"the name {error.filename} is too long")
        echo("help", "give a shorter name")
        return Exit.USAGE
    if error.filename is not None or error.errno not in UNWRITABLE:
        return _bug(error, arguments)
    _unread(error, arguments)
    echo("error", f"the output cannot be written: {error.strerror}")
    echo("help", "make room, or send it elsewhere")
    return Exit.USAGE


def _unread(error: Any, arguments: list[str]) -> int:
    """The reader of our output has seen enough, as in `| head`."""
    del error, arguments
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.OK


ENDINGS: tuple[tuple[type[BaseException], Callable[[Any, list[str]], int]], ...] = (
    (click.exceptions.Exit, _ended),
    (click.Abort, _ctrl_c),
    (KeyboardInterrupt, _ctrl_c),
    (click.ClickException, _usage),
    (FeedtoolError, _told),
    (BrokenPipeError, _unread),
    (OSError, _unwritable),
    (Exception, _bug),
)
"""How each kind of failure ends; the first that fits."""
