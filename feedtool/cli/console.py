"""The end of commands: a failure is a line with the error, a line with a hint, and an exit code.

Ctrl-C and SIGTERM stop a delivery gently: the calls under way are finished first.
"""

import _thread
import errno
import locale
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from feedtool import __version__
from feedtool.model.errors import Exit, FeedtoolError, Interrupted, Stopped, reason_of
from feedtool.model.text import LANGUAGES, Language, LanguageChoice, MessageText, Translator, tr
from feedtool.report.plain import clean

UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})

COMPLETION = "_FEEDTOOL_COMPLETE"
"""The variable by which a shell asks for completions; then nothing else may be shown."""

OnLine = Callable[[str, str], None]
OnEnd = Callable[[int], None]


class Clock(NamedTuple):
    """The clock of commands, and their way to wait; tests replace it."""

    now: Callable[[], datetime]
    """The time in UTC."""
    monotonic: Callable[[], float]
    """Seconds that never go back."""
    wait: Callable[[threading.Event, float], object]
    """Wait until the event is set, but no longer than these seconds."""


SYSTEM = Clock(partial(datetime.now, UTC), time.monotonic, threading.Event.wait)


class Console:
    """The output of this process's command: its language, its listeners, and its clock."""

    def __init__(self, say: Translator) -> None:
        self.say = say
        self.clock = SYSTEM
        self.language = LanguageChoice()
        """The language that the command was given, and the default."""
        self.is_quiet = False
        """`--quiet`: only errors are shown on stderr, and texts that belong to a question."""
        self.is_settled = False
        """True once the command's options have set the language."""
        self.arguments: Sequence[str] = ()
        self.listeners: list[tuple[OnLine, OnEnd]] = []
        """Called with the lines on stderr, and with the exit code, until the command ends."""


CONSOLE = Console(Translator("en"))


def terminal_language() -> Language:
    """The language of the user's locale on a terminal, if feedtool has it; else English."""
    if not (sys.stderr and sys.stderr.isatty()):
        return "en"
    variables = map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, variables), "") or (locale.getlocale()[0] or "")
    return next((language for language in LANGUAGES if name.casefold().startswith(language)), "en")


def run(command: click.Command, arguments: list[str], clock: Clock = SYSTEM) -> int:
    """Run the command line and return its exit code."""
    CONSOLE.clock = clock
    CONSOLE.language = LanguageChoice(None, terminal_language())
    CONSOLE.say = Translator(CONSOLE.language.default)
    CONSOLE.listeners.clear()
    CONSOLE.is_quiet = CONSOLE.is_settled = False
    CONSOLE.arguments = arguments
    if COMPLETION in os.environ:
        CONSOLE.is_quiet = True
        settle(())
    code = _run(command, arguments)
    for _, on_end in CONSOLE.listeners:
        on_end(code)
    return code


