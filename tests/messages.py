"""Find the messages in the code, and update their catalogues: `python -m tests.messages`.

New messages are added to each package's `locale/LANGUAGE/PACKAGE.po` with an empty translation;
messages that are no longer in the code are removed. A test fails while a translation is empty.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import click
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

import feedtool
from feedtool.cli import COMMANDS, HELP
from feedtool.cli import HEADINGS as COMMAND_HEADINGS
from feedtool.cli import feedtool as feedtool_command
from feedtool.cli.console import CLICK
from feedtool.cli.help import COMMANDS as COMMANDS_HEADING
from feedtool.cli.help import HEADINGS, OPTIONS, paragraphs
from feedtool.model.text import MessageText
from tests.source import MESSAGES, code_of

ROOT = Path(feedtool.__file__).parent
PACKAGES = sorted(
    folder
    for parent in (ROOT, ROOT / "areas")
    for folder in parent.iterdir()
    if (folder / "__init__.py").exists() and folder != ROOT / "areas"
)
LANGUAGES = ("fr", "es")
CATALOGUES = sorted(
    path for path in ROOT.rglob("locale/*/*.po") if path.stem == path.parents[2].name
)
_VALUE, _LETTERS = re.compile(r"\{[^}]*\}"), re.compile(r"[^\W\d_]")
"""Values within a message, and letters; a message with no letters but values is not translated."""
PLURALS = {"fr": "nplurals=2; plural=(n > 1);", "es": "nplurals=2; plural=(n != 1);"}


def messages_of(package: Path) -> Mapping[str, tuple[str, ...]]:
    """Message of a package → its forms; other texts in its code and its TOML → no forms.

    Such a text may be a message, too: a constant is translated where it is shown.
    """
    modules = sorted(package.rglob("*.py"))
    messages: dict[str, tuple[str, ...]] = {
        text: () for path in modules for text in code_of(path).texts
    }
    for path in sorted(package.rglob("*.toml")):
        messages |= dict.fromkeys(_texts(tomllib.loads(path.read_text("utf-8"))), ())
    of_modules = (forms for path in modules for forms in code_of(path).messages)
    for forms in chain(of_modules, _messages_of_pages(package)):
        if _LETTERS.search(_VALUE.sub("", forms[0])):
            messages[forms[0]] = forms
    if package == ROOT / "cli":
        messages |= {text: (text,) for text in help_texts()}
    return messages


def help_texts() -> Iterator[str]:
    """The texts of all commands' `--help`, and those of click, which are declared as plain texts.

    Texts of an area that are messages already are left out: they are in the area's catalogue.
    """
    yield from (OPTIONS, COMMANDS_HEADING, *HEADINGS, *COMMAND_HEADINGS, HELP[1], *CLICK)
    yield from (summary for _, summary in COMMANDS.values())
    for _, command in every_command():
        yield from paragraphs(command)
        for parameter in command.get_params(click.Context(command)):
            if isinstance(parameter, click.Option):
                shown = (parameter.help, parameter.show_default)
                yield from (
                    text
                    for text in shown
                    if isinstance(text, str) and not isinstance(text, MessageText)
                )


def every_command(
    words: str = "", command: click.Command = feedtool_command
) -> Iterator[tuple[str, click.Command]]:
    """All commands and groups, each with the words after `feedtool` that call it."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below
            yield from every_command(f"{words} {name}".strip(), below)


def _messages_of_pages(package: Path) -> Iterator[tuple[str, ...]]:
    for path in sorted(package.rglob("*.html")):
        with path.open("rb") as file:
            for _, message, _, _ in extract("jinja2.ext:babel_extract", file, MESSAGES):
                yield message if isinstance(message, tuple) else (message,)


def _texts(value: object) -> Iterator[str]:
    """The texts in tables and lists, and the keys of tables."""
    match value:
        case str():
            yield value
        case dict() | list():
            if isinstance(value, dict):
                yield from value
            for item in value.values() if isinstance(value, dict) else value:
                yield from _texts(item)


def update(package: Path, language: str) -> int:
    """Update one catalogue, and return the number of its messages without a translation."""
    path = package / "locale" / language / f"{package.name}.po"
    messages = messages_of(package)
    old = Catalog(language, fuzzy=False)
    if path.exists():
        with path.open("rb") as file:
            old = read_po(file, language)
    elif not any(messages.values()):
        return 0
    new = Catalog(language, fuzzy=False)
    new.mime_headers = [("Plural-Forms", PLURALS[language])]  # CLDR has more forms by now
    kept = {_first(entry.id): entry for entry in old if entry.id}
    for message, forms in sorted(messages.items()):
        entry = kept.get(message)
        if forms or (entry and _LETTERS.search(_VALUE.sub("", message))):
            has_plural = len(forms) > 1
            known = entry.string if entry and isinstance(entry.string, tuple) == has_plural else ""
            new.add(forms if has_plural else message, known or None)
    empty = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, new, width=100, omit_header=True)
    header = (
        f'# Texts of {_name(package)} for people.\nmsgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {PLURALS[language]}\\n"\n\n'
    )
    path.write_text(header + path.read_text("utf-8").strip() + "\n", "utf-8")
    for entry in new:
        if entry.id:
            strings = entry.string if isinstance(entry.string, tuple) else (entry.string,)
            empty += not all(strings)
    return empty


def _name(package: Path) -> str:
    return ".".join(package.relative_to(ROOT.parent).parts)


def _first(message: object) -> str:
    return str(message[0] if isinstance(message, (tuple, list)) else message)


if __name__ == "__main__":
    for package in PACKAGES:
        for language in LANGUAGES:
            if missing := update(package, language):
                sys.stdout.write(f"{_name(package)}, {language}: {missing} to translate\n")
