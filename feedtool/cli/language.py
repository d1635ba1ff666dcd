"""The language before options are parsed: of `--help`, and of errors in the options."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path

import click

from feedtool.cli.errors import CONSOLE, terminal_language
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import LANGUAGES, Language, MessageText, Translator

FILE = "feedtool.toml"
END, LANGUAGE, QUIET = "--", "--language", frozenset({"-q", "--quiet"})


def settle(arguments: Sequence[str]) -> None:
    """Set the language and the quietness of further output, as the arguments ask."""
    words = options_in(arguments)
    CONSOLE.is_quiet = CONSOLE.is_quiet or not QUIET.isdisjoint(words)
    if not CONSOLE.is_settled:
        CONSOLE.say = Translator(language_of(words))


def options_in(arguments: Sequence[str]) -> list[str]:
    """The arguments before `--`."""
    words = list(arguments)
    return words[: words.index(END)] if END in words else words


def language_of(words: Sequence[str]) -> Language:
    """The language of the words, the environment or feedtool.toml, else the terminal's."""
    name = _value(words, "language") or _of_configuration(words)
    return next((language for language in LANGUAGES if language == name), terminal_language())


def _value(words: Sequence[str], name: str) -> str | None:
    """The value of an option among words, else that of its variable."""
    option = f"--{name}"
    values = [following for word, following in pairwise([*words, ""]) if word == option]
    values += [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return values[-1] if values else os.environ.get(f"FEEDTOOL_{name.upper()}")


def settings_folder() -> Path:
    """The folder of the user's settings: FEEDTOOL_HOME, else the one of the system."""
    return Path(os.environ.get("FEEDTOOL_HOME") or click.get_app_dir("feedtool"))


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


def click_message(text: str, inner: str = "") -> str:
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
    return list(_each_pattern())


def _each_pattern() -> Iterator[tuple[str, str]]:
    for form in CLICK:
        literals = map(re.escape, re.split(r"\{\w+\}", form))
        names = [f"(?P<{name}>.*)" for name in re.findall(r"\{(\w+)\}", form)]
        yield form, "".join(text + name for text, name in zip(literals, [*names, ""], strict=True))