def _run(command: click.Command, arguments: list[str]) -> int:
    with suppress(ValueError):  # only the main thread may set handlers of signals
        signal.signal(signal.SIGTERM, _terminate)
    # A stream that the caller has closed reads as empty, or discards what is written.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  # for good
    try:
        result = command.main(arguments, prog_name="feedtool", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:  # click ends so when its help is no longer read
        return discard_stdout()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the last resort
        return Exit.OK if COMPLETION in os.environ else _report_failure(error, arguments)
    return int(result) if isinstance(result, int) else Exit.OK


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise Interrupted(tr("stopped by SIGTERM"), tr("run it again"))


SHOWN_WHEN_QUIET = frozenset({"error", "unclear"})
"""The labels that `--quiet` shows, too."""


def echo_error(error: FeedtoolError) -> None:
    """Write a line with the error, and one with the hint."""
    for label, text in (("error", error.message), ("help", error.hint)):
        if text:
            echo(label, text)


def echo(label: str, text: str) -> None:
    """Write a labelled line without control characters on stderr, unless `--quiet` hides it."""
    if not CONSOLE.is_quiet or label in SHOWN_WHEN_QUIET:
        colour = {"error": "red", "warning": "yellow", "help": "cyan"}.get(label)
        head = click.style(CONSOLE.say.label(LABELS.get(label, label)), fg=colour, bold=True)
        click.echo(f"{head} {clean(CONSOLE.say(text))}", err=True, color=wants_colour(sys.stderr))
    for on_line, _ in CONSOLE.listeners:
        on_line(label, text)


LABELS = {
    "demo": tr("demo"),
    "look": tr("look"),
    "next": tr("next"),
    "note": tr("note"),
    "nothing to do": tr("nothing to do"),
    "plan": tr("plan"),
    "preview": tr("preview"),
    "report": tr("report"),
    "category": tr("category"),
    "catalogue": tr("catalogue"),
    "stopping": tr("stopping"),
    "lost": tr("lost"),
    "made": tr("made"),
    "template": tr("template"),
    "unclear": tr("unclear"),
    "watching": tr("watching"),
    "answered": tr("answered"),
    "brought": tr("brought"),
    "waits already": tr("waits already"),
    "exported": tr("exported"),
    "refused": tr("refused"),
    "waiting": tr("waiting"),
    "error": tr("error"),
    "warning": tr("warning"),
    "help": tr("help"),
}


def wants_colour(stream: object) -> bool:
    """True for a terminal, unless NO_COLOR is set."""
    is_terminal = getattr(stream, "isatty", lambda: False)()
    return bool(is_terminal) and not os.environ.get("NO_COLOR")


def discard_stdout() -> Exit:
    """Discard further output, since its reader has ended, as in `| head`."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.OK


def _report_failure(error: Any, arguments: list[str]) -> int:
    """Write a failure to stderr and return its exit code."""
    settle(arguments)
    code, message, hint = Exit.USAGE, "", ""
    match error:
        case click.exceptions.Exit():
            code = Exit(error.exit_code)
        case click.Abort(__cause__=EOFError() as cause):
            # click aborts at the end of any file; here the user was asked nothing
            return _bug(cause, arguments)
        case click.Abort(__context__=EOFError()):  # at a question
            message = tr("the input ended before this was answered; nothing was written or sent")
            hint = tr("start it again, and answer in a terminal")
        case click.Abort() | KeyboardInterrupt():
            code, message = Exit.CTRL_C, tr("stopped by Ctrl-C")
        case click.ClickException():
            message, hint = _describe_click_error(error)
        case FeedtoolError():
            code, message, hint = error.exit, error.message, error.hint
        case BrokenPipeError():
            code = discard_stdout()
        case OSError(errno=errno.ENAMETOOLONG):
            # Only the user gives such long names, wherever the first failure occurs.
            message, hint = (
                tr("the name {filename} is too long", filename=error.filename),
                tr("give a shorter name"),
            )
        case OSError(filename=None) if error.errno in UNWRITABLE:
            # stdout is on a full disk or a broken device: the error of a file has a name.
            discard_stdout()
            message = tr("the output cannot be written: {why}", why=reason_of(error))
            hint = tr("make room, or send it elsewhere")
        case _:
            return _bug(error, arguments)
    echo_error(FeedtoolError(message, hint))
    return int(code)


def _describe_click_error(error: click.ClickException) -> tuple[str, str]:
    """The message of an error in the options, and the hint."""
    match error:
        case click.MissingParameter(param=click.Argument(name="run")):
            return tr("name the run by its number"), tr("`feedtool runs` lists them")
    message = click_message(error.format_message().replace("\n\t", " "), error.message)
    context = getattr(error, "ctx", None)
    return message, f"{context.command_path} --help" if context else ""


def _bug(error: Exception, arguments: list[str]) -> int:
    path = bug_report(error, arguments)
    echo("error", tr("this is a bug in feedtool: {name}", name=type(error).__name__))
    echo("help", tr("please report it with the contents of {path}", path=path))
    return Exit.BUG


def bug_report(error: Exception, arguments: list[str]) -> Path | str:
    """Write a report without values of options or files; return its path, or a failure's text."""
    import platform
    import tempfile
    import traceback

    # Names of options, never values: a value may be a token, and may begin with a dash.
    names = (word.partition("=")[0] for word in arguments)
    shown = [name for name in names if re.fullmatch("--[a-z-]+", name)]
    frames = traceback.extract_tb(error.__traceback__)
    lines = [
        f"feedtool {__version__}, Python {platform.python_version()}, {platform.system()}",
        f"command: {arguments[0] if arguments else ''} {' '.join(shown)}",
        f"{type(error).__qualname__} at",
        *(f"  {Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames),
    ]
    try:
        descriptor, name = tempfile.mkstemp(prefix="feedtool-bug-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    except OSError as reason:
        return tr("(no report could be written: {why})", why=reason_of(reason))
    return Path(name)


HINT = tr("sent requests are recorded; go on with: feedtool resume")


class Terminated(Interrupted):
    """SIGTERM was received: no further step begins."""


class StopSignal:
    """The signal to begin no further step, with its reason."""

    def __init__(self, hint: str = HINT) -> None:
        self._hint = hint
        self._reason: FeedtoolError | None = None
        self._woken = threading.Event()
        self._listeners: list[Callable[[], None]] = []

    def reason(self) -> FeedtoolError | None:
        return self._reason

    def sleep(self, seconds: float) -> None:
        """Pause, but end the pause at the signal to stop."""
        CONSOLE.clock.wait(self._woken, seconds)

    def listen(self, listener: Callable[[], None]) -> None:
        """Call a function, in a separate thread, at the signal to stop."""
        self._listeners.append(listener)
        if self._reason is not None:
            listener()

    def ctrl_c(self, number: int, frame: object) -> None:
        """Stop gently at the first Ctrl-C, at once at the second."""
        del number, frame
        if self._reason is not None:  # ends at once: the ledger stays whole at any moment
            with suppress(Exception):
                echo_error(Stopped(tr("stopped by Ctrl-C"), self._hint))
            os._exit(Exit.CTRL_C)
        self._stop(Stopped(tr("stopped by Ctrl-C"), self._hint))
        # Written last, so that a second Ctrl-C after it is meant.
        echo("stopping", tr("the calls under way are finished first; Ctrl-C again stops at once"))

    def terminate(self, number: int, frame: object) -> None:
        del number, frame
        self._stop(Terminated(tr("stopped by SIGTERM"), self._hint))

    def _stop(self, reason: FeedtoolError) -> None:
        self._reason = self._reason or reason
        # In another thread: the signal may interrupt this thread within `sleep`, where it holds the
        # lock that `_wake` needs, and would wait for it for ever.
        _thread.start_new_thread(self._wake, ())

    def _wake(self) -> None:
        self._woken.set()
        for listener in self._listeners:
            with suppress(RuntimeError):  # its event loop has ended meanwhile
                listener()


@contextmanager
def stopping(hint: str = HINT) -> Iterator[StopSignal]:
    """Turn signals into a gentle stop within the context; `hint` tells how to go on."""
    stop = StopSignal(hint)
    before = {}
    with suppress(ValueError):  # only the main thread may set handlers of signals
        before[signal.SIGINT] = signal.signal(signal.SIGINT, stop.ctrl_c)
        before[signal.SIGTERM] = signal.signal(signal.SIGTERM, stop.terminate)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# The language before options are parsed.


FILE = "feedtool.toml"
LANGUAGE, QUIET = "--language", frozenset({"-q", "--quiet"})


def settle(arguments: Sequence[str]) -> None:
    """Set the language and the quietness of further output, as the arguments ask."""
    words = [*takewhile(lambda word: word != "--", arguments)]
    CONSOLE.is_quiet = CONSOLE.is_quiet or not QUIET.isdisjoint(words)
    if not CONSOLE.is_settled:
        name = _value(words, "language") or _of_configuration(words)
        known = (language for language in LANGUAGES if language == name)
        CONSOLE.say = Translator(next(known, terminal_language()))


def _value(words: Sequence[str], name: str) -> str | None:
    """The value of an option among words, else that of its variable."""
    option = f"--{name}"
    values = [following for word, following in pairwise([*words, ""]) if word == option]
    values += [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return values[-1] if values else os.environ.get(f"FEEDTOOL_{name.upper()}")


def settings_folder() -> Path:
    """The folder of the user's settings: FEEDTOOL_HOME, else the one of the system."""
    return Path(os.environ.get("FEEDTOOL_HOME") or click.get_app_dir("feedtool"))


LEDGER, CATALOG = "ledger.sqlite", "catalog.sqlite"
"""The files of the ledger and of the catalogue in the state folder."""


def home_path(home: Path | None) -> Path:
    """The path of the state folder, by default the system's."""
    from platformdirs import user_state_path

    return home or user_state_path("feedtool", appauthor=False)


def _of_configuration(words: Sequence[str]) -> object:
    """The language of the configuration's defaults; None if it is absent or cannot be read."""
    path = _value(words, "config")
    candidates = (Path(path),) if path else (Path(FILE), settings_folder() / FILE)
    existing = next(filter(Path.is_file, candidates), None)
    if existing is None:
        return None
    from feedtool.runs.config import load  # slow to import

    with suppress(FeedtoolError, OSError):
        return load(existing).defaults.get("language")
    return None


def language_passed_on(arguments: Sequence[str]) -> list[str]:
    """The arguments of a group, with `--language` moved behind the command's name.

    Without a command it is left out.
    """
    for start, word in enumerate(arguments):
        if word == LANGUAGE or word.startswith(f"{LANGUAGE}="):
            end = start + (2 if word == LANGUAGE else 1)
            taken, rest = arguments[start:end], [*arguments[:start], *arguments[end:]]
            place = next((nth for nth, word in enumerate(rest, 1) if not word.startswith("-")), 0)
            return [*rest[:place], *taken, *rest[place:]] if place else rest
        if not word.startswith("-"):
            break
    return list(arguments)


CLICK = (
    "No such option {name}.",
    "No such command {name}.",
    "{problem} Did you mean {possibility}?",
    "{problem} (Did you mean one of: {possibilities}?)",
    "{problem} Choose from: {choices}",
    "Missing argument {name}.",
    "Missing option {name}.",
    "Missing command.",
    "Invalid value for {param_hint}: {message}",
    "Invalid value: {message}",
    "Option {name} does not take a value.",
    "Option {name} requires an argument.",
    "Got unexpected extra argument ({args})",
    "Got unexpected extra arguments ({args})",
    "{value} is not one of {choices}.",
    "{value} is not a valid integer.",
    "{value} is not a valid integer range.",
    "{value} is not a valid float range.",
    "{value} is not a valid float.",
    "{value} is not a valid boolean. Recognized values: {states}",
    "{value} is not in the range {range}.",
    "File {name} is a directory.",
    "Directory {name} is a file.",
    "Path {name} does not exist.",
)
"""Click's messages about options, so that they can be translated."""


def click_message(text: str, inner: str) -> str:
    """A text of click as a message that can be translated; another text stays unchanged.

    `inner` is a message of feedtool that the text may contain.
    """
    if isinstance(inner, MessageText) and text == inner:
        return inner
    for form, pattern in _patterns():
        if match := re.fullmatch(pattern, text, re.DOTALL):
            values = {name: click_message(part, inner) for name, part in match.groupdict().items()}
            return MessageText((form,), values)
    return text


@cache
def _patterns() -> Sequence[tuple[str, str]]:
    patterns = []
    for form in CLICK:
        literals = map(re.escape, re.split(r"\{\w+\}", form))
        names = [f"(?P<{name}>.*)" for name in re.findall(r"\{(\w+)\}", form)]
        pieces = (text + name for text, name in zip(literals, [*names, ""], strict=True))
        patterns.append((form, "".join(pieces)))
    return patterns
